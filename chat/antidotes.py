"""A drug that is given for a poisoning: its own dose for that, and not what is said of too much of it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from chat.domain import EvidenceBlock, QueryFrame
from chat.terms import AskedWords
from monographs.domain import DrugRef, SectionKey
from monographs.text import fold, folded_words, words

_POISONING = re.compile(r"(?:ngộ độc|quá liều) \S")
_LABEL_WORDS = 2
# A dose is asked for, not only what is to be done: "quá liều A và B xử trí sao" tells that both were taken.
_ASKS_DOSE = re.compile(
    r"(?<!qua )\blieu\b(?! luong)|\b(?:bao nhieu|may|bn) (?:mg|g|gam|ml|microgam|mcg|ong|lo|vien|goi|don vi)\b|"
    r"\b(?:truyen|tiem|uong|cho|dung|pha) (?:·+ )?(?:bao nhieu|the nao|ra sao|nhu the nao|sao)\b"
)
# "Quá liều A và B": both were taken.
_BOTH = re.compile(r"·\s*(?:va|voi|cung|lan|chung voi|cung voi|\+|&)\s*·")
_TAKEN = "taken_too_much"


def for_poisoning(frame: QueryFrame, evidence: Sequence[EvidenceBlock]) -> QueryFrame:
    """ "calci gluconat ngộ độc magnesi": what a dose is labelled for is no overdose of the drug itself."""
    if frame.attribute is not SectionKey.QUA_LIEU or frame.raw.get(_TAKEN):
        return frame
    asked = AskedWords(frame.question_words)
    named = any(_POISONING.match(part.lower()) and all(w in asked for w in words(part)) for part in _parts(evidence))
    return _of_dose(frame) if named else frame


def as_antidote(
    alone: QueryFrame, own: Sequence[EvidenceBlock], others: Collection[tuple[DrugRef, frozenset[str]]]
) -> QueryFrame:
    """The question as it is asked of one of several drugs, of which one was taken too much: of the other one the dose
    that its labels name for that, and of the one taken no way of giving it.

    own: what the drug's monograph says; others: the other drugs, each with the folded words of its classes.
    """
    rest = fold(str(alone.raw.get("rest", "")))
    if alone.attribute is SectionKey.QUA_LIEU and _BOTH.search(rest):
        return replace(alone, raw={**alone.raw, _TAKEN: True})
    if alone.attribute is not SectionKey.QUA_LIEU or not _ASKS_DOSE.search(rest):
        return alone
    named = [part for part in _parts(own) if any(_names(part, drug, classes) for drug, classes in others)]
    if not named:
        return replace(alone, route=None)
    said = frozenset(word for part in named for word in words(part))
    return _of_dose(replace(alone, question_words=alone.question_words | said))


def _of_dose(frame: QueryFrame) -> QueryFrame:
    return replace(frame, attribute=SectionKey.LIEU_DUNG, harm="")


def _parts(evidence: Iterable[EvidenceBlock]) -> set[str]:
    doses = (block for block in evidence if block.section is SectionKey.LIEU_DUNG)
    return {part for block in doses for label in block.labels for part in label.split(", ")}


def _names(part: str, drug: DrugRef, classes: frozenset[str]) -> bool:
    """Whether a label is for what comes of a drug ("Quá liều paracetamol", "Người lớn đang dùng warfarin") or of its
    class ("Quá liều thuốc chẹn kênh calci")."""
    said = folded_words(part)
    by_name = f" {' '.join(folded_words(drug.name))} " in f" {' '.join(said)} "
    return by_name or bool(_POISONING.match(part.lower()) and classes.issuperset(said[_LABEL_WORDS:]))
