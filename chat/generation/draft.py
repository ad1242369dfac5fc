"""Drafting with a model: claims over the decided evidence, a question back, or why there is neither."""

from __future__ import annotations

from collections.abc import Sequence

from chat.domain import DraftClaim, Reason, Stop
from chat.generation.asking_back import ask_back, states_silence
from chat.generation.bounds import MARKERS
from chat.generation.completeness import Objection
from chat.generation.payloads import ClaimPayload, DraftPayload, read_payload
from chat.generation.plan import asks_all
from chat.generation.prompts import draft_prompt, repair_prompt
from chat.generation.writing import Writing
from chat.llm.domain import Budget, Fault, LanguageModel, ModelError, Prompt, Purpose

# That a model found too little is no silence of the book.
NOT_ENOUGH = "Mô hình cho rằng các đoạn đã chọn chưa đủ để trả lời; sách có thể vẫn nêu điều này."


def write_draft(writing: Writing, model: LanguageModel, budget: Budget) -> tuple[DraftClaim, ...] | Stop:
    """The claims of a draft, which nobody has checked; or a question back, or the reason why there is no draft.

    A draft that finds the evidence insufficient and asks nothing is asked for once more, with the identical prompt; so
    is one that would narrow a question for everything.
    """
    if not writing.sources:
        return Stop(Reason.INSUFFICIENT_EVIDENCE)
    try:
        drafted = _ask(draft_prompt(writing), writing, model, budget)
        if _says_nothing(drafted, writing):
            drafted = _ask(draft_prompt(writing, Purpose.RETRY), writing, model, budget)
    except ModelError as error:
        return Stop(error.reason)
    if _says_nothing(drafted, writing):
        return Stop(Reason.INSUFFICIENT_EVIDENCE, message=NOT_ENOUGH)
    if drafted.clarifying_question is not None:
        return ask_back(drafted.clarifying_question, drafted.quick_replies, writing)
    return _claims(drafted, writing)


def repair_draft(
    writing: Writing, objections: Sequence[Objection], model: LanguageModel, budget: Budget
) -> tuple[DraftClaim, ...] | Stop:
    """The claims of the one repair, told what was missing."""
    try:
        drafted = _ask(repair_prompt(writing, objections), writing, model, budget)
    except ModelError as error:
        return Stop(error.reason)
    incomplete = drafted.clarifying_question is not None or _says_nothing(drafted, writing)
    return Stop(Reason.INCOMPLETE_ANSWER) if incomplete else _claims(drafted, writing)


def _ask(prompt: Prompt, writing: Writing, model: LanguageModel, budget: Budget) -> DraftPayload:
    drafted = read_payload(DraftPayload, model.ask(prompt, budget).payload)
    if writing.is_list and any(claim.drug_id is None for claim in drafted.claims):
        raise ModelError(Fault.WRONG_SCHEMA, "a claim of a list without its drug")
    if not all(_without_own_markers(claim) for claim in drafted.claims):
        raise ModelError(Fault.WRONG_SCHEMA, "a claim that is nothing but a marker")
    return drafted


def _says_nothing(drafted: DraftPayload, writing: Writing) -> bool:
    if drafted.clarifying_question is None:
        return not (drafted.evidence_sufficient and drafted.claims)
    return asks_all(writing) and not states_silence(drafted.clarifying_question)


def _claims(drafted: DraftPayload, writing: Writing) -> tuple[DraftClaim, ...]:
    return tuple(_claim(claim, writing) for claim in drafted.claims)


def _claim(claim: ClaimPayload, writing: Writing) -> DraftClaim:
    """A number that no source has becomes an index outside the evidence, which the citation gate rejects."""
    sources = dict(enumerate(writing.sources, start=1))
    outside = len(writing.evidence)
    citations = tuple(dict.fromkeys(sources.get(number, outside) for number in claim.citations))
    return DraftClaim(_without_own_markers(claim), citations, claim.drug_id)


def _without_own_markers(claim: ClaimPayload) -> str:
    """The text without the markers at its end that only repeat its citations; others are left for the gates."""
    text = claim.text
    while (last := _last_marker(text)) and {int(number) for number in last.split(",")} <= set(claim.citations):
        text = text[: text.rindex("[")].rstrip()
    return text


def _last_marker(text: str) -> str:
    """ "1,2" for a text that ends in "[1, 2]", full stop or not; "" for any other."""
    found = list(MARKERS.finditer(text))
    if not found or text[found[-1].end() :].strip(" ."):
        return ""
    inside = found[-1].group().strip(" []").replace(";", ",").replace(" ", "")
    return inside if all(part.isdecimal() for part in inside.split(",")) else ""
