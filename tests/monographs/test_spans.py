"""Spans: nothing without a provider; one inside the other with one; carried on; no message of an error in them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from opentelemetry.trace import StatusCode

from monographs.spans import carried, continued, span, stage_spans, trace_id
from tests.tracing import kept_spans, trace_of

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
TRACE = "0af7651916cd43dd8448eb211c80319c"


def test_without_a_provider_nothing_is_traced_or_carried() -> None:
    with continued({"traceparent": PARENT}), span("outer"):
        assert (trace_id(), carried()) == ("", ())


def test_a_trace_is_carried_from_one_process_to_the_next() -> None:
    with kept_spans() as spans:
        with span("asked"):
            (carrier,) = carried()
        with continued(carrier), span("answered"):
            assert trace_id() == trace_of(spans.named("asked"))
    assert spans.below("asked") == ["answered"]


@pytest.mark.parametrize(
    ("carrier", "goes_on"),
    [
        ({"traceparent": PARENT}, True),
        ({"traceparent": "00-00000000000000000000000000000000-b7ad6b7169203331-01"}, False),
        ({"traceparent": "' OR 1=1 --"}, False),
        ({"traceparent": ""}, False),
        ({}, False),
        (None, False),
    ],
)
def test_a_traceparent_is_gone_on_with_only_where_it_is_one(carrier: dict[str, str] | None, goes_on: bool) -> None:
    with kept_spans() as spans:
        with continued(carrier), span("here"):
            pass
        assert (trace_of(spans.named("here")) == TRACE) is goes_on


def test_baggage_of_a_caller_is_not_carried_on() -> None:
    with kept_spans(), continued({"traceparent": PARENT, "baggage": "name=Hoa"}), span("here"):
        (carrier,) = carried()
    assert set(carrier) == {"traceparent"}


def test_of_an_error_only_its_type_is_kept() -> None:
    with kept_spans() as spans, pytest.raises(ValueError, match="Hoa"), span("failing"):
        raise ValueError("bà Hoa")
    failed = spans.named("failing")
    assert (failed.status.status_code, failed.status.description, failed.events) == (
        StatusCode.ERROR,
        "ValueError",
        (),
    )


def test_each_stage_ends_where_the_next_begins_and_the_last_with_all() -> None:
    with kept_spans() as spans:
        with span("run"), stage_spans("ingest.") as begin:
            begin("open")
            begin("store")
        with pytest.raises(RuntimeError), stage_spans("again.") as begin:
            _fail_in(begin)
    assert spans.below("run") == ["ingest.open", "ingest.store"]
    assert spans.named("again.open").status.status_code is StatusCode.ERROR


def _fail_in(begin: Callable[[str], None]) -> None:
    begin("open")
    raise RuntimeError
