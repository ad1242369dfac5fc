"""Raw characters of a page, read through PDFium's C API: text, place, effective size, weight, visibility."""

from __future__ import annotations

import ctypes
import math
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import pypdfium2.raw as c

from ingest.geometry import PageSpace, Rect

PDFIUM_HYPHEN = 0x02  # what PDFium makes of a hyphen, or of U+00AD, at the end of a line
RANGE_HYPHEN = 0xFFFE
INVISIBLE_MODES = frozenset({c.FPDF_TEXTRENDERMODE_INVISIBLE, c.FPDF_TEXTRENDERMODE_CLIP})
STROKED_MODES = frozenset({c.FPDF_TEXTRENDERMODE_FILL_STROKE, c.FPDF_TEXTRENDERMODE_FILL_STROKE_CLIP})
BOLD_NAME = re.compile(r"bold|black|heavy|semibold|demi", re.IGNORECASE)
ITALIC_NAME = re.compile(r"ital|obliq", re.IGNORECASE)
PALE, WHITE = 0.6, 0.97  # luminance from which text is a watermark, or cannot be seen on paper
SUBSET_PREFIX = re.compile(r"^[A-Z]{6}\+")
SLANT = 0.15
OVERPRINT_SHIFT = 0.12  # em: how far a second printing that makes text bold may lie from the first


@dataclass(slots=True)
class Run:
    """The visible characters of one text object; parallel lists, x in displayed points, y of the baseline."""

    font: str
    size: float
    baseline: float
    bold: bool
    italic: bool
    top: float = math.inf
    bottom: float = -math.inf
    text: list[str] = field(default_factory=list)
    left: list[float] = field(default_factory=list)
    right: list[float] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Hidden:
    """Characters of a page that are not served, and why."""

    invisible: int = 0
    pale: int = 0
    outside: int = 0
    rotated: tuple[Rect, ...] = ()
    texts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PageCharacters:
    """What PDFium gives of one page."""

    width: float
    height: float
    runs: list[Run]
    hidden: Hidden


@dataclass(slots=True)
class _Reader:
    """Reused buffers and the running tally of one page."""

    page: Any
    text_page: Any
    space: PageSpace
    runs: list[Run] = field(default_factory=list)
    rotated: list[Rect] = field(default_factory=list)
    tally: Counter[str] = field(default_factory=Counter)
    aside: dict[str, list[str]] = field(default_factory=dict)
    fonts: dict[int, str] = field(default_factory=dict)
    box: Any = field(default_factory=c.FS_RECTF)
    matrix: Any = field(default_factory=c.FS_MATRIX)


def page_space(page: Any) -> PageSpace:
    """How a page is displayed."""
    box = c.FS_RECTF()
    c.FPDF_GetPageBoundingBox(page, box)
    return PageSpace.of_page(box.left, box.bottom, box.right, box.top, c.FPDFPage_GetRotation(page))


def read_characters(page: Any) -> PageCharacters:
    """Read one loaded page (a raw FPDF_PAGE). The caller keeps it open and closes it."""
    text_page = c.FPDFText_LoadPage(page)
    reader = _Reader(page, text_page, page_space(page))
    try:
        _read_text_objects(reader)
    finally:
        c.FPDFText_ClosePage(text_page)
    tally = reader.tally
    hidden = Hidden(
        invisible=tally["invisible"],
        pale=tally["pale"],
        outside=tally["outside"],
        rotated=tuple(reader.rotated),
        texts=tuple("".join(letters) for letters in reader.aside.values()),
    )
    return PageCharacters(reader.space.width, reader.space.height, [r for r in reader.runs if r.text], hidden)


def _read_text_objects(reader: _Reader) -> None:
    """Walk the characters; consecutive ones of one text object make a run. Generated ones have no object."""
    get_object, get_unicode, get_box = c.FPDFText_GetTextObject, c.FPDFText_GetUnicode, c.FPDFText_GetLooseCharBox
    text_page, box, address = reader.text_page, reader.box, ctypes.addressof
    pointer = ctypes.byref(box)
    current, seen = 0, set()
    add: Any = None
    for index in range(c.FPDFText_CountChars(text_page)):
        handle = get_object(text_page, index)
        if not handle:
            continue
        key = address(handle.contents)
        if key != current:
            current = key
            seen.add(key)
            add = _start_run(reader, handle, index)
        get_box(text_page, index, pointer)
        add(index, get_unicode(text_page, index))
    _mark_overprints(reader, seen)


def _start_run(reader: _Reader, handle: Any, index: int) -> Any:
    """The function that takes this text object's characters: into a run, or aside with the reason."""
    matrix = reader.matrix
    c.FPDFText_GetMatrix(reader.text_page, index, matrix)
    dx, dy = reader.space.direction(matrix.a, matrix.b)
    ux, uy = reader.space.direction(matrix.c, matrix.d)
    size = c.FPDFText_GetFontSize(reader.text_page, index) * math.hypot(ux, uy)
    mode = c.FPDFTextObj_GetTextRenderMode(handle)
    luminance, alpha = _paint(handle, mode)
    upright = dx > 0 and abs(dy) < 0.03 * dx and uy < 0
    if mode in INVISIBLE_MODES or alpha == 0 or luminance >= WHITE or size <= 0:
        return _aside(reader, "invisible", f"{mode}")
    if luminance >= PALE:
        return _aside(reader, "pale", f"{luminance:.2f}")
    if not upright:
        return _aside_rotated(reader)
    name = _font_name(reader, handle)
    run = Run(
        font=name,
        size=size,
        baseline=_baseline(reader, index),
        bold=bool(BOLD_NAME.search(name)) or mode in STROKED_MODES,
        italic=bool(ITALIC_NAME.search(name)) or abs(ux) > SLANT * abs(uy),
    )
    reader.runs.append(run)
    return _adder(reader, run, sideways=abs(matrix.a) < abs(matrix.b))


