"""An order or a prescription in a question: whether one is spoken of, and where the lines of a list begin."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from monographs.names import NameSpan
from monographs.text import fold

STRENGTH = re.compile(r"\s*\(?\d+(?:[.,]\d+)?\s?(?:mg|g|ml|mcg|microgam|%|đv|đơn vị)(?![^\W\d_])", re.IGNORECASE)
_ORDER = re.compile(r"\b(?:toa|y lenh|don(?! vi\b))\b")
# In an order the unit is often left out: "nifedipin LA 30, aspirin 81".
_BARE_STRENGTH = re.compile(r"(?:\s+[a-zA-Z]{2})?\s+\d{1,4}(?:[.,]\d+)?(?=\s*(?:[,;.+)\n]|$|và\b|x\b|v\b|-))")
# "Đơn có ·, ·", "toa gồm: ·": what an order lists is taken together, measured or not.
_ORDERS = re.compile(
    r"\b(?:toa|y lenh|(?<!ke )don(?! vi\b))\b[^.;?:]{0,25}?(?:\b(?:co|gom|ghi|ke|la|them|nay)\b[^.;?:]{0,12}|:)\s*$"
)
_LISTED = re.compile(r"(?:[\s,;+&]|\bva\b|\bvoi\b|\d[\d.,]*\s?(?:mg|g|ml)?\b)+")
# "1. ", "2/ ", "- ": what a line of a list begins with.
_NUMBERED = re.compile(r"(?:^|(?<=\s))(?:\d{1,2}\s?[.)/]|[-–•*])\s+(?=[^\W\d_]{3}|·)")
# What such a line says that is no medicine: when and how another is taken, of whom, why, and what is asked.
NO_MEDICINE = re.compile(
    r"(?:sang|trua|chieu|toi|uong|ngay|dung|cach dung|lieu|moi|tiem|boi|nho|ngam|xit|hit|so luong|truoc|sau|khi|trong|"
    r"chan doan|loi dan|tai kham|ho ten|ho va ten|tuoi|dia chi|benh nhan|nam|nu|can nang|cao|kiem tra|xem|tuong tac|co|"
    r"cac|xin|hoi|giup|don|toa|tien su|di ung|them|va|voi|nho|theo doi|het|"
    r"viem|nhiem|suy|benh|tang|dai thao duong|hoi chung|ung thu|loet|hen|roi loan|sot|dau|ho|"
    r"hoa|pha|tiem|truyen|icd|ma icd)\b"
)


def is_prescribed(rest: str, spans: Sequence[NameSpan]) -> bool:
    """Whether an order or a prescription is spoken of, and at least two drugs have a strength, as those of one have, or
    stand in a row right behind it."""
    measured = [s for s in spans if STRENGTH.match(rest, s.end) or _BARE_STRENGTH.match(rest, s.end)]
    if _ORDER.search(fold(rest)) is not None and len(measured) > 1:
        return True
    listed = (pair for pair in pairwise(spans) if _ORDERS.search(fold(rest[: pair[0].start])))
    return any(_LISTED.fullmatch(fold(rest[one.end : other.start])) for one, other in listed)


def first_of_list(rest: str) -> int:
    """Where the first of several numbered lines begins: all that is named from there on is taken together."""
    marks = line_marks(rest)
    return marks[0].start() if len(marks) > 1 else len(rest)


def line_marks(rest: str) -> list[re.Match[str]]:
    """What begins the lines of a list that may name a medicine; no bracket that closes ("( S 1 - C 1 )")."""
    return [
        mark
        for mark in _NUMBERED.finditer(rest)
        if not NO_MEDICINE.match(fold(rest[mark.end() :]))
        and not (")" in mark.group() and rest.count("(", 0, mark.start()) > rest.count(")", 0, mark.start()))
    ]
