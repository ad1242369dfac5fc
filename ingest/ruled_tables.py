"""Tables drawn with rules: connected grids, and booktabs (a few long rules of equal extent)."""

from __future__ import annotations

from ingest.geometry import Rect, around
from ingest.lines import Row
from ingest.shapes import Rule
from ingest.unruled_tables import segments_of, strip_of

TOUCH = 2.0  # points between strokes that count as joined
INSIDE = 4.0  # points from the frame from which a stroke divides it
EQUAL = 3.0  # points by which the ends of booktabs rules may differ
MIN_BOOKTABS = 60.0  # points
MAX_BETWEEN = 45  # rows between two rules of one table
TABLE_SHARE = 0.5  # of the rows between two rules that must show cells


def find_ruled(rules: list[Rule]) -> tuple[list[Rect], list[Rule]]:
    """Frames of ruled tables, and the rules that belong to none."""
    tables: list[Rect] = []
    rest: list[Rule] = []
    for group in _connected(rules):
        frame = around([rule.rect for rule in group])
        if _is_grid(group, frame):
            tables.append(frame)
        else:
            rest += group
    return tables, rest


def _connected(rules: list[Rule]) -> list[list[Rule]]:
    """Groups of rules that touch, directly or through others."""
    ordered = sorted(rules, key=lambda rule: (rule.y0, rule.x0))
    parents = list(range(len(ordered)))

    def root(index: int) -> int:
        while parents[index] != index:
            parents[index] = parents[parents[index]]
            index = parents[index]
        return index

    for index, rule in enumerate(ordered):
        reach = rule.rect.grown(TOUCH)
        for other in range(index + 1, len(ordered)):
            if ordered[other].y0 > reach.y1:
                break
            if reach.meets(ordered[other].rect):
                parents[root(other)] = root(index)
    groups: dict[int, list[Rule]] = {}
    for index, rule in enumerate(ordered):
        groups.setdefault(root(index), []).append(rule)
    return list(groups.values())


def _is_grid(group: list[Rule], frame: Rect) -> bool:
    """A frame alone is no table: some stroke must divide it."""
    across = [rule for rule in group if rule.horizontal]
    upright = [rule for rule in group if not rule.horizontal]
    if len(across) < 2 or not upright or frame.height < 10 or frame.width < 20:
        return False
    divides_x = any(frame.x0 + INSIDE < rule.x0 < frame.x1 - INSIDE for rule in upright)
    divides_y = any(frame.y0 + INSIDE < rule.y0 < frame.y1 - INSIDE for rule in across)
    return divides_x or (divides_y and len(upright) >= 2)


def find_booktabs(rules: list[Rule], rows: list[Row]) -> list[Rect]:
    """Frames of tables between long rules of equal extent."""
    across = sorted((rule for rule in rules if rule.horizontal and rule.length >= MIN_BOOKTABS), key=lambda r: r.y0)
    across = _without_head_rule(across, rows)
    tables: list[Rect] = []
    while across:
        first = across.pop(0)
        equal = [rule for rule in across if abs(rule.x0 - first.x0) <= EQUAL and abs(rule.x1 - first.x1) <= EQUAL]
        across = [rule for rule in across if rule not in equal]
        tables += _tables_between([first, *equal], rows)
    return tables


def _without_head_rule(across: list[Rule], rows: list[Row]) -> list[Rule]:
    """The rule below the running head: the page's first, with one or two rows above it."""
    if not across:
        return across
    above = [row for row in rows if row.baseline <= across[0].y0 + 1]
    is_head = 1 <= len(above) <= 2 and across[0].y0 - above[-1].baseline < 2.5 * above[-1].size
    return across[1:] if is_head else across


def _tables_between(rules: list[Rule], rows: list[Row]) -> list[Rect]:
    tables: list[Rect] = []
    chain: list[Rule] = []
    for rule in rules:
        if chain and not _shows_cells(chain[-1], rule, rows):
            tables += _frame(chain)
            chain = []
        chain.append(rule)
    return tables + _frame(chain)


def _frame(chain: list[Rule]) -> list[Rect]:
    return [around([rule.rect for rule in chain])] if len(chain) >= 2 else []


def _shows_cells(upper: Rule, lower: Rule, rows: list[Row]) -> bool:
    between = [
        row for row in strip_of(rows, upper.x0 - 3, upper.x1 + 3) if upper.y0 < row.baseline - 0.3 * row.size < lower.y0
    ]
    if not between or len(between) > MAX_BETWEEN:
        return False
    cells = sum(1 for row in between if len(segments_of(row)) >= 2)
    return cells >= TABLE_SHARE * len(between)
