"""Sets tables and display formulas as undivided strips."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ingest.sample.ink import Ink, RuleInk, Strip, moved
from ingest.sample.lines import Composer, Glyph, Setting, glyphs_of, words_of
from ingest.sample.source import Cell, Face, Formula, Run, Table, TableStyle

CELL = Setting(size=9.0, leading=10.3, indent=0.0)
PAD_X, PAD_Y = 4.0, 2.2
FORMULA = Setting(size=10.0, leading=12.0, indent=0.0)
FRACTION_GAP = 2.0


def table_strip(table: Table, composer: Composer, width: float) -> Strip:
    """The table over the whole width, with 4 points of white above and below."""
    columns = column_edges(table, composer, width)
    texts = {cell: _cell_lines(cell, table, composer, columns) for cell in table.cells}
    rows = row_edges(table, texts)
    ink: list[Ink] = []
    for cell, lines in texts.items():
        ink += _cell_ink(cell, lines, columns, rows)
    ink += _rules(table, columns, rows)
    return Strip(rows[-1] + 8.0, tuple(moved(i, 0, 4.0) for i in ink))


def _face(cell: Cell, table: Table) -> Face:
    return Face.BOLD if cell.row < table.head_rows else Face.REGULAR


def _cell_lines(cell: Cell, table: Table, composer: Composer, columns: Sequence[float]) -> list[tuple[Ink, ...]]:
    width = columns[cell.column + cell.columns] - columns[cell.column] - 2 * PAD_X
    setting = Setting(CELL.size, CELL.leading, width, 0.0)
    lines = composer.lines([Run(cell.text, _face(cell, table))], setting, justify=False) if cell.text else []
    if cell.column == 0 and cell.row >= table.head_rows:
        return lines
    return [_centred(line, composer, width) for line in lines]


def _centred(line: tuple[Ink, ...], composer: Composer, width: float) -> tuple[Ink, ...]:
    last = line[-1]
    assert not isinstance(last, RuleInk)
    end = last.x + composer.measure(last.text, last.face, last.size)
    return tuple(moved(ink, (width - end) / 2, 0) for ink in line)


def column_edges(table: Table, composer: Composer, width: float) -> list[float]:
    """Widths between what the longest unbreakable piece needs and what one line would need."""
    count = len(table.rows[0])
    least, natural = [20.0] * count, [20.0] * count
    for cell in table.cells:
        if cell.columns == 1 and cell.text:
            runs = [Run(cell.text, _face(cell, table))]
            least[cell.column] = max(least[cell.column], _longest_piece(runs, composer) + 2 * PAD_X)
            natural[cell.column] = max(natural[cell.column], composer.width(runs, CELL.size) + 2 * PAD_X)
    spare = width - sum(least)
    if spare < 0:
        raise ValueError(f"bảng ở dòng {table.line} rộng hơn khổ cột {-spare:.0f} point: thêm 'wide' hoặc bớt chữ")
    widths = _shared_out(least, natural, width)
    return [sum(widths[:count]) for count in range(len(widths) + 1)]


def _shared_out(least: list[float], natural: list[float], width: float) -> list[float]:
    """Narrow columns get what one line needs; the wide ones share what is left, or all share the excess."""
    widths, spare = list(least), width - sum(least)
    order = sorted(range(len(least)), key=lambda column: natural[column] - least[column])
    for place, column in enumerate(order):
        given = min(natural[column] - least[column], spare / (len(order) - place))
        widths[column] += given
        spare -= given
    return [wide + spare / len(widths) for wide in widths]


def _longest_piece(runs: Sequence[Run], composer: Composer) -> float:
    space = composer.measure(" ", Face.REGULAR, CELL.size)
    longest = current = 0.0
    for word in words_of(runs):
        current += composer.word_width(word, CELL.size)
        longest = max(longest, current)
        current = current + space if word.glued else 0.0
    return longest + 0.1


def row_edges(table: Table, texts: dict[Cell, list[tuple[Ink, ...]]]) -> list[float]:
    """Tops of the rows and the bottom; a cell over several rows stretches the last of them."""
    heights = [CELL.leading + 2 * PAD_Y] * len(table.rows)
    for cell, lines in sorted(texts.items(), key=lambda pair: pair[0].rows):
        need = len(lines) * CELL.leading + 2 * PAD_Y
        have = sum(heights[cell.row : cell.row + cell.rows])
        heights[cell.row + cell.rows - 1] += max(0.0, need - have)
    edges = [0.0]
    for height in heights:
        edges.append(edges[-1] + height)
    return edges


def _cell_ink(cell: Cell, lines: list[tuple[Ink, ...]], columns: Sequence[float], rows: Sequence[float]) -> list[Ink]:
    top, bottom = rows[cell.row], rows[cell.row + cell.rows]
    y = top + (bottom - top - len(lines) * CELL.leading) / 2
    x = columns[cell.column] + PAD_X
    return [moved(ink, x, y + n * CELL.leading) for n, line in enumerate(lines) for ink in line]


def _rules(table: Table, columns: Sequence[float], rows: Sequence[float]) -> list[Ink]:
    right, bottom = columns[-1], rows[-1]
    if table.style is TableStyle.UNRULED:
        return []
    if table.style is TableStyle.BOOKTABS:
        marks = ((0.0, 0.9), (rows[table.head_rows], 0.5), (bottom, 0.9))
        return [RuleInk(0.0, y, right, y, thickness) for y, thickness in marks]
    outer: list[Ink] = [RuleInk(right, 0.0, right, bottom), RuleInk(0.0, bottom, right, bottom)]
    return outer + [rule for cell in table.cells for rule in _cell_rules(cell, columns, rows)]


def _cell_rules(cell: Cell, columns: Sequence[float], rows: Sequence[float]) -> list[Ink]:
    x0, x1 = columns[cell.column], columns[cell.column + cell.columns]
    y0, y1 = rows[cell.row], rows[cell.row + cell.rows]
    return [RuleInk(x0, y0, x1, y0), RuleInk(x0, y0, x0, y1)]


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a formula; up and down are its reach above and below the text's baseline."""

    width: float
    up: float
    down: float
    ink: tuple[Ink, ...]


