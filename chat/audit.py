"""A stored turn in words for staff: what was understood, what was considered, what the gates said, how long it took."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from chat.audit_calls import Calls, show_calls
from chat.audit_words import (
    CONTEXT_TITLES,
    DECISION_TITLES,
    GATE_TITLES,
    HARM_TITLES,
    KIND_TITLES,
    RELATION_TITLES,
    STAGE_TITLES,
    STATE_TITLES,
    TURN_TYPE_TITLES,
    VERSION_TITLES,
)
from chat.changes import Changes, compare_answers
from chat.display import ShownAnswer, show_answer, stored_answer
from chat.domain import POPULATION_TITLES, ROUTE_TITLES, Decision, QueryFrame, Reason
from chat.frame import load_frame
from chat.models import Turn
from chat.outcomes import OUTCOMES
from chat.topics import topic_named
from chat.trace import Checked, Considered, Trace, load_trace
from monographs.domain import SECTION_FACTS

NOT_USED = "không dùng"


@dataclass(frozen=True, slots=True)
class EvidenceGroup:
    """Passages of one section, as they were considered one after another."""

    title: str
    rows: tuple[EvidenceRow, ...]

    @property
    def chosen(self) -> int:
        """How many of them the answer was made of."""
        return sum(row.item.chosen for row in self.rows)


@dataclass(frozen=True, slots=True)
class EvidenceRow:
    """A passage with its words for the page."""

    item: Considered
    kind: str
    state: str


@dataclass(frozen=True, slots=True)
class Cell:
    """What one gate said of one claim: passed, rejected (with why), or did not get to it."""

    state: str
    text: str


@dataclass(frozen=True, slots=True)
class GateRow:
    """A claim with the verdict of each gate."""

    number: int
    text: str
    passages: tuple[int, ...]
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Neighbour:
    """The same question asked earlier or later, with what its answer has otherwise."""

    turn: Turn
    decision: str
    changes: Changes | None


@dataclass(frozen=True, slots=True)
class Audit:
    """A turn ready for the page. timings: stage, milliseconds; raw: the stored JSON, indented."""

    turn: Turn
    shown: ShownAnswer | None
    decision: str
    reason: str
    next_step: str
    ended_in: str
    frame: tuple[tuple[str, str], ...]
    has_trace: bool
    evidence: tuple[EvidenceGroup, ...]
    gates: tuple[str, ...]
    claims: tuple[GateRow, ...]
    timings: tuple[tuple[str, float], ...]
    versions: tuple[tuple[str, str], ...]
    calls: Calls
    left_out: tuple[str, ...]
    before: Neighbour | None
    after: tuple[Neighbour, ...]
    raw: tuple[tuple[str, str], ...]

    @property
    def total(self) -> float:
        """Milliseconds of all stages."""
        return round(sum(took for _, took in self.timings), 2)

    @property
    def considered(self) -> int:
        """How many passages were considered."""
        return sum(len(group.rows) for group in self.evidence)


def audit_turn(turn: Turn) -> Audit:
    """The turn in words; reads what stands beside it (its reruns). What an older version stored is left out."""
    answer, trace = stored_answer(turn), load_trace(turn.trace)
    facts = OUTCOMES.get(Reason(turn.reason)) if turn.reason in set(Reason) else None
    found = trace or Trace()
    return Audit(
        turn=turn,
        shown=show_answer(answer) if answer else None,
        decision=decision_title(turn.decision),
        reason=answer.message if answer else facts.text if facts else "",
        next_step=answer.next_step if answer else "",
        ended_in=STAGE_TITLES.get(found.ended_in, ""),
        frame=tuple(frame_rows(load_frame(turn.frame))),
        has_trace=trace is not None,
        evidence=_evidence(found.evidence),
        gates=tuple(GATE_TITLES.get(gate, gate) for gate in found.gates),
        claims=_claims(found, [claim.claim for claim in answer.claims] if answer else []),
        timings=tuple((title, turn.timings[key]) for key, title in STAGE_TITLES.items() if key in turn.timings),
        versions=tuple((title, getattr(found.versions, key) or NOT_USED) for key, title in VERSION_TITLES.items()),
        calls=show_calls(found.calls),
        left_out=found.left_out,
        before=_neighbour(turn.rerun_of, turn) if turn.rerun_of else None,
        after=tuple(_neighbour(later, turn) for later in turn.reruns.order_by("created_at")),
        raw=tuple(_raw(turn)),
    )


def decision_title(decision: str) -> str:
    """The decision in Vietnamese; "" before there is one."""
    return DECISION_TITLES[Decision(decision)] if decision in set(Decision) else ""


def frame_rows(frame: QueryFrame | None) -> Iterator[tuple[str, str]]:
    """(label, value) of everything that was understood, in Vietnamese; what was not is left out."""
    if frame is None:
        return
    rows = (*_asked_rows(frame), *_patient_rows(frame), *_course_rows(frame))
    yield from ((label, value) for label, value in rows if value)


def _asked_rows(frame: QueryFrame) -> Iterator[tuple[str, str]]:
    sections = [key for key in (frame.attribute, *frame.also) if key]
    yield "Dạng câu hỏi", TURN_TYPE_TITLES[frame.turn_type]
    yield "Thuốc", _listed(drug.name for drug in frame.drugs)
    yield "Tên không có trong sách", _listed(frame.unknown_drugs)
    yield "Tên có thể là", _listed(drug.name for drug in frame.options)
    yield "Mục được hỏi", _listed(SECTION_FACTS[key].title for key in sections)
    yield "Cả mục", "có" if frame.section_overview else ""
    yield "Quan hệ", RELATION_TITLES[frame.condition_relation] if frame.condition_relation else ""
    yield "Cách dùng được hỏi", _listed(topic.title for key in frame.topics if (topic := topic_named(key)))
    yield "Điều được nhắc tới", _listed(str(term) for term in frame.terms)
    yield "Hỏi thuốc có gây gì không", "có" if frame.asks_effect else ""
    yield "Hỏi có dùng được không", "có" if frame.asks_suitability else ""


def _patient_rows(frame: QueryFrame) -> Iterator[tuple[str, str]]:
    yield "Đối tượng", _listed(sorted(POPULATION_TITLES[each] for each in frame.populations))
    yield "Đường dùng", ROUTE_TITLES[frame.route] if frame.route else ""
    yield "Tuổi", frame.age_text or ""
    yield "Cân nặng", f"{frame.weight_kg} kg" if frame.weight_kg is not None else ""
    yield "Độ thanh thải creatinin", f"{frame.clearance_ml_min} ml/phút" if frame.clearance_ml_min is not None else ""
    yield "Chỉ cho creatinin huyết thanh", "có" if frame.serum_creatinine else ""
    yield "Xét nghiệm", _listed(f"{kind}: {value}" for kind, value in frame.labs)
    yield "Dị ứng", _listed(frame.allergies)
    yield "Tai biến", HARM_TITLES.get(frame.harm, frame.harm)


def _course_rows(frame: QueryFrame) -> Iterator[tuple[str, str]]:
    yield "Với lượt trước", CONTEXT_TITLES[frame.context_action]
    yield "Câu đầy đủ", frame.standalone_query or ""
    yield "Cần hỏi lại", OUTCOMES[frame.needs_clarify].text if frame.needs_clarify else ""
    yield "Lựa chọn đưa ra", _listed(frame.quick_replies)
    yield "Lỗi", OUTCOMES[frame.system_error].text if frame.system_error else ""


def _listed(values: Iterator[str] | tuple[str, ...] | list[str]) -> str:
    return "; ".join(values)


def _evidence(items: tuple[Considered, ...]) -> tuple[EvidenceGroup, ...]:
    return tuple(
        EvidenceGroup(
            SECTION_FACTS[key].title,
            tuple(EvidenceRow(item, KIND_TITLES[item.kind], STATE_TITLES[item.state]) for item in group),
        )
        for key, group in groupby(items, key=lambda item: item.section)
    )


def _claims(trace: Trace, answered: list[str]) -> tuple[GateRow, ...]:
    return tuple(
        GateRow(
            number,
            claim.text or (answered[number - 1] if number <= len(answered) else ""),
            claim.passages,
            tuple(_cells(claim, trace.gates)),
        )
        for number, claim in enumerate(trace.claims, start=1)
    )


def _cells(claim: Checked, gates: tuple[str, ...]) -> Iterator[Cell]:
    """Gates run in their order, so those before the one that rejects have passed and those after it did not run."""
    left = claim.not_run
    for gate in gates:
        if left:
            yield Cell("skipped", "chưa xét")
        elif gate == claim.gate:
            left = True
            yield Cell("rejected", OUTCOMES[claim.reason].text if claim.reason else "")
        else:
            yield Cell("passed", "đạt")


def _neighbour(other: Turn, turn: Turn) -> Neighbour:
    answers = sorted((other, turn), key=lambda each: each.created_at)
    before, after = (stored_answer(each) for each in answers)
    return Neighbour(
        other, decision_title(other.decision), compare_answers(before, after) if before and after else None
    )


def _raw(turn: Turn) -> Iterator[tuple[str, str]]:
    for title, value in (
        ("Khung hiểu", turn.frame),
        ("Dấu vết", turn.trace),
        ("Câu trả lời", turn.contract),
        ("Thời gian", turn.timings),
    ):
        yield title, json.dumps(value, ensure_ascii=False, indent=1)
