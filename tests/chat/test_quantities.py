from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.quantities import (
    Quantity,
    divided,
    limited,
    parse_number,
    read_quantity,
    show_number,
    shown_value,
    times,
    unit_powers,
)

_THREE = 3
values = st.decimals(min_value=0, max_value=10**9, places=3, allow_nan=False, allow_infinity=False)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", "0"),
        ("15", "15"),
        ("0,5", "0.5"),
        ("0,125", "0.125"),
        ("7,5", "7.5"),
        ("12,25", "12.25"),
        ("1 000", "1000"),
        ("1\u00a0000", "1000"),
        ("1\u202f000", "1000"),
        ("2 400 000", "2400000"),
        ("1 000,5", "1000.5"),
        ("1500", "1500"),
    ],
)
def test_numbers_are_read_as_the_book_writes_them(text: str, value: str) -> None:
    assert parse_number(text) == Decimal(value)


@pytest.mark.parametrize(
    "text",
    [
        "1.000",
        "1,000",
        "12,500",
        "999,125",
        "0.5",
        ",5",
        "5,",
        "05",
        "1 00",
        "1 0000",
        "10 00",
        "1,5,5",
        "",
        "-5",
        "½",
        "1e3",
        "một",
    ],
)
def test_a_number_of_two_readings_or_of_another_form_is_refused(text: str) -> None:
    assert parse_number(text) is None


@given(values)
def test_a_number_that_is_shown_reads_back_unless_it_has_two_readings(value: Decimal) -> None:
    shown = show_number(value)
    read = parse_number(shown)
    assert read == value or (read is None and len(shown.partition(",")[2]) == _THREE)
    assert not shown.endswith(",0")
    assert not shown.startswith(",")


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("80", "80"),
        ("80.0", "80"),
        ("0.50", "0,5"),
        ("133.3333333333", "133,333"),
        ("0.000125", "0,000125"),
        ("0.00012345", "0,000123"),
        ("1234567.5", "1 234 567,5"),
        ("999.9996", "1 000"),
        ("5.8333333", "5,833"),
    ],
)
def test_no_trailing_zero_and_at_most_three_decimals_that_count(value: str, shown: str) -> None:
    assert show_number(Decimal(value)) == shown


@given(values, values, st.integers(min_value=1, max_value=999))
def test_products_and_quotients_are_those_of_exact_fractions(one: Decimal, other: Decimal, by: int) -> None:
    left, right = Quantity(one, one, "mg/kg"), Quantity(other, other, "kg")
    assert Fraction(times(left, right).low) == Fraction(one) * Fraction(other)
    quotient = divided(left, Quantity(Decimal(by), Decimal(by), "kg")).low
    assert abs(Fraction(quotient) - Fraction(one) / by) <= Fraction(1, 10**40)
    assert abs(Fraction(shown_value(quotient)) - Fraction(one) / by) * 2000 <= 1 + Fraction(1, 10**30)


@pytest.mark.parametrize(
    ("one", "other", "product"),
    [
        ("mg/kg/lần", "kg", "mg/lần"),
        ("mg/kg/ngày", "kg", "mg/ngày"),
        ("microgam/kg/phút", "kg", "microgam/phút"),
        ("microgam/phút", "phút/giờ", "microgam/giờ"),
        ("g/ngày", "mg/g", "mg/ngày"),
        ("mg/m²", "m²", "mg"),
        ("mg/kg/24 giờ", "kg", "mg/24 giờ"),
        ("đơn vị/kg/giờ", "kg", "đơn vị/giờ"),
    ],
)
def test_units_are_counted_with(one: str, other: str, product: str) -> None:
    assert times(_one(one), _one(other)).unit == product


@pytest.mark.parametrize(
    ("one", "other", "quotient"),
    [
        ("mg/giờ", "mg/ml", "ml/giờ"),
        ("mg/lần", "mg/ml", "ml/lần"),
        ("mg/ngày", "lần/ngày", "mg/lần"),
        ("microgam/giờ", "microgam/mg", "mg/giờ"),
        ("g", "g/kg", "kg"),
    ],
)
def test_units_are_divided(one: str, other: str, quotient: str) -> None:
    assert divided(_one(one), _one(other)).unit == quotient or unit_powers(
        divided(_one(one), _one(other)).unit
    ) == unit_powers(quotient)


def test_a_range_or_zero_is_no_divisor() -> None:
    with pytest.raises(ValueError, match="divisor"):
        divided(_one("mg"), Quantity(Decimal(1), Decimal(2), "ml"))
    with pytest.raises(ValueError, match="divisor"):
        divided(_one("mg"), Quantity(Decimal(0), Decimal(0), "ml"))


def test_a_maximum_holds_both_ends() -> None:
    maximum = Quantity(Decimal(100), Decimal(100), "mg")
    assert limited(Quantity(Decimal(80), Decimal(120), "mg"), maximum) == Quantity(Decimal(80), Decimal(100), "mg")
    assert limited(Quantity(Decimal(110), Decimal(120), "mg"), maximum) == Quantity(Decimal(100), Decimal(100), "mg")


@pytest.mark.parametrize("text", ["80 - 120 mg/lần", "0,5 mg", "1 000 - 2 000 đơn vị/kg/giờ", "3 lần/24 giờ"])
def test_a_quantity_reads_back(text: str) -> None:
    found = read_quantity(text)
    assert found is not None
    assert found.text == text


def _one(unit: str) -> Quantity:
    return Quantity(Decimal(1), Decimal(1), unit)
