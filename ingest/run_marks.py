"""What lets one ingest run be followed: its number on every line of the log, and its span."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from structlog.contextvars import bound_contextvars

from ingest.models import IngestRun
from monographs.spans import span, trace_id


@contextmanager
def marked(run: IngestRun) -> Iterator[None]:
    """Whatever is logged or traced inside belongs to the run."""
    with span("ingest", run=run.pk, attempt=run.attempts):
        traced = {"otel_trace_id": trace_id()} if trace_id() else {}
        with bound_contextvars(run=run.pk, **traced):
            yield
