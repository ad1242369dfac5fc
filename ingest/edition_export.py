"""An edition from the database in the exchange format of ingest/export.py."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ingest.export import monograph_dict, section_dict
from ingest.models import Finding
from monographs.domain import MonographKind
from monographs.models import Edition, Monograph, Passage, Section

_REGION_KINDS = ("table", "formula", "figure")


def export_edition(edition: Edition) -> dict[str, Any]:
    """The edition as JSON values: monographs (drugs), chapters (the rest) and regions outside any section.

    Boxes are [pdf_page, x0, y0, x1, y1] in points from the top left. Text is what may be quoted, and for a
    passage that is held back what was extracted.
    """
    monographs = edition.monographs.order_by("order").prefetch_related("sections__passages")
    return {
        "edition": {"title": edition.title, "year": edition.year, "sha256": edition.sha256},
        "monographs": [_monograph(m) for m in monographs if m.kind == MonographKind.DRUG],
        "chapters": [_monograph(m) for m in monographs if m.kind != MonographKind.DRUG],
        "regions": list(_regions(edition)),
    }


def _monograph(monograph: Monograph) -> dict[str, Any]:
    sections = [_section(section) for section in monograph.sections.all()]
    shape = monograph_dict(monograph.title, monograph.pdf_page, monograph.printed_page, sections)
    return {"slug": monograph.slug, "subtitle": monograph.subtitle, **shape}


def _section(section: Section) -> dict[str, Any]:
    passages: Iterable[Passage] = section.passages.all()
    return section_dict(
        section.key or None,
        section.heading,
        section.pdf_page,
        section.printed_page,
        [_passage(passage) for passage in passages],
    )


def _passage(passage: Passage) -> dict[str, Any]:
    return {
        "text": passage.shown_text,
        "kind": passage.kind,
        "state": passage.state,
        "labels": passage.labels,
        "starts_paragraph": passage.starts_paragraph,
        "printed_page": passage.printed_page,
        "boxes": passage.boxes,
    }


def _regions(edition: Edition) -> Iterator[dict[str, Any]]:
    loose = Finding.objects.filter(edition=edition, passage=None, kind__in=_REGION_KINDS, box__isnull=False)
    for finding in loose.order_by("pk"):
        yield {"kind": finding.kind, "boxes": [finding.box]}
