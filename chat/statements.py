"""A dose passage read as typed statements, or not at all: what is not wholly understood gives none.

Every number is the printed one, to the character; "1.000" and "1,000" are refused, as either may mean the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from chat.dose_grammar import (
    AMOUNT,
    AMOUNT_PARTS,
    AND,
    AT_MOST_SO_LONG,
    AT_START,
    BELOW_IN_A_CASE,
    CLAUSE_REMARK,
    DOSE,
    EVERY,
    HEAD,
    IN_A_CASE,
    MAXIMUM,
    MIXED_NUMBER,
    ONCE_MORE,
    ONCE_OR_PARTS,
    REMARKS,
    RESTRICTION,
    SENTENCE_END,
    SENTENCE_REMARKS,
    SINGLE,
    TIMES,
    TIMES_A_DAY,
    VOLUME,
)
from chat.quantities import Quantity, parse_number, plain_spaces, show_number, show_range
from monographs.typography import split_run_in

EVERY_OTHER_DAY = (2, 2, "ngày")
STARTS, _STEP_OF_CHANGE = "khởi đầu", "tăng mỗi lần"


@dataclass(frozen=True, slots=True)
class Dose:
    """An amount as printed. basis: "kg", "m²", or "" for a fixed one; per: "lần", "ngày", "24 giờ", "giờ", "phút",
    "tuần", or "" for a single dose."""

    low: Decimal
    high: Decimal
    measure: str
    basis: str
    per: str

    @property
    def quantity(self) -> Quantity:
        return Quantity(self.low, self.high, "/".join(part for part in (self.measure, self.basis, self.per) if part))

    @property
    def text(self) -> str:
        """As the book prints it, with plain spaces."""
        return self.quantity.text


@dataclass(frozen=True, slots=True)
class Rhythm:
    """How often. times: doses a day, from and to; is_divided: a daily amount is divided into them; every: from, to and
    unit of the interval, at_least: it may not be shorter; is_single: one dose."""

    times: tuple[int, int] | None = None
    is_divided: bool = False
    every: tuple[int, int, str] | None = None
    at_least: bool = False
    is_single: bool = False


@dataclass(frozen=True, slots=True)
class Statement:
    """One dose of a passage. level: what it is said to be ("khởi đầu", "nhiễm khuẩn nặng"), "" where nothing;
    condition: for whom the sentence says it ("Người cân nặng dưới 50 kg"); most_times: doses in 24 hours at most;
    maxima: the book's own, which hold for it, maximum_text: as printed; volume: ml/kg and mg/ml of the same dose.
    """

    dose: Dose
    rhythm: Rhythm = Rhythm()
    maxima: tuple[Dose, ...] = ()
    most_times: int | None = None
    level: str = ""
    condition: str = ""
    volume: str = ""
    remarks: tuple[str, ...] = ()
    maximum_text: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a passage states; restrictions: sentences that keep the drug from some patients, as printed; refused: the
    words that were not understood, or "". Either statements or refused is empty."""

    statements: tuple[Statement, ...] = ()
    restrictions: tuple[str, ...] = ()
    refused: str = ""


class _NotUnderstoodError(Exception):
    """Carries the words."""


@dataclass(slots=True)
class _Open:
    dose: Dose
    clause: int
    condition: str
    level: str
    volume: str
    rhythm: Rhythm = Rhythm()
    maxima: list[Dose] = field(default_factory=list)
    most_times: int | None = None
    remarks: list[str] = field(default_factory=list)
    maximum_texts: list[str] = field(default_factory=list)

    def closed(self) -> Statement:
        return Statement(
            self.dose,
            self.rhythm,
            tuple(self.maxima),
            self.most_times,
            self.level,
            self.condition,
            self.volume,
            tuple(self.remarks),
            ", ".join(self.maximum_texts),
        )


def read_statements(text: str, labels: Sequence[str] = ()) -> Reading:
    """The statements of one passage. labels: its label path, whose printed words at its head are passed over."""
    _, body = split_run_in(text, labels)
    body = plain_spaces(body).strip()
    mixed = MIXED_NUMBER.search(body)
    if mixed:
        return Reading(refused=body[max(0, mixed.start() - 5) : mixed.end() + 8].strip())
    reader = _Reader()
    try:
        for sentence in SENTENCE_END.split(body.rstrip(" .")):
            reader.read_sentence(sentence.strip(" ."))
        return Reading(tuple(found.closed() for found in reader.found), tuple(reader.restrictions))
    except _NotUnderstoodError as words:
        return Reading(refused=str(words))


def render_statement(statement: Statement) -> str:
    """The statement as a passage that reads back to it; one without condition, volume and remarks."""
    level = f"{statement.level} " if statement.level else ""
    parts = [f"{level}{statement.dose.text}", *_rhythm_texts(statement.rhythm)]
    said = ", ".join(part for part in parts if part)
    maximum = f"; {statement.maximum_text}" if statement.maximum_text else ""
    return f"{said}{maximum}."


