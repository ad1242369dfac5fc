"""The hold on a turn while it is answered: taken once, renewed, lost to the next attempt, given up when cancelled."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from uuid import UUID

from django.conf import settings
from django.db import connection
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from chat.models import Turn, TurnState
from monographs.leases import DATABASE_GONE, MAX_ATTEMPTS, lease_over

log = logging.getLogger(__name__)
# How long a turn that waits is left to the queue before it is sent once more: its message may have been lost.
DELIVERY = timedelta(seconds=15)
# Beats in one lease: a few may fail before the turn is taken for abandoned.
_BEATS = 4


class TurnCancelled(Exception):
    """The asker gave the turn up."""


class HoldLost(Exception):
    """The turn was taken for abandoned and begun anew elsewhere; this attempt must not write about it any more."""


def lease() -> timedelta:
    """How long a hold lasts without being renewed."""
    return timedelta(seconds=settings.TURN_LEASE_SECONDS)


@dataclass(frozen=True, slots=True)
class Hold:
    """One attempt at a turn; its number tells it from any later one."""

    turn_id: UUID
    attempt: int

    def show_stage(self, name: str) -> None:
        """Says how far the turn is, and renews the lease. Raises TurnCancelled or HoldLost."""
        if not self._mine().update(stage=name, lease_until=timezone.now() + lease()):
            cancelled = Turn.objects.filter(pk=self.turn_id, state=TurnState.CANCELLED).exists()
            raise TurnCancelled if cancelled else HoldLost

    def renew(self) -> None:
        """Renews the lease, if it is still held."""
        self._mine().update(lease_until=timezone.now() + lease())

    def end(self, **fields: object) -> bool:
        """Stores how the turn ended; False, and nothing changed, where it is cancelled or held by another."""
        return bool(self._mine().update(lease_until=None, finished_at=timezone.now(), **fields))

    def _mine(self) -> QuerySet[Turn]:
        return Turn.objects.filter(pk=self.turn_id, attempts=self.attempt, state=TurnState.RUNNING)


def takeable(now: datetime) -> Q:
    """Turns that can be answered: those that wait, and those whose answering stopped without a word."""
    return Q(state=TurnState.PENDING) | Q(lease_over(now), state=TurnState.RUNNING, attempts__lt=MAX_ATTEMPTS)


def take_turn(turn: Turn) -> Hold | None:
    """A hold on the turn as it is known here; None where another has it, or it is final."""
    now = timezone.now()
    taken = Turn.objects.filter(takeable(now), pk=turn.pk, attempts=turn.attempts).update(
        state=TurnState.RUNNING, attempts=F("attempts") + 1, lease_until=now + lease()
    )
    return Hold(turn.pk, turn.attempts + 1) if taken else None


@contextmanager
def beating(hold: Hold) -> Iterator[None]:
    """Renews the hold beside the work, which may wait long for a model; a process that dies stops renewing."""
    done = threading.Event()
    work = partial(copy_context().run, _beat, hold, done)
    beat = threading.Thread(target=work, daemon=True, name=f"turn-{hold.turn_id}")
    beat.start()
    try:
        yield
    finally:
        done.set()
        beat.join()


def _beat(hold: Hold, done: threading.Event) -> None:
    try:
        while not done.wait(settings.TURN_LEASE_SECONDS / _BEATS):
            try:
                hold.renew()
            except DATABASE_GONE:
                log.warning("turn_beat_failed turn=%s", hold.turn_id)
                connection.close()
    finally:
        connection.close()
