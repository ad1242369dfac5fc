"""What is put on paper: words in four faces and rules, stacked in strips; measures come from outside."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from ingest.sample.source import Face

Measure = Callable[[str, Face, float], float]
"""Width in points of a text in a face at a size."""


@dataclass(frozen=True, slots=True)
class TextInk:
    """A text whose baseline starts at (x, y), y downwards from the strip's top; word_space widens its spaces."""

    x: float
    y: float
    text: str
    face: Face
    size: float
    word_space: float = 0.0


@dataclass(frozen=True, slots=True)
class RuleInk:
    """A straight rule."""

    x0: float
    y0: float
    x1: float
    y1: float
    thickness: float = 0.5


Ink = TextInk | RuleInk


@dataclass(frozen=True, slots=True)
class Strip:
    """A line of text, a table or a formula: never divided over columns.

    gap: white above it, dropped at the top of a column; keep: stays with the next strip;
    wide: spans both columns; owner: the monograph it belongs to, by slug and subtitle ("" for none);
    mark: what begins with it ("title", a section key), so that the typesetter knows where it stands.
    """

    height: float
    ink: tuple[Ink, ...]
    gap: float = 0.0
    keep: bool = False
    wide: bool = False
    owner: str = ""
    mark: str = ""


def moved(ink: Ink, dx: float, dy: float) -> Ink:
    """The same ink elsewhere."""
    if isinstance(ink, TextInk):
        return replace(ink, x=ink.x + dx, y=ink.y + dy)
    return replace(ink, x0=ink.x0 + dx, x1=ink.x1 + dx, y0=ink.y0 + dy, y1=ink.y1 + dy)
