"""Of a section of many passages, those that speak of what the question names."""

from __future__ import annotations

import re

from chat.cues import cue_table, fillers_as_typed
from chat.domain import EvidenceBlock, QueryFrame
from monographs.domain import SectionKey
from monographs.names import tokenise
from monographs.text import WordSet, folded_words, normalise

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
_MASKED = re.compile(r"\[[^\]]*\]")


def narrow(
    blocks: tuple[EvidenceBlock, ...], frame: QueryFrame, key: SectionKey
) -> tuple[tuple[EvidenceBlock, ...], tuple[str, ...]]:
    """(passages to show, what the section does not name). Where no passage names it, all are shown and it is said
    to be missing: silence in the book is shown as silence."""
    named = topic_words(frame)
    if key not in _LISTS or not named or len(named) > _MOST_WORDS or frame.section_overview:
        return blocks, ()
    speaking = tuple(block for block in blocks if _speaks_of(block, named))
    if speaking:
        # These are short, and the line beside the one asked for may be the one that matters.
        return (blocks if key in _SHOWN_WHOLE else speaking), ()
    partly = any(_speaks_of(block, (word,)) for block in blocks for word in named)
    return blocks, () if partly else (" ".join(named),)


def topic_words(frame: QueryFrame) -> tuple[str, ...]:
    """The words of the question as typed, in small letters, that are neither a name, a cue nor a filler, in order."""
    rest = _MASKED.sub(" ", str(frame.raw.get("rest", "")))
    covered: set[int] = set()
    for kind in ("section", "population", "route", "turn", "context", "scope"):
        for hit in cue_table(kind).find(rest):
            covered.update(range(hit.first, hit.last))
    named = set(folded_words(" ".join(drug.name for drug in frame.drugs)))
    tokens = [t for place, t in enumerate(tokenise(normalise(rest))) if place not in covered and t.folded not in named]
    typed = [t.text.lower() for t in tokens if len(t.folded) > 1 and not t.folded[0].isdigit()]
    return tuple(word for word in typed if word not in fillers_as_typed())


def _speaks_of(block: EvidenceBlock, named: tuple[str, ...]) -> bool:
    words = WordSet(" ".join((*block.labels, block.text)))
    return all(word in words for word in named)
