"""Headings and titles as the book really prints them: glued, split, wrapped, twice used."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest.domain import FindingKind
from ingest.headings import match_heading
from monographs.domain import SectionKey
from tests.pages.book import Book
from tests.pages.ink import words
from tests.pages.reading import drugs, expected, findings, parsed, section, texts
from tests.pages.samples import DOSE, LONG, monograph


def test_heading_glued_to_a_sentence_opens_its_section(tmp_path: Path) -> None:
    book = Book()
    monograph(book, "ALVERIN")
    book.title("BISACODYL")
    book.run_in("Tên chung quốc tế", "Bisacodyl.")
    book.paragraph("<b>Mã ATC:</b> B01AA07.<b>Loại thuốc:</b> Thuốc nhuận tràng.")
    book.expect("Mã ATC", "B01AA07.")
    book.expect("Loại thuốc", "Thuốc nhuận tràng.")
    book.paragraph("<b>Chỉ định</b>")
    book.paragraph("Táo bón, dùng 5 mg buổi tối, tác dụng chậm.<b>Chống chỉ định</b>")
    book.paragraph("Tắc ruột.")
    book.expect("Chỉ định", "Táo bón, dùng 5 mg buổi tối, tác dụng chậm.")
    book.expect("Chống chỉ định", "Tắc ruột.")
    assert texts(parsed(book, tmp_path)) == expected(book)


def test_glued_headings_that_lost_their_bold_are_reported(tmp_path: Path) -> None:
    book = Book()
    monograph(book, "ALVERIN")
    book.title("BISACODYL")
    book.run_in("Tên chung quốc tế", "Bisacodyl.")
    book.paragraph("<b>Mã ATC:</b> B01AA07.Loại thuốc: Thuốc nhuận tràng tác dụng chậm.Dạng thuốc và hàm lượng")
    book.paragraph("Viên nén: 5 mg.")
    read = parsed(book, tmp_path)
    drug = drugs(read)[1]
    assert section(drug, SectionKey.MA_ATC).text == "B01AA07."
    assert section(drug, SectionKey.LOAI_THUOC).text == "Thuốc nhuận tràng tác dụng chậm."
    assert section(drug, SectionKey.DANG_THUOC_HAM_LUONG).text == "Viên nén: 5 mg."
    assert len(findings(read, FindingKind.HEADING_GUESSED)) == 2


def test_heading_words_inside_a_sentence_open_nothing(tmp_path: Path) -> None:
    book = Book()
    monograph(book, "ALVERIN")
    book.heading("Độ ổn định và bảo quản")
    book.text(
        "Liều lượng và cách dùng phải theo nhãn, không tự ý thay đổi khi chưa hỏi bác sĩ; xem thêm phần "
        "Chống chỉ định của từng dạng. <b>Thận trọng</b> khi pha: dùng trong 24 giờ. <b>Cảnh báo:</b> bỏ ống vỡ."
    )
    assert texts(parsed(book, tmp_path)) == expected(book)


def test_wrapped_heading_is_one(tmp_path: Path) -> None:
    book = Book()
    monograph(book, "ALVERIN")
    book.line(words("<b>Tác dụng không mong muốn</b>"))
    book.line(words("<b>(ADR)</b>"))
    book.expect("Tác dụng không mong muốn (ADR)")
    book.text("Buồn nôn ở 3% người bệnh.")
    assert texts(parsed(book, tmp_path)) == expected(book)


def test_sub_head_on_the_headings_line_belongs_to_the_text(tmp_path: Path) -> None:
    book = Book()
    book.title("ALVERIN")
    book.opening("Alverin.")
    book.line(words("<b>Liều lượng và cách dùng Cách dùng:</b>"))
    book.line(words("Uống trước ăn 30 phút."))
    drug = drugs(parsed(book, tmp_path))[0]
    assert section(drug, SectionKey.LIEU_DUNG).text == "Cách dùng: Uống trước ăn 30 phút."


@pytest.mark.parametrize(
    ("printed", "key"),
    [
        ("D ạng thu ốc và hàm l ượng", SectionKey.DANG_THUOC_HAM_LUONG),
        ("Ðộ ổn định và bảo quản", SectionKey.BAO_QUAN),
        ("Ouá liều và xử trí", SectionKey.QUA_LIEU),
        ("T ương ky", SectionKey.TUONG_KY),
        ("Li**ều lượ**ng và cách sử dụng :", SectionKey.LIEU_DUNG),
        ("TƯƠNG TÁC THUỐC", SectionKey.TUONG_TAC),
        ("Thời kì cho con bú", SectionKey.CHO_CON_BU),
        ("Tác dụng không mong muốn(ADR)", SectionKey.ADR),
        ("Mã ACT", SectionKey.MA_ATC),
        ("Thông tin và qui chế", SectionKey.QUY_CHE),
    ],
)
def test_spellings_of_a_heading(printed: str, key: SectionKey) -> None:
    assert match_heading(printed) is key


@pytest.mark.parametrize(
    "text", ["Thận trọng khi tiêm nhanh", "Chỉ định này", "Cách dùng", "Liều dùng", "Dược động học", ""]
)
def test_what_is_no_heading(text: str) -> None:
    assert match_heading(text) is None


def test_title_split_by_kerning_is_mended(tmp_path: Path) -> None:
    book = Book()
    monograph(book, "ALVERIN")
    book.title("VANCOMYCIN", lines=["V ANCOMYCIN"])
    book.opening("Vancomycin.")
    book.heading("Chỉ định")
    book.text("Vancomycin dùng cho nhiễm khuẩn nặng.")
    assert [drug.title for drug in drugs(parsed(book, tmp_path))] == ["ALVERIN", "VANCOMYCIN"]


def test_letter_spaced_title_is_one_word(tmp_path: Path) -> None:
    book = Book()
    monograph(book, "ALVERIN")
    book.title("ABACAVIR", lines=["A B A C A V I R"])
    book.opening("Abacavir.")
    assert [drug.title for drug in drugs(parsed(book, tmp_path))] == ["ALVERIN", "ABACAVIR"]


def test_title_of_two_words_stays_two(tmp_path: Path) -> None:
    book = Book()
    book.title("ACID VALPROIC")
    book.opening("Valproic acid.")
    book.heading("Chỉ định")
    book.text("Acid valproic và các acid khác.")
    assert drugs(parsed(book, tmp_path))[0].title == "ACID VALPROIC"


def test_wrapped_title_with_synonyms_on_a_line_of_their_own(tmp_path: Path) -> None:
    book = Book()
    monograph(book, "ALVERIN")
    lines = ["CÁC CHẤT ỨC CHẾ", "HMG-CoA REDUCTASE"]
    book.title("CÁC CHẤT ỨC CHẾ HMG-CoA REDUCTASE", lines=lines)
    book.line(words("<b>(Các statin; vastatin)</b>"))
    book.opening("Simvastatin.")
    drug = drugs(parsed(book, tmp_path))[1]
    assert drug.title == "CÁC CHẤT ỨC CHẾ HMG-CoA REDUCTASE"
    assert drug.synonyms == ("Các statin", "vastatin")


def test_same_title_twice_is_told_apart_by_its_subtitle(tmp_path: Path) -> None:
    book = Book()
    for subtitle in ("Dùng trong hô hấp", "Dùng trong sản khoa"):
        book.title("SALBUTAMOL")
        book.line(words(subtitle))
        book.opening("Salbutamol.")
        book.heading("Chỉ định")
        book.text(f"{subtitle}: 4 mg.")
    read = parsed(book, tmp_path)
    assert [(drug.title, drug.subtitle) for drug in drugs(read)] == [
        ("SALBUTAMOL", "Dùng trong hô hấp"),
        ("SALBUTAMOL", "Dùng trong sản khoa"),
    ]
    assert len(findings(read, FindingKind.DUPLICATE_TITLE)) == 2


def test_capitals_inside_a_section_are_no_title(tmp_path: Path) -> None:
    book = Book()
    monograph(book, "ALVERIN")
    book.heading("Quá liều và xử trí")
    book.text("<b>CHÚ Ý</b>")
    book.text("Gọi cấp cứu 115.")
    read = parsed(book, tmp_path)
    assert [drug.title for drug in drugs(read)] == ["ALVERIN"]
    assert section(drugs(read)[0], SectionKey.QUA_LIEU).text == "CHÚ Ý\nGọi cấp cứu 115."


def test_next_title_does_not_leak_into_the_last_paragraph(tmp_path: Path) -> None:
    book = Book()
    for title in ("ALVERIN", "BISACODYL", "CINARIZIN", "DIAZEPAM"):
        book.title(title)
        book.opening(f"{title.capitalize()}.")
        book.heading("Chỉ định")
        book.text(LONG)
        book.heading("Tên thương mại")
        book.text("Thuốc A; Thuốc B 500")
    assert texts(parsed(book, tmp_path)) == expected(book)


def test_sections_that_a_monograph_lacks_are_reported_not_invented(tmp_path: Path) -> None:
    book = Book()
    book.title("EPERISON")
    book.opening("Eperisone.")
    book.heading("Liều lượng và cách dùng")
    book.text(DOSE)
    read = parsed(book, tmp_path)
    assert [part.key for part in drugs(read)[0].sections][-1] is SectionKey.LIEU_DUNG
    (missing,) = findings(read, FindingKind.MISSING_SECTION)
    assert "Chống chỉ định" in missing.detail and "Liều lượng" not in missing.detail


def test_identical_paragraphs_stay_with_their_own_drug(tmp_path: Path) -> None:
    book = Book()
    monograph(book, "ALVERIN", filler=2)
    monograph(book, "BISACODYL", filler=2)
    assert texts(parsed(book, tmp_path)) == expected(book)
