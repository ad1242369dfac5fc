"""Tables, formulas, pictures and strays: never served as text, and never in the text's way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from ingest.domain import FindingKind, ParsedBook
from monographs.domain import PassageKind, SectionKey
from tests.pages.book import Book
from tests.pages.ink import words
from tests.pages.layout import Layout, Shown
from tests.pages.reading import drugs, expected, findings, parsed, passages, section, texts
from tests.pages.samples import DOSE, LONG, monograph, small_book

RENAL = [
    ["Độ thanh thải", "Liều", "Khoảng cách"],
    ["&gt; 50", "500 mg", "6 giờ"],
    ["10 - 50", "250 mg", "12 giờ"],
    ["&lt; 10", "125 mg", "24 giờ"],
]
ROWS = [[cell.replace("&gt;", ">").replace("&lt;", "<") for cell in row] for row in RENAL]


def _tables(read: ParsedBook) -> list[str]:
    return [passage.text for passage in passages(read) if passage.kind is PassageKind.TABLE]


def _with_table(style: str, rows: Sequence[Sequence[str]], *, wide: bool = False) -> Book:
    book = Book()
    monograph(book, "ALVERIN", filler=2)
    book.heading("Quá liều và xử trí")
    book.text(LONG)
    book.table(rows, style=style, wide=wide)
    book.text("Theo dõi trong 24 giờ.", indent=True)
    monograph(book, "BISACODYL", filler=4)
    return book


@pytest.mark.parametrize("wide", [False, True], ids=["one_column", "both_columns"])
@pytest.mark.parametrize("style", ["ruled", "booktabs", "unruled"])
def test_table_is_held_back_whole(style: str, wide: bool, tmp_path: Path) -> None:
    book = _with_table(style, ROWS, wide=wide)
    read = parsed(book, tmp_path)
    assert texts(read) == expected(book)
    table = "\n".join(_tables(read))
    assert all(cell in table for row in ROWS for cell in row)
    assert all(passage.quarantined for passage in passages(read) if passage.kind is PassageKind.TABLE)


@pytest.mark.parametrize("style", ["ruled", "booktabs", "unruled"])
def test_table_cut_over_columns_and_pages(style: str, tmp_path: Path) -> None:
    rows = [ROWS[0], *[[f"{n} - {n + 9} kg", f"{n * 5} mg", f"{n} giờ"] for n in range(10, 110)]]
    book = _with_table(style, rows)
    read = parsed(book, tmp_path)
    assert texts(read) == expected(book)
    table = "\n".join(_tables(read))
    assert all(cell in table for row in rows for cell in row)


def test_table_of_two_cells_across_the_gutter_is_no_running_text(tmp_path: Path) -> None:
    rows = [["Cân nặng", "Liều"], *[[f"{n} kg", f"{n * 15} mg"] for n in range(10, 22)]]
    book = _with_table("unruled", rows, wide=True)
    read = parsed(book, tmp_path)
    assert texts(read) == expected(book)
    assert "15 kg" in "\n".join(_tables(read))


def test_merged_cells_and_wrapped_rows_stay_in_the_table(tmp_path: Path) -> None:
    book = Book()
    monograph(book, "ALVERIN", filler=2)
    book.table([["Mức độ", "Liều hàng ngày", ""], ["Nhẹ", "1,5 - 3 g", "một lần"], ["Vừa", "", "hai lần"],
                ["", "cho tới 12 g", "(8 + 4)"], ["Nặng", "4 - 12 g", "ba lần"]], style="ruled")  # fmt: skip
    monograph(book, "BISACODYL", filler=2)
    read = parsed(book, tmp_path)
    assert texts(read) == expected(book)
    assert "cho tới 12 g (8 + 4)" in _tables(read)[0]


def test_caption_goes_with_its_table(tmp_path: Path) -> None:
    book = Book()
    monograph(book, "ALVERIN", filler=2)
    book.paragraph("<b>Bảng 2. Liều theo chức năng thận</b>", size=8.6)
    book.table(ROWS, style="ruled")
    monograph(book, "BISACODYL")
    read = parsed(book, tmp_path)
    assert texts(read) == expected(book)
    assert _tables(read)[0].startswith("Bảng 2.")


def test_fraction_is_a_formula_with_both_its_sides(tmp_path: Path) -> None:
    book = Book()
    monograph(book, "ALVERIN", filler=2)
    book.heading("Thời kỳ mang thai")
    book.text(LONG)
    y = book.y + 24
    book.put(Shown(book.x + 6, y, "Clcr (ml/phút) =", "Regular", 9.5))
    book.put(Shown(book.x + 88, y - 7, "(140 − tuổi) × cân nặng", "Regular", 9.5))
    book.put(Shown(book.x + 95, y + 9, "72 × creatinin (mg/dl)", "Regular", 9.5))
    book.page.rules.append((book.x + 84, y - 3, book.x + 190, y - 3))
    book.y += 42
    book.text("Sau đó chỉnh liều.", indent=True)
    read = parsed(book, tmp_path)
    assert texts(read) == expected(book)
    (formula,) = [passage for passage in passages(read) if passage.kind is PassageKind.FORMULA]
    assert "(140 − tuổi)" in formula.text and "72 ×" in formula.text and "Clcr" in formula.text
    assert formula.quarantined


def test_underline_is_no_fraction(tmp_path: Path) -> None:
    book = Book()
    monograph(book, "ALVERIN")
    book.heading("Quá liều và xử trí")
    book.text("Dùng than hoạt 50 - 100 g trong vòng 1 giờ.")
    book.page.rules.append((book.x, book.y + 1.5, book.x + 60, book.y + 1.5))
    book.text(LONG)
    read = parsed(book, tmp_path)
    assert texts(read) == expected(book)
    assert not [passage for passage in passages(read) if passage.kind is not PassageKind.TEXT]


def test_frame_around_text_is_no_table(tmp_path: Path) -> None:
    book = Book()
    monograph(book, "ALVERIN")
    book.heading("Quá liều và xử trí")
    top = book.y + 2
    book.text(LONG)
    left, right, bottom = book.x - 3, book.x + book.measure + 3, book.y + 4
    book.page.rules += [(left, top, right, top), (left, bottom, right, bottom)]
    book.page.rules += [(left, top, left, bottom), (right, top, right, bottom)]
    book.skip(0.5)
    book.text("Hết.")
    assert texts(parsed(book, tmp_path)) == expected(book)


def test_picture_is_a_figure(tmp_path: Path) -> None:
    book = small_book()
    read = parsed(book, tmp_path)
    assert not [passage for passage in passages(read) if passage.kind is PassageKind.FIGURE]


def test_pale_turned_watermark_and_hidden_text_are_left_out(tmp_path: Path) -> None:
    book = small_book()
    for page in book.pages:
        page.shown.insert(0, Shown(150, 600, "tailieu.example 2018", "Bold", 40, grey=0.85, angle=45))
        page.shown.append(Shown(60, 300, "lớp chữ ẩn 500 mg", "Regular", 8, mode=3))
    read = parsed(book, tmp_path)
    assert texts(read) == expected(book)
    assert not [passage for passage in passages(read) if passage.quarantined]
    assert len(findings(read, FindingKind.INVISIBLE_TEXT)) == len(book.pages)


def test_stamp_at_the_foot_of_a_few_pages_is_left_out(tmp_path: Path) -> None:
    book = small_book(titles=("ALVERIN", "BISACODYL", "CINARIZIN", "DIAZEPAM", "ENALAPRIL", "FUROSEMID"))
    for minute, page in enumerate(book.pages[1:3]):
        page.shown.append(Shown(42, 826, f"Tải về lúc 12:0{minute} chỉ dùng cho học tập", "Regular", 7, grey=0.5))
    assert texts(parsed(book, tmp_path)) == expected(book)


def test_running_head_never_joins_a_paragraph(tmp_path: Path) -> None:
    book = Book(replace(Layout(), head="Alverin - Bisacodyl"))
    monograph(book, "ALVERIN", filler=40)
    monograph(book, "BISACODYL", filler=40)
    assert len(book.pages) >= 3
    assert texts(parsed(book, tmp_path)) == expected(book)


def test_text_outside_the_page_is_reported(tmp_path: Path) -> None:
    book = small_book(replace(Layout(), crop=30))
    book.page.shown.append(Shown(-25, 300, "99", "Regular", 9))
    read = parsed(book, tmp_path)
    assert texts(read) == expected(book)
    assert findings(read, FindingKind.OUTSIDE_PAGE)


def test_plate_between_numbered_pages_belongs_to_no_section(tmp_path: Path) -> None:
    book = small_book(titles=("ALVERIN", "BISACODYL", "CINARIZIN", "DIAZEPAM"))
    before = len(book.pages)
    read = parsed(book, tmp_path)
    assert texts(read) == expected(book)
    assert len(read.page_map) == before


def test_table_belongs_to_the_section_it_stands_in(tmp_path: Path) -> None:
    book = Book()
    monograph(book, "ALVERIN")
    book.heading("Quá liều và xử trí")
    book.text(DOSE)
    book.table(ROWS)
    monograph(book, "BISACODYL")
    drug = drugs(parsed(book, tmp_path))[0]
    kinds = [passage.kind for passage in section(drug, SectionKey.QUA_LIEU).passages]
    assert kinds == [PassageKind.TEXT, PassageKind.TABLE]


def test_small_print_between_paragraphs_is_not_served(tmp_path: Path) -> None:
    book = Book()
    monograph(book, "ALVERIN", filler=2)
    book.paragraph("Chú thích bảng: liều tính theo 1,73 m<sup>2</sup>.", size=7.5)
    book.line(words("(a) 300 mg; (b) 400 mg"), size=7.5)
    monograph(book, "BISACODYL")
    read = parsed(book, tmp_path)
    assert texts(read) == expected(book)
    assert "400 mg" in "\n".join(_tables(read))
