"""What is counted of turns, each once: when it is stored, however often it was begun."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from prometheus_client import Counter, Histogram

from chat.contract import Answer
from chat.domain import Decision
from chat.llm.domain import Purpose, Usage
from chat.outcomes import OUTCOMES
from chat.trace import Trace
from monographs.call_metrics import count_call
from monographs.metric_files import counting, use_files

use_files()
TURNS = Counter("duocthu_turns", "Turns stored.", ["decision", "reason"])
CANCELLED = Counter("duocthu_turns_cancelled", "Turns given up by whoever asked.")
EXTRACTIVE = Counter("duocthu_answer_extractive", "Answers in the book's own sentences, no model having written any.")
GENERATED = Counter("duocthu_answer_generated", "Answers worded by a model, through every gate.")
REJECTIONS = Counter("duocthu_gate_rejections", "Claims of the last draft of a turn that a gate rejected.", ["gate"])
SECONDS = Histogram(
    "duocthu_turn_seconds",
    "From the asking to the storing, waiting included.",
    ["query_type"],
    buckets=(0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 45, 90, 300),
)
STAGE_SECONDS = Histogram(
    "duocthu_turn_stage_seconds",
    "Of each stage of a turn.",
    ["stage"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 45),
)
_SEARCHING = frozenset({Purpose.EMBED, Purpose.RERANK})
# From 0: a rate cannot see the first of what was not there before.
for _reason, _facts in OUTCOMES.items():
    TURNS.labels(_facts.decision.value, _reason.value)


def count_turn(answer: Answer, trace: Trace, timings: Mapping[str, float], *, seconds: float, is_reading: bool) -> None:
    """Adds a turn. timings: milliseconds by stage; is_reading: it shows a section whole, and answers nothing."""
    with counting():
        _count(answer, trace, timings, seconds=seconds, is_reading=is_reading)
    # The others were counted as they were made; of these only the trace knows.
    count_calls(call for call in trace.calls if call.purpose in _SEARCHING)


def count_calls(calls: Iterable[Usage]) -> None:
    """Adds calls of models, failed ones too."""
    for call in calls:
        count_call(
            purpose=call.purpose.value,
            model=call.model_id,
            fault=call.fault.value if call.fault else "",
            tokens=(call.input_tokens, call.output_tokens),
            ms=call.ms,
            cost=call.cost,
        )


def _count(answer: Answer, trace: Trace, timings: Mapping[str, float], *, seconds: float, is_reading: bool) -> None:
    TURNS.labels(answer.decision.value, answer.reason.value).inc()
    if answer.decision is Decision.ANSWERABLE and not is_reading:
        (EXTRACTIVE if answer.plan.reasoning_mode == "extractive" else GENERATED).inc()
    for claim in trace.claims:
        if claim.gate and claim.reason:
            REJECTIONS.labels(claim.gate).inc()
    SECONDS.labels(answer.query_type).observe(max(0.0, seconds))
    for stage, ms in timings.items():
        STAGE_SECONDS.labels(stage).observe(ms / 1000)


def count_cancelled() -> None:
    """Adds a turn that was given up."""
    with counting():
        CANCELLED.inc()
