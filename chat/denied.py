"""What a question says that the patient has not: words that select no dose."""

from __future__ import annotations

import re
from dataclasses import replace

from chat.domain import QueryFrame
from monographs.text import fold, folded_words

# "Không phải viêm màng não", "đã loại trừ …"; but "không biến chứng" may be a label's own words. To the next mark.
_DENIED = re.compile(
    r"\b(?:(?:khong|chua|chu khong|ko|hong) phai|(?:da )?loai tru|(?:khong|ko) (?:bi|mac|kem))"
    r" (?:la |bi |do |co )?((?:[a-z]+ ?){1,4})"
)
# What goes on behind a denial without a mark is no part of it.
_GOES_ON = re.compile(r"\b(?:thi|va|ma|nhung|chi|dung|uong|tiem|truyen|can|cho|lieu)\b.*")


def affirmed(frame: QueryFrame) -> QueryFrame:
    """The frame without the words and terms that stand in the question only as denied."""
    rest = fold(str(frame.raw.get("rest", "")))
    denied = {word for phrase in _DENIED.findall(rest) for word in folded_words(_GOES_ON.sub("", phrase))}
    gone = denied - set(folded_words(_DENIED.sub(_kept, rest)))
    if not gone:
        return frame
    return replace(
        frame,
        question_words=frozenset(word for word in frame.question_words if fold(word) not in gone),
        terms=tuple(term for term in frame.terms if gone.isdisjoint(map(fold, term.typed))),
    )


def _kept(match: re.Match[str]) -> str:
    """What goes on behind a denial."""
    on = _GOES_ON.search(match.group(1))
    return f" {on.group()}" if on else " "
