"""The steps of the work on a turn, as whoever waits is told of them."""

from __future__ import annotations

from dataclasses import dataclass

# Every stage of chat/answer.py belongs to one step.
STEPS: dict[str, tuple[str, ...]] = {
    "Hiểu câu hỏi": ("scope", "understand"),
    "Tìm nguồn": ("retrieve", "decide"),
    "Soạn câu trả lời": ("draft",),
    "Đối chiếu nguồn": ("verify", "judge", "complete", "repair", "compose", "summary"),
}


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the work on a turn. state: done, now or later."""

    title: str
    state: str


def steps_at(stage: str) -> tuple[Step, ...]:
    """The steps, each done, at hand or to come; none before a stage is known."""
    at = next((place for place, stages in enumerate(STEPS.values()) if stage in stages), None)
    if at is None:
        return ()
    states = ("done", "now", "later")
    return tuple(Step(title, states[(place >= at) + (place > at)]) for place, title in enumerate(STEPS))
