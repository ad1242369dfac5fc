"""Numeric bands in labels: weights, ages and clearances, with their boundaries as printed."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum
from functools import lru_cache

from monographs.text import fold

_MONTHS_PER_YEAR = Decimal(12)
_WEEKS_PER_MONTH, _DAYS_PER_MONTH = Decimal("4.345"), Decimal("30.4")


class BandKind(StrEnum):
    """What a band measures: kilograms, months of age, months since conception or the last menses, ml/minute, a ratio,
    mmol/litre, or mmHg in systole."""

    WEIGHT = "weight"
    AGE = "age"
    GESTATION = "gestation"
    CLEARANCE = "clearance"
    INR = "inr"
    POTASSIUM = "potassium"
    SODIUM = "sodium"
    PRESSURE = "pressure"


@dataclass(frozen=True, slots=True)
class Band:
    """low and high in kg, months or ml/minute; None where open. An age band closed by a year lasts through it."""

    kind: BandKind
    low: Decimal | None
    high: Decimal | None
    with_low: bool = True
    with_high: bool = True

    def holds(self, value: Decimal) -> bool:
        """Whether the value lies in the band, boundaries as printed."""
        above = self.low is None or value > self.low or (self.with_low and value == self.low)
        below = self.high is None or value < self.high or (self.with_high and value == self.high)
        return above and below


_NUMBER = r"(\d{1,4}(?:[.,]\d+)?)"
_UNIT = r"(kg|thang tuoi|thang|tuan tuoi|tuan|ngay tuoi|nam tuoi|tuoi|ml/phut)"
_RANGE = re.compile(
    rf"(?:(tren|tu)\s+)?{_NUMBER}\s*(?:{_UNIT}\s*)?(?:-|–|den|toi)\s*(?:(duoi|<)\s*)?{_NUMBER}\s*{_UNIT}"
)
_BELOW = re.compile(rf"(?<!khong )(?:duoi|nho hon|<)\s*{_NUMBER}\s*{_UNIT}")
_UP_TO = re.compile(
    rf"(?:den|toi|≤|khong qua|khong tren)\s*{_NUMBER}\s*{_UNIT}|(?:tu\s+)?{_NUMBER}\s*{_UNIT}\s*tro xuong"
)
_ABOVE = re.compile(rf"(?<!khong )(?:tren|lon hon|hon|>)\s*{_NUMBER}\s*{_UNIT}")
_FROM = re.compile(rf"(?:tu|≥|khong duoi)\s*{_NUMBER}\s*{_UNIT}(?:\s*tro len)?|{_NUMBER}\s*{_UNIT}\s*tro len")
_EXACT = re.compile(rf"(?:tre|be)\s+{_NUMBER}\s*(thang tuoi|thang|tuan tuoi|ngay tuoi|tuoi)\b(?!\s*(?:-|–|den|tro))")
# Laboratory values are told by their names; a unit may follow.
LABS = {
    BandKind.INR: "inr",
    BandKind.POTASSIUM: "kali(?: huyet(?: thanh| tuong)?| mau)?",
    BandKind.SODIUM: "natri (?:huyet(?: thanh| tuong)?|mau)",
    BandKind.PRESSURE: "huyet ap(?: tam thu)?",
}
_LAB_BAND = re.compile(
    rf"\b(?:{'|'.join(f'(?P<{kind.value}>{name})' for kind, name in LABS.items())})\s+\(?"
    rf"(?:(?P<sign>tren|lon hon|hon|tu|duoi|nho hon|khong qua|khong tren|khong duoi|den|>|<|≥|≤)\s*)?"
    rf"(?P<low>\d{{1,3}}(?:[.,]\d+)?)(?:/\d{{2,3}})?"
    rf"(?:\s*(?:-|–|den)\s*(?P<below>duoi\s*|<\s*)?(?P<high>\d{{1,3}}(?:[.,]\d+)?)"
    r"|\s*(?:mmol/\S+\s*|mmhg\s*)?(?P<open>tro len|tro xuong))?"
)
# Weeks of a pregnancy, not of a life: a child of ten days is none "dưới 26 tuần" of them.
_GESTATION = re.compile(
    r"(?:(?:tu|duoi|tren|den) )?tuoi thai(?: hieu chinh)? "
    r"(?:(?:tu|duoi|tren|den) )*\d+(?: (?:-|–|den)(?: duoi)? \d+)? tuan|"
    r"(?:(?:tu|duoi|tren|den) )?\d+(?: ?(?:-|–|den) ?\d+)? tuan tuoi (?:thai|sau kinh (?:chot|cuoi))"
)
_OF_PREGNANCY = re.compile(r"tuoi thai(?: hieu chinh)? ")
_NO_AGE = re.compile(r"(?:trong|moi|sau|cach|them)\s+(?:\d+\s*-\s*)?\d+\s*(?:tuan|thang|ngay)\b")


@lru_cache(maxsize=4096)
def bands_of(text: str) -> tuple[Band, ...]:
    """The bands that a label names, in order."""
    rest = fold(text)
    weeks = [_OF_PREGNANCY.sub("", match.group()) for match in _GESTATION.finditer(rest)]
    born = [replace(band, kind=BandKind.GESTATION) for text in weeks for band in _measured(text)]
    return (*_measured(_GESTATION.sub(" ", rest)), *born)


def _measured(folded: str) -> tuple[Band, ...]:
    """The bands of a folded text, every week in it an age."""
    rest = _NO_AGE.sub(" ", folded)
    bands = [band for match in _LAB_BAND.finditer(rest) if (band := _lab(match))]
    rest = _LAB_BAND.sub(" ", rest)
    for pattern, make in (
        (_EXACT, _exact),
        (_RANGE, _range),
        (_BELOW, _below),
        (_UP_TO, _up_to),
        (_ABOVE, _above),
        (_FROM, _from),
    ):
        bands += [make(match) for match in pattern.finditer(rest)]
        rest = pattern.sub(" ", rest)
    return tuple(bands)


def age_in_months(number: str, unit: str) -> Decimal:
    """An age as typed ("10", "thang tuoi") in months."""
    value = Decimal(number.replace(",", "."))
    if unit.startswith("thang"):
        return value
    if unit.startswith("tuan"):
        return value / _WEEKS_PER_MONTH
    return value / _DAYS_PER_MONTH if unit.startswith("ngay") else value * _MONTHS_PER_YEAR


def _lab(match: re.Match[str]) -> Band | None:
    """None for a bare value, which is a patient's and no band."""
    kind = next(kind for kind in LABS if match[kind.value])
    low = Decimal(match["low"].replace(",", "."))
    if match["high"]:
        high = Decimal(match["high"].replace(",", "."))
        return Band(kind, low, high, with_high=not match["below"])
    match match["sign"] or match["open"]:
        case "tren" | "lon hon" | "hon" | ">":
            return Band(kind, low, None, with_low=False)
        case "tu" | "khong duoi" | "tro len" | "≥":
            return Band(kind, low, None)
        case "duoi" | "nho hon" | "<":
            return Band(kind, None, low, with_high=False)
        case "den" | "khong qua" | "khong tren" | "tro xuong" | "≤":
            return Band(kind, None, low)
        case _:
            return None


