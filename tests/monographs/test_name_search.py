"""Monographs found by a name: order, what is written like it, what is taken for it, and how few queries each takes."""

from __future__ import annotations

import pytest
from pytest_django import DjangoAssertNumQueries

from monographs.models import EditionState
from monographs.name_search import MOST_OFFERED, Hit, search_monographs, suggest_monographs
from tests.factories import make_alias, make_edition, make_monograph

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("query", ["panadol", "PANADOL", "  Pana ", "nadol"])
def test_search_finds_by_brand_in_any_case(query: str) -> None:
    edition = make_edition()
    make_monograph(edition, "Paracetamol", aliases=["Panadol"])
    (hit,) = search_monographs(edition, query)
    assert hit.monograph.name == "Paracetamol"
    assert hit.names == ("Panadol",)


def test_search_without_accents_and_best_first() -> None:
    edition = make_edition()
    make_monograph(edition, "Sắt sulfat")
    make_monograph(edition, "Kẽm sắt hợp chất")
    assert [hit.monograph.name for hit in search_monographs(edition, "sat")] == [
        "Sắt sulfat",
        "Kẽm sắt hợp chất",
    ]


@pytest.mark.parametrize("query", ["", "   ", "%", "_", "'; DROP TABLE", "x" * 200])
def test_search_takes_any_text(query: str) -> None:
    edition = make_edition()
    make_monograph(edition, "Paracetamol")
    assert search_monographs(edition, query) == ()


def test_another_editions_names_are_not_found() -> None:
    edition = make_edition()
    make_monograph(make_edition(state=EditionState.SUPERSEDED), "Paracetamol")
    assert search_monographs(edition, "paracetamol") == ()
    assert suggest_monographs(edition, "paracetamol") == ()


def test_misspelling_is_suggested_and_lookalikes_all_shown() -> None:
    edition = make_edition()
    make_monograph(edition, "Dobutamin")
    make_monograph(edition, "Dopamin")
    make_monograph(edition, "Warfarin")
    names = [hit.monograph.name for hit in suggest_monographs(edition, "dopatamin")]
    assert set(names) == {"Dobutamin", "Dopamin"}


def marked(hit: Hit) -> str:
    """A hit's name with its differing letters in brackets."""
    return "".join(f"[{part.text}]" if part.differs else part.text for part in hit.shown_name.segments)


def test_what_is_taken_for_a_suggestion_stands_right_behind_it() -> None:
    edition = make_edition()
    for name in ("Warfarin", "Heparin", "Warfanil", "Acenocoumarol"):
        make_monograph(edition, name)
    names = [hit.monograph.name for hit in suggest_monographs(edition, "warfarrin")]
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
    assert [hit.monograph.name for hit in suggest_monographs(edition, "warfaduoc")] == [
        "Thuốc chống đông",
        "Zymogen",
    ]


def test_taken_for_keeps_the_name_that_is_like_the_query() -> None:
    edition = make_edition()
    make_monograph(edition, "Warfarin")
    make_monograph(edition, "Heparin", aliases=["Warfarrix"])
    found = {hit.monograph.name: hit.names for hit in suggest_monographs(edition, "warfarrin")}
    assert found == {"Warfarin": (), "Heparin": ("Warfarrix",)}


def test_suggestions_are_each_once_and_no_more_than_eight() -> None:
    edition = make_edition()
    for stem in ("azolin", "uroxim", "otaxim", "oxitin", "tazidim", "triaxon", "ixim", "podoxim", "alexin", "adroxil"):
        make_monograph(edition, f"Cef{stem}", aliases=[f"Cef{stem} Dược"])
    found = [hit.monograph.name for hit in suggest_monographs(edition, "cefuroxxim")]
    assert found[0] == "Cefuroxim"
    assert len(found) == len(set(found)) == MOST_OFFERED == 8


def test_another_editions_names_are_not_taken_for_this_ones() -> None:
    edition = make_edition()
    make_monograph(make_edition(state=EditionState.SUPERSEDED), "Dopamin")
    make_monograph(edition, "Dobutamin")
    assert [hit.monograph.name for hit in suggest_monographs(edition, "dobutammin")] == ["Dobutamin"]
    assert [hit.taken_for for hit in search_monographs(edition, "dobutamin")] == [()]


