"""The outcome table as documentation: python -m chat.outcomes_table > docs/outcomes.md."""

from __future__ import annotations

import sys

from chat.domain import Reason
from chat.outcomes import OUTCOMES

_HEAD = """# Outcomes

Printed from `chat/outcomes.py` by `python -m chat.outcomes_table`; a test compares the two. `query_type` is the
turn's own type where the column says *turn*.

| reason | decision | status | status code | query_type | text | next step |
| --- | --- | --- | --- | --- | --- | --- |
"""


def as_markdown() -> str:
    """The whole document."""
    return _HEAD + "".join(f"{_row(reason)}\n" for reason in Reason)


def _row(reason: Reason) -> str:
    facts = OUTCOMES[reason]
    cells = (
        f"`{reason.value}`",
        facts.decision.value,
        facts.status.value,
        facts.code.value,
        facts.query_type or "*turn*",
        facts.text,
        facts.next_step,
    )
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    sys.stdout.write(as_markdown())
