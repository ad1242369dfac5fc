"""What a condition is called in the book: its forms, its items, and every item of the sample's own indications."""

from __future__ import annotations

import re
from functools import cache

import pytest

from chat.condition_forms import forms_of
from chat.condition_names import Condition, items_within, names_something
from chat.domain import Stop, Term
from chat.selection import is_held
from monographs.domain import SectionKey
from monographs.text import fold
from tests.chat.asking import candidates, evidence, statuses
from tests.chat.faults import fault


def _condition(text: str) -> Condition:
    return Condition((tuple(Term((word,), (), place) for place, word in enumerate(text.split())),))


@pytest.mark.parametrize(
    ("said", "form"),
    [
        ("tiểu cầu giảm", "giảm tiểu cầu"),
        ("kali huyết cao", "tăng kali huyết"),
        ("calci huyết thấp", "hạ calci huyết"),
        ("cơn hen", "hen"),
        ("con hen cap", "hen cap"),
        ("viêm tai giữa cấp", "viêm tai giữa"),
        ("viêm tai giữa cấp tính", "viêm tai giữa"),
        ("hen cấp", "hen"),
        ("viêm màng não nấm cryptococcus", "viêm màng não cryptococcus"),
        ("bệnh gút", "gút"),
        ("viêm họng liên cầu", "viêm họng"),
        ("đau bụng kinh dữ dội", "đau bụng kinh"),
        ("hạ natri huyết", "giảm natri huyết"),
        ("nấm âm đạo", "candida âm đạo"),
        ("viêm tai giữa nặng", "viêm tai giữa"),
        ("đau thắt ngực ổn định", "đau thắt ngực"),
        ("giang mai giai đoạn sớm", "giang mai sớm"),
    ],
)
def test_the_book_may_say_it_so(said: str, form: str) -> None:
    assert tuple(form.split()) in forms_of(_condition(said).runs[0])


@pytest.mark.parametrize(
    ("said", "form"),
    [
        ("loét cấp", "loét"),  # one syllable of many meanings
        ("bệnh than", "than"),
        ("viêm gan b", "viêm gan"),
        ("nấm da", "da"),
        ("giảm đau", "đau giảm"),
    ],
)
def test_and_not_so(said: str, form: str) -> None:
    assert tuple(form.split()) not in forms_of(_condition(said).runs[0])


@pytest.mark.parametrize(
    ("text", "told", "items"),
    [
        (
            "Nguy cơ glôcôm góc đóng; bí tiểu do phì đại tuyến tiền liệt.",
            "mắt glôcôm góc đóng",
            ["Nguy cơ glôcôm góc đóng"],
        ),
        ("Suy tim nặng (NYHA độ IV); suy gan nặng.", "suy tim nyha", ["Suy tim nặng"]),
        ("Liệt ruột, chậm làm rỗng dạ dày.", "liệt ruột sau phẫu thuật", ["Liệt ruột"]),
        (
            "Thận trọng khi có đái tháo đường, tăng huyết áp.",
            "đái tháo đường typ",
            ["Thận trọng khi có đái tháo đường"],
        ),
        ("Tiền sử phù mạch do thuốc ức chế enzym chuyển.", "phù mạch", []),
        ("Suy tim trái cấp.", "suy tim", []),
        ("Hen.", "hen nặng", []),
        ("Nhiễm khuẩn chưa được kiểm soát.", "nhiễm khuẩn tiết niệu", []),
        ("Loét dạ dày tiến triển.", "loét dạ dày", ["Loét dạ dày tiến triển"]),
    ],
)
def test_an_item_is_told_where_all_of_it_but_how_bad_it_is_is_said(text: str, told: str, items: list[str]) -> None:
    assert items_within(text, _condition(told)) == items


@pytest.mark.parametrize(
    ("said", "expected"),
    [("giảm", False), ("trước", False), ("sốt", True), ("nam", True), ("g6pd", True), ("đau đầu", True)],
)
def test_a_stray_syllable_names_nothing(said: str, expected: bool) -> None:
    assert names_something(_condition(said)) is expected


# --- every item of the sample's indications ---------------------------------------------------------------------------

_ITEM = re.compile(r"[.;:,()]\s|[.;:()]$|\s(?:và|hoặc)\s")
# Halves of sentences, forms, patients and purposes: none of them a condition.
_NO_CONDITION = re.compile(
    r"\d|[()]|^(?:phối hợp|điều trị|dùng|dự phòng|phòng|trẻ|người|khi|cùng|trong|ở|do|không|đã|cần|kể|nhất|với|có|để|"
    r"hỗ|như|các|thay|bổ|đơn|đợt|sau|trước|hay|là|tại|nếu|nhưng|theo|chỉ|duy|củng|cắt|tiền mê|tấn|khởi|đặt|tiêm|đường|"
    r"dạng|viên|nghiệm|nâng|giảm|chẩn|chuẩn|làm|gây|kết|hồi|loại|diệt|enalaprilat|dị ứng với|thiếu niên|thường|"
    r"tái phát|ổ bụng)\b"
)


@cache
def _items() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for block in evidence():
        if block.section is SectionKey.CHI_DINH and not is_held(block):
            for item in (part.strip(" .").lower() for part in _ITEM.split(block.text.replace("_", ""))):
                if 2 <= len(item.split()) <= 5 and not _NO_CONDITION.search(item):
                    found.setdefault(item, set()).add(block.drug.drug_id)
    return found


def test_there_are_many_of_them() -> None:
    assert len(_items()) > 120


@pytest.mark.parametrize("item", sorted(_items()))
def test_who_asks_by_the_books_own_words_finds_the_drug_or_is_asked(item: str) -> None:
    found = candidates(f"{item} dùng thuốc gì")
    assert isinstance(found, Stop) or _items()[item] <= set(statuses(found))


@pytest.mark.parametrize("wording", ["bn nam 45t bị {}, dùng thuốc nào", "{} -> thuốc?", "kh {} bán thuốc gì"])
@pytest.mark.parametrize("item", sorted(_items())[::7])
def test_how_it_is_asked_changes_nothing(item: str, wording: str) -> None:
    assert set(statuses(candidates(wording.format(item)))) == set(statuses(candidates(f"{item} dùng thuốc gì")))


_BARE_FAULTS = {"co cứng cơ": "bare `co cung co` is printed as `co cứng - co giật` as well"}


@pytest.mark.parametrize(
    "item", [fault(one, reason=_BARE_FAULTS[one]) if one in _BARE_FAULTS else one for one in sorted(_items())]
)
def test_without_accents_no_drug_is_listed_that_is_not_with_them(item: str) -> None:
    bare = set(statuses(candidates(fold(f"{item} dùng thuốc gì"))))
    assert bare <= set(statuses(candidates(f"{item} dùng thuốc gì")))
