"""The optional summary: a model may reword what is shown first of a locked answer, and nothing else of it.

The gates run in the order of the answer policy (seed answer-policy-ko, "six gates"), then come the gates of every
generated claim, then what a summary may not leave out. Whatever fails keeps the text derived from the claims.
"""

from __future__ import annotations

import logging
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict, ValidationError

from chat.contract import Answer, Claim, SummarySentence, SummaryStatus
from chat.domain import Decision, DraftClaim, EvidenceBlock, Reason, Stop
from chat.generation.bounds import gates_of
from chat.generation.writing import Writing
from chat.llm.domain import Budget, Fault, LanguageModel, ModelError, Prompt, Purpose
from chat.numbers import Bound, NumericToken, numeric_tokens
from chat.prompting import fence, fill_prompt, prompt_version, read_prompt
from chat.segments import CONDITION_UNITS, segments_of
from chat.verify import verify_claims
from monographs.domain import BlockKind
from monographs.text import normalise

log = logging.getLogger(__name__)
DISABLED = "disabled"
PROMPTS = ("summary", "summary_input", "untrusted")
HEAD = 80  # characters kept of what a provider or a model wrote into a reason


@dataclass(frozen=True, slots=True)
class Summariser:
    """Who writes summaries. backend: as configured; models: those there are, by the name of their backend."""

    backend: str = DISABLED
    models: Mapping[str, LanguageModel] = field(default_factory=dict)


def summarise(answer: Answer, writing: Writing, *, by: Summariser, budget: Budget) -> Answer:
    """The answer with a summary of a model in summary and answer_text, or with the reason why it has none.

    writing: what the answer was composed from. Claims, citations and all the rest are never touched; questions back,
    abstentions and pictures are returned as they are.
    """
    if by.backend == DISABLED or answer.decision is not Decision.ANSWERABLE:
        return answer
    found = _written(answer, writing, by, budget)
    if isinstance(found, str):
        kept = SummaryStatus(provider=by.backend[:HEAD], used=False, fallback_reason=found)
        return answer.model_copy(update={"summary_status": kept})
    text = _with_markers(found, answer)
    used = SummaryStatus(provider=by.backend, used=True, sentences=found)
    return answer.model_copy(update={"summary": text, "answer_text": text, "summary_status": used})


# --- the call --------------------------------------------------------------------------------------------------