def test_lookalikes_are_told_apart_from_each_other_and_one_alone_from_the_query() -> None:
    edition = make_edition()
    make_monograph(edition, "Dobutamin")
    (alone,) = suggest_monographs(edition, "dobutamon")
    assert marked(alone) == "Dobutam[i]n"
    make_monograph(edition, "Dopamin")
    edition.revision += 1
    edition.save()
    both = suggest_monographs(edition, "dobutamon")
    assert [marked(hit) for hit in both] == ["Do[but]amin", "Do[p]amin"]
    assert all(hit.looks_alike for hit in both)


def test_the_name_that_is_like_the_query_is_the_one_marked() -> None:
    edition = make_edition()
    make_monograph(edition, "Paracetamol", aliases=["Efferalgan"])
    (hit,) = suggest_monographs(edition, "eferalgon")
    assert (hit.looks_alike, marked(hit)) == (True, "Paracetamol")
    (alias,) = hit.shown_names
    assert [part.text for part in alias.segments if part.differs] == ["f", "a"]


@pytest.mark.parametrize(("query", "expected"), [("dobutamon", ["Dobutamin"]), ("amn", ["Paracetamol"])])
def test_short_name_is_suggested_only_for_the_whole_of_the_query(query: str, expected: list[str]) -> None:
    edition = make_edition()
    make_monograph(edition, "Paracetamol", aliases=["AM"])
    make_monograph(edition, "Dobutamin")
    assert [hit.monograph.name for hit in suggest_monographs(edition, query)] == expected


def test_suggestion_like_no_other_is_not_marked() -> None:
    edition = make_edition()
    make_monograph(edition, "Natri hydrocarbonat")
    (hit,) = suggest_monographs(edition, "hydrocarbonic")
    assert not hit.looks_alike
    assert marked(hit) == "Natri hydrocarbonat"


def test_namesakes_are_told_apart_by_their_subtitles() -> None:
    edition = make_edition()
    for number, subtitle in enumerate(("Dùng trong hô hấp", "Dùng trong sản khoa")):
        make_monograph(edition, "Salbutamol", subtitle=subtitle, slug=f"salbutamol_{number}")
    found = suggest_monographs(edition, "salbutamon")
    assert {marked(hit) for hit in found} == {
        "Salbutamo[l] [(Dùng trong hô hấp)]",
        "Salbutamo[l] [(Dùng trong sản khoa)]",
    }
    assert all(hit.shown_name.text == hit.monograph.display_name for hit in found)


def test_namesakes_unlike_the_query_are_told_apart_too() -> None:
    edition = make_edition()
    for number, subtitle in enumerate(("Tiêm", "Uống")):
        make_monograph(edition, "Natri hydrocarbonat", subtitle=subtitle, slug=f"natri_{number}")
    found = suggest_monographs(edition, "hydrocarbonic")
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
    found = search_monographs(edition, query)
    taken = {hit.monograph.name: [other.display_name for other in hit.taken_for] for hit in found}
    assert expected.items() <= taken.items()
    assert not any(names for name, names in taken.items() if name not in expected)


def test_search_for_no_drug_in_particular_warns_of_none() -> None:
    edition = make_edition()
    for name in ("Dobutamin", "Doxepin", "Domperidon", "Doxorubicin", "Dopamin Dược", "Metoclopramid", "Digoxin"):
        make_monograph(edition, name)
    assert [hit.taken_for for hit in search_monographs(edition, "do")] == [()] * 5


def test_suggestions_follow_the_revision() -> None:
    edition = make_edition()
    paracetamol = make_monograph(edition, "Paracetamol")
    assert suggest_monographs(edition, "efferalgn") == ()
    make_alias(paracetamol, "Efferalgan")
    edition.revision += 1
    edition.save()
    assert [hit.names for hit in suggest_monographs(edition, "efferalgn")] == [("Efferalgan",)]


def test_lookalikes_take_few_queries_however_many(django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
    edition = make_edition()
    for name in ("azolin", "uroxim", "otaxim", "oxitin", "tazidim", "triaxon", "ixim", "podoxim"):
        make_monograph(edition, f"Cef{name}")
    with django_assert_max_num_queries(2):
        assert len(suggest_monographs(edition, "cefuroxxim")) == 8
    with django_assert_max_num_queries(3):
        (hit,) = search_monographs(edition, "cefuroxim")
    assert len(hit.taken_for) == 7


def test_search_takes_two_queries_however_many_it_finds(django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
    edition = make_edition()
    for number in range(30):
        make_monograph(edition, f"Thuốc {number}", slug=f"thuoc_{number}")
    with django_assert_max_num_queries(2):
        assert len(search_monographs(edition, "thuoc")) == 30
