"""Reading the book: order, search, paragraphs, neighbours, and how few queries each takes."""

from __future__ import annotations

import pytest
from pytest_django import DjangoAssertNumQueries

from monographs import reading
from monographs.domain import MonographKind, PassageKind, PassageState, SectionKey
from monographs.models import EditionState
from tests.factories import (
    make_alias,
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


@pytest.mark.parametrize("query", ["panadol", "PANADOL", "  Pana ", "nadol"])
def test_search_finds_by_brand_in_any_case(query: str) -> None:
    edition = make_edition()
    make_monograph(edition, "Paracetamol", aliases=["Panadol"])
    (hit,) = reading.search_monographs(edition, query)
    assert hit.monograph.name == "Paracetamol"
    assert hit.names == ("Panadol",)


def test_search_without_accents_and_best_first() -> None:
    edition = make_edition()
    make_monograph(edition, "Sắt sulfat")
    make_monograph(edition, "Kẽm sắt hợp chất")
    assert [hit.monograph.name for hit in reading.search_monographs(edition, "sat")] == [
        "Sắt sulfat",
        "Kẽm sắt hợp chất",
    ]


@pytest.mark.parametrize("query", ["", "   ", "%", "_", "'; DROP TABLE", "x" * 200])
def test_search_takes_any_text(query: str) -> None:
    edition = make_edition()
    make_monograph(edition, "Paracetamol")
    assert reading.search_monographs(edition, query) == ()


def test_another_editions_names_are_not_found() -> None:
    edition = make_edition()
    make_monograph(make_edition(state=EditionState.SUPERSEDED), "Paracetamol")
    assert reading.search_monographs(edition, "paracetamol") == ()
    assert reading.suggest_monographs(edition, "paracetamol") == ()


def test_misspelling_is_suggested_and_lookalikes_all_shown() -> None:
    edition = make_edition()
    make_monograph(edition, "Dobutamin")
    make_monograph(edition, "Dopamin")
    make_monograph(edition, "Warfarin")
    names = [hit.monograph.name for hit in reading.suggest_monographs(edition, "dopatamin")]
    assert set(names) == {"Dobutamin", "Dopamin"}


def marked(hit: reading.Hit) -> str:
    """A hit's name with its differing letters in brackets."""
    return "".join(f"[{part.text}]" if part.differs else part.text for part in hit.shown_name.segments)


def test_what_is_taken_for_a_suggestion_stands_right_behind_it() -> None:
    edition = make_edition()
    for name in ("Warfarin", "Heparin", "Warfanil", "Acenocoumarol"):
        make_monograph(edition, name)
    names = [hit.monograph.name for hit in reading.suggest_monographs(edition, "warfarrin")]
    assert names == ["Warfarin", "Acenocoumarol", "Heparin", "Warfanil"]


@pytest.mark.parametrize(
    ("fields", "aliases"),
    [({"inn": "Heparin"}, []), ({}, ["Heparin"])],
    ids=["by its INN", "by an alias"],
)
def test_taken_for_is_found_under_any_name(fields: dict[str, str], aliases: list[str]) -> None:
    edition = make_edition()
    make_monograph(edition, "Thuốc chống đông", aliases=["Warfa-Dược"], inn="Warfarin")
    make_monograph(edition, "Zymogen", aliases=aliases, **fields)
    assert [hit.monograph.name for hit in reading.suggest_monographs(edition, "warfaduoc")] == [
        "Thuốc chống đông",
        "Zymogen",
    ]


def test_taken_for_keeps_the_name_that_is_like_the_query() -> None:
    edition = make_edition()
    make_monograph(edition, "Warfarin")
    make_monograph(edition, "Heparin", aliases=["Warfarrix"])
    found = {hit.monograph.name: hit.names for hit in reading.suggest_monographs(edition, "warfarrin")}
    assert found == {"Warfarin": (), "Heparin": ("Warfarrix",)}


def test_suggestions_are_each_once_and_no_more_than_eight() -> None:
    edition = make_edition()
    for stem in ("azolin", "uroxim", "otaxim", "oxitin", "tazidim", "triaxon", "ixim", "podoxim", "alexin", "adroxil"):
        make_monograph(edition, f"Cef{stem}", aliases=[f"Cef{stem} Dược"])
    found = [hit.monograph.name for hit in reading.suggest_monographs(edition, "cefuroxxim")]
    assert found[0] == "Cefuroxim"
    assert len(found) == len(set(found)) == reading.MOST_OFFERED == 8


def test_another_editions_names_are_not_taken_for_this_ones() -> None:
    edition = make_edition()
    make_monograph(make_edition(state=EditionState.SUPERSEDED), "Dopamin")
    make_monograph(edition, "Dobutamin")
    assert [hit.monograph.name for hit in reading.suggest_monographs(edition, "dobutammin")] == ["Dobutamin"]
    assert [hit.taken_for for hit in reading.search_monographs(edition, "dobutamin")] == [()]


def test_lookalikes_are_told_apart_from_each_other_and_one_alone_from_the_query() -> None:
    edition = make_edition()
    make_monograph(edition, "Dobutamin")
    (alone,) = reading.suggest_monographs(edition, "dobutamon")
    assert marked(alone) == "Dobutam[i]n"
    make_monograph(edition, "Dopamin")
    edition.revision += 1
    edition.save()
    both = reading.suggest_monographs(edition, "dobutamon")
    assert [marked(hit) for hit in both] == ["Do[but]amin", "Do[p]amin"]
    assert all(hit.looks_alike for hit in both)


def test_the_name_that_is_like_the_query_is_the_one_marked() -> None:
    edition = make_edition()
    make_monograph(edition, "Paracetamol", aliases=["Efferalgan"])
    (hit,) = reading.suggest_monographs(edition, "eferalgon")
    assert (hit.looks_alike, marked(hit)) == (True, "Paracetamol")
    (alias,) = hit.shown_names
    assert [part.text for part in alias.segments if part.differs] == ["f", "a"]


@pytest.mark.parametrize(("query", "expected"), [("dobutamon", ["Dobutamin"]), ("amn", ["Paracetamol"])])
def test_short_name_is_suggested_only_for_the_whole_of_the_query(query: str, expected: list[str]) -> None:
    edition = make_edition()
    make_monograph(edition, "Paracetamol", aliases=["AM"])
    make_monograph(edition, "Dobutamin")
    assert [hit.monograph.name for hit in reading.suggest_monographs(edition, query)] == expected


def test_suggestion_like_no_other_is_not_marked() -> None:
    edition = make_edition()
    make_monograph(edition, "Natri hydrocarbonat")
    (hit,) = reading.suggest_monographs(edition, "hydrocarbonic")
    assert not hit.looks_alike
    assert marked(hit) == "Natri hydrocarbonat"


def test_namesakes_are_told_apart_by_their_subtitles() -> None:
    edition = make_edition()
    for number, subtitle in enumerate(("Dùng trong hô hấp", "Dùng trong sản khoa")):
        make_monograph(edition, "Salbutamol", subtitle=subtitle, slug=f"salbutamol_{number}")
    found = reading.suggest_monographs(edition, "salbutamon")
    assert {marked(hit) for hit in found} == {
        "Salbutamo[l] [(Dùng trong hô hấp)]",
        "Salbutamo[l] [(Dùng trong sản khoa)]",
    }
    assert all(hit.shown_name.text == hit.monograph.display_name for hit in found)


def test_namesakes_unlike_the_query_are_told_apart_too() -> None:
    edition = make_edition()
    for number, subtitle in enumerate(("Tiêm", "Uống")):
        make_monograph(edition, "Natri hydrocarbonat", subtitle=subtitle, slug=f"natri_{number}")
    found = reading.suggest_monographs(edition, "hydrocarbonic")
    assert {marked(hit) for hit in found} == {"Natri hydrocarbonat [(Tiêm)]", "Natri hydrocarbonat [(Uống)]"}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("dobutamin", {"Dobutamin": ["Dopamin"]}),
        ("dob", {"Dobutamin": ["Dopamin"]}),
        ("salm", {"Salmeterol": ["Salbutamol (Dùng trong hô hấp)"]}),
        ("dop", {"Dopamin": ["Dobutamin"]}),
        ("amin", {"Dobutamin": [], "Dopamin": []}),
        ("do", {"Dobutamin": [], "Dopamin": []}),
        ("vitamin", {"Vitamin A": []}),
    ],
)
def test_search_that_finds_one_lookalike_names_the_other(query: str, expected: dict[str, list[str]]) -> None:
    edition = make_edition()
    for name in ("Dobutamin", "Dopamin", "Salmeterol", "Warfarin"):
        make_monograph(edition, name)
    make_monograph(edition, "Salbutamol", subtitle="Dùng trong hô hấp")
    make_monograph(edition, "Vitamin A")
    found = reading.search_monographs(edition, query)
    taken = {hit.monograph.name: [other.display_name for other in hit.taken_for] for hit in found}
    assert expected.items() <= taken.items()
    assert not any(names for name, names in taken.items() if name not in expected)


