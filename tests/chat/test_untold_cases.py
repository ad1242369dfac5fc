"""A dose whose label is for a case is not chosen by an age, a weight or a route where the question tells no case."""

from __future__ import annotations

import pytest

from chat.domain import Reason, Stop
from chat.selection import Selection
from tests.chat.dosing_cases import asked

_UNTOLD = [
    "liều prednisolon bé 5 tuổi 18kg",
    "prednisolon uống bé 8 tuổi 25kg ngày bao nhiêu mg",
    "prednisolon người lớn uống mấy mg",
    "prednisolon nguoi lon uong ngay may mg",
    "metronidazol bé 6 tuổi 20kg uống mấy mg",
    "diazepam bé 5 tuổi 18kg mấy mg",
    "methotrexat trẻ 10 tuổi 30kg liều",
    "methotrexat người lớn uống mấy mg",
    "fluconazol bé 4 tuổi 16kg uống mấy mg",
    "aspirin người lớn uống mấy mg",
    "furosemid bé 3 tuổi 14kg mấy mg",
]


@pytest.mark.parametrize("question", _UNTOLD)
def test_which_case_is_asked(question: str) -> None:
    found = asked(question)
    assert isinstance(found, Stop)
    assert found.reason is Reason.NEEDS_BRANCH


@pytest.mark.parametrize(
    "question",
    ["efferalgan 500 người lớn 70kg ngày tối đa mấy mg", "para nguoi lon 45kg", "be 8kg para may mg"],
)
def test_a_weight_on_the_label_of_an_infusion_chooses_no_way_of_giving(question: str) -> None:
    found = asked(question)
    assert isinstance(found, Stop)
    assert any("Đường uống" in reply for reply in found.quick_replies)


@pytest.mark.parametrize("question", ["efferalgan sủi 500 người lớn 70kg ngày tối đa mấy viên", "hapacol gói bé 10kg"])
def test_what_is_dissolved_to_drink_is_swallowed(question: str) -> None:
    assert not any("Truyền tĩnh mạch" in label for label in _labels(question))


@pytest.mark.parametrize(
    "question",
    [
        "Ibuprofen hỗn dịch cho bé 3 tuổi nặng 14kg, tối đa 1 ngày mấy mg?",
        "ibuprofen be 3 tuoi 14kg ngay toi da bao nhieu mg",
        "ibuprofen bé 5 tuổi uống liều bao nhiêu",
        "ibuprofen siro cho bé 18 tháng 11 kg",
    ],
)
def test_the_ordinary_dose_is_not_that_of_a_case_which_is_not_told(question: str) -> None:
    assert not any("Viêm khớp" in label for label in _labels(question))
    assert any("Đau, sốt" in label for label in _labels(question))


@pytest.mark.parametrize(
    ("question", "label"),
    [
        ("ibuprofen viêm khớp tự phát thiếu niên bé 3 tuổi 14kg", "Viêm khớp tự phát thiếu niên"),
        ("prednisolon hen cấp bé 4 tuổi 16kg mấy mg", "Cơn hen cấp, trẻ 1 tháng đến 11 tuổi"),
        ("prednisolon croup bé 2 tuổi 12kg", "Viêm thanh khí phế quản cấp"),
        ("metronidazol kỵ khí bé 6 tuổi 20kg uống mấy mg", "Trẻ 2 tháng - 11 tuổi, uống"),
        ("ceftriaxon bé 5 tuổi 18kg tiêm mấy mg", "liều thường dùng"),
        ("amoxicilin bé 5 tuổi 18kg uống", "Trẻ 5 - 11 tuổi"),
        ("losartan bé 8 tuổi 25kg liều", "Tăng huyết áp, cân nặng 20 kg đến dưới 50 kg"),
    ],
)
def test_a_case_that_is_told_or_the_only_one_is_chosen(question: str, label: str) -> None:
    assert any(label in found for found in _labels(question))


def _labels(question: str) -> set[str]:
    found = asked(question)
    assert isinstance(found, Selection)
    return {label for block in found.evidence for label in block.labels}
