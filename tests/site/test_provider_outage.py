"""A provider that is down for an hour: a breaker spares everybody the wait, all is said as it is, and it ends."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import cycle

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from chat import ways
from chat.contract import Answer
from chat.domain import Decision, Reason
from chat.llm.bedrock import BedrockModel, Options
from chat.llm.breaker import BreakerRule, WithBreaker
from chat.llm.domain import Fault, Purpose
from chat.llm.local_server import LocalBedrock
from chat.models import ProviderBreaker, Turn, TurnState
from chat.trace import load_trace
from monographs.bedrock import Service, client_of, current_place
from monographs.models import Section
from tests.local_bedrock import ANSWER
from tests.sample_edition import publish_sample

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

FAULTS, PAUSE = 3, timedelta(seconds=60)
HOUR, EVERY = timedelta(hours=1), timedelta(seconds=25)
QUESTION = "Chống chỉ định của ibuprofen?"
LOOKED_AT = 10  # every so many turns, the page too


@dataclass(slots=True)
class Clock:
    """Stands still until it is moved."""

    now: datetime = field(default_factory=lambda: datetime(2026, 11, 30, tzinfo=UTC))

    def __call__(self) -> datetime:
        return self.now

    def moments(self, length: timedelta) -> Iterator[datetime]:
        """Passes through so long a time, stopping again and again."""
        end = self.now + length
        while self.now < end:
            yield self.now
            self.now += EVERY


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def bedrock(
    local_bedrock: LocalBedrock, settings: Settings, monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> LocalBedrock:
    """Questions are answered by a model behind a breaker that goes by the clock of the test."""
    publish_sample()
    settings.ANSWER_PROVIDER = "bedrock"
    settings.TURN_BUDGET_SECONDS = 10.0
    options = Options(models=dict.fromkeys(Purpose, ANSWER), longest=5.0)
    model = BedrockModel(client_of(Service.RUNTIME, current_place()), options)
    rule = BreakerRule(FAULTS, PAUSE, timedelta(seconds=60), now=clock)
    guarded = WithBreaker(model, name_of=lambda _prompt: ANSWER, rule=rule)
    monkeypatch.setattr(ways, "language_model", lambda: guarded)
    return local_bedrock


def ask(client: Client) -> Turn:
    """A question on the page; its turn, which has ended."""
    client.post(reverse("ask"), {"question": QUESTION})
    turn = Turn.objects.latest("created_at")
    assert turn.state == TurnState.DONE
    return turn


def fault_of(turn: Turn) -> Fault | None:
    """What became of the draft."""
    trace = load_trace(turn.trace)
    assert trace is not None
    (draft,) = [call for call in trace.calls if call.purpose is Purpose.DRAFT]
    return draft.fault


def assert_told(client: Client, turn: Turn) -> None:
    """The page says that the model cannot be reached, and leads to the book."""
    answer = Answer.model_validate(turn.contract)
    assert (answer.decision, answer.reason) == (Decision.ABSTAIN, Reason.PROVIDER_UNAVAILABLE)
    assert answer.disclaimer and not (answer.claims or answer.answer_text)
    page = client.get(reverse("turn", args=[turn.pk])).content.decode()
    assert answer.disclaimer in page
    assert re.search(r'href="/monographs/ibuprofen/', page)


def test_an_hour_without_the_provider(bedrock: LocalBedrock, client: Client, clock: Clock) -> None:
    bedrock.script(Purpose.DRAFT, Fault.SERVER_ERROR)
    seen, pages = Counter[Fault | None](), cycle(["/monographs/", "/monographs/ibuprofen/", "/read/?drug=ibuprofen"])
    for number, _ in enumerate(clock.moments(HOUR)):
        turn = ask(client)
        seen[fault_of(turn)] += 1
        if number % LOOKED_AT == 0:
            assert_told(client, turn)
            assert client.get(next(pages)).status_code == 200
    # Faults in a row, then one trial after each pause: nobody else waits for what does not come.
    assert seen.keys() == {Fault.SERVER_ERROR, Fault.BREAKER_OPEN}
    assert FAULTS < seen[Fault.SERVER_ERROR] <= FAULTS + HOUR / PAUSE
    assert ProviderBreaker.objects.get().opened_at is not None
    bedrock.script(Purpose.DRAFT)
    answered = [fault_of(ask(client)) for _ in clock.moments(3 * PAUSE)]
    first = answered.index(None)
    assert first * EVERY <= PAUSE + EVERY, "closed by itself within a pause"
    assert set(answered[first:]) == {None}
    breaker = ProviderBreaker.objects.get()
    assert (breaker.opened_at, breaker.faults, breaker.trial_until) == (None, 0, None)
    answer = Answer.model_validate(ask(client).contract)
    assert answer.decision is Decision.ANSWERABLE and answer.claims


def test_what_asks_no_model_answers_as_ever_meanwhile(bedrock: LocalBedrock, client: Client) -> None:
    bedrock.script(Purpose.DRAFT, Fault.SERVER_ERROR)
    for _ in range(FAULTS + 1):
        ask(client)
    asked = len(bedrock.seen)
    section = Section.objects.get(monograph__slug="ibuprofen", key="chong_chi_dinh")
    read = client.post("/read/section/", {"drug": "ibuprofen", "section": section.anchor})
    assert read.status_code == 302
    answer = Answer.model_validate(Turn.objects.latest("created_at").contract)
    assert answer.decision is Decision.ANSWERABLE and answer.claims
    assert client.get("/compare/interactions/?drug=ibuprofen&drug=warfarin").status_code == 200
    assert len(bedrock.seen) == asked
