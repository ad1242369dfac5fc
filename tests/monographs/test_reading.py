"""Reading the book: order, search, paragraphs, neighbours, and how few queries each takes."""

from __future__ import annotations

import pytest
from pytest_django import DjangoAssertNumQueries

from monographs import reading
from monographs.domain import MonographKind, PassageKind, PassageState, SectionKey
from monographs.models import EditionState
from tests.factories import (
    make_edition,
    make_held_back,
    make_monograph,
    make_passage,
    make_section,
)

pytestmark = pytest.mark.django_db


def test_vietnamese_order_and_letters() -> None:
    edition = make_edition()
    for name in ("Đồng sulfat", "Dopamin", "Ergotamin", "Acid folic", "Ắc quy", "Dobutamin", "Zidovudin"):
        make_monograph(edition, name)
    groups = reading.letter_groups(reading.monographs_of(edition))
    filled = {group.letter: [m.name for m in group.monographs] for group in groups if group.monographs}
    assert filled == {
        "A": ["Acid folic"],
        "Ă": ["Ắc quy"],
        "D": ["Dobutamin", "Dopamin"],
        "Đ": ["Đồng sulfat"],
        "E": ["Ergotamin"],
        "Z": ["Zidovudin"],
    }
    assert list(filled) == ["A", "Ă", "D", "Đ", "E", "Z"]
    assert len({group.anchor for group in groups}) == len(groups)


def test_name_without_a_letter_is_not_lost() -> None:
    edition = make_edition()
    make_monograph(edition, "5-Fluorouracil", slug="fluorouracil_5")
    assert [group.letter for group in reading.letter_groups(reading.monographs_of(edition)) if group.monographs] == [
        "#"
    ]


def test_general_parts_stand_apart_from_drugs() -> None:
    edition = make_edition()
    make_monograph(edition, "Chuyên luận chung", kind=MonographKind.CHAPTER)
    make_monograph(edition, "Paracetamol")
    monographs = list(reading.monographs_of(edition))
    assert [m.name for m in reading.general_parts(monographs)] == ["Chuyên luận chung"]
    assert [m.name for group in reading.letter_groups(monographs) for m in group.monographs] == ["Paracetamol"]


def test_atc_tree_counts_a_monograph_once_in_a_branch() -> None:
    edition = make_edition()
    make_monograph(edition, "Gentamicin", atc_codes=["J01GB03", "S01AA11", "S02AA14"])
    make_monograph(edition, "Paracetamol", atc_codes=["N02BE01"])
    monographs = list(reading.monographs_of(edition))
    root = reading.atc_view(monographs, "")
    assert [(node.code, node.count) for node in root.nodes] == [("J", 1), ("N", 1), ("S", 1)]
    assert root.monographs == ()
    branch = reading.atc_view(monographs, "S")
    assert [(node.code, node.count) for node in branch.nodes] == [("S01", 1), ("S02", 1)]
    assert [m.name for m in branch.monographs] == ["Gentamicin"]
    leaf = reading.atc_view(monographs, "N02BE01")
    assert [node.code for node in leaf.path] == ["N", "N02", "N02B", "N02BE", "N02BE01"]
    assert leaf.nodes == ()


def test_paragraphs_are_the_books() -> None:
    edition = make_edition()
    monograph = make_monograph(edition)
    section = make_section(monograph)
    make_passage(section, "Một.")
    make_passage(section, "Hai.", starts_paragraph=False)
    make_held_back(section)
    make_passage(section, "Ba.", starts_paragraph=False, printed_page=102)
    make_passage(section, "Bốn.", printed_page=102)
    found = reading.read_monograph(edition, monograph.slug)
    assert found is not None
    (text,) = found[1]
    shape = [([line.passage.text for line in p.lines], p.is_picture, p.resumed) for p in text.paragraphs]
    assert shape == [
        (["Một.", "Hai."], False, False),
        (["Độ thanh thải Liều"], True, False),
        (["Ba."], False, True),
        (["Bốn."], False, False),
    ]
    opens = [line.opens_page for p in text.paragraphs for line in p.lines]
    assert opens == [True, False, False, True, False]
    assert text.paragraphs[1].lines[0].regions


@pytest.mark.parametrize(
    ("kind", "state", "picture"),
    [
        (PassageKind.TEXT, PassageState.SERVED, False),
        (PassageKind.TEXT, PassageState.CORRECTED, False),
        (PassageKind.TEXT, PassageState.QUARANTINED, True),
        (PassageKind.TEXT, PassageState.REJECTED, True),
        (PassageKind.TABLE, PassageState.QUARANTINED, True),
        (PassageKind.TABLE, PassageState.SERVED, True),
        (PassageKind.TABLE, PassageState.CORRECTED, False),
        (PassageKind.FORMULA, PassageState.REJECTED, True),
    ],
)
def test_text_is_shown_only_where_it_may_be(kind: str, state: str, picture: bool) -> None:
    section = make_section(make_monograph(make_edition()))
    assert reading.is_picture(make_passage(section, kind=kind, state=state)) is picture


def test_section_knows_its_neighbours() -> None:
    monograph = make_monograph(make_edition())
    first, second, third = (
        make_section(monograph, key, "x")
        for key in (SectionKey.CHI_DINH, SectionKey.CHONG_CHI_DINH, SectionKey.LIEU_DUNG)
    )
    middle = reading.read_section(monograph, second.anchor)
    assert middle is not None
    assert (middle.before, middle.after) == (first, third)
    start, end = reading.read_section(monograph, first.anchor), reading.read_section(monograph, third.anchor)
    assert start is not None
    assert end is not None
    assert (start.before, end.after) == (None, None)
    assert reading.read_section(monograph, "khong-co") is None


@pytest.mark.parametrize("state", [EditionState.BUILDING, EditionState.READY, EditionState.DISCARDED])
def test_unpublished_passage_has_no_source(state: str) -> None:
    passage = make_passage(make_section(make_monograph(make_edition(state=state))))
    assert reading.passage_source(passage.pk) is None


def test_whole_page_only_where_the_passage_stands() -> None:
    passage = make_passage(make_section(make_monograph(make_edition())))
    source = reading.passage_source(passage.pk)
    assert source is not None
    assert source.pdf_pages == (1,)
    assert reading.page_of_source(source, 2) is None
    region = reading.page_of_source(source, 1)
    assert region is not None
    assert region.is_whole_page


def test_reading_takes_few_queries(django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
    edition = make_edition()
    for number in range(30):
        monograph = make_monograph(edition, f"Thuốc {number}", slug=f"thuoc_{number}")
        for key in (SectionKey.CHI_DINH, SectionKey.LIEU_DUNG):
            make_held_back(make_section(monograph, key, "a", "b", "c"))
    with django_assert_max_num_queries(1):
        reading.letter_groups(reading.monographs_of(edition))
    with django_assert_max_num_queries(4):
        reading.read_monograph(edition, "thuoc_3")
