from __future__ import annotations

from decimal import Decimal

import pytest

from chat.patient import patient_of
from chat.quantities import Quantity
from chat.told import (
    concentration_of,
    told_amounts,
    told_concentration,
    told_flow,
    told_rate,
    told_surface,
    with_amounts,
)


@pytest.mark.parametrize(
    ("rest", "amounts"),
    [
        ("5mcg/kg/ph mấy ml/h", ("5 microgam/kg/phút",)),
        ("5 microgam/kg/phút", ("5 microgam/kg/phút",)),
        ("5 µg/kg/min", ("5 microgam/kg/phút",)),
        ("0.1 mcg/kg/p", ("0,1 microgam/kg/phút",)),
        ("0,05 đơn vị/kg/giờ", ("0,05 đơn vị/kg/giờ",)),
        ("2 mg/kg/h", ("2 mg/kg/giờ",)),
        ("truyền 2 mg/giờ", ("2 mg/giờ",)),
        ("10mcg/ph, 4 mg/50ml", ("10 microgam/phút", "4 mg/50 ml")),
        ("0,5 đơn vị/h", ("0,5 đơn vị/giờ",)),
        ("pha 250 mg trong 50 ml", ("250 mg/50 ml",)),
        ("250mg/50ml", ("250 mg/50 ml",)),
        ("pha 250mg voi 250ml", ("250 mg/250 ml",)),
        ("1 mg/ml", ("1 mg/ml",)),
        ("1 mg/1 ml", ("1 mg/ml",)),
        ("siro 250mg/5ml", ("250 mg/5 ml",)),
        ("diện tích cơ thể 0,75 m²", ("0,75 m²",)),
        ("1.6 m2", ("1,6 m²",)),
        ("nặng 3200 g", ("3 200 g",)),
        ("cân nặng 3.200g", ("3 200 g",)),
        ("", ()),
        ("8 kg", ()),
        ("500 mg/24h", ()),
        ("1.000 mg/giờ", ()),
        ("clcr 41 ml/phút", ()),
        ("10 mg/kg/ngày", ()),
        ("uống 500 mg", ()),
        ("clcr 25 ml/phút/1,73 m²", ()),
        ("1.000 mg/10 ml", ()),
        ("1,000 mg/10 ml", ()),
        ("0 mg/ml", ()),
        ("tiêm 3200 g", ()),
    ],
)
def test_amounts_are_spelled_as_the_book_spells_them(rest: str, amounts: tuple[str, ...]) -> None:
    assert told_amounts(rest, is_infant=False) == amounts


@pytest.mark.parametrize(
    ("rest", "weight"),
    [
        ("bé sơ sinh 3200 g", "3.2"),
        ("be so sinh 3200g", "3.2"),
        ("bé 10 tháng 8000 g", "8"),
        ("bé 5 tuổi nặng 9500 g", "9.5"),
        ("bé sơ sinh nặng 950g", "0.95"),
        ("bé sơ sinh 3,2 kg", "3.2"),
    ],
)
def test_a_weight_in_grams_is_one_in_kg(rest: str, weight: str) -> None:
    assert patient_of(rest).weight_kg == Decimal(weight)


@pytest.mark.parametrize(
    "rest", ["bé 5 tuổi 3200 g", "người lớn uống 1000 g", "bé sơ sinh 200 g", "sơ sinh 3200 g/ngày", "2 g"]
)
def test_other_grams_are_no_weight(rest: str) -> None:
    assert patient_of(rest).weight_kg is None


def test_each_amount_is_found_by_its_kind() -> None:
    amounts = ("5 microgam/kg/phút", "250 mg/50 ml", "0,75 m²", "3 200 g")
    assert told_rate(amounts) == Quantity(Decimal(5), Decimal(5), "microgam/kg/phút")
    assert told_surface(amounts) == Quantity(Decimal("0.75"), Decimal("0.75"), "m²")
    told = told_concentration(amounts)
    assert told is not None
    assert concentration_of(*told).text == "5 mg/ml"
    assert (told_rate(()), told_surface(()), told_concentration(())) == (None, None, None)


def test_a_fixed_rate_is_told_only_where_none_by_weight_is() -> None:
    assert told_flow(("2 mg/giờ", "1 mg/ml")) == Quantity(Decimal(2), Decimal(2), "mg/giờ")
    assert told_flow(("5 microgam/kg/phút", "2 mg/giờ")) is None
    assert told_rate(("2 mg/giờ",)) is None
    assert told_flow(("3 200 g", "0,5 m²", "250 mg/50 ml")) is None


def test_what_is_told_now_takes_the_place_of_the_same_told_before() -> None:
    before = ("5 microgam/kg/phút", "1 mg/ml")
    assert with_amounts(("2 mg/ml",), before) == ("2 mg/ml", "5 microgam/kg/phút")
    assert with_amounts((), before) == before
