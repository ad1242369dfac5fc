"""Blocks: verified claims grouped by the section they cite; titles and kinds come from the section key."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from chat.domain import Block, EvidenceBlock
from chat.verify import VerifiedClaim
from monographs.domain import SECTION_FACTS, SectionKey


def build_blocks(claims: Sequence[VerifiedClaim], evidence: Sequence[EvidenceBlock]) -> tuple[Block, ...]:
    """One block for each run of claims that cite the same section of the same drug."""
    sources = [evidence[claim.citations[0]] for claim in claims]
    runs = groupby(range(len(claims)), key=lambda index: _place(sources[index]))
    return tuple(_block(sources, tuple(indices)) for _, indices in runs)


def _place(block: EvidenceBlock) -> tuple[str, SectionKey, str]:
    """Where a claim belongs: to a section, or to a heading of an appendix."""
    return block.drug.drug_id, block.section, "" if block.keyed else block.section_heading


def _block(sources: Sequence[EvidenceBlock], indices: tuple[int, ...]) -> Block:
    first = sources[indices[0]]
    facts = SECTION_FACTS[first.section]
    title = facts.title if first.keyed else first.section_heading
    return Block(facts.block, title, first.section, first.drug.drug_id, first.drug.name, indices)
