"""By what it does a drug is asked for, and what that says is to be treated."""

from __future__ import annotations

import pytest

from chat.conditions import told_of
from chat.domain import CandidateStatus, TurnType
from chat.purposes import find_purpose
from chat.selection import Selection
from chat.understand import understand
from tests.chat.asking import candidates, statuses
from tests.sample_corpus import sample_corpus


@pytest.mark.parametrize(
    ("question", "condition"),
    [
        ("bé sốt 39 uống thuốc hạ sốt gì", "sốt"),
        ("sot 39 uong gi ha sot dc", "sốt"),
        ("hạ sốt bằng thuốc gì", "sốt"),
        ("chọn thuốc hạ đường huyết nào", "đái tháo đường"),
        ("đau răng uống giảm đau loại nào", "đau"),
        ("ban thuoc giam dau nao dc", "đau"),
        ("dùng thuốc loãng đờm nào", "đờm"),
        ("dung ks gi thay", ""),
        ("chọn kháng sinh nào", ""),
        ("thuốc xử trí là gì", ""),
        ("đau nặng, giảm đau mạnh bằng gì", "đau"),
        ("chọn kháng sinh uống nào", ""),
        ("thuốc dạ dày nào có chỉ định", ""),
        ("chống đông bằng gì", ""),
        ("cho thuốc ngủ nào", "mất ngủ"),
        ("thuốc giảm đau mạnh nào", "đau"),
        ("thuốc uống nào trị lang ben", ""),
        ("viêm họng -> thuốc?", ""),
        ("viem hong => ks?", ""),
        ("viêm họng: thuốc?", ""),
    ],
)
def test_a_purpose_names_what_is_treated(question: str, condition: str) -> None:
    found = find_purpose(question)
    assert found is not None and found.condition == condition
    assert 0 <= found.start < found.end <= len(question)


@pytest.mark.parametrize(
    "question",
    [
        "thuốc này có tác dụng phụ gì",
        "hạ sốt cho bé thế nào",
        "thuốc nào gây hạ đường huyết",
        "liều giảm đau",
        "thuốc hạ huyết áp cần lưu ý",
        "dị ứng thuốc nào",
    ],
)
def test_what_only_speaks_of_it_is_no_purpose(question: str) -> None:
    assert find_purpose(question) is None


@pytest.mark.parametrize(
    ("question", "asked", "beside"),
    [
        ("BN hen, đau răng thì uống giảm đau loại nào", "đau răng", ["hen"]),
        ("nghi sốt xuất huyết, sốt 39, uống gì hạ sốt", "sốt", ["sốt xuất huyết"]),
        ("tăng huyết áp thai 24 tuần chọn thuốc hạ áp nào", "tăng huyết áp", []),
        ("viêm phổi, bệnh nền nhược cơ, chọn kháng sinh nào", "viêm phổi", ["nhược cơ"]),
        ("nhiem Clostridioides difficile o PNCT 3 thang dau dieu tri thuoc gi", "nhiem clostridioides difficile", []),
        ("viem am dao do trichomonas, thai 10 tuan thi thuoc nao", "viem am dao trichomonas", []),
        ("SPV sau tiêm kháng sinh, thuốc xử trí là gì", "sốc phản vệ", ["kháng sinh"]),
    ],
)
def test_the_rest_is_told_of_the_patient(question: str, asked: str, beside: list[str]) -> None:
    frame = understand(question, sample_corpus())
    told = told_of(frame)
    assert frame.turn_type is TurnType.CONDITION_TO_DRUG
    assert (str(told.condition), [str(other) for other in told.beside]) == (asked, beside)


def test_what_was_told_in_one_breath_is_a_fact_of_the_patient() -> None:
    found = candidates("nhược cơ mất ngủ do lo âu cho thuốc gì")
    assert isinstance(found, Selection)
    assert statuses(found)["diazepam"] == CandidateStatus.CONTRAINDICATED
