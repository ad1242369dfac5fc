"""What calls of a provider took while passages were searched, for whoever keeps account of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from enum import StrEnum


class CallKind(StrEnum):
    """What was asked of the provider."""

    EMBED = "embed"
    RERANK = "rerank"


@dataclass(frozen=True, slots=True)
class ProviderCall:
    """One call. ms: wall clock over all attempts; trouble: why it brought nothing, "" where it did."""

    kind: CallKind
    model_id: str
    tokens: int = 0
    ms: float = 0.0
    attempts: int = 1
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class _Account:
    left: Callable[[], float]
    calls: list[ProviderCall] = field(default_factory=list)


_ACCOUNT: ContextVar[_Account | None] = ContextVar("provider_calls", default=None)


@contextmanager
def collect_calls(left: Callable[[], float] = lambda: math.inf) -> Iterator[list[ProviderCall]]:
    """The calls that are made inside, in order; the list fills as they are made. left: seconds that they may take."""
    account = _Account(left)
    token = _ACCOUNT.set(account)
    try:
        yield account.calls
    finally:
        _ACCOUNT.reset(token)


def note_call(call: ProviderCall) -> None:
    """Keeps a call for whoever collects them around this; nobody may."""
    account = _ACCOUNT.get()
    if account is not None:
        account.calls.append(call)


def time_left() -> float:
    """Seconds that whoever collects the calls leaves for the next; infinite where nobody does."""
    account = _ACCOUNT.get()
    return account.left() if account is not None else math.inf
