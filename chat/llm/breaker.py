"""A breaker between the turns and a provider in trouble: after so many faults in a row its model is left alone for a
while, by all processes, and then tried by one of them.

It is kept in the database. Where that fails, calls go through as if there were no breaker: a turn never waits for it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TypeVar

from django.db import DatabaseError, InterfaceError, connection, transaction
from django.db.models import F, Q
from django.utils import timezone

from chat.llm.domain import Budget, Fault, LanguageModel, ModelError, Prompt, Reply, Usage
from chat.models import ProviderBreaker

log = logging.getLogger(__name__)
_Result = TypeVar("_Result")
_LONGEST_NAME = 200
# What the provider's being away looks like.
_COUNTED = frozenset({Fault.TIMEOUT, Fault.THROTTLED, Fault.SERVER_ERROR, Fault.UNREACHABLE})
# What says nothing of it: it was never asked, not for long enough, or not by someone it knows.
_NOTHING_SAID = frozenset({Fault.BREAKER_OPEN, Fault.BUDGET, Fault.REFUSED})


@dataclass(frozen=True, slots=True)
class BreakerRule:
    """faults: in a row, of a provider, that open it; pause: how long it stays open; trial: how long one call may take
    to find out, before another may."""

    faults: int = 5
    pause: timedelta = timedelta(seconds=30)
    trial: timedelta = timedelta(seconds=60)
    now: Callable[[], datetime] = field(default=timezone.now, compare=False)


@dataclass(frozen=True, slots=True)
class Way:
    """How a call may go: not at all, or through; trial: by when the one call that tries the provider must be over."""

    barred: bool = False
    trial: datetime | None = None


class WithBreaker:
    """Passes calls on to a model unless its breaker is open. name_of: the breaker of a prompt, one for each model."""

    def __init__(self, model: LanguageModel, *, name_of: Callable[[Prompt], str], rule: BreakerRule) -> None:
        self._model, self._name_of, self._rule = model, name_of, rule

    def ask(self, prompt: Prompt, budget: Budget) -> Reply:
        """The model's reply. Raises ModelError as the model does, and ModelError(BREAKER_OPEN) without asking it."""
        name = self._name_of(prompt)[:_LONGEST_NAME]
        way = _kept(lambda: find_way(name, self._rule), Way())
        if way.barred:
            usage = Usage(prompt.purpose, name, attempts=0, fault=Fault.BREAKER_OPEN)
            raise ModelError(Fault.BREAKER_OPEN, name, usage)
        try:
            reply = self._model.ask(prompt, budget)
        except ModelError as error:
            fault = error.fault
            _kept(lambda: note_outcome(name, fault, way, self._rule), None)
            raise
        _kept(lambda: note_outcome(name, None, way, self._rule), None)
        return reply


def find_way(name: str, rule: BreakerRule) -> Way:
    """Whether a call may go through now; after the pause one caller alone is let through, whoever comes first."""
    breaker = ProviderBreaker.objects.filter(pk=name)
    if not breaker.filter(opened_at__isnull=False).exists():
        return Way()
    now = rule.now()
    trial = now + rule.trial
    waited = breaker.filter(opened_at__lte=now - rule.pause)
    taken = waited.filter(Q(trial_until=None) | Q(trial_until__lte=now)).update(trial_until=trial)
    return Way(trial=trial) if taken else Way(barred=True)


def note_outcome(name: str, fault: Fault | None, way: Way, rule: BreakerRule) -> None:
    """Keeps what a call brought. A trial that comes back after another has begun says nothing any more."""
    if way.trial is not None:
        _note_trial(name, fault, way.trial, rule)
    elif fault in _COUNTED:
        _count(name, rule)
    elif fault not in _NOTHING_SAID:
        ProviderBreaker.objects.filter(pk=name, opened_at=None, faults__gt=0).update(faults=0)


def _note_trial(name: str, fault: Fault | None, trial: datetime, rule: BreakerRule) -> None:
    own = ProviderBreaker.objects.filter(pk=name, trial_until=trial)
    if fault in _COUNTED:
        own.update(faults=F("faults") + 1, opened_at=rule.now(), trial_until=None)
    elif fault in _NOTHING_SAID:
        own.update(trial_until=None)
    elif own.update(faults=0, opened_at=None, trial_until=None):
        log.warning("breaker_closed name=%s", name)


def _count(name: str, rule: BreakerRule) -> None:
    breaker = ProviderBreaker.objects.filter(pk=name)
    if not breaker.update(faults=F("faults") + 1):
        ProviderBreaker.objects.bulk_create([ProviderBreaker(name=name)], ignore_conflicts=True)
        breaker.update(faults=F("faults") + 1)
    if breaker.filter(opened_at=None, faults__gte=rule.faults).update(opened_at=rule.now()):
        log.warning("breaker_opened name=%s seconds=%s", name, rule.pause.total_seconds())


def _kept(work: Callable[[], _Result], otherwise: _Result) -> _Result:
    """What the database says, waiting for nobody; otherwise where it says nothing."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL lock_timeout = '500ms'; SET LOCAL statement_timeout = '2s'")
            return work()
    except (DatabaseError, InterfaceError):
        log.exception("breaker_out_of_order: the call goes through")
        return otherwise
