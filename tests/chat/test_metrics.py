"""What is counted of a turn: once, when it is stored, under labels of which there are few."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal

import pytest
from prometheus_client import REGISTRY
from pytest_django import DjangoCaptureOnCommitCallbacks

from chat import metrics, turns
from chat.contract import AnswerPlan
from chat.domain import Decision, Reason
from chat.llm.domain import Fault, Purpose, Usage
from chat.models import Turn, TurnState
from chat.outcomes import OUTCOMES
from chat.tasks import answer_turn
from chat.trace import Checked, Trace
from chat.turns import Chosen, cancel_turn, run_turn, start_reading, start_turn
from monographs.models import Section
from tests.factories import make_answer
from tests.sample_edition import publish_sample

pytestmark = pytest.mark.django_db
OWNER = "anon:me"
_OURS = "duocthu_"


def samples() -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    """Everything of ours that is counted so far, but for when it began and the bounds of histograms."""
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for metric in REGISTRY.collect()
        if metric.name.startswith(_OURS)
        for sample in metric.samples
        if not sample.name.endswith(("_created", "_bucket", "_sum"))
    }


@contextmanager
def growth() -> Iterator[dict[str, float]]:
    """What was counted inside: name{label values} to by how much it grew."""
    before, grown = samples(), dict[str, float]()
    yield grown
    for (name, labels), value in samples().items():
        more = value - before.get((name, labels), 0.0)
        if more:
            grown[f"{name.removeprefix(_OURS)}{{{','.join(text for _, text in labels)}}}"] = more


@pytest.fixture
def commit(django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks) -> DjangoCaptureOnCommitCallbacks:
    return django_capture_on_commit_callbacks


def ask(question: str) -> Turn:
    return run_turn(start_turn(owner=OWNER, question=question))


def stages_in(grown: Mapping[str, float]) -> set[str]:
    return {key.partition("{")[2].rstrip("}") for key in grown if key.startswith("turn_stage_seconds_count")}


def test_an_extractive_answer_is_counted_apart(commit: DjangoCaptureOnCommitCallbacks) -> None:
    publish_sample()
    with growth() as grown, commit(execute=True):
        turn = ask("chống chỉ định ibuprofen")
    assert turn.decision == Decision.ANSWERABLE
    assert grown["turns_total{answerable,verified}"] == 1
    assert grown["answer_extractive_total{}"] == 1
    assert "answer_generated_total{}" not in grown
    assert grown["turn_seconds_count{drug_attribute}"] == 1
    assert stages_in(grown) == set(turn.timings)


def test_an_abstention_is_counted_by_its_reason_and_is_no_answer(commit: DjangoCaptureOnCommitCallbacks) -> None:
    publish_sample()
    with growth() as grown, commit(execute=True):
        turn = ask("liều aspirinol")
    assert turn.decision != Decision.ANSWERABLE
    assert grown[f"turns_total{{{turn.decision},{turn.reason}}}"] == 1
    assert "answer_extractive_total{}" not in grown


def test_a_section_that_is_read_is_no_answer(commit: DjangoCaptureOnCommitCallbacks) -> None:
    edition = publish_sample()
    section = Section.objects.filter(monograph__edition=edition, key="chong_chi_dinh").select_related("monograph")[0]
    chosen = Chosen(section.monograph.slug, section.anchor)
    with growth() as grown, commit(execute=True):
        turn = run_turn(start_reading(owner=OWNER, chosen=chosen, called=("x", "y")))
    assert turn.decision == Decision.ANSWERABLE
    assert sum(more for name, more in grown.items() if name.startswith("turns_total")) == 1
    assert "answer_extractive_total{}" not in grown


def test_a_redelivered_turn_is_counted_once(commit: DjangoCaptureOnCommitCallbacks) -> None:
    publish_sample()
    turn = start_turn(owner=OWNER, question="chống chỉ định ibuprofen")
    with growth() as grown, commit(execute=True):
        answer_turn(str(turn.pk))
        answer_turn(str(turn.pk))
    assert grown["turns_total{answerable,verified}"] == 1


def test_a_cancelled_turn_is_counted_as_such_and_once(commit: DjangoCaptureOnCommitCallbacks) -> None:
    turn = start_turn(owner=OWNER, question="chống chỉ định ibuprofen")
    with growth() as grown, commit(execute=True):
        cancel_turn(OWNER, turn.pk)
        cancel_turn(OWNER, turn.pk)
        run_turn(turn)
    assert grown == {"turns_cancelled_total{}": 1.0}


def test_a_turn_that_failed_is_counted_with_its_reason(
    commit: DjangoCaptureOnCommitCallbacks, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr(turns, "answer_question", fail)
    with growth() as grown, commit(execute=True):
        assert ask("chống chỉ định ibuprofen").state == TurnState.FAILED
    assert grown["turns_total{abstain,internal_error}"] == 1


def test_generated_answers_rejections_and_searches_are_counted_by_name() -> None:
    answer = make_answer(plan=AnswerPlan(reasoning_mode="generated"))
    rejected = Checked((1,), gate="numbers", reason=Reason.UNSUPPORTED_CLAIM)
    claims = (Checked((1,)), rejected, Checked((2,), not_run=True))
    calls = (
        Usage(Purpose.DRAFT, "m", 1000, 10),
        Usage(Purpose.EMBED, "e", 7, ms=1500.0, cost=Decimal("0.002")),
        Usage(Purpose.RERANK, "r", fault=Fault.TIMEOUT),
    )
    with growth() as grown:
        metrics.count_turn(answer, Trace(claims=claims, calls=calls), {"draft": 20.0}, seconds=-1.0, is_reading=False)
    assert grown["answer_generated_total{}"] == 1 and "answer_extractive_total{}" not in grown
    assert {key: more for key, more in grown.items() if key.startswith("gate_")} == {
        "gate_rejections_total{numbers}": 1.0
    }
    assert grown["provider_calls_total{,e,embed}"] == 1
    assert grown["provider_calls_total{timeout,r,rerank}"] == 1
    assert grown["provider_tokens_total{input,e,embed}"] == 7
    assert grown["provider_cost_usd_total{e,embed}"] == pytest.approx(0.002)
    assert grown["provider_seconds_total{e,embed}"] == pytest.approx(1.5)
    assert not any("draft" in key and key.startswith("provider") for key in grown), "counted as it was made"


def test_calls_of_a_turn_that_came_to_nothing_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    def spend(_turn: Turn, _hold: object, calls: list[Usage]) -> None:
        calls.append(Usage(Purpose.JUDGE, "m", 900, 1, cost=Decimal(1), fault=Fault.THROTTLED))
        raise RuntimeError("boom")

    monkeypatch.setattr(turns, "_answer", spend)
    with growth() as grown:
        ask("chống chỉ định ibuprofen")
    assert grown["provider_calls_total{throttled,m,judge}"] == 1
    assert grown["provider_cost_usd_total{m,judge}"] == 1


def test_every_outcome_begins_at_nothing() -> None:
    names = {dict(labels)["reason"] for (name, labels), _ in samples().items() if name == "duocthu_turns_total"}
    assert names == {reason.value for reason in OUTCOMES} == {reason.value for reason in Reason}


def test_a_full_disk_costs_a_turn_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    publish_sample()
    for counter in (metrics.TURNS, metrics.CANCELLED):
        monkeypatch.setattr(counter, "inc", full)
        monkeypatch.setattr(counter, "labels", full)
    metrics.count_turn(make_answer(), Trace(), {}, seconds=1.0, is_reading=False)
    turn = start_turn(owner=OWNER, question="chống chỉ định ibuprofen")
    assert cancel_turn(OWNER, turn.pk).state == TurnState.CANCELLED


def test_no_label_holds_what_has_no_bounds(commit: DjangoCaptureOnCommitCallbacks) -> None:
    publish_sample()
    with commit(execute=True):
        turn = ask("chống chỉ định ibuprofen của bà Hoa 0912345678")
    told = str(samples())
    assert str(turn.pk) not in told and OWNER not in told
    assert "ibuprofen" not in told.lower() and "0912345678" not in told
