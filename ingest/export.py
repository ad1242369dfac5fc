"""A parsed book in the exchange format by which editions are compared with a truth file."""

from __future__ import annotations

from typing import Any

from ingest.domain import ParsedBook, ParsedMonograph, ParsedPassage, ParsedSection
from monographs.domain import MonographKind, PassageState


def export_book(book: ParsedBook) -> dict[str, Any]:
    """Monographs (drugs), chapters (general chapters and appendices) and regions outside any section."""
    drugs = [monograph for monograph in book.monographs if monograph.kind is MonographKind.DRUG]
    others = [monograph for monograph in book.monographs if monograph.kind is not MonographKind.DRUG]
    return {
        "monographs": [_monograph(monograph) for monograph in drugs],
        "chapters": [_monograph(monograph) for monograph in others],
        "regions": [passage_dict(passage) for passage in book.regions],
    }


def _monograph(monograph: ParsedMonograph) -> dict[str, Any]:
    return monograph_dict(
        monograph.title,
        monograph.pdf_page,
        monograph.printed_page,
        [_section(section) for section in monograph.sections],
    )


def _section(section: ParsedSection) -> dict[str, Any]:
    return section_dict(
        section.key.value if section.key else None,
        section.heading,
        section.pdf_page,
        section.printed_page,
        [passage_dict(passage) for passage in section.passages],
    )


def monograph_dict(
    title: str, pdf_page: int, printed_page: int | None, sections: list[dict[str, Any]]
) -> dict[str, Any]:
    """The shape of a monograph; the database's export uses it too."""
    return {"title": title, "pdf_page": pdf_page, "printed_page": printed_page, "sections": sections}


def section_dict(
    key: str | None, heading: str, pdf_page: int, printed_page: int | None, passages: list[dict[str, Any]]
) -> dict[str, Any]:
    """The shape of a section."""
    return {"key": key, "heading": heading, "pdf_page": pdf_page, "printed_page": printed_page, "passages": passages}


def passage_dict(passage: ParsedPassage) -> dict[str, Any]:
    """The shape of a passage: text, kind, state, labels, printed page, boxes [pdf_page, x0, y0, x1, y1]."""
    state = PassageState.QUARANTINED if passage.quarantined else PassageState.SERVED
    return {
        "text": passage.text,
        "kind": passage.kind.value,
        "state": state.value,
        "labels": list(passage.labels),
        "printed_page": passage.printed_page,
        "boxes": [box.as_list() for box in passage.boxes],
    }
