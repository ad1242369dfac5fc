"""Waiting for a real condition instead of sleeping."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
POLL_SECONDS = 0.02


def wait_until(condition: Callable[[], T], *, timeout: float = 10.0, message: str = "") -> T:
    """The first true value of condition; fails where there is none before the deadline."""
    deadline = time.monotonic() + timeout
    while not (value := condition()):
        assert time.monotonic() < deadline, f"not within {timeout} s: {message or condition}"
        time.sleep(POLL_SECONDS)
    return value
