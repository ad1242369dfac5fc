"""What every worker does beside its tasks: it shows that it lives, and leaves when it is no use any more."""

from __future__ import annotations

import logging
import os
import signal
import socket
import time
from collections.abc import Callable
from typing import Any, ClassVar

from celery import bootsteps
from celery.worker import state

from duocthu_site.embedded import hold_server, release_all
from duocthu_site.parent_death import SUPERVISOR_PID, die_with_supervisor

logger = logging.getLogger(__name__)

POOL_CHECK_SECONDS = 1.0
SWEEP_SECONDS = 5.0


def record_heartbeat(name: str) -> None:
    """Note in the database that name was alive just now."""
    from django.utils import timezone

    from ingest.models import WorkerHeartbeat

    WorkerHeartbeat.objects.update_or_create(name=name, defaults={"seen_at": timezone.now()})


def beat(name: str) -> None:
    """One heartbeat, with a connection that is given back at once."""
    from django.db import connection

    try:
        record_heartbeat(name)
    finally:
        connection.close()


class Heartbeat(bootsteps.StartStopStep):
    """Writes the worker's heartbeat at its start and every few seconds after."""

    requires: ClassVar = {"celery.worker.components:Timer", "celery.worker.components:Pool"}

    def __init__(self, parent: Any, **options: Any) -> None:
        super().__init__(parent, **options)
        self.entry: Any = None

    def start(self, parent: Any) -> None:
        """Begin; the server is held from here on, since the queue reaches it beside Django."""
        from django.conf import settings

        die_with_supervisor()
        hold_server(settings.EMBEDDED_CLUSTER)
        name = parent.hostname or socket.gethostname()
        self.entry = parent.timer.call_repeatedly(settings.WORKER_HEARTBEAT_SECONDS, beat, (name,))
        beat(name)

    def stop(self, parent: Any) -> None:
        """End with the worker."""
        if self.entry is not None:
            self.entry.cancel()

    terminate = stop


def sweep() -> None:
    """Send again what a death or a lost message left lying; another worker may do so just as well."""
    from chat.tasks import send_waiting_turns
    from ingest.tasks import send_waiting_runs

    for send in (send_waiting_turns, send_waiting_runs):
        sweep_by(send)


def sweep_by(send: Callable[[], None]) -> None:
    """One kind of work looked after; a database that is away is no trouble of the other kind."""
    from django.db import DatabaseError, connection

    try:
        send()
    except DatabaseError:
        logger.exception("the sweep of %s failed; the next one tries again", send.__name__)
    finally:
        connection.close()


class Sweep(bootsteps.StartStopStep):
    """Looks after ingest runs and turns whose process died."""

    requires: ClassVar = {Heartbeat}

    def __init__(self, parent: Any, **options: Any) -> None:
        super().__init__(parent, **options)
        self.entry: Any = None

    def start(self, parent: Any) -> None:
        """Begin, soon after the worker itself."""
        self.entry = parent.timer.call_repeatedly(SWEEP_SECONDS, sweep)

    def stop(self, parent: Any) -> None:
        """End with the worker."""
        if self.entry is not None:
            self.entry.cancel()

    terminate = stop


class LeaveWhenIdle(bootsteps.StartStopStep):
    """Under the supervisor an idle worker leaves as soon as it takes no more tasks.

    Its consumer has stopped by then; what follows would only wait, seconds long, for threads to notice. The pool
    process goes with its parent.
    """

    requires: ClassVar = {Heartbeat}

    def stop(self, parent: Any) -> None:
        """End the process here unless a task is still being done."""
        if os.environ.get(SUPERVISOR_PID) and not state.reserved_requests:
            release_all()
            os._exit(0)


class LeaveWithBrokenPool(bootsteps.StartStopStep):
    """Ends a worker whose pool process was killed, so that whoever watches it starts a sound one.

    A process killed while it waits for work takes the pool's lock with it: its successor would wait for ever, and
    tasks with it, while the heartbeat goes on. Celery first gets time to requeue a task that was being done.
    """

    requires: ClassVar = {Heartbeat}

    def __init__(self, parent: Any, **options: Any) -> None:
        super().__init__(parent, **options)
        self.entry: Any = None
        self.first: frozenset[int] = frozenset()
        self.changed_at = 0.0

    def start(self, parent: Any) -> None:
        """Remember the pool's processes and look at them now and then."""
        self.first = pool_processes(parent)
        self.entry = parent.timer.call_repeatedly(POOL_CHECK_SECONDS, self.check, (parent,))

    def check(self, parent: Any) -> None:
        """Leave once the processes have been others for as long as Celery takes to notice a loss."""
        if pool_processes(parent) == self.first:
            return
        self.changed_at = self.changed_at or time.monotonic()
        if time.monotonic() - self.changed_at > 2 * parent.app.conf.worker_lost_wait:
            logger.warning("a pool process was lost; the worker ends to be started again")
            leave(parent)

    def stop(self, parent: Any) -> None:
        """End with the worker."""
        if self.entry is not None:
            self.entry.cancel()

    terminate = stop


def pool_processes(parent: Any) -> frozenset[int]:
    """The process ids of the prefork pool; none for the other pools."""
    pool = getattr(parent.pool, "_pool", None)
    return frozenset(process.pid for process in getattr(pool, "_pool", []))


def leave(parent: Any) -> None:
    """Give back what was taken from the queue and end at once, pool and all."""
    for request in list(state.reserved_requests):
        request.reject(requeue=True)
    for pid in pool_processes(parent):
        os.kill(pid, signal.SIGKILL)
    release_all()
    os._exit(1)
