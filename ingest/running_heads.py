"""What repeats at the head and foot of pages, the printed page numbers it holds, and the map they give."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ingest.blocks import EdgeRow, PageLayout
from ingest.domain import Finding, FindingKind

LEVEL = 3.0  # points within which rows of different pages are at the same height
FEWEST, REPEATED = 2, 3  # pages on which a row must run in a short book, and in any other
RUNNING_SHARE = 0.4  # of the rows at one height that must be running for all of them to be
NEIGHBOURS = 12  # pages on either side that vote on the distance between printed and PDF page
NUMBER = re.compile(r"(?:trang\s*)?[-–—|\[]?\s*(\d{1,4})\s*[-–—|\]]?", re.IGNORECASE)
APART = 1.8  # em from the row next to it
BEYOND = 8.0  # points outside the text of all other pages
PLATE_LETTERS = 200
EDGE = 0.15  # share of the page's height within which running matter lies


@dataclass(frozen=True, slots=True)
class RunningMatter:
    """Per PDF page: rows above top or below bottom (baselines, points) are not the book's text."""

    tops: dict[int, float]
    bottoms: dict[int, float]
    page_map: dict[int, int | None]
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class EdgeSummary:
    """What pages must tell of themselves before any of them can be read."""

    number: int
    height: float
    letters: int
    gutter: float | None
    body_size: float
    sizes: Mapping[float, int]
    top_rows: tuple[EdgeRow, ...]
    bottom_rows: tuple[EdgeRow, ...]

    @classmethod
    def of(cls, page: PageLayout) -> EdgeSummary:
        """The summary of a laid out page."""
        return cls(
            page.number,
            page.height,
            page.letters,
            page.gutter,
            page.body_size,
            page.sizes,
            page.top_rows,
            page.bottom_rows,
        )


def find_running_matter(pages: Sequence[EdgeSummary]) -> RunningMatter:
    """From all pages of the book, in order."""
    offsets = _offsets(pages)
    tops = _limits(pages, offsets, upper=True)
    bottoms = _limits(pages, offsets, upper=False)
    page_map, findings = _page_map(pages, offsets, tops)
    return RunningMatter(tops, bottoms, page_map, findings)


def _edge_rows(page: EdgeSummary, *, upper: bool) -> list[EdgeRow]:
    rows = page.top_rows if upper else page.bottom_rows
    limit = EDGE * page.height
    return [row for row in rows if (row.baseline <= limit if upper else row.baseline >= page.height - limit)]


def _numbers(row: EdgeRow) -> list[int]:
    """Numbers that stand alone in the row: a number inside a sentence is not a page's."""
    matches = (NUMBER.fullmatch(cell) for cell in row.cells)
    return [int(match.group(1)) for match in matches if match]


def _offsets(pages: Sequence[EdgeSummary]) -> dict[int, int]:
    """Printed minus PDF page where a page shows a number that its neighbours bear out."""
    candidates = {
        page.number: {
            value - page.number
            for upper in (True, False)
            for row in _edge_rows(page, upper=upper)[:2]
            for value in _numbers(row)
        }
        for page in pages
    }
    offsets: dict[int, int] = {}
    for number, values in candidates.items():
        votes: Counter[int] = Counter()
        for other in range(number - NEIGHBOURS, number + NEIGHBOURS + 1):
            if other != number:
                votes.update(candidates.get(other, ()))
        best = max(values, key=lambda value: (votes[value], -abs(value)), default=None)
        if best is not None and votes[best] >= 1:
            offsets[number] = best
    return offsets


def _limits(pages: Sequence[EdgeSummary], offsets: dict[int, int], *, upper: bool) -> dict[int, float]:
    """The innermost running row of each page. A lone page has nothing to compare with: what stands apart is running."""
    if len(pages) == 1:
        block = [row for row in _outer_block(pages[0], upper=upper) if row in _edge_rows(pages[0], upper=upper)]
        return {pages[0].number: block[-1].baseline} if block else {}
    texts: Counter[str] = Counter()
    for page in pages:
        texts.update({_mask(row.text) for row in _outer_block(page, upper=upper)})
    levels: Counter[int] = Counter()
    running: Counter[int] = Counter()
    for page in pages:
        for row in _edge_rows(page, upper=upper):
            levels[_level(row)] += 1
            repeated = row in _outer_block(page, upper=upper) and _is_repeated(row, texts)
            running[_level(row)] += repeated or _shows_number(row, page, offsets)
    enough = max(FEWEST, min(REPEATED, len(pages)))
    shared = {level for level in levels if running[level] >= enough and running[level] >= RUNNING_SHARE * levels[level]}
    edge = _text_edge(pages, upper=upper)
    return {page.number: limit for page in pages if (limit := _limit(page, shared, edge, upper=upper)) is not None}


