"""The pairs of an answer as they are laid out: a table for three and more, both directions one by one for two."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chat.contract import PairAssessment, PairSideAssessment
from chat.domain import PAIR_TITLES, PairStatus

_LEAST_OF_TABLE, _LEAST_OF_WIDE = 3, 6


@dataclass(frozen=True, slots=True)
class PairCell:
    """What one monograph says of another drug. claim: the place of the first claim that says it; held_back: the passage
    of which only the picture is shown; reads: whether there is a monograph to read."""

    reader: str
    about: str
    status: PairStatus
    by: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    claim: int | None = None
    held_back: int | None = None
    reads: bool = True

    @property
    def title(self) -> str:
        """The status in words."""
        return PAIR_TITLES[self.status]


@dataclass(frozen=True, slots=True)
class PairRow:
    """One monograph; the cell of a drug with itself is None."""

    name: str
    cells: tuple[PairCell | None, ...]

    @property
    def reads(self) -> bool:
        """Whether there is a monograph to read at all."""
        return any(cell is not None and cell.reads for cell in self.cells)


@dataclass(frozen=True, slots=True)
class PairGrid:
    """names: in the order of the question; rows: one for each."""

    names: tuple[str, ...]
    rows: tuple[PairRow, ...]

    @property
    def is_table(self) -> bool:
        """Whether there are enough of them for a table."""
        return len(self.names) >= _LEAST_OF_TABLE

    @property
    def is_wide(self) -> bool:
        """Whether a table of them needs a desk's width."""
        return len(self.names) >= _LEAST_OF_WIDE

    @property
    def directions(self) -> tuple[PairCell, ...]:
        """Every cell, row by row; of what has no monograph only where the other side has none either."""
        return tuple(cell for row in self.rows for cell in row.cells if cell is not None and cell.reads)


def grid_of(pairs: Sequence[PairAssessment]) -> PairGrid | None:
    """The grid of an answer's pairs; None where it has none."""
    if not pairs:
        return None
    cells = {(cell.reader, cell.about): cell for pair in pairs for cell in _cells(pair)}
    names = tuple(dict.fromkeys(name for pair in pairs for name in (pair.first, pair.second)))
    rows = tuple(PairRow(reader, tuple(cells.get((reader, about)) for about in names)) for reader in names)
    return PairGrid(names, rows)


def _cells(pair: PairAssessment) -> Iterator[PairCell]:
    for reader, about in ((pair.first, pair.second), (pair.second, pair.first)):
        side = next((side for side in pair.sides if side.about == about), None)
        if side is not None:
            yield _cell(reader, about, side)
        else:
            yield PairCell(reader, about, PairStatus.NOT_CHECKED, reads=False)


def _cell(reader: str, about: str, side: PairSideAssessment) -> PairCell:
    return PairCell(
        reader=reader,
        about=about,
        status=side.status,
        by=side.by,
        unread=side.unread,
        claim=min(side.claims, default=None),
        held_back=side.held_back[0].passage_id if side.held_back else None,
    )
