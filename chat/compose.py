"""From an outcome to the stored answer: every path goes through here, so none lacks its disclaimer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.urls import reverse

from chat.blocks import build_blocks
from chat.citing import cite
from chat.compose_findings import compose_findings
from chat.contract import (
    Answer,
    AnswerBlock,
    AnswerPlan,
    Claim,
    EditionRef,
    EvidenceItem,
    Insufficiency,
    ResolvedDrug,
    SectionLink,
    StatusReason,
)
from chat.domain import Decision, EvidenceBlock, QueryFrame, Reason, Stop
from chat.outcomes import OUTCOMES, OutcomeFacts, Status, render
from chat.selection import Selection
from chat.verify import VerifiedClaim
from monographs.disclaimer import NO_EDITION_TITLE, disclaimer
from monographs.domain import BlockKind, DrugRef
from monographs.models import Edition

_WRITTEN = "Câu trả lời do mô hình soạn; từng ý đã được đối chiếu với đoạn sách mà nó dẫn."
_ASKED_BESIDE = "Đã trả lời một phần; phần còn lại cần chọn thêm bên dưới."


@dataclass(frozen=True, slots=True)
class TurnContext:
    """What every answer of a turn carries, whatever its outcome."""

    edition: Edition | None
    trace_id: str
    correlation_id: str = ""
    emergency: str = ""


def compose_answer(
    context: TurnContext,
    frame: QueryFrame | None,
    *,
    claims: Sequence[VerifiedClaim],
    selection: Selection,
    verbatim_of: Mapping[str, str] | None = None,
    plan: AnswerPlan | None = None,
) -> Answer:
    """The answer of an answerable turn: claims first, the display text derived from them.

    verbatim_of: drug and section, where a whole section was chosen to be read; plan: by which a model wrote the claims.
    """
    evidence, ask = selection.evidence, selection.ask
    held = any(block.is_held for block in evidence)
    pending = [render(OUTCOMES[ask.reason].text, ask.detail)] if ask else []
    unknown = [name for name in selection.absent if frame and name in frame.unknown_drugs]
    reason = _reason(selection, unknown, held=held)
    if verbatim_of and reason is Reason.VERIFIED:
        reason = Reason.VERBATIM_SECTION
    numbered = tuple(_claim(claim, evidence) for claim in claims)
    blocks = build_blocks(claims, evidence)
    text = "\n".join(f"{claim.text} {''.join(f'[{index + 1}]' for index in claim.citations)}" for claim in claims)
    refused = selection.refused.detail if selection.refused else {}
    detail = {"terms": ", ".join(unknown), **(verbatim_of or {}), **refused}
    return _answer(context, frame, reason, detail).model_copy(
        update={
            "claims": numbered,
            "evidence": tuple(_evidence_item(block) for block in evidence),
            "blocks": tuple(
                AnswerBlock(
                    kind=block.kind,
                    title=block.title,
                    section=block.section,
                    drug_id=block.drug_id,
                    drug_name=block.drug_name,
                    claims=block.claim_indices,
                )
                for block in blocks
            ),
            "plan": plan or _plan([block.kind for block in blocks], held=held),
            "insufficiency": _insufficiency(selection, pending, held=held),
            "status_reason": _status_reason(reason, selection, unknown),
            "note": selection.note,
            **compose_findings(selection, claims),
            **({"message": _WRITTEN} if plan and reason is Reason.VERIFIED else {}),
            **({"message": _ASKED_BESIDE} if ask and not selection.missing else {}),
            "quick_replies": ask.quick_replies if ask else (),
            "clarifying_question": pending[0] if pending else None,
            "summary": text,
            "answer_text": text,
        }
    )


def compose_stop(
    context: TurnContext,
    frame: QueryFrame | None,
    stop: Stop,
    sections: Sequence[tuple[DrugRef, str, str]] = (),
    *,
    read_instead: Sequence[EvidenceBlock] = (),
) -> Answer:
    """The answer of a turn that a stage stopped. sections: (drug, heading, anchor) that can be read instead;
    read_instead: passages of which an answer was to be made, whose sections are offered first."""
    answer = _answer(context, frame, stop.reason, stop.detail)
    facts = OUTCOMES[stop.reason]
    missing = tuple(frame.unknown_drugs) if frame else ()
    reasons = tuple(f"missing_requested_entity:{name}" for name in missing) or (stop.reason.value,)
    insufficient = facts.status is Status.INSUFFICIENT and facts.decision is not Decision.CLARIFY
    return answer.model_copy(
        update={
            "insufficiency": Insufficiency(reasons=reasons, missing_targets=missing) if insufficient else None,
            "evidence": tuple(_evidence_item(block) for block in stop.evidence),
            "note": stop.note,
            **({"message": stop.message} if stop.message else {}),
            **compose_findings(Selection(stop.evidence, pairs=stop.pairs), ()),
            "quick_replies": stop.quick_replies,
            "clarifying_question": answer.message if facts.decision is Decision.CLARIFY else None,
            "related_sections": _links(sections, read_instead, context.edition),
        }
    )


def _answer(context: TurnContext, frame: QueryFrame | None, reason: Reason, detail: object) -> Answer:
    facts: OutcomeFacts = OUTCOMES[reason]
    values = dict(detail) if isinstance(detail, dict) else {}
    edition = context.edition
    return Answer(
        decision=facts.decision,
        reason=reason,
        status=facts.status,
        status_reason=StatusReason(code=facts.code, verified=facts.decision is Decision.ANSWERABLE),
        query_type=facts.query_type or (frame.turn_type.value if frame else "smalltalk"),
        message=render(facts.text, values),
        next_step=render(facts.next_step, values),
        emergency=context.emergency,
        resolved_drugs=tuple(ResolvedDrug(drug_id=d.drug_id, name=d.name) for d in frame.drugs) if frame else (),
        disclaimer=notice_of(edition),
        edition=edition_ref(edition),
        trace_id=context.trace_id,
        correlation_id=context.correlation_id,
    )


def notice_of(edition: Edition | None) -> str:
    """The disclaimer of an edition, or of there being none."""
    if edition is None:
        return disclaimer(edition_title=NO_EDITION_TITLE, is_sample=False)
    return disclaimer(edition_title=f"{edition.title} ({edition.year})", is_sample=edition.is_sample)


def edition_ref(edition: Edition | None) -> EditionRef | None:
    """An edition, as answers name it."""
    if edition is None:
        return None
    return EditionRef(
        id=edition.pk,
        title=edition.title,
        year=edition.year,
        is_sample=edition.is_sample,
        corpus_version=edition.corpus_version,
    )


def _claim(claim: VerifiedClaim, evidence: Sequence[EvidenceBlock]) -> Claim:
    cited = [evidence[index] for index in claim.citations]
    return Claim(
        target=cited[0].drug.name,
        claim=claim.text,
        support="\n".join(block.text for block in cited),
        citations=tuple(cite(block) for block in cited),
        verbatim=any(claim.text == block.text for block in cited),
    )


def _evidence_item(block: EvidenceBlock) -> EvidenceItem:
    return EvidenceItem(
        chunk_id=block.passage_uid,
        drug_id=block.drug.drug_id,
        section=block.section,
        labels=block.labels,
        text="" if block.is_held else block.text,
        state=block.state,
        kind=block.kind,
        citation=cite(block) if block.printed_page is not None else None,
    )


def _plan(kinds: Sequence[BlockKind], *, held: bool) -> AnswerPlan:
    dosage = BlockKind.DOSAGE in kinds
    return AnswerPlan(
        layout="dosage" if dosage else "bullet_list",
        show_heading=len(kinds) > 1 or dosage,
        needs_warning=held or BlockKind.WARNING in kinds,
    )


def _reason(selection: Selection, unknown: Sequence[str], *, held: bool) -> Reason:
    if selection.refused:
        return selection.refused.reason
    if unknown:
        return Reason.MISSING_REQUESTED_ENTITY
    if selection.absent:
        return Reason.PARTIAL_COMPARISON
    if selection.missing or selection.ask:
        return Reason.PARTIAL_TOPIC_GROUNDING
    return Reason.PARTIAL_QUARANTINED if held else Reason.VERIFIED


def _insufficiency(selection: Selection, pending: Sequence[str], *, held: bool) -> Insufficiency | None:
    reasons = (
        *(["source_quarantined"] if held else []),
        *(["partial_topic_grounding"] if selection.missing or pending else []),
        *(["partial_comparison"] if selection.absent else []),
        *([selection.refused.reason.value] if selection.refused else []),
    )
    topics = (*selection.missing, *pending)
    return Insufficiency(reasons=reasons, missing_targets=selection.absent, missing_topics=topics) if reasons else None


def _status_reason(reason: Reason, selection: Selection, unknown: Sequence[str]) -> StatusReason:
    reasons = (
        *(["partial_topic_grounding"] if selection.missing else []),
        *(f"missing_requested_entity:{name}" for name in unknown),
        *(f"missing_comparison_doc:{name}" for name in selection.absent if name not in unknown),
    )
    return StatusReason(code=OUTCOMES[reason].code, verified=True, verification_reasons=reasons)


def _links(
    sections: Sequence[tuple[DrugRef, str, str]], passages: Sequence[EvidenceBlock], edition: Edition | None
) -> tuple[SectionLink, ...]:
    if edition is None:
        return ()
    places = [(block.drug, block.section_heading, block.section_anchor) for block in passages if block.keyed]
    return tuple(
        SectionLink(label=f"{drug.name} – {heading}", url=reverse("section", args=[drug.drug_id, anchor]))
        for drug, heading, anchor in dict.fromkeys([*places, *sections])
    )
