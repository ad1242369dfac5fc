"""Runs of terms put right by the names and the brackets of a question: parted, joined, or only an explanation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from chat.condition_forms import also_called, is_agent
from chat.domain import Term
from monographs.names import Token
from monographs.text import fold

Run = tuple[Term, ...]
_SEVERAL = 2
# How what may be infected begins, folded.
INFECTED = frozenset({"viem", "nhiem", "ap", "lao", "nam", "loet", "mun", "tieu", "ia", "soc"})
# What joins two names in one breath, bare.
_JOINING = frozenset({"vi", "do", "va", "o", "bi", "ma", "voi", "co", "kem", "dang"})
# A value of the patient's, and words that only introduce what is felt or asked for.
_VALUE = re.compile(
    r"(?<!ha )(?<!tang )(?<!giam )"
    r"\b(?:kali|natri|k|na|inr|hba1c|creatinin|ure|bach cau|tieu cau|hb|alt|ast|got|gpt|cr|bilirubin)"
    r"\+?(?: (?:huyet(?: thanh)?|mau|la|len|con|dang|tang|giam|ve))*\s*:?\s*\d+(?:[.,]\d+)?"
    r"(?: ?(?:mmol|micromol|mg)/?\w*|%)?|"
    r"\b(?:(?:cac|con|het|co) )*(?:trieu chung|dau hieu|bieu hien)\b(?! (?:hoc|than kinh))|"
    r"\b(?:ecg|dien tim|dien tam do|sieu am|xet nghiem|x quang)\b(?= (?:co|cho|thay|ra|la)\b|\s*:)|"
    r"\b(?:trong|o|tai) (?:kho|tu thuoc|quay|nha thuoc|khoa duoc|sach|danh muc)\b|"
    r"\b(?:lua chon|tu van|phac do|nhung|gom)\b|\blua (?=thuoc|khang)"
)
_BRACKETS = re.compile(r"\([^()]*\)?")


def name_by_name(run: Run, names: Sequence[range]) -> list[Run]:
    """A run of several names, each for itself with what stands behind it: "xơ gan cổ trướng", "hạ canxi máu co cứng tay
    chân"; words that only join two are dropped, and an agent is part of what it causes."""
    starts = [name.start for name in names if any(term.place == name.start for term in run)]
    if len(starts) < _SEVERAL or any(is_agent(_at(run, name)) for name in names if name.start in starts[1:]):
        return [run]
    cuts = [run[0].place, *starts[1:], run[-1].place + 1]
    parts = [tuple(term for term in run if first <= term.place < last) for first, last in pairwise(cuts)]
    return [_without_joint(part) for part in parts]


def _at(run: Run, name: range) -> Run:
    return tuple(term for term in run if term.place in name)


def _without_joint(run: Run) -> Run:
    """A part without the words at its end that join it to the next."""
    end = len(run)
    while end > 1 and _JOINING.issuperset(map(fold, run[end - 1].typed)):
        end -= 1
    return run[:end]


def bracketed_in(text: str, tokens: Sequence[Token], runs: Sequence[Run]) -> frozenset[int]:
    """The places within brackets that do not stand right behind a run: "dị ứng carbamazepin rồi (phát ban, sốt)"."""
    ends = {run[-1].place + len(run[-1].typed) for run in runs}
    found: set[int] = set()
    for match in _BRACKETS.finditer(text):
        inside = {at for at, token in enumerate(tokens) if match.start() < token.start < match.end()}
        if inside and min(inside) not in ends:
            found |= inside
    return frozenset(found)


def called_twice(runs: Sequence[Run], text: str, tokens: Sequence[Token], strange: frozenset[str]) -> list[Run]:
    """The runs with one that stands in brackets behind another as its other name: "tăng sản lợi (phì đại nướu)".

    strange: folded words that the book prints nowhere; in brackets they only name the same again: "(rosacea)".
    """
    joined: list[Run] = []
    for run in runs:
        before = joined[-1] if joined else ()
        if before and _said(run) in strange and _names_again(before) and _is_bracketed(before, run, text, tokens):
            continue
        if before and _is_other_name(before, run, text, tokens):
            typed = tuple(word for term in before for word in term.typed)
            joined[-1] = (Term(typed, tuple(word for t in run for word in (t.book or t.typed)), before[0].place),)
        else:
            joined.append(run)
    return joined


def _names_again(before: Run) -> bool:
    """Whether what stands in brackets behind a run may only name it again: behind an infection it is what infects."""
    return len(before) > 1 and fold(before[0].typed[0]) not in INFECTED


def _is_other_name(before: Run, run: Run, text: str, tokens: Sequence[Token]) -> bool:
    known = bool(run[0].book) or _said(run) in set(map(fold, also_called()))
    return known and _is_bracketed(before, run, text, tokens)


def _is_bracketed(before: Run, run: Run, text: str, tokens: Sequence[Token]) -> bool:
    """Whether a run stands alone in brackets right behind another."""
    end, start = before[-1].place + len(before[-1].typed), run[0].place
    stop = run[-1].place + len(run[-1].typed)
    if not 0 < end <= start < stop <= len(tokens):
        return False
    inside = text[tokens[end - 1].end : tokens[start].start].strip() == "("
    return inside and text[tokens[stop - 1].end :].lstrip().startswith(")")


def _said(run: Run) -> str:
    return fold(" ".join(word for term in run for word in term.typed))


def measured_in(text: str, tokens: Sequence[Token]) -> frozenset[int]:
    """The places of words that name a value of the patient's: "kali đang 2,9"; of "hạ kali huyết 3,0" none."""
    spans = [match.span() for match in _VALUE.finditer(fold(text))] if len(fold(text)) == len(text) else []
    return frozenset(at for at, t in enumerate(tokens) if any(start <= t.start < end for start, end in spans))
