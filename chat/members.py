"""Members of a group monograph: which of them a brand is, so that another member's dose is never shown for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from chat.branches import branches_of, is_general_path
from chat.domain import EvidenceBlock, QueryFrame
from monographs.domain import SectionKey
from monographs.text import fold, folded_words

# Where a monograph says of which member a brand is: "Rosuvastatin: viên 5 mg (Crestor)".
MEMBER_SECTIONS = (SectionKey.DANG_THUOC_HAM_LUONG,)


def with_member(frame: QueryFrame, evidence: Sequence[EvidenceBlock]) -> QueryFrame:
    """The frame with the words of the member's label added to the question's, where the brand asked for tells it."""
    doses = [block for block in evidence if block.section is SectionKey.LIEU_DUNG]
    labels = {branch.path[0] for branch in branches_of(doses) if branch.path}
    spans = frame.raw.get("spans")
    for brand in spans if isinstance(spans, list) else []:
        for block in evidence:
            if block.section in MEMBER_SECTIONS and f" {fold(brand)} " in f" {' '.join(folded_words(block.text))} ":
                words = set(folded_words(" ".join((*block.labels, block.text))))
                member = [label for label in labels if set(folded_words(label)[:1]) <= words]
                if len(member) == 1:
                    return replace(frame, question_words=frame.question_words | set(folded_words(member[0])))
    return frame


def of_member(frame: QueryFrame, blocks: Sequence[EvidenceBlock]) -> list[EvidenceBlock]:
    """The passages of the member that the question names, and those of no member; all where it names none."""
    members = {block.labels[0] for block in blocks if block.labels and block.section is SectionKey.LIEU_DUNG}
    named = {label for label in members if set(folded_words(label)[:1]) <= frame.question_words}
    if not named or is_general_path((next(iter(named)),)):
        return list(blocks)
    return [b for b in blocks if b.section is not SectionKey.LIEU_DUNG or not b.labels or b.labels[0] in named]
