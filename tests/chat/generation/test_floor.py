"""The least that must be told: doses whole, what forbids, every drug of a list; for this patient."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from chat.domain import DraftClaim, Population, Route, TurnType
from chat.generation.floor import untold_words
from chat.generation.writing import Writing
from monographs.domain import SectionKey
from tests.chat.generation.tasks import ADULT, CAUTION, CHILD, CONTRA, LABEL, OTHER, STORAGE, TABLE, passage, task

INFANT: dict[str, Any] = {"age_months": Decimal(24), "populations": frozenset({Population.TRE_EM})}
ROUTES = passage("Uống: 5 mg/ngày. Tiêm bắp: 2 mg/ngày.", "Người lớn")


@pytest.mark.parametrize(
    ("writing", "claims", "left_out"),
    [
        (task(ADULT), [(ADULT.text, 0)], []),
        (task(ADULT), [("0,5 - 1 g/lần, cách 4 - 6 giờ một lần", 0), ("tối đa 4 g/ngày", 0)], []),
        (task(ADULT), [("0,5 - 1 g/lần, cách 4 - 6 giờ một lần", 0)], ["tối đa"]),
        (task(ADULT), [("0,5 - 1 g/lần, tối đa 4 g/ngày", 0)], ["cách 4 - 6 giờ"]),
        # Told by a claim that cites another passage only, it is not told from here.
        (task(ADULT, CHILD), [(CHILD.text, 1), (ADULT.text, 1)], ["tối đa"]),
        (task(ADULT), [], ["tối đa"]),
        # A bound is part of the amount.
        (task(ADULT), [("0,5 - 1 g/lần, cách 4 - 6 giờ một lần; 4 g/ngày", 0)], ["tối đa"]),
        (task(CHILD), [("trẻ 1 - 4 tuổi: 125 mg/lần. Cách 6 giờ một lần", 0)], ["60 mg"]),
        (task(CHILD, **INFANT), [("trẻ 1 - 4 tuổi: 125 mg/lần. Cách 6 giờ một lần", 0)], []),
        (task(CHILD, **INFANT), [("trẻ 3 - 11 tháng: 60 mg/lần. Cách 6 giờ một lần", 0)], ["125 mg"]),
        (task(CHILD, section_overview=True, **INFANT), [("trẻ 1 - 4 tuổi: 125 mg/lần. Cách 6 giờ", 0)], ["60 mg"]),
        (task(ROUTES, route=Route.UONG), [("Uống: 5 mg/ngày", 0)], []),
        (task(ROUTES), [("Uống: 5 mg/ngày", 0)], ["2 mg"]),
        (task(CONTRA), [(CONTRA.text, 0)], []),
        (task(CONTRA), [("Loét dạ dày tiến triển", 0)], ["Quá mẫn"]),
        # Cited and not told is left out.
        (task(CONTRA, STORAGE), [("Tránh ánh sáng", 0), (STORAGE.text, 1)], ["Quá mẫn", "Loét"]),
        (task(CAUTION), [("Không dùng quá 10 ngày nếu không có chỉ định của bác sĩ", 0)], []),
        (task(CAUTION), [("Thuốc thải qua thận", 0)], ["Không dùng quá 10 ngày"]),
        (task(CAUTION), [("Thuốc thải", 0)], ["Thuốc thải qua thận", "Không dùng quá 10 ngày"]),
        # What neither doses nor warns is left to the judge.
        (task(STORAGE), [("Tránh ẩm", 0)], []),
        (task(ADULT, TABLE, LABEL), [(ADULT.text, 0)], []),
    ],
)
def test_what_must_be_told_is_missed(writing: Writing, claims: list[tuple[str, int]], left_out: list[str]) -> None:
    found = list(untold_words([DraftClaim(text, (index,)) for text, index in claims], writing))
    assert len(found) == len(left_out)
    assert all(part in quote for part, (_, quote) in zip(left_out, found, strict=True))


def test_words_that_must_be_told_are_printed_in_their_passage() -> None:
    for index, quote in untold_words([], task(ADULT, CHILD, CONTRA, CAUTION)):
        block = (ADULT, CHILD, CONTRA, CAUTION)[index]
        assert quote in block.text


@pytest.mark.parametrize(
    "turn_type",
    [TurnType.COMPARISON, TurnType.CONDITION_TO_DRUG, TurnType.SYMPTOM_TO_DRUG, TurnType.CONDITION_RELATION],
)
def test_in_a_list_every_drug_is_owed_a_claim(turn_type: TurnType) -> None:
    first = passage("Hen phế quản.", section=SectionKey.CHI_DINH)
    second = replace(first, drug=OTHER)
    writing = task(first, second, turn_type=turn_type)
    assert list(untold_words([DraftClaim("Hen phế quản.", (0,))], writing)) == [(1, "Hen phế quản.")]
    assert not list(untold_words([DraftClaim("Hen.", (0,)), DraftClaim("Hen.", (1,))], writing))
    assert not list(untold_words([DraftClaim("Hen.", (0,))], replace(writing, frame=task(first).frame)))
