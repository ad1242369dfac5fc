"""The breaker: opened by faults in a row, tried by one caller alone, shared by all connections, in nobody's way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from threading import Barrier
from typing import TypeVar

import pytest
from django.db import connection, connections, transaction

from chat.llm.breaker import BreakerRule, Way, WithBreaker, find_way, note_outcome
from chat.llm.domain import Budget, Fault, ModelError, Prompt, Purpose
from chat.models import ProviderBreaker
from tests.conftest import wait_until
from tests.fakes import Answer, ScriptedModel

pytestmark = pytest.mark.django_db(transaction=True)
_Found = TypeVar("_Found")
NAME = "example.answer"
PROMPT = Prompt(Purpose.DRAFT, "v1", "", "", {})
COUNTED = [Fault.TIMEOUT, Fault.THROTTLED, Fault.SERVER_ERROR, Fault.UNREACHABLE]
ANSWERED = [Fault.MALFORMED, Fault.TRUNCATED, Fault.WRONG_SCHEMA, Fault.EMPTY, Fault.GUARDRAIL]
SAYS_NOTHING = [Fault.REFUSED, Fault.BUDGET]


@dataclass(slots=True)
class Now:
    """A clock that stands still until it is moved."""

    time: datetime = field(default_factory=lambda: datetime(2026, 11, 30, tzinfo=UTC))

    def __call__(self) -> datetime:
        return self.time

    def passes(self, seconds: float) -> None:
        self.time += timedelta(seconds=seconds)


@pytest.fixture
def now() -> Now:
    return Now()


@pytest.fixture
def rule(now: Now) -> BreakerRule:
    return BreakerRule(faults=3, pause=timedelta(seconds=30), trial=timedelta(seconds=60), now=now)


@dataclass(frozen=True, slots=True)
class Guarded:
    """A scripted model behind a breaker."""

    model: ScriptedModel
    guard: WithBreaker

    def ask(self) -> Fault | None:
        """The fault of one call, None for a reply."""
        try:
            self.guard.ask(PROMPT, Budget.of(5))
        except ModelError as error:
            return error.fault
        return None


def guarded(rule: BreakerRule, *answers: Answer) -> Guarded:
    model = ScriptedModel({Purpose.DRAFT: list(answers) or [{}]})
    return Guarded(model, WithBreaker(model, name_of=lambda _prompt: NAME, rule=rule))


def breaker() -> ProviderBreaker:
    return ProviderBreaker.objects.get(pk=NAME)


def opened(rule: BreakerRule) -> None:
    for _ in range(rule.faults):
        note_outcome(NAME, Fault.TIMEOUT, Way(), rule)


@pytest.mark.parametrize("fault", COUNTED)
def test_faults_of_the_provider_in_a_row_open_it(rule: BreakerRule, fault: Fault) -> None:
    calls = guarded(rule, fault)
    assert [calls.ask() for _ in range(5)] == [fault] * 3 + [Fault.BREAKER_OPEN] * 2
    assert len(calls.model.seen) == 3


@pytest.mark.parametrize("between", [None, *ANSWERED])
def test_an_answer_between_them_starts_the_count_again(rule: BreakerRule, between: Fault | None) -> None:
    calls = guarded(rule, Fault.TIMEOUT, Fault.TIMEOUT, between or {}, Fault.TIMEOUT)
    assert [calls.ask() for _ in range(5)] == [Fault.TIMEOUT, Fault.TIMEOUT, between, Fault.TIMEOUT, Fault.TIMEOUT]
    assert breaker().faults == 2 and breaker().opened_at is None


@pytest.mark.parametrize("between", SAYS_NOTHING)
def test_what_says_nothing_of_the_provider_does_not_count_either_way(rule: BreakerRule, between: Fault) -> None:
    calls = guarded(rule, Fault.TIMEOUT, Fault.TIMEOUT, between, between, Fault.TIMEOUT)
    assert [calls.ask() for _ in range(6)][-2:] == [Fault.TIMEOUT, Fault.BREAKER_OPEN]


def test_calls_that_all_go_well_write_no_row(rule: BreakerRule) -> None:
    assert guarded(rule).ask() is None
    assert not ProviderBreaker.objects.exists()


def test_the_error_of_a_barred_call_tells_its_usage(rule: BreakerRule) -> None:
    opened(rule)
    with pytest.raises(ModelError) as caught:
        guarded(rule).guard.ask(PROMPT, Budget.of(5))
    usage = caught.value.usage
    assert usage is not None
    assert (usage.purpose, usage.model_id, usage.attempts, usage.fault) == (
        Purpose.DRAFT,
        NAME,
        0,
        Fault.BREAKER_OPEN,
    )


def test_each_model_has_a_breaker_of_its_own(rule: BreakerRule) -> None:
    opened(rule)
    model = ScriptedModel({Purpose.DRAFT: {}})
    assert WithBreaker(model, name_of=lambda _: "example.judge", rule=rule).ask(PROMPT, Budget.of(5)).payload == {}


def test_it_stays_open_for_the_pause_and_closes_when_the_trial_goes_well(rule: BreakerRule, now: Now) -> None:
    opened(rule)
    calls = guarded(rule)
    now.passes(29)
    assert calls.ask() is Fault.BREAKER_OPEN
    now.passes(1)
    assert [calls.ask(), calls.ask()] == [None, None]
    assert (breaker().faults, breaker().opened_at, breaker().trial_until) == (0, None, None)


@pytest.mark.parametrize("fault", ANSWERED)
def test_a_provider_that_answers_badly_is_back_all_the_same(rule: BreakerRule, now: Now, fault: Fault) -> None:
    opened(rule)
    now.passes(30)
    calls = guarded(rule, fault, {})
    assert [calls.ask(), calls.ask()] == [fault, None]


@pytest.mark.parametrize("fault", COUNTED)
def test_a_trial_that_fails_opens_it_for_another_pause(rule: BreakerRule, now: Now, fault: Fault) -> None:
    opened(rule)
    now.passes(30)
    calls = guarded(rule, fault, {})
    assert [calls.ask(), calls.ask()] == [fault, Fault.BREAKER_OPEN]
    now.passes(29)
    assert calls.ask() is Fault.BREAKER_OPEN
    now.passes(1)
    assert calls.ask() is None


@pytest.mark.parametrize("fault", SAYS_NOTHING)
def test_a_trial_that_found_out_nothing_leaves_it_to_the_next(rule: BreakerRule, now: Now, fault: Fault) -> None:
    opened(rule)
    now.passes(30)
    calls = guarded(rule, fault, {})
    assert [calls.ask(), calls.ask()] == [fault, None]


def test_a_trial_whose_process_died_is_taken_over(rule: BreakerRule, now: Now) -> None:
    opened(rule)
    now.passes(30)
    dead = find_way(NAME, rule)
    assert dead.trial is not None
    now.passes(59)
    assert find_way(NAME, rule).barred
    now.passes(1)
    assert find_way(NAME, rule).trial is not None


def test_a_trial_that_comes_back_too_late_changes_nothing(rule: BreakerRule, now: Now) -> None:
    opened(rule)
    now.passes(30)
    late = find_way(NAME, rule)
    now.passes(60)
    note_outcome(NAME, None, find_way(NAME, rule), rule)
    note_outcome(NAME, Fault.TIMEOUT, late, rule)
    assert breaker().opened_at is None


def test_a_call_from_before_it_opened_neither_closes_it_nor_prolongs_it(rule: BreakerRule, now: Now) -> None:
    opened(rule)
    since = breaker().opened_at
    now.passes(10)
    note_outcome(NAME, None, Way(), rule)
    note_outcome(NAME, Fault.TIMEOUT, Way(), rule)
    assert breaker().opened_at == since


# --- several connections ---------------------------------------------------------------------------------------


@contextmanager
def other_connections() -> Iterator[ThreadPoolExecutor]:
    """Threads, each with a connection of its own."""
    with ThreadPoolExecutor(max_workers=4) as pool:
        yield pool


def apart(work: Callable[[], _Found]) -> _Found:
    """The work's result, with this thread's connection given back."""
    try:
        return work()
    finally:
        connection.close()


def test_faults_of_several_connections_are_one_count(rule: BreakerRule) -> None:
    start = Barrier(3, timeout=30)

    def fail() -> Fault | None:
        start.wait()
        return guarded(rule, Fault.THROTTLED).ask()

    with other_connections() as pool:
        found = list(pool.map(apart, [fail] * 3))
    assert found == [Fault.THROTTLED] * 3
    assert breaker().faults == 3 and breaker().opened_at is not None
    assert guarded(rule).ask() is Fault.BREAKER_OPEN


def test_of_all_who_come_at_once_one_alone_gets_the_trial(rule: BreakerRule, now: Now) -> None:
    opened(rule)
    now.passes(30)
    start = Barrier(4, timeout=30)

    def come() -> Way:
        start.wait()
        return find_way(NAME, rule)

    with other_connections() as pool:
        ways = list(pool.map(apart, [come] * 4))
    assert sum(way.trial is not None for way in ways) == 1
    assert sum(way.barred for way in ways) == 3


def test_who_waits_for_another_taking_the_trial_is_barred_once_it_is_taken(rule: BreakerRule, now: Now) -> None:
    """The second connection has read that the breaker is open, and waits for the row that the first has changed."""
    opened(rule)
    now.passes(30)
    with other_connections() as pool:
        with transaction.atomic():
            assert find_way(NAME, rule).trial is not None
            second = pool.submit(apart, lambda: find_way(NAME, rule))
            wait_until(lambda: waiting_for_us() == 1)
            assert not second.done()
        assert second.result(30) == Way(barred=True)


def waiting_for_us() -> int:
    """Sessions that wait for a lock of this connection's."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))"
        )
        return int(cursor.fetchone()[0])


