"""Codes that are not the letters they look like: repaired with a record, or held back; a digit is never made up."""

from __future__ import annotations

import unicodedata
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from ingest.domain import FindingKind, ParsedBook, ParsedPassage
from ingest.normalise import TCVN3_LETTERS, FontDecoder, Repair, choose_decoder, compose, is_legacy, is_mojibake
from monographs.domain import SectionKey
from tests.pages.book import Book
from tests.pages.layout import Layout, Shown
from tests.pages.reading import drugs, expected, findings, parsed, passages, section, texts
from tests.pages.samples import LONG, monograph

TO_TCVN3 = str.maketrans({letter: code for code, letter in TCVN3_LETTERS.items()})
SENTENCE = "Uống thuốc với nhiều nước, 250 mg mỗi lần, ngày 3 lần; trẻ em dưới 12 tuổi không dùng."


def _with_line(marked: str, layout: Layout | None = None, *, face: str = "Regular") -> Book:
    """A book whose overdose section is one line in a font of its own."""
    book = Book(layout)
    monograph(book, "ALVERIN")
    book.heading("Quá liều và xử trí")
    book.y += book.step
    book.put(Shown(book.x, book.y, marked, face, 9.0))
    monograph(book, "BISACODYL")
    return book


def _overdose(read: ParsedBook) -> tuple[ParsedPassage, ...]:
    return section(drugs(read)[0], SectionKey.QUA_LIEU).passages


def test_legacy_font_is_decoded_and_recorded(tmp_path: Path) -> None:
    layout = replace(Layout(), families={".VnTime": "Regular"})
    short = "Uống 250 mg, ngày 3 lần; trẻ nhỏ dưới 12 tuổi: không."
    book = _with_line(short.translate(TO_TCVN3), layout, face=".VnTime")
    read = parsed(book, tmp_path)
    (passage,) = _overdose(read)
    assert passage.text == short
    assert not passage.quarantined
    assert Repair.LEGACY in findings(read, FindingKind.TEXT_REPAIRED)[0].detail


def test_legacy_text_in_a_font_of_another_name_is_recognised_by_its_codes(tmp_path: Path) -> None:
    layout = replace(Layout(), families={"Unknown1": "Regular"})
    short = "Phải uống đủ nước mỗi ngày, 250 mg một lần, đúng giờ."
    (passage,) = _overdose(parsed(_with_line(short.translate(TO_TCVN3), layout, face="Unknown1"), tmp_path))
    assert passage.text == short or passage.quarantined


SIGNS = {"\uf0b3": "≥", "\uf0a3": "≤", "\uf0ae": "→", "\uf0af": "↓", "\uf061": "α", "\uf0b1": "±"}


@pytest.mark.parametrize(("code", "sign"), SIGNS.items(), ids=SIGNS.values())
def test_private_signs_of_the_symbol_font(code: str, sign: str, tmp_path: Path) -> None:
    book = Book(replace(Layout(), families={"SymbolMT": "Regular"}, says={"Ж": code}))
    monograph(book, "ALVERIN")
    book.heading("Quá liều và xử trí")
    book.y += book.step
    book.put(Shown(book.x, book.y, "Ngộ độc khi dùng ", "Regular", 9.5))
    book.put(Shown(book.x + 80, book.y, "Ж", "SymbolMT", 9.5))
    book.put(Shown(book.x + 90, book.y, "10 g.", "Regular", 9.5))
    (passage,) = _overdose(parsed(book, tmp_path))
    assert sign in passage.text
    assert not passage.quarantined


@pytest.mark.parametrize("face", ["SymbolMT", "Unknown1"])
def test_private_digit_is_never_served(face: str, tmp_path: Path) -> None:
    layout = replace(Layout(), families={face: "Regular"}, says={"Ж": "\uf031", "Ф": "\uf030"})
    (passage,) = _overdose(parsed(_with_line("ЖФ", layout, face=face), tmp_path))
    assert passage.quarantined
    assert not any(letter.isdigit() for letter in passage.text)


