"""The calls of models in a turn, in words for staff, with what they cost together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from chat.audit_words import FAULT_TITLES, PURPOSE_TITLES
from chat.llm.domain import Usage

_DIGITS = 6  # of a US dollar: a call may cost a hundredth of a cent


@dataclass(frozen=True, slots=True)
class CallRow:
    """One call. cost: "" where no price is set for the model; fault: "" where it brought something."""

    purpose: str
    usage: Usage
    cost: str
    fault: str


@dataclass(frozen=True, slots=True)
class Calls:
    """All calls of a turn with their sums. unpriced: how many models asked have no price, so that cost is too low."""

    rows: tuple[CallRow, ...] = ()
    input_tokens: int = 0
    output_tokens: int = 0
    ms: float = 0.0
    cost: str = ""
    unpriced: int = 0


def show_calls(calls: Sequence[Usage]) -> Calls:
    """The calls in their order; sums over failed ones too."""
    prices = [usage.cost for usage in calls if usage.cost is not None]
    return Calls(
        rows=tuple(_row(usage) for usage in calls),
        input_tokens=sum(usage.input_tokens for usage in calls),
        output_tokens=sum(usage.output_tokens for usage in calls),
        ms=round(sum(usage.ms for usage in calls), 1),
        cost=_dollars(sum(prices, Decimal(0))) if prices else "",
        unpriced=len({usage.model_id for usage in calls if usage.cost is None and usage.input_tokens}),
    )


def _row(usage: Usage) -> CallRow:
    cost = _dollars(usage.cost) if usage.cost is not None else ""
    return CallRow(PURPOSE_TITLES[usage.purpose], usage, cost, FAULT_TITLES[usage.fault] if usage.fault else "")


def _dollars(amount: Decimal) -> str:
    """ "0,012300 US$", as Vietnamese writes decimals."""
    return f"{amount:.{_DIGITS}f} US$".replace(".", ",")
