"""What /metrics says: the counts of all processes of this machine added up, and what database and queue know."""

from __future__ import annotations

from collections.abc import Iterable

from django.conf import settings
from prometheus_client import CollectorRegistry, Gauge
from prometheus_client.core import InfoMetricFamily, Metric
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector

from duocthu_site.gauges import DatabaseGauges, QueueGauges
from duocthu_site.shared_counts import counted
from monographs.metric_files import LIVE, counting, use_files

use_files()
PROCESSES = Gauge(
    "duocthu_processes", "Processes that answer or work, and count, on this machine.", ["kind"], multiprocess_mode=LIVE
)


class _Build(Collector):
    def collect(self) -> Iterable[Metric]:
        """Which version runs."""
        return [InfoMetricFamily("duocthu_build", "The program.", {"version": settings.APP_VERSION})]


class _Counted(Collector):
    def collect(self) -> Iterable[Metric]:
        """What was counted."""
        return counted()


def exposition(accept: str = "") -> tuple[bytes, str]:
    """The metrics and their content type, in the format that the Accept header asks for."""
    registry = CollectorRegistry()
    for collector in (_Build(), DatabaseGauges(), QueueGauges(), _Counted()):
        registry.register(collector)
    encode, content_type = choose_encoder(accept)
    return encode(registry), content_type


def count_process(kind: str) -> None:
    """Says that this process lives. kind: web or worker."""
    with counting():
        PROCESSES.labels(kind).set(1)
