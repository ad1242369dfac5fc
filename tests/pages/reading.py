"""Parsing test pages and finding one's way in the result."""

from __future__ import annotations

from pathlib import Path

from ingest.domain import Finding, FindingKind, ParsedBook, ParsedMonograph, ParsedPassage, ParsedSection
from ingest.pipeline import parse_book
from monographs.domain import MonographKind, SectionKey
from tests.pages.book import Book


def parsed(book: Book, folder: Path, *, cross_check: bool = True) -> ParsedBook:
    """The book typeset and read back."""
    return parse_book(book.saved(folder), workers=1, cross_check=cross_check)


def drugs(book: ParsedBook) -> list[ParsedMonograph]:
    """Its drug monographs."""
    return [monograph for monograph in book.monographs if monograph.kind is MonographKind.DRUG]


def section(monograph: ParsedMonograph, key: SectionKey) -> ParsedSection:
    """The one section of a key."""
    (found,) = [section for section in monograph.sections if section.key is key]
    return found


def passages(book: ParsedBook) -> list[ParsedPassage]:
    """All passages of all monographs."""
    return [p for monograph in book.monographs for part in monograph.sections for p in part.passages]


def findings(book: ParsedBook, kind: FindingKind) -> list[Finding]:
    """All findings of a kind, the book's and the passages'."""
    own = [finding for passage in passages(book) for finding in passage.findings]
    return [finding for finding in (*book.findings, *own) if finding.kind is kind]


def texts(book: ParsedBook) -> list[tuple[str, list[tuple[str, str]]]]:
    """Titles, headings and texts, to compare with what was typeset."""
    return [(drug.title, [(part.heading, part.text) for part in drug.sections]) for drug in drugs(book)]


def expected(book: Book) -> list[tuple[str, list[tuple[str, str]]]]:
    """The same of the book as typeset."""
    return [
        (monograph.title, [(part.heading, "\n".join(part.paragraphs)) for part in monograph.sections])
        for monograph in book.monographs
    ]
