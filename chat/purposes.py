"""What a drug is asked for by what it does: "thuốc hạ sốt nào", "uống gì giảm đau", "ks gì"."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from monographs.text import fold

# How what a drug does begins, folded; and what begins like that and is an illness.
_DOES = frozenset({"giam", "ha", "chong", "khang", "tri", "long", "loang", "tan", "tieu"})
_ILLNESSES = frozenset({"ha huyet ap", "ha duong huyet", "ha duong", "ha ap"})
_DIABETES, _ASKED_FOR = "tieu duong", frozenset({"thuoc", "nao", "gi", "bang", "loai"})
_DATA = Path(__file__).parent / "data" / "purposes.toml"


@dataclass(frozen=True, slots=True)
class Purpose:
    """condition: what is treated, as the book calls it ("sốt"); start, end: where the question says it."""

    condition: str
    start: int
    end: int


def find_purpose(rest: str) -> Purpose | None:
    """The purpose by which a drug is asked for, in a question whose drug names are blanked; condition is empty for a
    kind of drug that is none ("kháng sinh gì")."""
    folded = fold(rest)
    if len(folded) != len(rest):
        return None
    match = _asked().search(folded)
    if match is None:
        return None
    said = match.group("before") or match.group("behind") or match.group("by") or ""
    return Purpose(_meanings().get(said, ""), match.start(), match.end())


def names_purpose(words: Sequence[str], span: range) -> bool:
    """Whether words of a question are what a drug does that is asked for ("giảm đau"); "hạ đường huyết" only where a
    drug is said to do it, for it is an illness as well."""
    said = fold(" ".join(words[span.start : span.stop]))
    if said not in _meanings() or said.split(" ")[0] not in _DOES or said == _DIABETES:
        return False
    around = {fold(word) for word in (*words[max(span.start - 1, 0) : span.start], *words[span.stop : span.stop + 1])}
    return said not in _ILLNESSES or not around.isdisjoint(_ASKED_FOR)


@cache
def _meanings() -> dict[str, str]:
    table: dict[str, list[str]] = tomllib.loads(_DATA.read_text("utf-8"))["purpose"]
    return {fold(words): condition for condition, cues in table.items() for words in cues}


@cache
def _kinds() -> str:
    words: list[str] = tomllib.loads(_DATA.read_text("utf-8"))["kind"]["words"]
    return "|".join(sorted(map(fold, words), key=len, reverse=True))


@cache
def _asked() -> re.Pattern[str]:
    said = "|".join(sorted(map(re.escape, _meanings()), key=len, reverse=True))
    which = r"(?:loai )?(?:thuoc )?(?:nao|gi)"
    return re.compile(
        r"\b(?:(?:ban|dung|uong|cho|chon|ke|mua) )?(?:thuoc |loai )?"
        rf"(?P<before>{said})(?: manh| nhe| tot| nhanh)? {which}\b|"
        rf"\bthuoc (?:{_kinds()})(?: uong| tiem| boi)? {which}\b|\b(?:{_kinds()}|cat con) bang {which}\b|"
        rf"\b(?:uong|dung|cho|chon|ban|mua) {which} (?:de |cho )?(?P<behind>{said})\b|"
        rf"\b(?P<by>{said})(?: manh| nhe| tot| nhanh)? bang {which}\b|"
        rf"\b(?:ks|khang sinh|loi tieu|corticoid|vitamin) {which}\b|"
        r"(?:[-=]>|bang >|→|:)\s*(?:thuoc|ks|khang sinh)\s*(?=[?.!]|$)|"
        r"\b(?:thuoc|ks|khang sinh) (?:uong|boi|tiem|nho|dat|xit|ngam|truyen) (?:nao|gi)\b|"
        r"\bthuoc (?:nao|gi) (?:de )?(?:dieu tri|chua|tri)\b|"
        r"\bthuoc (?:xu tri|dieu tri|chua|tri) (?:la )?(?:gi|nao)\b"
    )
