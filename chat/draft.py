"""Drafting without a model: claims are the book's own passages, each with its citation."""

from __future__ import annotations

from collections.abc import Sequence

from chat.domain import DraftClaim, EvidenceBlock


def draft_extractive(evidence: Sequence[EvidenceBlock]) -> tuple[DraftClaim, ...]:
    """One claim for each passage whose text may be shown, in the order of the evidence.

    A passage that is only a label states nothing: it stands beside its claims as their label path.
    """
    return tuple(
        DraftClaim(text=block.text, citations=(index,), drug_id=block.drug.drug_id)
        for index, block in enumerate(evidence)
        if not block.is_held and not block.is_label
    )