def _exact(match: re.Match[str]) -> Band:
    kind, value, step = _measure(*match.groups())
    return Band(kind, value, value + step, with_high=False)


def _range(match: re.Match[str]) -> Band:
    sign, low, low_unit, below, high, unit = match.groups()
    kind, first, _ = _measure(low, low_unit or unit)
    _, last, step = _measure(high, unit)
    through = kind is BandKind.AGE and not below
    return Band(kind, first, last + step if through else last, sign != "tren", not (below or through))


def _below(match: re.Match[str]) -> Band:
    kind, value, _ = _measure(*match.groups())
    return Band(kind, None, value, with_high=False)


def _up_to(match: re.Match[str]) -> Band:
    number, unit = (group for group in match.groups() if group is not None)
    kind, value, _ = _measure(number, unit)
    return Band(kind, None, value)


def _above(match: re.Match[str]) -> Band:
    kind, value, _ = _measure(*match.groups())
    return Band(kind, value, None, with_low=False)


def _from(match: re.Match[str]) -> Band:
    number, unit = (group for group in match.groups() if group is not None)
    kind, value, _ = _measure(number, unit)
    return Band(kind, value, None)


def _measure(number: str, unit: str) -> tuple[BandKind, Decimal, Decimal]:
    """(kind, value, one more of the unit), ages in months."""
    if unit == "kg":
        return BandKind.WEIGHT, Decimal(number.replace(",", ".")), Decimal(0)
    if unit == "ml/phut":
        return BandKind.CLEARANCE, Decimal(number.replace(",", ".")), Decimal(0)
    return BandKind.AGE, age_in_months(number, unit), age_in_months("1", unit)
