"""Builds the sample's PDF: python -m ingest.sample.build [--edition N] [--out FILE] [--check]."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path

from ingest.sample.conventions import broken_conventions
from ingest.sample.front import front_pages, index_title
from ingest.sample.lines import Composer
from ingest.sample.pages import Page, Pager, furnish
from ingest.sample.pdf import FontMissingError, draw, fonts_present, register_fonts
from ingest.sample.source import BRAND_FILE, SAMPLE_DIR, SOURCES_DIR, BrandLine, Edition, Run, SourceError, load_edition
from ingest.sample.typeset import FLUSH, monograph_strips, text_strips

INDEX_OWNER = "index"


@dataclass(frozen=True, slots=True)
class IndexLine:
    """A line of the brand index as printed; page None where it prints none."""

    brand: str
    drug: str
    page: int | None

    @property
    def text(self) -> str:
        """Brand - Drug, page."""
        names = f"{self.brand} - {self.drug}"
        return names if self.page is None else f"{names}, {self.page}"


@dataclass(frozen=True, slots=True)
class Built:
    """A typeset edition: its bytes, the PDF page (from 1) and printed page where each slug starts, its index.

    places: PDF page of each (slug, mark): "title", or a section's key.
    """

    pdf: bytes
    starts: dict[str, tuple[int, int]]
    index: tuple[IndexLine, ...]
    page_count: int
    places: dict[tuple[str, str], int] = field(default_factory=dict)


def build(edition: Edition) -> Built:
    """Typesets an edition; raises FontMissingError where Tinos is not installed."""
    composer = Composer(register_fonts())
    body = _body(edition, composer)
    shift = edition.first_printed_page
    printed = {owner: n + shift for n, page in reversed(list(enumerate(body.pages))) for owner in page.owners}
    index = tuple(_index_line(line, edition, printed) for line in edition.brands)
    back = _index_pages(index, composer)
    front = front_pages(edition, composer, printed)
    _furnish_all(edition, composer, front, body.pages, back)
    pages = [*front, *body.pages, *back]
    starts = {owner: (page - shift + 1 + len(front), page) for owner, page in printed.items()}
    places = {place: number for number, page in enumerate(pages, start=1) for place in page.marks}
    pdf = draw(pages, title=edition.edition, subject=edition.footer)
    return Built(pdf, starts, index, len(pages), places)


def _body(edition: Edition, composer: Composer) -> Pager:
    """Chapters, monographs and appendices, each kind from a new page."""
    pager = Pager()
    for number, (_, part) in enumerate(groupby(edition.monographs, key=lambda monograph: monograph.kind)):
        if number:
            pager.new_page()
        pager.lay([strip for monograph in part for strip in monograph_strips(monograph, composer)])
    return pager


def _index_line(line: BrandLine, edition: Edition, printed: dict[str, int]) -> IndexLine:
    slug = next((m.slug for m in edition.monographs if line.drug in {m.running_head, m.slug}), None)
    if line.paged and slug is None:
        raise SourceError(SOURCES_DIR / BRAND_FILE, 1, f"'{line.brand}' trỏ tới '{line.drug}', không có trong ấn bản")
    return IndexLine(line.brand, line.drug, printed[slug] if line.paged and slug else None)


def _index_pages(index: Sequence[IndexLine], composer: Composer) -> list[Page]:
    if not index:
        return []
    pager = Pager()
    lines = [strip for line in index for strip in text_strips(composer, [Run(line.text)], FLUSH, justify=False)]
    pager.lay([replace(strip, owner=INDEX_OWNER) for strip in [*index_title(composer), *lines]])
    return pager.pages


def _furnish_all(
    edition: Edition, composer: Composer, front: Sequence[Page], body: Sequence[Page], back: Sequence[Page]
) -> None:
    names = {monograph.slug: monograph.running_head for monograph in edition.monographs}
    names[INDEX_OWNER] = "Mục lục tra cứu tên thương mại"
    for page in front:
        furnish(page, composer, running_head="", names="", printed=None, footer=edition.footer)
    for number, page in enumerate([*body, *back], edition.first_printed_page):
        ends = dict.fromkeys(names[owner] for owner in (page.owners[0], page.owners[-1]))
        heads = " - ".join(ends)
        furnish(page, composer, running_head=edition.running_head, names=heads, printed=number, footer=edition.footer)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; 1 where a source breaks the format or a convention."""
    options = _options(arguments)
    try:
        edition = load_edition(options.edition)
        if problems := _problems(edition):
            return _say(*problems, failed=True)
        if options.check and not fonts_present():
            return _say(f"{len(edition.monographs)} chuyên luận: không có lỗi (chưa thử dàn trang: thiếu phông Tinos)")
        built = build(edition)
    except (SourceError, FontMissingError) as problem:
        return _say(str(problem), failed=True)
    if options.check:
        return _say(f"{len(edition.monographs)} chuyên luận, {built.page_count} trang: không có lỗi")
    out = options.out or SAMPLE_DIR / edition.pdf
    out.write_bytes(built.pdf)
    return _say(f"{out}: {built.page_count} trang, {len(edition.monographs)} chuyên luận")


def _say(*lines: str, failed: bool = False) -> int:
    (sys.stderr if failed else sys.stdout).write("".join(f"{line}\n" for line in lines))
    return int(failed)


def _problems(edition: Edition) -> list[str]:
    return [str(p) for monograph in edition.monographs for p in broken_conventions(monograph)]


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m ingest.sample.build", description=__doc__)
    parser.add_argument("--edition", type=int, help="number of the edition (default: the bundled one)")
    parser.add_argument("--out", type=Path, help="file to write (default: the edition's own PDF)")
    parser.add_argument("--check", action="store_true", help="validate the sources, write nothing")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
