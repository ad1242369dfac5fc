"""Where a model's answer comes to nothing, the sections of the book are one click away: for every reason and route."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from chat.answer import answer_question
from chat.contract import Answer
from chat.domain import Decision, Reason
from chat.llm.domain import Fault, Prompt, Purpose
from chat.ways import Ways
from tests.fakes import ScriptedModel
from tests.sample_edition import publish_sample

pytestmark = pytest.mark.django_db
Payload = Mapping[str, object]
# One for each route that a model writes for, with the drugs whose sections must be offered.
QUESTIONS = {
    "chống chỉ định ibuprofen": {"ibuprofen"},
    "liều paracetamol người lớn đường uống": {"paracetamol"},
    "so sánh chống chỉ định của ibuprofen và warfarin": {"ibuprofen", "warfarin"},
    "warfarin với ibuprofen": {"ibuprofen", "warfarin"},
}


@pytest.fixture(autouse=True)
def data_dir(settings: Settings, tmp_path: Path) -> None:
    settings.DUOCTHU_DATA_DIR = tmp_path


def draft(text: str, *, drug_id: str | None = None, citation: int = 1) -> Payload:
    claim = {"text": text, "citations": [citation], "drug_id": drug_id}
    return {"claims": [claim], "evidence_sufficient": True, "clarifying_question": None, "quick_replies": []}


def lying(text: str, citation: int = 1) -> Callable[[Prompt], Payload]:
    """A draft of one claim; about the first drug that is allowed, where one must be named."""

    def answer(prompt: Prompt) -> Payload:
        allowed = re.search(r"^- ([a-z0-9_]+)$", prompt.user, re.MULTILINE)
        return draft(text, drug_id=allowed.group(1) if allowed else None, citation=citation)

    return answer


INSUFFICIENT: Payload = {
    "claims": [],
    "evidence_sufficient": False,
    "clarifying_question": None,
    "quick_replies": [],
}
FAILURES: dict[str, object] = {
    **{fault.value: fault for fault in Fault},
    "insufficient": INSUFFICIENT,
    "an invented number": lying("Uống 77 thùng mỗi giờ."),
    "an invented indication": lying("Chữa khỏi ung thư."),
    "a citation outside": lying("Quá mẫn.", citation=99),
    "wrong schema": {"claims": "không"},
}


def failed(question: str, failure: object) -> Answer:
    script = {Purpose.DRAFT: failure, Purpose.RETRY: failure, Purpose.REPAIR: failure, Purpose.JUDGE: Fault.TIMEOUT}
    model = ScriptedModel(script)  # type: ignore[arg-type]
    return answer_question(question, trace_id="t", ways=Ways(writer=model)).answer


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_failure_of_a_draft_offers_the_sections_of_every_drug(client: Client, question: str) -> None:
    publish_sample()
    reasons = set()
    for name, failure in FAILURES.items():
        answer = failed(question, failure)
        assert (answer.decision, answer.claims) == (Decision.ABSTAIN, ()), name
        offered = {link.url.split("/")[2] for link in answer.related_sections}
        assert QUESTIONS[question] <= offered, name
        assert len({link.url for link in answer.related_sections}) == len(answer.related_sections), name
        assert client.get(answer.related_sections[0].url).status_code == 200
        reasons.add(answer.reason)
    assert {
        Reason.PROVIDER_UNAVAILABLE,
        Reason.MALFORMED_OUTPUT,
        Reason.REQUEST_BUDGET_EXHAUSTED,
        Reason.INSUFFICIENT_EVIDENCE,
    } <= reasons


@pytest.mark.parametrize("fault", list(Fault))
@pytest.mark.parametrize("question", ["chống chỉ định ibuprofen", "warfarin với ibuprofen"])
def test_so_does_an_understander_that_fails_where_the_question_names_a_drug(question: str, fault: Fault) -> None:
    publish_sample()
    model = ScriptedModel({Purpose.UNDERSTAND: fault})
    answer = answer_question(question, trace_id="t", ways=Ways(understander=model)).answer
    assert answer.decision is Decision.ABSTAIN
    assert QUESTIONS[question] <= {link.url.split("/")[2] for link in answer.related_sections}
