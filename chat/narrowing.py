"""Of a section of many passages, those that speak of what the question names."""

from __future__ import annotations

from collections.abc import Sequence

from chat.domain import EvidenceBlock, QueryFrame, Term
from chat.terms import stands_in
from monographs.domain import SectionKey
from monographs.text import WordSet

# Sections that list many things, of which a question may name one.
_LISTS = frozenset(
    {
        SectionKey.CHI_DINH,
        SectionKey.CHONG_CHI_DINH,
        SectionKey.THAN_TRONG,
        SectionKey.ADR,
        SectionKey.TUONG_TAC,
        SectionKey.TUONG_KY,
    }
)
_SHOWN_WHOLE = frozenset({SectionKey.CHI_DINH, SectionKey.CHONG_CHI_DINH, SectionKey.THAN_TRONG})
# A longer tail of words is talk, not a topic.
_MOST_WORDS = 4


def narrow(
    blocks: tuple[EvidenceBlock, ...], frame: QueryFrame, key: SectionKey, named: Sequence[Term]
) -> tuple[tuple[EvidenceBlock, ...], tuple[str, ...]]:
    """(passages to show, what the section does not name) of the terms named.

    Where no passage names them, all are shown and they are said to be missing: silence in the book is shown as silence.
    """
    if key not in _LISTS or not named or len(named) > _MOST_WORDS or frame.section_overview:
        return blocks, ()
    speaking = tuple(block for block in blocks if _speaks_of(block, named))
    if speaking:
        # These are short, and the line beside the one asked for may be the one that matters.
        return (blocks if key in _SHOWN_WHOLE else speaking), ()
    partly = any(_speaks_of(block, (term,)) for block in blocks for term in named)
    return blocks, () if partly else (" ".join(map(str, named)),)


def _speaks_of(block: EvidenceBlock, named: Sequence[Term]) -> bool:
    words = WordSet(" ".join((*block.labels, block.text)))
    return all(stands_in(term, words) for term in named)
