"""What tells look-alike names apart: the letters in which a name differs from the one it is taken for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from monographs.names import look_alikes
from monographs.text import fold

ALIKE_MIN_RATIO = 0.75
# A shorter stretch between two differences is no help to the eye: "d[igox]in", not "d[ig]ox[]in".
SHORTEST_COMMON = 3
_LETTER = re.compile(r".[\u0300-\u036f]*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of a name, and whether it differs."""

    text: str
    differs: bool


@dataclass(frozen=True, slots=True)
class MarkedName:
    """A name as its segments, in order; none of them differs where nothing is to be shown."""

    segments: tuple[Segment, ...]

    @property
    def text(self) -> str:
        """The plain name."""
        return "".join(segment.text for segment in self.segments)

    @property
    def is_marked(self) -> bool:
        """Whether a part of it differs."""
        return any(segment.differs for segment in self.segments)


def plain_name(name: str) -> MarkedName:
    """A name with nothing marked."""
    return MarkedName((Segment(name, differs=False),) if name else ())


def mark_name(name: str, others: Iterable[str], query: str) -> MarkedName | None:
    """A name with what differs from the one of the others it is likest to, else from what was typed; None where it
    looks like none of them. A name of the same letters is no other.
    """
    alike = [other for other in others if fold(other) != fold(name) and are_alike(name, other)]
    if alike:
        return MarkedName(differing_segments(name, max(alike, key=lambda other: _resemblance(name, other))))
    return MarkedName(differing_segments(name, query)) if are_alike(name, query) else None


def are_alike(name: str, other: str) -> bool:
    """Whether two names are taken for one another: by the list of such names, or by how they are written."""
    listed = fold(other) in {fold(partner) for partner in look_alikes(name)}
    return listed or _resemblance(name, other) >= ALIKE_MIN_RATIO


def differing_segments(name: str, other: str) -> tuple[Segment, ...]:
    """The name cut where it begins or ends to differ from the other, accents and case aside: "Dobutamin" beside
    "Dopamin" gives "Do", "but" (differs), "amin". Joined, the segments are the name.
    """
    letters: list[str] = _LETTER.findall(name)
    own, theirs = list(map(_key, letters)), list(map(_key, _LETTER.findall(other)))
    # Read from either end the same letters may fall together otherwise: "[Benzathin] benzylpenicilin" rather than
    # "Benz[athin] [benz]ylpenicilin".
    backwards = {len(own) - 1 - place for place in _differing_places(own[::-1], theirs[::-1])}
    return min(_cut(letters, _differing_places(own, theirs)), _cut(letters, backwards), key=len)


def _cut(letters: Sequence[str], differing: set[int]) -> tuple[Segment, ...]:
    runs = groupby(range(len(letters)), key=lambda place: place in differing)
    return tuple(Segment("".join(letters[place] for place in places), differs=found) for found, places in runs)


def _differing_places(own: Sequence[str], other: Sequence[str]) -> set[int]:
    steps = list(Levenshtein.opcodes(own, other))
    places: set[int] = set()
    for number, step in enumerate(steps):
        between = 0 < number < len(steps) - 1
        length = step.src_end - step.src_start
        if step.tag != "equal" or (between and length < SHORTEST_COMMON):
            places.update(range(step.src_start, step.src_end))
    return {place for place in places if own[place] != " "}


def _key(letter: str) -> str:
    return fold(letter) or " "


def _resemblance(name: str, other: str) -> float:
    return fuzz.ratio(fold(name), fold(other)) / 100
