"""Turns answered by a worker."""

from __future__ import annotations

from celery import shared_task

from chat.models import Turn
from chat.turns import run_turn


@shared_task(name="chat.answer_turn", ignore_result=True)
def answer_turn(turn_id: str) -> None:
    """Answers one turn; a redelivery of a turn already taken changes nothing."""
    turn = Turn.objects.filter(pk=turn_id).first()
    if turn is not None:
        run_turn(turn)
