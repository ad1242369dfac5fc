"""Amounts that a question tells beside the patient's values: a rate, a concentration, a body surface, grams."""

from __future__ import annotations

import re
from decimal import Decimal

from chat.quantities import Quantity, divided, parse_number, read_quantity, show_number
from monographs.text import fold

_NUMBER = r"(?<![\d.,])(\d{1,4}(?:[.,]\d{1,4})?)"
_MASS = r"(mcg|microgam|ug|mg|gam|g|mmol|don vi|dv)"
_VOLUME = r"(\d{1,4}(?:[.,]\d{1,2})?)?\s*ml"
_RATE = re.compile(rf"{_NUMBER}\s*{_MASS}\s*/\s*kg\s*/\s*(phut|ph|min|p|gio|h)\b")
_FLOW = re.compile(rf"{_NUMBER}\s*{_MASS}\s*/\s*(phut|ph|min|p|gio|h)\b")
_CONCENTRATION = re.compile(rf"{_NUMBER}\s*{_MASS}\s*(?:/|trong|pha(?: vao| trong| voi| du)?|voi|vua du)\s*{_VOLUME}\b")
_SURFACE = re.compile(rf"(?<!/)(?<!/ ){_NUMBER}\s*m2(?!\w)")
_GRAMS = re.compile(r"(?<![\d.,/])(\d{3,4}|\d[ .]\d{3})\s*(?:g|gr|gam|gram)\b(?!\s*/)")
_WEIGHED = re.compile(r"\b(?:nang|can nang|can|cn)\s*(?:luc sinh\s*)?(?:la|:)?\s*$")
_MEASURES = {"mcg": "microgam", "ug": "microgam", "gam": "g", "don vi": "đơn vị", "dv": "đơn vị"}
_PERIODS = {"phut": "phút", "ph": "phút", "min": "phút", "p": "phút", "gio": "giờ", "h": "giờ"}
_LEAST_GRAMS, _MOST_GRAMS = 300, 9999


def told_amounts(rest: str, *, is_infant: bool) -> tuple[str, ...]:
    """The amounts told, each spelled as the book spells: "5 microgam/kg/phút", "250 mg/50 ml", "0,5 m²", "3 200 g".

    rest: the question without its drug names; is_infant: a bare "3200 g" is then a weight.
    """
    folded = fold(rest.replace("²", "2").replace("µ", "u").replace("μ", "u"))
    grams = told_grams(rest, is_infant=is_infant)
    found = [
        *(_rate(match) for match in _RATE.finditer(folded)),
        *(_flow(match) for match in _FLOW.finditer(folded)),
        *(_concentration(match) for match in _CONCENTRATION.finditer(folded)),
        *(_surface(match) for match in _SURFACE.finditer(folded)),
        f"{show_number(grams)} g" if grams is not None else "",
    ]
    return tuple(dict.fromkeys(text for text in found if text))


def told_grams(rest: str, *, is_infant: bool) -> Decimal | None:
    """A weight told in grams: "nặng 3200 g"."""
    folded = fold(rest)
    for match in _GRAMS.finditer(folded):
        value = Decimal(re.sub(r"\D", "", match.group(1)))
        weighed = _WEIGHED.search(folded[: match.start()]) is not None
        if (is_infant or weighed) and _LEAST_GRAMS <= value <= _MOST_GRAMS:
            return value
    return None


def with_amounts(new: tuple[str, ...], before: tuple[str, ...]) -> tuple[str, ...]:
    """What is told now, and of what was told before that of another kind."""
    kinds = {_kind(text) for text in new}
    return (*new, *(text for text in before if _kind(text) not in kinds))


def told_rate(amounts: tuple[str, ...]) -> Quantity | None:
    """The dose by weight and time that the asker tells."""
    return next((amount for text in amounts if _kind(text) == "rate" and (amount := _quantity(text))), None)


def told_flow(amounts: tuple[str, ...]) -> Quantity | None:
    """The fixed amount by time that the asker tells: "2 mg/giờ"; none beside one by weight."""
    flow = next((amount for text in amounts if _kind(text) == "flow" and (amount := _quantity(text))), None)
    return None if told_rate(amounts) else flow


def told_surface(amounts: tuple[str, ...]) -> Quantity | None:
    """The body surface told, in m²."""
    return next((amount for text in amounts if _kind(text) == "surface" and (amount := _quantity(text))), None)


def told_concentration(amounts: tuple[str, ...]) -> tuple[Quantity, Quantity] | None:
    """What is dissolved in what: (250 mg, 50 ml); (1 mg, 1 ml) for "1 mg/ml"."""
    text = next((text for text in amounts if _kind(text) == "concentration"), None)
    if text is None:
        return None
    mass, volume = text.split("/")
    first = _quantity(mass)
    last = _quantity(volume) if volume != "ml" else Quantity(Decimal(1), Decimal(1), "ml")
    return (first, last) if first and last and last.low else None


def concentration_of(mass: Quantity, volume: Quantity) -> Quantity:
    """ "250 mg" in "50 ml" as "5 mg/ml"."""
    return divided(mass, volume)


def _kind(text: str) -> str:
    if text.endswith("ml"):
        return "concentration"
    if text.endswith("m²"):
        return "surface"
    if "/kg/" in text:
        return "rate"
    return "flow" if "/" in text else "grams"


def _quantity(text: str) -> Quantity | None:
    return read_quantity(text)


def _rate(match: re.Match[str]) -> str:
    number, measure, period = match.groups()
    return _spelled(number, f"{_MEASURES.get(measure, measure)}/kg/{_PERIODS[period]}")


def _flow(match: re.Match[str]) -> str:
    number, measure, period = match.groups()
    return _spelled(number, f"{_MEASURES.get(measure, measure)}/{_PERIODS[period]}")


def _concentration(match: re.Match[str]) -> str:
    number, measure, volume = match.groups()
    within = _spelled(volume, "ml") if volume and volume != "1" else "ml"
    mass = _spelled(number, _MEASURES.get(measure, measure))
    return f"{mass}/{within}" if mass and within else ""


def _surface(match: re.Match[str]) -> str:
    return _spelled(match.group(1), "m²")


def _spelled(number: str, unit: str) -> str:
    """ "" for a number that can be read in two ways, and for zero."""
    value = parse_number(number.replace(".", ","))
    return f"{show_number(value)} {unit}" if value else ""
