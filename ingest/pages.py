"""Pages in parallel: each process opens the PDF once and hands back compact, pickled layouts in page order."""

from __future__ import annotations

import multiprocessing
import pickle
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pypdfium2.raw as c

from ingest.blocks import Line, PageLayout, lay_out
from ingest.characters import page_space, read_characters
from ingest.crosscheck import SecondReader, cross_check_page
from ingest.domain import Finding, FindingKind
from ingest.open_pdf import load_document
from ingest.paragraphs import count_words
from ingest.running_heads import EdgeSummary
from ingest.shapes import read_shapes

CHUNK = 8  # pages a task


@dataclass(frozen=True, slots=True)
class ReadPage:
    """What a process hands back of one page; layout stays pickled until its turn, so that memory stays flat."""

    summary: EdgeSummary
    invisible: int
    words: Counter[str]
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

    def read(self, number: int) -> ReadPage:
        """PDF page from 1. A page that cannot be read becomes a finding."""
        try:
            layout = self._lay_out(number)
            if self._second is not None:
                layout = cross_check_page(layout, self._second)
        except Exception as error:  # noqa: BLE001 - whatever a page does wrong, the other pages go on
            layout = unreadable_page(number, f"{type(error).__name__}: {error}")
        return pack(layout)

    def _lay_out(self, number: int) -> PageLayout:
        page = c.FPDF_LoadPage(self._document.raw, number - 1)
        if not page:
            return unreadable_page(number, "PDFium")
        try:
            return lay_out(number, read_characters(page), read_shapes(page, page_space(page)))
        finally:
            c.FPDF_ClosePage(page)


def unreadable_page(number: int, detail: str) -> PageLayout:
    """A page without content, and why."""
    finding = Finding(FindingKind.UNREADABLE_PAGE, number, None, detail[:200])
    return PageLayout(number, 0.0, 0.0, findings=(finding,))


def pack(layout: PageLayout) -> ReadPage:
    """A layout made compact."""
    words = count_words(item for item in layout.items if isinstance(item, Line))
    return ReadPage(EdgeSummary.of(layout), layout.invisible, words, pickle.dumps(layout, pickle.HIGHEST_PROTOCOL))


_reader: PageReader | None = None


def _open_reader(path: Path, cross_check: bool) -> None:
    global _reader
    _reader = PageReader(path, cross_check=cross_check)


def _read_pages(numbers: range) -> list[ReadPage]:
    assert _reader is not None
    return [_reader.read(number) for number in numbers]


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
    with _pool(path, workers, cross_check) as pool:
        tasks = [pool.submit(_read_pages, chunk) for chunk in chunks]
        for chunk, task in zip(chunks, tasks, strict=True):
            yield from _result(task, chunk, path, cross_check)
            on_page(chunk[-1])


def _pool(path: Path, workers: int, cross_check: bool) -> ProcessPoolExecutor:
    """Forked where that is safe (no other threads), else spawned."""
    can_fork = "fork" in multiprocessing.get_all_start_methods() and threading.active_count() == 1
    context: Any = multiprocessing.get_context("fork" if can_fork else "spawn")
    return ProcessPoolExecutor(workers, context, _open_reader, (path, cross_check))


def _result(task: Future[list[ReadPage]], chunk: range, path: Path, cross_check: bool) -> list[ReadPage]:
    try:
        return task.result()
    except BrokenProcessPool:
        return [_read_alone(number, path, cross_check) for number in chunk]


def _read_alone(number: int, path: Path, cross_check: bool) -> ReadPage:
    """After a crash: one page in a process of its own, so that only the page at fault is lost."""
    with _pool(path, 1, cross_check) as pool:
        try:
            return pool.submit(_read_pages, range(number, number + 1)).result()[0]
        except BrokenProcessPool:
            return pack(unreadable_page(number, "PDFium stopped"))