def _limit(page: EdgeSummary, shared: set[int], edge: float, *, upper: bool) -> float | None:
    limit = None
    block = _outer_block(page, upper=upper)
    for row in _edge_rows(page, upper=upper):
        beyond = row.baseline < edge - BEYOND if upper else row.baseline > edge + BEYOND
        if not (_level(row) in shared or (beyond and row in block)):
            break
        limit = row.baseline
    return limit


def _text_edge(pages: Sequence[EdgeSummary], *, upper: bool) -> float:
    """The outermost height of the book's own text; a row that stands apart beyond it is a stray stamp."""
    inner = []
    for page in pages:
        rows = page.top_rows if upper else page.bottom_rows
        inner += [row.baseline for row in rows[len(_outer_block(page, upper=upper)) :][:1]]
    return (min if upper else max)(inner, default=0.0)


def _level(row: EdgeRow) -> int:
    return round(row.baseline / LEVEL)


def _mask(text: str) -> str:
    return re.sub(r"\d+", "#", text).strip()


def _outer_block(page: EdgeSummary, *, upper: bool) -> Sequence[EdgeRow]:
    """At most two rows at the edge that stand away from the text; none where the text begins at the edge."""
    rows = page.top_rows if upper else page.bottom_rows
    for count, (row, inner) in enumerate(pairwise(rows), start=1):
        if abs(row.baseline - inner.baseline) > APART * inner.size:
            return rows[:count]
    return ()


def _shows_number(row: EdgeRow, page: EdgeSummary, offsets: dict[int, int]) -> bool:
    return page.number in offsets and page.number + offsets[page.number] in _numbers(row)


def _is_repeated(row: EdgeRow, texts: Counter[str]) -> bool:
    masked = _mask(row.text)
    return texts[masked] >= FEWEST and len(masked) > 3


def _page_map(
    pages: Sequence[EdgeSummary], offsets: dict[int, int], tops: dict[int, float]
) -> tuple[dict[int, int | None], tuple[Finding, ...]]:
    """Printed pages, those without a number filled in between two that agree."""
    page_map: dict[int, int | None] = {}
    known = sorted(offsets)
    findings: list[Finding] = []
    for page in pages:
        number = page.number
        if number in offsets:
            page_map[number] = number + offsets[number]
            continue
        before = max((n for n in known if n < number), default=None)
        after = min((n for n in known if n > number), default=None)
        page_map[number] = _filled(page, before, after, offsets, tops)
    for one, other in pairwise(known):
        if offsets[other] > offsets[one] or offsets[one] - offsets[other] > other - one - 1:
            detail = f"{one}: {one + offsets[one]}, {other}: {other + offsets[other]}"
            findings.append(Finding(FindingKind.PAGE_NUMBER_DISAGREEMENT, other, None, detail))
    return page_map, tuple(findings)


def _filled(
    page: EdgeSummary, before: int | None, after: int | None, offsets: dict[int, int], tops: dict[int, float]
) -> int | None:
    """A page without a number: between equal distances it has one, at the ends only below a running head."""
    headed = page.number in tops
    if before is not None and after is not None:
        if offsets[before] == offsets[after]:
            return page.number + offsets[before]
        return page.number + offsets[before] if headed and page.number == before + 1 else None
    nearest = before if before is not None else after
    if nearest is None or not headed or abs(nearest - page.number) > NEIGHBOURS:
        return None
    printed = page.number + offsets[nearest]
    return printed if printed >= 1 else None


def is_plate(page: PageLayout, running: RunningMatter) -> bool:
    """A page bound in between numbered ones: no printed number, no running head, hardly any text."""
    counted = running.page_map.get(page.number) is not None or page.number in running.tops
    numbered = sum(1 for printed in running.page_map.values() if printed is not None)
    return not counted and page.letters < PLATE_LETTERS and 2 * numbered > len(running.page_map)
