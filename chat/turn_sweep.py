"""Turns that nobody answers: begun by a process that died, or whose message was lost. None is left waiting for ever."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from chat.models import Turn, TurnState
from chat.turn_hold import DELIVERY, Hold
from chat.turns import fail_turn
from monographs.leases import MAX_ATTEMPTS, lease_over

# After which nobody waits for an answer any more: a turn that no worker takes then ends by itself.
LONGEST_WAIT = timedelta(minutes=5)


def sweep_turns() -> list[UUID]:
    """Takes back turns whose answering stopped, ends those that were tried often enough or wait too long, and says
    which are to be sent to a worker now."""
    with transaction.atomic():
        for turn in _left().filter(state=TurnState.RUNNING):
            _take_back(turn)
        return list(_to_send())


def end_overdue(turn: Turn) -> bool:
    """Ends a turn that nobody has taken for too long, also where no worker runs that would sweep; whether it did."""
    if turn.state != TurnState.PENDING or turn.created_at > timezone.now() - LONGEST_WAIT:
        return False
    with transaction.atomic():
        locked = Turn.objects.select_for_update().filter(pk=turn.pk, state=TurnState.PENDING).first()
        if locked is not None:
            _give_up(locked)
    turn.refresh_from_db()
    return True


def _left() -> QuerySet[Turn]:
    return Turn.objects.select_for_update(skip_locked=True).filter(lease_over(timezone.now()))


def _take_back(turn: Turn) -> None:
    if turn.attempts >= MAX_ATTEMPTS:
        _give_up(turn)
    else:
        Turn.objects.filter(pk=turn.pk).update(state=TurnState.PENDING, stage="", lease_until=None)


def _to_send() -> Iterator[UUID]:
    """A turn is sent again where its message must be lost; in the order in which they were asked."""
    now = timezone.now()
    for turn in _left().filter(state=TurnState.PENDING).order_by("created_at"):
        if turn.created_at < now - LONGEST_WAIT:
            _give_up(turn)
        else:
            Turn.objects.filter(pk=turn.pk).update(lease_until=now + DELIVERY)
            yield turn.pk


def _give_up(turn: Turn) -> None:
    """Takes a locked turn that nobody holds, and ends it."""
    Turn.objects.filter(pk=turn.pk).update(state=TurnState.RUNNING)
    fail_turn(turn, Hold(turn.pk, turn.attempts))
