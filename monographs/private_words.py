"""What a person typed, so that no line of the log repeats it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

HIDDEN = "[…]"
_TOGETHER = 3
_SHORTEST = 4
_TYPED: ContextVar[list[str] | None] = ContextVar("private_words", default=None)


@contextmanager
def keeping_private() -> Iterator[None]:
    """Remembers what is told by keep_private inside, until the end of this; inside another it goes on with that."""
    if _TYPED.get() is not None:
        yield
        return
    token = _TYPED.set([])
    try:
        yield
    finally:
        _TYPED.reset(token)


def keep_private(text: str) -> None:
    """Has the text left out of the log from here on; without keeping_private around it nothing happens."""
    typed = _TYPED.get()
    if typed is not None and text not in typed:
        typed.append(text)


def hide_private(line: str) -> str:
    """The line without any three words in a row that were typed, or the whole of what was shorter."""
    spans = sorted(span for text in _TYPED.get() or () for part in _parts(text) for span in _found(part, line))
    kept, at = [], 0
    for start, end in spans:
        if start >= at:
            kept += [line[at:start], HIDDEN]
        at = max(at, end)
    return "".join([*kept, line[at:]])


def _parts(text: str) -> list[str]:
    """What is looked for: runs of words, each found however much of the rest was cut off."""
    words = text.split()
    runs = [" ".join(words[i : i + _TOGETHER]) for i in range(len(words) - _TOGETHER + 1)]
    return [part for part in dict.fromkeys([text, *(runs or [" ".join(words)])]) if len(part) >= _SHORTEST]


def _found(part: str, line: str) -> Iterator[tuple[int, int]]:
    start = line.find(part)
    while start >= 0:
        yield start, start + len(part)
        start = line.find(part, start + 1)
