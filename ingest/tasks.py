"""Ingest runs executed by a worker, and what follows them."""

from __future__ import annotations

from celery import shared_task

from ingest.indexing import index_for
from ingest.models import RunState
from ingest.runs import execute_run

_SECONDS_AT_ONCE = 5.0


@shared_task(name="ingest.execute_run", ignore_result=True)
def execute_run_task(run_id: int) -> None:
    """Executes one run; a redelivery of a run that another worker holds changes nothing."""
    if execute_run(run_id).state == RunState.PUBLISHED:
        index_edition_task.delay()


@shared_task(name="ingest.index_edition", ignore_result=True)
def index_edition_task() -> None:
    """Works on the index of the published edition for a while, and asks to be called again while any is left."""
    if index_for(_SECONDS_AT_ONCE):
        index_edition_task.delay()
