"""The whole ingest, top to bottom: open, characters, lines, columns, blocks, monographs, sections, passages, findings.

Characters to blocks happen page by page, in parallel (pages.py, blocks.py); monographs, sections and passages are
built from the pages in order (monographs.py, passages.py).
"""

from __future__ import annotations

import gc
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

from ingest.blocks import Item, Line, PageLayout
from ingest.brand_index import is_index_page, read_index
from ingest.domain import BrandIndexLine, Finding, FindingKind, ParsedBook
from ingest.findings import plate_findings, refuse_unusable, refuse_without_drugs
from ingest.lost_pages import BLANK, blank_pages_inside, hold_back_around, refuse_too_damaged
from ingest.monographs import MonographBuilder, PlacedItem, monograph_findings
from ingest.open_pdf import open_pdf
from ingest.pages import ReadPage, agree_on_pages, read_pages, reread_odd_pages
from ingest.running_heads import RunningMatter, find_running_matter, is_plate

RULES_VERSION = "3"
PARSER_VERSION = f"{RULES_VERSION}+pypdfium2-{version('pypdfium2')}+pypdf-{version('pypdf')}"

OnProgress = Callable[[str, int, int], None]


@contextmanager
def _collector_paused() -> Iterator[None]:
    """A book makes millions of objects and no cycles: looking for cycles among them only takes time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@_collector_paused()
def parse_book(
    path: Path | str,
    *,
    workers: int | None = None,
    cross_check: bool = True,
    on_progress: OnProgress | None = None,
) -> ParsedBook:
    """Parse a PDF into monographs, sections and passages.

    workers: page processes, by default one a processor; the result does not depend on it.
    cross_check: compare every number with a second extractor. on_progress(stage, done, total).
    Raises PdfRefused when the file gives no edition.
    """
    tell = on_progress or (lambda _stage, _done, _total: None)
    clock = _Clock()
    opened = open_pdf(Path(path))
    total = opened.page_count
    if cross_check:
        agree_on_pages(opened)
    clock.lap("open")

    reading = read_pages(
        opened.path,
        total,
        workers=workers or os.cpu_count() or 1,
        cross_check=cross_check,
        on_page=lambda done: tell("pages", done, total),
    )
    pages = list(reading)
    refuse_unusable(pages)
    pages = reread_odd_pages(opened.path, pages, cross_check=cross_check)
    clock.lap("pages")

    running = find_running_matter([page.summary for page in pages])
    vocabulary = _vocabulary(pages)
    builder = MonographBuilder(vocabulary, running.page_map.get)
    index: list[BrandIndexLine] = []
    sizes: dict[int, tuple[float, float]] = {}
    findings: list[Finding] = list(running.findings)
    blank: list[int] = []
    for done, page in enumerate(_layouts(pages), start=1):
        sizes[page.number] = (page.width, page.height)
        findings += page.findings
        items = without_running_matter(page, running)
        if is_plate(page, running):
            findings += plate_findings(page)
        elif is_index_page(page):
            index += read_index(items)
        else:
            builder.feed(PlacedItem(item, page.body_size) for item in items)
            if not items:
                blank.append(page.number)
        tell("monographs", done, total)
    builder.finish()
    refuse_without_drugs(builder.monographs)
    unread = [page.summary.number for page in pages if page.unreadable]
    empty = [n for n in blank_pages_inside(blank, builder.monographs, running.page_map) if n not in unread]
    refuse_too_damaged([*unread, *empty], total)
    findings += [Finding(FindingKind.UNREADABLE_PAGE, number, None, BLANK) for number in empty]
    monographs = hold_back_around(builder.monographs, [*unread, *empty])
    clock.lap("monographs")

    findings += [*builder.findings, *monograph_findings(monographs)]
    clock.lap("findings")
    return ParsedBook(
        monographs=tuple(monographs),
        page_map=running.page_map,
        page_sizes=sizes,
        brand_index=tuple(index),
        regions=tuple(builder.regions),
        findings=tuple(findings),
        timings=clock.laps,
    )


def without_running_matter(page: PageLayout, running: RunningMatter) -> list[Item]:
    """The page's items between its running head and foot."""
    top = running.tops.get(page.number, float("-inf"))
    bottom = running.bottoms.get(page.number, float("inf"))
    return [
        item
        for item in page.items
        if not (isinstance(item, Line) and (item.baseline <= top + 1 or item.baseline >= bottom - 1))
    ]


def _vocabulary(pages: list[ReadPage]) -> Counter[str]:
    words: Counter[str] = Counter()
    for page in pages:
        words.update(page.words)
    return words


def _layouts(pages: list[ReadPage]) -> Iterator[PageLayout]:
    for page in pages:
        yield page.layout


class _Clock:
    """Seconds spent, by stage."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, stage: str) -> None:
        now = time.perf_counter()
        self.laps[stage] = round(now - self._last, 3)
        self._last = now
