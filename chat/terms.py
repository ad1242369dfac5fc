"""What a question speaks of beyond names, cues and talk: its terms, and where they stand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from chat.condition_forms import is_illness_of, single_condition, word_list
from chat.cues import accented_fillers, cue_table, fillers_as_typed, printed_fillers
from chat.domain import QueryFrame, Term
from monographs.names import is_syllable, tokenise
from monographs.restoring import NO_ACCENTS, AccentModel
from monographs.text import WordSet, fold, has_accents, normalise, spelling

# Of the cues those that are words of names as well: "xơ gan cổ trướng", "đau dây thần kinh tam thoa".
_IN_NAMES = frozenset({"section", "population", "route"})
_CUES = ("section", "population", "route", "turn", "context", "denied")
# Where a question is typed with accents these mean themselves: rash, skin, ear, and not "bạn", "đã", "tại".
_BARE_WORDS = frozenset({"ban", "da", "tai"})
# Bare words that join whatever stands beside them ("bị nhiễm" is no "bì").
_NEVER_NAMES = frozenset({"bi", "ma", "moi", "can"})
_CAUSE = "do"
# "nhoi mau co tim" names a muscle, "rung nhi co hoi chung" does not.
_HAS = "co"
_HAD = frozenset({"thuoc", "the", "thai", "duoc", "khong", "bi", "nen", "can", "phai", "dung", "gi", "bau", "sao"})
_ASK, _SYNDROME = "hoi", "chung"
# What is done with a medicine: "ban thuoc gi" asks for no rash.
_GOT = frozenset({"ban", "ke", "mua"})
# What is to be done about an attack is no part of its name.
_TO_STOP = ("cat", "con")
# Talk with its accents ("dược thư", "ngày mai"), and half of a name beside the right word.
_TUMOUR = "u"
# Behind a word they tell which: "viêm gan B", "vitamin C".
_SHORT = 2
_LETTERS = frozenset("abcde")
_HALVES = frozenset({"thư", "quản", "mai", "thiểu", "phát"})
_PARTS = re.compile(r"[,;.:?!+&>→()]")
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


def question_terms(
    rest: str,
    vocabulary: frozenset[str],
    accents: AccentModel = NO_ACCENTS,
    *,
    bare: bool | None = None,
    names: Sequence[range] = (),
) -> tuple[Term, ...]:
    """The terms of a question whose drug names are blanked, in order.

    A phrase that the book calls otherwise ("hạ áp") is one term; every other word is one of its own. accents: what the
    book prints side by side; with it a bare word that is talk elsewhere is one where it is part of a name ("tac mat").
    bare: whether the question was typed without accents, whatever was spelled out since; names: the places of names of
    conditions, within which no word tells a section, a patient or a way.
    """
    text = plain_text(rest)
    tokens = tokenise(text)
    bare = not has_accents(text) if bare is None else bare
    parted = {at for at in range(1, len(tokens)) if _PARTS.search(text[tokens[at - 1].end : tokens[at].start])}
    pairs = _names_printed([token.folded for token in tokens], accents, parted) if bare else []
    pairs = [pair for pair in pairs if parted.isdisjoint(pair[1:])]
    pairs += _names_typed([token.text.lower() for token in tokens], accents) if not bare else []
    named = {place for pair in pairs for place in pair}
    sure = {place for name in names for place in name}
    ends = {place for name in names for place in (name.start, name.stop - 1)}
    hits = [
        found
        for kind in _CUES
        for hit in cue_table(kind).find(text)
        if not sure.issuperset(found := range(hit.first, hit.last)) or kind not in _IN_NAMES
    ]
    covered = _covered(hits, pairs, parted)
    synonyms = cue_table("synonym").find(text)
    phrases = {hit.first: hit for hit in synonyms if parted.isdisjoint(range(hit.first + 1, hit.last))}
    terms: list[Term] = []
    place = 0
    while place < len(tokens):
        token, phrase = tokens[place], phrases.get(place)
        if phrase is not None:
            typed = tuple(token.text.lower() for token in tokens[place : phrase.last])
            terms.append(Term(typed, tuple(phrase.meaning.split(" ")), place))
            place = phrase.last
            continue
        if token.folded == "tien" and [t.folded for t in tokens[place + 1 : place + 2]] in (["su"], ["can"]):
            place += 2
            continue
        meant = (
            place in named
            or (place in sure and (place in ends or token.folded not in word_list("joining")))
            or (token.text.lower() in _BARE_WORDS and not bare)
        )
        behind = tokens[place + 1].folded if place + 1 < len(tokens) else ""
        meant = meant or (bare and place > 0 and is_illness_of(tokens[place - 1].folded, token.folded, behind))
        meant = meant or (token.text.lower() in _LETTERS and bool(terms) and terms[-1].place == place - 1)
        if place not in covered and (meant or _says_something(token.text.lower(), token.folded)):
            talk = place not in sure and _is_talk(token.folded, vocabulary)
            terms.append(Term((token.text.lower(),), (), place, is_talk=talk, is_named=place in named))
        place += 1
    return tuple(terms)


def plain_text(rest: str) -> str:
    """A question's text by whose words terms have their places: normalised, without what was masked."""
    return normalise(_without_masks(rest))


