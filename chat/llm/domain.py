"""The language model as the stages see it: a prompt with a schema goes out, an unchecked value comes back."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Protocol

from chat.domain import Reason


class Purpose(StrEnum):
    """What a call is for."""

    UNDERSTAND = "understand"
    DRAFT = "draft"
    RETRY = "retry"
    JUDGE = "judge"
    REPAIR = "repair"
    SUMMARY = "summary"
    EMBED = "embed"
    RERANK = "rerank"


class Fault(StrEnum):
    """Why a call brought nothing that can be used; FAULT_REASONS says what the turn is told."""

    TIMEOUT = "timeout"
    THROTTLED = "throttled"
    REFUSED = "refused"
    SERVER_ERROR = "server_error"
    UNREACHABLE = "unreachable"
    MALFORMED = "malformed"
    TRUNCATED = "truncated"
    WRONG_SCHEMA = "wrong_schema"
    EMPTY = "empty"
    GUARDRAIL = "guardrail"
    BREAKER_OPEN = "breaker_open"
    BUDGET = "budget"


FAULT_REASONS: dict[Fault, Reason] = {
    Fault.TIMEOUT: Reason.PROVIDER_UNAVAILABLE,
    Fault.THROTTLED: Reason.PROVIDER_UNAVAILABLE,
    Fault.REFUSED: Reason.PROVIDER_UNAVAILABLE,
    Fault.SERVER_ERROR: Reason.PROVIDER_UNAVAILABLE,
    Fault.UNREACHABLE: Reason.PROVIDER_UNAVAILABLE,
    Fault.MALFORMED: Reason.MALFORMED_OUTPUT,
    Fault.TRUNCATED: Reason.MALFORMED_OUTPUT,
    Fault.WRONG_SCHEMA: Reason.MALFORMED_OUTPUT,
    Fault.EMPTY: Reason.MALFORMED_OUTPUT,
    Fault.GUARDRAIL: Reason.PROVIDER_UNAVAILABLE,
    Fault.BREAKER_OPEN: Reason.PROVIDER_UNAVAILABLE,
    Fault.BUDGET: Reason.REQUEST_BUDGET_EXHAUSTED,
}


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is told. version: of the prompt files it was made from; schema: JSON schema of the payload."""

    purpose: Purpose
    version: str
    system: str
    user: str
    schema: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Usage:
    """What a call took, also one that failed. ms: wall clock over all attempts; cost: US dollars, None where no price
    is set for the model; prompt: the version of the prompt that was sent."""

    purpose: Purpose
    model_id: str
    input_tokens: int = 0
    output_tokens: int = 0
    ms: float = 0.0
    attempts: int = 1
    cost: Decimal | None = None
    fault: Fault | None = None
    prompt: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """A JSON object that the model returned; that it fits the schema is checked by whoever asked."""

    payload: Mapping[str, object]
    usage: Usage


class ModelError(Exception):
    """A call that brought nothing. detail: for the log and the audit, never for the reader."""

    def __init__(self, fault: Fault, detail: str = "", usage: Usage | None = None) -> None:
        super().__init__(f"{fault}: {detail}" if detail else str(fault))
        self.fault = fault
        self.detail = detail
        self.usage = usage

    @property
    def reason(self) -> Reason:
        """Why the turn ends."""
        return FAULT_REASONS[self.fault]


@dataclass(frozen=True, slots=True)
class Budget:
    """The wall-clock time that a turn may still take; seconds of `clock`, which only runs forward."""

    until: float
    clock: Callable[[], float] = field(default=time.monotonic, compare=False)

    @classmethod
    def of(cls, seconds: float, clock: Callable[[], float] = time.monotonic) -> Budget:
        """A budget that begins now."""
        return cls(clock() + seconds, clock)

    def left(self) -> float:
        """Seconds, never below 0."""
        return max(0.0, self.until - self.clock())

    def need(self, seconds: float = 0.0) -> float:
        """Seconds left. Raises ModelError(BUDGET) where no more than `seconds` are left."""
        left = self.left()
        if left <= seconds:
            raise ModelError(Fault.BUDGET, f"{left:.2f} s left")
        return left


class LanguageModel(Protocol):
    """A provider of drafts and verdicts. It knows no prompt, and no prompt knows it."""

    def ask(self, prompt: Prompt, budget: Budget) -> Reply:
        """One call, with its retries, within the budget. Raises ModelError."""
