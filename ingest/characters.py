"""Raw characters of a page, read through PDFium's C API: text, place, effective size, weight, visibility."""

from __future__ import annotations

import ctypes
import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pypdfium2.raw as c

from ingest.geometry import PageSpace, Rect

PDFIUM_HYPHEN = 0x02  # what PDFium makes of a hyphen, or of U+00AD, at the end of a line
RANGE_HYPHEN = 0xFFFE
SPACE, DELETE, NO_BREAK_SPACE = 0x20, 0x7F, 0xA0
WHITE_SPACE = frozenset({0x09, 0x0A, 0x0D})
INVISIBLE_MODES = frozenset({c.FPDF_TEXTRENDERMODE_INVISIBLE, c.FPDF_TEXTRENDERMODE_CLIP})
STROKED_MODES = frozenset({c.FPDF_TEXTRENDERMODE_FILL_STROKE, c.FPDF_TEXTRENDERMODE_FILL_STROKE_CLIP})
BOLD_NAME = re.compile(r"bold|black|heavy|demi", re.IGNORECASE)
ITALIC_NAME = re.compile(r"ital|obliq", re.IGNORECASE)
SUBSET_PREFIX = re.compile(r"^[A-Z]{6}\+")
PALE, WHITE = 0.6, 0.97  # luminance from which text is a watermark, or cannot be seen on paper
SLANT = 0.15
OVERPRINT_SHIFT = 0.12  # em: how far a second printing that makes text bold may lie from the first
ASCENT, DESCENT = 0.7, 0.22  # em, where the font cannot be asked
VISIBLE = 0.5  # points
FALLBACK_SIZE = 9.0  # points
USUAL_WIDTH = 0.5  # em
FLAT = 0.25  # em: a dash is no taller than this

Adder = Callable[[int, int], None]
# The same function returning the bare address: half the cost of a pointer object, 6,000 times a page.
_object_address = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)(
    ctypes.cast(c.FPDFText_GetTextObject, ctypes.c_void_p).value or 0
)


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
    lost: tuple[Rect, ...] = ()
    texts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PageCharacters:
    """What PDFium gives of one page."""

    width: float
    height: float
    runs: list[Run]
    hidden: Hidden


@dataclass(frozen=True, slots=True)
class _Face:
    """A font as far as its name tells."""

    name: str
    bold: bool
    italic: bool


@dataclass(slots=True)
class _Reader:
    """Reused buffers and the running tally of one page."""

    text_page: Any
    space: PageSpace
    runs: list[Run] = field(default_factory=list)
    rotated: list[Rect] = field(default_factory=list)
    tally: Counter[str] = field(default_factory=Counter)
    aside: dict[str, list[str]] = field(default_factory=dict)
    faces: dict[int, _Face] = field(default_factory=dict)
    widths: dict[tuple[int, int], float] = field(default_factory=dict)
    box: Any = field(default_factory=c.FS_RECTF)
    matrix: Any = field(default_factory=c.FS_MATRIX)
    doubles: list[Any] = field(default_factory=lambda: [ctypes.c_double() for _ in range(4)])
    colours: list[Any] = field(default_factory=lambda: [ctypes.c_uint() for _ in range(4)])


def page_space(page: Any) -> PageSpace:
    """How a page is displayed."""
    box = c.FS_RECTF()
    c.FPDF_GetPageBoundingBox(page, box)
    return PageSpace.of_page(box.left, box.bottom, box.right, box.top, c.FPDFPage_GetRotation(page))


def read_characters(page: Any, text_objects: Sequence[Any]) -> PageCharacters:
    """Read one loaded page (a raw FPDF_PAGE), given its text objects. The caller keeps it open and closes it."""
    text_page = c.FPDFText_LoadPage(page)
    reader = _Reader(text_page, page_space(page))
    try:
        seen = _read_text_objects(reader)
        unseen = [handle for handle in text_objects if ctypes.addressof(handle.contents) not in seen]
        lost = _mark_overprints(reader, unseen)
    finally:
        c.FPDFText_ClosePage(text_page)
    tally = reader.tally
    hidden = Hidden(
        invisible=tally["invisible"],
        pale=tally["pale"],
        outside=tally["outside"],
        rotated=tuple(reader.rotated),
        lost=tuple(lost),
        texts=tuple("".join(letters) for letters in reader.aside.values()),
    )
    return PageCharacters(reader.space.width, reader.space.height, [r for r in reader.runs if r.text], hidden)


def _read_text_objects(reader: _Reader) -> set[int]:
    """Walk the characters; consecutive ones of one text object make a run. Generated ones have no object."""
    get_unicode, text_page = c.FPDFText_GetUnicode, reader.text_page
    address = ctypes.cast(text_page, ctypes.c_void_p)
    current, seen = 0, set()
    add: Adder = _ignore
    for index in range(c.FPDFText_CountChars(text_page)):
        key = _object_address(address, index)
        if not key:
            continue
        if key != current:
            current = key
            seen.add(key)
            add = _start_run(reader, index)
        add(index, get_unicode(text_page, index))
    return seen


