"""Members of a group monograph: which of them a name is, so that another member's dose is never shown for it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from chat.branches import branches_of, facets
from chat.domain import EvidenceBlock, QueryFrame
from monographs.domain import SectionKey
from monographs.text import fold, folded_words, words

# Where a monograph says of which member a brand is: "Rosuvastatin: viên 5 mg (Crestor)".
_BRANDS = re.compile(r"\s*[(),;.]\s*")
MEMBER_SECTIONS = (SectionKey.DANG_THUOC_HAM_LUONG,)
# Sections that tell member by member: a passage about others only is left out.
_BY_MEMBER = frozenset({SectionKey.DANG_THUOC_HAM_LUONG, SectionKey.DUOC_LY_CO_CHE})


def with_member(frame: QueryFrame, evidence: Sequence[EvidenceBlock]) -> QueryFrame:
    """The frame with the member that was asked for by its own name or by a brand, and its label's words added."""
    spans = frame.raw.get("spans")
    own = {fold(drug.name) for drug in frame.drugs}
    typed = [fold(span) for span in spans if fold(span) not in own] if isinstance(spans, list) else []
    labels = _member_labels(evidence)
    for found in (*(_named(name, labels, evidence) for name in typed), _spelled_out(frame, own, labels)):
        if len(found) == 1:
            names = frame.question_words | set(words(found[0])) | _strength_words(typed, evidence)
            return replace(frame, question_words=names, raw={**frame.raw, "member": found[0]})
    return frame


def each_member(frame: QueryFrame, evidence: Sequence[EvidenceBlock]) -> tuple[QueryFrame, ...]:
    """The frame for each of several members of one monograph that are asked about together ("Lipitor và Crestor"):
    each named alone; none where fewer than two are."""
    spans = frame.raw.get("spans")
    typed = list(dict.fromkeys(spans)) if isinstance(spans, list) and len(frame.drugs) == 1 else []
    if len(typed) < 2:
        return ()
    alone = [replace(frame, raw={**frame.raw, "spans": [name]}) for name in typed]
    members = {with_member(one, evidence).raw.get("member"): one for one in alone}
    return tuple(members.values()) if len(members) > 1 and None not in members else ()


def _strength_words(typed: Sequence[str], evidence: Sequence[EvidenceBlock]) -> set[str]:
    """The words of the strength beside which a brand is printed: "300 đơn vị/ml, bút tiêm 1,5 ml (Toujeo)"."""
    clauses = [
        clause
        for block in evidence
        if block.section in MEMBER_SECTIONS
        for clause in re.split(r"[;.]\s+", block.text)
        if any(f" {name} " in f" {' '.join(folded_words(clause))} " for name in typed)
    ]
    return set(words(clauses[0])) if len(clauses) == 1 else set()


def of_member(frame: QueryFrame, blocks: Sequence[EvidenceBlock]) -> list[EvidenceBlock]:
    """The passages of the member that was asked for, and those of no member; all where none was."""
    member = frame.raw.get("member")
    if not isinstance(member, str):
        return list(blocks)
    marks = _member_labels(blocks)
    others = frozenset(word for label, words in marks.items() if label != member for word in words)
    named = {block: frozenset(folded_words(" ".join((*block.labels, block.text)))) for block in blocks}
    of_others = {label for label in marks if label != member}
    return [
        block
        for block in blocks
        if not (block.labels and block.labels[0] in of_others)
        and not (
            block.section in _BY_MEMBER and named[block] & others and not named[block] & marks.get(member, frozenset())
        )
    ]


def _member_labels(evidence: Sequence[EvidenceBlock]) -> dict[str, frozenset[str]]:
    """The outermost dosage labels, each with the words that stand in no other of them."""
    doses = [block for block in evidence if block.section is SectionKey.LIEU_DUNG]
    outer = {branch.path[0] for branch in branches_of(doses) if branch.path and not branch.is_general}
    labels = {label for label in outer if not any(facets(label))}
    words = {label: frozenset(folded_words(label)) for label in labels}
    seen = Counter(word for found in words.values() for word in found)
    return {label: frozenset(word for word in found if seen[word] == 1) for label, found in words.items()}


def _named(name: str, labels: dict[str, frozenset[str]], evidence: Sequence[EvidenceBlock]) -> list[str]:
    return [label for label, marks in labels.items() if name in marks] or _sold_as(name, labels, evidence)


def _spelled_out(frame: QueryFrame, own: set[str], labels: dict[str, frozenset[str]]) -> list[str]:
    """The labels that stand word for word in the question, beyond the drug's own name: "insulin NPH"."""
    asked = " ".join(folded_words(frame.standalone_query or ""))
    phrases = {label: " ".join(folded_words(label.split("(")[0])) for label in labels}
    return [label for label, phrase in phrases.items() if phrase not in own and f" {phrase} " in f" {asked} "]


def _sold_as(name: str, labels: dict[str, frozenset[str]], evidence: Sequence[EvidenceBlock]) -> list[str]:
    """The labels whose own words stand in the passage that prints the brand: in its own label where it has one.

    A passage that prints the whole brand goes before one where it is part of a longer one ("Humalog Mix25").
    """
    blocks = [block for block in evidence if block.section in MEMBER_SECTIONS]
    whole = [block for block in blocks if name in map(fold, _BRANDS.split(block.text))]
    partly = [block for block in blocks if f" {name} " in f" {' '.join(folded_words(block.text))} "]
    for block in whole or partly:
        printed = frozenset(folded_words(" ".join(block.labels)))
        found = [label for label, marks in labels.items() if marks & printed]
        if found:
            return found
    printed = frozenset(word for block in whole or partly for word in folded_words(block.text))
    return [label for label, marks in labels.items() if marks & printed]
