"""The printed page as a picture: which region shows a passage, and its PNG, rendered once and kept on disk."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

from django.conf import settings

from monographs.domain import Box

CONTEXT_POINTS = 40.0
SIDE_POINTS = 6.0
LEAST_HEIGHT = 130.0
# A line wider than this share of the page belongs to no column.
WIDE_SHARE = 0.6
# A column with half of the gutter; the outer margins of the page are left out.
LEFT_COLUMN = (0.05, 0.51)
RIGHT_COLUMN = (0.49, 0.95)
REGION_SCALE = 200 / 72
PAGE_SCALE = 150 / 72
TIMEOUT_SECONDS = 15
_RENDERER = Path(__file__).with_name("render.py")
_rendering = threading.Lock()

Sizes = Mapping[str, Sequence[float]]


class CropError(Exception):
    """No picture can be had."""


class SourceFileMissing(CropError):
    """The edition's PDF is not on this machine."""


class RenderFailed(CropError):
    """The page could not be drawn: damaged, too slow, or not the page that was parsed."""


@dataclass(frozen=True, slots=True)
class Mark:
    """The corner and size of a rectangle, as SVG attributes."""

    x: str
    y: str
    width: str
    height: str


@dataclass(frozen=True, slots=True)
class Region:
    """A part of a page with the cited lines in it.

    page: from 1; part: its place among the regions of that page; x0, y0, x1, y1 and lines: PDF points, origin
    top left of the page; size: of the whole page; lines: empty where no box is known to be right.
    """

    page: int
    x0: float
    y0: float
    x1: float
    y1: float
    size: tuple[float, float]
    lines: tuple[Box, ...] = ()
    scale: float = REGION_SCALE
    part: int = 0

    @property
    def is_whole_page(self) -> bool:
        """Whether nothing of the page is left out."""
        return (self.width, self.height) == self.size

    @property
    def view_box(self) -> str:
        """For an SVG laid over the picture; text, because a template would write decimals with a comma."""
        return f"0 0 {self.width:.1f} {self.height:.1f}"

    @property
    def width(self) -> float:
        """In points."""
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        """In points."""
        return self.y1 - self.y0

    @property
    def pixel_width(self) -> int:
        """Of the picture."""
        return round(self.width * self.scale)

    @property
    def pixel_height(self) -> int:
        """Of the picture."""
        return round(self.height * self.scale)

    @property
    def marks(self) -> tuple[Mark, ...]:
        """The lines as rectangles of the view box, a little larger than their ink."""
        return tuple(_mark(line, self) for line in self.lines)


def regions_of(boxes: Iterable[Box], sizes: Sizes) -> tuple[Region, ...]:
    """The regions that show the boxes, in reading order: one for each stretch of lines in one column of one page.

    sizes: PDF page, as text, to (width, height). A page of unknown size has no region.
    """
    known = [box for box in boxes if str(box.page) in sizes]
    placed = [(box, _column_of(box, sizes[str(box.page)][0])) for box in known]
    regions = []
    parts: Counter[int] = Counter()
    for (page, column), group in groupby(placed, key=lambda pair: (pair[0].page, pair[1])):
        regions.append(replace(_region([box for box, _ in group], column, sizes[str(page)]), part=parts[page]))
        parts[page] += 1
    return tuple(regions)


def whole_page(page: int, sizes: Sizes, lines: Iterable[Box] = ()) -> Region | None:
    """The full page with the cited lines that lie on it; None where its size is unknown."""
    if str(page) not in sizes:
        return None
    width, height = sizes[str(page)]
    inside = tuple(line for line in lines if line.page == page and _fits(line, width, height))
    return Region(page, 0.0, 0.0, width, height, (width, height), inside, PAGE_SCALE)


def edition_pdf(sha256: str) -> Path:
    """Where the PDF of an edition lies."""
    return Path(settings.DUOCTHU_DATA_DIR) / "editions" / f"{sha256}.pdf"


