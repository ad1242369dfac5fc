"""The deterministic gates: pure functions (claim, cited evidence) → reason or None. All fail closed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from chat.domain import DraftClaim, EvidenceBlock, Reason
from monographs.domain import PassageKind

Gate = Callable[[DraftClaim, Sequence[EvidenceBlock]], Reason | None]


def check_citations(claim: DraftClaim, evidence: Sequence[EvidenceBlock]) -> Reason | None:
    """Every claim cites at least one passage, and only passages that were retrieved."""
    if not claim.citations:
        return Reason.UNCITED_CLAIM
    return None if all(0 <= index < len(evidence) for index in claim.citations) else Reason.INVALID_CITATION


def check_printed_page(claim: DraftClaim, evidence: Sequence[EvidenceBlock]) -> Reason | None:
    """A passage without a printed page cannot be cited."""
    pages = [evidence[index].printed_page for index in claim.citations]
    return Reason.MISSING_PRINTED_PAGE if None in pages else None


def check_quarantine(claim: DraftClaim, evidence: Sequence[EvidenceBlock]) -> Reason | None:
    """No claim is ever made from a passage whose text is held back."""
    cited = [evidence[index] for index in claim.citations]
    held = any(not block.state.shows_text or block.kind is not PassageKind.TEXT for block in cited)
    return Reason.SOURCE_QUARANTINED if held else None


def check_drug(claim: DraftClaim, evidence: Sequence[EvidenceBlock]) -> Reason | None:
    """A claim about a drug cites that drug's own monograph."""
    if claim.drug_id is None:
        return None
    own = all(evidence[index].drug.drug_id == claim.drug_id for index in claim.citations)
    return None if own else Reason.UNSUPPORTED_DRUG


def check_verbatim(claim: DraftClaim, evidence: Sequence[EvidenceBlock]) -> Reason | None:
    """Without a model nothing but the book's own words is shown: the claim is a cited passage, to the letter."""
    return None if any(claim.text == evidence[index].text for index in claim.citations) else Reason.UNSUPPORTED_CLAIM


# Order matters: the later ones take the citations for valid.
EXTRACTIVE_GATES: tuple[Gate, ...] = (
    check_citations,
    check_printed_page,
    check_quarantine,
    check_drug,
    check_verbatim,
)
