"""What a printed dose comes to for a patient, counted with fractions and apart from chat/dosing.py."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from chat.counted import SCALE, Amount, is_rounded, read_amount, scale_of, unit_parts
from chat.domain import QueryFrame
from chat.statements import Statement

DAYS = ("ngày", "24 giờ")
ALTERNATE, ROUNDING = "cách ngày", "làm tròn đến "


class Expected:
    """What one statement comes to; masses in microgam where they are masses."""

    def __init__(self, statement: Statement, frame: QueryFrame, rate: str | None) -> None:
        dose = statement.dose
        self.level = statement.level if rate is None else ""
        self.per = dose.per
        self.frame = frame
        body = self._body(dose.basis)
        told = read_amount(rate) if rate is not None else None
        ends = (told.low, told.high) if told else (Fraction(dose.low), Fraction(dose.high))
        self.ends = tuple(end * body * scale_of(dose.measure) for end in ends)
        self.measure = dose.measure
        self.daily: Fraction | None = None
        self.capped = False
        for maximum in statement.maxima:
            bound = Fraction(maximum.low) * self._body(maximum.basis) * scale_of(maximum.measure)
            own_time = maximum.per == dose.per or {maximum.per, dose.per} <= set(DAYS)
            own_time = own_time or (not dose.per and maximum.per in {"lần", *DAYS})
            own_time = own_time or (dose.per == "lần" and not maximum.per)
            if own_time or (dose.per == "lần" and maximum.per in DAYS):
                self._limit(bound)
            if dose.per == "lần" and maximum.per in DAYS:
                self.daily = bound if self.daily is None else min(self.daily, bound)
        self.parts = self._divided(statement)
        # What is said as it is printed: that it is for every other day, and how the amount is rounded.
        self.printed = [ALTERNATE] if statement.rhythm.every == (2, 2, "ngày") else []
        self.printed += [remark for remark in statement.remarks if remark.startswith(ROUNDING)]

    def is_said(self, line: str, *, by_volume: bool) -> bool:
        """Whether a line of the result says this and nothing else; by_volume: with the volume of the mass."""
        prefix = f"{self.level}: " if self.level else ""
        if not line.startswith(prefix):
            return False
        first, *others = re.split(rf", (?=chia |tức |tối đa |{ALTERNATE}|{ROUNDING})", line[len(prefix) :])
        counts = [other for other in others if other.startswith("chia ")]
        bounds = [other for other in others if other.startswith("tối đa ")]
        volumes = [other.removeprefix("tức ") for other in others if other.startswith("tức ")]
        amounts = ("chia ", "tối đa ", "tức ")
        return (
            self._is_main(read_amount(first))
            and [other for other in others if not other.startswith(amounts)] == self.printed
            and len(counts) == len(self.parts)
            and all(self._is_part(said, count) for said, count in zip(counts, self.parts, strict=True))
            and self._is_bound(bounds)
            and len(volumes) == by_volume
            and all(self._is_volume(read_amount(volume)) for volume in volumes)
        )

    def is_last_of(self, steps: Sequence[str]) -> bool:
        """Whether some line is of this statement."""
        return any(not self.level or step.startswith(f"{self.level}: ") for step in steps)

    def _body(self, basis: str) -> Fraction:
        if not basis:
            return Fraction(1)
        if basis == "kg" and self.frame.weight_kg is not None:
            return Fraction(self.frame.weight_kg)
        surface = next((text for text in self.frame.amounts if text.endswith(" m²")), None)
        if surface is None or basis != "m²":
            raise ValueError(basis)
        return read_amount(surface).low

    def _limit(self, bound: Fraction) -> None:
        self.capped = self.capped or self.ends[1] > bound
        self.ends = tuple(min(end, bound) for end in self.ends)

    def _divided(self, statement: Statement) -> list[tuple[int, tuple[Fraction, ...]]]:
        rhythm = statement.rhythm
        if self.per not in DAYS or not rhythm.is_divided or rhythm.times is None:
            return []
        bounds = [m for m in statement.maxima if m.per == "lần"]
        parts = []
        for count in range(max(rhythm.times[0], 2), rhythm.times[1] + 1):
            ends = tuple(end / count for end in self.ends)
            for maximum in bounds:
                bound = Fraction(maximum.low) * self._body(maximum.basis) * scale_of(maximum.measure)
                self.capped = self.capped or ends[1] > bound
                ends = tuple(min(end, bound) for end in ends)
            parts.append((count, ends))
        return parts

    def _is_main(self, shown: Amount) -> bool:
        above, times = unit_parts(shown.unit)
        same_measure = above == self.measure or {above, self.measure} <= set(SCALE)
        return (
            same_measure
            and times == ({self.per} if self.per else set())
            and self._same(self.ends, shown, scale_of(above))
        )

    def _is_volume(self, shown: Amount) -> bool:
        above, times = unit_parts(shown.unit)
        mass, volume = self._concentration()
        per_hour = 60 if self.per == "phút" else 1
        per = "giờ" if self.per == "phút" else self.per
        ends = tuple(end * per_hour * volume / mass for end in self.ends)
        return above == "ml" and times == ({per} if per else set()) and self._same(ends, shown, Fraction(1))

    def _concentration(self) -> tuple[Fraction, Fraction]:
        text = next(text for text in self.frame.amounts if text.endswith("ml"))
        mass, volume = text.split("/")
        amount = read_amount(mass)
        return amount.low * scale_of(amount.unit), Fraction(1) if volume == "ml" else read_amount(volume).low

    def _same(self, ends: Sequence[Fraction], shown: Amount, scale: Fraction) -> bool:
        return all(
            end / scale == value or is_rounded(end / scale, value)
            for end, value in zip(ends, (shown.low, shown.high), strict=True)
        )

    def _is_part(self, said: str, expected: tuple[int, tuple[Fraction, ...]]) -> bool:
        match = re.fullmatch(r"chia (\d+) lần: (.+)", said)
        if match is None or int(match.group(1)) != expected[0]:
            return False
        shown = read_amount(match.group(2))
        above, times = unit_parts(shown.unit)
        return times == {"lần"} and self._same(expected[1], shown, scale_of(above))

    def _is_bound(self, bounds: Sequence[str]) -> bool:
        if self.daily is None:
            return not bounds
        shown = read_amount(bounds[0].removeprefix("tối đa ")) if len(bounds) == 1 else None
        if shown is None:
            return False
        above, times = unit_parts(shown.unit)
        return times <= set(DAYS) and bool(times) and self._same((self.daily, self.daily), shown, scale_of(above))
