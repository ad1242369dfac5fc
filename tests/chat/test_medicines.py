"""What a patient takes, took, or drinks, beside a question for another drug."""

from __future__ import annotations

import pytest

from chat.medicines import split_taken, unlisted_taken
from monographs.text import fold
from tests.sample_corpus import sample_corpus


def _split(text: str, *, seeks_other: bool = False) -> tuple[list[str], list[str]]:
    asked, taken = split_taken(sample_corpus().names.resolve(text), text, seeks_other=seeks_other)
    return [span.text.lower() for span in asked], [span.text.lower() for span in taken]


@pytest.mark.parametrize(
    ("text", "asked", "taken"),
    [
        ("đang uống warfarin thì dùng thuốc gì", [], ["warfarin"]),
        ("đang uống warfarin, digoxin, đau đầu dùng thuốc gì", [], ["warfarin", "digoxin"]),
        ("ngày nào cũng uống aspirin 81mg, đau khớp dùng thuốc gì", [], ["aspirin"]),
        ("tối qua có uống viagra, đau ngực dùng thuốc gì", [], ["viagra"]),
        ("đang nhỏ mắt gentamicin, dùng thuốc gì", [], ["gentamicin"]),
        ("đang điều trị nấm bằng fluconazol, dùng thuốc gì", [], ["fluconazol"]),
        ("ibuprofen dùng được không", ["ibuprofen"], []),
        ("có nên uống ibuprofen không", ["ibuprofen"], []),
        # What did harm once is no longer taken.
        ("trước uống enalapril ho khan quá phải bỏ, giờ thuốc nào", [], []),
        ("lần trước uống ibuprofen bị sưng mắt, giờ uống gì", [], []),
        ("trước đây từng vàng da do uống augmentin, kháng sinh nào", [], []),
        ("trước đây có uống warfarin, giờ thuốc nào", [], ["warfarin"]),
        ("năm ngoái dùng metformin, giờ vẫn đang dùng metformin", [], ["metformin", "metformin"]),
    ],
)
def test_what_is_asked_about_and_what_is_taken(text: str, asked: list[str], taken: list[str]) -> None:
    assert _split(text) == (asked, taken)
    assert _split(fold(text)) == (asked, taken)


@pytest.mark.parametrize(
    ("text", "asked", "taken"),
    [
        ("nhiễm khuẩn răng miệng, uống Marevan hàng ngày, ks nào", [], ["marevan"]),
        ("đau răng, mỗi tuần uống 1 lần methotrexat, giảm đau nào", [], ["methotrexat"]),
        ("sáng nào cũng uống Berlthyrox, thuốc dạ dày nào", [], ["berlthyrox"]),
        ("có nên uống ibuprofen hay thuốc nào khác", ["ibuprofen"], []),
        ("uống ibuprofen được không hay thuốc nào khác", ["ibuprofen"], []),
        ("uống ibuprofen với thuốc nào thì hại dạ dày", ["ibuprofen"], []),
        ("thay cho ibuprofen thì thuốc nào giảm đau", ["ibuprofen"], []),
    ],
)
def test_where_another_drug_is_sought_what_is_said_to_be_taken_is_told(
    text: str, asked: list[str], taken: list[str]
) -> None:
    assert _split(text, seeks_other=True) == (asked, taken)
    assert _split(fold(text), seeks_other=True) == (asked, taken)


@pytest.mark.parametrize(
    ("rest", "names"),
    [
        ("đang uống propranolol, hen cấp dùng thuốc gì", ("propranolol",)),
        ("đang uống Plavix (clopidogrel), đau răng", ("Plavix", "clopidogrel")),
        ("đang nhỏ mắt timolol trị glocom", ("timolol",)),
        ("đang cai rượu bằng disulfiram", ("disulfiram",)),
        ("năm ngoái uống levofloxacin", ("levofloxacin",)),
        ("năm ngoái uống levofloxacin bị viêm gân", ()),
        ("mới ngưng thuốc ức chế monoamin oxidase", ("Thuốc ức chế monoamin oxidase",)),
        ("đang uống thuốc tránh thai hằng ngày", ("Thuốc tránh thai",)),
        ("tối nào cũng nhậu bia rượu", ("Rượu",)),
        ("nghiện rượu lâu năm", ()),
        ("dùng thuốc lợi tiểu nào", ()),
        ("viêm màng não do Cryptococcus", ()),
        ("đang uống nước cam", ()),
        # Without a verb, and behind a comma; an illness of one word is had, and not taken.
        ("tăng huyết áp, đang lithi", ("lithi",)),
        ("tăng huyết áp, hen, uống theophylin hằng ngày", ("theophylin",)),
        ("đang lupus, sốt dùng thuốc gì", ()),
        ("đang gout cấp", ()),
    ],
)
def test_names_without_a_monograph_that_are_taken(rest: str, names: tuple[str, ...]) -> None:
    assert unlisted_taken(rest) == names