def crop_name(sha256: str, region: Region) -> str:
    """What a picture depends on, as a file name: the file, the page, the place and the scale."""
    place = "-".join(f"{round(value * 100)}" for value in (region.x0, region.y0, region.x1, region.y1))
    return f"{sha256}/p{region.page}-{place}-s{round(region.scale * 100)}.png"


def crop_png(sha256: str, region: Region) -> bytes:
    """The picture of a region; raises SourceFileMissing or RenderFailed."""
    kept = Path(settings.DUOCTHU_DATA_DIR) / "crops" / crop_name(sha256, region)
    picture = _read(kept)
    if picture is not None:
        return picture
    with _rendering:
        picture = _read(kept)
        if picture is None:
            picture = _render(edition_pdf(sha256), region)
            _keep(kept, picture)
    return picture


def _mark(line: Box, region: Region) -> Mark:
    # The accents of capitals ("Ố") stand up to 2.1 points above the line's box.
    x0, y0 = max(0.0, line.x0 - region.x0 - 2), max(0.0, line.y0 - region.y0 - 2.2)
    x1, y1 = min(region.width, line.x1 - region.x0 + 2), min(region.height, line.y1 - region.y0 + 1)
    return Mark(f"{x0:.1f}", f"{y0:.1f}", f"{x1 - x0:.1f}", f"{y1 - y0:.1f}")


def _column_of(box: Box, page_width: float) -> str:
    if box.x1 - box.x0 > WIDE_SHARE * page_width:
        return "wide"
    return "left" if (box.x0 + box.x1) / 2 < page_width / 2 else "right"


def _region(boxes: list[Box], column: str, size: Sequence[float]) -> Region:
    width, height = size
    lines = tuple(box for box in boxes if _fits(box, width, height))
    if not lines:
        return Region(boxes[0].page, 0.0, 0.0, width, height, (width, height), (), PAGE_SCALE)
    left, right = {"left": LEFT_COLUMN, "right": RIGHT_COLUMN}.get(column, (0.03, 0.97))
    top, bottom = min(line.y0 for line in lines) - CONTEXT_POINTS, max(line.y1 for line in lines) + CONTEXT_POINTS
    missing = max(0.0, LEAST_HEIGHT - (bottom - top)) / 2
    region = Region(
        page=lines[0].page,
        x0=max(0.0, min(left * width, min(line.x0 for line in lines) - SIDE_POINTS)),
        y0=max(0.0, top - missing),
        x1=min(width, max(right * width, max(line.x1 for line in lines) + SIDE_POINTS)),
        y1=min(height, bottom + missing),
        size=(width, height),
        lines=lines,
    )
    return replace(region, scale=PAGE_SCALE) if column == "wide" else region


def _fits(box: Box, width: float, height: float) -> bool:
    return 0 <= box.x0 < box.x1 <= width and 0 <= box.y0 < box.y1 <= height


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


def _keep(path: Path, picture: bytes) -> None:
    """Readers see the whole file or none. A full or read-only disk costs the cache, not the picture."""
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as scratch:
            kept = Path(scratch.name)
        try:
            kept.write_bytes(picture)
            kept.replace(path)
        finally:
            kept.unlink(missing_ok=True)


def _render(pdf: Path, region: Region) -> bytes:
    if not pdf.is_file():
        raise SourceFileMissing(pdf.name)
    numbers = (region.x0, region.y0, region.x1, region.y1, *region.size, region.scale)
    command = [
        sys.executable,
        "-I",
        str(_RENDERER),
        str(pdf),
        str(region.page),
        *(f"{number:.4f}" for number in numbers),
    ]
    try:
        done = subprocess.run(command, capture_output=True, timeout=TIMEOUT_SECONDS, check=False)
    except subprocess.TimeoutExpired as error:
        raise RenderFailed("too slow") from error
    if done.returncode != 0 or not done.stdout.startswith(b"\x89PNG"):
        raise RenderFailed(done.stderr.decode(errors="replace")[-500:])
    return done.stdout
