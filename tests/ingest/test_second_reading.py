"""The independent second reading: what it sees, and that any difference in numbers holds a line back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ingest.blocks import Line, PageLayout
from ingest.crosscheck import counted, cross_check
from ingest.domain import Finding, FindingKind
from ingest.lines import Span
from ingest.normalise import Repair
from ingest.second_reader import Fragment, SecondReader, string_bytes
from monographs.domain import Box
from tests.pages.layout import Layout, Shown
from tests.pages.reading import parsed, passages
from tests.pages.samples import small_book
from tests.pages.typesetter import Typesetter


def _page(text: str, *findings: Finding) -> PageLayout:
    line = Line(Box(1, 42, 92, 200, 102), (Span(text, bold=False, italic=False),), 9.5, 100.0, 0, 0, 1.2, 0, findings)
    return PageLayout(1, 595, 842, (line,))


def _doubted(page: PageLayout, *fragments: Fragment) -> bool:
    (line,) = cross_check(page, fragments).items
    return any(finding.kind is FindingKind.NUMBER_DISAGREEMENT for finding in line.findings)


@pytest.mark.parametrize(
    ("text", "fragments", "doubted"),
    [
        ("Uống 500 mg.", [Fragment(42, 100, 9.5, "Uống 500 mg.")], False),
        ("Uống 500 mg.", [Fragment(42, 100, 9.5, "Uống "), Fragment(70, 100, 9.5, "500 mg.")], False),
        ("Uống 500 mg.", [Fragment(42, 100, 9.5, "Uống 50 mg.")], True),
        ("Uống 500 mg.", [], True),
        ("Uống mg.", [Fragment(60, 100, 9.5, "500")], True),
        ("5 x 10⁹/lít", [Fragment(42, 100, 9, "5 x 10"), Fragment(90, 97, 6, "9"), Fragment(93, 100, 9, "/")], False),
        ("Uống 500 mg.", [Fragment(42, 100, 9.5, "Uống 500 mg."), Fragment(42.3, 100, 9.5, "Uống 500 mg.")], False),
        ("Uống 500 mg.", [Fragment(42, 100, 9.5, "Uống \ufffd00 mg.")], True),
        ("Uống 500 mg.", [Fragment(42, 100, 9.5, "Uống 500 mg."), Fragment(320, 100, 9.5, "7 ngày")], False),
        ("Uống 0,5 mg.", [Fragment(42, 100, 9.5, "Uống 0.5 mg.")], True),
    ],
    ids=["same", "in_two", "digit_lost", "not_seen", "seen_only_second", "power", "printed_twice", "unreadable",
         "other_column", "other_comma"],
)  # fmt: skip
def test_disagreement(text: str, fragments: list[Fragment], doubted: bool) -> None:
    assert _doubted(_page(text), *fragments) is doubted


def test_legacy_codes_are_not_mistaken_for_numbers() -> None:
    place = Box(1, 42, 92, 200, 102)
    legacy = Finding(FindingKind.TEXT_REPAIRED, 1, place, Repair.LEGACY)
    page = _page("Mạch nhanh 90 lần", legacy)
    assert not _doubted(page, Fragment(42, 100, 9.5, "M¹ch nhanh 90 lÇn"))
    assert _doubted(page, Fragment(42, 100, 9.5, "M¹ch nhanh 9 lÇn"))


def test_powers_count_as_digits() -> None:
    assert counted("CD4⁺ < 0,5 x 10⁹/lít, H₁ 1/2") == "40,5109/,11/2"


@pytest.mark.parametrize(
    ("token", "raw"),
    [
        (b"(a\\(b\\)\\061)", b"a(b)1"),
        (b"<48 65>", b"He"),
        (b"<4>", b"@"),
        (b"(a\\\nb)", b"ab"),
        (b"(\\\\n)", b"\\n"),
    ],
)
def test_strings_of_the_content_stream(token: bytes, raw: bytes) -> None:
    assert string_bytes(token) == raw


LAYOUTS = {
    "plain": Layout(),
    "turned": replace(Layout(), rotation=90, crop=20),
    "size_in_matrix": replace(Layout(), in_matrix=True),
    "letters": replace(Layout(), per_letter=True),
    "twice": replace(Layout(), bold="overprint"),
}


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS.keys())
def test_both_readings_agree_on_a_sound_book(layout: Layout, tmp_path: Path) -> None:
    read = parsed(small_book(layout), tmp_path)
    assert not [passage.text for passage in passages(read) if passage.quarantined]


def test_second_reader_finds_places_and_leaves_out_what_is_hidden(tmp_path: Path) -> None:
    setter = Typesetter(replace(Layout(), rotation=270, crop=10, head="", first_number=None))
    setter.put(Shown(50, 100, "Uống 500 mg", "Regular", 9.5))
    setter.put(Shown(50, 200, "ẩn 7", "Regular", 9.5, mode=3))
    setter.put(Shown(50, 300, "xoay 8", "Regular", 9.5, angle=45))
    (fragment,) = SecondReader(setter.save(tmp_path / "trang.pdf")).fragments(1)
    assert fragment.text == "Uống 500 mg"
    assert (fragment.x, fragment.y, fragment.size) == pytest.approx((50, 100, 9.5), abs=0.1)
