"""Draws pages with reportlab: Tinos embedded as subsets, no dates, the same bytes every time."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

from ingest.sample.ink import Ink, Measure, RuleInk
from ingest.sample.pages import HEIGHT, WIDTH, Page
from ingest.sample.source import Face

FONT_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.local/share/fonts", "~/.fonts", "~/Library/Fonts")
FONT_VARIABLE = "DUOCTHU_SAMPLE_FONTS"


class FontMissingError(RuntimeError):
    """Tinos is not on this machine."""

    def __init__(self) -> None:
        super().__init__(
            f"Tinos is not installed: install the package fonts-croscore, or set {FONT_VARIABLE} to its folder"
        )


def find_font(face: Face) -> Path | None:
    """The file of a face, or None where it is not installed."""
    folders = (os.environ.get(FONT_VARIABLE, ""), *FONT_FOLDERS)
    for folder in (Path(name).expanduser() for name in folders if name):
        if found := sorted(folder.rglob(f"Tinos-{face}.ttf")):
            return found[0]
    return None


def fonts_present() -> bool:
    """Whether the sample can be typeset here."""
    return all(find_font(face) for face in Face)


def register_fonts() -> Measure:
    """Makes the four faces known to reportlab; returns the measuring function."""
    for face in Face:
        path = find_font(face)
        if path is None:
            raise FontMissingError
        pdfmetrics.registerFont(TTFont(f"Tinos-{face}", str(path)))
    return lambda text, face, size: float(pdfmetrics.stringWidth(text, f"Tinos-{face}", size))


def draw(pages: Sequence[Page], *, title: str, subject: str) -> bytes:
    """The PDF of the pages."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=(WIDTH, HEIGHT), invariant=1, pageCompression=1, initialFontName="Tinos-Regular")
    canvas.setTitle(title)
    canvas.setSubject(subject)
    canvas.setAuthor("Dược thư")
    for page in pages:
        for ink in page.ink:
            _draw_ink(canvas, ink)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def _draw_ink(canvas: Any, ink: Ink) -> None:
    if isinstance(ink, RuleInk):
        canvas.setLineWidth(ink.thickness)
        canvas.line(ink.x0, HEIGHT - ink.y0, ink.x1, HEIGHT - ink.y1)
        return
    text = canvas.beginText(ink.x, HEIGHT - ink.y)
    text.setFont(f"Tinos-{ink.face}", ink.size)
    text.setWordSpace(ink.word_space)
    text.textOut(ink.text)
    canvas.drawText(text)
