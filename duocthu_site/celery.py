"""The Celery application and what every worker does beside its tasks."""

from __future__ import annotations

from typing import Any

from celery import Celery
from celery.signals import worker_process_init, worker_process_shutdown

from duocthu_site.parent_death import die_with_supervisor
from duocthu_site.purging import Purge
from duocthu_site.worker_steps import Heartbeat, LeaveWhenIdle, LeaveWithBrokenPool, Sweep, record_heartbeat

app = Celery("duocthu")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@app.task(name="duocthu_site.ping")
def ping(name: str) -> None:
    """Leave a heartbeat under this name: shows that a task sent is a task done."""
    record_heartbeat(name)


app.steps["worker"].update({Heartbeat, LeaveWhenIdle, LeaveWithBrokenPool, Purge, Sweep})


@worker_process_init.connect(weak=False)
def bind_pool_process(**_kwargs: Any) -> None:
    """A pool process must not outlive its worker; it counts and traces for itself."""
    from duocthu_site.metrics import count_process
    from duocthu_site.tracing import start_tracing

    die_with_supervisor()
    start_tracing()
    count_process("worker")


@worker_process_shutdown.connect(weak=False)
def end_pool_process(**_kwargs: Any) -> None:
    """What is left of its spans is sent."""
    from duocthu_site.tracing import stop_tracing

    stop_tracing()
