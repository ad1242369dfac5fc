"""A run can be followed: its number on every line, its stages as spans."""

from __future__ import annotations

import json
import logging

import pytest

from ingest import runs as runs_module
from ingest.domain import ParsedBook
from ingest.library import bundled_sample
from ingest.models import RunState
from ingest.runs import RunOptions, execute_run, request_run
from ingest.tasks import execute_run_task, send_run
from monographs.spans import carried, span
from tests.logged import logged
from tests.sample_book import FEW, sample_book
from tests.tracing import kept_spans, trace_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def run_id(monkeypatch: pytest.MonkeyPatch) -> int:
    """A queued run of a small book, whose parse takes no time."""

    def parsed(*_: object, **__: object) -> ParsedBook:
        return sample_book(titles=FEW)

    monkeypatch.setattr(runs_module, "parse_in_child", parsed)
    asked = request_run(bundled_sample(), RunOptions())
    assert asked.run is not None
    return asked.run.pk


def test_each_stage_is_a_span_below_the_runs(run_id: int) -> None:
    with kept_spans() as spans:
        run = execute_run(run_id)
    assert run.state in {RunState.PUBLISHED, RunState.BUILT}
    below = spans.below("ingest")
    assert below[:2] == ["ingest.open", "ingest.store"]
    assert ("ingest.publish" in below) is (run.state == RunState.PUBLISHED)
    assert dict(spans.named("ingest").attributes or {}) == {"run": run_id, "attempt": 1}


def test_a_run_stays_in_the_trace_of_whoever_asked_for_it(run_id: int, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[tuple[object, ...]] = []
    monkeypatch.setattr(execute_run_task, "delay", lambda *arguments: sent.append(arguments))
    with kept_spans() as spans:
        with span("asked"):
            send_run(run_id)
            assert sent == [(run_id, *carried())]
        execute_run_task.run(*sent[0])
        assert trace_of(spans.named("ingest")) == trace_of(spans.named("asked"))
    send_run(run_id)
    assert sent[1] == (run_id,)


def test_every_line_about_a_run_has_its_number(run_id: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        logging.getLogger("ingest.somewhere").warning("odd")
        raise RuntimeError("boom")

    monkeypatch.setattr(runs_module, "parse_in_child", fail)
    with logged() as lines:
        assert execute_run(run_id).state == RunState.FAILED
    assert {json.loads(line)["run"] for line in lines()} == {run_id}
    assert len(lines()) >= 2
