"""Amounts that tell of an overdose, and doses of everyday that do not."""

from __future__ import annotations

import pytest

from chat.overdose import tells_overdose
from chat.policy import EMERGENCY_NOTICE, emergency_notice
from chat.understand import understand
from monographs.domain import SectionKey
from monographs.text import fold
from tests.sample_corpus import sample_corpus

TOO_MUCH = [
    "bé 3 tuổi nuốt 5 viên amlodipin",
    "bé nuốt mất hai viên digoxin",
    "nuốt nửa lọ siro paracetamol",
    "nuốt khoảng 10 viên metformin",
    "người bệnh uống 20 viên digoxin",
    "uống hết 12 viên paracetamol 500 mg",
    "uống 2 vỉ paracetamol",
    "uống cả hộp nifedipin",
    "uống nửa chai siro ibuprofen",
    "lỡ 10 viên diazepam",
    "tiêm 10 ống morphin",
]
NO_MORE_THAN_ORDERED = [
    "paracetamol uống 2 viên một lần được không",
    "uống 1 gói oresol",
    "viên nifedipin nuốt nguyên viên",
    "nuốt cả viên omeprazol được không",
    "nuốt viên nang",
    "uống 8 viên/ngày prednisolon",
    "uống 10 viên mỗi ngày",
    "uống 21 viên trong 7 ngày",
    "uống 4 viên x 3 lần",
    "ibuprofen uống 3 lần mỗi ngày",
    "thuốc 10 viên một vỉ",
    "tiêm 1 ống adrenalin",
]


@pytest.mark.parametrize("question", [*TOO_MUCH, *map(fold, TOO_MUCH)])
def test_too_much_is_told(question: str) -> None:
    assert tells_overdose(question)
    assert emergency_notice(question) == EMERGENCY_NOTICE


@pytest.mark.parametrize("question", [*NO_MORE_THAN_ORDERED, *map(fold, NO_MORE_THAN_ORDERED)])
def test_a_dose_of_everyday_is_no_overdose(question: str) -> None:
    assert not tells_overdose(question)


@pytest.mark.parametrize(
    "question",
    [
        "bé 3 tuổi nuốt 5 viên amlodipin",
        "liều digoxin người lớn, đã uống 20 viên",
        "uống gấp đôi liều methotrexat",
        "tiêm nhầm insulin 100 đơn vị",
    ],
)
def test_who_took_too_much_is_never_shown_an_ordinary_dose(question: str) -> None:
    assert understand(question, sample_corpus()).attribute is SectionKey.QUA_LIEU


@pytest.mark.parametrize("question", ["seduxen uong lo au", "kali clorid uong du phong", "nhũ tương uống dự phòng"])
def test_words_that_only_sound_like_too_much(question: str) -> None:
    assert understand(question, sample_corpus()).attribute is not SectionKey.QUA_LIEU
