"""The PDF of each sample edition, parsed, says what its sources say: every section, to the letter."""

from __future__ import annotations

from functools import cache

import pytest

from ingest.domain import ParsedBook, ParsedMonograph, join_passages
from ingest.pipeline import parse_book
from ingest.sample.source import SAMPLE_DIR, load_edition
from monographs.domain import PassageKind
from tests.sample_book import sample_book

_SOURCES = {number: sample_book(number) for number in (2026, 2027)}


@cache
def _parsed(number: int) -> ParsedBook:
    return parse_book(SAMPLE_DIR / load_edition(number).pdf, workers=1)


def _same(number: int, monograph: ParsedMonograph) -> ParsedMonograph:
    wanted = (monograph.title, monograph.subtitle)
    return next(m for m in _parsed(number).monographs if (m.title, m.subtitle) == wanted)


each_edition = pytest.mark.parametrize("number", _SOURCES)
each_monograph = pytest.mark.parametrize(
    ("number", "monograph"),
    [
        pytest.param(number, monograph, id=f"{number} {monograph.title} {monograph.subtitle}".strip())
        for number, book in _SOURCES.items()
        for monograph in book.monographs
    ],
)


@each_edition
def test_every_monograph_is_there_in_order_and_none_besides(number: int) -> None:
    assert [(m.title, m.subtitle, m.kind) for m in _parsed(number).monographs] == [
        (m.title, m.subtitle, m.kind) for m in _SOURCES[number].monographs
    ]


@each_monograph
def test_every_section_equals_its_source(number: int, monograph: ParsedMonograph) -> None:
    parsed = _same(number, monograph)
    assert [(s.key, s.heading) for s in parsed.sections] == [(s.key, s.heading) for s in monograph.sections]
    for mine, source in zip(parsed.sections, monograph.sections, strict=True):
        assert mine.text == source.text, source.heading


@each_monograph
def test_labels_tables_and_formulas_equal_their_sources(number: int, monograph: ParsedMonograph) -> None:
    for mine, source in zip(_same(number, monograph).sections, monograph.sections, strict=True):
        assert [(p.kind, p.labels, p.starts_paragraph) for p in mine.passages] == [
            (p.kind, p.labels, p.starts_paragraph) for p in source.passages
        ], source.heading


@each_monograph
def test_every_passage_has_its_printed_page_and_its_boxes(number: int, monograph: ParsedMonograph) -> None:
    for section in _same(number, monograph).sections:
        assert join_passages(section.passages) == section.text
        for passage in section.passages:
            assert passage.printed_page is not None
            assert passage.boxes and all(box.x0 < box.x1 and box.y0 < box.y1 for box in passage.boxes)
            assert passage.kind is not PassageKind.TEXT or not passage.quarantined, "nothing of the sample is held back"


@each_edition
def test_the_brand_index_equals_its_source(number: int) -> None:
    assert {(line.brand, line.drug_names, line.printed_target is None) for line in _parsed(number).brand_index} == {
        (line.brand, line.drug_names, line.printed_target is None) for line in _SOURCES[number].brand_index
    }
