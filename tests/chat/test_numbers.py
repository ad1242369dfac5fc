"""Numeric tokens are maximal and never parsed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.numbers import Bound, numeric_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("0,5 - 1 g/lần, cách 4 - 6 giờ", [("0,5 - 1", "g/lần"), ("4 - 6", "giờ")]),
        ("15 mg/kg/lần", [("15", "mg/kg/lần")]),
        ("1 000 000 đvqt/ngày", [("1 000 000", "đvqt/ngày")]),
        ("1 000 mg", [("1 000", "mg")]),
        ("1.000 mg", [("1.000", "mg")]),
        ("1,000 mg", [("1,000", "mg")]),
        ("30 - 70 ml/phút/1,73 m²", [("30 - 70", "ml/phút/1,73m²")]),
        ("0,5 × 10⁹/lít", [("0,5 × 10⁹", "/lít")]),
        ("ADR < 1/1 000", [("< 1/1 000", "")]),
        ("dung dịch 1 : 10 000", [("1 : 10 000", "")]),
        ("120 mg/5 ml", [("120", "mg/5ml")]),
        ("natri clorid 0,9 %", [("0,9", "%")]),
        ("bảo quản 2 - 8 °C", [("2 - 8", "°c")]),
        ("½ viên", [("½", "viên")]),
        ("3 lần/24 giờ", [("3", "lần/24giờ")]),
        ("CYP3A4, vitamin B12", []),
        ("từ 3 đến 5 ngày", [("3 đến 5", "ngày")]),
    ],
)
def test_tokens(text: str, tokens: list[tuple[str, str]]) -> None:
    assert [(token.text, token.unit) for token in numeric_tokens(text)] == tokens


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("tối đa 4 g", Bound.UPPER),
        ("không quá 4 g", Bound.UPPER),
        ("không vượt quá 4 g", Bound.UPPER),
        ("dưới 50 kg", Bound.UPPER),
        ("ít nhất 6 giờ", Bound.LOWER),
        ("trên 50 kg", Bound.LOWER),
        ("liều 4 g", Bound.NONE),
    ],
)
def test_a_limit_is_not_a_dose(text: str, bound: Bound) -> None:
    (token,) = numeric_tokens(text)
    assert token.bound is bound


@given(st.integers(1, 999), st.sampled_from(["mg", "g/ngày", "mg/kg/lần", "microgam"]))
def test_a_token_is_never_found_inside_a_longer_one(number: int, unit: str) -> None:
    longer = f"{number} 000 {unit}"
    assert [token.text for token in numeric_tokens(longer)] == [f"{number} 000"]
