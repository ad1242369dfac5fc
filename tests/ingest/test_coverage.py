"""The matrix of monographs and sections: what is there, what is held back, what is missing."""

from __future__ import annotations

import csv
from io import StringIO

import pytest
from pytest_django import DjangoAssertNumQueries

from ingest.coverage import COVER_FACTS, Cover, coverage_of, filter_rows, totals_of, write_csv
from monographs.domain import SECTION_FACTS, MonographKind, PassageState, SectionKey
from monographs.models import Edition
from tests.factories import make_edition, make_held_back, make_monograph, make_passage, make_section

pytestmark = pytest.mark.django_db


@pytest.fixture
def edition() -> Edition:
    edition = make_edition()
    drug = make_monograph(edition, "Đồng sulfat")
    make_section(drug, SectionKey.CHI_DINH, "Thiếu đồng.")
    make_held_back(make_section(drug, SectionKey.LIEU_DUNG, "Uống."))
    make_held_back(make_section(drug, SectionKey.TUONG_KY))
    make_section(drug, SectionKey.ADR)
    make_section(make_monograph(edition, "=CMD"), SectionKey.CHI_DINH, "Đau.")
    make_monograph(edition, "Chuyên luận chung", kind=MonographKind.CHAPTER)
    return edition


def covers(edition: Edition) -> dict[SectionKey, Cover]:
    return {cell.key: cell.cover for cell in coverage_of(edition)[0].cells}


def test_each_section_is_covered_as_its_passages_say(edition: Edition) -> None:
    found = covers(edition)
    assert found[SectionKey.CHI_DINH] is Cover.WHOLE
    assert found[SectionKey.LIEU_DUNG] is Cover.PARTLY
    assert found[SectionKey.TUONG_KY] is Cover.HELD
    assert found[SectionKey.ADR] is Cover.EMPTY
    assert found[SectionKey.BAO_QUAN] is Cover.MISSING
    assert list(found) == list(SectionKey)


@pytest.mark.parametrize(
    ("state", "cover"),
    [
        (PassageState.SERVED, Cover.WHOLE),
        (PassageState.CORRECTED, Cover.WHOLE),
        (PassageState.REJECTED, Cover.HELD),
        (PassageState.QUARANTINED, Cover.HELD),
    ],
)
def test_only_text_that_is_shown_counts_as_served(state: PassageState, cover: Cover) -> None:
    edition = make_edition()
    make_passage(make_section(make_monograph(edition)), state=state)
    assert covers(edition)[SectionKey.LIEU_DUNG] is cover


def test_a_section_printed_twice_is_one(edition: Edition) -> None:
    drug = make_monograph(edition, "Hai lần")
    make_section(drug, SectionKey.LIEU_DUNG, "Uống.")
    make_held_back(make_section(drug, SectionKey.LIEU_DUNG, anchor="lieu-dung-2"))
    cell = next(cell for cell in coverage_of(edition)[-1].cells if cell.key is SectionKey.LIEU_DUNG)
    assert (cell.cover, cell.passages, cell.held) == (Cover.PARTLY, 2, 1)


def test_only_drugs_are_listed(edition: Edition) -> None:
    assert [row.monograph.name for row in coverage_of(edition)] == ["Đồng sulfat", "=CMD"]


def test_totals_add_up(edition: Edition) -> None:
    totals = {total.key: total for total in totals_of(coverage_of(edition))}
    assert (totals[SectionKey.CHI_DINH].present, totals[SectionKey.CHI_DINH].missing) == (2, 0)
    assert (totals[SectionKey.LIEU_DUNG].present, totals[SectionKey.LIEU_DUNG].held) == (1, 1)
    assert all(total.counts.total() == 2 for total in totals.values())


@pytest.mark.parametrize(
    ("name", "key", "cover", "found"),
    [
        ("dong", None, None, 1),
        ("", SectionKey.LIEU_DUNG, Cover.MISSING, 1),
        ("", SectionKey.LIEU_DUNG, Cover.PARTLY, 1),
        ("", SectionKey.CHI_DINH, Cover.MISSING, 0),
        ("", None, Cover.HELD, 1),
        ("", SectionKey.LIEU_DUNG, None, 2),
    ],
)
def test_filters(edition: Edition, name: str, key: SectionKey | None, cover: Cover | None, found: int) -> None:
    assert len(filter_rows(coverage_of(edition), name=name, key=key, cover=cover)) == found


def test_the_matrix_costs_two_queries(edition: Edition, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_num_queries(2):
        totals_of(coverage_of(edition))


def test_a_spreadsheet_gets_words_and_no_formula(edition: Edition) -> None:
    out = StringIO()
    write_csv(out, coverage_of(edition))
    head, first, second = csv.reader(StringIO(out.getvalue()))
    assert head[2:] == [SECTION_FACTS[key].title for key in SectionKey]
    assert first[:2] == ["Đồng sulfat", "101"] and COVER_FACTS[Cover.PARTLY].title in first
    assert second[0] == "'=CMD"


def test_every_cover_has_its_words_and_a_sign_of_its_own() -> None:
    assert set(COVER_FACTS) == set(Cover)
    assert len({facts.sign for facts in COVER_FACTS.values()}) == len(Cover)
