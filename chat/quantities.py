"""Quantities as the book prints them: exact decimals, a range with both ends, and a unit that is counted with."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction

_SPACES = "\u00a0\u202f\u2009"
_NUMBER = re.compile(r"(?:0|[1-9]\d{0,2}(?: \d{3})+|[1-9]\d*)(?:,\d+)?")
# "1,625" is a thousand and more to one reader and one and a half to another.
_TWO_READINGS = re.compile(r"[1-9]\d{0,2},\d{3}")
_SHOWN = re.compile(rf"(?P<low>{_NUMBER.pattern})(?: - (?P<high>{_NUMBER.pattern}))? (?P<unit>\D.*)")
_GROUP = 3
_PRECISION = 60
_MOST_PLACES, _TRACE = 15, Decimal("1e-40")
# In microgam.
MASSES = {"g": Decimal(1_000_000), "mg": Decimal(1000), "microgam": Decimal(1)}
# Exact conversions, and no others: (from, to) as the factor that is written into the step.
CONVERSIONS: dict[tuple[str, str], str] = {
    ("g", "mg"): "1 000 mg/g",
    ("mg", "microgam"): "1 000 microgam/mg",
    ("g", "microgam"): "1 000 000 microgam/g",
}


@dataclass(frozen=True, slots=True)
class Quantity:
    """From low to high, one value where they are the same; unit as printed: "mg/kg/lần"."""

    low: Decimal
    high: Decimal
    unit: str

    @property
    def text(self) -> str:
        """ "10 - 15 mg/kg/lần", numbers as show_number() writes them."""
        return f"{show_range(self.low, self.high)} {self.unit}".rstrip()

    @property
    def is_exact(self) -> bool:
        """Whether what is shown is the value itself."""
        return all(shown_value(end) == end for end in (self.low, self.high))


def plain_spaces(text: str) -> str:
    """The text with every space an ordinary one."""
    return re.sub(f"[{_SPACES}]", " ", text)


def parse_number(text: str) -> Decimal | None:
    """A number as the book writes it: decimal comma, thousands by spaces. None for any other form, and for one that
    can be read in two ways: "1.000", "1,000"."""
    plain = plain_spaces(text)
    if not _NUMBER.fullmatch(plain) or _TWO_READINGS.fullmatch(plain):
        return None
    return Decimal(plain.replace(" ", "").replace(",", "."))


def show_number(value: Decimal) -> str:
    """The inverse: no trailing zero, thousands by spaces; at most three significant decimals."""
    whole, _, decimals = format(shown_value(value), "f").partition(".")
    head = len(whole) % _GROUP or _GROUP
    grouped = " ".join([whole[:head], *(whole[at : at + _GROUP] for at in range(head, len(whole), _GROUP))])
    decimals = decimals.rstrip("0")
    return f"{grouped},{decimals}" if decimals else grouped


def show_range(low: Decimal, high: Decimal) -> str:
    """ "10 - 15", or one number where both ends are shown alike."""
    first, last = show_number(low), show_number(high)
    return first if first == last else f"{first} - {last}"


def shown_value(value: Decimal) -> Decimal:
    """The value itself where it has at most three decimals that count, else the nearest one that has.

    Zeros right after the comma do not count: 0,000125 keeps all its digits.
    """
    exponent = value.normalize().as_tuple().exponent
    places = -int(exponent)
    if places <= _GROUP:
        return value
    leading = max(0, -value.adjusted() - 1) if value else 0
    with localcontext() as context:
        context.prec = _PRECISION
        return round(value, leading + _GROUP) if places > leading + _GROUP else value


def read_quantity(text: str) -> Quantity | None:
    """The inverse of Quantity.text; None for what is no such text."""
    match = _SHOWN.fullmatch(plain_spaces(text))
    low = parse_number(match["low"]) if match else None
    high = parse_number(match["high"]) if match and match["high"] else low
    return Quantity(low, high, match["unit"]) if match and low is not None and high is not None else None


def times(one: Quantity, other: Quantity) -> Quantity:
    """The product, end by end, with the unit that follows. No value is negative."""
    with localcontext() as context:
        context.prec = _PRECISION
        return Quantity(
            _settled(one.low * other.low), _settled(one.high * other.high), _combined(one.unit, other.unit, 1)
        )


def divided(one: Quantity, other: Quantity) -> Quantity:
    """The quotient; the divisor is one value, not a range, and not zero, else ValueError."""
    if other.low != other.high or not other.low:
        raise ValueError("a divisor is a single value other than zero")
    with localcontext() as context:
        context.prec = _PRECISION
        return Quantity(
            _settled(one.low / other.low), _settled(one.high / other.low), _combined(one.unit, other.unit, -1)
        )


def _settled(value: Decimal) -> Decimal:
    """Without the trace that a quotient such as 7/3 leaves in what is counted with it: 90 and not 90 + 10⁻⁵⁸."""
    near = round(value, _MOST_PLACES)
    return near if abs(value - near) < _TRACE else value


def limited(one: Quantity, maximum: Quantity) -> Quantity:
    """At most the maximum, at both ends. The maximum is one value."""
    return Quantity(min(one.low, maximum.high), min(one.high, maximum.high), one.unit)


def unit_powers(unit: str) -> dict[str, int]:
    """How often each measure multiplies: "mg/kg/lần" gives mg 1, kg -1, lần -1."""
    above, *below = unit.split("/")
    powers: Counter[str] = Counter({above: 1} if above else {})
    powers.subtract(below)
    return {measure: power for measure, power in powers.items() if power}


def as_fraction(text: str) -> Fraction | None:
    """A number of parse_number()'s form as an exact fraction."""
    value = parse_number(text)
    return Fraction(value) if value is not None else None


def _combined(one: str, other: str, sign: int) -> str:
    powers = Counter(unit_powers(one))
    for measure, power in unit_powers(other).items():
        powers[measure] += sign * power
    above = [measure for measure, power in powers.items() if power > 0]
    below = [measure for measure, power in powers.items() if power < 0]
    return "/".join(["·".join(above), *below])
