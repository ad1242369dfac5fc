"""One page as an ordered list of lines and regions: the reading order, before anything knows of monographs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ingest.characters import Hidden, PageCharacters
from ingest.columns import Gutter, find_gutter, split_row
from ingest.domain import Finding, FindingKind
from ingest.geometry import Rect, around
from ingest.lines import Row, Span, Written, build_rows, part_of, write_row
from ingest.pieces import cut_pieces
from ingest.regions import Area, all_areas, drawn_areas, inside, outside
from ingest.shapes import PageShapes
from ingest.unruled_tables import SPILL, segments_of
from monographs.domain import Box, PassageKind

WIDE = -1  # the column of what runs across both
EDGE_SHARE = 0.12  # of a column's lines that start where its left edge is
MARGIN = 5.0  # points by which a region must stick out on both sides of the gutter to lie across it
ROTATED_FEW = 3  # rotated letters that are noise, not text


@dataclass(frozen=True, slots=True)
class Line:
    """A printed line of running text.

    indent, room: points from the column's left edge to the line, and from the line to its right edge;
    step: em from the line above it in its column; column: 0, 1 or WIDE.
    """

    box: Box
    spans: tuple[Span, ...]
    size: float
    baseline: float
    indent: float
    room: float
    step: float
    column: int
    findings: tuple[Finding, ...] = ()

    def __reduce__(self) -> tuple[type[Line], tuple[object, ...]]:
        """Pickled by its fields: a page holds a hundred, and dataclasses look up their fields at each."""
        values = (self.box, self.spans, self.size, self.baseline, self.indent, self.room, self.step, self.column)
        return Line, (*values, self.findings)

    @property
    def text(self) -> str:
        """The whole line."""
        return "".join(span.text for span in self.spans)


@dataclass(frozen=True, slots=True)
class Region:
    """A table, a formula or a figure with what could be read in it."""

    kind: PassageKind
    box: Box
    text: str
    findings: tuple[Finding, ...] = ()


Item = Line | Region


@dataclass(frozen=True, slots=True)
class EdgeRow:
    """One of the first or last rows of a page, across all columns: where running heads and feet are looked for.

    cells: its words, parted where the gap is wide.
    """

    baseline: float
    size: float
    cells: tuple[str, ...]

    @property
    def text(self) -> str:
        """The whole row."""
        return " ".join(self.cells)


@dataclass(frozen=True, slots=True)
class PageLayout:
    """A page in reading order.

    top_rows, bottom_rows: outermost first; letters, invisible: visible and invisible characters;
    body_size, sizes: the usual size, and letters by size; gutter: x of its middle, None for one column or where a
    right column does not show.
    """

    number: int
    width: float
    height: float
    items: tuple[Item, ...] = ()
    top_rows: tuple[EdgeRow, ...] = ()
    bottom_rows: tuple[EdgeRow, ...] = ()
    findings: tuple[Finding, ...] = ()
    letters: int = 0
    invisible: int = 0
    body_size: float = 0.0
    sizes: Mapping[float, int] = field(default_factory=dict)
    gutter: float | None = None


@dataclass(frozen=True, slots=True)
class Hints:
    """What the book's other pages say of one that differs: where the gutter lies, the size of the text."""

    gutter: float | None = None
    body_size: float | None = None


@dataclass(frozen=True, slots=True)
class _Column:
    """Rows of one column with its edges."""

    rows: list[Row]
    left: float
    right: float
    index: int


def usual_size(letters: Mapping[float, int]) -> float:
    """The size most letters are set in; 0 without letters."""
    return max(letters, key=lambda size: (letters[size], size), default=0.0)


