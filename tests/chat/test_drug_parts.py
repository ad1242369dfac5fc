from __future__ import annotations

import pytest

from chat.understand import understand
from tests.sample_corpus import sample_corpus

_WHOLE, _PART = "amoxicilin_va_clavulanat", "amoxicilin"


@pytest.mark.parametrize(
    "question",
    [
        "augmentin tỷ lệ 7:1 uống, trẻ 10 tuổi nặng 30kg, ngày bao nhiêu mg amoxicilin",
        "augmentin 7:1 be 15kg ngay may mg amoxicilin",
        "augmentin 1g bé 20kg tính theo amoxicilin",
        "augmentin 7:1 be 15kg lieu theo thanh phan amoxicilin",
        "augmentin 7:1 bé 15kg liều theo thành phần amoxicilin là bao nhiêu",
        "augmentin 7:1 be 15kg lieu amoxicilin moi ngay",
        "liều amoxicilin trong augmentin 4:1 bé 15kg",
        "hàm lượng amoxicilin trong Augmentin 625",
        "augmentin 4:1 bé 12kg tính theo mg/kg amoxicilin",
        "amoxicilin và clavulanat bé 15kg tính theo hàm lượng amoxicilin",
    ],
)
def test_a_part_by_which_a_combination_is_measured_is_no_second_drug(question: str) -> None:
    assert [drug.drug_id for drug in understand(question, sample_corpus()).drugs] == [_WHOLE]


@pytest.mark.parametrize(
    "question",
    [
        "liều amoxicilin và augmentin bé 15 kg",
        "liều augmentin so với liều amoxicilin",
        "amoxicilin khác augmentin chỗ nào",
        "đổi augmentin sang 500 mg amoxicilin được không",
        "amoxicilin liều bao nhiêu, augmentin thì sao",
        "uống augmentin chung với amoxicilin được không",
        "augmentin hay amoxicilin cho bé viêm tai giữa",
    ],
)
def test_a_part_that_is_asked_of_beside_the_combination_stays_a_drug(question: str) -> None:
    assert {drug.drug_id for drug in understand(question, sample_corpus()).drugs} == {_WHOLE, _PART}


def test_another_drug_beside_a_combination_stays_a_drug() -> None:
    named = understand("augmentin và bao nhiêu mg paracetamol cho bé 15kg", sample_corpus()).drugs
    assert {drug.drug_id for drug in named} == {_WHOLE, "paracetamol"}
