"""Ingest runs executed by a worker, and what follows them."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from celery import shared_task
from kombu.exceptions import OperationalError

from ingest.indexing import index_for
from ingest.models import RunState
from ingest.run_control import sweep_runs
from ingest.runs import execute_run
from ingest.sandbox import DEFAULT_LIMITS
from monographs.call_metrics import count_call, price_of
from monographs.embedding_models import EmbeddingError
from monographs.provider_calls import ProviderCall, collect_calls
from monographs.spans import carried, continued

log = logging.getLogger(__name__)
_SECONDS_AT_ONCE = 5.0
# Seconds; shorter than a message stays invisible, so that no pause is cut short by a second delivery.
_FIRST_PAUSE, _LONGEST_PAUSE, _MOST_FAILURES = 5, 200, 20
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
def execute_run_task(run_id: int, carrier: dict[str, str] | None = None) -> None:
    """Executes one run; a redelivery of a run that another worker holds changes nothing. carrier: of its trace."""
    with continued(carrier):
        run = execute_run(run_id)
    if run.state == RunState.PUBLISHED:
        index_edition_task.delay()


@shared_task(name="ingest.index_edition", ignore_result=True)
def index_edition_task(failures: int = 0) -> None:
    """Works on the index of the published edition for a while, and asks to be called again while any is left.

    failures: how often in a row the embedder failed before; after each the pause is longer, and in the end the next
    start goes on.
    """
    try:
        with collect_calls() as calls:
            left = index_for(_SECONDS_AT_ONCE)
    except EmbeddingError as error:
        log.warning("indexing_paused failures=%s error=%s", failures + 1, error)
        if failures < _MOST_FAILURES:
            pause = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2**failures)
            index_edition_task.apply_async((failures + 1,), countdown=pause)
        return
    finally:
        _count(calls)
    if left:
        index_edition_task.delay()


def _count(calls: Iterable[ProviderCall]) -> None:
    for call in calls:
        cost = price_of(call.model_id, call.tokens, 0)
        tokens = (call.tokens, 0)
        count_call(purpose="index", model=call.model_id, fault=call.trouble, tokens=tokens, ms=call.ms, cost=cost)


def send_run(run_id: int) -> None:
    """Hands a queued run to a worker; where the queue is away, the next sweep does."""
    try:
        execute_run_task.delay(run_id, *carried())
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