def lay_out(number: int, characters: PageCharacters, shapes: PageShapes, hints: Hints | None = None) -> PageLayout:
    """A page's characters and shapes as ordered lines and regions. number: PDF page from 1."""
    hints = hints or Hints()
    rows = build_rows(cut_pieces(characters.runs))
    body_size = hints.body_size or usual_size(_letters_by_size(rows))
    drawn = drawn_areas(shapes, rows, body_size)
    gutter = find_gutter(rows, characters.width, [area.rect for area in drawn], hints.gutter)
    areas = all_areas(drawn, rows, gutter, body_size)
    free = [part for part in (outside(row, areas) for row in rows) if part is not None]
    columns = _columns(free, gutter, characters.width)
    regions = [_region(number, area, rows) for area in areas]
    regions += _rotated_region(number, characters.hidden)
    lost = characters.hidden.lost
    lines = [_without_lost(line, lost) for column in columns for line in _lines(number, column)]
    return PageLayout(
        number=number,
        width=characters.width,
        height=characters.height,
        items=tuple(_in_order(lines, regions, gutter)),
        top_rows=tuple(_edge_row(row) for row in rows[:3]),
        bottom_rows=tuple(_edge_row(row) for row in reversed(rows[-3:])),
        findings=_hidden_findings(number, characters.hidden),
        letters=sum(len(run.text) for run in characters.runs),
        invisible=characters.hidden.invisible,
        body_size=body_size,
        sizes=_letters_by_size(rows),
        gutter=gutter.middle if gutter and gutter.sure else None,
    )


def _letters_by_size(rows: list[Row]) -> Counter[float]:
    sizes: Counter[float] = Counter()
    for row in rows:
        sizes[round(row.size, 1)] += sum(len(piece.text) for piece in row.pieces)
    return sizes


def _columns(rows: list[Row], gutter: Gutter | None, width: float) -> list[_Column]:
    """Rows dealt to the left, the right and the wide column."""
    if gutter is None:
        return [_column(rows, WIDE)]
    dealt: tuple[list[Row], list[Row], list[Row]] = ([], [], [])
    for row in rows:
        parts = split_row(row, gutter)
        if parts is None:
            dealt[2].append(row)
        else:
            for side, pieces in enumerate(parts):
                if any(piece.text for piece in pieces):
                    dealt[side].append(part_of(row, pieces))
    return [_column(side_rows, index) for side_rows, index in zip(dealt, (0, 1, WIDE), strict=True)]


def _column(rows: list[Row], index: int) -> _Column:
    if not rows:
        return _Column(rows, 0.0, 0.0, index)
    starts = Counter(round(row.rect.x0) for row in rows)
    enough = max(1.0, EDGE_SHARE * len(rows))
    left = min((start for start, count in starts.items() if count >= enough), default=min(starts))
    return _Column(rows, float(left), max(row.rect.x1 for row in rows), index)


def _lines(number: int, column: _Column) -> list[Line]:
    lines: list[Line] = []
    before: Row | None = None
    for row in column.rows:
        written = write_row(row.pieces)
        if written.text.strip():
            rect = row.rect
            box = _box(number, rect)
            lines.append(
                Line(
                    box=box,
                    spans=written.spans,
                    size=row.size,
                    baseline=row.baseline,
                    indent=rect.x0 - column.left,
                    room=column.right - rect.x1,
                    step=(row.baseline - before.baseline) / row.size if before else 0.0,
                    column=column.index,
                    findings=_line_findings(number, box, written),
                )
            )
            before = row
    return lines


def _without_lost(line: Line, lost: tuple[Rect, ...]) -> Line:
    """A line on which a glyph stands that no letter is known for is held back."""
    box = line.box
    on_line = any(box.x0 - line.size <= spot.x0 <= box.x1 + line.size and box.y0 <= spot.y1 <= box.y1 for spot in lost)
    if not on_line:
        return line
    return replace(
        line, findings=(*line.findings, Finding(FindingKind.UNRESOLVED_GLYPH, box.page, box, line.text[:120]))
    )


