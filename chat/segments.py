"""A passage cut into segments: the smallest stretches whose number, unit and condition stand together.

A sentence is a segment, unless its clauses name conditions of their own ("trẻ 3 - 11 tháng: 60 mg; trẻ 1 - 4 tuổi:
125 mg"): then each clause is one, since a number of the one never belongs to the condition of the other.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from chat.cues import cue_table
from chat.domain import Population, Route
from chat.numbers import NumericToken, numeric_tokens
from monographs.text import words

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-ZÀ-ỸĐ0-9“\"(])|\n")
_HEAD = re.compile(r"([^:;.,\d]{2,45}):\s")
_CLAUSE_END = re.compile(r";\s+")
# Units that tell for whom a number is, not how much of the drug.
CONDITION_UNITS = frozenset(
    ("kg", "tuổi", "tháng", "thángtuổi", "tuầntuổi", "ngàytuổi", "nămtuổi", "ml/phút", "ml/phút/1,73m²")
)


@dataclass(frozen=True, slots=True)
class Segment:
    """text: as printed; words: lower case with accents; populations, routes: those it names itself; head: the words
    before a colon at its start ("Nặng: không dùng"), which hold for all of it.
    """

    text: str
    words: frozenset[str]
    numbers: tuple[NumericToken, ...]
    populations: frozenset[Population]
    routes: frozenset[Route]
    head: frozenset[str] = frozenset()

    @property
    def states_condition(self) -> bool:
        """Whether it names a patient or a route of its own."""
        names_patient = bool(self.populations or self.routes or self.head)
        return names_patient or any(n.unit in CONDITION_UNITS for n in self.numbers)


@lru_cache(maxsize=4096)
def segments_of(text: str) -> tuple[Segment, ...]:
    """The segments of a text, in order."""
    return tuple(segment for sentence in _SENTENCE_END.split(text) for segment in _sentence_segments(sentence))


def segment_of(text: str) -> Segment:
    """A stretch of text as one segment."""
    return Segment(
        text=text,
        words=frozenset(words(text)),
        numbers=tuple(numeric_tokens(text)),
        populations=frozenset(Population(meaning) for meaning in cue_table("population").meanings(text, printed=True)),
        routes=frozenset(Route(meaning) for meaning in cue_table("route").meanings(text, printed=True)),
        head=_head(text),
    )


def _head(text: str) -> frozenset[str]:
    match = _HEAD.match(text)
    return frozenset(words(match.group(1))) if match else frozenset()


def _sentence_segments(sentence: str) -> list[Segment]:
    grouped: list[str] = []
    for clause in (clause for clause in _CLAUSE_END.split(sentence) if clause.strip()):
        # A clause without a condition of its own ("tối đa 30 mg/kg/ngày") goes on with the one before it.
        if grouped and not segment_of(clause).states_condition:
            grouped[-1] += f"; {clause}"
        else:
            grouped.append(clause)
    return [segment_of(group) for group in grouped]


def clauses_of(segment: Segment) -> list[Segment]:
    """A segment's clauses, as segments."""
    return [segment_of(clause) for clause in _CLAUSE_END.split(segment.text) if clause.strip()]