def _ignore(_index: int, _code: int) -> None:
    """Before the first text object there is nothing to add to."""


def _start_run(reader: _Reader, index: int) -> Adder:
    """The function that takes this text object's characters: into a run, or aside with the reason."""
    handle = c.FPDFText_GetTextObject(reader.text_page, index)
    matrix = reader.matrix
    c.FPDFText_GetMatrix(reader.text_page, index, matrix)
    dx, dy = reader.space.direction(matrix.a, matrix.b)
    ux, uy = reader.space.direction(matrix.c, matrix.d)
    size = c.FPDFText_GetFontSize(reader.text_page, index) * math.hypot(ux, uy)
    mode = c.FPDFTextObj_GetTextRenderMode(handle)
    luminance, alpha = _paint(reader, handle, mode)
    if mode in INVISIBLE_MODES or alpha == 0 or luminance >= WHITE or size <= 0:
        return _aside(reader, "invisible", f"{mode}")
    if luminance >= PALE:
        return _aside(reader, "pale", f"{luminance:.2f}")
    if not (dx > 0 and abs(dy) < 0.03 * dx and uy < 0):
        return _aside_rotated(reader)
    face = _face(reader, handle)
    run = Run(
        font=face.name,
        size=size,
        baseline=_baseline(reader, index),
        bold=face.bold or mode in STROKED_MODES,
        italic=face.italic or abs(ux) > SLANT * abs(uy),
    )
    reader.runs.append(run)
    upright = reader.space.a == 1 and matrix.b == 0
    if upright:
        return _upright_adder(reader, run, index)
    stretch = c.FPDFText_GetFontSize(reader.text_page, index) * math.hypot(dx, dy)
    return _general_adder(reader, run, handle, stretch)


def _upright_adder(reader: _Reader, run: Run, index: int) -> Adder:
    """The usual case, made fast: no rotation, so that only x differs within a run."""
    box, text_page, get_box = reader.box, reader.text_page, c.FPDFText_GetLooseCharBox
    pointer = ctypes.byref(box)
    shift, width, height = reader.space.c, reader.space.width, reader.space.height
    texts, lefts, rights = run.text.append, run.left.append, run.right.append
    get_box(text_page, index, pointer)
    run.top, run.bottom = reader.space.f - box.top, reader.space.f - box.bottom
    if run.bottom < 0 or run.top > height:
        return _outside(reader)

    def add(index: int, code: int) -> None:
        get_box(text_page, index, pointer)
        left, right = box.left + shift, box.right + shift
        if right < 0 or left > width:
            reader.tally["outside"] += 1
            return
        if code < SPACE or DELETE <= code < NO_BREAK_SPACE or code == RANGE_HYPHEN:
            code = _strange_code(reader, index, code, run.size)
        texts(chr(code))
        lefts(left)
        rights(right)

    return add


def _general_adder(reader: _Reader, run: Run, handle: Any, stretch: float) -> Adder:
    """Turned pages: origins and advance widths, as PDFium computes loose boxes for unturned text only."""
    space, (x, y) = reader.space, reader.doubles[:2]
    font = c.FPDFTextObj_GetFont(handle)
    run.top, run.bottom = run.baseline - ASCENT * run.size, run.baseline + DESCENT * run.size

    def add(index: int, code: int) -> None:
        c.FPDFText_GetCharOrigin(reader.text_page, index, x, y)
        left, level = space.point(x.value, y.value)
        right = left + _advance(reader, font, code) * stretch
        if right < 0 or left > space.width or level < 0 or level > space.height:
            reader.tally["outside"] += 1
            return
        if code < SPACE or DELETE <= code < NO_BREAK_SPACE or code == RANGE_HYPHEN:
            code = _strange_code(reader, index, code, run.size)
        run.text.append(chr(code))
        run.left.append(left)
        run.right.append(right)

    return add


def _advance(reader: _Reader, font: Any, code: int) -> float:
    """The width of a character in em; asked once a font and page."""
    key = (ctypes.addressof(font.contents) if font else 0, code)
    width = reader.widths.get(key)
    if width is None:
        answer = ctypes.c_float()
        known = font and c.FPDFFont_GetGlyphWidth(font, code, 1.0, answer)
        width = reader.widths[key] = answer.value if known and answer.value > 0 else USUAL_WIDTH
    return width


def _strange_code(reader: _Reader, index: int, code: int, size: float) -> int:
    """A dash is flat; the TCVN3 letter that also is U+00AD is as tall as a letter. A code that is no letter is U+FFFD:
    something is printed there, and a font that was lost tells nothing of what."""
    if code in WHITE_SPACE:
        return SPACE
    if code not in (PDFIUM_HYPHEN, RANGE_HYPHEN):
        return 0xFFFD
    _tight_box(reader, index)
    box = reader.box
    rect = reader.space.rect(box.left, box.bottom, box.right, box.top)
    return 0x2D if rect.height < FLAT * size else 0xAD