class _Sentence(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    text: str
    used_chunk_ids: list[str]


class _Payload(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    sentences: list[_Sentence]


def summary_schema() -> dict[str, object]:
    """The JSON schema of what is asked for, the same for every answer, so that a provider compiles it once."""
    cited = {"type": "array", "items": {"type": "string"}}
    sentence = {
        "type": "object",
        "properties": {"text": {"type": "string"}, "used_chunk_ids": cited},
        "required": ["text", "used_chunk_ids"],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {"sentences": {"type": "array", "items": sentence}},
        "required": ["sentences"],
        "additionalProperties": False,
    }


def summary_prompt(answer: Answer, question: str) -> Prompt:
    """What the model is told of a locked answer."""
    claims = "\n".join(fence("DOAN", _told(claim)) for claim in answer.claims)
    return Prompt(
        Purpose.SUMMARY,
        prompt_version(*PROMPTS),
        f"{read_prompt('summary')}\n\n{read_prompt('untrusted')}",
        fill_prompt("summary_input", question=fence("CAU_HOI", question), claims=claims),
        summary_schema(),
    )


def _told(claim: Claim) -> str:
    """A claim under the metadata of its passages, a line each, which no name and no label can add to."""
    heads = (
        f"mã: {citation.chunk_id}; thuốc: {normalise(citation.drug_name)}; mục: {normalise(citation.section_heading)}"
        f"; nhãn: {normalise(' › '.join(citation.labels)) or 'không có'}"
        for citation in claim.citations
    )
    return "\n".join([*(f"({head})" for head in heads), claim.claim])


def _written(answer: Answer, writing: Writing, by: Summariser, budget: Budget) -> tuple[SummarySentence, ...] | str:
    """The sentences, or the reason of the first gate that they do not pass."""
    model = by.models.get(by.backend)
    if model is None:
        return f"unknown_backend:{_head(by.backend)}"
    if not answer.evidence:
        return "no_evidence_chunks"
    try:
        payload = _asked(model, summary_prompt(answer, writing.question), budget)
    except Exception as error:
        # A summary is an addition: whatever goes wrong with it, the answer stands.
        log.warning("summary_failed error=%s", _head(str(error)))
        return f"backend_error:{type(error).__name__}:{_message(error)}"
    reasons = (gate(payload, answer, writing) for gate in GATES)
    reason = next((reason for reason in reasons if reason is not None), None)
    return reason if reason is not None else _sentences(payload)


def _asked(model: LanguageModel, prompt: Prompt, budget: Budget) -> _Payload:
    budget.need()
    reply = model.ask(prompt, budget)
    try:
        return _Payload.model_validate(reply.payload)
    except ValidationError as error:
        raise ModelError(Fault.WRONG_SCHEMA, f"{error.error_count()} errors", reply.usage) from error


def _message(error: Exception) -> str:
    """For the contract: a fault's name and not its detail, which may tell of the provider's innards."""
    return str(error.fault) if isinstance(error, ModelError) else _head(str(error))


def _head(text: str) -> str:
    """The start of a foreign text on one line, without characters that cannot be seen."""
    seen = "".join(" " if unicodedata.category(sign)[0] in "CZ" else sign for sign in text)
    return " ".join(seen.split())[:HEAD]


def _sentences(payload: _Payload) -> tuple[SummarySentence, ...]:
    return tuple(
        SummarySentence(text=" ".join(said.text.split()), chunk_ids=tuple(dict.fromkeys(said.used_chunk_ids)))
        for said in payload.sentences
    )


def _with_markers(sentences: Sequence[SummarySentence], answer: Answer) -> str:
    """As the text that is derived from claims: a line each, with the places of its passages in the evidence."""
    place = {item.chunk_id: number for number, item in enumerate(answer.evidence, start=1)}
    return "\n".join(f"{said.text} {''.join(f'[{place[key]}]' for key in said.chunk_ids)}" for said in sentences)


# --- the gates -------------------------------------------------------------------------------------------------

Gate = Callable[[_Payload, Answer, Writing], str | None]


def check_not_empty(payload: _Payload, _answer: Answer, _writing: Writing) -> str | None:
    """There are sentences, and each says something."""
    said = [sentence.text.strip() for sentence in payload.sentences]
    return None if said and all(said) else "empty_summary"


def check_authorized(payload: _Payload, answer: Answer, _writing: Writing) -> str | None:
    """Every passage that is cited was retrieved."""
    foreign = _used_ids(payload) - {item.chunk_id for item in answer.evidence}
    return f"unauthorized_chunk_ids:{_heads(foreign)}" if foreign else None


def check_claimed(payload: _Payload, answer: Answer, _writing: Writing) -> str | None:
    """Every passage that is cited is cited by a claim as well."""
    outside = _used_ids(payload) - set(_claimed_ids(answer))
    return f"chunks_outside_claims:{_heads(outside)}" if outside else None


def check_sentences(payload: _Payload, _answer: Answer, writing: Writing) -> str | None:
    """Every sentence passes whatever a generated claim passes."""
    drafts = [_draft(said, writing.evidence) for said in payload.sentences]
    checked = verify_claims(drafts, writing.evidence, gates_of(writing))
    return checked.reason.value if isinstance(checked, Stop) else None


def check_warnings_kept(payload: _Payload, answer: Answer, _writing: Writing) -> str | None:
    """Of every block of warnings at least one passage is told: a summary is what is read first."""
    used = _used_ids(payload)
    for block in answer.blocks:
        if block.kind is BlockKind.WARNING and not used & set(_cited(answer.claims[index] for index in block.claims)):
            return Reason.INCOMPLETE_ANSWER.value
    return None


def check_limits_kept(payload: _Payload, _answer: Answer, writing: Writing) -> str | None:
    """Where an amount of a segment of print is told, so is the most that the segment allows."""
    for block in writing.evidence:
        texts = [said.text for said in payload.sentences if block.passage_uid in said.used_chunk_ids]
        told = {_key(number) for text in texts for number in _amounts(text)}
        for segment in segments_of(block.text) if told else ():
            printed = _amounts(segment.text)
            limits = {_key(number) for number in printed if number.bound is Bound.UPPER}
            if told & {_key(number) for number in printed} and not limits <= told:
                return Reason.INCOMPLETE_ANSWER.value
    return None


GATES: tuple[Gate, ...] = (
    check_not_empty,
    check_authorized,
    check_claimed,
    check_sentences,
    check_warnings_kept,
    check_limits_kept,
)


def _draft(said: _Sentence, evidence: Sequence[EvidenceBlock]) -> DraftClaim:
    cited = tuple(index for index, block in enumerate(evidence) if block.passage_uid in said.used_chunk_ids)
    drugs = {evidence[index].drug.drug_id for index in cited}
    return DraftClaim(said.text, cited, drugs.pop() if len(drugs) == 1 else None)


def _used_ids(payload: _Payload) -> set[str]:
    return {key for said in payload.sentences for key in said.used_chunk_ids}


def _claimed_ids(answer: Answer) -> list[str]:
    return _cited(answer.claims)


def _cited(claims: Iterable[Claim]) -> list[str]:
    return list(dict.fromkeys(citation.chunk_id for claim in claims for citation in claim.citations))


def _heads(ids: set[str]) -> str:
    return _head(", ".join(sorted(ids)))


def _amounts(text: str) -> list[NumericToken]:
    return [number for number in numeric_tokens(text) if number.unit and number.unit not in CONDITION_UNITS]


def _key(number: NumericToken) -> tuple[str, str]:
    return number.text, number.unit