# --- a database in trouble -------------------------------------------------------------------------------------


def test_a_row_that_another_holds_keeps_nobody_waiting(rule: BreakerRule, caplog: pytest.LogCaptureFixture) -> None:
    note_outcome(NAME, Fault.TIMEOUT, Way(), rule)
    with other_connections() as pool, transaction.atomic():
        ProviderBreaker.objects.select_for_update().get(pk=NAME)
        failed = pool.submit(apart, guarded(rule, Fault.TIMEOUT).ask).result(30)
    assert failed is Fault.TIMEOUT
    assert "breaker_out_of_order" in caplog.text
    assert breaker().faults == 1


@pytest.fixture
def without_table() -> Iterator[None]:
    table = connection.ops.quote_name(ProviderBreaker._meta.db_table)
    with connection.cursor() as cursor:
        cursor.execute(f"ALTER TABLE {table} RENAME TO away")
    yield
    with connection.cursor() as cursor:
        cursor.execute(f"ALTER TABLE away RENAME TO {table}")


@pytest.mark.parametrize(("answer", "fault"), [({"a": 1}, None), (Fault.THROTTLED, Fault.THROTTLED)])
def test_a_database_fault_lets_the_call_through_and_is_told(
    rule: BreakerRule, without_table: None, caplog: pytest.LogCaptureFixture, answer: Answer, fault: Fault | None
) -> None:
    calls = guarded(rule, answer)
    assert calls.ask() is fault
    assert len(calls.model.seen) == 1
    assert caplog.text.count("breaker_out_of_order") >= 2


def test_a_connection_that_was_cut_lets_the_call_through_and_the_next_query_works(rule: BreakerRule) -> None:
    opened(rule)
    other = connections.create_connection("default")
    try:
        with connection.cursor() as cursor, other.cursor() as ending:
            cursor.execute("SELECT pg_backend_pid()")
            ending.execute("SELECT pg_terminate_backend(%s)", cursor.fetchone())
    finally:
        other.close()
    assert guarded(rule).ask() is None
    assert breaker().opened_at is not None
