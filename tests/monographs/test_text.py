"""Folding, words and the Vietnamese order."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monographs.text import fold, has_accents, slugify, sort_key, words


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Liều  Đường uống", "lieu duong uong"),
        ("LIỀU", "lieu"),
        ("Ðạm", "dam"),
        ("ư ơ ă â ê ô", "u o a a e o"),
        ("paracetamol 0,5 g", "paracetamol 0,5 g"),
    ],
)
def test_fold(text: str, folded: str) -> None:
    assert fold(text) == folded


@given(st.text())
def test_folding_is_stable_and_blind_to_the_form_of_accents(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    assert fold(unicodedata.normalize("NFD", text)) == fold(unicodedata.normalize("NFC", text))


def test_has_accents() -> None:
    assert has_accents("liều") and has_accents("đau") and not has_accents("Lieu dau")


def test_words_keep_decimal_numbers_whole() -> None:
    assert words("Uống 0,5 g/lần, 1.000 mg") == ["uống", "0,5", "g", "lần", "1.000", "mg"]


def test_vietnamese_dictionary_order() -> None:
    ordered = ["an", "ăn", "ân", "bao", "da", "đa", "ma", "mà", "mả", "mã", "má", "mạ", "man", "uống", "ước"]
    assert sorted([*reversed(ordered)], key=sort_key) == ordered


def test_slugify() -> None:
    assert slugify("Calci gluconat") == "calci_gluconat" and slugify("—") == ""
