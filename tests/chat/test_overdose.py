"""Amounts that tell of an overdose, and doses of everyday that do not."""

from __future__ import annotations

import pytest

from chat.overdose import tells_overdose
from chat.policy import EMERGENCY_NOTICE, emergency_notice
from chat.understand import understand
from monographs.domain import SectionKey
from monographs.text import fold
from tests.chat.faults import fault
from tests.sample_corpus import sample_corpus

TOO_MUCH = [
    "bé 3 tuổi nuốt 5 viên amlodipin",
    "bé nuốt mất hai viên digoxin",
    "nuốt khoảng 10 viên metformin",
    "người bệnh uống 20 viên digoxin",
    "uống hết 12 viên paracetamol 500 mg",
    "uống 2 vỉ paracetamol",
    "uống cả hộp nifedipin",
    "uống nửa chai siro ibuprofen",
    "lỡ 10 viên diazepam",
    "tiêm 10 ống morphin",
    "tu gần hết chai siro paracetamol",
    "tu hết nửa chai siro",
    "bé tu một mạch hết chai siro ibuprofen",
    "uống liền 12 viên amlodipin",
    "uống liền một lúc 15 viên paracetamol",
    "uống một lúc 10 viên metformin",
    "cùng lúc 10 viên digoxin",
    "ngày tới 5 viên digoxin",
    "ngày lên tới 6 viên paracetamol",
    "uống đến tận 8 viên warfarin",
    "dùng luôn 10 ống furosemid",
    "ăn hết 20 viên clorpheniramin",
    "bé nhai mất 2 viên gliclazid",
    "nuốt phải 1 viên gliclazid",
    "nuốt mấy viên diazepam",
    "uống nguyên lọ siro",
    "uống sạch chai siro",
    "uống gần hết lọ",
    "tiêm hết 8 ống diazepam",
    "tự ý uống 12 viên",
    "uống mười viên paracetamol",
    "uống hai chục viên paracetamol",
    "uống 2 chục viên paracetamol",
    "uống tận 10 viên metformin",
    "nuốt vài viên diazepam",
    "hít 10 nhát salbutamol",
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
    "uống 2 viên sáng 2 viên tối",
    "uống 1 viên lúc 8 giờ",
    "uống 4 viên một lần",
    "uống 8 viên một ngày chia 4 lần",
    "uống 10 viên chia 2 lần",
    "uống liền 7 ngày",
    "uống tới ngày thứ 5",
    "ngày tới 3 viên",
    "uống nửa viên",
    "uống 1 gói lúc sáng",
    "mua 2 vỉ paracetamol",
    "kê 20 viên",
    "10 viên/vỉ",
    "pha 2 lọ ceftriaxon",
    "dùng 10 ống trong 10 ngày",
    "hít 2 nhát",
    "xịt 2 nhát khi khó thở",
    "tiêm 1 lọ ceftriaxon",
    "truyền 1 chai metronidazol",
    "truyền hết chai paracetamol trong bao lâu",
    "uống 1 chai siro trong 5 ngày",
    "tối đa tới 8 viên/ngày",
    "nuốt nửa viên được không",
]


@pytest.mark.parametrize(
    "question",
    [
        *TOO_MUCH,
        *map(fold, TOO_MUCH),
        "nuốt nửa lọ siro paracetamol",
        "nuot nua lo siro paracetamol",
    ],
)
def test_too_much_is_told(question: str) -> None:
    assert tells_overdose(question)
    assert emergency_notice(question) == EMERGENCY_NOTICE


@pytest.mark.parametrize(
    "question",
    [
        *NO_MORE_THAN_ORDERED,
        *map(fold, NO_MORE_THAN_ORDERED),
        fault(
            "dùng 2 lọ vancomycin một ngày",
            reason="`dùng` a vial is read as eaten: handling of overdose and a notice are shown",
        ),
    ],
)
def test_a_dose_of_everyday_is_no_overdose(question: str) -> None:
    assert not tells_overdose(question)


@pytest.mark.parametrize(
    "question",
    [
        "bé 3 tuổi nuốt 5 viên amlodipin",
        "liều digoxin người lớn, đã uống 20 viên",
        "uống gấp đôi liều methotrexat",
        "tiêm nhầm insulin 100 đơn vị",
        "uống gấp 10 lần liều digoxin",
        "insulin tiêm gấp đôi, liều tiếp theo bao nhiêu",
        "bơm thẳng kali clorid vào tĩnh mạch",
        "tiêm thẳng kali clorid, liều",
        "đẩy thẳng ống kali clorid",
        "uống nhầm gliclazid",
        "uống nhầm 1 viên diazepam cho bé",
        "cho bé uống nhầm siro paracetamol người lớn",
        "nuốt nhầm viên digoxin",
        "bé uống nhầm thuốc của ông, amlodipin",
        "bé nhai mất viên nifedipin của bà",
        "dược sĩ hiểu nhầm toa methotrexat",
        "methotrexat uống hàng ngày thay vì hàng tuần",
        "cho nhầm thuốc adrenalin",
        "uống quá tay paracetamol",
        "bé uống cả chai siro paracetamol",
        "digoxin ngày tới 5 viên",
        "tu gần hết chai siro ibuprofen, liều bé 3 tuổi",
        "uống liền 12 viên amlodipin",
    ],
)
def test_who_took_too_much_is_never_shown_an_ordinary_dose(question: str) -> None:
    for typed in (question, fold(question)):
        frame = understand(typed, sample_corpus())
        assert frame.attribute is SectionKey.QUA_LIEU and frame.also == () and not frame.dose_implied


@pytest.mark.parametrize("question", ["uống dư 1 viên warfarin", "uống lố 2 viên warfarin", "lộn thuốc digoxin"])
def test_some_words_for_it_count_only_with_their_accents(question: str) -> None:
    assert understand(question, sample_corpus()).attribute is SectionKey.QUA_LIEU
    assert understand(fold(question), sample_corpus()).attribute is not SectionKey.QUA_LIEU


def test_a_missed_dose_taken_twice_stays_a_question_about_the_missed_dose() -> None:
    for question in ("quên 1 liều warfarin mai uống gấp đôi được không", "quen uong levothyroxin mai uong gap doi"):
        assert "missed" in understand(question, sample_corpus()).topics


@pytest.mark.parametrize(
    "question",
    [
        "seduxen uong lo au",
        "kali clorid uong du phong",
        "nhũ tương uống dự phòng",
        "aspirin uống thay thế được không",
        "digoxin uống liền 7 ngày",
        "amlodipin ngày tới 2 viên",
        "bơm tiêm insulin",
        "prednisolon gấp được không",
        "metformin mua hộp 3 vỉ",
        "levothyroxin uống buổi tối thay vì buổi sáng được không",
        fault("metformin uống hết hộp có cần mua tiếp không", reason="a pack finished in its time is no overdose"),
    ],
)
def test_words_that_only_sound_like_too_much(question: str) -> None:
    assert understand(question, sample_corpus()).attribute is not SectionKey.QUA_LIEU
