"""The least that an answer must tell, read from the evidence without a model: doses whole, warnings, every drug.

What is decided on is already narrow: a passage of a dose belongs to the branch that the question selects, one that
warns was asked for or is about this patient. Leaving either out is a wrong answer, whatever a judge says of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from chat.alignment import without_own_label
from chat.bands import bands_of
from chat.branches import AGE_GROUPS
from chat.domain import DraftClaim, EvidenceBlock, QueryFrame
from chat.fitting import band_fits, population_fits, route_fits
from chat.gate_words import gate_words
from chat.generation.writing import Writing
from chat.segments import CONDITION_UNITS, Segment, segment_of, segments_of
from monographs.domain import SECTION_FACTS, BlockKind, SectionKey

# How much of what a sentence says in words must be told.
LEAST_TOLD = 0.5


def untold_words(claims: Sequence[DraftClaim], writing: Writing) -> Iterator[tuple[int, str]]:
    """(index in the evidence, words as printed) of what must be told and is not, in the evidence's order."""
    for index in writing.sources:
        block = writing.evidence[index]
        told = segment_of(" ; ".join(claim.text for claim in claims if index in claim.citations))
        if must_be_told(block):
            yield from ((index, segment.text) for segment in _untold(block, told, writing.frame))
    yield from _untold_drugs(claims, writing)


def must_be_told(block: EvidenceBlock) -> bool:
    """Whether a passage is part of a dose or warns, by its section."""
    return SECTION_FACTS[block.section].block in {BlockKind.DOSAGE, BlockKind.WARNING}


def _untold(block: EvidenceBlock, told: Segment, frame: QueryFrame) -> list[Segment]:
    """Of a passage's segments for this patient those that are not told; all of it, where nothing of it is."""
    segments = [s for s in segments_of(without_own_label(block)) if s.text.strip() and _is_for(s, frame)]
    if not any(_tells_words(told, segment) for segment in segments):
        return segments
    return [segment for segment in segments if not _tells(told, segment, block)]


def _tells(told: Segment, segment: Segment, block: EvidenceBlock) -> bool:
    if SECTION_FACTS[block.section].block is BlockKind.DOSAGE and not _tells_amounts(told, segment):
        return False
    forbids = block.section is SectionKey.CHONG_CHI_DINH or bool(segment.words & gate_words("negations"))
    return not forbids or _tells_words(told, segment)


def _tells_amounts(told: Segment, segment: Segment) -> bool:
    """Every amount, interval and maximum; not the values that only say for whom they are."""
    amounts = {(n.text, n.unit, n.bound) for n in segment.numbers if n.unit not in CONDITION_UNITS}
    return amounts <= {(n.text, n.unit, n.bound) for n in told.numbers}


def _tells_words(told: Segment, segment: Segment) -> bool:
    content = _content(segment)
    return len(content & told.words) >= LEAST_TOLD * len(content)


def _content(segment: Segment) -> frozenset[str]:
    return frozenset(word for word in segment.words if not word[0].isdigit()) - gate_words("connectives")


def _is_for(segment: Segment, frame: QueryFrame) -> bool:
    """Whether a segment's own condition leaves the patient in, where both are known; a survey leaves no one out."""
    if frame.section_overview:
        return True
    bands = bands_of(segment.text)
    return (
        population_fits(segment.populations & AGE_GROUPS, frame)
        and route_fits(segment.routes, frame)
        and all(band_fits(band, bands, frame) for band in bands)
    )


def _untold_drugs(claims: Sequence[DraftClaim], writing: Writing) -> Iterator[tuple[int, str]]:
    """Of a list, each drug of which no claim speaks, by its first passage."""
    if not writing.is_list:
        return
    told = {writing.evidence[index].drug.drug_id for claim in claims for index in claim.citations}
    for drug_id in writing.drug_ids:
        if drug_id not in told:
            index = next(i for i in writing.sources if writing.evidence[i].drug.drug_id == drug_id)
            yield index, writing.evidence[index].text
