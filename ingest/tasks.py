"""Ingest runs executed by a worker, and what follows them."""

from __future__ import annotations

import logging

from celery import shared_task
from kombu.exceptions import OperationalError

from ingest.indexing import index_for
from ingest.models import RunState
from ingest.run_control import sweep_runs
from ingest.runs import execute_run
from ingest.sandbox import DEFAULT_LIMITS

log = logging.getLogger(__name__)
_SECONDS_AT_ONCE = 5.0
# What is left after the longest parse for storing the book; the limit only ends what no other limit ended.
_SECONDS_TO_STORE = 1_800
_LONGEST_RUN = int(DEFAULT_LIMITS.wall_seconds) + _SECONDS_TO_STORE


# A run may last longer than a message stays invisible. It is therefore acknowledged when it begins; should its worker
# die, the sweep sends it again once its lease is over.
@shared_task(
    name="ingest.execute_run",
    ignore_result=True,
    acks_late=False,
    time_limit=_LONGEST_RUN,
    soft_time_limit=_LONGEST_RUN - 30,
)
def execute_run_task(run_id: int) -> None:
    """Executes one run; a redelivery of a run that another worker holds changes nothing."""
    if execute_run(run_id).state == RunState.PUBLISHED:
        index_edition_task.delay()


@shared_task(name="ingest.index_edition", ignore_result=True)
def index_edition_task() -> None:
    """Works on the index of the published edition for a while, and asks to be called again while any is left."""
    if index_for(_SECONDS_AT_ONCE):
        index_edition_task.delay()


def send_run(run_id: int) -> None:
    """Hands a queued run to a worker; where the queue is away, the next sweep does."""
    try:
        execute_run_task.delay(run_id)
    except OperationalError:
        log.exception("run_not_sent run=%s", run_id)


def send_indexing() -> None:
    """Has the index of the published edition finished by a worker; where the queue is away, the next start does."""
    try:
        index_edition_task.delay()
    except OperationalError:
        log.exception("indexing_not_sent")


def send_waiting_runs() -> None:
    """Looks after runs that nobody holds: what a worker's death or a lost message would leave lying."""
    for run_id in sweep_runs():
        log.warning("run_sent_again run=%s", run_id)
        send_run(run_id)
