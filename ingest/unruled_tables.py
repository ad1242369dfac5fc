"""Tables without rules: rows whose wide gaps line up, in one column or across both."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, field

from ingest.columns import Gutter, split_row
from ingest.geometry import Rect, around
from ingest.lines import Row, part_of, partition
from ingest.pieces import WORD_GAP, Piece

CELL_GAP = 1.0  # em between two cells
LOOSE_LINE = 0.6  # em: a line whose word spaces are all this wide is stretched, not a table row
SMALL_PRINT = 0.94  # of the page's usual size
SAME_LEVEL = 0.3  # of a row's height
SAME_LEVELS = 0.8  # of the rows of two areas that must share a baseline
SPILL = 0.3  # of the column: how far its last cell may run over its edge
BESIDE = 0.9  # em, less than a gutter: how far rows of one table may stick out
EVEN = 0.25  # em by which the word spaces of a stretched line differ
ALIGNED = 2.5  # points
MIN_ROWS, MIN_WIDE_ROWS = 3, 2
ROW_STEP = 2.6  # em between the baselines of neighbouring rows
APART = 1.9  # em between baselines from which a row stands by itself
OTHER_SIZE = 0.04  # relative difference of size that tells table print from the page's
OFFSET = 3.0  # em right of the column's edge from which a lone cell is none of running text
MARKER = re.compile(r"^([-–−•·*+○▪►]|\(?[0-9a-zđ]{1,2}[.)]|[IVX]{1,4}[.)])$")


Stack = tuple[Rect, ...]  # a table as the rectangles of its rows, or as one


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
    parts = ((row, partition(row, lambda piece: x0 <= (piece.x0 + piece.x1) / 2 <= x1)[0]) for row in rows)
    shown = ((row, [piece for piece in pieces if piece.text]) for row, pieces in parts)
    return [part_of(row, pieces) for row, pieces in shown if pieces]


def segments_of(row: Row) -> list[Segment]:
    """A row's segments; a list marker stays with what follows it."""
    groups: list[list[Piece]] = []
    for piece in (piece for piece in row.pieces if piece.text):
        if groups and piece.x0 - max(p.x1 for p in groups[-1]) <= CELL_GAP * row.size:
            groups[-1].append(piece)
        else:
            groups.append([piece])
    segments = [Segment(g[0].x0, max(p.x1 for p in g), _glued(g)) for g in groups]
    if len(segments) > 1 and MARKER.match(segments[0].text):
        segments[:2] = [Segment(segments[0].x0, segments[1].x1, f"{segments[0].text} {segments[1].text}")]
    return segments


def _glued(pieces: list[Piece]) -> str:
    """Pieces as text: a space where there is one, or room for one."""
    text = pieces[0].text
    for before, piece in itertools.pairwise(pieces):
        apart = before.before_space or piece.after_space or piece.x0 - before.x1 > WORD_GAP * piece.size
        text += f" {piece.text}" if apart else piece.text
    return text


def find_unruled(rows: list[Row], gutter: Gutter | None, body_size: float) -> list[Stack]:
    """The unruled tables of a page, one rectangle a row; those across both columns first."""
    if gutter is None:
        return _in_column(rows, rows, body_size)
    wide = _wide_tables(rows, gutter, body_size)
    free = [row for row in rows if not any(_covers(stack, row) for stack in wide)]
    split = [row for row in free if split_row(row, gutter) is not None]
    across = [row for row in free if split_row(row, gutter) is None]
    spilt = [row for row in across if _spills_over(row, gutter)]
    left = sorted([*strip_of(split, 0.0, gutter.middle), *spilt], key=lambda row: row.baseline)
    right = strip_of(split, gutter.middle, float("inf"))
    halves = join_halves(_in_column(left, rows, body_size), _in_column(right, rows, body_size))
    return [*wide, *halves, *small_print([row for row in across if row not in spilt], rows, body_size)]


def _spills_over(row: Row, gutter: Gutter) -> bool:
    """A row of the left column whose last cell is too long for it."""
    rect = row.rect
    return rect.x1 - gutter.middle < SPILL * (gutter.middle - rect.x0)


def _in_column(column: list[Row], page: list[Row], body_size: float) -> list[Stack]:
    groups = _groups(column, [_evidence(row) for row in column], body_size)
    stacks = [extend_by_size(stack, column, body_size) for stack in groups]
    free = [row for row in column if not any(_covers(stack, row) for stack in stacks)]
    return stacks + small_print(free, page, body_size)


def _covers(stack: Stack, row: Row) -> bool:
    rect = around(list(stack))
    return rect.y0 <= row.baseline - 0.3 * row.size <= rect.y1


def small_print(column: list[Row], page: list[Row], body_size: float) -> list[Stack]:
    """Stretches of rows in print smaller than the page's: never running text, whatever their cells look like."""
    stretches: list[list[Row]] = []
    for row in column:
        if row.size >= SMALL_PRINT * body_size or _is_edge(row, page):
            continue
        last = stretches[-1][-1] if stretches else None
        if last is not None and row.baseline - last.baseline <= ROW_STEP * row.size:
            stretches[-1].append(row)
        else:
            stretches.append([row])
    return [tuple(row.rect for row in stretch) for stretch in stretches]


