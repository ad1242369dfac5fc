"""The pairs of an answer as lines of text, for every export of it."""

from __future__ import annotations

from typing import Final

from chat.display import ShownAnswer
from chat.domain import PAIR_TITLES, PairStatus
from chat.pair_grid import PairCell, PairRow

PAIRS_HEAD: Final = "Đối chiếu từng cặp"


def pair_lines(shown: ShownAnswer) -> list[str]:
    """One line for each direction: which monograph, about what, and what it says; none where there are no pairs."""
    grid = shown.grid
    if grid is None:
        return []
    return [PAIRS_HEAD, *(f"• {line}" for row in grid.rows for line in _lines(row))]


def _lines(row: PairRow) -> list[str]:
    if not row.reads:
        return [f"{row.name}: {PAIR_TITLES[PairStatus.NOT_CHECKED].lower()}, không có chuyên luận để đọc"]
    return [_line(cell) for cell in row.cells if cell is not None]


def _line(cell: PairCell) -> str:
    details = [f"“{'”, “'.join(cell.by)}”"] if cell.by else []
    details += [f"chưa đọc được mục {', '.join(cell.unread)}"] if cell.unread else []
    return f"Chuyên luận {cell.reader} về {cell.about}: {cell.title}" + (f" ({'; '.join(details)})" if details else "")
