"""Scope and red flags on accented and bare text."""

import pytest

from chat.domain import Reason
from chat.policy import check_scope, emergency_notice


@pytest.mark.parametrize(
    "question",
    [
        "liều amoxicilin cho chó 10 kg",
        "lieu amoxicilin cho cho 10kg",
        "con mèo nhà tôi uống paracetamol được không",
        "ivermectin trong thú y",
        "thuoc thu y",
        "gentamicin cho lợn",
        "dog 12 kg amoxicillin dose",
    ],
)
def test_animals_are_out_of_scope(question: str) -> None:
    stop = check_scope(question)
    assert stop is not None and stop.reason is Reason.NON_HUMAN_SCOPE


@pytest.mark.parametrize(
    "question",
    [
        "liều paracetamol cho bé 10 kg",
        "lieu paracetamol cho be 10kg",
        "warfarin cho người cao tuổi",
        "thuoc dung cho cho con bu",
        "ibuprofen cho phụ nữ cho con bú",
        "cho hỏi liều amoxicilin",
        "bà cụ bị chó nhà hàng xóm cắn, kháng sinh nào",
        "vết cắn của động vật nhiễm khuẩn dùng kháng sinh gì",
        "cho toi hoi lieu amoxicilin",
    ],
)
def test_people_are_in_scope(question: str) -> None:
    assert check_scope(question) is None


def test_a_caller_narrows_scope_and_never_widens_it() -> None:
    assert check_scope("liều paracetamol", claimed="veterinary") is not None
    assert check_scope("liều paracetamol cho chó", claimed="human") is not None


@pytest.mark.parametrize(
    "question",
    [
        "bé uống nhầm 10 viên paracetamol",
        "quá liều paracetamol xử trí",
        "soc phan ve lieu adrenalin",
        "bn co giật dùng diazepam",
    ],
)
def test_red_flags_bring_the_emergency_notice(question: str) -> None:
    assert "115" in emergency_notice(question)


def test_an_ordinary_question_brings_none() -> None:
    assert emergency_notice("liều paracetamol người lớn") == ""
