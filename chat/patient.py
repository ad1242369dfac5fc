"""What a question tells of the patient: age, weight, clearance, laboratory values, and the route of the drug."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from chat.bands import LABS, BandKind, age_in_months
from chat.cues import cue_table
from chat.domain import Population, Route
from chat.numbers import Bound, bound_before
from chat.told import told_amounts, told_grams
from monographs.names import tokenise
from monographs.text import fold, normalise

_WEIGHT = re.compile(r"(?<![\d.,])(\d{1,3}(?:[.,]\d{1,2})?)\s*(?:kg|ký|kí|ki|ky|cân)\b(?!\s*/)", re.IGNORECASE)
_AGE = re.compile(
    r"(?<![\d.,])(\d{1,3})\s*(tuổi|tuoi|tháng tuổi|thang tuoi|tuần tuổi|tuan tuoi|ngày tuổi|ngay tuoi|tháng|thang)\b",
    re.IGNORECASE,
)
_CLEARANCE = re.compile(r"(?:thanh thai(?: creatinin)?|muc loc cau than|e?gfr|clcr|crcl)\D{0,12}(\d{1,3}(?:[.,]\d)?)")
# "Cr 180", "creatinin huyết thanh 2,1 mg/dl"; a clearance, or a creatinine without a number, is none.
_CREATININE = re.compile(
    r"(?<!thanh thai )\b(?:cr|creatinin)\b(?: (?:huyet thanh|mau|ht))?\s*(?:(?:la|len|tang|bang|=|:)\s*)*"
    r"(?:\d{2,4}\b(?!\s*ml)|\d[.,]\d)"
)
# What stands between the name of a value and the value.
_TELLS = (
    "len|la|bang|con|dang|chi|chi con|luc|hom nay|co|khoang|hien|hien tai|nay|tang|tang len|giam con|do duoc|do|duoc|"
    "vao vien|ve"
)
_FEW, _MANY = r"\d{1,2}", r"\d{2,3}"
_DIGITS = {BandKind.INR: _FEW, BandKind.POTASSIUM: _FEW, BandKind.SODIUM: _MANY, BandKind.PRESSURE: _MANY}
_PREGNANT_MONTHS = re.compile(
    r"(?:thai|bau|co bau|mang thai)\D{0,8}\d{1,2}\s*(?:thang|tuan)|(?:thang|tuan) thu \d{1,2}"
)
# A mother's: "đang cho bé 2 tháng bú", "sau sinh 4 tháng".
_NURSED = re.compile(
    r"\bcho (?:be|con|chau|em be)(?: (?:so sinh|nho|\d+ (?:thang|tuan|ngay)(?: tuoi)?))? bu\b|"
    r"\bcho bu (?:be|con|chau|em be) \d+ (?:thang|tuan|ngay)(?: tuoi)?\b|"
    r"\bsau (?:sinh|sanh|de)(?: duoc| mo)? \d+ (?:thang|tuan|ngay)\b"
)
_CHILD_NURSED = re.compile(
    r"\bcho bu (?:be|con|chau|em be) \d+ (?:thang|tuan|ngay)\b|"
    r"\bcho (?:be|con|chau|em be) (?:so sinh|nho|\d+ (?:thang|tuan|ngay)(?: tuoi)?) bu\b"
)
# "Hapacol goi": typed bare, behind a name or a strength, a packet is swallowed.
_PACKET = re.compile(r"(?:·|\b\d{2,4}(?: ?mg)?) goi\b|\bgoi \d{2,4}\b")
_DURATION = re.compile(r"(?:trong|moi|sau|cach|them|suot|keo dai)\s+(?:khoang\s+)?(?:\d+\s*-\s*)?$")
_MORE_MONTHS = re.compile(r"\s*(?:và|va)?\s*(\d{1,2})\s*(?:tháng|thang)\b", re.IGNORECASE)
# "đã tiêm bắp", "vừa uống", "đã được tiêm".
_TOLD = re.compile(r"\b(?:da|vua|vua moi)(?: duoc| cho| dung)?$")
_RANGE_BEFORE, _RANGE_AFTER = re.compile(r"\d\s*(?:-|–|den|toi)\s*$"), re.compile(r"\s*(?:-|–|den|toi)\s*\d")
_ADULT_MONTHS, _ELDERLY_MONTHS, _NEWBORN_MONTHS = Decimal(18 * 12), Decimal(65 * 12), Decimal("0.93")
_MAX_WEIGHT = Decimal(500)
_INFANT_MONTHS, _GRAMS_PER_KG = Decimal(12), Decimal(1000)


@dataclass(frozen=True, slots=True)
class Patient:
    """What a question tells of the patient, and by which route the drug is given."""

    populations: frozenset[Population]
    age: tuple[str, Decimal] | None
    weight_kg: Decimal | None
    clearance_ml_min: Decimal | None
    serum_creatinine: bool
    labs: tuple[tuple[str, Decimal], ...]
    amounts: tuple[str, ...]
    route: Route | None


def patient_of(rest: str) -> Patient:
    age = _age(rest)
    populations = _populations(rest, age[1] if age else None)
    is_infant = Population.TRE_SO_SINH in populations or (age is not None and age[1] < _INFANT_MONTHS)
    return Patient(
        populations=populations,
        age=age,
        weight_kg=_weight(rest) or _weight_in_grams(rest, is_infant=is_infant),
        amounts=told_amounts(rest, is_infant=is_infant),
        clearance_ml_min=_clearance(rest),
        serum_creatinine=_CREATININE.search(fold(rest)) is not None,
        labs=_labs(rest),
        route=_route(rest),
    )


def tells_clearance(rest: str) -> bool:
    return _CLEARANCE.search(fold(rest)) is not None


def _populations(rest: str, age_months: Decimal | None) -> frozenset[Population]:
    found = {Population(meaning) for meaning in cue_table("population").meanings(rest)}
    if _CHILD_NURSED.search(fold(rest)):
        found = (found - {Population.TRE_EM, Population.TRE_SO_SINH}) | {Population.CHO_CON_BU}
    if _PREGNANT_MONTHS.search(fold(rest)):
        found.add(Population.MANG_THAI)
    if age_months is not None and Population.MANG_THAI not in found:
        found.add(_age_group(age_months))
    if Population.TRE_SO_SINH in found:
        found.discard(Population.TRE_EM)
    return frozenset(found)


def _age_group(months: Decimal) -> Population:
    if months < _NEWBORN_MONTHS:
        return Population.TRE_SO_SINH
    if months < _ADULT_MONTHS:
        return Population.TRE_EM
    return Population.NGUOI_CAO_TUOI if months >= _ELDERLY_MONTHS else Population.NGUOI_LON


def _route(rest: str) -> Route | None:
    tokens = tokenise(normalise(rest))
    hits = cue_table("route").find(rest)
    if not hits and _PACKET.search(fold(rest)):
        return Route.UONG
    given = [hit for hit in hits if _TOLD.search(" ".join(token.folded for token in tokens[: hit.first]))]
    # What was given before ("đã tiêm bắp 2 mũi") is not the route asked about, where another one is named.
    routes = list(dict.fromkeys(hit.meaning for hit in hits if hit not in given)) or [hit.meaning for hit in given]
    # "uống mấy lần" asks how often as much as which way: another route named beside it decides.
    named = [route for route in routes if route != Route.UONG] or routes
    return Route(named[0]) if named else None


def _weight(rest: str) -> Decimal | None:
    """A patient's weight; "trên 50 kg" and "12 - 15 kg" are bands, not weights."""
    for match in _WEIGHT.finditer(rest):
        weight = Decimal(match.group(1).replace(",", "."))
        if 0 < weight <= _MAX_WEIGHT and _is_value(rest[: match.start()]):
            return weight
    return None


