"""Turns answered at once, or by a worker."""

from __future__ import annotations

from celery import shared_task
from django.conf import settings

from chat.models import Turn
from chat.turns import run_turn


def dispatch_turn(turn: Turn) -> Turn:
    """Answers at once where no model takes part, else hands the turn to a worker."""
    if settings.ANSWER_PROVIDER == "disabled":
        return run_turn(turn)
    answer_turn.delay(str(turn.pk))
    return turn


@shared_task(name="chat.answer_turn", ignore_result=True)
def answer_turn(turn_id: str) -> None:
    """Answers one turn; a redelivery of a turn already taken changes nothing."""
    turn = Turn.objects.filter(pk=turn_id).first()
    if turn is not None:
        run_turn(turn)