def names_in(frame: QueryFrame) -> tuple[range, ...]:
    """At which words of the question a condition is named as the book's indications name it, in order."""
    places = frame.raw.get("names")
    return tuple(range(first, last) for first, last in places) if isinstance(places, list) else ()


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


def _names_printed(bare: Sequence[str], accents: AccentModel, parted: set[int]) -> list[tuple[int, ...]]:
    """The places of bare words that with the one beside them may be a name that the book prints; of one before its
    cause ("phu do") only its own."""
    stopped = {at for at in range(1, len(bare)) if (bare[at - 1], bare[at]) == _TO_STOP}
    return [
        (place,) if after == _CAUSE else (place, place + 1)
        for place, (before, after) in enumerate(pairwise(bare))
        if not {place, place + 1} & stopped
        and not {before, after} & _NEVER_NAMES
        and not (before == _HAS and not _may_be_name(bare[place - 1 : place + 1], accents))
        and (before != _ASK or after == _SYNDROME)
        and not (after == _HAS and _is_had(bare, place, accents, parted))
        and not (after in _GOT and bare[place + 2 : place + 3] == ["thuoc"])
        and _may_be_name((before, after), accents)
    ]


def _is_had(bare: Sequence[str], place: int, accents: AccentModel, parted: set[int]) -> bool:
    """Whether the "co" behind a name says what is had or asked: "suy tim co bi", but not "nhuoc co bi"."""
    asks = place + 2 not in parted and bool(set(bare[place + 2 : place + 3]) & _HAD)
    return asks and place > 0 and _may_be_name(bare[place - 1 : place + 1], accents)


def _names_typed(typed: Sequence[str], accents: AccentModel) -> list[tuple[int, ...]]:
    """The same of words with accents, of which few are talk and half of a name: "ung thư", "thiểu niệu"."""
    return [
        (place, place + 1)
        for place, pair in enumerate(pairwise(typed))
        if not _HALVES.isdisjoint(pair)
        and pair in accents.printed_pairs(*map(fold, pair))
        and any(spelling(word) not in printed_fillers() for word in pair)
    ]


def _covered(hits: Sequence[range], pairs: Sequence[tuple[int, ...]], parted: set[int]) -> set[int]:
    """The places that cues cover, without the words of names that reach beyond one of a single word or over a comma, or
    end with its first: "vay nen" is no "vậy", "nhuoc co, thuoc nao" no "có thuốc nào", "nhuoc co bi sot" no "có bị"."""
    covered = set()
    for hit in hits:
        loose = len(hit) == 1 or not parted.isdisjoint(hit[1:])
        beyond = [pair for pair in pairs if not set(pair) <= set(hit)]
        named = {place for pair in beyond if loose or pair[-1] == hit.start for place in pair}
        covered |= set(hit) - named
    return covered


def _may_be_name(two: Sequence[str], accents: AccentModel) -> bool:
    return len(two) > 1 and any(map(_is_name, accents.printed_pairs(*two)))


def _is_name(pair: tuple[str, str]) -> bool:
    """Whether two printed words are more than talk: "tắc mật", "phế quản", and the first alone before its cause
    ("phù do")."""
    _, second = pair
    talk = [spelling(word) in printed_fillers() for word in pair]
    weak = [word in _HALVES for word in pair]
    if second == _CAUSE:
        return not talk[0]
    return not all(talk) and all(not said or half for said, half in zip(talk, weak, strict=True))


def _says_something(typed: str, folded: str) -> bool:
    filler = typed in fillers_as_typed() or spelling(typed) in accented_fillers()
    return (len(folded) > 1 or folded == _TUMOUR) and not folded[0].isdigit() and not filler


def _is_talk(folded: str, vocabulary: frozenset[str]) -> bool:
    """A syllable that the whole book never prints asks for nothing that the book could say."""
    named = len(folded) > _SHORT and single_condition(folded) == folded
    return is_syllable(folded) and folded not in vocabulary and not named
