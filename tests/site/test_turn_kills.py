"""Turns whose processes are killed: each ends by itself, answered or told to have failed, and none is stuck."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from threading import Event

import pytest
from django.utils import timezone
from pytest_django.fixtures import Settings

from chat.contract import Answer
from chat.domain import Decision
from chat.llm.copied_replies import copied_reply
from chat.llm.domain import Purpose
from chat.llm.local_server import LocalBedrock
from chat.llm.local_steps import Held, Payload, Seen
from chat.models import Turn, TurnState
from chat.tasks import answer_turn, dispatch_turn
from chat.trace import load_trace
from chat.turns import cancel_turn, start_turn
from monographs.leases import MAX_ATTEMPTS
from tests.sample_edition import publish_sample
from tests.site.processes import Program, child_processes
from tests.site.waiting import wait_until

pytestmark = [pytest.mark.service, pytest.mark.slow, pytest.mark.django_db(transaction=True)]
OWNER = "anon:me"
LEASE = 3
ENDS = 60.0  # seconds within which a turn has ended by itself


@pytest.fixture
def bedrock() -> Iterator[LocalBedrock]:
    with LocalBedrock() as server:
        yield server


@pytest.fixture
def start(start_worker: Callable[..., Program], bedrock: LocalBedrock, settings: Settings) -> Callable[[], Program]:
    """Starts a worker that asks the local server; turns are handed to it."""
    settings.ANSWER_PROVIDER = "bedrock"
    publish_sample()
    variables = {
        "ANSWER_PROVIDER": "bedrock",
        "BEDROCK_ENDPOINT_URL": bedrock.url,
        "BEDROCK_REGION": "ap-southeast-1",
        "BEDROCK_ANSWER_MODEL": "no-model",
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
        "TURN_LEASE_SECONDS": str(LEASE),
    }
    return lambda: start_worker(**variables)


def asked() -> Turn:
    return start_turn(owner=OWNER, question="chống chỉ định ibuprofen")


def _was_asked(bedrock: LocalBedrock, times: int) -> bool:
    return drafts(bedrock) == times


def drafts(bedrock: LocalBedrock) -> int:
    return sum(seen.purpose == Purpose.DRAFT for seen in bedrock.seen)


def ended(turn: Turn, worker: Program) -> Turn:
    def is_final() -> bool:
        turn.refresh_from_db()
        return turn.is_final

    wait_until(is_final, timeout=ENDS, message=worker.said)
    return turn


def test_a_turn_goes_through_the_queue_and_shows_how_far_it_is(
    start: Callable[[], Program], bedrock: LocalBedrock
) -> None:
    goes_on = Event()

    def slowly(seen: Seen) -> Payload:
        goes_on.wait(ENDS)
        return copied_reply(seen)

    bedrock.script(Purpose.JUDGE, slowly)
    worker, turn = start(), dispatch_turn(asked())
    assert turn.state == TurnState.PENDING
    wait_until(lambda: Turn.objects.get().stage == "judge", timeout=ENDS, message=worker.said)
    begun = timezone.now()
    wait_until(lambda: timezone.now() - begun > timedelta(seconds=LEASE + 1))
    assert Turn.objects.get().attempts == 1, "a long call is no dead worker"
    goes_on.set()
    answer = Answer.model_validate(ended(turn, worker).contract)
    assert (turn.state, turn.attempts, answer.decision) == (TurnState.DONE, 1, Decision.ANSWERABLE)
    trace = load_trace(turn.trace)
    assert trace is not None
    assert [call.purpose for call in trace.calls] == [Purpose.DRAFT, Purpose.JUDGE]
    assert all(call.prompt and call.input_tokens and call.model_id == "no-model" for call in trace.calls)


@pytest.mark.parametrize("whole", [True, False], ids=["worker", "its pool process"])
def test_a_turn_whose_worker_is_killed_is_answered_by_the_next(
    start: Callable[[], Program], bedrock: LocalBedrock, whole: bool
) -> None:
    bedrock.script(Purpose.DRAFT, Held())
    worker, turn = start(), dispatch_turn(asked())
    wait_until(lambda: drafts(bedrock), timeout=ENDS, message=worker.said)
    if whole:
        worker.kill()
    else:
        (pool_process,) = child_processes(worker.process.pid)
        os.kill(pool_process, signal.SIGKILL)
        worker.process.wait(20)
    assert not Turn.objects.get().is_final
    bedrock.script(Purpose.DRAFT)
    successor = start()
    assert ended(turn, successor).state == TurnState.DONE, turn.reason
    # Where only its pool process died, the worker begins it once more before it ends itself.
    assert turn.attempts == 2 if whole else 2 <= turn.attempts <= MAX_ATTEMPTS


def test_a_turn_that_kills_every_worker_ends(start: Callable[[], Program], bedrock: LocalBedrock) -> None:
    bedrock.script(Purpose.DRAFT, Held())
    turn = dispatch_turn(asked())
    for attempt in range(1, MAX_ATTEMPTS + 1):
        worker = start()
        wait_until(partial(_was_asked, bedrock, attempt), timeout=ENDS, message=worker.said)
        worker.kill()
    assert ended(turn, start()).state == TurnState.FAILED
    answer = Answer.model_validate(turn.contract)
    assert (turn.attempts, answer.reason.value, bool(answer.disclaimer)) == (MAX_ATTEMPTS, "internal_error", True)


def test_a_cancel_holds_whatever_the_model_says_later(start: Callable[[], Program], bedrock: LocalBedrock) -> None:
    bedrock.script(Purpose.DRAFT, Held())
    worker, turn = start(), dispatch_turn(asked())
    wait_until(lambda: drafts(bedrock), timeout=ENDS, message=worker.said)
    cancel_turn(OWNER, turn.pk)
    bedrock.script(Purpose.DRAFT)
    bedrock.release()
    following = dispatch_turn(asked())
    assert ended(following, worker).state == TurnState.DONE
    turn.refresh_from_db()
    assert (turn.state, turn.contract, turn.attempts) == (TurnState.CANCELLED, {}, 1)
    trace = load_trace(turn.trace)
    assert trace is not None and [call.purpose for call in trace.calls] == [Purpose.DRAFT], "what it cost is kept"


def test_a_turn_whose_message_is_lost_is_answered(
    start: Callable[[], Program], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answer_turn, "delay", lambda _turn_id: None)
    turn = dispatch_turn(asked())
    Turn.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert ended(turn, start()).state == TurnState.DONE


def test_a_turn_whose_web_process_was_killed_is_answered_without_a_model_too(
    start_worker: Callable[..., Program],
) -> None:
    publish_sample()
    turn = asked()
    Turn.objects.update(state=TurnState.RUNNING, attempts=1, lease_until=timezone.now() - timedelta(seconds=1))
    assert ended(turn, start_worker()).state == TurnState.DONE
    assert (turn.attempts, turn.trace["versions"]["provider"]) == (2, "disabled")
