"""Spans of turns and ingests. Nothing is made of them until the site gives a provider that sends them somewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from opentelemetry import context, trace
from opentelemetry.trace import NoOpTracer, Span, SpanKind, Status, StatusCode, Tracer, TracerProvider
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

_Value = str | int | float | bool
_NONE: Tracer = NoOpTracer()
# Of what a caller may send along only this: baggage is text without bounds.
_W3C = TraceContextTextMapPropagator()
_tracer: Tracer = _NONE


def trace_with(provider: TracerProvider | None) -> None:
    """From here on spans of this process go to the provider; None: nowhere."""
    global _tracer  # noqa: PLW0603 - one for the process, as the libraries of tracing have it
    _tracer = provider.get_tracer("duocthu") if provider else _NONE


@contextmanager
def span(name: str, *, kind: SpanKind = SpanKind.INTERNAL, **attributes: _Value) -> Iterator[Span]:
    """A span around what is done inside. Of an error only its type is kept: its message may hold a question."""
    with _tracer.start_as_current_span(
        name, kind=kind, attributes=attributes, record_exception=False, set_status_on_exception=False
    ) as made:
        try:
            yield made
        except BaseException as error:
            _failed(made, error)
            raise


@contextmanager
def stage_spans(prefix: str) -> Iterator[Callable[[str], None]]:
    """A function that is told each stage as it begins, which is when the one before it ends; the last ends here."""
    open_spans: list[Span] = []

    def begin(name: str) -> None:
        while open_spans:
            open_spans.pop().end()
        open_spans.append(_tracer.start_span(f"{prefix}{name}"))

    try:
        yield begin
    except BaseException as error:
        for left in open_spans:
            _failed(left, error)
        raise
    finally:
        for left in open_spans:
            left.end()


def trace_id() -> str:
    """The trace that is being made here, as 32 hexadecimal digits; "" where none is."""
    current = trace.get_current_span().get_span_context()
    return trace.format_trace_id(current.trace_id) if current.is_valid else ""


def carried() -> tuple[dict[str, str], ...]:
    """What a task must be sent with to go on in this trace (W3C traceparent); nothing where there is none."""
    carrier: dict[str, str] = {}
    if trace_id():
        _W3C.inject(carrier)
    return (carrier,) if carrier else ()


@contextmanager
def continued(carrier: Mapping[str, str] | None) -> Iterator[None]:
    """What is done inside belongs to the trace that it was sent with, where traces are made here at all."""
    if _tracer is _NONE or not carrier:
        yield
        return
    token = context.attach(_W3C.extract(carrier))
    try:
        yield
    finally:
        context.detach(token)


def _failed(of: Span, error: BaseException) -> None:
    of.set_status(Status(StatusCode.ERROR, type(error).__name__))