def test_private_sign_of_an_unknown_font_is_held_back(tmp_path: Path) -> None:
    layout = replace(Layout(), families={"Unknown1": "Regular"}, says={"Ж": "\uf0b3"})
    (passage,) = _overdose(parsed(_with_line("Ж", layout, face="Unknown1"), tmp_path))
    assert [finding.kind for finding in passage.findings if finding.quarantines] == [FindingKind.UNRESOLVED_GLYPH]


def test_decomposed_accents_are_composed(tmp_path: Path) -> None:
    book = Book()
    monograph(book, "ALVERIN")
    book.heading("Quá liều và xử trí")
    book.expect("", "")
    book.monographs[-1].sections.pop()
    book.monographs[-1].sections[-1].paragraphs.append(SENTENCE)
    book.paragraph(unicodedata.normalize("NFD", SENTENCE))
    monograph(book, "BISACODYL")
    read = parsed(book, tmp_path)
    assert texts(read) == expected(book)
    assert not [passage for passage in passages(read) if passage.quarantined]


def test_eth_becomes_the_vietnamese_letter(tmp_path: Path) -> None:
    book = _with_line("Ðiều trị triệu chứng; rửa dạ dày trong 1 giờ.")
    (passage,) = _overdose(parsed(book, tmp_path))
    assert passage.text == "Điều trị triệu chứng; rửa dạ dày trong 1 giờ."


def test_ligatures_are_taken_apart(tmp_path: Path) -> None:
    (passage,) = _overdose(parsed(_with_line("Haemophilus in\ufb02uenzae, \ufb01brin 2 g."), tmp_path))
    assert passage.text == "Haemophilus influenzae, fibrin 2 g."


def test_soft_hyphen_at_a_lines_end_joins_a_word_the_book_knows(tmp_path: Path) -> None:
    book = Book()
    monograph(book, "ALVERIN")
    book.heading("Quá liều và xử trí")
    book.text("Tiêm epinephrin 0,5 mg.")
    book.y += book.step
    book.put(Shown(book.x, book.y, "Nhắc lại nếu cần, theo dõi mạch khi đã tiêm epi\u00ad", "Regular", 9.5))
    book.y += book.step
    book.put(Shown(book.x, book.y, "nephrin 1 mg.", "Regular", 9.5))
    last = _overdose(parsed(book, tmp_path))[-1]
    assert last.text.endswith("tiêm epinephrin 1 mg.")
    assert not last.quarantined


def test_real_hyphen_at_a_lines_end_stays(tmp_path: Path) -> None:
    book = Book()
    monograph(book, "ALVERIN")
    book.heading("Quá liều và xử trí")
    book.text("Nhóm beta-lactam.")
    book.y += book.step
    book.put(Shown(book.x, book.y, "Dị ứng chéo với các kháng sinh khác thuộc nhóm beta-", "Regular", 9.5))
    book.y += book.step
    book.put(Shown(book.x, book.y, "lactam.", "Regular", 9.5))
    last = _overdose(parsed(book, tmp_path))[-1]
    assert last.text.endswith("nhóm beta-lactam.")


def test_number_cut_by_a_hyphen_is_held_back(tmp_path: Path) -> None:
    book = Book()
    monograph(book, "ALVERIN")
    book.heading("Quá liều và xử trí")
    for text in ("Dùng than hoạt với liều thông thường ở người lớn là 50-", "100 g."):
        book.y += book.step
        book.put(Shown(book.x, book.y, text, "Regular", 9.5))
    (passage,) = _overdose(parsed(book, tmp_path))
    assert FindingKind.SPLIT_NUMBER in {finding.kind for finding in passage.findings}


