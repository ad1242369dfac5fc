"""The other direction: the items of what forbids or cautions that a question itself says, whatever was read of it.

A question is told in any words; what a monograph warns of is a short list. So each item of it is looked for in the
question, word for word, and no word of the question need be understood for that.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from chat.condition_forms import word_list
from chat.condition_names import Condition
from chat.domain import EvidenceBlock, Term
from chat.printed_items import Wording, items_of, spans_of, tells
from chat.purposes import names_purpose
from monographs.domain import SectionKey
from monographs.text import fold

# Sections whose items are what a patient may have or do.
ITEM_SECTIONS = frozenset({SectionKey.CHONG_CHI_DINH, SectionKey.THAN_TRONG})
_DENYING = frozenset({"khong", "ko", "k", "chua", "het", "hong"})
_BETWEEN_DENIAL = frozenset({"bi", "co", "mac", "he", "phai", "thay", "con", "tung", "benh"})


def items_told(blocks: Iterable[EvidenceBlock], wording: Wording, asked: Condition) -> tuple[Condition, ...]:
    """The items of these passages that the question says and does not deny, beside what it asks for, each as a
    condition in the question's words."""
    places = {place for term in asked.terms for place in range(term.place, term.place + len(term.typed))}
    items = dict.fromkeys(item for b in blocks if b.section in ITEM_SECTIONS for item in items_of(b.text))
    items = {
        item: None
        for item in items
        if item[0] not in word_list("no_fact") and " ".join(item) not in word_list("no_fact")
    }
    said = ((item, spans_of(item, wording)) for item in items)
    spans = {span for item, found in said if found and tells(item) for span in found if not set(span) <= places}
    told = sorted((s for s in spans if _is_told(s, wording.typed)), key=lambda span: span.start)
    kept = [span for span in told if not any(set(span) < set(other) for other in told)]
    return tuple(Condition((tuple(_terms(span, wording)),)) for span in kept)


def _is_told(span: range, typed: Sequence[str]) -> bool:
    """Whether words tell something of the patient: not denied, and not what a drug is asked for by."""
    pairs = (range(at, at + 2) for at in range(max(span.start - 1, 0), span.stop))
    asked = any(names_purpose(typed, within) for within in (span, *pairs))
    return not asked and not _is_denied(span.start, typed)


def _is_denied(place: int, typed: Sequence[str]) -> bool:
    before = [fold(word) for word in typed[max(place - 3, 0) : place]]
    while before and before[-1] in _BETWEEN_DENIAL:
        before.pop()
    return bool(before) and before[-1] in _DENYING


def _terms(span: range, wording: Wording) -> list[Term]:
    terms: list[Term] = []
    at = span.start
    while at < span.stop:
        call = next((c for c in wording.called if c[0] == at and c[1] <= span.stop), None)
        end = call[1] if call else at + 1
        terms.append(Term(wording.typed[at:end], call[2] if call else (), at))
        at = end
    return terms
