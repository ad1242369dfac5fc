from __future__ import annotations

import tomllib
from decimal import Decimal
from itertools import pairwise

import pytest

from chat.domain import Population
from chat.plausibility import _DATA, implausible, weight_limits
from tests.chat.dosing_cases import frame_of

MONTH, YEAR = Decimal(1), Decimal(12)


@pytest.mark.parametrize(
    ("months", "weight"),
    [
        (10, "8"),
        (10, "4.5"),
        (10, "14"),
        (0, "3.2"),
        (0, "0.8"),
        (0, "5"),
        (0, "6.3"),
        (1, "2.5"),
        (2, "9"),
        (6, "14"),
        (12, "18"),
        (18, "20"),
        (24, "25"),
        (6, "7"),
        (12, "10"),
        (36, "14"),
        (60, "18"),
        (120, "32"),
        (120, "70"),
        (180, "50"),
        (215, "110"),
        (216, "50"),
        (480, "120"),
        (960, "38"),
    ],
)
def test_weights_that_patients_have_are_taken_as_told(months: int, weight: str) -> None:
    assert implausible(_frame(months, weight)) == ""


@pytest.mark.parametrize(
    ("months", "weight"),
    [
        (10, "80"),
        (10, "0.8"),
        (0, "32"),
        (0, "0.1"),
        (0, "9"),
        (0, "7"),
        (1, "45"),
        (1, "11.4"),
        (6, "19"),
        (6, "70"),
        (18, "26"),
        (12, "100"),
        (36, "1.4"),
        (60, "180"),
        (60, "1.8"),
        (120, "3.2"),
        (120, "320"),
        (480, "5"),
        (480, "400"),
        (960, "6"),
    ],
)
def test_a_slip_of_a_digit_is_asked_about(months: int, weight: str) -> None:
    said = implausible(_frame(months, weight))
    assert f"cân nặng {Decimal(weight)}".replace(".", ",") in said


@pytest.mark.parametrize(("months", "odd"), [(1440, False), (1441, True), (2400, True)])
def test_nobody_is_older_than_one_hundred_and_twenty(months: int, *, odd: bool) -> None:
    assert bool(implausible(_frame(months, None))) is odd


def test_of_a_child_without_an_age_a_great_weight_is_asked_about() -> None:
    child = frozenset({Population.TRE_EM})
    assert implausible(frame_of("80", populations=child))
    assert not implausible(frame_of("60", populations=child))
    assert not implausible(frame_of("80", populations=frozenset()))
    assert implausible(frame_of("301", populations=frozenset()))
    assert implausible(frame_of("32", populations=frozenset({Population.TRE_SO_SINH})))
    assert not implausible(frame_of(None))


def test_ten_times_a_usual_weight_is_beyond_the_limits_at_every_age_of_a_child() -> None:
    for months in range(216):
        low, high = weight_limits(Decimal(months))
        usual = (low * 2 + high / 2) / 2
        assert low < usual < high < usual * 10
        assert usual / 10 < low or months == 0


def test_the_table_grows_with_age() -> None:
    ages = tomllib.loads(_DATA.read_text("utf-8"))["age"]
    assert all(one["months"] < two["months"] and Decimal(one["p3"]) < Decimal(two["p3"]) for one, two in pairwise(ages))
    assert all(Decimal(one["p97"]) < Decimal(two["p97"]) for one, two in pairwise(ages))


def _frame(months: int, weight: str | None):  # type: ignore[no-untyped-def]
    return frame_of(weight, age_months=Decimal(months), age_text="tuổi đã ghi", populations=frozenset())