TOKEN = re.compile(r"\\frac|\^|_|[{}]|[^\\^_{}]+")


def formula_strip(formula: Formula, composer: Composer, width: float) -> Strip:
    """The formula centred in the column, drawn from glyphs and fraction bars."""
    tokens = TOKEN.findall(formula.markup)
    piece = _sequence(tokens, composer)
    if piece.width > width:
        raise ValueError(f"công thức ở dòng {formula.line} rộng hơn cột {piece.width - width:.0f} point: rút gọn chữ")
    top = piece.up + 4.0
    ink = tuple(moved(i, (width - piece.width) / 2, top) for i in piece.ink)
    return Strip(piece.up + piece.down + 8.0, ink)


def _sequence(tokens: list[str], composer: Composer) -> Piece:
    x = up = down = 0.0
    ink: list[Ink] = []
    while tokens and tokens[0] != "}":
        piece = _next_piece(tokens, composer)
        ink += [moved(i, x, 0) for i in piece.ink]
        x, up, down = x + piece.width, max(up, piece.up), max(down, piece.down)
    return Piece(x, up, down, tuple(ink))


def _group(tokens: list[str], composer: Composer) -> Piece:
    assert tokens.pop(0) == "{"
    piece = _sequence(tokens, composer)
    assert tokens.pop(0) == "}"
    return piece


def _next_piece(tokens: list[str], composer: Composer) -> Piece:
    head = tokens.pop(0)
    if head == "\\frac":
        return _fraction(_group(tokens, composer), _group(tokens, composer))
    if head in "^_":
        tokens.pop(0)
        text = tokens.pop(0)
        tokens.pop(0)
        return _text(text, composer, rise=1 if head == "^" else -1)
    return _text(head, composer)


def _text(text: str, composer: Composer, rise: int = 0) -> Piece:
    glyphs = glyphs_of([Run(text)]) if not rise else [Glyph(char, Face.REGULAR, rise) for char in text]
    width = sum(composer.glyph_width(glyph, FORMULA.size) for glyph in glyphs)
    ink = composer.place(glyphs, 0.0, FORMULA)
    up = 8.0 + (3.0 if rise > 0 else 0.0)
    return Piece(width, up, 3.0, tuple(moved(i, 0, -0.78 * FORMULA.leading) for i in ink))


def _fraction(above: Piece, below: Piece) -> Piece:
    width, axis = max(above.width, below.width) + 4.0, -3.0
    lift = axis - FRACTION_GAP - above.down
    drop = axis + FRACTION_GAP + below.up
    ink: list[Ink] = [moved(i, (width - above.width) / 2, lift) for i in above.ink]
    ink += [moved(i, (width - below.width) / 2, drop) for i in below.ink]
    ink.append(RuleInk(0.0, axis, width, axis, 0.6))
    return Piece(width, above.up - lift, drop + below.down, tuple(ink))
