"""Draws test pages with reportlab: rotation, crop box, render modes and text order as the layout asks."""

from __future__ import annotations

from reportlab.pdfgen.canvas import Canvas

from tests.pages.layout import Layout, Page, Shown


def paint(canvas: Canvas, layout: Layout, page: Page, index: int) -> None:
    """One page, its running head and all."""
    width, height = layout.width + 2 * layout.crop, layout.height + 2 * layout.crop
    turned = layout.rotation in (90, 270)
    canvas.setPageSize((width, height))  # reportlab swaps the sides of a turned page itself
    if layout.rotation:
        canvas.setPageRotation(layout.rotation)
    if layout.crop:
        canvas.setCropBox(
            (layout.crop, layout.crop, (height if turned else width) - layout.crop,
             (width if turned else height) - layout.crop)
        )  # fmt: skip
    canvas.saveState()
    _turn(canvas, layout.rotation, width, height)
    canvas.translate(layout.crop, layout.crop)
    for shown in [*_running(layout, index), *_in_file_order(layout, page)]:
        _show(canvas, shown, layout)
    for x0, y0, x1, y1 in page.rules:
        canvas.line(x0, layout.height - y0, x1, layout.height - y1)
    for x0, y0, x1, y1 in page.boxes:
        canvas.rect(x0, layout.height - y1, x1 - x0, y1 - y0, fill=1)
    canvas.restoreState()
    canvas.showPage()


def _running(layout: Layout, index: int) -> list[Shown]:
    number = "" if layout.first_number is None else str(layout.first_number + index)
    y = layout.top - 20
    head = [Shown(layout.left, y, layout.head, "Regular", 9.0)] if layout.head else []
    if number and layout.number_at_foot:
        head.append(Shown(layout.width / 2, layout.height - layout.bottom + 18, number, "Regular", 9.0))
    elif number:
        head.append(Shown(layout.width - layout.right - 20, y, number, "Regular", 9.0))
    return head


def _in_file_order(layout: Layout, page: Page) -> list[Shown]:
    middle = layout.width / 2
    match layout.order:
        case "interleaved":
            return sorted(page.shown, key=lambda shown: (round(shown.y / 4), shown.x))
        case "right_first":
            return sorted(page.shown, key=lambda shown: shown.x < middle)
        case _:
            return page.shown


def _turn(canvas: Canvas, rotation: int, width: float, height: float) -> None:
    """Draw so that the rotated page stands upright."""
    match rotation:
        case 90:
            canvas.translate(height, 0)
            canvas.rotate(90)
        case 180:
            canvas.translate(width, height)
            canvas.rotate(180)
        case 270:
            canvas.translate(0, width)
            canvas.rotate(270)
        case _:
            pass


def _show(canvas: Canvas, shown: Shown, layout: Layout) -> None:
    text = canvas.beginText()
    canvas.setFillGray(shown.grey)
    scale = shown.size if layout.in_matrix else 1.0
    text.setFont(shown.face, shown.size / scale)
    if shown.angle:
        canvas.saveState()
        canvas.translate(shown.x, layout.height - shown.y)
        canvas.rotate(shown.angle)
        text.setTextOrigin(0, 0)
    elif layout.in_matrix:
        text.setTextTransform(scale, 0, 0, scale, shown.x, layout.height - shown.y)
    else:
        text.setTextOrigin(shown.x, layout.height - shown.y)
    text.setTextRenderMode(shown.mode)
    text.textOut(shown.text)
    text.setTextRenderMode(0)
    canvas.drawText(text)
    if shown.angle:
        canvas.restoreState()
    canvas.setFillGray(0)