class _Reader:
    """Goes through a passage; raises _NotUnderstoodError with the first words that fit no rule."""

    def __init__(self) -> None:
        self.found: list[_Open] = []
        self.restrictions: list[str] = []
        self._clause = 0
        self._condition = ""

    def read_sentence(self, sentence: str) -> None:
        if RESTRICTION.fullmatch(sentence):
            self.restrictions.append(sentence)
            return
        if any(pattern.fullmatch(sentence) for pattern in SENTENCE_REMARKS):
            return
        for clause in re.split(r";\s+", sentence):
            self._clause += 1
            if self.found and CLAUSE_REMARK.fullmatch(clause):
                continue
            head = HEAD.fullmatch(clause)
            if head:
                self._condition = head["head"]
            for place, item in enumerate(_items(head["rest"] if head else clause)):
                self._read_item(item, opens=place == 0 and not head)

    def _read_item(self, item: str, *, opens: bool) -> None:
        if self._read_maximum(item, opens=opens) or self._read_rhythm(item, opens=opens) or self._read_dose(item):
            return
        if not self.found or not (any(pattern.fullmatch(item) for pattern in REMARKS) or self._is_of_others(item)):
            raise _NotUnderstoodError(item)
        for statement in self._governed(opens=opens):
            statement.remarks.append(item)

    def _read_dose(self, item: str) -> bool:
        match = DOSE.fullmatch(item)
        if match is None:
            return False
        dose = _dose(match["amount"])
        beside = match["beside"] or ""
        is_maximum = MAXIMUM.fullmatch(beside) is not None
        if beside and not is_maximum and not _is_same_dose(f"({beside})", dose):
            raise _NotUnderstoodError(item)
        if match["lead"] and match["case"]:
            raise _NotUnderstoodError(item)
        # "200 microgam/kg vào ngày đầu", "một liều ở người bệnh nặng": what it is said to be stands behind it.
        level = (match["lead"] or match["on"] or match["case"] or "").strip()
        rhythm = Rhythm(
            is_single=bool(match["once"] or match["on"]), every=EVERY_OTHER_DAY if match["alternate"] else None
        )
        volume = "" if is_maximum else beside
        remarks = _fixed_instead(match["fixed"], dose)
        self.found.append(_Open(dose, self._clause, self._condition, level, volume, rhythm, remarks=remarks))
        return not is_maximum or self._read_maximum(beside, opens=False)

    def _is_of_others(self, item: str) -> bool:
        """Whether an item bounds what other patients get, where all that is said before has a name of its own."""
        return BELOW_IN_A_CASE.fullmatch(item) is not None and all(statement.level for statement in self.found)

    def _read_maximum(self, item: str, *, opens: bool) -> bool:
        match = MAXIMUM.fullmatch(item)
        if match is None or (self.found and AT_MOST_SO_LONG.fullmatch(item)):
            # How long at most is a remark, which stands in the passage.
            return match is not None
        for said in AND.split(match["rest"]):
            self._add_maximum(said, opens=opens)
        for statement in self._governed(opens=opens):
            statement.maximum_texts.append(item[0].lower() + item[1:])
        return True

    def _add_maximum(self, said: str, *, opens: bool) -> None:
        governed = self._governed(opens=opens)
        if TIMES_A_DAY.fullmatch(said):
            for statement in governed:
                statement.most_times = int(said.split(" ", maxsplit=1)[0])
            return
        if case := IN_A_CASE.fullmatch(said):
            _check_case(_dose(case["amount"]), governed, said)
            return
        start = AT_START.fullmatch(said)
        if start and any(statement.level.lower() != STARTS for statement in governed):
            raise _NotUnderstoodError(said)
        amount = (start["amount"] or start["adult"]) if start else said
        if not re.fullmatch(AMOUNT, amount):
            raise _NotUnderstoodError(said)
        maximum = _dose(amount)
        for statement in governed:
            if maximum.low != maximum.high or not (maximum.per or _is_one_dose(statement, at_start=bool(start))):
                raise _NotUnderstoodError(said)
            statement.maxima.append(maximum)

    def _read_rhythm(self, item: str, *, opens: bool) -> bool:
        rhythm = _rhythm(item)
        if rhythm is None:
            return False
        for statement in self._governed(opens=opens):
            statement.rhythm = _joined(statement.rhythm, rhythm, item)
        return True

    def _governed(self, *, opens: bool) -> list[_Open]:
        """What an item belongs to: behind a dose to that one, at the head of a clause or sentence to all before it."""
        if not self.found:
            raise _NotUnderstoodError("không có liều đứng trước")
        here = [statement for statement in self.found if statement.clause == self._clause]
        return here[-1:] if here and not opens else list(self.found)


