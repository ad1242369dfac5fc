"""Verification: the only place where a draft claim becomes a verified one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from chat.domain import DraftClaim, EvidenceBlock, Reason, Stop
from chat.gates import EXTRACTIVE_GATES, Gate

_KEY = object()


@dataclass(frozen=True, slots=True, init=False)
class VerifiedClaim:
    """A claim that passed every gate; made only by verify_claims."""

    text: str
    citations: tuple[int, ...]
    drug_id: str | None

    def __init__(self, draft: DraftClaim, *, key: object) -> None:
        if key is not _KEY:
            raise TypeError("a verified claim is made by verify_claims only")
        object.__setattr__(self, "text", draft.text)
        object.__setattr__(self, "citations", draft.citations)
        object.__setattr__(self, "drug_id", draft.drug_id)


@dataclass(frozen=True, slots=True)
class Check:
    """What the gates said of a draft; gate, reason: of the first that rejected it, "" and None where none did."""

    draft: DraftClaim
    gate: str = ""
    reason: Reason | None = None


def gate_name(gate: Gate) -> str:
    """The name that a gate has in a trace: "citations" for check_citations."""
    return getattr(gate, "__name__", "").removeprefix("check_")


def verify_claims(
    drafts: Sequence[DraftClaim],
    evidence: Sequence[EvidenceBlock],
    gates: Sequence[Gate] = EXTRACTIVE_GATES,
    *,
    told: Callable[[Check], None] = lambda _check: None,
) -> tuple[VerifiedClaim, ...] | Stop:
    """All claims verified, or the first gate's reason: one bad claim rejects the whole answer.

    told: hears of each draft in its order, up to the rejected one.
    """
    if not drafts:
        return Stop(Reason.INSUFFICIENT_EVIDENCE)
    for draft in drafts:
        check = _check(draft, evidence, gates)
        told(check)
        if check.reason is not None:
            return Stop(check.reason, {"claim": draft.text})
    return tuple(VerifiedClaim(draft, key=_KEY) for draft in drafts)


def _check(draft: DraftClaim, evidence: Sequence[EvidenceBlock], gates: Sequence[Gate]) -> Check:
    for gate in gates:
        reason = gate(draft, evidence)
        if reason is not None:
            return Check(draft, gate_name(gate), reason)
    return Check(draft)
