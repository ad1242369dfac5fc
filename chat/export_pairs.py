"""The pairs of an answer as lines of text, for every export of it."""

from __future__ import annotations

from typing import Final

from chat.display import ShownAnswer
from chat.pair_grid import PairCell

PAIRS_HEAD: Final = "Đối chiếu từng cặp"


def pair_lines(shown: ShownAnswer) -> list[str]:
    """One line for each direction: which monograph, about what, and what it says; none where there are no pairs."""
    grid = shown.grid
    if grid is None:
        return []
    return [PAIRS_HEAD, *(f"• {_line(cell)}" for row in grid.rows for cell in row.cells if cell is not None)]


def _line(cell: PairCell) -> str:
    if not cell.reads:
        return f"{cell.reader}: không có chuyên luận để đọc về {cell.about}. {cell.title}"
    details = [f"“{'”, “'.join(cell.by)}”"] if cell.by else []
    details += [f"chưa đọc được mục {', '.join(cell.unread)}"] if cell.unread else []
    return f"Chuyên luận {cell.reader} về {cell.about}: {cell.title}" + (f" ({'; '.join(details)})" if details else "")