def _items(clause: str) -> Iterator[str]:
    """The parts between commas; the interval of a step of change stays with the step."""
    joined = ""
    for item in re.split(r",\s+(?!(?:một liều)\b)", clause):
        if item.startswith(_STEP_OF_CHANGE):
            joined = f"{item}, "
            continue
        yield f"{joined}{item}".strip()
        joined = ""
    if joined:
        yield joined.strip(" ,")


def _is_one_dose(statement: _Open, *, at_start: bool) -> bool:
    """Whether "tối đa 2 g" without "/lần" or "/ngày" is clear: of a single dose, of one a day, of the first one."""
    dose = statement.dose
    return not dose.per or (dose.per == "lần" and (at_start or statement.rhythm.times == (1, 1)))


def _check_case(maximum: Dose, governed: Sequence[_Open], said: str) -> None:
    """A maximum for some patients is no one else's, and so must lie beyond what is said for all."""
    for statement in governed:
        dose = statement.dose
        alike = (dose.measure, dose.basis, dose.per) == (maximum.measure, maximum.basis, maximum.per)
        if not alike or maximum.low < dose.high:
            raise _NotUnderstoodError(said)


def _dose(text: str) -> Dose:
    match = AMOUNT_PARTS.fullmatch(text)
    low = parse_number(match["low"]) if match else None
    high = parse_number(match["high"]) if match and match["high"] else low
    if match is None or low is None or high is None or not 0 < low <= high:
        raise _NotUnderstoodError(text)
    if show_range(low, high) != (f"{match['low']} - {match['high']}" if match["high"] else match["low"]):
        raise _NotUnderstoodError(text)
    return Dose(low, high, match["measure"], match["basis"] or "", match["per"] or "")


def _fixed_instead(amount: str | None, dose: Dose) -> list[str]:
    """ "hoặc 150 - 300 mg/ngày" behind a dose by weight of the same time: a choice that stands in the passage. Behind
    any other dose it is not understood."""
    if amount is None:
        return []
    fixed = _dose(amount)
    if not dose.basis or fixed.basis or (fixed.measure, fixed.per) != (dose.measure, dose.per):
        raise _NotUnderstoodError(amount)
    return [f"hoặc {amount}"]


def _is_same_dose(volume: str, dose: Dose) -> bool:
    """Whether the volume printed beside a dose per kg comes to the same."""
    match = VOLUME.fullmatch(volume)
    if match is None or dose.basis != "kg" or dose.measure not in {"mg", "microgam"}:
        return False
    ends = [parse_number(number) for number in match["volume"].split(" - ")]
    strength = parse_number(match["strength"])
    if strength is None:
        return False
    scale = 1000 if dose.measure == "microgam" else 1
    return [end * strength * scale for end in ends if end is not None] in ([dose.low], [dose.low, dose.high])


def _rhythm(item: str) -> Rhythm | None:
    if SINGLE.fullmatch(item) or ONCE_MORE.fullmatch(item):
        return Rhythm(is_single=True)
    if match := ONCE_OR_PARTS.fullmatch(item):
        return Rhythm(times=(1, int(match["high"])), is_divided=True)
    if match := TIMES.fullmatch(item):
        low = 1 if match["low"] == "một" else int(match["low"])
        return Rhythm(times=(low, int(match["high"] or low)), is_divided=match["kind"].lower() != "ngày")
    if match := EVERY.fullmatch(item):
        low = int(match["low"])
        return Rhythm(every=(low, int(match["high"] or low), match["unit"]), at_least=bool(match["least"]))
    return None


def _joined(one: Rhythm, other: Rhythm, item: str) -> Rhythm:
    """Both together; two different numbers of doses are not understood."""
    if (one.times and other.times) or (one.every and other.every):
        raise _NotUnderstoodError(item)
    return Rhythm(
        times=one.times or other.times,
        is_divided=one.is_divided or other.is_divided,
        every=one.every or other.every,
        at_least=one.at_least or other.at_least,
        is_single=one.is_single or other.is_single,
    )


def _rhythm_texts(rhythm: Rhythm) -> list[str]:
    said = []
    if rhythm.is_single:
        said.append("một liều")
    if rhythm.times:
        low, high = rhythm.times
        number = show_range(Decimal(low), Decimal(high))
        said.append(f"{'chia' if rhythm.is_divided else 'ngày'} {number} lần")
    if rhythm.every:
        first, last, unit = rhythm.every
        number = show_range(Decimal(first), Decimal(last))
        said.append(
            f"cách ít nhất {show_number(Decimal(first))} {unit}" if rhythm.at_least else f"cách {number} {unit} một lần"
        )
    return said
