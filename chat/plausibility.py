"""Values that hardly any patient has: a slip of a digit or of a unit is asked about before anything is counted."""

from __future__ import annotations

import tomllib
from decimal import Decimal
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from chat.domain import Population, QueryFrame
from chat.quantities import show_number

_DATA = Path(__file__).parent / "data" / "weights.toml"
_MONTHS_PER_YEAR = 12


def implausible(frame: QueryFrame) -> str:
    """What of the age and weight told is hardly possible, in Vietnamese; "" where nothing is."""
    age, weight = frame.age_months, frame.weight_kg
    said = frame.age_text or ""
    if age is not None and age > _MONTHS_PER_YEAR * int(_data()["oldest_years"]):
        return said or "tuổi"
    if weight is None:
        return ""
    is_newborn, is_child = (
        population in frame.populations for population in (Population.TRE_SO_SINH, Population.TRE_EM)
    )
    low, high = weight_limits(age, is_newborn=is_newborn, is_child=is_child)
    if low <= weight <= high:
        return ""
    whose = f" ở {said}" if said else " ở trẻ sơ sinh" if is_newborn else " ở trẻ em" if is_child else ""
    return f"cân nặng {show_number(weight)} kg{whose}"


def weight_limits(
    age_months: Decimal | None, *, is_newborn: bool = False, is_child: bool = False
) -> tuple[Decimal, Decimal]:
    """The least and the greatest weight (kg) that is taken as told, at an age in months; of any age for None.

    Source: chat/data/weights.toml.
    """
    data = _data()
    adult, newborn = data["adult"], data["newborn"]
    if age_months is None and is_newborn:
        age_months = Decimal(0)
    if age_months is None:
        return Decimal(newborn["least"]), most_of_child() if is_child else Decimal(adult["most"])
    if age_months >= int(adult["from_months"]):
        return Decimal(adult["least"]), Decimal(adult["most"])
    ages = data["age"]
    before, after = next(
        (pair for pair in pairwise(ages) if pair[0]["months"] <= age_months < pair[1]["months"]), (ages[-1], ages[-1])
    )
    if age_months < Decimal(newborn["below_months"]):
        return Decimal(newborn["least"]), Decimal(newborn["most"])
    is_infant = age_months < Decimal(data["infant"]["below_months"])
    share = data["infant"]["most_share"] if is_infant else data["most_share"]
    return Decimal(before["p3"]) * Decimal(data["least_share"]), Decimal(after["p97"]) * Decimal(share)


def most_of_child() -> Decimal:
    """The greatest weight (kg) that is taken as told of a child of no age."""
    return Decimal(_data()["child_most"])


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads(_DATA.read_text("utf-8"))
