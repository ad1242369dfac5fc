"""Pages in parallel: each process opens the PDF once and hands back compact, pickled layouts in page order."""

from __future__ import annotations

import gc
import multiprocessing
import pickle
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pypdfium2.raw as c
from pypdf.errors import DependencyError, FileNotDecryptedError

from ingest.blocks import Hints, Line, PageLayout, lay_out, usual_size
from ingest.brand_index import is_index_page
from ingest.characters import page_space, read_characters
from ingest.columns import SAME_GUTTER, usual_gutters
from ingest.crosscheck import cross_check as check_numbers
from ingest.domain import Finding, FindingKind
from ingest.open_pdf import OpenedPdf, PdfRefused, Refusal, load_document
from ingest.paragraphs import count_words
from ingest.parent_death import die_with_parent
from ingest.running_heads import EdgeSummary
from ingest.second_reader import SecondReader
from ingest.shapes import list_objects, read_shapes

CHUNK = 8  # pages a task
ACROSS = 12.0  # points on both sides of the gutter
SAME_SIZE = 0.03  # relative difference between sizes that count as one


@dataclass(frozen=True, slots=True)
class ReadPage:
    """What a process hands back of one page; layout stays pickled until its turn, so that memory stays flat."""

    summary: EdgeSummary
    invisible: int
    words: Counter[str]
    unreadable: bool
    packed: bytes

    @property
    def layout(self) -> PageLayout:
        """The page itself."""
        layout: PageLayout = pickle.loads(self.packed)  # noqa: S301 - packed by pack() in our own child process
        return layout


class PageReader:
    """One open document, read page by page."""

    def __init__(self, path: Path, *, cross_check: bool) -> None:
        self._document = load_document(path)
        self._second = SecondReader(path) if cross_check else None

    def read(self, number: int, hints: Hints | None = None) -> ReadPage:
        """PDF page from 1. A page that cannot be read becomes a finding."""
        try:
            layout = self._lay_out(number, hints)
            if self._second is not None:
                layout = check_numbers(layout, self._second.fragments(number))
                layout = doubt_damaged(layout, self._second.damage(number))
        except Exception as error:  # whatever a page does wrong, the other pages go on
            layout = unreadable_page(number, f"{type(error).__name__}: {error}")
        return pack(layout)

    def _lay_out(self, number: int, hints: Hints | None) -> PageLayout:
        page = c.FPDF_LoadPage(self._document.raw, number - 1)
        if not page:
            return unreadable_page(number, "PDFium")
        try:
            objects = list_objects(page)
            characters = read_characters(page, objects.texts)
            return lay_out(number, characters, read_shapes(objects, page_space(page)), hints)
        finally:
            c.FPDF_ClosePage(page)


def unreadable_page(number: int, detail: str) -> PageLayout:
    """A page without content, and why."""
    finding = Finding(FindingKind.UNREADABLE_PAGE, number, None, detail[:200])
    return PageLayout(number, 0.0, 0.0, findings=(finding,))


def doubt_damaged(layout: PageLayout, damage: str) -> PageLayout:
    """A page of whose data something is broken: what could be read of it may lack something, or be wrong."""
    if not damage:
        return layout
    return replace(
        layout, findings=(*layout.findings, Finding(FindingKind.UNREADABLE_PAGE, layout.number, None, damage))
    )


def agree_on_pages(opened: OpenedPdf) -> None:
    """Raises PdfRefused where the second extractor cannot open the file, or finds another number of pages in it."""
    try:
        page_count = SecondReader(opened.path).page_count
    except (DependencyError, FileNotDecryptedError) as error:
        raise PdfRefused(Refusal.ENCRYPTED, f"pypdf: {error}"[:200]) from error
    except MemoryError:
        raise
    except Exception as error:  # whatever a damaged file does to it, the numbers could not be checked
        raise PdfRefused(Refusal.DAMAGED, f"pypdf: {type(error).__name__}: {error}"[:200]) from error
    if page_count != opened.page_count:
        raise PdfRefused(Refusal.DAMAGED, f"{opened.page_count} pages, or {page_count}")


def pack(layout: PageLayout) -> ReadPage:
    """A layout made compact."""
    words = count_words(item for item in layout.items if isinstance(item, Line))
    unreadable = any(finding.kind is FindingKind.UNREADABLE_PAGE for finding in layout.findings)
    packed = pickle.dumps(layout, pickle.HIGHEST_PROTOCOL)
    return ReadPage(EdgeSummary.of(layout), layout.invisible, words, unreadable, packed)


@dataclass(slots=True)
class _Process:
    """What a page process keeps between tasks."""

    reader: PageReader | None = None


_process = _Process()


