"""The brand index at the book's end: "Cardilopin - Amlodipin, 187"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ingest.blocks import Item, Line, PageLayout
from ingest.domain import BrandIndexLine

ENTRY = re.compile(r"^(?P<brand>\S.{0,80}?)\s+[-–]\s+(?P<names>\D.{1,160}?)(?:,\s*(?P<page>\d{1,4}))?\.?$")
ENDS_ENTRY = re.compile(r",\s*\d{1,4}\.?$")
INDEX_SHARE = 0.6  # of a page's lines that must be entries
MIN_LINES = 8


def is_index_page(page: PageLayout) -> bool:
    """Whether most of a page's lines are entries with a page number."""
    texts = [item.text.strip() for item in page.items if isinstance(item, Line)]
    entries = sum(1 for text in texts if ENDS_ENTRY.search(text) and ENTRY.match(text))
    return len(texts) >= MIN_LINES and entries >= INDEX_SHARE * len(texts)


def read_index(items: Sequence[Item]) -> list[BrandIndexLine]:
    """The entries of a page; an indented or unfinished line goes on with the entry above."""
    entries: list[BrandIndexLine] = []
    held: list[Line] = []
    for line in (item for item in items if isinstance(item, Line)):
        if held and not _goes_on(held, line):
            entries += _entry(held)
            held = []
        held.append(line)
    return entries + _entry(held)


def _goes_on(held: list[Line], line: Line) -> bool:
    if ENDS_ENTRY.search(" ".join(other.text.strip() for other in held)):
        return False
    return line.indent > held[0].indent + 0.5 * line.size or not ENTRY.match(line.text.strip())


def _entry(lines: list[Line]) -> list[BrandIndexLine]:
    match = ENTRY.match(" ".join(line.text.strip() for line in lines))
    if match is None:
        return []
    page = match.group("page")
    # "Amoxicilin và clavulanat" is one monograph: only signs that no title holds part the names.
    names = tuple(name.strip() for name in re.split(r"\s*[+;]\s*", match.group("names")) if name.strip())
    return [BrandIndexLine(match.group("brand"), names, int(page) if page else None, lines[0].box.page)]
