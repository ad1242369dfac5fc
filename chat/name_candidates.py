"""Which drugs a model is shown: those that the question and the lines before it name, and what is spelled nearly so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from chat.cues import no_drug_words
from chat.domain import QueryFrame
from chat.expand import expand_question
from monographs.domain import DrugRef
from monographs.names import SUGGESTION_LIMIT, Corpus, is_syllable, tokenise
from monographs.text import normalise

LINES_KEPT, LONGEST_LINE = 6, 500
MOST_SHOWN = 40
_SHORTEST_NAME = 4


@dataclass(frozen=True, slots=True)
class Candidates:
    """The drugs by how they were found. asked: by exact names in the question; before: by exact names in the lines
    before it, or in the case that goes on; alike: only suggestions; typed: by drug_id, as the texts call them."""

    asked: tuple[DrugRef, ...] = ()
    before: tuple[DrugRef, ...] = ()
    alike: tuple[DrugRef, ...] = ()
    typed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def shown(self) -> dict[str, DrugRef]:
        """By drug_id, in the order in which they are shown; at most 40."""
        drugs = (*self.asked, *self.before, *self.alike)
        return dict(list({drug.drug_id: drug for drug in drugs}.items())[:MOST_SHOWN])


def kept_lines(history: Sequence[str]) -> tuple[str, ...]:
    """The last lines of a conversation, each on one line and cut at 500 characters."""
    lines = (normalise(line)[:LONGEST_LINE] for line in history[-LINES_KEPT:])
    return tuple(line for line in lines if line)


def find_candidates(question: str, history: Sequence[str], before: QueryFrame | None, corpus: Corpus) -> Candidates:
    """The candidates of a question, bounded before any model is asked.

    question: with its abbreviations spelled out; history: the lines before it, oldest first. Suggestions (at most five
    for each text, score at least 0.55) are made only of a text in which nothing matched exactly.
    """
    lines = [expand_question(line, corpus.names, corpus.vocabulary).text for line in kept_lines(history)]
    typed: dict[str, list[str]] = {}
    asked = _named(question, corpus, typed)
    told = [_named(line, corpus, typed) for line in lines]
    case = (*before.drugs, *before.medicines) if before else ()
    alike = [_alike(text, corpus) for text, found in zip([question, *lines], [asked, *told], strict=True) if not found]
    return Candidates(
        asked=_once(asked),
        before=_once([*case, *(drug for found in reversed(told) for drug in found)]),
        alike=_once(drug for found in alike for drug in found),
        typed={key: tuple(dict.fromkeys(names)) for key, names in typed.items()},
    )


def _named(text: str, corpus: Corpus, typed: dict[str, list[str]]) -> list[DrugRef]:
    found: list[DrugRef] = []
    for span in corpus.names.resolve(text):
        for drug in span.drugs:
            typed.setdefault(drug.drug_id, []).append(normalise(span.text))
            found.append(drug)
    return found


def _alike(text: str, corpus: Corpus) -> list[DrugRef]:
    """What the words of a text that could be names are spelled like, best first."""
    tokens = [token.folded for token in tokenise(text)]
    names = [word for word in tokens if _may_name(word)]
    pairs = [f"{one} {other}" for one, other in pairwise(tokens) if _may_name(one) and _may_name(other)]
    found = [suggestion for name in dict.fromkeys([*names, *pairs]) for suggestion in corpus.names.suggest(name)]
    return list(_once(one.drug for one in sorted(found, key=lambda one: -one.score)))[:SUGGESTION_LIMIT]


def _may_name(word: str) -> bool:
    return len(word) >= _SHORTEST_NAME and word.isalpha() and not is_syllable(word) and word not in no_drug_words()


def _once(drugs: Iterable[DrugRef]) -> tuple[DrugRef, ...]:
    return tuple(dict.fromkeys(drugs))
