"""A turn can be followed by its ids, in the log and in its trace, and neither holds the question."""

from __future__ import annotations

import json
import logging

import pytest
import structlog
from pytest_django import DjangoCaptureOnCommitCallbacks

from chat import turns
from chat.contract import Answer
from chat.models import Turn, TurnState
from chat.tasks import answer_turn, send_turn
from chat.turns import run_turn, start_turn
from monographs.private_words import keeping_private
from monographs.spans import carried, span
from tests.logged import logged
from tests.sample_edition import publish_sample
from tests.tracing import kept_spans, trace_of

pytestmark = pytest.mark.django_db
OWNER = "anon:me"
QUESTION = "chống chỉ định ibuprofen cho bà Hoa ở Huế"


def fail(*_: object, **__: object) -> None:
    logging.getLogger("chat.somewhere").warning("lost: %s", QUESTION)
    raise RuntimeError(f"row ({QUESTION}) refused")


def test_every_line_about_a_turn_has_its_ids_and_not_its_question(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "answer_question", fail)
    with logged() as lines, keeping_private():
        turn = run_turn(start_turn(owner=OWNER, question=QUESTION, correlation_id="HIS-77"))
    assert turn.state == TurnState.FAILED
    told = [json.loads(line) for line in lines()]
    assert [line["event"] for line in told][:2] == ["lost: […]", "turn_failed"]
    assert {(line["turn"], line["correlation_id"]) for line in told} == {(str(turn.pk), "HIS-77")}
    assert "RuntimeError: row ([…]) refused" in told[1]["exception"]
    assert "Hoa" not in "".join(lines()) and "ibuprofen cho" not in "".join(lines())


def test_after_a_turn_its_ids_are_gone() -> None:
    publish_sample()
    run_turn(start_turn(owner=OWNER, question=QUESTION))
    assert structlog.contextvars.get_contextvars() == {}


def test_each_stage_is_a_span_below_the_turns_and_the_answer_names_the_trace(
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    publish_sample()
    with kept_spans() as spans, logged() as lines, django_capture_on_commit_callbacks(execute=True):
        turn = run_turn(start_turn(owner=OWNER, question="chống chỉ định ibuprofen"))
    assert sorted(spans.below("turn")) == sorted(f"turn.{stage}" for stage in turn.timings)
    assert {"turn.understand", "turn.retrieve", "turn.verify"} <= set(spans.below("turn"))
    assert Answer.model_validate(turn.contract).otel_trace_id == trace_of(spans.named("turn"))
    assert dict(spans.named("turn").attributes or {}) == {"turn": str(turn.pk)}
    told = json.loads(lines()[-1])
    assert told["event"].startswith("turn_done decision=answerable reason=verified seconds=")


def test_without_tracing_the_answer_names_no_trace() -> None:
    publish_sample()
    turn = run_turn(start_turn(owner=OWNER, question="chống chỉ định ibuprofen"))
    assert Answer.model_validate(turn.contract).otel_trace_id == ""


def test_a_turn_handed_to_a_worker_stays_in_the_trace_of_whoever_asked() -> None:
    publish_sample()
    with kept_spans() as spans:
        turn = start_turn(owner=OWNER, question="chống chỉ định ibuprofen")
        with span("asked"):
            (carrier,) = carried()
        answer_turn(str(turn.pk), carrier)
        turn.refresh_from_db()
        assert spans.below("asked") == ["turn"]
        assert turn.contract["otel_trace_id"] == trace_of(spans.named("asked"))


def test_the_message_of_a_turn_holds_its_trace_and_nothing_that_was_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[tuple[object, ...]] = []
    monkeypatch.setattr(answer_turn, "delay", lambda *arguments: sent.append(arguments))
    turn = start_turn(owner=OWNER, question=QUESTION)
    send_turn(turn.pk)
    with kept_spans() as spans, span("asked"):
        send_turn(turn.pk)
    trace = trace_of(spans.named("asked"))
    assert sent[0] == (str(turn.pk),)
    assert sent[1][0] == str(turn.pk) and trace in str(sent[1][1]) and "Hoa" not in str(sent)


def test_a_failed_turn_keeps_its_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "answer_question", fail)
    with kept_spans() as spans:
        turn = run_turn(start_turn(owner=OWNER, question=QUESTION))
    assert Turn.objects.get(pk=turn.pk).contract["otel_trace_id"] == trace_of(spans.named("turn"))
    assert "Hoa" not in "".join(made.to_json() for made in spans.finished)
