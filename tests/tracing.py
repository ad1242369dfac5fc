"""Spans as the SDK finishes them, kept in memory instead of sent."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from monographs.spans import trace_with


class Spans:
    """What was finished, in order."""

    def __init__(self) -> None:
        self._exporter = InMemorySpanExporter()
        self.provider = TracerProvider(shutdown_on_exit=False)
        self.provider.add_span_processor(SimpleSpanProcessor(self._exporter))

    @property
    def finished(self) -> tuple[ReadableSpan, ...]:
        """All of them."""
        return self._exporter.get_finished_spans()

    def named(self, name: str) -> ReadableSpan:
        """The only one of this name."""
        (found,) = (made for made in self.finished if made.name == name)
        return found

    def below(self, name: str) -> list[str]:
        """The names of those right below this one, in the order in which they ended."""
        above = self.named(name).context.span_id
        return [made.name for made in self.finished if made.parent and made.parent.span_id == above]


@contextmanager
def kept_spans() -> Iterator[Spans]:
    """Spans are made inside, and kept."""
    spans = Spans()
    trace_with(spans.provider)
    try:
        yield spans
    finally:
        trace_with(None)
        spans.provider.shutdown()


def trace_of(made: ReadableSpan) -> str:
    """The id of its trace, as 32 hexadecimal digits."""
    return f"{made.context.trace_id:032x}"
