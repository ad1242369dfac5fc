"""What a question speaks of beyond names, cues and talk: its terms, and where they stand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from chat.cues import accented_fillers, cue_table, fillers_as_typed
from chat.domain import QueryFrame, Term
from monographs.names import is_syllable, tokenise
from monographs.text import WordSet, fold, has_accents, normalise, spelling

_CUES = ("section", "population", "route", "turn", "context", "denied")
# Where a question is typed with accents these mean themselves: rash, skin, ear, and not "bạn", "đã", "tại".
_BARE_WORDS = frozenset({"ban", "da", "tai"})
_MASK_OPEN, _MASK_CLOSE = "[", "]"


class AskedWords:
    """The words of a question, to be asked with a label's: a word typed with accents says only its own ("thận" is not
    "than"), a bare one each that folds to it."""

    __slots__ = ("_accented", "_bare")

    def __init__(self, typed: Iterable[str]) -> None:
        typed = [word.lower() for word in typed]
        self._accented = frozenset(spelling(word) for word in typed if has_accents(word))
        self._bare = frozenset(word for word in typed if not has_accents(word))

    def __contains__(self, label_word: str) -> bool:
        return spelling(label_word) in self._accented or fold(label_word) in self._bare


def question_terms(rest: str, vocabulary: frozenset[str]) -> tuple[Term, ...]:
    """The terms of a question whose drug names are blanked, in order.

    A phrase that the book calls otherwise ("hạ áp") is one term; every other word is one of its own.
    """
    text = normalise(_without_masks(rest))
    tokens = tokenise(text)
    covered = {place for kind in _CUES for hit in cue_table(kind).find(text) for place in range(hit.first, hit.last)}
    phrases = {hit.first: hit for hit in cue_table("synonym").find(text)}
    terms: list[Term] = []
    place = 0
    while place < len(tokens):
        token, phrase = tokens[place], phrases.get(place)
        if phrase is not None:
            typed = tuple(token.text.lower() for token in tokens[place : phrase.last])
            terms.append(Term(typed, tuple(phrase.meaning.split(" ")), place))
            place = phrase.last
            continue
        meant = token.text.lower() in _BARE_WORDS and has_accents(text)
        if place not in covered and (meant or _says_something(token.text.lower(), token.folded)):
            terms.append(Term((token.text.lower(),), (), place, is_talk=_is_talk(token.folded, vocabulary)))
        place += 1
    return tuple(terms)


def terms_of(frame: QueryFrame) -> tuple[Term, ...]:
    """The terms of a frame that are no part of its drugs' names: those may have come from an earlier turn."""
    names = WordSet(" ".join(drug.name for drug in frame.drugs))
    return tuple(term for term in frame.terms if not stands_in(term, names))


def stands_in(term: Term, words: WordSet) -> bool:
    """Whether a text speaks of the term, in the question's words or in the book's."""
    typed = [part for word in term.typed for part in word.replace("-", " ").split()]
    return all(word in words for word in typed) or bool(term.book and all(word in words for word in term.book))


def is_name_like(term: Term) -> bool:
    """Whether a term is one word and no Vietnamese syllable: a test, a substance, a code."""
    return len(term.typed) == 1 and not is_syllable(fold(term.typed[0]))


def runs_of(terms: Sequence[Term]) -> list[str]:
    """The folded phrases of two and more terms that follow one another in the question, longest first."""
    runs: list[list[Term]] = []
    for before, term in pairwise([None, *terms]):
        if before is not None and term is not None and term.place == before.place + len(before.typed):
            runs[-1].append(term)
        elif term is not None:
            runs.append([term])
    phrases = [
        " ".join(fold(" ".join(term.book or term.typed)) for term in run[first:last])
        for run in runs
        for first in range(len(run))
        for last in range(first + 2, len(run) + 1)
    ]
    phrases += [fold(" ".join(term.book or term.typed)) for term in terms if len(term.book or term.typed) > 1]
    return sorted(dict.fromkeys(phrases), key=len, reverse=True)


def _without_masks(rest: str) -> str:
    kept, depth = [], 0
    for character in rest:
        depth += character == _MASK_OPEN
        kept.append(" " if depth else character)
        depth -= character == _MASK_CLOSE and depth > 0
    return "".join(kept)


def _says_something(typed: str, folded: str) -> bool:
    filler = typed in fillers_as_typed() or spelling(typed) in accented_fillers()
    return len(folded) > 1 and not folded[0].isdigit() and not filler


def _is_talk(folded: str, vocabulary: frozenset[str]) -> bool:
    """A syllable that the whole book never prints asks for nothing that the book could say."""
    return is_syllable(folded) and folded not in vocabulary