def _is_edge(row: Row, page: list[Row]) -> bool:
    """On the page's first or last row, away from the others: a running head or foot."""
    same = [other for other in page if abs(other.baseline - row.baseline) <= 0.5 * row.size]
    return bool(same) and _stands_apart(same[0], page)


def join_halves(left: list[Stack], right: list[Stack]) -> list[Stack]:
    """A table split at a column's edge: areas in both columns whose rows share their levels are one."""
    found: list[Stack] = []
    rest = list(right)
    for stack in left:
        twin = next((other for other in rest if _same_levels(stack, other)), None)
        if twin is None:
            found.append(stack)
        else:
            rest.remove(twin)
            found += _joined(stack, twin)
    return found + rest


def _joined(left: Stack, right: Stack) -> list[Stack]:
    """Rows of both halves made whole; what sticks out above or below in one column stays there."""
    pairs = [(rect, other) for rect in left for other in right if _level(rect, other)]
    frame = around([rect for pair in pairs for rect in pair])
    whole = [Rect(frame.x0, min(a.y0, b.y0), frame.x1, max(a.y1, b.y1)) for a, b in pairs]
    lone = [rect for rect in (*left, *right) if not any(rect in pair for pair in pairs)]
    inner = [rect for rect in lone if frame.y0 <= rect.y0 and rect.y1 <= frame.y1]
    outer = [(rect,) for rect in lone if rect not in inner]
    return [(*whole, *inner), *outer]


def _level(rect: Rect, other: Rect) -> bool:
    return abs((rect.y0 + rect.y1) - (other.y0 + other.y1)) / 2 <= SAME_LEVEL * rect.height


def _same_levels(left: Stack, right: Stack) -> bool:
    if min(len(left), len(right)) < 2:
        return False
    both = sum(1 for rect in left if any(_level(rect, other) for other in right))
    return both >= SAME_LEVELS * max(len(left), len(right))


def _wide_tables(rows: list[Row], gutter: Gutter, body_size: float) -> list[Stack]:
    right_edge = _usual_start(rows, gutter)
    evidence = [_wide_evidence(row, gutter, right_edge) for row in rows]
    groups = [stack for stack in _groups(rows, evidence, body_size) if len(stack) >= MIN_WIDE_ROWS]
    return [_full_width(extend_by_size(stack, rows, body_size)) for stack in groups]


def _full_width(stack: Stack) -> Stack:
    """Every row as wide as the table: nothing of another column stands between its cells."""
    frame = around(list(stack))
    return tuple(Rect(frame.x0, rect.y0, frame.x1, rect.y1) for rect in stack)


def _usual_start(rows: list[Row], gutter: Gutter) -> float:
    """Where the right column's lines start."""
    starts = [min(p.x0 for p in part.pieces) for part in strip_of(rows, gutter.middle, float("inf"))]
    return min(starts, default=gutter.x1)


def _wide_evidence(row: Row, gutter: Gutter, right_edge: float) -> list[float]:
    """Starts of a row's cells after the first, when both halves of the page show cells."""
    parts = split_row(row, gutter)
    if parts is None:
        return [] if _spills_over(row, gutter) else _evidence(row)
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
    if len(gaps) >= 2 and gaps[-1] - gaps[0] <= EVEN * row.size:
        return []
    small = [gap for gap in gaps if gap <= CELL_GAP * row.size]
    if small and small[len(small) // 2] > LOOSE_LINE * row.size:
        return []
    return [segment.x0 for segment in segments[1:]]


def _groups(rows: list[Row], evidence: list[list[float]], body_size: float) -> list[Stack]:
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
    return [tuple(row.rect for row in group.rows) for group in found if _is_table(group, rows, body_size)]


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


def extend_by_size(stack: Stack, rows: list[Row], body_size: float) -> Stack:
    """Take in neighbouring rows set in the table's own size, when that is not the page's."""
    rect = around(list(stack))
    reach = BESIDE * body_size
    strip = strip_of(rows, rect.x0 - reach, rect.x1 + reach)
    held = [row for row in strip if _covers(stack, row)]
    if not held:
        return stack
    size = sorted(row.size for row in held)[len(held) // 2]
    if abs(size - body_size) <= OTHER_SIZE * body_size:
        return stack
    above = [row for row in strip if row.baseline - 0.3 * row.size < rect.y0]
    below = [row for row in strip if row.baseline - 0.3 * row.size > rect.y1]
    return (
        *stack,
        *_neighbours(list(reversed(above)), held[0], size),
        *_neighbours(below, held[-1], size),
    )


def _neighbours(rows: list[Row], last: Row, size: float) -> list[Rect]:
    """The rows that follow one another in the same size, up to the first that does not."""
    found: list[Rect] = []
    for row in rows:
        step = abs(row.baseline - last.baseline)
        if abs(row.size - size) > OTHER_SIZE * size / 2 or step > ROW_STEP * size:
            break
        found.append(row.rect)
        last = row
    return found
