"""The third of a pregnancy that a text tells."""

from __future__ import annotations

import re

_WEEKS = re.compile(r"(?:thai|bau)\D{0,14}?(\d{1,2})\s*(tuan|thang)|(\d{1,2})\s*(tuan|thang)\D{0,6}(?:thai|bau)")
_THIRD = re.compile(r"(?:3|ba) thang (dau|giua|cuoi)")
_THIRDS = {"dau": 1, "giua": 2, "cuoi": 3}


def thirds_said(folded: str) -> set[int]:
    """The thirds, 1 to 3, that a folded text of the book names."""
    return {_THIRDS[found] for found in _THIRD.findall(folded)}


def stage_of(folded: str) -> int | None:
    """The third of a pregnancy, 1 to 3, that a folded question tells; None where it does not."""
    third = _THIRD.search(folded)
    if third:
        return _THIRDS[third.group(1)]
    match = _WEEKS.search(folded)
    if match is None:
        return None
    number, unit = (match.group(1), match.group(2)) if match.group(1) else (match.group(3), match.group(4))
    weeks = int(number) * (1 if unit == "tuan" else 4)
    return 1 if weeks <= 13 else 2 if weeks <= 27 else 3
