"""The gate of a calculation: no number is shown that is not printed, told, or follows exactly. Fails closed.

Everything is counted again here, with fractions, from the shown lines themselves and from the passages; only the
reading of the passages (chat/statements.py) is shared with what made the lines.
"""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction

from chat.counted import NUM, QUANTITY, Amount, is_rounded, read_amount, unit_parts
from chat.domain import Calculation, QueryFrame, Reason
from chat.dosing import BRANCH, CONCENTRATION, PATH_STEP, PRINTED, RATE, ROUNDED, SURFACE, WEIGHT
from chat.expected_result import ALTERNATE, DAYS, ROUNDING, Expected
from chat.quantities import plain_spaces
from chat.selection import is_held
from chat.stated_dose import chosen_statements, printed_maxima
from chat.statements import STARTS, Statement, read_statements
from monographs.domain import SectionKey

_QUANTITY = rf"(?:{NUM})(?: - (?:{NUM}))? [^\d×=≈,;:]+?(?:24 giờ)?"
_STEP = re.compile(
    rf"(?:(?P<level>[^:×=≈]*[^:×=≈\s]): )?(?P<left>{_QUANTITY})(?P<sign> × | : |, giới hạn ở mức tối đa )"
    rf"(?P<right>{_QUANTITY}) (?P<equals>[=≈]) (?P<result>{_QUANTITY})"
)
_FACTORS = frozenset({"1 000 mg/g", "1 000 microgam/mg", "1 000 000 microgam/g", "1 000 g/kg", "60 phút/giờ"})


def check_calculation(calculation: Calculation, frame: QueryFrame) -> Reason | None:
    """None where every line holds; CALCULATION_NOT_GROUNDED, or why its passage may not be quoted."""
    evidence = calculation.evidence
    if not evidence or any(block.printed_page is None for block in evidence):
        return Reason.MISSING_PRINTED_PAGE
    if any(is_held(block) or block.section is not SectionKey.LIEU_DUNG for block in evidence):
        return Reason.SOURCE_QUARANTINED
    rules = (_inputs_hold, _steps_hold, _result_holds, _result_is_reached)
    try:
        holds = len(evidence) == 1 and all(rule(calculation, frame) for rule in rules)
    except (ValueError, ZeroDivisionError, KeyError, IndexError):
        holds = False
    return None if holds else Reason.CALCULATION_NOT_GROUNDED


# --- what is told ----------------------------------------------------------------------------------------------


def _inputs_hold(calculation: Calculation, frame: QueryFrame) -> bool:
    """Every input is the question's, or the label path of the passage."""
    told = set(frame.amounts)
    path = PATH_STEP.join(calculation.evidence[0].labels)
    return all(
        {
            BRANCH: value == path,
            PRINTED: value in plain_spaces(calculation.evidence[0].text),
            WEIGHT: _is_weight(value, frame),
            SURFACE: value in told,
            RATE: value in told,
            CONCENTRATION: value in told,
        }[name]
        for name, value in calculation.inputs
    )


def _is_weight(text: str, frame: QueryFrame) -> bool:
    match = QUANTITY.fullmatch(text)
    weight = frame.weight_kg
    return (
        match is not None
        and weight is not None
        and read_amount(text) == Amount(Fraction(weight), Fraction(weight), "kg")
    )


# --- the lines -------------------------------------------------------------------------------------------------


def _steps_hold(calculation: Calculation, frame: QueryFrame) -> bool:
    """Each line follows from printed and told amounts and from the lines before it."""
    text = plain_spaces(calculation.evidence[0].text)
    known: dict[str, Amount] = {}
    for step in calculation.steps:
        match = _STEP.fullmatch(step)
        if match is None or (match["level"] and match["level"].lower() not in text.lower()):
            return False
        left = _operand(match["left"], known, text, frame)
        right = _operand(match["right"], known, text, frame)
        if left is None or right is None:
            return False
        exact, shown = _counted(left, match["sign"].strip(), right), read_amount(match["result"])
        if not _is_shown_as(exact, shown, match["equals"]):
            return False
        known[match["result"]] = exact
    rounded = any("≈" in step for step in calculation.steps)
    return bool(calculation.steps) and calculation.rounding == (ROUNDED if rounded else "")


def _operand(shown: str, known: dict[str, Amount], text: str, frame: QueryFrame) -> Amount | None:
    """The amount that is written, where it may stand there; else None."""
    if shown in known:
        return known[shown]
    amount = read_amount(shown)
    told = {part for told in frame.amounts for part in (told, *told.split("/"))}
    is_known = shown in _FACTORS or shown in told or _is_weight(shown, frame) or _is_grams(shown, frame)
    return amount if is_known or _stands_in(shown, text) or _divides(shown, text) else None


def _stands_in(shown: str, text: str) -> bool:
    """Whether an amount is printed whole: no part of a longer number or unit."""
    return re.search(rf"(?<![\d,.])(?<!\d ){re.escape(shown)}(?![\w/]|,\d)", text) is not None


