"""Where the gutter of a page lies, and which rows cross it."""

from __future__ import annotations

from dataclasses import dataclass

from ingest.geometry import Rect
from ingest.lines import Row
from ingest.pieces import Piece

STEP = 1.0  # points
MIN_GUTTER = 5.0  # points
FEW = 0.34  # share of the rows that may cross the gutter of a page in two columns
BRIDGE = 0.65  # em: a gap across the gutter no wider than this is a word space of a wide row


@dataclass(frozen=True, slots=True)
class Gutter:
    """The empty strip between two columns; crossing: share of the page's rows that cross it."""

    x0: float
    x1: float
    crossing: float

    @property
    def middle(self) -> float:
        """Halfway across."""
        return (self.x0 + self.x1) / 2


def find_gutter(rows: list[Row], width: float, excluded: list[Rect]) -> Gutter | None:
    """The emptiest, then widest strip of the central third; None for a page in one column."""
    extents = [_words(row, excluded) for row in rows]
    extents = [words for words in extents if words]
    if not extents:
        return None
    first, last = int(width / 3), int(2 * width / 3)
    crossing = [0] * (last - first)
    for words in extents:
        for x0, x1 in words:
            for x in range(max(first, int(x0)), min(last, int(x1) + 1)):
                crossing[x - first] += 1
    fewest = min(crossing)
    if fewest > FEW * len(extents):
        return None
    start, end = _widest_strip(crossing, fewest)
    if end - start < MIN_GUTTER:
        return None
    return Gutter(first + start, first + end, fewest / len(extents))


def _words(row: Row, excluded: list[Rect]) -> list[tuple[float, float]]:
    """The words' extents, joined over gaps that are word spaces, outside excluded areas."""
    words: list[tuple[float, float]] = []
    for piece in row.pieces:
        middle = (piece.x0 + piece.x1) / 2
        if not piece.text or any(area.holds(middle, row.baseline - row.size / 3) for area in excluded):
            continue
        if words and piece.x0 - words[-1][1] <= BRIDGE * row.size:
            words[-1] = (words[-1][0], max(words[-1][1], piece.x1))
        else:
            words.append((piece.x0, piece.x1))
    return words


def _widest_strip(crossing: list[int], fewest: int) -> tuple[int, int]:
    best, start = (0, 0), None
    for index, count in enumerate([*crossing, fewest + 1]):
        if count <= fewest and start is None:
            start = index
        elif count > fewest and start is not None:
            if index - start > best[1] - best[0]:
                best = (start, index)
            start = None
    return best


def split_row(row: Row, gutter: Gutter) -> tuple[list[Piece], list[Piece]] | None:
    """The row's pieces left and right of the gutter, or None when it runs across."""
    middle = gutter.middle
    left = [piece for piece in row.pieces if (piece.x0 + piece.x1) / 2 < middle]
    right = [piece for piece in row.pieces if (piece.x0 + piece.x1) / 2 >= middle]
    shown_left, shown_right = [p for p in left if p.text], [p for p in right if p.text]
    if any(piece.x0 < middle < piece.x1 for piece in shown_left + shown_right):
        return None
    if shown_left and shown_right:
        gap = min(piece.x0 for piece in shown_right) - max(piece.x1 for piece in shown_left)
        if gap <= BRIDGE * row.size:
            return None
    return (left, right)
