"""The items of a passage, and which of them a question says, whatever was read of it."""

from __future__ import annotations

import pytest

from chat.condition_lexicon import ConditionLexicon
from chat.condition_names import Condition
from chat.domain import Term
from chat.printed_items import items_of, spans_of, tells, wording_of
from chat.said_items import items_told
from monographs.domain import SectionKey
from tests.chat.asking import evidence


@pytest.mark.parametrize(
    ("text", "item"),
    [
        ("Phù do suy tim, xơ gan, hội chứng thận hư.", "phù do suy tim"),
        ("Phù do suy tim, xơ gan, hội chứng thận hư.", "suy tim"),
        ("Phù do suy tim, xơ gan, hội chứng thận hư.", "xơ gan"),
        ("Nguy cơ tăng khi bỏ bữa, ăn ít.", "bỏ bữa"),
        ("Trong vòng 48 giờ sau đẻ.", "sau đẻ"),
        ("Nấc dai dẳng không đáp ứng với biện pháp khác.", "nấc dai dẳng"),
        ("Hạ calci huyết cấp có triệu chứng.", "hạ calci huyết"),
        ("Dự phòng đột quỵ trong rung nhĩ.", "rung nhĩ"),
    ],
)
def test_an_item_says_its_parts_as_well(text: str, item: str) -> None:
    assert tuple(item.split()) in items_of(text)


@pytest.mark.parametrize("text", ["Trẻ em.", "Người lớn: uống.", "Trong 6 tháng.", "Có thể dùng.", "Khi cần."])
def test_talk_a_patient_and_a_way_say_nothing(text: str) -> None:
    assert [item for item in items_of(text) if tells(item)] == []


@pytest.mark.parametrize(
    ("item", "question", "said"),
    [
        ("loét dạ dày", "đau răng, từng loét dạ dày, uống gì", "loét dạ dày"),
        ("loét dạ dày", "dau rang, tung loet da day, uong gi", "loet da day"),
        ("loét dạ dày", "đau bụng", ""),
        ("uống rượu", "hay uống nhiều rượu", "uống nhiều rượu"),
        ("hen", "bn có bệnh hen", "hen"),
        ("hen", "co benh hen", "hen"),
        ("hen", "hen gap lai", ""),  # a bare syllable alone is many words
        ("chảy máu", "nam ngoai bi xuat huyet", "xuat huyet"),
        ("nhược cơ", "nhuộm cơ", ""),
    ],
)
def test_a_question_says_an_item_word_for_word_or_as_it_is_called(item: str, question: str, said: str) -> None:
    wording = wording_of(question)
    spans = spans_of(tuple(item.split()), wording)
    assert [" ".join(wording.typed[span.start : span.stop]) for span in spans] == ([said] if said else [])


@pytest.mark.parametrize(
    ("drug", "question", "told"),
    [
        ("gliclazid", "ĐTĐ typ 2, hay bỏ bữa và chiều nào cũng uống rượu, thuốc nào", ["bỏ bữa", "uống rượu"]),
        ("ibuprofen", "đau răng, có bệnh hen, uống gì", ["hen"]),
        ("insulin", "đái tháo đường, đang bị hạ đường huyết, dùng thuốc nào", ["hạ đường huyết"]),
    ],
)
def test_what_is_told_of_the_patient_is_found_by_what_the_monograph_warns_of(
    drug: str, question: str, told: list[str]
) -> None:
    assert set(told) <= set(_told(drug, question))


@pytest.mark.parametrize(
    ("drug", "question", "untold"),
    [
        ("ibuprofen", "đau răng, không bị hen, uống gì", "hen"),
        ("ibuprofen", "đau răng, chưa từng hen, uống gì", "hen"),
        ("paracetamol", "đau răng, uống gì giảm đau", "giảm đau"),  # what a drug is asked for by is no fact
        ("insulin", "đái tháo đường, chọn thuốc hạ đường huyết nào", "hạ đường huyết"),
    ],
)
def test_what_is_denied_or_asked_for_is_not(drug: str, question: str, untold: str) -> None:
    assert untold not in _told(drug, question)


def _told(drug: str, question: str) -> list[str]:
    blocks = [block for block in evidence() if block.drug.drug_id == drug]
    return [str(one) for one in items_told(blocks, wording_of(question), Condition(()))]


def test_what_is_asked_for_is_not_told_besides() -> None:
    blocks = [block for block in evidence() if block.section is SectionKey.THAN_TRONG]
    asked = Condition((tuple(Term((word,), (), place) for place, word in enumerate(("loét", "dạ", "dày"))),))
    assert items_told(blocks, wording_of("loét dạ dày dùng thuốc gì"), asked) == ()


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("xo gan co truong, loi tieu nao", ["xo gan", "co truong"]),
        ("đau dây thần kinh tam thoa, thuốc nào", ["đau dây thần kinh tam thoa"]),
        ("doạ đẻ non 30 tuần", ["doạ đẻ non"]),
        ("Dự phòng đột quỵ trong rung nhĩ", ["đột quỵ", "rung nhĩ"]),
        ("uống thuốc lúc nào", []),
        ("trẻ em dùng liều nào", []),
    ],
)
def test_a_question_names_conditions_by_the_books_own_names(question: str, names: list[str]) -> None:
    lexicon = ConditionLexicon(("Cổ trướng và phù do xơ gan.", "Dự phòng đột quỵ do rung nhĩ.", "Trẻ em: uống."))
    wording = wording_of(question)
    assert [" ".join(wording.typed[span.start : span.stop]) for span in lexicon.find(wording)] == names
