"""A name that stands for a part of the combination named beside it, and is no second drug."""

from __future__ import annotations

import re
from collections.abc import Sequence

from monographs.domain import DrugRef
from monographs.names import NameSpan
from monographs.text import fold

_JOINT = re.compile(r"\s+va\s+|\s*[+/]\s*")
# "Bao nhiêu mg ·", "tính theo ·", "phần ·"; never "đổi sang 500 mg ·", which is a drug of its own with its strength.
_MEASURED = re.compile(
    r"\b(?:bao nhieu|may|bn|so|tong|tinh ra|tinh theo|ra|theo) (?:mg|g|gam|mcg|microgam|miligam|mg/kg(?:/\w+)?)\s*$|"
    r"\b(?:theo|thanh phan|hoat chat|ham luong|luong|phan|goc|quy ra|quy ve|dua tren|tinh tren)"
    r"(?: (?:lieu|ham luong|luong|thanh phan|hoat chat|phan|goc|cua|la|mg|g))*\s*$"
)
_DOSED = re.compile(r"\blieu(?: cua)?\s*$")
_WITHIN = re.compile(r"\s*(?:co )?(?:trong|cua)\s+$")
_COMPARED = re.compile(r"\b(?:so|khac|hon|hay|hoac|doi|chuyen|thay|va|voi|vs|cung|chung)\b")


def without_parts(spans: Sequence[NameSpan], text: str) -> list[NameSpan]:
    """The names without those of a part: "augmentin 7:1 …, ngày bao nhiêu mg amoxicilin" asks of the combination."""
    return [span for span in spans if not any(_is_part(span, whole, text) for whole in spans)]


def _is_part(span: NameSpan, whole: NameSpan, text: str) -> bool:
    if not (len(span.drugs) == len(whole.drugs) == 1) or not _holds(whole.drugs[0], span.drugs[0]):
        return False
    before, between = fold(text[: span.start]), fold(text[min(span.end, whole.end) : max(span.start, whole.start)])
    if span.end <= whole.start and _WITHIN.fullmatch(between):
        return True
    return bool(_MEASURED.search(before) or (_DOSED.search(before) and not _COMPARED.search(between)))


def _holds(whole: DrugRef, part: DrugRef) -> bool:
    """Whether a combination's own name has the other drug's as one of its parts."""
    parts = _JOINT.split(fold(whole.name))
    return len(parts) > 1 and fold(part.name) in parts
