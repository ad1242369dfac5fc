"""A formulary of test pages, together with what a parser should make of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.pages.ink import plain, words
from tests.pages.layout import Layout
from tests.pages.typesetter import Typesetter


@dataclass(slots=True)
class ExpectedSection:
    """A heading and the paragraphs under it."""

    heading: str
    page: int
    paragraphs: list[str] = field(default_factory=list)


@dataclass(slots=True)
class ExpectedMonograph:
    """A title and its sections."""

    title: str
    page: int
    sections: list[ExpectedSection] = field(default_factory=list)


class Book(Typesetter):
    """Typesets monographs and remembers them."""

    def __init__(self, layout: Layout | None = None) -> None:
        super().__init__(layout)
        self.monographs: list[ExpectedMonograph] = []

    def title(self, text: str, *, lines: Sequence[str] = ()) -> None:
        """A title in bold capitals; lines: how it is printed, where that is not simply the text."""
        self.skip(0.8)
        self.room(5 * self.step)
        for line in lines or [text]:
            for shown in self.broken(f"<b>{line}</b>", size=self.layout.title):
                self.line(shown, size=self.layout.title)
        self.monographs.append(ExpectedMonograph(text, len(self.pages)))

    def run_in(self, heading: str, value: str) -> None:
        """A heading with its text on the same line."""
        self.expect(heading, value)
        self.paragraph(f"<b>{heading}:</b> {value}")

    def heading(self, text: str) -> None:
        """A heading on its own line."""
        self.room(2 * self.step)
        self.line(words(f"<b>{text}</b>"))
        self.expect(text)

    def expect(self, heading: str, *paragraphs: str) -> None:
        """A section that the caller prints itself."""
        self.monographs[-1].sections.append(
            ExpectedSection(heading, len(self.pages), [plain(text) for text in paragraphs])
        )

    def text(self, marked: str, *, indent: bool = False) -> None:
        """A paragraph of the section begun last."""
        self.monographs[-1].sections[-1].paragraphs.append(plain(marked))
        self.paragraph(marked, indent=indent)

    def opening(self, inn: str, code: str = "A01AA01", group: str = "Thuốc thử nghiệm.") -> None:
        """The three run-in headings with which every monograph begins."""
        self.run_in("Tên chung quốc tế", inn)
        self.run_in("Mã ATC", code)
        self.run_in("Loại thuốc", group)

    def table(
        self, rows: Sequence[Sequence[str]], *, style: str = "ruled", wide: bool = False, pad: float = 3.0
    ) -> None:
        """Rows of cells: "ruled", "booktabs" or "unruled"; a wide one stands across a fresh page's head."""
        if wide:
            self.new_page()
        width = self.layout.width - self.layout.left - self.layout.right if wide else self.measure
        size, height = self.layout.body * 0.88, self.layout.body * 1.47
        cell = width / len(rows[0])
        self.room(min(len(rows), 2) * height)
        top = self.y + 3
        for index, row in enumerate(rows):
            if self.y + height > self.layout.height - self.layout.bottom:
                self._rules(top, cell, len(row), style)
                self.new_column()
                top = self.y + 3
            if style != "unruled" and (style == "ruled" or index in (0, 1)):
                self.page.rules.append((self.x, self.y + 3, self.x + width, self.y + 3))
            self._cells(row, cell, size, height, pad)
        self._rules(top, cell, len(rows[0]), style)
        self.y += 6
        if wide:
            self.head_y = self.y

    def _cells(self, row: Sequence[str], cell: float, size: float, height: float, pad: float) -> None:
        self.y += height
        for column, text in enumerate(row):
            x = self.x + column * cell + pad
            for word in words(text):
                x = self._word(word, x, size, trailing=True) + self._width("Regular", " ", size)

    def _rules(self, top: float, cell: float, columns: int, style: str) -> None:
        bottom = self.y + 3
        if style != "unruled":
            self.page.rules.append((self.x, bottom, self.x + columns * cell, bottom))
        if style == "ruled":
            for column in range(columns + 1):
                x = self.x + column * cell
                self.page.rules.append((x, top, x, bottom))

    def saved(self, folder: Path) -> Path:
        """The PDF in a folder."""
        return self.save(folder / "sach.pdf")