def _open_reader(path: Path, cross_check: bool) -> None:  # noqa: FBT001 - a pool's initializer is called so
    die_with_parent()
    gc.disable()  # pages make many objects and no cycles: collecting between tasks is enough
    _process.reader = PageReader(path, cross_check=cross_check)


def _read_pages(numbers: range) -> list[ReadPage]:
    assert _process.reader is not None
    pages = [_process.reader.read(number) for number in numbers]
    gc.collect()
    return pages


def read_pages(
    path: Path, page_count: int, *, workers: int, cross_check: bool, on_page: Callable[[int], None]
) -> Iterator[ReadPage]:
    """All pages in order. on_page is told how many are done."""
    if workers <= 1:
        reader = PageReader(path, cross_check=cross_check)
        for number in range(1, page_count + 1):
            yield reader.read(number)
            on_page(number)
        return
    chunks = [range(start, min(start + CHUNK, page_count + 1)) for start in range(1, page_count + 1, CHUNK)]
    with _pool(path, workers, cross_check=cross_check) as pool:
        tasks = [pool.submit(_read_pages, chunk) for chunk in chunks]
        for chunk, task in zip(chunks, tasks, strict=True):
            yield from _result(task, chunk, path, cross_check=cross_check)
            on_page(chunk[-1])


def reread_odd_pages(path: Path, pages: list[ReadPage], *, cross_check: bool) -> list[ReadPage]:
    """Pages whose gutter or size of text is not that of the others are read again with theirs, where it fits."""
    gutters = usual_gutters({page.summary.number: page.summary.gutter for page in pages})
    body_size = _usual_size(pages)
    hints = {page.summary.number: _hints(page.summary, gutters, body_size) for page in pages}
    odd = {number: hint for number, hint in hints.items() if hint is not None}
    if not odd:
        return pages
    reader = PageReader(path, cross_check=cross_check)
    return [
        _better(page, reader.read(page.summary.number, odd[page.summary.number]), odd[page.summary.number])
        if page.summary.number in odd
        else page
        for page in pages
    ]


def _usual_size(pages: list[ReadPage]) -> float:
    letters: Counter[float] = Counter()
    for page in pages:
        letters.update(page.summary.sizes)
    return usual_size(letters)


def _hints(summary: EdgeSummary, gutters: dict[int, float], body_size: float) -> Hints | None:
    """None for a page that is like the others, or has too little text to tell."""
    expected = gutters.get(summary.number % 2)
    strange_gutter = expected is not None and (summary.gutter is None or abs(summary.gutter - expected) > SAME_GUTTER)
    strange_size = abs(summary.body_size - body_size) > SAME_SIZE * body_size
    if summary.letters == 0 or not (strange_gutter or strange_size):
        return None
    return Hints(gutter=expected, body_size=body_size if strange_size else None)


def _better(page: ReadPage, again: ReadPage, hints: Hints) -> ReadPage:
    """The second reading, unless the gutter does not fit, or small print is what the page consists of."""
    if is_index_page(page.layout):
        return page
    if again.summary.gutter is not None:
        return again
    return pack(doubt_order(page.layout, hints.gutter)) if hints.gutter is not None else page


def doubt_order(layout: PageLayout, gutter: float) -> PageLayout:
    """A page unlike the book's two columns: lines across the gutter may be two columns read as one."""
    items = tuple(
        replace(item, findings=(*item.findings, Finding(FindingKind.UNSURE_ORDER, layout.number, item.box)))
        if isinstance(item, Line) and item.box.x0 < gutter - ACROSS and item.box.x1 > gutter + ACROSS
        else item
        for item in layout.items
    )
    return replace(layout, items=items)


def _pool(path: Path, workers: int, *, cross_check: bool) -> ProcessPoolExecutor:
    """Forked where that is safe (no other threads), else spawned."""
    can_fork = "fork" in multiprocessing.get_all_start_methods() and threading.active_count() == 1
    context: Any = multiprocessing.get_context("fork" if can_fork else "spawn")
    return ProcessPoolExecutor(workers, context, _open_reader, (path, cross_check))


def _result(task: Future[list[ReadPage]], chunk: range, path: Path, *, cross_check: bool) -> list[ReadPage]:
    try:
        return task.result()
    except BrokenProcessPool:
        return [_read_alone(number, path, cross_check=cross_check) for number in chunk]


def _read_alone(number: int, path: Path, *, cross_check: bool) -> ReadPage:
    """After a crash: one page in a process of its own, so that only the page at fault is lost."""
    with _pool(path, 1, cross_check=cross_check) as pool:
        try:
            return pool.submit(_read_pages, range(number, number + 1)).result()[0]
        except BrokenProcessPool:
            return pack(unreadable_page(number, "PDFium stopped"))
