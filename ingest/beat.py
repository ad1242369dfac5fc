"""A worker's hold on a run: lease, heartbeat and progress; lost once another took over, given up on request."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

from django.conf import settings
from django.db import connection
from django.utils import timezone

from ingest.models import IngestRun, RunState
from monographs.leases import DATABASE_GONE

BEAT_SECONDS = 1.0


def lease() -> timedelta:
    """How long a hold lasts without being renewed."""
    return timedelta(seconds=settings.INGEST_LEASE_SECONDS)


class RunCancelled(Exception):
    """Someone asked for the run to stop."""


class LeaseLost(Exception):
    """The run was taken from this worker, which must not write about it any more."""


class Beat:
    """Keeps a run held, at most one write a second. The attempt's number tells this hold from any later one.

    timings: seconds by stage, as far as stages have ended. on_stage: told the name of each stage as it begins.
    """

    def __init__(self, run: IngestRun, on_stage: Callable[[str], object] = lambda _name: None) -> None:
        self._on_stage = on_stage
        self._run_id, self._attempt = run.pk, run.attempts
        self._written = self._held = self._stage_begun = time.monotonic()
        self._stage = ""
        self.timings: dict[str, float] = {}

    def stage(self, name: str, done: int, total: int) -> None:
        """Records how far a stage is. Raises RunCancelled or LeaseLost."""
        if name != self._stage:
            self._end_stage(name)
        elif not self._is_due():
            return
        self._renew(stage=name, progress={"done": done, "total": total}, timings=self.timings)

    def wait(self) -> None:
        """Shows that the run goes on though nothing is done yet. Raises RunCancelled or LeaseLost."""
        if self._is_due():
            self._renew()

    def start_publishing(self) -> None:
        """The last moment to cancel. Raises RunCancelled or LeaseLost."""
        self._on_stage("publish")
        self._renew(state=RunState.PUBLISHING, stage="publish", progress={})

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        """Records how long a stage took."""
        begun = time.monotonic()
        yield
        self.timings[name] = round(time.monotonic() - begun, 3)

    def _is_due(self) -> bool:
        return time.monotonic() - self._written >= BEAT_SECONDS

    def _end_stage(self, following: str) -> None:
        now = time.monotonic()
        if self._stage:
            self.timings[self._stage] = round(now - self._stage_begun, 3)
        self._stage, self._stage_begun = following, now
        self._on_stage(following)

    def _renew(self, **fields: object) -> None:
        """A database that is away for a moment does not end the run; one that stays away longer than the lease does."""
        self._written = time.monotonic()
        try:
            self._write(fields)
        except DATABASE_GONE:
            connection.close()
            if "state" in fields or time.monotonic() - self._held > lease().total_seconds():
                raise
        else:
            self._held = time.monotonic()

    def _write(self, fields: dict[str, object]) -> None:
        now = timezone.now()
        mine = IngestRun.objects.filter(pk=self._run_id, attempts=self._attempt, state=RunState.RUNNING)
        wanted = mine.filter(cancel_requested=False)
        if not wanted.update(heartbeat_at=now, lease_until=now + lease(), **fields):
            raise RunCancelled if mine.exists() else LeaseLost
