"""What a test page looks like, how its file is written, and what stands on it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Layout:
    """A book's page and the way its file is written.

    bold: by "font", "stroke", "overprint" (printed twice) or "none"; order: of the text in the file, "natural",
    "interleaved" or "right_first"; spaced: spaces are characters, not gaps alone; in_matrix: font size 1 scaled by
    the matrix; rotation: of the page, its content turned to stand upright; crop: points cut off on every side;
    mirror: points by which even pages are shifted; per_letter: every character its own text object;
    families: more fonts, by name, with the face they look like; says: what the file claims a printed letter to be.
    """

    width: float = 595.28
    height: float = 841.89
    left: float = 42.0
    right: float = 42.0
    top: float = 58.0
    bottom: float = 42.0
    gutter: float = 16.0
    body: float = 9.5
    lead: float = 1.2
    title: float = 11.0
    indent: float = 9.0
    justify: bool = True
    columns: int = 2
    bold: str = "font"
    order: str = "natural"
    spaced: bool = True
    in_matrix: bool = False
    rotation: int = 0
    crop: float = 0.0
    mirror: float = 0.0
    per_letter: bool = False
    head: str = "DTQGVN 2"
    number_at_foot: bool = False
    first_number: int | None = 1
    families: dict[str, str] = field(default_factory=dict)
    says: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Shown:
    """Text on a page: x and y of its baseline from the top left, size in points."""

    x: float
    y: float
    text: str
    face: str
    size: float
    grey: float = 0.0
    angle: float = 0.0
    mode: int = 0


@dataclass(slots=True)
class Page:
    """What is drawn on one page."""

    shown: list[Shown] = field(default_factory=list)
    rules: list[tuple[float, float, float, float]] = field(default_factory=list)
    boxes: list[tuple[float, float, float, float]] = field(default_factory=list)
