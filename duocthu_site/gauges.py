"""What no process counts, read when it is asked for: work that waits, in the database and the queue, and workers."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

from celery import current_app
from django.conf import settings
from django.db import DatabaseError
from django.db.models import Count, Min
from django.utils import timezone
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from chat.models import ProviderBreaker, Turn, TurnState
from duocthu_site.worker import TURNS
from ingest.models import IngestRun, RunState, WorkerHeartbeat

log = logging.getLogger(__name__)
_TURNS = (TurnState.PENDING, TurnState.RUNNING)
_WORKERS = ("all", TURNS)
CONNECT_SECONDS = 2
BEATS_MISSED = 3


class DatabaseGauges(Collector):
    """One answer of the database to each scrape; without one, that it gave none."""

    def collect(self) -> Iterator[Metric]:
        """The gauges, first whether there are others."""
        try:
            found = [*_unfinished_turns(), *_runs(), *_workers(), _breakers()]
        except DatabaseError as error:
            log.warning("gauges_unread error=%s", type(error).__name__)
            found = []
        yield GaugeMetricFamily("duocthu_database_up", "Whether the database answered this scrape.", float(bool(found)))
        yield from found


class QueueGauges(Collector):
    """The same of the queue, whatever it is."""

    def collect(self) -> Iterator[Metric]:
        """The gauges, first whether there are others."""
        names = (settings.CELERY_TASK_DEFAULT_QUEUE, settings.TURNS_QUEUE)
        try:
            found = [
                _by("duocthu_queue_messages", "Tasks that wait.", "queue", [(name, _waiting(name)) for name in names])
            ]
        # Each broker's library has errors of its own.
        except Exception as error:
            log.warning("queue_unread error=%s", type(error).__name__)
            found = []
        yield GaugeMetricFamily("duocthu_queue_up", "Whether the queue answered this scrape.", float(bool(found)))
        yield from found


def _waiting(queue: str) -> float:
    """Messages of a queue; Redis and RabbitMQ know none that nothing was ever sent to."""
    with current_app.connection_for_write(connect_timeout=CONNECT_SECONDS) as broker:
        broker.ensure_connection(max_retries=1, timeout=CONNECT_SECONDS, interval_start=0)
        try:
            return float(broker.channel().queue_declare(queue, passive=True).message_count)
        except broker.channel_errors:
            return 0.0


def _unfinished_turns() -> Iterator[Metric]:
    waiting = Turn.objects.filter(state__in=_TURNS)
    found = {row["state"]: row["turns"] for row in waiting.order_by().values("state").annotate(turns=Count("pk"))}
    yield _by("duocthu_turns_unfinished", "Turns that wait or are being answered.", "state", _each(_TURNS, found))
    oldest = waiting.aggregate(oldest=Min("created_at"))["oldest"]
    age = (timezone.now() - oldest).total_seconds() if oldest else 0.0
    yield GaugeMetricFamily("duocthu_turns_oldest_seconds", "Age of the oldest of them.", age)


def _runs() -> Iterator[Metric]:
    rows = IngestRun.objects.order_by().values("state").annotate(runs=Count("pk"))
    found = {row["state"]: row["runs"] for row in rows}
    yield _by("duocthu_ingest_runs", "Ingest runs that are kept.", "state", _each(RunState, found))


def _workers() -> Iterator[Metric]:
    """By kind: a worker's own name is another after each start of its container."""
    seen: dict[str, list[datetime]] = {kind: [] for kind in _WORKERS}
    for name, seen_at in WorkerHeartbeat.objects.values_list("name", "seen_at"):
        seen[TURNS if name.startswith(f"{TURNS}@") else "all"].append(seen_at)
    oldest = timezone.now() - alive_within()
    alive = [(kind, float(sum(at >= oldest for at in found))) for kind, found in seen.items()]
    yield _by("duocthu_workers", "Workers that gave a sign of life of late; turns: of questions alone.", "kind", alive)


def alive_within() -> timedelta:
    """A worker that has given no sign of life for longer is taken for dead."""
    return timedelta(seconds=BEATS_MISSED * settings.WORKER_HEARTBEAT_SECONDS)


def _breakers() -> Metric:
    rows = ProviderBreaker.objects.order_by("name").values_list("name", "opened_at")
    states = [(name, float(opened is not None)) for name, opened in rows]
    return _by("duocthu_provider_breaker_open", "Whether a model is left alone for a while.", "model", states)


def _each(states: Iterable[str], found: dict[str, int]) -> list[tuple[str, float]]:
    """Every state, also those that nothing is in."""
    return [(str(state), float(found.get(state, 0))) for state in states]


def _by(name: str, told: str, label: str, values: Iterable[tuple[str, float]]) -> Metric:
    family = GaugeMetricFamily(name, told, labels=[label])
    for value, number in values:
        family.add_metric([value], number)
    return family
