"""Where the gutter of a page lies, and which rows cross it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from ingest.geometry import Rect
from ingest.lines import Row, partition
from ingest.pieces import WORD_GAP, Piece

FEW_STARTS = 3  # rows
AT_EDGE = 1.5  # points
OTHER_PRINT = 0.06  # relative difference of size between a table's print and the text's
MANY_STARTS = 0.4  # of the rows that start at the strip where most do
MIN_GUTTER = 6.0  # points
SAME_GUTTER = 6.0  # points
MOST = 0.6  # share of the pages with a gutter that must agree where it lies
KNOWN = 0.35  # share of the pages that must have one
FEW = 0.34  # share of the rows that may cross the gutter of a page in two columns
WIDER = 1.6  # times the row's word space: a wider gap across the gutter parts two columns
BRIDGE = 0.65  # em: a gap across the gutter no wider than this is a word space of a wide row


@dataclass(frozen=True, slots=True)
class Gutter:
    """The empty strip between two columns; crossing: share of the page's rows that cross it.

    sure: rows start at its right edge, as they do in a right column; else the page may have a left column only.
    right_edge: where most rows of the right column start.
    """

    x0: float
    x1: float
    crossing: float
    sure: bool = True
    right_edge: float = float("inf")

    @property
    def middle(self) -> float:
        """Halfway across."""
        return (self.x0 + self.x1) / 2


def find_gutter(rows: list[Row], width: float, excluded: list[Rect], hint: float | None = None) -> Gutter | None:
    """The emptiest strip of the central third that is wide enough; None for a page in one column.

    hint: where the gutter of the book's other pages lies; it is taken when few enough rows cross it.
    """
    extents = [words for words in (_words(row, excluded) for row in rows) if words]
    if not extents:
        return None
    if hint is not None:
        crossing = sum(1 for words in extents if any(x0 < hint < x1 for x0, x1 in words)) / len(extents)
        strip = (hint - MIN_GUTTER / 2, hint + MIN_GUTTER / 2)
        return Gutter(*strip, crossing, right_edge=_right_edge(extents, hint)) if crossing <= FEW else None
    first, last = int(width / 3), int(2 * width / 3)
    crossings = _count_crossings(extents, first, last)
    unsure = None
    for allowed in range(min(crossings), int(FEW * len(extents)) + 1):
        strips = [(first + start, first + end) for start, end in _strips(crossings, allowed)]
        if not strips:
            continue
        x0, x1 = _likeliest(strips, extents)
        if _starts_at(extents, x1) >= FEW_STARTS:
            return Gutter(x0, x1, allowed / len(extents), right_edge=_right_edge(extents, (x0 + x1) / 2))
        # A strip that a title or two cross, with a column behind it, is better than an emptier one without.
        unsure = unsure or Gutter(x0, x1, allowed / len(extents), sure=False)
    return unsure


def _likeliest(strips: list[tuple[int, int]], extents: list[list[tuple[float, float]]]) -> tuple[int, int]:
    """Of the strips at whose right edge many rows start, the one nearest the middle of the text; else the widest."""
    starts = {strip: _starts_at(extents, strip[1]) for strip in strips}
    most = max(starts.values())
    if most < FEW_STARTS:
        return max(strips, key=lambda strip: strip[1] - strip[0])
    middle = (min(words[0][0] for words in extents) + max(words[-1][1] for words in extents)) / 2
    likely = [strip for strip in strips if starts[strip] >= max(FEW_STARTS, MANY_STARTS * most)]
    return min(likely, key=lambda strip: abs((strip[0] + strip[1]) / 2 - middle))


def _right_edge(extents: list[list[tuple[float, float]]], middle: float) -> float:
    """The first place right of the gutter at which several rows start."""
    starts = Counter(round(start) for words in extents for start, _ in words if start >= middle)
    return min((start for start, count in starts.items() if count >= FEW_STARTS), default=float("inf"))


def _starts_at(extents: list[list[tuple[float, float]]], x: float) -> int:
    """How many rows have words that begin where a strip ends."""
    return sum(1 for words in extents if any(-2.0 <= start - x <= 2.0 for start, _ in words))


def _count_crossings(extents: list[list[tuple[float, float]]], first: int, last: int) -> list[int]:
    """For each point of the central third, how many rows have a word there."""
    crossings = [0] * (last - first)
    for words in extents:
        for x0, x1 in words:
            for x in range(max(first, int(x0)), min(last, int(x1) + 1)):
                crossings[x - first] += 1
    return crossings


def usual_gutters(gutters: Mapping[int, float | None]) -> dict[int, float]:
    """By parity of the PDF page (margins may be mirrored): where the gutter lies, when most pages agree."""
    of_book = _agreed(list(gutters.values()))
    usual: dict[int, float] = {}
    for parity in (0, 1):
        of_parity = _agreed([gutter for page, gutter in gutters.items() if page % 2 == parity])
        middle = of_parity if of_parity is not None else of_book
        if middle is not None:
            usual[parity] = middle
    return usual


def _agreed(gutters: list[float | None]) -> float | None:
    known = [gutter for gutter in gutters if gutter is not None]
    if len(known) < max(2, KNOWN * len(gutters)):
        return None
    middle = median(known)
    same = sum(1 for gutter in known if abs(gutter - middle) <= SAME_GUTTER)
    return middle if same >= MOST * len(known) else None


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


def _strips(crossings: list[int], allowed: int) -> list[tuple[int, int]]:
    """The strips wide enough for a gutter that no more than so many rows cross."""
    strips: list[tuple[int, int]] = []
    start = None
    for index, count in enumerate([*crossings, allowed + 1]):
        if count <= allowed and start is None:
            start = index
        elif count > allowed and start is not None:
            if index - start >= MIN_GUTTER:
                strips.append((start, index))
            start = None
    return strips


def split_row(row: Row, gutter: Gutter) -> tuple[list[Piece], list[Piece]] | None:
    """The row's pieces left and right of the gutter, or None when it runs across."""
    middle = gutter.middle
    left, right = partition(row, lambda piece: (piece.x0 + piece.x1) / 2 < middle)
    shown_left, shown_right = [p for p in left if p.text], [p for p in right if p.text]
    if any(piece.x0 < middle < piece.x1 and not piece.script for piece in row.pieces if piece.text):
        return _collision(row, gutter)
    if shown_left and shown_right:
        gap = min(piece.x0 for piece in shown_right) - max(piece.x1 for piece in shown_left)
        if gap <= min(BRIDGE * row.size, WIDER * _word_space(row)):
            return None
    return (left, right)


def _collision(row: Row, gutter: Gutter) -> tuple[list[Piece], list[Piece]] | None:
    """A cell that runs over the left column's edge into a line of the right one; None for a row across both."""
    shown = [piece for piece in row.pieces if piece.text and not piece.script]
    start = next((piece for piece in shown if abs(piece.x0 - gutter.right_edge) <= AT_EDGE), None)
    before = [piece for piece in shown if start is not None and piece.x0 < start.x0 - AT_EDGE]
    if start is None or not before:
        return None
    last = max(before, key=lambda piece: piece.x1)
    runs_over = last.x1 > start.x0 + AT_EDGE
    other_print = abs(last.size - start.size) > OTHER_PRINT * start.size
    if not (runs_over or other_print):
        return None
    return partition(row, lambda piece: piece.x0 < start.x0)


def _word_space(row: Row) -> float:
    """The usual space between the row's words, in points."""
    shown = [piece for piece in row.pieces if piece.text]
    gaps = [b.x0 - a.x1 for a, b in pairwise(shown) if b.x0 - a.x1 > WORD_GAP * row.size]
    return median(gaps) if len(gaps) > 2 else row.size
