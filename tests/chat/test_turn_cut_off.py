"""A turn whose connection the database server ends: answered all the same, or honestly said to have failed."""

from __future__ import annotations

import pytest
from django.db import connection, connections

from chat import turns
from chat.answer import Answered, answer_question
from chat.domain import Decision, Reason
from chat.models import TurnState
from chat.turns import run_turn, start_turn
from tests.sample_edition import publish_sample

pytestmark = pytest.mark.django_db(transaction=True)


def end_own_connection() -> None:
    """What a server does that is restarted: the session is gone, and the next query finds out."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (pid,) = cursor.fetchone()
    other = connections.create_connection("default")
    try:
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(%s)", [pid])
    finally:
        other.close()


def cut_off(times: int, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Has the first so many attempts to answer lose their connection; the attempts made."""
    made: list[int] = []

    def answer(question: str, **rest: object) -> Answered:
        made.append(len(made))
        if len(made) <= times:
            end_own_connection()
        return answer_question(question, **rest)  # type: ignore[arg-type]

    monkeypatch.setattr(turns, "answer_question", answer)
    return made


def test_a_connection_lost_in_mid_answer_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    publish_sample()
    turn = start_turn(owner="anon:me", question="Chống chỉ định của paracetamol?")
    made = cut_off(1, monkeypatch)
    run_turn(turn)
    assert (turn.state, turn.decision, turn.attempts) == (TurnState.DONE, Decision.ANSWERABLE, 1)
    assert len(made) == 2


def test_a_second_loss_is_told_as_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    publish_sample()
    turn = start_turn(owner="anon:me", question="Chống chỉ định của paracetamol?")
    made = cut_off(2, monkeypatch)
    run_turn(turn)
    assert (turn.state, turn.reason) == (TurnState.FAILED, Reason.INTERNAL_ERROR)
    assert len(made) == 2
