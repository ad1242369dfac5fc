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
        # An animal that is the patient, whatever dish stands beside it.
        "chó nhà em ăn thịt gà bị nôn, uống omeprazol được không",
        "mèo ăn thịt bò xong nôn cho uống omeprazol",
        "gà quay cuồng vẹo cổ uống amoxicilin",
        "bò sữa bị viêm vú tiêm gentamicin",
        "bò bị sưng chân tiêm ceftriaxon",
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
        # A dish, a preparation or a word of the body is no patient.
        "uống warfarin ăn gà hầm đương quy được không",
        "warfarin ăn phở bò có sao không",
        "an thit ga uong warfarin duoc khong",
        "levothyroxin uống xong ăn cháo gà liền được không",
        "uống cipro với canh xương bò được không",
        "dị ứng trứng gà, thịt vịt có tiêm được không",
        "dị ứng đạm bò có dùng insulin lợn được không",
        "bé biết bò 8 kg liều paracetamol",
        "ceftriaxon pha xong lợn cợn có dùng được không",
        "tê như kiến bò, hội chứng đuôi ngựa, nổi da gà",
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
