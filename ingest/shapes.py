"""Rules and pictures of a page: axis-aligned strokes, thin bars and images, in displayed points."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pypdfium2.raw as c

from ingest.geometry import PageSpace, Rect

THIN = 2.0  # points: a filled bar no thicker than this is a rule
SHORT = 3.0  # points: shorter strokes are dots and ornaments
MAX_SEGMENTS = 4_000
MAX_DEPTH = 8  # forms inside forms
BACKGROUND = 0.6  # share of the page: a larger picture is paper, not a figure
SMALL_PICTURE = 8.0  # points
Matrix = tuple[float, float, float, float, float, float]
IDENTITY: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Rule:
    """A straight stroke: horizontal (y0 = y1) or vertical (x0 = x1)."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def horizontal(self) -> bool:
        """Whether it runs across."""
        return self.x1 - self.x0 >= self.y1 - self.y0

    @property
    def rect(self) -> Rect:
        """As a rectangle without thickness."""
        return Rect(self.x0, self.y0, self.x1, self.y1)

    @property
    def length(self) -> float:
        """In points."""
        return max(self.x1 - self.x0, self.y1 - self.y0)


@dataclass(frozen=True, slots=True)
class PageShapes:
    """What a page shows besides text."""

    rules: tuple[Rule, ...] = ()
    pictures: tuple[Rect, ...] = ()


@dataclass(frozen=True, slots=True)
class PageObjects:
    """Handles of a page's objects, valid while the page is open; shapes come with the matrix of their form."""

    texts: list[Any]
    shapes: list[tuple[int, Any, Matrix]]


def list_objects(page: Any) -> PageObjects:
    """The objects of one loaded page; text inside forms is left out, shapes inside forms are not."""
    found = PageObjects([], [])
    kind_of = c.FPDFPageObj_GetType
    for index in range(c.FPDFPage_CountObjects(page)):
        handle = c.FPDFPage_GetObject(page, index)
        kind = kind_of(handle)
        if kind == c.FPDF_PAGEOBJ_TEXT:
            found.texts.append(handle)
        elif kind == c.FPDF_PAGEOBJ_FORM:
            found.shapes.extend(_inside_form(handle, IDENTITY, 0))
        else:
            found.shapes.append((kind, handle, IDENTITY))
    return found


def _inside_form(form: Any, outer: Matrix, depth: int) -> Iterator[tuple[int, Any, Matrix]]:
    matrix = _times(_matrix(form), outer)
    for index in range(c.FPDFFormObj_CountObjects(form)):
        handle = c.FPDFFormObj_GetObject(form, index)
        kind = c.FPDFPageObj_GetType(handle)
        if kind != c.FPDF_PAGEOBJ_FORM:
            yield kind, handle, matrix
        elif depth < MAX_DEPTH:
            yield from _inside_form(handle, matrix, depth + 1)


def read_shapes(objects: PageObjects, space: PageSpace) -> PageShapes:
    """Rules and pictures among a page's objects."""
    rules: list[Rule] = []
    pictures: list[Rect] = []
    for kind, handle, matrix in objects.shapes:
        if kind == c.FPDF_PAGEOBJ_PATH:
            rules += _rules_of_path(handle, matrix, space)
        elif kind in (c.FPDF_PAGEOBJ_IMAGE, c.FPDF_PAGEOBJ_SHADING):
            box = _bounds(handle, matrix, space)
            if box is not None and _is_picture(box, space):
                pictures.append(box)
    return PageShapes(tuple(rule for rule in rules if rule.length >= SHORT), tuple(pictures))


def _matrix(handle: Any) -> Matrix:
    matrix = c.FS_MATRIX()
    c.FPDFPageObj_GetMatrix(handle, matrix)
    return (matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f)


def _times(first: Matrix, then: Matrix) -> Matrix:
    a, b, cc, d, e, f = first
    a2, b2, c2, d2, e2, f2 = then
    return (
        a * a2 + b * c2,
        a * b2 + b * d2,
        cc * a2 + d * c2,
        cc * b2 + d * d2,
        e * a2 + f * c2 + e2,
        e * b2 + f * d2 + f2,
    )


def _apply(matrix: Matrix, x: float, y: float) -> tuple[float, float]:
    a, b, cc, d, e, f = matrix
    return (a * x + cc * y + e, b * x + d * y + f)


def _bounds(handle: Any, matrix: Matrix, space: PageSpace) -> Rect | None:
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    if not c.FPDFPageObj_GetBounds(handle, left, bottom, right, top):
        return None
    if matrix == IDENTITY:
        return space.rect(left.value, bottom.value, right.value, top.value)
    corners = [_apply(matrix, x, y) for x in (left.value, right.value) for y in (bottom.value, top.value)]
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    return space.rect(min(xs), min(ys), max(xs), max(ys))


def _is_picture(box: Rect, space: PageSpace) -> bool:
    large = box.area > BACKGROUND * space.width * space.height
    return not large and min(box.width, box.height) >= SMALL_PICTURE


def _rules_of_path(handle: Any, matrix: Matrix, space: PageSpace) -> list[Rule]:
    box = _bounds(handle, matrix, space)
    if box is None:
        return []
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    c.FPDFPath_GetDrawMode(handle, fill, stroke)
    if not fill.value and not stroke.value:
        return []
    if min(box.width, box.height) <= THIN:
        return [_bar(box)]
    if not stroke.value or c.FPDFPath_CountSegments(handle) > MAX_SEGMENTS:
        return []
    return _strokes(handle, _times(_matrix(handle), matrix), space)


def _bar(box: Rect) -> Rule:
    if box.width >= box.height:
        middle = (box.y0 + box.y1) / 2
        return Rule(box.x0, middle, box.x1, middle)
    middle = (box.x0 + box.x1) / 2
    return Rule(middle, box.y0, middle, box.y1)


def _strokes(handle: Any, matrix: Matrix, space: PageSpace) -> list[Rule]:
    """The straight axis-aligned segments of a stroked path."""
    rules: list[Rule] = []
    x, y = ctypes.c_float(), ctypes.c_float()
    start = last = (0.0, 0.0)
    for index in range(c.FPDFPath_CountSegments(handle)):
        segment = c.FPDFPath_GetPathSegment(handle, index)
        c.FPDFPathSegment_GetPoint(segment, x, y)
        point = space.point(*_apply(matrix, x.value, y.value))
        kind = c.FPDFPathSegment_GetType(segment)
        if kind == c.FPDF_SEGMENT_MOVETO:
            start = point
        elif kind == c.FPDF_SEGMENT_LINETO:
            rules += _stroke(last, point)
        last = point
        if c.FPDFPathSegment_GetClose(segment):
            rules += _stroke(last, start)
    return rules


def _stroke(a: tuple[float, float], b: tuple[float, float]) -> list[Rule]:
    x0, x1 = sorted((a[0], b[0]))
    y0, y1 = sorted((a[1], b[1]))
    return [_bar(Rect(x0, y0, x1, y1))] if min(x1 - x0, y1 - y0) <= 0.5 else []
