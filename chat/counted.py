"""Amounts read back from what is shown, as exact fractions: with these a calculation is checked, never made."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

NUM = r"\d{1,3}(?: \d{3})*(?:,\d+)?|\d+(?:,\d+)?"
QUANTITY = re.compile(rf"(?P<low>{NUM})(?: - (?P<high>{NUM}))? (?P<unit>[^×=≈,;]+)")
# Masses in microgam.
SCALE = {"g": Fraction(1_000_000), "mg": Fraction(1000), "microgam": Fraction(1)}
_ROUNDED_PLACES = 3


@dataclass(frozen=True, slots=True)
class Amount:
    low: Fraction
    high: Fraction
    unit: str


def read_amount(text: str) -> Amount:
    match = QUANTITY.fullmatch(text)
    if match is None:
        raise ValueError(text)
    low = _number(match["low"])
    return Amount(low, _number(match["high"]) if match["high"] else low, match["unit"])


def _number(text: str) -> Fraction:
    whole, _, decimals = text.replace(" ", "").partition(",")
    return Fraction(int(whole + decimals), 10 ** len(decimals))


def is_rounded(exact: Fraction, shown: Fraction) -> bool:
    """Whether it is the nearest number with three decimals that count."""
    places = _ROUNDED_PLACES
    while exact and exact < Fraction(1, 10 ** (places - _ROUNDED_PLACES + 1)):
        places += 1
    return bool(abs(exact - shown) * 2 * 10**places <= 1)


def unit_parts(unit: str) -> tuple[str, frozenset[str]]:
    above, *below = unit.split("/")
    return above, frozenset(below)


def scale_of(measure: str) -> Fraction:
    return SCALE.get(measure, Fraction(1))
