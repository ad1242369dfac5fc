"""Wordings whose meaning no understander may turn round."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chat.domain import QueryFrame, Relation, TurnType
from chat.rewrites import REWRITES, rewrite_frame
from chat.understand import understand
from monographs.text import fold
from tests.sample_corpus import sample_corpus


def _frame(question: str) -> QueryFrame:
    return understand(question, sample_corpus())


def _misread(question: str) -> QueryFrame:
    """The frame as an understander might have got it wrong."""
    return replace(_frame(question), turn_type=TurnType.OUT_OF_SCOPE)


@pytest.mark.parametrize(
    "question",
    [
        "viêm âm đạo dùng thuốc gì",
        "đau nửa đầu uống thuốc gì",
        "tăng huyết áp lựa chọn thuốc nào",
        "thuốc trị trào ngược",
        "thuốc chữa ghẻ",
        "thuốc điều trị tăng huyết áp",
        "sốt xuất huyết điều trị bằng gì",
    ],
)
def test_a_condition_and_a_question_for_drugs_asks_by_indication(question: str) -> None:
    for typed in (question, fold(question)):
        frame = rewrite_frame(_misread(typed))
        assert (frame.turn_type, frame.condition_relation) == (TurnType.CONDITION_TO_DRUG, Relation.INDICATION)


@pytest.mark.parametrize(
    ("question", "relation"),
    [
        ("thuốc nào gây ho khan", Relation.ADVERSE_EFFECT),
        ("những thuốc gây hạ kali huyết", Relation.ADVERSE_EFFECT),
        ("thuốc nào chống chỉ định ở người hen", Relation.CONTRAINDICATION),
        ("thuốc nào không được dùng khi mang thai", Relation.CONTRAINDICATION),
        ("thuốc nào phải tránh ở người suy gan", Relation.CONTRAINDICATION),
        ("người động kinh phải thận trọng với những thuốc nào", Relation.CAUTION),
        ("thuốc nào hay làm chảy máu cam", Relation.ADVERSE_EFFECT),
    ],
)
def test_what_causes_or_forbids_is_never_read_as_an_indication(question: str, relation: Relation) -> None:
    for typed in (question, fold(question)):
        frame = rewrite_frame(replace(_frame(typed), turn_type=TurnType.CONDITION_TO_DRUG))
        assert (frame.turn_type, frame.condition_relation) == (TurnType.CONDITION_RELATION, relation)


@pytest.mark.parametrize(
    "question",
    ["sốc tim thuốc nào có chỉ định, thuốc nào cấm", "đau đầu ở bà bầu, thuốc nào được, thuốc nào phải tránh"],
)
def test_who_asks_for_both_is_given_the_candidates(question: str) -> None:
    for typed in (question, fold(question)):
        frame = rewrite_frame(replace(_frame(typed), turn_type=TurnType.CONDITION_TO_DRUG))
        assert frame.turn_type is TurnType.CONDITION_TO_DRUG


@pytest.mark.parametrize(
    ("question", "turn_type"),
    [
        ("metformin có tác dụng gì", TurnType.DRUG_TO_CONDITION),
        ("ibuprofen trị bệnh gì", TurnType.DRUG_TO_CONDITION),
        ("metformin có chống chỉ định nào", TurnType.DRUG_ATTRIBUTE),
        ("aspirin liều dùng", TurnType.DRUG_ATTRIBUTE),
    ],
)
@pytest.mark.parametrize("misread", [TurnType.CONDITION_TO_DRUG, TurnType.CONDITION_RELATION])
def test_a_named_drug_is_what_the_question_is_about(question: str, turn_type: TurnType, misread: TurnType) -> None:
    assert rewrite_frame(replace(_frame(question), turn_type=misread)).turn_type is turn_type


@pytest.mark.parametrize(
    "question",
    [
        "liều paracetamol cho bé 10 kg",
        "chống chỉ định của metformin",
        "ibuprofen có gây ho không",
        "thuốc gì vậy",
        "xin chào",
        "zithromax dùng thuốc gì thay",
        "",
    ],
)
def test_everything_else_is_left_as_it_was(question: str) -> None:
    frame = _frame(question)
    assert all(rewrite(frame) == frame for rewrite in REWRITES)
