"""Accents put back on a bare question, by the edition's own words."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monographs.restoring import AccentModel
from monographs.text import fold
from tests.sample_book import sample_book

_WORD = re.compile(r"[^\W\d_]+")
_TEXTS = [
    "Liều dùng cho trẻ em. Thuốc hạ sốt cho trẻ em.",
    "Thận trọng ở người suy thận. Người suy thận nặng cần giảm liều.",
    "Cho trẻ em uống sau bữa ăn. Dùng cho trẻ em.",
]


def _texts(*, held_out: bool) -> list[str]:
    """Every fifth monograph is held out."""
    books = sample_book(titles=()).monographs
    chosen = [book for place, book in enumerate(books) if (place % 5 == 0) is held_out]
    return [passage.text for book in chosen for section in book.sections for passage in section.passages]


@pytest.mark.parametrize(
    ("bare", "meant"),
    [
        ("lieu dung cho tre em", "liều dùng cho trẻ em"),
        ("nguoi suy than", "người suy thận"),
        ("than trong", "thận trọng"),
        ("3 lan/ngay, cho tre em: 250 mg!", "3 lan/ngay, cho trẻ em: 250 mg!"),
    ],
)
def test_what_the_edition_prints_is_put_back(bare: str, meant: str) -> None:
    assert AccentModel.train(_TEXTS).restore(bare) == meant


@pytest.mark.parametrize("typed", ["người suy than", "liều", "đ", ""])
def test_what_is_typed_with_accents_stays_as_it_is(typed: str) -> None:
    assert AccentModel.train(_TEXTS).restore(typed) == typed


def test_words_the_edition_does_not_print_stay_as_they_are() -> None:
    assert AccentModel.train(_TEXTS).restore("zithromax lieu dung") == "zithromax liều dùng"


def test_an_edition_without_a_model_restores_nothing() -> None:
    assert AccentModel.loads("").restore("lieu dung") == "lieu dung"


@given(st.text(alphabet="abcdeghiklmnopqrstuvxy 0123456789.,/-", max_size=60))
def test_only_accents_ever_change(bare: str) -> None:
    model = AccentModel.train(_TEXTS)
    assert fold(model.restore(bare)) == fold(bare)
    assert AccentModel.loads(model.dumps()).restore(bare) == model.restore(bare)


def test_nine_of_ten_syllables_of_monographs_never_read_come_back_right() -> None:
    model = AccentModel.train(_texts(held_out=False))
    right = total = 0
    for text in _texts(held_out=True):
        meant = _WORD.findall(text.lower())
        restored = _WORD.findall(model.restore(fold(text)))
        if len(meant) == len(restored):
            total += len(meant)
            right += sum(one == other for one, other in zip(meant, restored, strict=True))
    assert total > 5000
    assert right / total >= 0.93


def test_two_bare_words_may_be_what_is_printed_more_than_once() -> None:
    model = AccentModel.train(["Tắc mật. Tắc mật do sỏi.", "Tác dụng mất dần. Mắt đỏ."])
    assert model.printed_pairs("tac", "mat") == [("tắc", "mật")]
    assert model.printed_pairs("mat", "do") == []
    assert model.printed_pairs("tac", "dung") == []
    assert AccentModel({}, {}).printed_pairs("tac", "mat") == []
