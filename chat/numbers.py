"""Numeric tokens: maximal, as printed, with their whole unit and their bound. Nothing is ever parsed to a quantity.

"1.500" is one thousand five hundred to one reader and one and a half to another; comparing what is printed,
character for character, cannot take one for the other.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from monographs.text import fold

_SPACE = "[ \u00a0\u202f\u2009]"
_SCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻"
_PLAIN = rf"(?:\d{{1,3}}(?:{_SPACE}\d{{3}}(?!\d))+(?:,\d+)?|\d+(?:[.,]\d+)*)"
_ONE = rf"(?:{_PLAIN}(?:{_SPACE}?[½¼¾⅓⅔])?|[½¼¾⅓⅔])[{_SCRIPTS}]*"
_FRACTION = rf"{_ONE}(?:/{_ONE}|{_SPACE}:{_SPACE}{_ONE})?(?:{_SPACE}?[x×]{_SPACE}?10[{_SCRIPTS}]+)?"
_DASH = "[-–—−÷~]"
_RANGE = rf"{_FRACTION}(?:{_SPACE}?{_DASH}{_SPACE}?{_FRACTION}|{_SPACE}đến{_SPACE}{_FRACTION})?"
_SIGN = "[<>≤≥≈±~]"
# Longer ones first: the first that fits is taken.
_MEASURES = (
    "microgam|miligam|nanogam|micromol|nanomol|milimol|microlit|mililit|mmol|nmol|mEq|mOsm|mcg|µg|μg|mg|kg|ng|gam|g|"
    "mmHg|ml|dl|lít|lit|cm|mm|m²|m2|l|triệu đơn vị|đơn vị quốc tế|đơn vị|đvqt|IU|UI|triệu|MBq|kcal|kPa|kDa|pg|fl|"
    "°C|º ?C|%|‰|giây|phút|giờ|ngày tuổi|ngày|tuần tuổi|tuần|tháng tuổi|tháng|năm tuổi|năm|tuổi|lần|liều|"
    "viên nén|viên nang|viên đặt|viên|gói|ống|lọ|giọt|nhát xịt|nhát|hít|thìa|muỗng|miếng|túi|chai|bút|nhịp|m|h|J"
)
_PER = rf"(?:{_MEASURES}|{_ONE}{_SPACE}?(?:{_MEASURES})|thể trọng|cân nặng|thân thể|diện tích cơ thể|24{_SPACE}?giờ)"
_PARTS = rf"(?:{_SPACE}?/{_SPACE}?{_PER}(?![^\W\d_]))"
_UNIT = rf"(?:(?:{_MEASURES})(?![^\W\d_]){_PARTS}*|{_PARTS}+)"
_TOKEN = re.compile(
    rf"(?<![\w.,/])(?P<sign>{_SIGN}{_SPACE}?)?(?P<number>{_RANGE})(?:{_SPACE}?(?P<unit>{_UNIT}))?", re.IGNORECASE
)


_PROVISO = re.compile(r"\s+(khi|nếu|trừ|chỉ)\b", re.IGNORECASE)
_LAST_WORD = re.compile(r"([^\W\d_]+)\s*$")


class Bound(StrEnum):
    """Whether a number is a limit: "tối đa 4 g" is not "4 g"."""

    NONE = ""
    UPPER = "upper"
    LOWER = "lower"


_BOUND_WORDS: tuple[tuple[Bound, re.Pattern[str]], ...] = (
    (
        Bound.UPPER,
        re.compile(
            r"(?:toi da(?: la)?|khong (?:duoc )?(?:vuot )?qua|khong vuot|duoi|it hon|nho hon|thap hon|cho toi|toi muc|"
            r"nhieu nhat|khong lon hon|nhe hon|<|≤)\s*(?:khoang\s*)?$"
        ),
    ),
    (
        Bound.LOWER,
        re.compile(
            r"(?:it nhat(?: la)?|toi thieu(?: la)?|tren|lon hon|cao hon|hon|khong duoi|khong it hon|tro len|vuot qua|"
            r"nang hon|>|≥)\s*(?:khoang\s*)?$"
        ),
    ),
)
NUMBER_WORDS = frozenset(
    "một hai ba bốn năm sáu bảy tám chín mười nửa rưỡi đôi gấp trăm nghìn ngàn triệu chục phần".split()  # noqa: SIM905
)


@dataclass(frozen=True, slots=True)
class NumericToken:
    """text: as printed with plain spaces, comparator sign included; unit: whole, "" where none follows;
    before: the word it follows, "" at the start of a clause; proviso: a word right after it that makes it
    conditional ("20 mmol/giờ khi có theo dõi"), else "".
    """

    text: str
    unit: str
    bound: Bound
    before: str
    proviso: str
    start: int
    end: int


def numeric_tokens(text: str) -> list[NumericToken]:
    """The numeric tokens of a text, in order."""
    return [_token(text, match) for match in _TOKEN.finditer(text)]


def _token(text: str, match: re.Match[str]) -> NumericToken:
    number = _plain_spaces((match["sign"] or "") + match["number"])
    unit = _plain_spaces(match["unit"] or "").lower()
    return NumericToken(
        text=number,
        unit=unit.replace(" ", ""),
        bound=bound_before(text[: match.start()]),
        before=_before(text[: match.start()]),
        proviso=_proviso(text[match.end() :]),
        start=match.start(),
        end=match.end(),
    )


def bound_before(before: str) -> Bound:
    """The bound that the words just before a number give it."""
    tail = fold(before[-40:])
    return next((bound for bound, words in _BOUND_WORDS if words.search(tail)), Bound.NONE)


def _proviso(text: str) -> str:
    match = _PROVISO.match(text)
    return match.group(1).lower() if match else ""


def _before(text: str) -> str:
    word = _LAST_WORD.search(text[-30:])
    return word.group(1).lower() if word else ""


def _plain_spaces(text: str) -> str:
    return re.sub(r"\s+", " ", re.sub(_SPACE, " ", text)).strip()