def _is_grams(shown: str, frame: QueryFrame) -> bool:
    return shown.endswith(" g") and shown in frame.amounts


def _divides(shown: str, text: str) -> bool:
    """Whether "3 lần/ngày" is one of the printed numbers of parts: "chia 2 - 3 lần"."""
    match = re.fullmatch(r"(\d+) lần/(?:ngày|24 giờ)", shown)
    if match is None:
        return False
    ranges = re.findall(r"chia (\d+)(?: - (\d+))? lần", text)
    return any(int(low) <= int(match.group(1)) <= int(high or low) for low, high in ranges)


def _counted(left: Amount, sign: str, right: Amount) -> Amount:
    if sign == "×":
        return Amount(left.low * right.low, left.high * right.high, _unit(left.unit, right.unit, 1))
    if sign == ":":
        if right.low != right.high:
            raise ValueError(right)
        return Amount(left.low / right.low, left.high / right.low, _unit(left.unit, right.unit, -1))
    if not _is_limit_of(left.unit, right.unit) or right.low != right.high or left.high <= right.low:
        raise ValueError(sign)
    return Amount(min(left.low, right.low), min(left.high, right.low), left.unit)


def _is_limit_of(unit: str, maximum: str) -> bool:
    """A maximum limits an amount of its own time, and a single or whole one of any."""
    measure, _, per = unit.partition("/")
    other, _, time = maximum.partition("/")
    same = per == time or {per, time} <= set(DAYS)
    of_one_dose = per == "lần" and (not time or time in DAYS)
    return measure == other and (same or (not per and time in {"lần", *DAYS}) or of_one_dose)


def _unit(one: str, other: str, sign: int) -> str:
    powers: Counter[str] = Counter()
    for text, factor in ((one, 1), (other, sign)):
        above, *below = text.split("/")
        powers[above] += factor
        for part in below:
            powers[part] -= factor
    over = [part for part, power in powers.items() for _ in range(power)]
    under = [part for part, power in powers.items() for _ in range(-power)]
    return "/".join(["·".join(over), *under])


def _is_shown_as(exact: Amount, shown: Amount, equals: str) -> bool:
    if unit_parts(exact.unit) != unit_parts(shown.unit):
        return False
    if equals == "=":
        return (exact.low, exact.high) == (shown.low, shown.high)
    return all(is_rounded(one, other) for one, other in ((exact.low, shown.low), (exact.high, shown.high)))


# --- the result ------------------------------------------------------------------------------------------------


def _result_holds(calculation: Calculation, frame: QueryFrame) -> bool:
    """The result is what the passage comes to for this patient, with all of its maxima."""
    block = calculation.evidence[0]
    reading = read_statements(block.text, block.labels)
    chosen = chosen_statements(reading, frame)
    if not isinstance(chosen, tuple) or reading.refused:
        return False
    rate = next((value for name, value in calculation.inputs if name == RATE), None)
    if rate is not None:
        chosen = tuple(statement for statement in chosen if _holds_rate(statement, read_amount(rate)))
    if not chosen:
        return False
    if calculation.maximum != printed_maxima(chosen):
        return False
    lines = calculation.result.split("; ")
    own = chosen[:1] if rate is not None else chosen
    if len(lines) != len(own):
        return False
    found = [Expected(statement, frame, rate) for statement in own]
    capped = any(expected.capped for expected in found)
    by_volume = any(name == CONCENTRATION for name, _ in calculation.inputs)
    return calculation.capped == capped and all(
        expected.is_said(line, by_volume=by_volume) and expected.is_last_of(calculation.steps)
        for expected, line in zip(found, lines, strict=True)
    )


def _result_is_reached(calculation: Calculation, _frame: QueryFrame) -> bool:
    """Every amount of the result is the right side of a line, the rate told, or its maximum as printed."""
    reached = {match["result"] for step in calculation.steps if (match := _STEP.fullmatch(step))}
    reached |= {value for name, value in calculation.inputs if name == RATE}
    parts = re.split(r"[;,] ", calculation.result)
    printed = {
        part for part in parts if part.startswith(ROUNDING) and part in plain_spaces(calculation.evidence[0].text)
    }
    said = [part.rpartition(": ")[2] for part in parts if part not in {ALTERNATE, *printed}]
    bare = [part.removeprefix("tối đa ").removeprefix("tức ") for part in said]
    return all(part in reached or _stands_in(part, calculation.maximum) for part in bare)


def _holds_rate(statement: Statement, rate: Amount) -> bool:
    """Whether a rate that is told is printed: within a dose, or above one that is begun with and below its maxima."""
    dose, bounds = statement.dose, [maximum for maximum in statement.maxima if maximum.per == statement.dose.per]
    within = Fraction(dose.low) <= rate.low <= Fraction(dose.high)
    alike = [Fraction(bound.high) for bound in bounds if bound.quantity.unit == rate.unit]
    raised = statement.level.lower() == STARTS and bool(alike) and rate.low <= min(alike)
    return dose.quantity.unit == rate.unit and (within or (raised and rate.low > Fraction(dose.high)))
