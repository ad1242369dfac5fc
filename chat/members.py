"""Members of a group monograph: which of them a name is, so that another member's dose is never shown for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from chat.branches import branches_of, facets
from chat.domain import EvidenceBlock, QueryFrame
from monographs.domain import SectionKey
from monographs.text import fold, folded_words

# Where a monograph says of which member a brand is: "Rosuvastatin: viên 5 mg (Crestor)".
MEMBER_SECTIONS = (SectionKey.DANG_THUOC_HAM_LUONG,)


def with_member(frame: QueryFrame, evidence: Sequence[EvidenceBlock]) -> QueryFrame:
    """The frame with the member that was asked for by its own name or by a brand, and its label's words added."""
    spans = frame.raw.get("spans")
    own = {fold(drug.name) for drug in frame.drugs}
    typed = [fold(span) for span in spans if fold(span) not in own] if isinstance(spans, list) else []
    labels = _member_labels(evidence)
    for name in typed:
        found = [label for label, marks in labels.items() if name in marks] or _sold_as(name, labels, evidence)
        if len(found) == 1:
            words = frame.question_words | set(folded_words(found[0]))
            return replace(frame, question_words=words, raw={**frame.raw, "member": found[0]})
    return frame


def of_member(frame: QueryFrame, blocks: Sequence[EvidenceBlock]) -> list[EvidenceBlock]:
    """The passages of the member that was asked for, and those of no member; all where none was."""
    member = frame.raw.get("member")
    if member is None:
        return list(blocks)
    others = {label for label in _member_labels(blocks) if label != member}
    return [block for block in blocks if not block.labels or block.labels[0] not in others]


def _member_labels(evidence: Sequence[EvidenceBlock]) -> dict[str, frozenset[str]]:
    """The outermost dosage labels, each with the words that stand in no other of them."""
    doses = [block for block in evidence if block.section is SectionKey.LIEU_DUNG]
    outer = {branch.path[0] for branch in branches_of(doses) if branch.path and not branch.is_general}
    labels = {label for label in outer if not any(facets(label))}
    words = {label: frozenset(folded_words(label)) for label in labels}
    seen = Counter(word for found in words.values() for word in found)
    return {label: frozenset(word for word in found if seen[word] == 1) for label, found in words.items()}


def _sold_as(name: str, labels: dict[str, frozenset[str]], evidence: Sequence[EvidenceBlock]) -> list[str]:
    """The labels whose own words stand in the passage that prints the brand."""
    texts = [" ".join(folded_words(" ".join((*b.labels, b.text)))) for b in evidence if b.section in MEMBER_SECTIONS]
    printed = {word for text in texts if f" {name} " in f" {text} " for word in text.split()}
    return [label for label, marks in labels.items() if marks & printed]
