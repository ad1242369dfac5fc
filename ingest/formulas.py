"""Displayed fractions: a short bar with one row above it and one below, and what stands beside."""

from __future__ import annotations

from ingest.geometry import Rect, around
from ingest.lines import Row
from ingest.shapes import Rule
from ingest.unruled_tables import segments_of, strip_of

OVERHANG = 4.0  # points by which numerator or denominator may stick out of the bar
NUMERATOR = (0.1, 1.3)  # em from the numerator's baseline down to the bar
DENOMINATOR = (0.5, 1.6)  # em from the bar down to the denominator's baseline
MAX_BAR = 260.0  # points
FILLED = 0.6  # of the bar's length that the longer of its two rows covers
CENTRED = 0.2  # of the bar's length by which the middles may differ
EQUATED = 2.5  # em between the fraction and the sign that equates it
BESIDE = 1.0  # em between the fraction and what it is equated to; less than a gutter


def find_fractions(rules: list[Rule], rows: list[Row]) -> list[Rect]:
    """Boxes of fractions; an underline, whose row below runs past it, is none."""
    found = []
    for bar in rules:
        if bar.horizontal and bar.length <= MAX_BAR:
            parts = _parts(bar, rows)
            if parts is not None:
                found.append(_with_sides(bar, parts, rows))
    return found


def _parts(bar: Rule, rows: list[Row]) -> list[Row] | None:
    near = strip_of(rows, bar.x0 - 40, bar.x1 + 40)
    above = [row for row in near if NUMERATOR[0] <= (bar.y0 - row.baseline) / row.size <= NUMERATOR[1]]
    below = [row for row in near if DENOMINATOR[0] <= (row.baseline - bar.y0) / row.size <= DENOMINATOR[1]]
    above, below = ([row for row in part if _within(row, bar)] for part in (above, below))
    if not above or not below or max(above[-1].rect.width, below[0].rect.width) < FILLED * bar.length:
        return None
    return [above[-1], below[0]]


def _within(row: Row, bar: Rule) -> bool:
    rect = row.rect
    off_centre = abs((rect.x0 + rect.x1) - (bar.x0 + bar.x1)) / 2
    inside = bar.x0 - OVERHANG <= rect.x0 and rect.x1 <= bar.x1 + OVERHANG
    return inside and len(segments_of(row)) == 1 and off_centre <= CENTRED * bar.length


def _with_sides(bar: Rule, parts: list[Row], rows: list[Row]) -> Rect:
    """The fraction with the words of the row whose baseline lies about the bar, left and right of it."""
    box = around([bar.rect, *(row.rect for row in parts)])
    level = [row for row in rows if parts[0].baseline + 1 < row.baseline < parts[1].baseline - 1]
    for row in level:
        for side in (sorted(row.pieces, key=lambda p: -p.x1), sorted(row.pieces, key=lambda p: p.x0)):
            for piece in side:
                gap = max(box.x0 - piece.x1, piece.x0 - box.x1)
                reach = EQUATED if piece.text.endswith("=") else BESIDE
                if piece.text and -1 <= gap <= reach * row.size:
                    box = box.union(piece.rect)
    return box
