"""Too much taken, told by amounts: "nuốt 5 viên", "uống 20 viên", "uống 2 vỉ". Fixed words are cues of the table."""

from __future__ import annotations

import re

from monographs.text import fold

# So many of one thing at once is no dose of anything; so many that are wondered at ("tới 5 viên") neither.
LEAST_AT_ONCE, LEAST_WONDERED_AT = 8, 5
_ABOUT = r"(?:(?:mat|het|gan het|luon|lien|toi|den|khoang|mot luc|cung luc|mot lan|mot mach|tan)\s+)*"
_EATEN = rf"\b(?:uong|nuot|dung|an|nhai|tu|lien|mot luc|cung luc)\s+{_ABOUT}"
# A vial or a bottle is a dose where it is injected; so many pieces never are.
_TAKEN = rf"\b(?:uong|dung|an|nhai|hit|xit|tiem|truyen|lo|tu|lien|mot luc|cung luc)\s+{_ABOUT}"
_FEW_WORDS = r"\d{1,3}|mot|hai|ba|bon|nam|sau|bay|tam|chin|muoi|chuc|may chuc"
_MANY_WORDS = "tam|chin|muoi|(?:hai|ba|bon|nam|2|3|4|5) chuc|may chuc"
_PIECES, _PACKAGES = "vien|ong|goi|nhat", "vi|hop|lo|chai"
_PER_DAY = r"/|moi|mot ngay|1 ngay|trong \d|chia|x\b"
_SWALLOWED = re.compile(
    rf"\b(?:nuot|nhai)\s+(?:(?:mat|phai|het|luon|khoang|co|chung|gan|tam)\s+)*(?:{_FEW_WORDS}|may|vai)\s+"
    rf"(?:{_PIECES}|{_PACKAGES})\b"
)
_PACKS = re.compile(
    rf"{_EATEN}(?:{_FEW_WORDS}|ca|nua|nguyen|tron|sach|het|gan het)\s+(?:{_PACKAGES})\b"
    rf"(?!\s*(?:{_PER_DAY}|\S+ trong \d|(?:roi )?co can))"
)
_MANY = re.compile(rf"{_TAKEN}(\d{{1,3}}|{_MANY_WORDS})\s+(?:{_PIECES})\b(?!\s*(?:{_PER_DAY}))")
_WONDERED_AT = re.compile(
    rf"(?<!toi da )(?<!toi da la )\b(?:toi|len toi|den tan)\s+(\d{{1,3}})\s+(?:{_PIECES})\b(?!\s*(?:{_PER_DAY}))"
)
# "40 đơn vị thay vì 4", "hằng ngày thay vì hằng tuần": another amount was meant, or taken less often.
_INSTEAD = re.compile(
    r"\d\s*(?:[a-z]+\s+){0,3}thay vi\s+(?:\S+\s+){0,2}\d|"
    r"\bngay\s+(?:\S+\s+){0,2}thay vi\s+(?:\S+\s+){0,3}(?:tuan|thang)\b"
)


def tells_overdose(text: str) -> bool:
    """Whether the amounts of a question tell that too much was taken; a dose of everyday is none."""
    folded = fold(text)
    if any(pattern.search(folded) for pattern in (_SWALLOWED, _PACKS, _INSTEAD)):
        return True
    wondered = any(int(match.group(1)) >= LEAST_WONDERED_AT for match in _WONDERED_AT.finditer(folded))
    return wondered or any(_amount(match.group(1)) >= LEAST_AT_ONCE for match in _MANY.finditer(folded))


def _amount(said: str) -> int:
    """A number in figures; one in the words above is enough."""
    return int(said) if said.isdigit() else LEAST_AT_ONCE
