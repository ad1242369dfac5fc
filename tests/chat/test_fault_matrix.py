"""Every fault of a provider at every call of a turn, over real HTTP: a typed reason, in time, stored, and a way on.

The table is printed, one row a call, one column a fault.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings
from pytest_django.plugin import DjangoDbBlocker

from chat.contract import Answer
from chat.domain import Decision, Reason
from chat.llm.copied_replies import copied_reply
from chat.llm.domain import FAULT_REASONS, Fault, Purpose, Usage
from chat.llm.local_server import LocalBedrock
from chat.llm.local_steps import Seen, Step
from chat.models import Turn, TurnState
from chat.trace import load_trace
from tests.sample_edition import publish_sample

pytestmark = pytest.mark.django_db
# The machine that runs the tests may be busy: what is measured is that no call is waited for longer.
BUDGET_SECONDS, CALL_SECONDS = 10.0, 1.5
FAULTS = (
    Fault.TIMEOUT, Fault.THROTTLED, Fault.REFUSED, Fault.SERVER_ERROR, Fault.MALFORMED, Fault.TRUNCATED,
    Fault.WRONG_SCHEMA, Fault.EMPTY, Fault.GUARDRAIL,
)  # fmt: skip
CONTRAINDICATED = "chống chỉ định của ibuprofen"
INSUFFICIENT = {"claims": [], "evidence_sufficient": False, "clarifying_question": None, "quick_replies": []}
# What a summary and a vector fail to bring costs the turn nothing.
NEEDED = (Purpose.UNDERSTAND, Purpose.DRAFT, Purpose.RETRY, Purpose.JUDGE, Purpose.REPAIR)
NOT_NEEDED = (Purpose.SUMMARY, Purpose.EMBED)


def first_claim_only(seen: Seen) -> Mapping[str, object]:
    """A draft that leaves out all but one claim of those there could be."""
    draft: Any = copied_reply(seen)
    return {**draft, "claims": draft["claims"][:1]}


@dataclass(frozen=True, slots=True)
class Case:
    """How a turn comes to a call: its question, and what is said before."""

    question: str = CONTRAINDICATED
    before: tuple[tuple[Purpose, Step], ...] = ()


CASES = {
    Purpose.UNDERSTAND: Case(),
    Purpose.DRAFT: Case(),
    Purpose.RETRY: Case(before=((Purpose.DRAFT, INSUFFICIENT),)),
    Purpose.JUDGE: Case(),
    Purpose.REPAIR: Case(before=((Purpose.DRAFT, first_claim_only),)),
    Purpose.SUMMARY: Case(),
    Purpose.EMBED: Case("paracetamol có hại gan không"),
}
_UNDERSTANDING = {
    Reason.PROVIDER_UNAVAILABLE: Reason.UNDERSTANDING_PROVIDER_UNAVAILABLE,
    Reason.MALFORMED_OUTPUT: Reason.UNDERSTANDING_MALFORMED_OUTPUT,
}
_TABLE: dict[tuple[Purpose, Fault], str] = {}


@pytest.fixture(scope="module", autouse=True)
def _sample(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """One edition for all of this module's tests, each of which is rolled back."""
    with django_db_blocker.unblock():
        edition = publish_sample()
    yield
    with django_db_blocker.unblock():
        edition.delete()


@pytest.fixture(scope="module", autouse=True)
def _printed(request: pytest.FixtureRequest) -> Iterator[None]:
    """The table, once all cells are known."""
    yield
    capture = request.config.pluginmanager.getplugin("capturemanager")
    with capture.global_and_fixture_disabled():
        print("\n" + "\n".join(table()))


def table() -> Iterator[str]:
    """A row for each call, a column for each fault."""
    width = max(map(len, _TABLE.values()), default=0) + 2
    yield f"{'':12}" + "".join(f"{fault.value:{width}}" for fault in FAULTS)
    for purpose in CASES:
        yield f"{purpose.value:12}" + "".join(f"{_TABLE.get((purpose, fault), '-'):{width}}" for fault in FAULTS)


@pytest.fixture
def bedrock(local_bedrock: LocalBedrock, settings: Settings) -> LocalBedrock:
    """Every part has a model, and little time."""
    for name in ("ANSWER", "UNDERSTANDING", "SUMMARY", "EMBEDDING"):
        setattr(settings, f"{name}_PROVIDER", "bedrock")
    settings.TURN_BUDGET_SECONDS = BUDGET_SECONDS
    settings.BEDROCK_CALL_SECONDS = CALL_SECONDS
    settings.BEDROCK_QUESTION_SECONDS = CALL_SECONDS
    return local_bedrock


def asked(client: Client, purpose: Purpose) -> tuple[Turn, float]:
    """The turn of a question that was asked on the page, and how long its answer took."""
    begun = time.monotonic()
    client.post(reverse("ask"), {"question": CASES[purpose].question})
    return Turn.objects.latest("created_at"), time.monotonic() - begun


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("purpose", list(CASES))
def test_every_fault_at_every_call_ends_well(
    bedrock: LocalBedrock, client: Client, purpose: Purpose, fault: Fault
) -> None:
    for earlier, step in CASES[purpose].before:
        bedrock.script(earlier, step)
    bedrock.script(purpose, fault)
    turn, seconds = asked(client, purpose)
    answer = Answer.model_validate(turn.contract)
    _TABLE[purpose, fault] = f"{answer.reason.value} {seconds:.1f}s"
    assert bedrock.asked_for(purpose), "the call was made"
    assert seconds < BUDGET_SECONDS + 1
    assert turn.state == TurnState.DONE and answer.disclaimer
    page = str(client.get(reverse("turn", args=[turn.pk])).content, "utf-8")
    assert answer.disclaimer in page
    assert is_one_click_from_the_book(page)
    # What does not fit the schema is found by the stage that asked, after the call.
    told = purpose is Purpose.EMBED or fault is not Fault.WRONG_SCHEMA
    assert [call.fault is not None for call in calls_of(turn, purpose)] == [told]
    if purpose in NEEDED:
        assert answer.decision is Decision.ABSTAIN and answer.reason is reason_of(fault, purpose)
        assert not (answer.claims or answer.blocks or answer.answer_text)


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("purpose", NOT_NEEDED)
def test_a_summary_or_a_vector_that_fails_changes_no_claim(
    bedrock: LocalBedrock, client: Client, settings: Settings, purpose: Purpose, fault: Fault
) -> None:
    bedrock.script(purpose, fault)
    faulty = Answer.model_validate(asked(client, purpose)[0].contract)
    settings.EMBEDDING_PROVIDER = settings.SUMMARY_PROVIDER = "disabled"
    plain = Answer.model_validate(asked(client, purpose)[0].contract)
    assert (faulty.decision, faulty.reason, faulty.claims) == (plain.decision, plain.reason, plain.claims)


def reason_of(fault: Fault, purpose: Purpose) -> Reason:
    """Of a question that was not understood it is said that understanding failed."""
    reason = FAULT_REASONS[fault]
    return _UNDERSTANDING[reason] if purpose is Purpose.UNDERSTAND else reason


def is_one_click_from_the_book(page: str) -> bool:
    """Whether a link on the page opens a section of a monograph, or the list of them."""
    return bool(re.search(r'href="/monographs/[^"]', page)) or f'href="{reverse("monograph-list")}"' in page


def calls_of(turn: Turn, purpose: Purpose) -> list[Usage]:
    """What the turn keeps of its calls of this purpose."""
    trace = load_trace(turn.trace)
    assert trace is not None
    return [call for call in trace.calls if call.purpose is purpose]