def _box(number: int, rect: Rect) -> Box:
    return Box(number, round(rect.x0, 2), round(rect.y0, 2), round(rect.x1, 2), round(rect.y1, 2))


def _line_findings(number: int, box: Box, written: Written) -> tuple[Finding, ...]:
    doubts = (
        (written.unresolved, FindingKind.UNRESOLVED_GLYPH),
        (written.flattened, FindingKind.FLATTENED_SCRIPT),
        (written.unsure_gap, FindingKind.SPLIT_NUMBER),
        (written.overlapping, FindingKind.UNSURE_ORDER),
    )
    found = [Finding(kind, number, box, written.text[:120]) for doubtful, kind in doubts if doubtful]
    if written.repairs:
        found.append(Finding(FindingKind.TEXT_REPAIRED, number, box, ", ".join(written.repairs)))
    return tuple(found)


def _region(number: int, area: Area, rows: list[Row]) -> Region:
    parts = [part for part in (inside(row, area) for row in rows) if part is not None]
    rect = around([area.rect, *(part.rect for part in parts)])
    box = _box(number, rect)
    kind = {
        PassageKind.TABLE: FindingKind.TABLE,
        PassageKind.FORMULA: FindingKind.FORMULA,
        PassageKind.FIGURE: FindingKind.FIGURE,
    }[area.kind]
    text = "\n".join(write_row(part.pieces).text for part in parts)
    return Region(area.kind, box, text, (Finding(kind, number, box),))


def _rotated_region(number: int, hidden: Hidden) -> list[Region]:
    """Dark rotated text is shown as a crop."""
    if len(hidden.rotated) <= ROTATED_FEW:
        return []
    box = _box(number, around(list(hidden.rotated)))
    return [Region(PassageKind.FIGURE, box, "", (Finding(FindingKind.ROTATED_TEXT, number, box),))]


def _hidden_findings(number: int, hidden: Hidden) -> tuple[Finding, ...]:
    counts = (
        (hidden.invisible, FindingKind.INVISIBLE_TEXT),
        (hidden.outside, FindingKind.OUTSIDE_PAGE),
        (hidden.pale, FindingKind.UNPLACED_TEXT),
        (len(hidden.rotated), FindingKind.ROTATED_TEXT),
    )
    texts = "; ".join(hidden.texts)[:200]
    return tuple(Finding(kind, number, None, f"{count}: {texts}") for count, kind in counts if count)


def _edge_row(row: Row) -> EdgeRow:
    cells = tuple(segment.text for segment in segments_of(row))
    return EdgeRow(round(row.baseline, 1), round(row.size, 1), cells)


def _in_order(lines: list[Line], regions: list[Region], gutter: Gutter | None) -> list[Item]:
    """Wide items cut the page into bands; each band is read left column first."""
    items: list[Item] = [*lines, *regions]
    if gutter is None:
        return sorted(items, key=lambda item: (item.box.y0, item.box.x0))
    sides: dict[int, list[Item]] = {0: [], 1: [], WIDE: []}
    for item in items:
        sides[_side(item, gutter)].append(item)
    wide = sorted(sides[WIDE], key=_level)
    ordered: list[Item] = []
    done = float("-inf")
    for across in [*wide, None]:
        until = _level(across) if across else float("inf")
        for side in (0, 1):
            band = [item for item in sides[side] if done <= _level(item) < until]
            ordered += sorted(band, key=_level)
        if across:
            ordered.append(across)
        done = until
    return ordered


def _level(item: Item) -> float:
    return item.baseline if isinstance(item, Line) else item.box.y0


def _side(item: Item, gutter: Gutter) -> int:
    if isinstance(item, Line):
        return item.column
    left, right = gutter.x0 - item.box.x0, item.box.x1 - gutter.x1
    if min(left, right) > max(MARGIN, SPILL * max(left, right)):
        return WIDE
    return 0 if (item.box.x0 + item.box.x1) / 2 < gutter.middle else 1
