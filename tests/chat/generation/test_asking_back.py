"""A question back that a model wrote: what it may say, and in whose words a choice is offered."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chat.domain import Reason, TurnType
from chat.generation.asking_back import ask_back
from chat.generation.writing import Writing
from monographs.domain import SectionKey
from tests.chat.generation.tasks import ADULT, CHILD, CONTRA, OTHER, STORAGE, TABLE, passage, task

DOSES = task(ADULT, CHILD)
SAFE = passage("Thuốc hàng đầu, an toàn cho người suy thận.", section=SectionKey.CHI_DINH)
LIST = task(CONTRA, replace(CONTRA, drug=OTHER), turn_type=TurnType.CONDITION_TO_DRUG)


@pytest.mark.parametrize(
    ("writing", "question", "reason"),
    [
        (DOSES, "Người bệnh bao nhiêu tuổi?", Reason.NEEDS_DETAIL),
        (DOSES, "Người bệnh nặng bao nhiêu kg?", Reason.NEEDS_DETAIL),
        (DOSES, "Người bệnh là người lớn hay trẻ em?", Reason.NEEDS_DETAIL),
        (DOSES, "Người bệnh có uống được không?", Reason.NEEDS_DETAIL),
        (DOSES, "Dùng 0,5 - 1 g/lần hay 125 mg/lần?", Reason.NEEDS_DETAIL),
        (DOSES, "Có phải dùng 10 g/lần không?", Reason.UNGROUNDED_NUMBER),
        (DOSES, "Có phải dùng 125 g/lần không?", Reason.UNGROUNDED_NUMBER),
        (DOSES, "Có dùng cùng digoxin không?", Reason.UNSUPPORTED_DRUG),
        (DOSES, "Thuốc thử an toàn, có cần tra thêm gì không?", Reason.ABSENCE_AS_SAFETY),
        (DOSES, "Có phải thuốc này không có tương tác?", Reason.ABSENCE_AS_SAFETY),
        (DOSES, "Có muốn dùng thuốc hàng đầu không?", Reason.UNSUPPORTED_RANKING),
        (DOSES, "Có bị ung thư không?", Reason.UNSUPPORTED_CLAIM),
        # A statement with a question mark, though every word of it is printed.
        (DOSES, "Có phải dùng 0,5 - 1 g/lần không?", Reason.UNSUPPORTED_CLAIM),
        (DOSES, "Người lớn uống 0,5 - 1 g/lần, đúng không?", Reason.UNSUPPORTED_CLAIM),
        (DOSES, "Người lớn uống 0,5 - 1 g/lần không?", Reason.UNSUPPORTED_CLAIM),
        (DOSES, "Có phải người bệnh là trẻ em không?", Reason.NEEDS_DETAIL),
        (task(CONTRA), "Có phải loét dạ dày tiến triển không?", Reason.UNSUPPORTED_CLAIM),
        (task(CONTRA), "Người bệnh có bị loét dạ dày tiến triển không?", Reason.NEEDS_DETAIL),
        (task(SAFE), "Thuốc thử an toàn cho người suy thận không?", Reason.ABSENCE_AS_SAFETY),
        (task(SAFE), "Có cần thuốc hàng đầu không?", Reason.UNSUPPORTED_RANKING),
        (DOSES, "Người lớn dùng 0,5 - 1 g/lần.", Reason.UNSUPPORTED_CLAIM),
        (DOSES, "Người lớn: 0,5 - 1 g/lần. Người bệnh bao nhiêu tuổi?", Reason.UNSUPPORTED_CLAIM),
        (DOSES, "Trẻ em không dùng thuốc này, người bệnh bao nhiêu tuổi?", Reason.POLARITY_MISMATCH),
        # Silence: so, and not so.
        (task(STORAGE), "Dược thư không nêu cách nhỏ mắt.", Reason.UNSUPPORTED_CLAIM),
        (task(STORAGE, question="nhỏ mắt thế nào"), "Dược thư không nêu cách nhỏ mắt.", Reason.NEEDS_DETAIL),
        (task(STORAGE), "Dược thư không nêu việc tránh ánh sáng.", Reason.UNSUPPORTED_CLAIM),
        (task(STORAGE), "Sách không có thông tin.", Reason.UNSUPPORTED_CLAIM),
        (task(STORAGE, TABLE, question="nhỏ mắt"), "Dược thư không nêu cách nhỏ mắt.", Reason.UNSUPPORTED_CLAIM),
        (LIST, "Dược thư không nêu tương tác nào.", Reason.ABSENCE_AS_SAFETY),
        (LIST, "Người bệnh bao nhiêu tuổi?", Reason.NEEDS_DETAIL),
    ],
)
def test_a_question_back_is_gated_like_a_claim(writing: Writing, question: str, reason: Reason) -> None:
    assert ask_back(question, (), writing).reason is reason


def test_what_is_read_and_not_shown_counts_against_silence() -> None:
    writing = replace(
        task(STORAGE, question="nhỏ mắt thế nào"),
        retrieved=(STORAGE, passage("Nhỏ mắt: 1 giọt, cách 6 giờ.", section=SectionKey.LIEU_DUNG)),
    )
    assert ask_back("Dược thư không nêu cách nhỏ mắt.", (), writing).reason is Reason.UNSUPPORTED_CLAIM


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("Dạng uống", Reason.NEEDS_DETAIL),
        ("10 kg", Reason.UNGROUNDED_NUMBER),
        ("Digoxin", Reason.UNSUPPORTED_DRUG),
        ("Dùng được", Reason.ABSENCE_AS_SAFETY),
        ("Bị ung thư", Reason.UNSUPPORTED_CLAIM),
    ],
)
def test_a_quick_reply_is_gated_too(reply: str, reason: Reason) -> None:
    asked = ask_back("Người bệnh thuộc trường hợp nào?", (reply,), task(STORAGE, question="uống thế nào"))
    assert asked.reason is reason


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("Đường uống", Reason.NEEDS_BRANCH),
        ("0,5 - 1 g/lần", Reason.UNSUPPORTED_CLAIM),
        ("Tối đa 4 g/ngày", Reason.UNSUPPORTED_CLAIM),
        ("60 mg/lần", Reason.UNSUPPORTED_CLAIM),
    ],
)
def test_a_dose_stands_on_no_button_though_it_is_printed(reply: str, reason: Reason) -> None:
    assert ask_back("Người bệnh thuộc trường hợp nào?", (reply,), DOSES).reason is reason


def test_a_choice_of_doses_is_the_books_and_in_the_programs_words() -> None:
    asked = ask_back("Người bệnh là người lớn hay trẻ em?", ("Người lớn", "Trẻ em"), DOSES)
    assert asked.reason is Reason.NEEDS_BRANCH
    assert set(asked.quick_replies) == {"Người lớn – Đường uống", "Trẻ em"}
    assert "terms" not in asked.detail


def test_where_a_value_is_asked_for_no_labels_are_offered() -> None:
    asked = ask_back("Người bệnh nặng bao nhiêu kg?", (), DOSES)
    assert (asked.reason, asked.quick_replies) == (Reason.NEEDS_DETAIL, ())


def test_a_streak_of_questions_ends() -> None:
    asked = ask_back("Người bệnh bao nhiêu tuổi?", (), replace(DOSES, streak=3))
    assert asked.reason is Reason.CLARIFY_NOT_CONVERGING
