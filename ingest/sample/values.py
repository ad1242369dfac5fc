"""The sample formulary as values: editions, monographs, sections, labelled paragraphs, tables and formulas."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from monographs.domain import MonographKind, SectionKey

RUN_IN_KEYS = (SectionKey.TEN_CHUNG_QUOC_TE, SectionKey.MA_ATC, SectionKey.LOAI_THUOC)


class SourceError(ValueError):
    """A source file breaks the format; the message says where and what to do."""

    def __init__(self, path: Path, line: int, advice: str) -> None:
        super().__init__(f"{path.name}:{line}: {advice}")
        self.path, self.line, self.advice = path, line, advice


class Face(StrEnum):
    """The four faces in which text is set."""

    REGULAR = "Regular"
    BOLD = "Bold"
    ITALIC = "Italic"
    BOLD_ITALIC = "BoldItalic"


class TableStyle(StrEnum):
    """How a table is ruled."""

    RULED = "ruled"
    BOOKTABS = "booktabs"
    UNRULED = "unruled"


@dataclass(frozen=True, slots=True)
class Run:
    """Characters of one face; superscripts are still Unicode superscripts."""

    text: str
    face: Face = Face.REGULAR


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of a paragraph under one label path: one passage.

    labels: outermost first, without the colon; a label printed at the head of this segment is in runs too.
    """

    runs: tuple[Run, ...]
    labels: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The exact text of the passage."""
        return "".join(run.text for run in self.runs)


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One source line; more than one segment only where a label stands in mid-paragraph."""

    segments: tuple[Segment, ...]
    line: int

    @property
    def text(self) -> str:
        """The exact text, marks removed."""
        return " ".join(segment.text for segment in self.segments)


@dataclass(frozen=True, slots=True)
class Cell:
    """A table cell with its place (row, column from 0) and the rows and columns it spans."""

    text: str
    row: int
    column: int
    rows: int = 1
    columns: int = 1


@dataclass(frozen=True, slots=True)
class Table:
    """A table without caption; rows are as written, cells are after merging."""

    style: TableStyle
    wide: bool
    head_rows: int
    rows: tuple[tuple[str, ...], ...]
    cells: tuple[Cell, ...]
    labels: tuple[str, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Formula:
    r"""A display formula in the markup of the format (\frac{a}{b}, x^{2}, x_{i})."""

    markup: str
    labels: tuple[str, ...]
    line: int


Item = Paragraph | Table | Formula


@dataclass(frozen=True, slots=True)
class Section:
    """A section; key is None in chapters and appendices. Tables and formulas add nothing to its text."""

    key: SectionKey | None
    heading: str
    items: tuple[Item, ...]
    line: int

    @property
    def paragraphs(self) -> tuple[Paragraph, ...]:
        """The paragraphs, in order."""
        return tuple(item for item in self.items if isinstance(item, Paragraph))

    @property
    def text(self) -> str:
        """What an ingested section must equal, character for character."""
        return "\n".join(paragraph.text for paragraph in self.paragraphs)


@dataclass(frozen=True, slots=True)
class Monograph:
    """One source file."""

    path: Path
    kind: MonographKind
    title: str
    subtitle: str
    synonyms: tuple[str, ...]
    running_head: str
    sections: tuple[Section, ...]
    absent: tuple[SectionKey, ...]
    facts_from: tuple[str, ...]

    @property
    def slug(self) -> str:
        """The file's name without its ending."""
        return self.path.stem

    def section(self, key: SectionKey) -> Section | None:
        """The section of that key, or None where the monograph has none."""
        return next((section for section in self.sections if section.key is key), None)


@dataclass(frozen=True, slots=True)
class BrandLine:
    """A line of the brand index as asked for; paged is False where the index prints no page."""

    brand: str
    drug: str
    paged: bool = True

    @property
    def drugs(self) -> tuple[str, ...]:
        """As a tuple, for those who keep a brand with several drugs."""
        return (self.drug,)


@dataclass(frozen=True, slots=True)
class Edition:
    """An edition: its facts and its files in book order."""

    number: int
    title: str
    year: int
    edition: str
    running_head: str
    footer: str
    first_printed_page: int
    pdf: str
    monographs: tuple[Monograph, ...]
    brands: tuple[BrandLine, ...]
