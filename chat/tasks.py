"""Turns answered at once, or by a worker."""

from __future__ import annotations

import logging
from uuid import UUID

from celery import shared_task
from kombu.exceptions import OperationalError

from chat.models import Turn
from chat.turn_sweep import sweep_turns
from chat.turns import asks_model, run_turn
from monographs.spans import carried, continued

log = logging.getLogger(__name__)


def dispatch_turn(turn: Turn) -> Turn:
    """Answers at once where no model takes part, else hands the turn to a worker."""
    if not asks_model(turn):
        return run_turn(turn)
    send_turn(turn.pk)
    return turn


@shared_task(name="chat.answer_turn", ignore_result=True)
def answer_turn(turn_id: str, carrier: dict[str, str] | None = None) -> None:
    """Answers one turn; a redelivery of a turn already taken changes nothing. carrier: of the trace it belongs to."""
    turn = Turn.objects.filter(pk=turn_id).first()
    if turn is not None:
        with continued(carrier):
            run_turn(turn)


def send_turn(turn_id: UUID) -> None:
    """Hands a turn that waits to a worker; where the queue is away, the next sweep does."""
    try:
        answer_turn.delay(str(turn_id), *carried())
    except OperationalError:
        log.exception("turn_not_sent turn=%s", turn_id)


def send_waiting_turns() -> None:
    """Looks after turns that nobody answers: what a death or a lost message would leave waiting."""
    for turn_id in sweep_turns():
        log.warning("turn_sent_again turn=%s", turn_id)
        send_turn(turn_id)
