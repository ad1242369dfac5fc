"""Areas of a page that are not running text: tables ruled, booktabs and unruled, formulas, pictures."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ingest.columns import Gutter
from ingest.formulas import find_fractions
from ingest.geometry import Rect, around
from ingest.lines import Row, part_of, partition
from ingest.pieces import Piece
from ingest.ruled_tables import find_booktabs, find_ruled
from ingest.shapes import PageShapes
from ingest.unruled_tables import SMALL_PRINT, extend_by_size, find_unruled, strip_of
from monographs.domain import PassageKind

SHARED = 0.3  # of the smaller of two overlapping rectangles
CAPTION = re.compile(r"^\s*Bảng\s*\d*")


@dataclass(frozen=True, slots=True)
class Area:
    """A region found on a page: one rectangle, or one for each of its rows.

    largest: points; print larger than that does not belong to it, wherever it stands.
    """

    kind: PassageKind
    parts: tuple[Rect, ...]
    largest: float = float("inf")

    @property
    def rect(self) -> Rect:
        """The box around it."""
        return around(list(self.parts))


def drawn_areas(shapes: PageShapes, rows: list[Row], body_size: float) -> list[Area]:
    """What rules and pictures tell by themselves, before columns are known."""
    ruled, rest = find_ruled(list(shapes.rules))
    booktabs = [extend_by_size((rect,), rows, body_size) for rect in find_booktabs(rest, rows)]
    areas = [Area(PassageKind.TABLE, parts) for parts in [*((rect,) for rect in ruled), *booktabs]]
    # A table's last rule lies a little below its last row; taken for a fraction's bar it would swallow what follows.
    bars = [rule for rule in rest if not any(area.rect.grown(0.6 * body_size).meets(rule.rect) for area in areas)]
    areas += [Area(PassageKind.FORMULA, (rect,)) for rect in find_fractions(bars, rows)]
    areas += [Area(PassageKind.FIGURE, (rect,)) for rect in shapes.pictures]
    return merged(areas)


def all_areas(drawn: list[Area], rows: list[Row], gutter: Gutter | None, body_size: float) -> list[Area]:
    """Drawn areas and unruled tables, each with its caption."""
    free = [row for row in (outside(row, drawn) for row in rows) if row is not None]
    tables = find_unruled(free, gutter, body_size)
    areas = drawn + [Area(PassageKind.TABLE, parts, _largest(parts, free, body_size)) for parts in tables]
    return merged([_with_caption(area, rows) for area in areas])


def _largest(parts: tuple[Rect, ...], rows: list[Row], body_size: float) -> float:
    """Of a table in small print, what is still small print."""
    limit = SMALL_PRINT * body_size
    inside = [p for row in rows for p in row.pieces if p.text and any(part.shared_area(p.rect) for part in parts)]
    small = sum(len(piece.text) for piece in inside if piece.size < limit)
    return limit if 2 * small > sum(len(piece.text) for piece in inside) else float("inf")


def outside(row: Row, areas: list[Area]) -> Row | None:
    """The part of a row that lies in no area."""
    _, pieces = partition(row, lambda piece: any(_holds(area, row, piece) for area in areas))
    return part_of(row, pieces) if any(piece.text for piece in pieces) else None


def inside(row: Row, area: Area) -> Row | None:
    """The part of a row that lies in an area."""
    pieces, _ = partition(row, lambda piece: _holds(area, row, piece))
    return part_of(row, pieces) if any(piece.text for piece in pieces) else None


def _holds(area: Area, row: Row, piece: Piece) -> bool:
    if piece.size > area.largest:
        return False
    middle, level = (piece.x0 + piece.x1) / 2, row.baseline - 0.3 * row.size
    return any(part.holds(middle, level) for part in area.parts)


def merged(areas: list[Area]) -> list[Area]:
    """Areas that overlap become one; a table swallows what lies on it."""
    rest = sorted(areas, key=lambda area: (area.rect.y0, area.rect.x0))
    found: list[Area] = []
    while rest:
        area = rest.pop(0)
        touching = next((other for other in rest if _overlap(area, other)), None)
        if touching is None:
            found.append(area)
        else:
            rest.remove(touching)
            kind = PassageKind.TABLE if PassageKind.TABLE in (area.kind, touching.kind) else area.kind
            rest.append(Area(kind, area.parts + touching.parts, max(area.largest, touching.largest)))
            rest.sort(key=lambda item: (item.rect.y0, item.rect.x0))
    return found


def _overlap(area: Area, other: Area) -> bool:
    """Whether they share a good part of one of them: a cell that runs over an edge does not join two tables."""
    return other.rect.meets(area.rect) and any(
        part.shared_area(mine) >= SHARED * min(part.area, mine.area) for part in other.parts for mine in area.parts
    )


def _with_caption(area: Area, rows: list[Row]) -> Area:
    """A table's caption, up to two lines just above it, is part of it."""
    if area.kind is not PassageKind.TABLE:
        return area
    rect = area.rect
    strip = strip_of(rows, rect.x0 - 3, rect.x1 + 3)
    above = [row for row in strip if row.baseline < rect.y0 + 0.3 * row.size][-2:]
    for row in reversed(above):
        if rect.y0 - row.baseline > 1.5 * row.size:
            break
        if CAPTION.match(_text(row)):
            lines = [other for other in above if row.baseline <= other.baseline]
            return Area(area.kind, (*area.parts, *(line.rect for line in lines)), max(area.largest, row.size))
    return area


def _text(row: Row) -> str:
    return " ".join(piece.text for piece in row.pieces if piece.text)