def _outside(reader: _Reader) -> Adder:
    def add(_index: int, _code: int) -> None:
        reader.tally["outside"] += 1

    return add


def _aside(reader: _Reader, reason: str, detail: str) -> Adder:
    letters = reader.aside.setdefault(f"{reason} {detail}", [])

    def add(_index: int, code: int) -> None:
        reader.tally[reason] += 1
        if len(letters) < 80:
            letters.append(chr(code) if code >= 32 else " ")

    return add


def _aside_rotated(reader: _Reader) -> Adder:
    """Dark rotated text keeps its place, so that its crop can be shown."""

    def add(index: int, _code: int) -> None:
        _tight_box(reader, index)
        box = reader.box
        reader.rotated.append(reader.space.rect(box.left, box.bottom, box.right, box.top))

    return add


def _tight_box(reader: _Reader, index: int) -> None:
    left, right, bottom, top = reader.doubles
    c.FPDFText_GetCharBox(reader.text_page, index, left, right, bottom, top)
    box = reader.box
    box.left, box.right, box.bottom, box.top = left.value, right.value, bottom.value, top.value


def _baseline(reader: _Reader, index: int) -> float:
    x, y = reader.doubles[:2]
    c.FPDFText_GetCharOrigin(reader.text_page, index, x, y)
    return reader.space.point(x.value, y.value)[1]


def _paint(reader: _Reader, handle: Any, mode: int) -> tuple[float, int]:
    """Luminance from 0 (black) to 1 and opacity to 255 of the text's paint."""
    red, green, blue, alpha = reader.colours
    read = c.FPDFPageObj_GetStrokeColor if mode == c.FPDF_TEXTRENDERMODE_STROKE else c.FPDFPageObj_GetFillColor
    if not read(handle, red, green, blue, alpha):
        return (0.0, 255)
    return ((0.299 * red.value + 0.587 * green.value + 0.114 * blue.value) / 255, alpha.value)


def _face(reader: _Reader, handle: Any) -> _Face:
    """The font's own name, without the prefix of a subset; asked once a font and page."""
    font = c.FPDFTextObj_GetFont(handle)
    key = ctypes.addressof(font.contents) if font else 0
    face = reader.faces.get(key)
    if face is None:
        buffer = ctypes.create_string_buffer(256)
        if font:
            c.FPDFFont_GetBaseFontName(font, buffer, 256)
        name = SUBSET_PREFIX.sub("", buffer.value.decode("utf-8", "replace"))
        face = reader.faces[key] = _Face(name, bool(BOLD_NAME.search(name)), bool(ITALIC_NAME.search(name)))
    return face


def _mark_overprints(reader: _Reader, unseen: Sequence[Any]) -> list[Rect]:
    """PDFium drops a text object printed twice with a slight shift: the one it kept is bold.

    Returns where other dropped objects stand: they show glyphs that no letter is known for.
    """
    lost: list[Rect] = []
    if not unseen:
        return lost
    places: dict[tuple[int, int], list[Run]] = {}
    for run in reader.runs:
        if run.text:
            places.setdefault((round(run.left[0]), round(run.baseline)), []).append(run)
    for handle in unseen:
        c.FPDFPageObj_GetMatrix(handle, reader.matrix)
        x, y = reader.space.point(reader.matrix.e, reader.matrix.f)
        twins = [run for run in _near(places, x, y) if _is_close(run, x, y)]
        for run in twins:
            run.bold = True
        if not twins and not _is_blank(reader, handle):
            lost.append(Rect(x, y - ASCENT * FALLBACK_SIZE, x + FALLBACK_SIZE, y))
    return lost


def _is_close(run: Run, x: float, y: float) -> bool:
    reach = OVERPRINT_SHIFT * run.size
    return abs(run.left[0] - x) <= reach and abs(run.baseline - y) <= reach


def _is_blank(reader: _Reader, handle: Any) -> bool:
    """Whether a text object shows nothing: no extent, or spaces only."""
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    c.FPDFPageObj_GetBounds(handle, left, bottom, right, top)
    if right.value - left.value < VISIBLE or top.value - bottom.value < VISIBLE:
        return True
    size = c.FPDFTextObj_GetText(handle, reader.text_page, None, 0)
    buffer = (ctypes.c_ushort * (size // 2 + 1))()
    c.FPDFTextObj_GetText(handle, reader.text_page, buffer, size)
    codes = list(buffer)[: max(0, size // 2 - 1)]
    return bool(codes) and all(chr(code).isspace() for code in codes)


def _near(places: dict[tuple[int, int], list[Run]], x: float, y: float) -> list[Run]:
    column, row = round(x), round(y)
    return [run for i in (-1, 0, 1) for j in (-1, 0, 1) for run in places.get((column + i, row + j), ())]
