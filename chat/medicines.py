"""Drugs that a question only tells the patient to be taking, where it asks for another one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from chat.cues import no_drug_words
from monographs.names import NameSpan, is_syllable, tokenise
from monographs.text import fold

_TAKES = re.compile(
    r"\b(?:dang|hien|van|co|da|thuong|phai|moi|vua)\s+(?:dang\s+)?(?:duoc\s+)?(?:uong|dung|xai|tiem|truyen|dieu tri)"
    r"(?:\s+(?:bang|voi|kem|thuoc|them|deu|hang ngay|moi ngay|san|ca))*\s*$"
)
_WITH = re.compile(r"\b(?:chung voi|cung voi|kem voi|phoi hop voi)\s*$")
_SHORTEST_NAME = 6
_LISTED = re.compile(r"^[\s,+&]*(?:va|voi|cung|\d+(?:[.,]\d+)?\s*(?:mg|g))?[\s,+&]*$")


def split_taken(spans: Sequence[NameSpan], text: str) -> tuple[list[NameSpan], list[NameSpan]]:
    """(names asked about, names of what the patient takes): "đang uống warfarin, digoxin" tells of two."""
    asked: list[NameSpan] = []
    taken: list[NameSpan] = []
    for span in spans:
        before = fold(text[: span.start]) + " "
        listed = taken and _LISTED.match(fold(text[taken[-1].end : span.start]))
        (taken if listed or _TAKES.search(before) or _WITH.search(before) else asked).append(span)
    return asked, taken


def unlisted_taken(rest: str) -> tuple[str, ...]:
    """Names of what the patient takes that are in no index: "đang uống propranolol". rest: the question with the names
    of drugs blanked."""
    tokens = tokenise(rest)
    taken = []
    for token in tokens:
        is_name = len(token.folded) >= _SHORTEST_NAME and token.folded.isalpha() and not is_syllable(token.folded)
        if is_name and token.folded not in no_drug_words() and _TAKES.search(fold(rest[: token.start]) + " "):
            taken.append(token.text)
    return tuple(dict.fromkeys(taken))
