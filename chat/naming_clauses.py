"""The clauses of a passage, with the drugs and classes that each names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from chat.domain import EvidenceBlock
from chat.drug_classes import ClassMention, classes_printed
from monographs.names import AliasIndex, NameSpan, spelling_key, tokenise
from monographs.text import fold, normalise

_CLAUSE_END = re.compile(r"(?<=[.;])\s+")
# What harm came from, or what a drug is set beside, is not taken with it: "suy thận do thuốc độc thận", "so với".
_NOT_TAKEN = re.compile(r"(?:\bdo|\bso với|\bhơn)\s+$", re.IGNORECASE)
# What a drug is allergic with is no reason about taking both.
_ALLERGY = re.compile(r"\b(?:quá mẫn|dị ứng|mẫn cảm)\b|\btiền sử\b[^;.]*\b(?:do|phản ứng)\b", re.IGNORECASE)
_DENIES = re.compile(
    r"\b(?:không|chưa)\s+(?:có|thấy|gặp|ghi nhận|phát hiện|quan sát|xảy ra|gây|được biết|tìm thấy)\b"
    r"(?:(?!nghiên cứu|thông tin|dữ liệu|báo cáo)[^:;]){0,60}?\btương tác\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Clause:
    """named: aliases that stand in it; classes: classes; keys: its words spelled alike, between spaces; denies: it
    prints that there is no interaction."""

    text: str
    named: tuple[NameSpan, ...]
    classes: tuple[ClassMention, ...]
    keys: str
    denies: bool

    @property
    def is_general(self) -> bool:
        """Whether it names nothing: what it denies holds for all."""
        return not self.named and not self.classes


def clauses_of(block: EvidenceBlock, names: AliasIndex) -> tuple[Clause, ...]:
    """The clauses of a passage's labels and text, but for those on allergies."""
    heads = [label for label in block.labels if not block.text.startswith(label)]
    texts = [*heads, *_CLAUSE_END.split(normalise(block.text))]
    return tuple(_clause(text, names, block.drug.drug_id) for text in texts if text and not _ALLERGY.search(text))


def spelled_keys(text: str) -> str:
    """The words of a name, spelled alike, between spaces."""
    return f" {' '.join(spelling_key(token.folded) for token in tokenise(fold(text)))} "


@lru_cache(maxsize=8192)
def _clause(text: str, names: AliasIndex, reader: str) -> Clause:
    # Its own name in a general denial ("chưa có tương tác nào khi dùng nystatin") names no other.
    named = tuple(s for s in names.resolve(text) if all(d.drug_id != reader for d in s.drugs))
    return Clause(
        text,
        tuple(span for span in named if not _NOT_TAKEN.search(text[: span.start])),
        tuple(mention for mention in classes_printed(text) if not _NOT_TAKEN.search(text[: mention.start])),
        spelled_keys(text),
        bool(_DENIES.search(text)),
    )
