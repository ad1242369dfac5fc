"""The bundled PDF, parsed, says what its sources say: every section, to the letter."""

from __future__ import annotations

from functools import cache

import pytest

from ingest.domain import ParsedBook, ParsedMonograph, join_passages
from ingest.library import bundled_sample
from ingest.pipeline import parse_book
from monographs.domain import PassageKind
from tests.sample_book import sample_book


@cache
def _parsed() -> ParsedBook:
    return parse_book(bundled_sample(), workers=1)


_SOURCES = sample_book()


def _same(monograph: ParsedMonograph) -> ParsedMonograph:
    return next(m for m in _parsed().monographs if (m.title, m.subtitle) == (monograph.title, monograph.subtitle))


_IDS = [f"{m.title} {m.subtitle}".strip() for m in _SOURCES.monographs]


def test_every_monograph_is_there_in_order_and_none_besides() -> None:
    assert [(m.title, m.subtitle, m.kind) for m in _parsed().monographs] == [
        (m.title, m.subtitle, m.kind) for m in _SOURCES.monographs
    ]


@pytest.mark.parametrize("monograph", _SOURCES.monographs, ids=_IDS)
def test_every_section_equals_its_source(monograph: ParsedMonograph) -> None:
    parsed = _same(monograph)
    assert [(s.key, s.heading) for s in parsed.sections] == [(s.key, s.heading) for s in monograph.sections]
    for mine, source in zip(parsed.sections, monograph.sections, strict=True):
        assert mine.text == source.text, source.heading


@pytest.mark.parametrize("monograph", _SOURCES.monographs, ids=_IDS)
def test_labels_tables_and_formulas_equal_their_sources(monograph: ParsedMonograph) -> None:
    for mine, source in zip(_same(monograph).sections, monograph.sections, strict=True):
        assert [(p.kind, p.labels, p.starts_paragraph) for p in mine.passages] == [
            (p.kind, p.labels, p.starts_paragraph) for p in source.passages
        ], source.heading


@pytest.mark.parametrize("monograph", _SOURCES.monographs, ids=_IDS)
def test_every_passage_has_its_printed_page_and_its_boxes(monograph: ParsedMonograph) -> None:
    for section in _same(monograph).sections:
        assert join_passages(section.passages) == section.text
        for passage in section.passages:
            assert passage.printed_page is not None
            assert passage.boxes and all(box.x0 < box.x1 and box.y0 < box.y1 for box in passage.boxes)
            assert passage.kind is not PassageKind.TEXT or not passage.quarantined, "nothing of the sample is held back"


def test_the_brand_index_equals_its_source() -> None:
    assert {(line.brand, line.drug_names, line.printed_target is None) for line in _parsed().brand_index} == {
        (line.brand, line.drug_names, line.printed_target is None) for line in _SOURCES.brand_index
    }
