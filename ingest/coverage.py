"""Which monograph of an edition lacks which section, and which sections are held back."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from django.db.models import Count, Q

from monographs.domain import SECTION_FACTS, MonographKind, PassageState, SectionKey
from monographs.models import Edition, Monograph, Section
from monographs.text import fold

_SHOWN = [state for state in PassageState if state.shows_text]


class Writable(Protocol):
    """Where text can be written to: a file, a response."""

    def write(self, text: str, /) -> object:
        """Takes some more."""


class Cover(StrEnum):
    """How much of a section readers get."""

    WHOLE = "whole"
    PARTLY = "partly"
    HELD = "held"
    EMPTY = "empty"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class CoverFacts:
    """title: Vietnamese; sign: one character for the matrix."""

    title: str
    sign: str


COVER_FACTS: dict[Cover, CoverFacts] = {
    Cover.WHOLE: CoverFacts("có, phục vụ đủ", "✓"),
    Cover.PARTLY: CoverFacts("giữ lại một phần", "◐"),
    Cover.HELD: CoverFacts("giữ lại toàn bộ", "●"),
    Cover.EMPTY: CoverFacts("có tiêu đề, không có nội dung", "∅"),
    Cover.MISSING: CoverFacts("không có", "–"),
}


@dataclass(frozen=True, slots=True)
class Cell:
    """A section of a monograph; anchor is "" where there is none."""

    key: SectionKey
    cover: Cover
    anchor: str = ""
    passages: int = 0
    held: int = 0

    @property
    def facts(self) -> CoverFacts:
        """How it is shown."""
        return COVER_FACTS[self.cover]

    @property
    def title(self) -> str:
        """For whoever cannot see the sign."""
        detail = f" ({self.held}/{self.passages} đoạn)" if self.cover is Cover.PARTLY else ""
        return f"{SECTION_FACTS[self.key].title}: {self.facts.title}{detail}"


@dataclass(frozen=True, slots=True)
class Row:
    """A drug and its nineteen cells, in the order of SectionKey."""

    monograph: Monograph
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Total:
    """A section over all drugs."""

    key: SectionKey
    counts: Counter[Cover]

    @property
    def title(self) -> str:
        """The section's own."""
        return SECTION_FACTS[self.key].title

    @property
    def present(self) -> int:
        """How many drugs have it."""
        return self.counts.total() - self.counts[Cover.MISSING]

    @property
    def missing(self) -> int:
        """How many have not."""
        return self.counts[Cover.MISSING]

    @property
    def held(self) -> int:
        """How many have it with something held back."""
        return self.counts[Cover.PARTLY] + self.counts[Cover.HELD]


def coverage_of(edition: Edition) -> tuple[Row, ...]:
    """A row for each drug of the edition, in the book's order. Two queries."""
    cells = _cells(edition)
    drugs = Monograph.objects.filter(edition=edition, kind=MonographKind.DRUG).order_by("order")
    missing = {key: Cell(key, Cover.MISSING) for key in SectionKey}
    return tuple(Row(drug, tuple((missing | cells[drug.pk]).values())) for drug in drugs)


def totals_of(rows: Iterable[Row]) -> tuple[Total, ...]:
    """For each section, how many drugs have it how."""
    counts: dict[SectionKey, Counter[Cover]] = {key: Counter() for key in SectionKey}
    for row in rows:
        for cell in row.cells:
            counts[cell.key][cell.cover] += 1
    return tuple(Total(key, found) for key, found in counts.items())


def filter_rows(
    rows: Sequence[Row], *, name: str = "", key: SectionKey | None = None, cover: Cover | None = None
) -> tuple[Row, ...]:
    """The drugs whose name holds the words, and of whose sections (the one of this key, or any) one is covered so."""
    words = fold(name)
    return tuple(
        row
        for row in rows
        if words in fold(row.monograph.display_name)
        and (cover is None or any(cell.cover is cover and key in {None, cell.key} for cell in row.cells))
    )


def write_csv(out: Writable, rows: Iterable[Row]) -> None:
    """The matrix as a table for a spreadsheet, one line a drug."""
    writer = csv.writer(out)
    writer.writerow(["Chuyên luận", "Trang in", *(SECTION_FACTS[key].title for key in SectionKey)])
    for row in rows:
        page = row.monograph.printed_page
        name = _spreadsheet_text(row.monograph.display_name)
        writer.writerow([name, "" if page is None else page, *(cell.facts.title for cell in row.cells)])


def _spreadsheet_text(text: str) -> str:
    """A name that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def _cells(edition: Edition) -> defaultdict[int, dict[SectionKey, Cell]]:
    """By monograph, the sections it has; a section printed twice counts as one."""
    sections = (
        Section.objects.filter(monograph__edition=edition, monograph__kind=MonographKind.DRUG)
        .exclude(key="")
        .annotate(total=Count("passages"), held=Count("passages", filter=~Q(passages__state__in=_SHOWN)))
        .order_by("order")
        .values_list("monograph_id", "key", "anchor", "total", "held")
    )
    cells: defaultdict[int, dict[SectionKey, Cell]] = defaultdict(dict)
    for monograph_id, name, anchor, total, held in sections:
        key = SectionKey(name)
        before = cells[monograph_id].get(key)
        cells[monograph_id][key] = (
            _cell(key, before.anchor, before.passages + total, before.held + held)
            if before
            else _cell(key, anchor, total, held)
        )
    return cells


def _cell(key: SectionKey, anchor: str, passages: int, held: int) -> Cell:
    if passages == 0:
        cover = Cover.EMPTY
    elif held == 0:
        cover = Cover.WHOLE
    else:
        cover = Cover.HELD if held == passages else Cover.PARTLY
    return Cell(key, cover, anchor, passages, held)
