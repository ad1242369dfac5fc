"""Tables without rules: rows whose wide gaps line up, in one column or across both."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, field

from ingest.columns import Gutter, split_row
from ingest.geometry import Rect, around
from ingest.lines import Row, part_of
from ingest.pieces import Piece

CELL_GAP = 1.0  # em between two cells
LOOSE_LINE = 0.6  # em: a line whose word spaces are all this wide is stretched, not a table row
ALIGNED = 2.5  # points
MIN_ROWS = 3
ROW_STEP = 2.6  # em between the baselines of neighbouring rows
APART = 1.9  # em between baselines from which a row stands by itself
OTHER_SIZE = 0.04  # relative difference of size that tells table print from the page's
OFFSET = 3.0  # em right of the column's edge from which a lone cell is none of running text
MARKER = re.compile(r"^([-–−•·*+○▪►]|\(?[0-9a-zđ]{1,2}[.)]|[IVX]{1,4}[.)])$")


@dataclass(frozen=True, slots=True)
class Segment:
    """Words of a row without a wide gap between them."""

    x0: float
    x1: float
    text: str


@dataclass(slots=True)
class _Group:
    """Rows that line up so far."""

    rows: list[Row] = field(default_factory=list)
    starts: list[float] = field(default_factory=list)
    evident: int = 0
    pending: list[Row] = field(default_factory=list)


def strip_of(rows: list[Row], x0: float, x1: float) -> list[Row]:
    """The rows' parts between two verticals."""
    parts = ((row, [p for p in row.pieces if p.text and x0 <= (p.x0 + p.x1) / 2 <= x1]) for row in rows)
    return [part_of(row, pieces) for row, pieces in parts if pieces]


def segments_of(row: Row) -> list[Segment]:
    """A row's segments; a list marker stays with what follows it."""
    groups: list[list[Piece]] = []
    for piece in (piece for piece in row.pieces if piece.text):
        if groups and piece.x0 - max(p.x1 for p in groups[-1]) <= CELL_GAP * row.size:
            groups[-1].append(piece)
        else:
            groups.append([piece])
    segments = [Segment(min(p.x0 for p in g), max(p.x1 for p in g), " ".join(p.text for p in g)) for g in groups]
    if len(segments) > 1 and MARKER.match(segments[0].text):
        segments[:2] = [Segment(segments[0].x0, segments[1].x1, f"{segments[0].text} {segments[1].text}")]
    return segments


def find_unruled(rows: list[Row], gutter: Gutter | None, body_size: float) -> list[Rect]:
    """Frames of the unruled tables of a page; those across both columns first."""
    if gutter is None:
        return [
            extend_by_size(rect, rows, body_size) for rect in _groups(rows, [_evidence(row) for row in rows], body_size)
        ]
    wide = _wide_tables(rows, gutter, body_size)
    free = [row for row in rows if not any(rect.y0 <= row.baseline - 0.3 * row.size <= rect.y1 for rect in wide)]
    found = list(wide)
    for x0, x1 in ((0.0, gutter.middle), (gutter.middle, float("inf"))):
        column = strip_of([row for row in free if split_row(row, gutter) is not None], x0, x1)
        groups = _groups(column, [_evidence(row) for row in column], body_size)
        found += [extend_by_size(rect, column, body_size) for rect in groups]
    return found


def _wide_tables(rows: list[Row], gutter: Gutter, body_size: float) -> list[Rect]:
    right_edge = _usual_start(rows, gutter)
    evidence = [_wide_evidence(row, gutter, right_edge) for row in rows]
    return [extend_by_size(rect, rows, body_size) for rect in _groups(rows, evidence, body_size)]


def _usual_start(rows: list[Row], gutter: Gutter) -> float:
    """Where the right column's lines start."""
    starts = [min(p.x0 for p in part.pieces) for part in strip_of(rows, gutter.middle, float("inf"))]
    return min(starts, default=gutter.x1)


def _wide_evidence(row: Row, gutter: Gutter, right_edge: float) -> list[float]:
    """Starts of a row's cells after the first, when both halves of the page show cells."""
    parts = split_row(row, gutter)
    if parts is None:
        return _evidence(row)
    left, right = (part_of(row, [p for p in part if p.text]) for part in parts)
    if not left.pieces or not right.pieces:
        return []
    starts_left, starts_right = _evidence(left), _evidence(right)
    offset = right.pieces[0].x0 - right_edge > OFFSET * row.size
    if not starts_left or not (starts_right or offset):
        return []
    return [*starts_left, right.pieces[0].x0, *starts_right]


