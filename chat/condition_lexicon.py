"""The names of conditions that the book's lists print, and where a question says one: before any of its words is
read as talk, a patient or a way."""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache

from chat.condition_forms import called_otherwise, word_list
from chat.cues import cue_table
from chat.printed_items import Wording, items_of, spans_of, tells
from monographs.domain import SectionKey
from monographs.names import Corpus
from monographs.text import fold, words

_LONGEST = 8
_OF_PREGNANCY = ("thai", "kỳ")
_TIMES = frozenset({"tháng", "tuần", "quý", "nửa", "đầu", "cuối"})
_NO_CUES = ("section", "turn", "context")


class ConditionLexicon:
    """The items of a section of all monographs by their first word, folded."""

    __slots__ = ("_items",)

    def __init__(self, printed: tuple[str, ...]) -> None:
        self._items: dict[str, dict[tuple[str, ...], None]] = defaultdict(dict)
        items = dict.fromkeys(item for text in printed for item in items_of(text))
        for item in (*items, *(tuple(words(name)) for name in called_otherwise())):
            if 1 < len(item) <= _LONGEST and item[0] not in word_list("no_name"):
                self._items[fold(item[0])][item] = None

    def find(self, wording: Wording) -> tuple[range, ...]:
        """The places of the names that a question says, in order; of two that overlap the longer."""
        firsts = {fold(word) for word in wording.typed} | {fold(call[2][0]) for call in wording.called}
        said = ((item, spans_of(item, wording)) for first in firsts for item in self._items.get(first, ()))
        spans = {span for item, found in said if found and _is_name(item) for span in found}
        kept: list[range] = []
        for span in sorted(spans, key=lambda span: (-len(span), span.start)):
            if all(set(span).isdisjoint(other) for other in kept):
                kept.append(span)
        return tuple(sorted(kept, key=lambda span: span.start))


@lru_cache(maxsize=4096)
def _is_name(item: tuple[str, ...]) -> bool:
    # "Đái tháo đường thai kỳ" is a disease, whoever has it; "3 tháng cuối thai kỳ" is when.
    of_pregnancy = len(item) > len(_OF_PREGNANCY) + 1 and item[-2:] == _OF_PREGNANCY and _TIMES.isdisjoint(item)
    rest = item[:-2] if of_pregnancy else item
    return tells(item) and not any(cue_table(kind).find(" ".join(rest)) for kind in _NO_CUES)


def lexicon_of(corpus: Corpus, section: SectionKey = SectionKey.CHI_DINH) -> ConditionLexicon:
    """The lexicon of an edition, made once for what it prints; section: one of NAMING_SECTIONS."""
    return _lexicon(corpus.printed.get(section, ()))


@lru_cache(maxsize=8)
def _lexicon(printed: tuple[str, ...]) -> ConditionLexicon:
    return ConditionLexicon(printed)
