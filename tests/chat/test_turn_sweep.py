"""Turns held, cancelled, left lying and taken up again: none waits for ever, none is answered by two."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.test import Client
from django.utils import timezone
from kombu.exceptions import OperationalError as QueueGone
from pytest_django.fixtures import Settings

from chat import turns
from chat.answer import Answered, answer_question
from chat.contract import Answer
from chat.domain import Reason
from chat.models import Turn, TurnState
from chat.tasks import answer_turn, dispatch_turn, send_waiting_turns
from chat.turn_hold import DELIVERY, Hold, HoldLost, TurnCancelled, beating, lease, take_turn
from chat.turn_sweep import LONGEST_WAIT, end_overdue, sweep_turns
from chat.turns import Chosen, cancel_turn, run_turn, start_reading, start_turn
from duocthu_site.worker_steps import sweep
from monographs.leases import MAX_ATTEMPTS
from tests.factories import make_edition
from tests.site.waiting import wait_until

pytestmark = pytest.mark.django_db(transaction=True)
OWNER = "anon:me"
GONE = timedelta(seconds=1)


def asked(**fields: Any) -> Turn:
    turn = start_turn(owner=OWNER, question="chống chỉ định ibuprofen")
    created = fields.pop("created_at", None)
    if fields or created:
        Turn.objects.filter(pk=turn.pk).update(**fields, **({"created_at": created} if created else {}))
    turn.refresh_from_db()
    return turn


def abandoned(**fields: Any) -> Turn:
    """A turn whose process died while it was answered."""
    values = {"state": TurnState.RUNNING, "attempts": 1, "lease_until": timezone.now() - GONE, "stage": "draft"}
    return asked(**values | fields)


def overdue() -> Any:
    return timezone.now() - LONGEST_WAIT - GONE


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The turns that are handed to workers."""
    found: list[str] = []
    monkeypatch.setattr(answer_turn, "delay", found.append)
    return found


def answered_by(monkeypatch: pytest.MonkeyPatch, during: Callable[[Callable[[str], None]], None]) -> None:
    """Has something happen in the middle of answering; it is given what tells of stages."""

    def answer(question: str, *, on_stage: Callable[[str], None], **rest: Any) -> Answered:
        during(on_stage)
        return answer_question(question, **rest)

    monkeypatch.setattr(turns, "answer_question", answer)


def held_until() -> datetime:
    """The lease of the only turn."""
    until = Turn.objects.get().lease_until
    assert until is not None
    return until