def _weight_in_grams(rest: str, *, is_infant: bool) -> Decimal | None:
    grams = told_grams(rest, is_infant=is_infant)
    return grams / _GRAMS_PER_KG if grams is not None else None


def _is_value(before: str, after: str = "") -> bool:
    """Whether a number is a value of the patient: neither bounded nor an end of a range."""
    ranged = _RANGE_BEFORE.search(fold(before[-12:])) or _RANGE_AFTER.match(fold(after[:12]))
    return not ranged and bound_before(before) is Bound.NONE


def _age(rest: str) -> tuple[str, Decimal] | None:
    """(as typed, months). Months or weeks of a pregnancy or of a treatment are no age."""
    nursed = [match.span() for match in _NURSED.finditer(fold(rest))] if len(fold(rest)) == len(rest) else []
    ages = [m for m in _AGE.finditer(rest) if not any(start <= m.start() < end for start, end in nursed)]
    match = next((m for m in ages if _is_age(m, rest[: m.start()])), None)
    if match is None or (_PREGNANT_MONTHS.search(fold(rest)) and "tu" not in fold(match.group(2)).split()[-1]):
        return None
    age = age_in_months(match.group(1), fold(match.group(2)))
    more = _MORE_MONTHS.match(rest, match.end()) if fold(match.group(2)) == "tuoi" else None
    if more is None:
        return match.group(), age
    return rest[match.start() : more.end()], age + age_in_months(more.group(1), "thang")


def _is_age(match: re.Match[str], before: str) -> bool:
    lasts = not fold(match.group(2)).endswith("tuoi") and _DURATION.search(fold(before) + " ")
    return not lasts and _is_value(before)


def _clearance(rest: str) -> Decimal | None:
    folded = fold(rest)
    match = _CLEARANCE.search(folded)
    if match is None or not _is_value(folded[: match.start(1)], folded[match.end(1) :]):
        return None
    return Decimal(match.group(1).replace(",", "."))


def _labs(rest: str) -> tuple[tuple[str, Decimal], ...]:
    """Values of the patient's: "INR 9,5", "kali máu 5,8", of a blood pressure "85/50" that in systole."""
    return tuple(
        (kind.value, Decimal(match.group(1).replace(",", ".")))
        for kind, name in LABS.items()
        if (
            match := re.search(
                rf"\b{name}\s*:?\s*(?:(?:{_TELLS})\s+)*({_DIGITS[kind]}(?:[.,]\d+)?)(?!\d|[.,]\d)", fold(rest)
            )
        )
        and _is_value(fold(rest)[: match.start(1)], fold(rest)[match.end(1) :])
    )