def test_search_for_no_drug_in_particular_warns_of_none() -> None:
    edition = make_edition()
    for name in ("Dobutamin", "Doxepin", "Domperidon", "Doxorubicin", "Dopamin Dược", "Metoclopramid", "Digoxin"):
        make_monograph(edition, name)
    assert [hit.taken_for for hit in reading.search_monographs(edition, "do")] == [()] * 5


def test_suggestions_follow_the_revision() -> None:
    edition = make_edition()
    paracetamol = make_monograph(edition, "Paracetamol")
    assert reading.suggest_monographs(edition, "efferalgn") == ()
    make_alias(paracetamol, "Efferalgan")
    edition.revision += 1
    edition.save()
    assert [hit.names for hit in reading.suggest_monographs(edition, "efferalgn")] == [("Efferalgan",)]


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
    with django_assert_max_num_queries(1):
        reading.search_monographs(edition, "thuoc")


def test_lookalikes_take_few_queries_however_many(django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
    edition = make_edition()
    for name in ("azolin", "uroxim", "otaxim", "oxitin", "tazidim", "triaxon", "ixim", "podoxim"):
        make_monograph(edition, f"Cef{name}")
    with django_assert_max_num_queries(2):
        assert len(reading.suggest_monographs(edition, "cefuroxxim")) == 8
    with django_assert_max_num_queries(2):
        (hit,) = reading.search_monographs(edition, "cefuroxim")
    assert len(hit.taken_for) == 7