class TestHold:
    """One attempt at a turn, and no other, writes about it."""

    def test_a_turn_is_held_while_it_is_answered_and_let_go_after(self, monkeypatch: pytest.MonkeyPatch) -> None:
        make_edition()
        turn = asked()
        held: list[Turn] = []
        answered_by(monkeypatch, lambda _stage: held.append(Turn.objects.get(pk=turn.pk)))
        run_turn(turn)
        (then,) = held
        assert (then.state, then.attempts) == (TurnState.RUNNING, 1)
        assert then.lease_until is not None
        assert timezone.now() < then.lease_until <= timezone.now() + lease()
        assert (turn.state, turn.lease_until) == (TurnState.DONE, None)

    def test_a_turn_is_taken_once(self) -> None:
        turn = asked()
        assert take_turn(turn) == Hold(turn.pk, 1)
        assert take_turn(turn) is None
        assert take_turn(Turn.objects.get(pk=turn.pk)) is None

    @pytest.mark.parametrize("state", [TurnState.DONE, TurnState.FAILED, TurnState.CANCELLED])
    def test_what_is_final_is_not_taken(self, state: TurnState) -> None:
        assert take_turn(asked(state=state, lease_until=None)) is None

    def test_an_abandoned_turn_is_taken_over_and_the_first_attempt_may_write_no_more(self) -> None:
        turn = abandoned()
        slow, taken = Hold(turn.pk, 1), take_turn(turn)
        assert taken is not None and taken == Hold(turn.pk, 2)
        with pytest.raises(HoldLost):
            slow.show_stage("verify")
        assert not slow.end(state=TurnState.DONE, contract={"of": "the slow one"})
        slow.renew()
        taken.show_stage("judge")
        stored = Turn.objects.get(pk=turn.pk)
        assert (stored.state, stored.stage, stored.contract) == (TurnState.RUNNING, "judge", {})

    def test_each_stage_renews_the_lease(self) -> None:
        turn = asked()
        hold = take_turn(turn)
        assert hold is not None
        Turn.objects.update(lease_until=timezone.now() + GONE)
        hold.show_stage("draft")
        assert held_until() > timezone.now() + lease() / 2

    def test_a_long_stage_is_held_by_the_beat(self, settings: Settings) -> None:
        settings.TURN_LEASE_SECONDS = 0.4
        turn = asked()
        hold = take_turn(turn)
        assert hold is not None
        first = held_until()
        with beating(hold):
            wait_until(lambda: held_until() > first + timedelta(seconds=0.3))
            assert sweep_turns() == []
        assert not [thread for thread in threading.enumerate() if str(turn.pk) in thread.name]

    def test_a_beat_that_fails_is_tried_again(self, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
        settings.TURN_LEASE_SECONDS = 0.04
        turn = asked()
        hold = take_turn(turn)
        assert hold is not None
        tried: list[int] = []

        def renew(_self: Hold) -> None:
            tried.append(1)
            raise OperationalError("away")

        monkeypatch.setattr(Hold, "renew", renew)
        with beating(hold):
            wait_until(lambda: len(tried) > 2)


class TestCancel:
    """A turn that is given up stops at its next stage, and stays given up."""

    def test_a_cancelled_turn_stops_at_the_next_stage(
        self, settings: Settings, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        settings.ANSWER_PROVIDER = "a model"
        make_edition()
        turn = asked()
        reached: list[str] = []

        def during(on_stage: Callable[[str], None]) -> None:
            on_stage("draft")
            cancel_turn(OWNER, turn.pk)
            with pytest.raises(TurnCancelled):
                on_stage("judge")
            reached.append("judge")
            on_stage("verify")
            reached.append("verify")

        answered_by(monkeypatch, during)
        ended = run_turn(turn)
        assert reached == ["judge"]
        assert (ended.state, ended.stage, ended.contract) == (TurnState.CANCELLED, "draft", {})
        assert ended.conversation.clarify_streak == 0

    def test_an_answer_that_comes_after_the_cancel_is_not_stored(self, monkeypatch: pytest.MonkeyPatch) -> None:
        make_edition()
        turn = asked()

        def during(_stage: Callable[[str], None]) -> None:
            cancel_turn(OWNER, turn.pk)

        answered_by(monkeypatch, during)
        assert (run_turn(turn).state, turn.contract) == (TurnState.CANCELLED, {})

    def test_a_fault_after_the_cancel_is_not_stored_either(self, monkeypatch: pytest.MonkeyPatch) -> None:
        turn = asked()

        def during(_stage: Callable[[str], None]) -> None:
            cancel_turn(OWNER, turn.pk)
            raise RuntimeError("boom")

        answered_by(monkeypatch, during)
        assert (run_turn(turn).state, turn.contract) == (TurnState.CANCELLED, {})

    def test_a_cancelled_turn_is_not_swept_up(self) -> None:
        turn = abandoned()
        cancel_turn(OWNER, turn.pk)
        assert sweep_turns() == []
        assert run_turn(turn).state == TurnState.CANCELLED


class TestSweep:
    """Nothing is left lying, nothing is answered twice."""

    def test_a_turn_whose_process_died_is_answered_by_another(self, sent: list[str]) -> None:
        make_edition()
        turn = abandoned()
        sweep()
        assert sent == [str(turn.pk)]
        answer_turn(sent[0])
        turn.refresh_from_db()
        assert (turn.state, turn.attempts) == (TurnState.DONE, 2)
        assert Answer.model_validate(turn.contract).disclaimer

    def test_a_turn_of_the_time_before_leases_is_taken_up_too(self) -> None:
        turn = abandoned(lease_until=None)
        assert sweep_turns() == [turn.pk]

    def test_a_turn_that_is_being_answered_is_left_alone(self) -> None:
        turn = asked()
        take_turn(turn)
        assert sweep_turns() == []

    def test_a_turn_that_waits_is_sent_again_only_once_its_message_must_be_lost(self) -> None:
        turn = asked()
        assert sweep_turns() == []
        Turn.objects.update(lease_until=timezone.now() - GONE)
        assert sweep_turns() == [turn.pk]
        assert sweep_turns() == [], "it has just been sent"

    def test_turns_are_sent_in_the_order_in_which_they_were_asked(self) -> None:
        first, second = (asked(lease_until=timezone.now() - GONE) for _ in range(2))
        Turn.objects.filter(pk=first.pk).update(lease_until=timezone.now() - GONE / 2)
        assert sweep_turns() == [first.pk, second.pk]

    def test_the_last_attempt_ends_with_a_reason(self) -> None:
        turn = abandoned(attempts=MAX_ATTEMPTS)
        assert sweep_turns() == []
        turn.refresh_from_db()
        answer = Answer.model_validate(turn.contract)
        assert (turn.state, turn.reason, answer.reason) == (TurnState.FAILED, "internal_error", Reason.INTERNAL_ERROR)
        assert turn.finished_at is not None and answer.disclaimer and turn.trace["versions"]

    def test_a_turn_dies_at_most_so_often(self, sent: list[str]) -> None:
        turn = asked(lease_until=timezone.now() - GONE)
        for _ in range(MAX_ATTEMPTS + 2):
            send_waiting_turns()
            turn.refresh_from_db()
            take_turn(turn)  # and its process dies
            Turn.objects.filter(pk=turn.pk, state=TurnState.RUNNING).update(lease_until=timezone.now() - GONE)
        turn.refresh_from_db()
        assert (turn.state, turn.attempts, len(sent)) == (TurnState.FAILED, MAX_ATTEMPTS, MAX_ATTEMPTS)

    def test_a_message_for_the_last_attempt_that_comes_late_begins_none(self) -> None:
        turn = abandoned(attempts=MAX_ATTEMPTS)
        assert take_turn(turn) is None

    def test_a_turn_that_no_worker_takes_ends(self) -> None:
        turn = asked(created_at=overdue(), lease_until=timezone.now() - GONE)
        assert sweep_turns() == []
        turn.refresh_from_db()
        assert (turn.state, turn.reason) == (TurnState.FAILED, "internal_error")

    def test_two_sweeps_at_once_send_a_turn_once(self) -> None:
        turn = abandoned()
        found: list[object] = []

        def one() -> None:
            try:
                found.extend(sweep_turns())
            finally:
                connection.close()

        threads = [threading.Thread(target=one) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == [turn.pk]

    def test_a_queue_that_is_away_costs_only_the_time_until_the_next_sweep(
        self, settings: Settings, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        settings.ANSWER_PROVIDER = "a model"
        turn = asked()

        def gone(_turn_id: str) -> None:
            raise QueueGone("away")

        monkeypatch.setattr(answer_turn, "delay", gone)
        assert dispatch_turn(turn).state == TurnState.PENDING
        Turn.objects.update(lease_until=timezone.now() - DELIVERY)
        assert sweep_turns() == [turn.pk]

    def test_a_fault_of_one_sweep_does_not_stop_the_other(self, monkeypatch: pytest.MonkeyPatch) -> None:
        swept: list[str] = []

        def broken() -> None:
            swept.append("turns")
            raise OperationalError("away")

        monkeypatch.setattr("chat.tasks.send_waiting_turns", broken)
        monkeypatch.setattr("ingest.tasks.send_waiting_runs", lambda: swept.append("runs"))
        broken.__name__ = "send_waiting_turns"
        sweep()
        assert swept == ["turns", "runs"]


class TestOverdue:
    """Where no worker lives to sweep, whoever looks at a turn ends its waiting."""

    @pytest.mark.parametrize("path", ["/turns/{turn}/", "/c/{conversation}/"])
    def test_looking_at_a_turn_that_waits_too_long_ends_it(self, client: Client, path: str) -> None:
        client.post("/ask/", {"question": "liều paracetamol"})
        Turn.objects.update(state=TurnState.PENDING, contract={}, created_at=overdue())
        turn = Turn.objects.get()
        page = client.get(path.format(turn=turn.pk, conversation=turn.conversation_id)).content.decode()
        assert "Chương trình gặp lỗi khi trả lời" in page and 'hx-trigger="every' not in page

    @pytest.mark.parametrize(
        "turn",
        [asked, abandoned, lambda: asked(state=TurnState.DONE, created_at=overdue())],
        ids=["just asked", "being answered", "answered"],
    )
    def test_any_other_turn_is_only_looked_at(self, turn: Callable[[], Turn]) -> None:
        found = turn()
        before = found.state
        assert not end_overdue(found)
        found.refresh_from_db()
        assert found.state == before

    def test_a_turn_that_was_taken_meanwhile_is_left(self) -> None:
        turn = asked(created_at=overdue())
        take_turn(turn)
        turn.state = TurnState.PENDING  # as it was read
        end_overdue(turn)
        assert turn.state == TurnState.RUNNING


class TestDispatch:
    """Who answers."""

    def test_without_a_model_a_turn_is_answered_at_once(self, sent: list[str]) -> None:
        assert dispatch_turn(asked()).is_final
        assert sent == []

    @pytest.mark.parametrize("name", ["ANSWER_PROVIDER", "UNDERSTANDING_PROVIDER", "SUMMARY_PROVIDER"])
    def test_with_a_model_a_worker_answers(self, settings: Settings, sent: list[str], name: str) -> None:
        setattr(settings, name, "bedrock")
        turn = dispatch_turn(asked())
        assert (turn.state, sent) == (TurnState.PENDING, [str(turn.pk)])

    def test_a_section_is_read_at_once_whatever_answers_questions(self, settings: Settings, sent: list[str]) -> None:
        settings.ANSWER_PROVIDER = "bedrock"
        turn = start_reading(owner=OWNER, chosen=Chosen("ibuprofen", "lieu-dung"), called=("Ibuprofen", "Liều dùng"))
        assert dispatch_turn(turn).is_final
        assert sent == []
