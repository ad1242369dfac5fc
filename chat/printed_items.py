"""The items of a passage, "suy tim", "nguy cơ tăng khi bỏ bữa", and where a question says one of them word for word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from chat.condition_forms import same, single_condition, word_list
from chat.cues import cue_table, printed_fillers
from chat.domain import Population
from monographs.names import is_syllable, tokenise
from monographs.text import fold, has_accents, normalise, spelling, words

_ITEM = re.compile(r"[,;.:()]+(?:\s|$)|\s\(|\s[–-]\s|\s(?:và|hoặc|hay)\s")
_MOST_WORDS = 12
# How bad an item must be, and how far gone; the question need not say it.
_TAIL = re.compile(
    r"(?: (?:nặng|cấp|mạn(?: tính)?|mất bù|giai đoạn cuối|tiến triển|chưa (?:được )?kiểm soát|đang hoạt động))+$"
)
# What stands before a word that names an illness by itself: "bệnh hen".
_HAS = frozenset({"benh", "bi", "mac", "con", "dot", "su"})
# Words between those of an item that change nothing: "uống nhiều rượu", and those that only the book puts there.
_PASSED = frozenset(
    map(spelling, ("nhiều", "rất", "hay", "bị", "cả", "ở", "hơi", "ít", "quá", "nhieu", "rat", "bi", "hoi"))
)
_LINKS = frozenset({"và", "do", "của", "ở", "bị", "vì", "týp", "typ", "bệnh", "tá", "tràng"})
_NO_NAMES = ("section", "population", "route")
# What befalls an organ by name ("xơ gan") is a condition; how well it works is told of a patient.
_ORGANS = frozenset({Population.SUY_THAN.value, Population.SUY_GAN.value})
# "Suy thượng thận chưa | điều trị".
_NOT_YET = "chưa"
_ORGAN_HEADS = frozenset({"suy", "chức", "độ"})


@dataclass(frozen=True, slots=True)
class Wording:
    """The words of a question in order; called: which of them the book calls otherwise, as (first, last, words)."""

    typed: tuple[str, ...]
    called: tuple[tuple[int, int, tuple[str, ...]], ...] = ()


def wording_of(text: str) -> Wording:
    """The words of a question whose drug names are blanked."""
    text = normalise(text)
    hits = cue_table("synonym").find(text)
    return Wording(
        tuple(token.text.lower() for token in tokenise(text)),
        tuple((hit.first, hit.last, tuple(words(hit.meaning))) for hit in hits),
    )


@lru_cache(maxsize=16384)
def items_of(text: str) -> tuple[tuple[str, ...], ...]:
    """The words of each item of a passage, and of each part of it that stands between words that part it; some of them
    tell nothing."""
    found: dict[tuple[str, ...], None] = {}
    for item in _ITEM.split(text.lower()):
        said = words(item.strip(" .*_"))
        for start, end in _stretches(said):
            part = " ".join(said[start:end])
            every = (tuple(words(text)) for text in dict.fromkeys((part, _TAIL.sub("", part))))
            found |= {one: None for one in every if one and _may_tell(one)}
    return tuple(found)


def _stretches(said: Sequence[str]) -> Iterator[tuple[int, int]]:
    """(first word, word behind the last) of the whole, and of all that begins and ends at a parting word."""
    parted = [at for at, word in enumerate(said) if word in word_list("parting") or word.isdigit()]
    starts, ends = [0, *(at + 1 for at in parted)], [len(said), *parted]
    return ((start, end) for start in starts for end in ends if 0 < end - start <= _MOST_WORDS)


def spans_of(item: Sequence[str], wording: Wording) -> list[range]:
    """The places at which a question says an item."""
    found = [range(at, end) for at in range(len(wording.typed)) if (end := _end(item, wording, at)) is not None]
    return [span for span in found if len(item) > 1 or _names_illness(span.start, wording.typed)]


def _may_tell(item: Sequence[str]) -> bool:
    """Whether an item may say something by itself: more than talk, and of one word only an illness."""
    if not word_list("parting").isdisjoint((item[0], item[-1])) or item[0][0].isdigit() or item[-1] == _NOT_YET:
        return False
    if len(item) == 1:
        return bool(single_condition(fold(item[0])))
    return not all(spelling(word) in printed_fillers() for word in item)


@lru_cache(maxsize=4096)
def tells(item: tuple[str, ...]) -> bool:
    """Whether an item says more than a section, a patient or a way. Asked of what a question says: a book has many."""
    text = " ".join(item)
    hits = (hit for kind in _NO_NAMES for hit in cue_table(kind).find(text, printed=True))
    whole = {hit.meaning for hit in hits if hit.last - hit.first == len(item)}
    return not whole or (whole <= _ORGANS and item[0] not in _ORGAN_HEADS)


def _end(item: Sequence[str], wording: Wording, at: int) -> int | None:
    """The place behind an item that is said from a place on; None where it is not."""
    said, begin = 0, at
    while said < len(item):
        call = next((c for c in wording.called if c[0] == at and tuple(item[said : said + len(c[2])]) == c[2]), None)
        if call is not None:
            said, at = said + len(call[2]), call[1]
        elif at < len(wording.typed) and same(wording.typed[at], item[said]):
            said, at = said + 1, at + 1
        elif said and item[said] in _LINKS:
            said += 1
        elif begin < at < len(wording.typed) and spelling(wording.typed[at]) in _PASSED:
            at += 1
        else:
            return None
    return at


def _names_illness(place: int, typed: Sequence[str]) -> bool:
    """Whether one word is meant as an illness: with its accents, no syllable, or behind "bệnh"."""
    word = typed[place]
    return has_accents(word) or not is_syllable(fold(word)) or fold(typed[place - 1] if place else "") in _HAS
