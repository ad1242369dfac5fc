"""Whether something dangerous is told of, and what of a monograph answers it: the handling, never an ordinary dose."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import StrEnum

from chat.cues import cue_table
from chat.domain import EvidenceBlock, Term
from chat.terms import stands_in
from monographs.domain import SectionKey
from monographs.names import tokenise
from monographs.text import WordSet, fold, normalise


class Harm(StrEnum):
    """NONE; SIGN: an alarming sign or a call for what to do; AFTER: told as what followed the drug."""

    NONE = ""
    SIGN = "sign"
    AFTER = "after"


_GIVEN = "(?:tiem|uong|truyen|dung|hit|xit|nho|boi|bom)"
_SINCE = "(?:bi|thay|noi|oi|non|sot|dau|ngua(?! thai)|kho|met|tim|do|sung|phu|co giat|ngat|choang|van|lo|va)"
# What is felt at once; never the place or the time into which a drug is given ("tiêm vào đùi", "uống vào buổi sáng").
_FELT = (
    "(?:bi|thay|noi|non|oi|sot|ngua|kho tho|kho chiu|met|tim tai|tim nguoi|tim moi|sung|phu|co giat|ngat|choang|van mo|"
    "buon|chong mat|hoa mat|run|lo mo|dau (?:bung|dau|nguc|du|qua|lung|khop|da day))"
)
_AFTER = re.compile(
    rf"\b{_GIVEN} (?:\S+ ){{0,4}}xong\b(?! (?:co|thi) (?:can|phai|nen|duoc|nam|ngoi|an)\b)|"
    rf"\bsau (?:khi )?{_GIVEN}\b(?!.*\b(?:bao lau|may gio|may ngay|may phut)\b)|"
    rf"\bdang (?:tiem|truyen)\b.*\b{_SINCE}\b|"
    rf"(?<!quen )(?<!thuoc )\b{_GIVEN} (?:·+ )?(?:\d+ )?(?:thi|roi|bi|ma|nen)\b (?:bi |thay |noi )?"
    # "Uống · rồi tiêm thuốc cản quang được không" goes on to the next, where nothing is felt.
    rf"(?!sao|sau|moi|thi|nao|bao|{_GIVEN}\b(?!.*\b{_SINCE}\b))|"
    rf"\b{_GIVEN} (?:·+ )?vao (?:la )?{_FELT}\b|"
    rf"{_GIVEN} (?:·+ )?(?:duoc |moi )?\d+ (?:phut|gio|ngay|hom|tuan|thang)\b.*\b(?:thi|sau|bi|thay|noi)\b|"
    rf"{_GIVEN} (?:·+ )?(?:duoc |moi )?\d+ (?:phut|gio)\b (?:la |da )?{_FELT}\b|"
    rf"\b(?:dang|moi|vua|tu khi|ke tu khi) {_GIVEN}\b.*\b{_SINCE}\b|"
    rf"\b{_GIVEN} (?:\S+ ){{0,3}}(?:nhanh|manh) qua\b|\bthoat mach\b"
)
_BECAUSE = re.compile(r"\b(?:do|vì|vi|tại|tai|bởi|boi) (?:\w+ ){0,2}·")
_POINTS = re.compile(r"\b(?:muc|theo|xem) (?:muc )?qua lieu")
_HANDLING = (SectionKey.XU_TRI_ADR, SectionKey.QUA_LIEU)


def told_harm(rest: str) -> Harm:
    """What is told of harm in a question whose drug names are blanked."""
    folded = fold(rest)
    sign = "red_flag" in cue_table("scope").meanings(rest) or "handling" in cue_table("turn").meanings(rest)
    if _AFTER.search(folded) or (sign and _BECAUSE.search(normalise(rest).lower())):
        return Harm.AFTER
    return Harm.SIGN if sign else Harm.NONE


def is_treated(rest: str, evidence: Iterable[EvidenceBlock]) -> bool:
    """Whether the drug is given for the alarming sign: an indication, or a label of its dosage, names it."""
    signs = _signs(rest)
    for block in evidence:
        if block.section in {SectionKey.CHI_DINH, SectionKey.LIEU_DUNG}:
            text = block.text if block.section is SectionKey.CHI_DINH else ""
            words = WordSet(" ".join((*block.labels, text)))
            if any(stands_in(sign, words) for sign in signs):
                return True
    return False


def _signs(rest: str) -> list[Term]:
    tokens = [token.text.lower() for token in tokenise(normalise(rest))]
    hits = [hit for hit in cue_table("scope").find(rest) if hit.meaning == "red_flag"]
    phrases = [tuple(tokens[hit.first : hit.last]) for hit in hits]
    synonyms = cue_table("synonym")
    return [Term(p, tuple(word for m in synonyms.meanings(" ".join(p)) for word in m.split(" ")), 0) for p in phrases]


def handling_of(evidence: Sequence[EvidenceBlock], *, because: bool) -> list[EvidenceBlock]:
    """The section on handling, and on too much of the drug where the drug is said to be the cause."""
    handling = [block for block in evidence if block.section is SectionKey.XU_TRI_ADR]
    points = any(_POINTS.search(fold(block.text)) for block in handling)
    wanted = _HANDLING if because or points or not handling else _HANDLING[:1]
    return [block for block in evidence if block.section in wanted]


def is_because(rest: str) -> bool:
    """Whether the drug is named as the cause ("hôn mê do insulin")."""
    return _BECAUSE.search(normalise(rest).lower()) is not None
