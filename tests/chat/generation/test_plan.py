"""The plan of an answer: from the evidence, before a word is written."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chat.domain import TurnType
from chat.generation.plan import asks_all, plan_answer, suppresses_numbers
from chat.generation.writing import Writing
from monographs.domain import SectionKey
from tests.chat.generation.tasks import ADULT, CAUTION, CONTRA, DRUG, OTHER, STORAGE, TABLE, passage, task

ADR = passage("Thường gặp: buồn nôn.", section=SectionKey.ADR)


@pytest.mark.parametrize(
    ("writing", "verbosity", "layout", "heading", "warning"),
    [
        (task(ADULT), "brief", "dosage", True, False),
        (task(ADULT, TABLE), "brief", "dosage", True, True),
        (task(STORAGE), "brief", "prose", False, False),
        (task(ADR, replace(ADR, order=1), replace(ADR, order=2)), "brief", "bullet_list", False, False),
        (task(CONTRA), "brief", "prose", False, True),
        (task(CONTRA, CAUTION), "full", "bullet_list", True, True),
        (task(CONTRA, ADULT), "full", "dosage", True, True),
        (task(ADULT, question="liều đầy đủ"), "full", "dosage", True, False),
        (task(ADULT, section_overview=True), "full", "dosage", True, False),
        (task(STORAGE, replace(STORAGE, drug=OTHER)), "full", "bullet_list", True, False),
        (task(STORAGE, turn_type=TurnType.COMPARISON), "full", "bullet_list", True, False),
    ],
)
def test_a_plan_follows_the_evidence(
    writing: Writing, verbosity: str, layout: str, heading: bool, warning: bool
) -> None:
    plan = plan_answer(writing)
    assert (plan.verbosity, plan.layout, plan.show_heading, plan.needs_warning) == (verbosity, layout, heading, warning)
    assert plan.reasoning_mode == "generated"


@pytest.mark.parametrize("question", ["liều đầy đủ", "lieu day du", "tất cả liều", "TOÀN BỘ liều", "mọi trường hợp"])
def test_breadth_is_asked_for_with_and_without_accents(question: str) -> None:
    assert asks_all(task(ADULT, question=question))


@pytest.mark.parametrize(
    ("writing", "suppressed"),
    [
        (task(STORAGE, question="bảo quản thế nào"), True),
        (task(CONTRA, question="chống chỉ định gì"), True),
        (task(ADULT, question="dùng thế nào"), False),
        (task(ADULT, STORAGE, question="bảo quản thế nào"), False),
        (task(STORAGE, question="bảo quản ở bao nhiêu độ"), False),
        (task(ADR, question="tỷ lệ buồn nôn"), False),
        (task(ADR, question="TẦN SUẤT buồn nôn"), False),
        (task(ADR, question="buồn nôn mấy %"), False),
        (task(CONTRA, question="ngưỡng nào thì cấm"), False),
        (task(CONTRA, question="quá liều"), False),
    ],
)
def test_numbers_are_left_out_only_where_nobody_asks_for_them(writing: Writing, suppressed: bool) -> None:
    assert suppresses_numbers(plan_answer(writing), writing.question) is suppressed
    assert DRUG.drug_id in writing.drug_ids
