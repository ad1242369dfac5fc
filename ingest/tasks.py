"""Ingest runs executed by a worker."""

from __future__ import annotations

from celery import shared_task

from ingest.runs import execute_run


@shared_task(name="ingest.execute_run", ignore_result=True)
def execute_run_task(run_id: int) -> None:
    """Executes one run; a redelivery of a run that another worker holds changes nothing."""
    execute_run(run_id)
