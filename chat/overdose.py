"""Too much taken, told by amounts: "nuốt 5 viên", "uống 20 viên", "uống 2 vỉ". Fixed words are cues of the table."""

from __future__ import annotations

import re

from monographs.text import fold

# So many of one thing at once is no dose of anything.
LEAST_AT_ONCE = 8
_MUCH = 5
_NUMBERS = r"\d{1,3}|mot|hai|ba|bon|nam|sau|bay|tam|chin|muoi|chuc|may chuc"
_TAKEN = (
    r"\b(?:uong|dung|an|nhai|tiem|truyen|lo|tu|lien|mot luc|cung luc)\s+"
    r"(?:(?:mat|het|gan het|luon|lien|toi|den|khoang|mot luc|cung luc|mot lan|mot mach)\s+)*"
)
_SWALLOWED = re.compile(
    rf"\b(?:nuot|nhai)\s+(?:(?:mat|phai|het|luon|khoang|co|chung|gan|tam)\s+)*(?:{_NUMBERS}|may|nua)\s+(?:vien|vi|lo|hop|ong|goi|chai)\b"
)
_PACKS = re.compile(
    rf"{_TAKEN}(?:{_NUMBERS}|ca|nua|nguyen|tron|sach|het|gan het)\s+(?:vi|hop|lo|chai)\b(?!\s*(?:/|moi|x\b))"
)
_MANY = re.compile(rf"{_TAKEN}(\d{{1,3}})\s+(?:vien|ong|goi|nhat)\b(?!\s*(?:/|moi|mot ngay|1 ngay|trong \d|chia|x\b))")
_AS_MUCH_AS = re.compile(r"\b(?:toi|len toi|den tan)\s+(\d{1,3})\s+(?:vien|ong|goi|nhat)\b")


def tells_overdose(text: str) -> bool:
    """Whether the amounts of a question tell that too much was taken; a dose of everyday is none."""
    folded = fold(text)
    if _SWALLOWED.search(folded) or _PACKS.search(folded):
        return True
    if any(int(match.group(1)) >= _MUCH for match in _AS_MUCH_AS.finditer(folded)):
        return True
    return any(int(match.group(1)) >= LEAST_AT_ONCE for match in _MANY.finditer(folded))
