"""What tells names apart: the letters that differ, and never a letter lost."""

from __future__ import annotations

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monographs.differences import MarkedName, are_alike, differing_segments, mark_name, plain_name
from monographs.text import fold

VIETNAMESE = "abcdđeghiklmnopqrstuvxyăâêôơưáàảãạếềểễệốồổỗộớờởỡợứừửữựỳýỷỹỵ ABĐÊÔƠƯ-()0123"
names = st.text(VIETNAMESE, max_size=30)


def shown(marked: MarkedName | None) -> str | None:
    """A name with its differing letters in brackets."""
    if marked is None:
        return None
    return "".join(f"[{part.text}]" if part.differs else part.text for part in marked.segments)


@pytest.mark.parametrize(
    ("name", "other", "expected"),
    [
        ("Dobutamin", "Dopamin", "Do[but]amin"),
        ("Dopamin", "Dobutamin", "Do[p]amin"),
        ("Prednisolon", "Prednison", "Predniso[lo]n"),
        ("Prednison", "Prednisolon", "Prednison"),
        ("Noradrenalin", "Adrenalin", "[Nor]adrenalin"),
        ("Amlodipin", "felodipin", "[Am]lodipin"),
        ("Digoxin", "Doxepin", "D[igox]in"),
        ("Natri clorid", "Kali clorid", "[Natr]i clorid"),
        ("Acid folinic", "Acid folic", "Acid foli[ni]c"),
        ("Benzathin benzylpenicilin", "Benzylpenicilin", "[Benzathin] benzylpenicilin"),
        ("Salbutamol Kabi Dược", "Salbutamol", "Salbutamol [Kabi] [Dược]"),
        ("Sắt sulfat", "sat sunfat", "Sắt su[l]fat"),
        ("Đồng", "dong", "Đồng"),
        ("Morphin", "", "[Morphin]"),
        ("", "Morphin", ""),
    ],
)
def test_differing_letters_are_found(name: str, other: str, expected: str) -> None:
    assert shown(MarkedName(differing_segments(name, other))) == expected


@given(st.text(), st.text())
def test_joined_segments_are_the_name(name: str, other: str) -> None:
    segments = differing_segments(name, other)
    assert "".join(segment.text for segment in segments) == name
    assert all(segment.text for segment in segments)
    assert all(a.differs != b.differs for a, b in pairwise(segments))


@given(names)
def test_accents_and_case_are_no_difference(name: str) -> None:
    for other in (name, name.upper(), fold(name) if name == name.strip() and "  " not in name else name):
        assert not MarkedName(differing_segments(name, other)).is_marked


@given(names, names)
def test_an_accent_stays_with_its_letter(name: str, other: str) -> None:
    apart = unicodedata.normalize("NFD", name)
    assert not any(unicodedata.combining(part.text[0]) for part in differing_segments(apart, other))


@given(names, names)
def test_no_space_is_marked(name: str, other: str) -> None:
    assert not any(part.differs and " " in part.text for part in differing_segments(name, other))


@given(names, names)
def test_what_is_not_marked_stands_in_the_other_in_the_same_order(name: str, other: str) -> None:
    rest = iter(fold(other))
    common = "".join(part.text for part in differing_segments(name, other) if not part.differs)
    assert all(letter in rest for letter in fold(common).replace(" ", ""))


@pytest.mark.parametrize(
    ("name", "other", "alike"),
    [
        ("Dobutamin", "DOPAMIN", True),
        ("Warfarin", "heparin", True),
        ("Paracetamol", "paracetmol", True),
        ("Amikacin", "Warfarin", False),
        ("Paracetamol", "", False),
    ],
    ids=["written alike", "listed", "misspelt", "unlike", "nothing typed"],
)
def test_names_are_alike_by_the_list_or_by_their_letters(name: str, other: str, alike: bool) -> None:
    assert are_alike(name, other) is alike


@pytest.mark.parametrize(
    ("others", "query", "expected"),
    [
        (["Dopamin", "Warfarin"], "dobutamon", "Do[but]amin"),
        (["Dopamin", "Dobutamid"], "dobutamon", "Dobutami[n]"),
        (["Warfarin"], "dobutamon", "Dobutam[i]n"),
        (["DOBUTAMIN"], "dobutamon", "Dobutam[i]n"),
        (["Warfarin"], "xyz", None),
        ([], "", None),
    ],
    ids=["partner before query", "likest partner", "query", "same letters are no other", "unlike all", "alone"],
)
def test_name_is_marked_against_what_it_is_taken_for(others: list[str], query: str, expected: str | None) -> None:
    assert shown(mark_name("Dobutamin", others, query)) == expected


@given(names, st.lists(names, max_size=4), names)
def test_marked_name_is_the_name(name: str, others: list[str], query: str) -> None:
    marked = mark_name(name, others, query)
    assert marked is None or marked.text == name
    assert plain_name(name).text == name
    assert not plain_name(name).is_marked
