"""A small typesetter of two-column pages, wide awake to how PDFs go wrong: every fault is a setting of Layout."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import pytest
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont, makeToUnicodeCMap
from reportlab.pdfgen.canvas import Canvas

from ingest.sample.pdf import FontMissingError, find_font
from ingest.sample.source import Face
from tests.pages.ink import Ink, Word, words
from tests.pages.layout import Layout, Page, Shown
from tests.pages.painter import paint

FACES = {(False, False): "Regular", (True, False): "Bold", (False, True): "Italic", (True, True): "BoldItalic"}
SCRIPT_SIZE, RAISE, LOWER = 0.62, 0.36, -0.14


def register_fonts(families: dict[str, str]) -> None:
    """Tinos in four faces, and the same letters under other names (".VnTime"). Skips the test without Tinos."""
    paths = {face.value: find_font(face) for face in Face}
    if not all(paths.values()):
        pytest.skip(str(FontMissingError()))
    for face, path in paths.items():
        pdfmetrics.registerFont(TTFont(face, str(path)))
    for name, face in families.items():
        font = TTFont(name, str(paths[face]))
        font.face.name = name.encode()
        pdfmetrics.registerFont(font)


class Typesetter:
    """Fills columns line by line; what it is told to print is what a parser should find."""

    def __init__(self, layout: Layout | None = None) -> None:
        self.layout = layout or Layout()
        register_fonts(self.layout.families)
        self.pages: list[Page] = []
        self.column = self.layout.columns
        self.y = self.head_y = self.layout.top
        self.new_page()

    @property
    def step(self) -> float:
        """From one baseline to the next."""
        return self.layout.body * self.layout.lead

    @property
    def measure(self) -> float:
        """The width of a column."""
        inner = self.layout.width - self.layout.left - self.layout.right
        return (inner - self.layout.gutter * (self.layout.columns - 1)) / self.layout.columns

    @property
    def page(self) -> Page:
        """The page being filled."""
        return self.pages[-1]

    @property
    def x(self) -> float:
        """The left edge of the column being filled."""
        shift = self.layout.mirror if len(self.pages) % 2 == 0 else 0.0
        return self.layout.left + shift + self.column * (self.measure + self.layout.gutter)

    def new_page(self) -> None:
        """Go on at the head of a fresh page."""
        self.pages.append(Page())
        self.head_y = self.layout.top
        self.column, self.y = 0, self.head_y

    def new_column(self) -> None:
        """Go on at the head of the next column."""
        self.column, self.y = self.column + 1, self.head_y
        if self.column >= self.layout.columns:
            self.new_page()

    def room(self, height: float) -> None:
        """Make sure that so much fits below."""
        if self.y + height > self.layout.height - self.layout.bottom:
            self.new_column()

    def line(
        self, shown: Sequence[Word], *, indent: float = 0.0, size: float | None = None, full: bool = False
    ) -> None:
        """One printed line; full: stretched to the column's width."""
        size = size or self.layout.body
        self.room(self.step)
        self.y += self.step
        gap = self._width("Regular", " ", size)
        if full and len(shown) > 1:
            used = sum(self._word_width(word, size) for word in shown)
            gap = (self.measure - indent - used) / (len(shown) - 1)
        x = self.x + indent
        for index, word in enumerate(shown):
            last = index == len(shown) - 1
            x = self._word(word, x, size, trailing=self.layout.spaced and not last) + gap

    def paragraph(self, marked: str, *, indent: bool = False, size: float | None = None) -> None:
        """Broken into lines; all but the last are stretched when the layout justifies."""
        lines = self.broken(marked, indent=self.layout.indent if indent else 0.0, size=size)
        for index, shown in enumerate(lines):
            first = self.layout.indent if indent and index == 0 else 0.0
            self.line(shown, indent=first, size=size, full=self.layout.justify and index < len(lines) - 1)

    def broken(self, marked: str, *, indent: float = 0.0, size: float | None = None) -> list[list[Word]]:
        """The lines of a paragraph."""
        size = size or self.layout.body
        lines: list[list[Word]] = [[]]
        room = self.measure - indent
        for word in words(marked):
            width = self._word_width(word, size) + (self._width("Regular", " ", size) if lines[-1] else 0.0)
            if width > room and lines[-1]:
                lines.append([])
                room, width = self.measure, self._word_width(word, size)
            lines[-1].append(word)
            room -= width
        return lines

    def skip(self, lines: float = 1.0) -> None:
        """Leave lines blank."""
        self.y += lines * self.step

    def put(self, shown: Shown) -> None:
        """Anything, anywhere."""
        self.page.shown.append(shown)

    def save(self, path: Path) -> Path:
        """Write the PDF, running heads and all."""
        canvas = Canvas(str(path), invariant=1, initialFontName="Regular")
        for index, page in enumerate(self.pages):
            paint(canvas, self.layout, page, index)
        with patch("reportlab.pdfbase.ttfonts.makeToUnicodeCMap", self._claims):
            canvas.save()
        return path

    def _claims(self, name: str, subset: list[int]) -> str:
        """The font's table from codes to letters, lies included."""
        says = {ord(letter): ord(claim) for letter, claim in self.layout.says.items()}
        return str(makeToUnicodeCMap(name, [says.get(code, code) for code in subset]))

    def _width(self, face: str, text: str, size: float) -> float:
        return float(pdfmetrics.stringWidth(text, face, size))

    def _ink(self, ink: Ink, size: float) -> tuple[str, float, float]:
        face = FACES[(ink.bold and self.layout.bold == "font", ink.italic)]
        if ink.script:
            return face, size * SCRIPT_SIZE, size * (RAISE if ink.script > 0 else LOWER)
        return face, size, 0.0

    def _word_width(self, word: Word, size: float) -> float:
        total = 0.0
        for ink in word:
            face, own, _ = self._ink(ink, size)
            total += self._width(face, ink.text.replace("~", " "), own)
        return total

    def _word(self, word: Word, x: float, size: float, *, trailing: bool) -> float:
        for index, ink in enumerate(word):
            face, own, rise = self._ink(ink, size)
            text = ink.text.replace("~", " ")
            mode = 2 if ink.bold and self.layout.bold == "stroke" else 0
            end = " " if trailing and index == len(word) - 1 else ""
            shown = Shown(x, self.y - rise, text + end, face, own, mode=mode)
            for part in self._parts(shown):
                self.put(part)
                if ink.bold and self.layout.bold == "overprint":
                    self.put(replace(part, x=part.x + 0.25))
            x += self._width(face, text, own)
        return x

    def _parts(self, shown: Shown) -> list[Shown]:
        """One text object, or one a letter; gaps alone where spaces are not characters."""
        if self.layout.per_letter:
            cuts = list(range(len(shown.text)))
        elif self.layout.spaced:
            return [shown]
        else:
            cuts = [0] + [at + 1 for at, letter in enumerate(shown.text) if letter == " "]
        ends = [*cuts[1:], len(shown.text)]
        parts = []
        for start, end in zip(cuts, ends, strict=True):
            x = shown.x + self._width(shown.face, shown.text[:start], shown.size)
            text = shown.text[start:end] if self.layout.spaced else shown.text[start:end].strip(" ")
            if text:
                parts.append(replace(shown, x=x, text=text))
        return parts