@pytest.mark.parametrize(
    "text", ["Bạch cầu dưới 0,5 x 109/lít.", "Diện tích 1,73 m2 da.", "W0,425×H0,725×71,84", "2 x 106 tế bào"]
)
def test_flattened_powers_are_held_back(text: str, tmp_path: Path) -> None:
    (passage,) = _overdose(parsed(_with_line(text), tmp_path))
    assert FindingKind.FLATTENED_SCRIPT in {finding.kind for finding in passage.findings}


def test_power_that_unicode_lacks_is_held_back(tmp_path: Path) -> None:
    book = Book()
    monograph(book, "ALVERIN")
    book.heading("Quá liều và xử trí")
    book.paragraph("Diện tích = W<sup>0,425</sup> x 71,84.")
    (passage,) = _overdose(parsed(book, tmp_path))
    assert passage.quarantined


def test_missing_space_before_a_unit_is_reported_and_served(tmp_path: Path) -> None:
    (passage,) = _overdose(parsed(_with_line("Uống 10mg."), tmp_path))
    assert passage.text == "Uống 10mg."
    assert not passage.quarantined
    assert FindingKind.MISSING_UNIT_SPACE in {finding.kind for finding in passage.findings}


def test_every_repair_leaves_the_digits_alone() -> None:
    text = "Ð 1\u00ad0 º 2º 30 ºC a\u0301 4\ufb01"
    changed, repairs = compose(text)
    assert [c for c in changed if c.isdigit()] == [c for c in text if c.isdigit()]
    assert Repair.ETH in repairs
    assert all(FontDecoder(symbol=True).decode(chr(0xF030 + digit))[0] == "\ufffd" for digit in range(10))


@pytest.mark.parametrize(
    ("font", "text", "legacy"),
    [
        (".VnTime", "Thuèc", True),
        (".VnTime", "Thuốc", False),
        ("Times", "Thuèc ®èi kh¸ng m¹ch", True),
        ("Times", "Molière à la carte", False),
        ("Times", "Thuốc kháng sinh ® © ¹", False),
    ],
)
def test_which_fonts_are_legacy(font: str, text: str, legacy: bool) -> None:
    assert is_legacy(font, Counter(text)) is legacy


def test_capital_legacy_fonts() -> None:
    decoder = choose_decoder(".VnTimeH", Counter("thuèc"))
    assert "".join(decoder.decode(code)[0] for code in "thuèc 5") == "THUỐC 5"


@pytest.mark.parametrize(
    ("text", "mojibake"), [("m¹ch", True), ("t¸c dông", True), ("Panadol® 500", False), ("1/2 µg", False)]
)
def test_mojibake(text: str, mojibake: bool) -> None:
    assert is_mojibake(text) is mojibake


def test_long_text_without_any_fault_is_served_as_it_is(tmp_path: Path) -> None:
    book = Book()
    monograph(book, "ALVERIN")
    book.heading("Quá liều và xử trí")
    book.text(LONG)
    assert texts(parsed(book, tmp_path)) == expected(book)


def test_glyph_that_the_file_gives_no_letter_for_is_held_back(tmp_path: Path) -> None:
    layout = replace(Layout(), says={"Ж": "\x00"})
    (passage,) = _overdose(parsed(_with_line("Liều Ж mg.", layout), tmp_path))
    assert passage.quarantined


@pytest.mark.parametrize("shift", [1.6, 2.4, 3.5])
def test_number_printed_twice_too_far_apart_to_be_bold_is_held_back(shift: float, tmp_path: Path) -> None:
    book = Book()
    monograph(book, "ALVERIN")
    book.heading("Quá liều và xử trí")
    book.y += book.step
    book.put(Shown(book.x, book.y, "Uống ", "Regular", 9.5))
    for x in (24.0, 24.0 + shift):
        book.put(Shown(book.x + x, book.y, "500", "Regular", 9.5))
    book.put(Shown(book.x + 46, book.y, "mg.", "Regular", 9.5))
    (passage,) = _overdose(parsed(book, tmp_path))
    assert passage.quarantined
