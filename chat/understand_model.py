"""The understander that asks a model: the rules read the question first, and the model's frame is laid over theirs."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from chat.domain import POPULATION_TITLES, ROUTE_TITLES, Population, QueryFrame, Reason, TurnType
from chat.frame_overlay import Overlay, lay_over
from chat.frame_payload import frame_schema, plain_text
from chat.frame_validation import MalformedFrame, read_payload, storable
from chat.llm.domain import Budget, Fault, LanguageModel, ModelError, Prompt, Purpose
from chat.name_candidates import Candidates, find_candidates, kept_lines
from chat.prompting import fence, fill_prompt, prompt_version, read_prompt
from chat.understand import understand
from monographs.domain import SECTION_FACTS, DrugRef
from monographs.names import Corpus
from monographs.text import normalise

log = logging.getLogger(__name__)
PROMPTS = ("understand", "understand_turn", "sections", "untrusted")
CANDIDATES, FACTS, HISTORY, QUESTION = "THUOC_UNG_VIEN", "DA_BIET", "DONG_TRUOC", "CAU_HOI"
NONE, ALIKE = "(không có)", "gần giống"
SYSTEM_ERRORS = {
    Reason.PROVIDER_UNAVAILABLE: Reason.UNDERSTANDING_PROVIDER_UNAVAILABLE,
    Reason.MALFORMED_OUTPUT: Reason.UNDERSTANDING_MALFORMED_OUTPUT,
    Reason.REQUEST_BUDGET_EXHAUSTED: Reason.REQUEST_BUDGET_EXHAUSTED,
}


class Understander(Protocol):
    """From a question to its frame. understand() is one; so is understand_with_model() with all but these given."""

    def __call__(self, question: str, corpus: Corpus) -> QueryFrame:
        """question: cleaned and masked text."""


def understand_with_model(
    question: str,
    corpus: Corpus,
    *,
    model: LanguageModel,
    budget: Budget,
    before: QueryFrame | None = None,
    history: Sequence[str] = (),
) -> QueryFrame:
    """The frame of one question, not yet rewritten and not yet merged with the case before it.

    before: the frame of the case before; history: the questions before this one, oldest first, masked. A call that
    brings nothing gives a frame with a system_error, and never the rules' frame in its place. Where harm is told the
    rules decide all of it, and no emergency waits for a provider; courtesies need no model either.
    """
    rules = understand(question, corpus)
    if rules.harm or rules.turn_type is TurnType.SMALLTALK:
        return rules
    names = find_candidates(str(rules.standalone_query), history, before, corpus)
    prompt = prompt_of(question, names, before, history)
    try:
        payload = model.ask(prompt, budget).payload
        said = read_payload(payload, names.shown)
    except ModelError as error:
        return _failed(rules, SYSTEM_ERRORS[error.reason], error.fault, error.detail)
    except MalformedFrame as error:
        return _failed(rules, Reason.UNDERSTANDING_MALFORMED_OUTPUT, Fault.WRONG_SCHEMA, str(error))
    found = lay_over(Overlay(rules, said, before, names, corpus))
    kept = {"understander": "model", "said": storable(payload), "shown": list(names.shown), "prompt": prompt.version}
    return replace(found, raw={**rules.raw, **kept})


def _failed(rules: QueryFrame, reason: Reason, fault: Fault, detail: str) -> QueryFrame:
    """The frame of a question that nobody understood: it ends the turn, and asks nothing."""
    log.warning("understanding_failed", extra={"fault": str(fault), "detail": detail})
    raw = {**rules.raw, "understander": "model", "fault": str(fault)}
    return replace(rules, system_error=reason, needs_clarify=None, quick_replies=(), raw=raw)


# --- what the model is told ------------------------------------------------------------------------------------


def prompt_of(question: str, names: Candidates, before: QueryFrame | None, history: Sequence[str]) -> Prompt:
    """The prompt of one question. Whatever was typed, printed or understood before is fenced as data."""
    user = fill_prompt(
        "understand_turn",
        candidates=fence(CANDIDATES, _lines(_candidate_rows(names))),
        facts=fence(FACTS, _lines(_fact_rows(before))),
        history=fence(HISTORY, _lines(kept_lines(history))),
        question=fence(QUESTION, question),
    )
    return Prompt(Purpose.UNDERSTAND, prompt_version(*PROMPTS), _system(), user, frame_schema())


def section_glosses() -> dict[str, str]:
    """What each section answers, by its key, as the model is told."""
    rows = (line.partition(":") for line in read_prompt("sections").splitlines())
    return {key.strip(): gloss.strip() for key, _, gloss in rows}


def _system() -> str:
    return f"{fill_prompt('understand', sections=read_prompt('sections'))}\n\n{read_prompt('untrusted')}"


def _lines(rows: Sequence[str] | Iterator[str]) -> str:
    return "\n".join(rows) or NONE


def _candidate_rows(names: Candidates) -> Iterator[str]:
    """drug_id, the drug's own name, and what was typed for it; by tabs."""
    exact = {drug.drug_id for drug in (*names.asked, *names.before)}
    for drug_id, drug in names.shown.items():
        typed = _typed_otherwise(drug, names.typed) if drug_id in exact else ALIKE
        yield "\t".join(filter(None, map(plain_text, (drug_id, drug.name, typed))))


def _typed_otherwise(drug: DrugRef, typed: Mapping[str, tuple[str, ...]]) -> str:
    own = normalise(drug.name).lower()
    return ", ".join(name for name in typed.get(drug.drug_id, ()) if name.lower() != own)


def _fact_rows(before: QueryFrame | None) -> Iterator[str]:
    """What the case before established, one fact a line: what it is, a tab, and its value."""
    if before is None:
        return
    populations = [POPULATION_TITLES[one] for one in Population if one in before.populations]
    sections = [SECTION_FACTS[key].title for key in (before.attribute, *before.also) if key]
    facts = {
        "thuốc": ", ".join(drug.drug_id for drug in before.drugs),
        "tên chưa rõ": ", ".join(before.unknown_drugs),
        "loại câu hỏi": before.turn_type.value,
        "mục": ", ".join(sections),
        "đối tượng": ", ".join(populations),
        "tuổi": before.age_text or "",
        "cân nặng (kg)": str(before.weight_kg or ""),
        "độ thanh thải (ml/phút)": str(before.clearance_ml_min or ""),
        "đường dùng": ROUTE_TITLES[before.route] if before.route else "",
        "dị ứng": ", ".join(before.allergies),
        "thuốc đang dùng": ", ".join(drug.drug_id for drug in before.medicines),
    }
    yield from (f"{name}\t{plain_text(value)}" for name, value in facts.items() if value)
