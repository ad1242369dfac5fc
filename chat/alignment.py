"""A claim laid beside what it cites: each part of the claim against one stretch of one passage, never a pool of all."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from chat.domain import EvidenceBlock, Population, Route
from chat.numbers import NumericToken
from chat.segments import Segment, segment_of, segments_of
from monographs.domain import SECTION_FACTS
from monographs.text import words

# Not the point within "1.000".
_CLAUSE_ENDS = re.compile(r"[.;](?:\s|$)|$")
_SENTENCE_START = re.compile(r"[.!?]\s+(?=[A-ZÀ-ỸĐ0-9])")


@dataclass(frozen=True, slots=True)
class Stretch:
    """What one part of a claim may rest on: a segment that names its own condition, with the passage's segments
    that name none. conditioned is None where only those are meant.

    labels: the label path and the section's title, which govern it; known: their words, the drug's and the
    heading's; words, populations, routes: of the segments and of these.
    """

    block: EvidenceBlock
    conditioned: Segment | None
    general: tuple[Segment, ...]
    labels: Segment
    known: frozenset[str]
    words: frozenset[str]
    populations: frozenset[Population]
    routes: frozenset[Route]

    @property
    def segments(self) -> tuple[Segment, ...]:
        """The segments it consists of."""
        return (self.conditioned, *self.general) if self.conditioned else self.general

    @property
    def numbers(self) -> tuple[NumericToken, ...]:
        """The numeric tokens printed in it or in its labels."""
        return tuple(number for segment in (self.labels, *self.segments) for number in segment.numbers)

    @property
    def text(self) -> str:
        """Its labels and words as printed."""
        return " . ".join(segment.text for segment in (self.labels, *self.segments))


def parts_of(claim_text: str) -> tuple[Segment, ...]:
    """The parts of a claim, each of which must rest whole on one stretch."""
    return segments_of(claim_text)


def is_printed(text: str, block: EvidenceBlock) -> bool:
    """Whether a part is print to the letter: a segment of the passage, or what reaches from the start of a sentence
    (its label may stand before, or be left out) to the end of a clause."""
    typed = text.strip().rstrip(".;")
    for source in (block.text, without_own_label(block)):
        if any(segment.text.strip().rstrip(".;") == typed for segment in segments_of(source)):
            return True
        starts = [0, *(match.end() for match in _SENTENCE_START.finditer(source))]
        for start in starts:
            rest = source[start:]
            if typed and rest.startswith(typed) and _CLAUSE_ENDS.match(rest, len(typed)):
                return True
    return False


def best_first(part: Segment, blocks: Sequence[EvidenceBlock]) -> list[Stretch]:
    """Every stretch of the cited passages, the one most like the part first."""
    stretches = [stretch for block in blocks for stretch in stretches_of(block)]
    return sorted(stretches, key=lambda stretch: -_likeness(part, stretch))


@lru_cache(maxsize=4096)
def stretches_of(block: EvidenceBlock) -> tuple[Stretch, ...]:
    """The stretches of a passage. Its own label at its head is no condition of a segment: it governs all of it."""
    return tuple(_stretches(block))


def _stretches(block: EvidenceBlock) -> Iterator[Stretch]:
    segments = segments_of(without_own_label(block))
    general = tuple(segment for segment in segments if not segment.states_condition)
    for segment in segments:
        if segment.states_condition:
            yield _stretch(block, segment, general)
    if general:
        yield _stretch(block, None, general)


def _stretch(block: EvidenceBlock, conditioned: Segment | None, general: tuple[Segment, ...]) -> Stretch:
    labels = segment_of(" ; ".join((*block.labels, SECTION_FACTS[block.section].title)))
    segments = (conditioned, *general) if conditioned else general
    known = frozenset(words(f"{labels.text} {block.drug.name} {block.section_heading}"))
    return Stretch(
        block=block,
        conditioned=conditioned,
        general=general,
        labels=labels,
        known=known,
        words=known.union(*(segment.words for segment in segments)),
        populations=labels.populations.union(*(segment.populations for segment in segments)),
        routes=labels.routes.union(*(segment.routes for segment in segments)),
    )


def without_own_label(block: EvidenceBlock) -> str:
    """The words of a passage behind the label that it prints at its head."""
    label = block.labels[-1] if block.labels else ""
    text = block.text
    return text[len(label) :].lstrip(" :.") if label and text.startswith(label) else text


def _likeness(part: Segment, stretch: Stretch) -> float:
    printed = {(number.text, number.unit) for number in stretch.numbers}
    numbers = sum((number.text, number.unit) in printed for number in part.numbers)
    own = stretch.conditioned.words if stretch.conditioned else frozenset()
    return 4 * numbers + len(part.words & stretch.words) + 0.5 * len(part.words & own)
