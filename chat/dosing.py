"""Arithmetic from a printed dose: mg/kg to mg, the book's maximum, a rate in ml/hour. Pure; Decimal, no floats.

What is not wholly understood, or not for this patient, gives no arithmetic: a Refused says why.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from chat.domain import Calculation, EvidenceBlock, QueryFrame, Reason
from chat.quantities import CONVERSIONS, Quantity, divided, limited, read_quantity, show_number, times, unit_powers
from chat.stated_dose import NO_WEIGHT_DOSE, Refused, is_forbidden, printed_maxima, stated_doses
from chat.statements import EVERY_OTHER_DAY, STARTS, Dose, Statement
from chat.told import told_concentration, told_flow, told_rate, told_surface

LIMIT = ", giới hạn ở mức tối đa"
ROUNDED = "Số sau dấu ≈ được làm tròn đến ba chữ số thập phân có nghĩa."
PATH_STEP = " › "
WEIGHT, SURFACE, RATE = "Cân nặng", "Diện tích cơ thể", "Liều do người hỏi ghi"
CONCENTRATION, BRANCH, PRINTED = "Nồng độ do người hỏi ghi", "Mức liều trong sách", "Liều in trong sách"
# Said in the result: an amount for every other day must not be taken for one of every day; and how it is rounded.
ALTERNATE, ROUNDING = "cách ngày", "làm tròn đến "
_DAY = frozenset({"ngày", "24 giờ"})
_MOST_PARTS = 6
_A_THOUSAND = 1000


@dataclass(frozen=True, slots=True)
class Lacking:
    """What the asker must still tell. terms: in Vietnamese."""

    reason: Reason
    terms: str


@dataclass(slots=True)
class _Chain:
    """The steps of one statement; prefix: the level that they are for."""

    prefix: str
    steps: list[str] = field(default_factory=list)
    capped: bool = False
    rounded: bool = False

    def times(self, one: Quantity, other: Quantity) -> Quantity:
        return self._add(one, "×", other, times(one, other))

    def divided(self, one: Quantity, other: Quantity) -> Quantity:
        return self._add(one, ":", other, divided(one, other))

    def limited(self, one: Quantity, maximum: Quantity) -> Quantity:
        """At most the maximum; no step where it holds anyway."""
        found = limited(one, maximum)
        if found == one:
            return one
        self.capped = True
        return self._add(one, LIMIT, maximum, found)

    def converted(self, amount: Quantity, measure: str) -> Quantity:
        """The same amount in another measure, by a factor that is written out."""
        own = next(iter(unit_powers(amount.unit)))
        if own == measure:
            return amount
        if (own, measure) in CONVERSIONS:
            return self.times(amount, factor_of(CONVERSIONS[own, measure]))
        if (measure, own) in CONVERSIONS:
            return self.divided(amount, factor_of(CONVERSIONS[measure, own]))
        raise _UnitError(f"{own}, {measure}")

    def _add(self, one: Quantity, sign: str, other: Quantity, result: Quantity) -> Quantity:
        equals = "=" if result.is_exact else "≈"
        self.rounded = self.rounded or not result.is_exact
        joint = "" if sign.startswith(",") else " "
        step = f"{self.prefix}{one.text}{joint}{sign} {other.text} {equals} {result.text}"
        if step not in self.steps:
            self.steps.append(step)
        return result


class _UnitError(Exception):
    """Two amounts that no exact conversion brings together."""


def calculate(
    shown: Sequence[EvidenceBlock], frame: QueryFrame, *, by_volume: bool = False
) -> Calculation | Refused | Lacking:
    """The arithmetic that the shown passages ground for this patient.

    shown: the evidence of the answer; by_volume: a volume or a rate in ml is asked for, not only a mass.
    """
    if is_forbidden(shown, frame):
        return Refused("mục Chống chỉ định có nói tới người bệnh này")
    found = stated_doses(shown, frame)
    if isinstance(found, Refused):
        return found
    block, statements = found
    if not by_volume and not any(statement.dose.basis for statement in statements):
        # A fixed rate that is told is counted with only for its ml.
        return Refused(NO_WEIGHT_DOSE)
    lacking = _lacking(statements, frame, by_volume=by_volume)
    if lacking:
        return lacking
    try:
        return _calculation(block, statements, frame, by_volume=by_volume)
    except _UnitError as units:
        return Refused(f"đơn vị không quy đổi được: {units}")


def amounts_of(calculation: Calculation) -> list[Quantity]:
    """Every amount that the result says."""
    said = [
        part.rpartition(": ")[2].removeprefix("tối đa ").removeprefix("tức ")
        for part in re.split(r"[;,] ", calculation.result)
    ]
    return [amount for text in said if (amount := read_quantity(text)) is not None]


def factor_of(text: str) -> Quantity:
    """ "1 000 mg/g" as a quantity."""
    number, _, unit = text.rpartition(" ")
    value = Decimal(number.replace(" ", ""))
    return Quantity(value, value, unit)


def _lacking(statements: Sequence[Statement], frame: QueryFrame, *, by_volume: bool) -> Lacking | None:
    bases = {statement.dose.basis for statement in statements}
    if "m²" in bases and told_surface(frame.amounts) is None:
        return Lacking(Reason.NEEDS_SURFACE, "diện tích cơ thể (m²)")
    weight = "kg" in bases and frame.weight_kg is None
    per_time = any(statement.dose.per in {"phút", "giờ"} for statement in statements)
    thin = by_volume and per_time and told_concentration(frame.amounts) is None
    if weight and not thin:
        return Lacking(Reason.NEEDS_WEIGHT, "cân nặng (mỗi kg)")
    if thin:
        parts = [*(["cân nặng (kg)"] if weight else []), "nồng độ dịch truyền (mg/ml)"]
        return Lacking(Reason.NEEDS_CONCENTRATION, " và ".join(parts))
    return None


def _calculation(
    block: EvidenceBlock, statements: tuple[Statement, ...], frame: QueryFrame, *, by_volume: bool
) -> Calculation | Refused:
    rate = told_rate(frame.amounts) if any(s.dose.basis for s in statements) else told_flow(frame.amounts)
    if rate is not None:
        statements = tuple(statement for statement in statements if _admits(statement, rate))
        if not statements:
            return Refused(f"liều đã ghi ({rate.text}) nằm ngoài các mức mà sách in")
    chains = [_chain(statement, frame, rate, by_volume=by_volume) for statement in statements]
    if rate is not None:
        chains = chains[:1]
    steps = tuple(dict.fromkeys(step for chain, _ in chains for step in chain.steps))
    return Calculation(
        inputs=_inputs(block, statements, frame, rate, by_volume=by_volume),
        steps=steps,
        result="; ".join(result for _, result in chains),
        maximum=printed_maxima(statements),
        capped=any(chain.capped for chain, _ in chains),
        rounding=ROUNDED if any(chain.rounded for chain, _ in chains) else "",
        evidence=(block,),
    )


def _admits(statement: Statement, rate: Quantity) -> bool:
    """Whether a told dose lies within a printed one, or between the first dose and the least of its maxima."""
    dose = statement.dose.quantity
    if dose.unit != rate.unit:
        return False
    maxima = [maximum.high for maximum in statement.maxima if maximum.quantity.unit == rate.unit]
    most = min(maxima) if maxima and statement.level.lower() == STARTS else dose.high
    return dose.low <= rate.low <= max(dose.high, most)


def _chain(statement: Statement, frame: QueryFrame, rate: Quantity | None, *, by_volume: bool) -> tuple[_Chain, str]:
    """The steps of one statement, and its line of the result."""
    prefix = f"{statement.level}: " if statement.level and rate is None else ""
    chain = _Chain(prefix)
    main = rate or statement.dose.quantity
    if statement.dose.basis:
        main = chain.times(main, _body(statement.dose, frame, chain))
    daily: Quantity | None = None
    for maximum in statement.maxima:
        bound = _bound(maximum, frame, chain, main)
        if _limits_directly(statement.dose, maximum):
            main = chain.limited(main, bound)
        elif statement.dose.per == "lần" and maximum.per in _DAY:
            main = chain.limited(main, bound)
            daily = bound if daily is None else limited(daily, bound)
    main = _legible(main, chain)
    parts = _parts(statement, frame, chain, main)
    said = [prefix + main.text, *parts]
    if statement.rhythm.every == EVERY_OTHER_DAY:
        said.append(ALTERNATE)
    said += [remark for remark in statement.remarks if remark.startswith(ROUNDING)]
    if by_volume and (volume := _volume(chain, main, frame)) is not None:
        said.append(f"tức {volume.text}")
    if daily is not None:
        said.append(f"tối đa {_legible(daily, chain).text}")
    return chain, ", ".join(said)


def _legible(amount: Quantity, chain: _Chain) -> Quantity:
    """ "10 000 microgam" as "10 mg", as the book itself prints it; a rate stays in what pumps are set by."""
    measure, _, per = amount.unit.partition("/")
    is_large = measure == "microgam" and per not in {"phút", "giờ"} and amount.low >= _A_THOUSAND
    return chain.divided(amount, factor_of("1 000 microgam/mg")) if is_large else amount


def _body(dose: Dose, frame: QueryFrame, chain: _Chain) -> Quantity:
    if dose.basis == "m²":
        surface = told_surface(frame.amounts)
        if surface is None:
            raise _UnitError("m²")
        return surface
    if frame.weight_kg is None:
        raise _UnitError("kg")
    grams = next((text for text in frame.amounts if text.endswith(" g")), None)
    weight = Quantity(frame.weight_kg, frame.weight_kg, "kg")
    if grams is None or times(weight, factor_of("1 000 g/kg")).text != grams:
        return weight
    plain = _Chain("")
    told = times(weight, factor_of("1 000 g/kg"))
    plain.divided(told, factor_of("1 000 g/kg"))
    chain.steps[:0] = plain.steps
    return weight


def _bound(maximum: Dose, frame: QueryFrame, chain: _Chain, main: Quantity) -> Quantity:
    """A maximum for this patient, in the measure of the dose."""
    bound = maximum.quantity
    if maximum.basis:
        bound = chain.times(bound, _body(maximum, frame, chain))
    return chain.converted(bound, next(iter(unit_powers(main.unit))))


def _limits_directly(dose: Dose, maximum: Dose) -> bool:
    """Whether a maximum is of the same time as the dose; a single dose is no more than any of them."""
    same = dose.per == maximum.per or {dose.per, maximum.per} <= _DAY
    return same or (not dose.per and maximum.per in {"lần", *_DAY}) or (dose.per == "lần" and not maximum.per)


def _parts(statement: Statement, frame: QueryFrame, chain: _Chain, main: Quantity) -> list[str]:
    """A daily amount by the doses into which the book divides it, one line for each printed number of them."""
    per_time = [maximum for maximum in statement.maxima if maximum.per == "lần"]
    rhythm = statement.rhythm
    if statement.dose.per not in _DAY or not rhythm.is_divided or rhythm.times is None:
        if per_time and statement.dose.per in _DAY:
            raise _UnitError("lần, ngày")
        return []
    first, last = rhythm.times
    if last - first >= _MOST_PARTS:
        raise _UnitError("lần")
    said = []
    for count in range(max(first, 2), last + 1):
        part = chain.divided(main, Quantity(Decimal(count), Decimal(count), f"lần/{statement.dose.per}"))
        for maximum in per_time:
            part = chain.limited(part, _bound(maximum, frame, chain, part))
        said.append(f"chia {show_number(Decimal(count))} lần: {part.text}")
    return said


def _volume(chain: _Chain, main: Quantity, frame: QueryFrame) -> Quantity | None:
    """The mass as a volume of the concentration told; a rate in ml an hour. None where no concentration is told."""
    told = told_concentration(frame.amounts)
    if told is None:
        return None
    mass, volume = told
    per_ml = divided(mass, volume) if volume.low == 1 else chain.divided(mass, volume)
    if main.unit.endswith("/phút"):
        main = chain.times(main, factor_of("60 phút/giờ"))
    main = chain.converted(main, next(iter(unit_powers(per_ml.unit))))
    return chain.divided(main, per_ml)


def _inputs(
    block: EvidenceBlock,
    statements: Sequence[Statement],
    frame: QueryFrame,
    rate: Quantity | None,
    *,
    by_volume: bool,
) -> tuple[tuple[str, str], ...]:
    bases = {dose.basis for statement in statements for dose in (statement.dose, *statement.maxima)}
    surface, told = told_surface(frame.amounts), told_concentration(frame.amounts)
    values = [(BRANCH, PATH_STEP.join(block.labels))] if block.labels else []
    if "kg" in bases and frame.weight_kg is not None:
        values.append((WEIGHT, f"{show_number(frame.weight_kg)} kg"))
    if "m²" in bases and surface is not None:
        values.append((SURFACE, surface.text))
    if rate is not None:
        values += [(PRINTED, f"{statement.level} {statement.dose.text}".strip()) for statement in statements]
        values.append((RATE, rate.text))
    if by_volume and told is not None:
        values.append((CONCENTRATION, next(text for text in frame.amounts if text.endswith("ml"))))
    return tuple(values)
