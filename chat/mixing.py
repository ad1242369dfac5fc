"""Whether a question is about mixing a drug with another or with a solution, and with which solutions."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from chat.cues import CueTable
from monographs.names import NameSpan, tokenise
from monographs.text import fold, folded_words, normalise

_DATA = Path(__file__).parent / "data" / "solutions.toml"
_MIXED = re.compile(
    r"\b(?:tron|pha chung|hoa chung|chung|cung) (?:\S+ ){0,3}?(?:bom tiem|xi ?lanh|chai|tui|lo|duong truyen|day truyen|"
    r"day dich|bich|ong tiem|syringe)\b|"
    r"\btron (?:lan|chung|voi|cung|\S* ?(?:voi|va|vao))|\btron\b|\bpha (?:chung|lan|cung)\b|\bhoa (?:chung|lan)\b|"
    r"\bchay (?:chung|cung)\b|\bchung (?:\S+ ){0,2}?(?:day|duong|dich)\b|\b(?:ket )?tua\b|\bvan duc\b|"
    r"\b(?:bom|cho|rut|them|do|hoa|pha|tiem) (?:\S+ ){0,4}?(?:vao|vo|zo) (?:\S+ ){0,2}?"
    r"(?:chai|tui|lo|bich|binh|xi ?lanh|bom tiem|day(?= truyen| dich))\b|"
    r"\bcung (?:mot |1 )?(?:day|ven|line|chac|duong (?:truyen|tinh mach|ven))\b|\bchung (?:\S+ )?(?:ven|chac|line)\b|"
    r"\btuong (?:ky|ki|hop)\b|\b(?:dau noi |co |nhanh )?chu y\b(?= |$)(?!.*\bdung\b)|\by-?site\b"
)
# With a solution named beside it, this is enough: "ceftriaxon pha Ringer lactat".
_DILUTED = re.compile(
    r"\b(?:pha|hoa tan|hoa|tron|truyen (?:cung|chung|voi)|chay (?:cung|chung)|chung duong|"
    r"(?:truyen|tiem|chay|dung|day|bo day|tui|chai|binh|nhua) (?:\S+ ){0,3}?(?:pvc|polyurethan|nhua|polyethylen))\b"
)


@dataclass(frozen=True, slots=True)
class Solution:
    """title: Vietnamese, as the book prints it; printed: folded phrases by which a passage speaks of it."""

    key: str
    title: str
    printed: tuple[str, ...]

    def named_in(self, text: str) -> bool:
        """Whether a text speaks of it."""
        folded = f" {' '.join(folded_words(text))} "
        return any(f" {phrase} " in folded and not _other_strength(phrase, folded) for phrase in self.printed)


def is_mixing(rest: str) -> bool:
    """Whether two things are asked to be mixed, in a question whose drug names are blanked."""
    return _MIXED.search(_words(rest)) is not None


def is_diluting(rest: str) -> bool:
    """Whether something is asked to be dissolved, diluted or run in another thing."""
    return _DILUTED.search(_words(rest)) is not None


def solutions_in(text: str) -> tuple[str, ...]:
    """The keys of the solutions that a question names, in order; a solution within a drug's name too."""
    return tuple(_cue_table().meanings(text))


def solution_named(key: str) -> Solution | None:
    """The solution with this key; None where an older version named it."""
    return _solutions().get(key)


def without_solutions(spans: Sequence[NameSpan], text: str) -> list[NameSpan]:
    """The names in a text that are no solution's: "natri clorid" is a monograph of its own in some editions. One is
    left, where all are."""
    tokens = tokenise(normalise(text))
    hits = _cue_table().find(text)
    covered = [(tokens[hit.first].start, tokens[hit.last - 1].end) for hit in hits]
    others = [span for span in spans if not any(start <= span.start and span.end <= end for start, end in covered)]
    return others or list(spans)


def _words(rest: str) -> str:
    return " ".join(re.findall(r"[\w·-]+", fold(rest)))


def _other_strength(phrase: str, folded: str) -> bool:
    """Whether a bare name stands only with a strength of its own ("glucose 10"), or for that of the blood."""
    if phrase not in {"glucose"}:
        return False
    return not re.search(rf" {phrase} (?!\d|huyet|mau|nieu)", folded)


@cache
def _solutions() -> dict[str, Solution]:
    entries = tomllib.loads(_DATA.read_text("utf-8"))
    return {key: Solution(key, entry["title"], tuple(entry["printed"])) for key, entry in entries.items()}


@cache
def _cue_table() -> CueTable:
    return CueTable({key: entry["cues"] for key, entry in tomllib.loads(_DATA.read_text("utf-8")).items()})
