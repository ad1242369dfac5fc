"""An edition from the database in the exchange format: monographs, sections, passages, and loose regions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ingest.models import Finding
from monographs.models import Edition, Monograph, Passage, Section

_REGION_KINDS = {"table": "table", "formula": "formula", "figure": "figure"}


def export_edition(edition: Edition) -> dict[str, Any]:
    """The edition as JSON values. Boxes are [pdf_page, x0, y0, x1, y1] in points from the top left."""
    monographs = edition.monographs.order_by("order").prefetch_related("sections__passages")
    return {
        "edition": {"title": edition.title, "year": edition.year, "sha256": edition.sha256},
        "monographs": [_monograph(monograph) for monograph in monographs],
        "regions": list(_regions(edition)),
    }


def _monograph(monograph: Monograph) -> dict[str, Any]:
    return {
        "slug": monograph.slug,
        "kind": monograph.kind,
        "title": monograph.title,
        "subtitle": monograph.subtitle,
        "pdf_page": monograph.pdf_page,
        "printed_page": monograph.printed_page,
        "sections": [_section(section) for section in monograph.sections.all()],
    }


def _section(section: Section) -> dict[str, Any]:
    return {
        "key": section.key,
        "heading": section.heading,
        "pdf_page": section.pdf_page,
        "printed_page": section.printed_page,
        "passages": [_passage(passage) for passage in section.passages.all()],
    }


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
    for finding in Finding.objects.filter(edition=edition, passage=None, kind__in=_REGION_KINDS, box__isnull=False):
        yield {"kind": _REGION_KINDS[finding.kind], "boxes": [finding.box]}