def _evidence(row: Row) -> list[float]:
    """Starts of the cells after the first; empty for a line of running text, however stretched."""
    segments = segments_of(row)
    if len(segments) < 2:
        return []
    pieces = [piece for piece in row.pieces if piece.text]
    gaps = sorted(b.x0 - a.x1 for a, b in itertools.pairwise(pieces) if b.x0 - a.x1 > 0.1 * row.size)
    small = [gap for gap in gaps if gap <= CELL_GAP * row.size]
    if small and small[len(small) // 2] > LOOSE_LINE * row.size:
        return []
    return [segment.x0 for segment in segments[1:]]


def _groups(rows: list[Row], evidence: list[list[float]], body_size: float) -> list[Rect]:
    found: list[_Group] = []
    group = _Group()
    for row, starts in zip(rows, evidence, strict=True):
        if group.rows and not _follows(group, row):
            found.append(group)
            group = _Group()
        if starts and (not group.rows or _lines_up(group, starts)):
            group.rows += [*group.pending, row]
            group.pending = []
            group.starts += starts
            group.evident += 1
        elif starts:
            found.append(group)
            group = _Group([row], list(starts), 1)
        elif group.rows:
            group.pending.append(row)
            if len(group.pending) > 2 or not _wrapped_cell(group, row):
                found.append(group)
                group = _Group()
    found.append(group)
    return [around([row.rect for row in group.rows]) for group in found if _is_table(group, rows, body_size)]


def _is_table(group: _Group, rows: list[Row], body_size: float) -> bool:
    """Three rows that line up; a single one is enough in the smaller print that tables are set in."""
    if not group.rows:
        return False
    size = max(row.size for row in group.rows)
    if group.evident == 1 and _stands_apart(group.rows[0], rows):
        return False
    return group.evident >= (1 if size < (1 - OTHER_SIZE) * body_size else MIN_ROWS)


def _stands_apart(row: Row, rows: list[Row]) -> bool:
    """The first or last row, away from the others: a running head."""
    ends = [(rows[0], rows[1]), (rows[-1], rows[-2])] if len(rows) > 1 else [(row, row)]
    return any(row is end and abs(row.baseline - next_.baseline) > APART * next_.size for end, next_ in ends)


def _follows(group: _Group, row: Row) -> bool:
    last = (group.pending or group.rows)[-1]
    return row.baseline - last.baseline <= ROW_STEP * max(row.size, last.size)


def _lines_up(group: _Group, starts: list[float]) -> bool:
    return any(abs(start - other) <= ALIGNED for start in starts for other in group.starts)


def _wrapped_cell(group: _Group, row: Row) -> bool:
    """A line of one segment inside a table: a cell's second line, or a row with empty cells."""
    first = min(piece.x0 for piece in row.pieces)
    edge = min(piece.x0 for piece in group.rows[0].pieces)
    return abs(first - edge) <= ALIGNED or any(abs(first - start) <= ALIGNED for start in group.starts)


def extend_by_size(rect: Rect, rows: list[Row], body_size: float) -> Rect:
    """Take in neighbouring rows set in the table's own size, when that is not the page's."""
    strip = strip_of(rows, rect.x0 - 3, rect.x1 + 3)
    held = [row for row in strip if rect.y0 <= row.baseline - 0.3 * row.size <= rect.y1]
    if not held:
        return rect
    size = sorted(row.size for row in held)[len(held) // 2]
    if abs(size - body_size) <= OTHER_SIZE * body_size:
        return rect
    above = [row for row in strip if row.baseline - 0.3 * row.size < rect.y0]
    below = [row for row in strip if row.baseline - 0.3 * row.size > rect.y1]
    for row in [*reversed(above), *below]:
        step = min(abs(row.baseline - other.baseline) for other in held)
        if abs(row.size - size) <= OTHER_SIZE * size / 2 and step <= ROW_STEP * size:
            held.append(row)
            rect = rect.union(row.rect)
    return rect
