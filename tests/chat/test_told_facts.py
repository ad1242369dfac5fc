"""What forbids one drug to who has what the question tells beside it."""

from __future__ import annotations

import pytest

from chat.told_facts import forbidding_told
from monographs.text import fold
from tests.chat.asking import evidence, frame_of


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("bn liệt ruột sau mổ đau quá, cho morphin được không", "Liệt ruột"),
        ("Adalat LA có dùng để cắt cơn đau thắt ngực cấp được không", "Cắt cơn đau thắt ngực cấp"),
        ("ibuprofen cho người suy tim NYHA IV được không", "Suy tim nặng"),
        ("bn glôcôm góc đóng dùng clorpromazin được không", "glôcôm góc đóng"),
        ("bn nhược cơ, dùng diazepam được không", "nhược cơ"),
    ],
)
def test_the_contraindication_is_found_with_and_without_accents(question: str, text: str) -> None:
    for typed in (question, fold(question)):
        frame = frame_of(typed)
        own = [block for block in evidence() if block.drug in frame.drugs]
        assert any(text in block.text for block in forbidding_told(own, frame)), typed


@pytest.mark.parametrize(
    "question",
    [
        "ibuprofen cho người suy tim được không",  # severe heart failure only
        "liều ibuprofen đau đầu",
        "paracetamol cho bn đau răng",
        "morphin được không",
    ],
)
def test_nothing_is_forbidden_by_what_is_not_told(question: str) -> None:
    frame = frame_of(question)
    assert forbidding_told([block for block in evidence() if block.drug in frame.drugs], frame) == ()
