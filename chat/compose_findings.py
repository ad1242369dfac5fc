"""What the routes of more than one drug, or of arithmetic, add to the contract; each by its claims and citations."""

from __future__ import annotations

from collections.abc import Sequence

from chat.citing import cite
from chat.contract import CalculationResult, CandidateAssessment, PairAssessment, PairSideAssessment
from chat.domain import Calculation, Candidate, EvidenceBlock, Pair, PairSide
from chat.selection import Selection, is_held
from chat.verify import VerifiedClaim


def compose_findings(selection: Selection, claims: Sequence[VerifiedClaim]) -> dict[str, object]:
    """The fields of the contract for a selection's pairs, candidates and calculation; nothing where it has none."""
    indices = _claims_by_passage(selection, claims)
    found: dict[str, object] = {}
    if selection.pairs:
        found["pairs"] = tuple(_pair(pair, indices) for pair in selection.pairs)
    if selection.candidates:
        found["candidate_assessments"] = tuple(_candidate(candidate) for candidate in selection.candidates)
    if selection.calculation:
        found["calculation"] = _calculation(selection.calculation)
    return found


def _claims_by_passage(selection: Selection, claims: Sequence[VerifiedClaim]) -> dict[int, list[int]]:
    indices: dict[int, list[int]] = {}
    for place, claim in enumerate(claims):
        for citation in claim.citations:
            indices.setdefault(selection.evidence[citation].passage_id, []).append(place)
    return indices


def _pair(pair: Pair, indices: dict[int, list[int]]) -> PairAssessment:
    return PairAssessment(
        first=pair.first,
        second=pair.second,
        status=pair.status,
        sides=tuple(_side(side, indices) for side in pair.sides),
    )


def _side(side: PairSide, indices: dict[int, list[int]]) -> PairSideAssessment:
    return PairSideAssessment(
        reader_id=side.reader.drug_id,
        reader_name=side.reader.name,
        about=side.about,
        status=side.status,
        claims=tuple(sorted({place for block in side.evidence for place in indices.get(block.passage_id, ())})),
        held_back=tuple(cite(block) for block in side.evidence if is_held(block) and _is_citable(block)),
        unread=side.unread,
        by=side.by,
    )


def _candidate(candidate: Candidate) -> CandidateAssessment:
    return CandidateAssessment(
        drug_id=candidate.drug.drug_id,
        drug_name=candidate.drug.name,
        status=candidate.status,
        citations=tuple(cite(block) for block in candidate.evidence if _is_citable(block)),
    )


def _calculation(calculation: Calculation) -> CalculationResult:
    return CalculationResult(
        inputs=calculation.inputs,
        steps=calculation.steps,
        result=calculation.result,
        maximum=calculation.maximum,
        capped=calculation.capped,
        rounding=calculation.rounding,
        citations=tuple(cite(block) for block in calculation.evidence if _is_citable(block)),
    )


def _is_citable(block: EvidenceBlock) -> bool:
    return block.printed_page is not None
