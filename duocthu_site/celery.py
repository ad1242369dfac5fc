"""The Celery application and what every worker does beside its tasks."""

from __future__ import annotations

import os
import socket
from typing import Any, ClassVar

from celery import Celery, bootsteps
from celery.signals import worker_process_init
from celery.worker import state

from duocthu_site.embedded import hold_server, release_all
from duocthu_site.parent_death import SUPERVISOR_PID, die_with_supervisor

app = Celery("duocthu")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@app.task(name="duocthu_site.ping")
def ping(name: str) -> None:
    """Leave a heartbeat under this name: shows that a task sent is a task done."""
    record_heartbeat(name)


def record_heartbeat(name: str) -> None:
    """Note in the database that name was alive just now."""
    from django.utils import timezone

    from ingest.models import WorkerHeartbeat

    WorkerHeartbeat.objects.update_or_create(name=name, defaults={"seen_at": timezone.now()})


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


def beat(name: str) -> None:
    """One heartbeat, with a connection that is given back at once."""
    from django.db import connection

    try:
        record_heartbeat(name)
    finally:
        connection.close()


app.steps["worker"].update({Heartbeat, LeaveWhenIdle})


@worker_process_init.connect(weak=False)
def bind_pool_process(**_kwargs: Any) -> None:
    """A pool process must not outlive its worker."""
    die_with_supervisor()
