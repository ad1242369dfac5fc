"""How an answer is laid out, decided from the evidence before a word is written; no medical fact."""

from __future__ import annotations

from typing import Final, Literal

from chat.contract import AnswerPlan
from chat.cues import cue_table
from chat.generation.writing import Writing
from monographs.domain import SECTION_FACTS, BlockKind

_OF_PROSE = 2
# Words of a question that ask for numbers, beside a dose.
_ASKS_NUMBERS: Final = ("liều", "bao nhiêu", "tần suất", "tỷ lệ", "tỉ lệ", "%", "ngưỡng")


def plan_answer(writing: Writing) -> AnswerPlan:
    """Verbosity, layout, headings and warning, from how many sections and drugs there are, whether it is a list, and
    whether the question asks for everything."""
    kinds = {SECTION_FACTS[block.section].block for block in writing.shown}
    places = {(block.drug.drug_id, block.section) for block in writing.shown}
    several = len(places) > 1 or writing.is_list
    return AnswerPlan(
        verbosity="full" if several or asks_all(writing) else "brief",
        layout=_layout(kinds, writing, several=several),
        reasoning_mode="generated",
        show_heading=several or BlockKind.DOSAGE in kinds,
        needs_warning=BlockKind.WARNING in kinds or any(block.is_held for block in writing.evidence),
    )


def asks_all(writing: Writing) -> bool:
    """Whether the question asks for everything that is said ("đầy đủ", "tất cả"): then nothing is asked back."""
    return writing.frame.section_overview or "overview" in cue_table("turn").meanings(writing.question)


def suppresses_numbers(plan: AnswerPlan, question: str) -> bool:
    """Whether claims had better do without numbers: the seed's rule outside questions about a dose."""
    return plan.layout != "dosage" and not any(word in question.lower() for word in _ASKS_NUMBERS)


def _layout(kinds: set[BlockKind], writing: Writing, *, several: bool) -> Literal["dosage", "bullet_list", "prose"]:
    if BlockKind.DOSAGE in kinds:
        return "dosage"
    return "bullet_list" if several or len(writing.shown) > _OF_PROSE else "prose"
