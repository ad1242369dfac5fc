"""The word lists of the gates, from data/gate_words.toml: lower case, with accents."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

_DATA = Path(__file__).parent / "data" / "gate_words.toml"


@cache
def gate_words(kind: str) -> frozenset[str]:
    """The words or phrases of one kind. Raises KeyError where the file has no such list."""
    return frozenset(_lists()[kind])


@cache
def _lists() -> dict[str, list[str]]:
    return tomllib.loads(_DATA.read_text("utf-8"))
