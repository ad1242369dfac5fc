"""The sample formulary as a parsed book, straight from its sources: what the parser must make of the PDF.

Boxes are one nominal line for each passage; tests about places use the real PDF.
"""

from __future__ import annotations

from collections.abc import Iterator

from ingest.domain import (
    BrandIndexLine,
    Finding,
    FindingKind,
    ParsedBook,
    ParsedMonograph,
    ParsedPassage,
    ParsedSection,
)
from ingest.sample import source
from monographs.domain import Box, PassageKind

# Enough for most questions, and built in a moment.
FEW = ("PARACETAMOL", "IBUPROFEN", "AMOXICILIN", "WARFARIN", "METFORMIN", "GENTAMICIN", "SALBUTAMOL", "ADRENALIN")


def sample_book(number: int | None = None, *, titles: tuple[str, ...] = ()) -> ParsedBook:
    """One edition of the sample; only the monographs of these titles where any are named."""
    edition = source.load_edition(number)
    wanted = [monograph for monograph in edition.monographs if not titles or monograph.title in titles]
    monographs = tuple(
        _monograph(monograph, page) for page, monograph in enumerate(wanted, start=edition.first_printed_page)
    )
    pages = range(1, len(monographs) + edition.first_printed_page)
    return ParsedBook(
        monographs=monographs,
        page_map={page: page for page in pages},
        page_sizes=dict.fromkeys(pages, (595.28, 841.89)),
        brand_index=tuple(
            BrandIndexLine(line.brand, (line.drug,), 1 if line.paged else None, pages[-1]) for line in edition.brands
        ),
    )


def _monograph(monograph: source.Monograph, page: int) -> ParsedMonograph:
    return ParsedMonograph(
        title=monograph.title,
        kind=monograph.kind,
        pdf_page=page,
        printed_page=page,
        sections=tuple(
            ParsedSection(section.key, section.heading, page, page, tuple(_passages(section, page)))
            for section in monograph.sections
        ),
        subtitle=monograph.subtitle,
        synonyms=monograph.synonyms,
    )


def _passages(section: source.Section, page: int) -> Iterator[ParsedPassage]:
    box = (Box(page, 42, 100, 289, 112),)
    for item in section.items:
        if isinstance(item, source.Paragraph):
            for index, segment in enumerate(item.segments):
                text = "".join(run.text for run in segment.runs).strip()
                yield ParsedPassage(
                    text, PassageKind.TEXT, page, page, box, segment.labels, starts_paragraph=index == 0
                )
        else:
            kind, doubt = (
                (PassageKind.TABLE, FindingKind.TABLE)
                if isinstance(item, source.Table)
                else (PassageKind.FORMULA, FindingKind.FORMULA)
            )
            yield ParsedPassage("", kind, page, page, box, item.labels, findings=(Finding(doubt, page, box[0]),))
