"""What lets one turn be followed: its ids on every line of the log, its span, and its question kept out of both."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from structlog.contextvars import bound_contextvars, get_contextvars

from chat.models import Turn
from monographs.private_words import keep_private, keeping_private
from monographs.spans import span, trace_id


@contextmanager
def marked(turn: Turn) -> Iterator[None]:
    """Whatever is logged or traced inside belongs to the turn."""
    with keeping_private(), span("turn", turn=str(turn.pk)):
        keep_private(turn.question)
        asked_with = turn.correlation_id or get_contextvars().get("correlation_id", "")
        ids = {"turn": str(turn.pk), "correlation_id": asked_with, "otel_trace_id": trace_id()}
        with bound_contextvars(**{name: value for name, value in ids.items() if value}):
            yield
