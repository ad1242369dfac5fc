"""Scope and red flags: fixed rules on every question, also when a provider is down.

A corpus-coverage check, never a limit on what a professional may ask.
"""

from __future__ import annotations

from chat.cues import CueHit, cue_table
from chat.domain import Reason, Stop
from chat.overdose import tells_overdose

EMERGENCY_NOTICE = (
    "Nếu người bệnh đang nguy kịch (khó thở, co giật, hôn mê, nghi phản vệ hoặc ngộ độc): gọi cấp cứu 115, xử trí theo "
    "phác đồ cấp cứu tại chỗ và liên hệ trung tâm chống độc gần nhất trước khi tra cứu."
)


def check_scope(question: str, *, claimed: str = "human") -> Stop | None:
    """Stops a question about animals. The caller's claimed scope may narrow to non-human, never widen."""
    if claimed != "human" or _names_animal(question):
        return Stop(Reason.NON_HUMAN_SCOPE)
    return None


def emergency_notice(question: str) -> str:
    """The fixed emergency text where the question carries a red flag, else the empty string."""
    flagged = "red_flag" in cue_table("scope").meanings(question) or tells_overdose(question)
    return EMERGENCY_NOTICE if flagged else ""


def _names_animal(question: str) -> bool:
    animals = [hit for hit in cue_table("scope").find(question) if hit.meaning == "non_human"]
    people = cue_table("population").find(question)
    return any(not any(_overlap(animal, person) for person in people) for animal in animals)


def _overlap(one: CueHit, other: CueHit) -> bool:
    return one.first < other.last and other.first < one.last