def _adder(reader: _Reader, run: Run, *, sideways: bool) -> Any:
    box, space = reader.box, reader.space
    point, width, height, size = space.point, space.width, space.height, run.size
    texts, lefts, rights = run.text, run.left, run.right

    def add(index: int, code: int) -> None:
        if sideways:
            _sideways_box(reader, index)
        x0, y1 = point(box.left, box.bottom)
        x1, y0 = point(box.right, box.top)
        if x0 > x1:
            x0, x1 = x1, x0
        if y0 > y1:
            y0, y1 = y1, y0
        if x1 < 0 or x0 > width or y1 < 0 or y0 > height:
            reader.tally["outside"] += 1
            return
        if code in (PDFIUM_HYPHEN, RANGE_HYPHEN):
            code = _hyphen(reader, index, size)
        run.top = min(run.top, y0)
        run.bottom = max(run.bottom, y1)
        texts.append(chr(code) if code else "\ufffd")
        lefts.append(x0)
        rights.append(x1)

    return add


def _aside(reader: _Reader, reason: str, detail: str) -> Any:
    letters = reader.aside.setdefault(f"{reason} {detail}", [])

    def add(_index: int, code: int) -> None:
        reader.tally[reason] += 1
        if len(letters) < 80:
            letters.append(chr(code) if code >= 32 else " ")

    return add


def _aside_rotated(reader: _Reader) -> Any:
    """Dark rotated text keeps its place, so that its crop can be shown."""
    boxes = reader.rotated

    def add(index: int, _code: int) -> None:
        reader.tally["rotated"] += 1
        _sideways_box(reader, index)
        box = reader.box
        boxes.append(reader.space.rect(box.left, box.bottom, box.right, box.top))

    return add


def _sideways_box(reader: _Reader, index: int) -> None:
    """The tight box: PDFium computes the loose one for horizontal text only."""
    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    c.FPDFText_GetCharBox(reader.text_page, index, left, right, bottom, top)
    box = reader.box
    box.left, box.right, box.bottom, box.top = left.value, right.value, bottom.value, top.value


def _baseline(reader: _Reader, index: int) -> float:
    x, y = ctypes.c_double(), ctypes.c_double()
    c.FPDFText_GetCharOrigin(reader.text_page, index, x, y)
    return reader.space.point(x.value, y.value)[1]


def _hyphen(reader: _Reader, index: int, size: float) -> int:
    """A dash is flat; the TCVN3 letter that also is U+00AD is as tall as a letter."""
    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    c.FPDFText_GetCharBox(reader.text_page, index, left, right, bottom, top)
    width, height = reader.space.rect(left.value, bottom.value, right.value, top.value).width, top.value - bottom.value
    if reader.space.a == 0:
        width, height = height, right.value - left.value
    return 0x2D if min(width, height) < 0.25 * size else 0xAD


def _paint(handle: Any, mode: int) -> tuple[float, int]:
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    read = c.FPDFPageObj_GetStrokeColor if mode == c.FPDF_TEXTRENDERMODE_STROKE else c.FPDFPageObj_GetFillColor
    if not read(handle, red, green, blue, alpha):
        return (0.0, 255)
    return ((0.299 * red.value + 0.587 * green.value + 0.114 * blue.value) / 255, alpha.value)


def _font_name(reader: _Reader, handle: Any) -> str:
    """The font's own name, without the prefix of a subset; asked once a font and page."""
    font = c.FPDFTextObj_GetFont(handle)
    if not font:
        return ""
    key = ctypes.addressof(font.contents)
    if key not in reader.fonts:
        buffer = ctypes.create_string_buffer(256)
        c.FPDFFont_GetBaseFontName(font, buffer, 256)
        reader.fonts[key] = SUBSET_PREFIX.sub("", buffer.value.decode("utf-8", "replace"))
    return reader.fonts[key]


def _mark_overprints(reader: _Reader, seen: set[int]) -> None:
    """PDFium drops a text object printed twice with a slight shift: the one it kept is bold."""
    places: dict[tuple[int, int], list[Run]] = {}
    for run in reader.runs:
        if run.text:
            places.setdefault((round(run.left[0]), round(run.baseline)), []).append(run)
    for handle in page_objects(reader.page):
        if c.FPDFPageObj_GetType(handle) == c.FPDF_PAGEOBJ_TEXT and ctypes.addressof(handle.contents) not in seen:
            c.FPDFPageObj_GetMatrix(handle, reader.matrix)
            x, y = reader.space.point(reader.matrix.e, reader.matrix.f)
            for run in _near(places, x, y):
                reach = OVERPRINT_SHIFT * run.size
                run.bold = run.bold or (abs(run.left[0] - x) <= reach and abs(run.baseline - y) <= reach)


def _near(places: dict[tuple[int, int], list[Run]], x: float, y: float) -> list[Run]:
    column, row = round(x), round(y)
    return [run for i in (-1, 0, 1) for j in (-1, 0, 1) for run in places.get((column + i, row + j), ())]


def page_objects(page: Any) -> list[Any]:
    """The handles of a page's own objects (those inside forms are not opened)."""
    return [c.FPDFPage_GetObject(page, index) for index in range(c.FPDFPage_CountObjects(page))]
