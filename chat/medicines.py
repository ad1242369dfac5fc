"""Drugs that a question only tells the patient to be taking, where it asks for another one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from chat.condition_forms import single_condition
from chat.cues import no_drug_words
from chat.drug_classes import classes_asked, title_of
from monographs.names import NameSpan, is_syllable, tokenise
from monographs.text import fold

_TAKES = re.compile(
    r"\b(?:dang|hien|van|co|da|thuong|phai|moi|vua|hay|cung|deu|truoc|nay|quen)\s+(?:dang\s+)?(?:duoc\s+)?"
    r"(?:(?:uong|dung|xai|tiem|chich|truyen|dieu tri|duy tri|ngung|ngua|nho(?: mat)?|ngam|xit(?: mui)?|hit|boi|dat|dan)"
    r"(?:\s+(?:bang|voi|kem|thuoc|them|deu|hang ngay|moi ngay|san|ca))*|"
    r"(?:ngung|ngua|cai|dieu tri|tri|chua) [^.,;]{0,30}\b(?:bang|voi|thuoc|co|gom))\s*$"
)
_FORMERLY = "tung|truoc day|truoc kia|lan truoc|hoi truoc|nam ngoai|thang truoc"
_USED = r"\b(?:uong|dung|xai|tiem|chich|truyen)(?:\s+thuoc)?\s*$"
# What was taken before is told as well: "trước đây từng vàng da do uống Augmentin".
_TOOK = re.compile(rf"\b(?:{_FORMERLY})\b[^.;\n]{{0,30}}?{_USED}")
_ONCE = re.compile(rf"\b(?:{_FORMERLY}|truoc)\b[^.,;\n]{{0,20}}?{_USED}")
_HARMED = re.compile(
    r"[^.,;\n]{0,30}\b(?:bi|phai (?:bo|ngung|ngua|doi|thoi)|ngung|ngua|khong chiu|khong hop|khong dung nap)\b"
)
_HARMED_BY = re.compile(
    r"\b(?:tung|truoc day|truoc kia|lan truoc|nam ngoai|tien su)\b[^.;\n]{0,30}"
    r"\b(?:do|vi) (?:(?:uong|dung|tiem)(?:\s+thuoc)?\s*)?$"
)
_SAID_TO_TAKE = re.compile(r"\b(?:uong|dung|xai|tiem|chich|truyen|nho|xit|hit|boi|ngam|dan)\b[^.,;?]{0,20}$")
# "Có nên uống", "uống … được không" ask about the drug itself; "với thuốc nào" about both.
_IS_ASKED = re.compile(r"\b(?:nen|duoc|co the|muon|dinh|ngoai|thay vi|thay cho)\s*$")
_MAY_BE = re.compile(r"[^.,;?]{0,20}\b(?:duoc (?:khong|k|ko)|(?:voi|cung|chung|thay bang) (?:\w+ )?thuoc)\b")
_WITH = re.compile(r"\b(?:chung voi|cung voi|kem voi|phoi hop voi)\s*$")
# "…, uống theophylin hằng ngày": told behind a comma.
_ALSO_TAKES = re.compile(
    r"[,;.+]\s*(?:(?:bn|benh nhan|co|hay|thuong|hien|va|kem|deu|chau|ba|ong) )*(?:uong|dung|xai|tiem|hit|xit)"
    r"(?: (?:thuoc|ca|them|deu|moi ngay|hang ngay))*\s*$"
)
# Told of what is taken without a verb: "đang colchicin".
_NOW = re.compile(r"\b(?:dang|van|hien|lau nay)(?: (?:dang|thuoc|co|san))*\s*$")
_DRINKS = frozenset({"ruou"})
_SHORTEST_NAME = 5
_LISTED = re.compile(r"^[\s,+&(]*(?:va|voi|cung|\d+(?:[.,]\d+)?\s*(?:mg|g))?[\s,+&(]*$")


def split_taken(
    spans: Sequence[NameSpan], text: str, *, seeks_other: bool = False
) -> tuple[list[NameSpan], list[NameSpan]]:
    """(names asked about, names of what the patient takes): "đang uống warfarin, digoxin" tells of two; what was
    stopped ("trước uống Enap ho quá phải bỏ") is neither. seeks_other: another drug is asked for, so that what is said
    to be taken in any words is no drug asked about ("uống Marevan hàng ngày, ks nào")."""
    asked: list[NameSpan] = []
    taken: list[NameSpan] = []
    for span in spans:
        before = fold(text[: span.start]) + " "
        listed = taken and _LISTED.match(fold(text[taken[-1].end : span.start]))
        after = fold(text[span.end :])
        told = listed or is_taken(before) or _WITH.search(before)
        if not _was_stopped(before, after):
            (taken if told or (seeks_other and _is_said_to_take(before, after)) else asked).append(span)
    return asked, taken


def _is_said_to_take(before: str, after: str) -> bool:
    match = _SAID_TO_TAKE.search(before)
    return match is not None and not _IS_ASKED.search(before[: match.start()]) and not _MAY_BE.match(after)


def _was_stopped(before: str, after: str) -> bool:
    """Whether a drug was taken once and did harm: it is neither asked about nor taken any more."""
    return bool(_HARMED_BY.search(before) or (_ONCE.search(before) and _HARMED.match(after)))


def is_taken(before: str) -> bool:
    """Whether the folded words before a name say that it is, or was, taken: "đang uống", "trước đây từng dùng"."""
    return bool(_TAKES.search(before) or _TOOK.search(before) or _NOW.search(before))


def unlisted_taken(rest: str) -> tuple[str, ...]:
    """Names of what the patient takes that are in no index, and titles of classes: "đang uống propranolol", "nhậu".
    rest: the question with the names of drugs blanked."""
    taken: list[str] = []
    end = len(rest)
    for token in tokenise(rest):
        is_name = len(token.folded) >= _SHORTEST_NAME and token.folded.isalpha() and not is_syllable(token.folded)
        listed = _LISTED.match(fold(rest[end : token.start])) if end < token.start else None
        before = fold(rest[: token.start]) + " "
        # "Đang lupus" tells of an illness.
        is_name = is_name and token.folded not in no_drug_words() and not single_condition(token.folded)
        if is_name and (listed or is_taken(before) or _ALSO_TAKES.search(before)):
            end = token.end
            if not _was_stopped(before, fold(rest[end:])):
                taken.append(token.text)
    taken += [title_of(m.key) for m in classes_asked(rest) if m.key in _DRINKS or is_taken(fold(rest[: m.start]) + " ")]
    return tuple(dict.fromkeys(taken))
