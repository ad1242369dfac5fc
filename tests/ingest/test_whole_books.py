"""The book around its monographs: chapters, appendices, brand index, page map, and files that are no book."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import zlib
from dataclasses import replace
from pathlib import Path

import pytest

from ingest.domain import BrandIndexLine, FindingKind, ParsedBook
from ingest.export import export_book
from ingest.open_pdf import REFUSAL_TEXTS, PdfRefused, Refusal
from ingest.pipeline import PARSER_VERSION, parse_book
from ingest.sandbox import Limits, parse_in_child
from monographs.domain import MonographKind
from tests.pages.book import Book
from tests.pages.ink import words
from tests.pages.layout import Layout, Shown
from tests.pages.reading import drugs, findings, parsed
from tests.pages.samples import LONG, monograph, small_book
from tests.paths import SHARED, needs_shared

BOOKS = SHARED / "corpus" / "books"
REAL = SHARED / "corpus" / "real"
OUTCOMES = {
    "hong-cau-truc": Refusal.NO_TEXT,
    "ky-tu-trung": Refusal.NO_MONOGRAPHS,
    "ma-hoa": Refusal.ENCRYPTED,
    "ma-hoa-r6": Refusal.ENCRYPTED,
    "quet-khong-chu": Refusal.NO_TEXT,
    "suy-tim-2022": Refusal.NO_MONOGRAPHS,
    "tang-huyet-ap-2010": Refusal.NO_MONOGRAPHS,
    "to-huong-dan-hai-cot": Refusal.NO_MONOGRAPHS,
    "to-huong-dan-khung": Refusal.NO_MONOGRAPHS,
    "to-huong-dan-ocr-an": Refusal.INVISIBLE_TEXT,
}


def _whole_book() -> Book:
    book = Book(replace(Layout(), first_number=39))
    book.line(words("<b>SỬ DỤNG THUỐC AN TOÀN</b>"), size=13)
    for heading in ("Đại cương", "Nguyên tắc"):
        book.line(words(f"<b>{heading}</b>"))
        for _ in range(4):
            book.paragraph(LONG)
    book.new_page()
    for title in ("ALVERIN", "BISACODYL", "CINARIZIN"):
        monograph(book, title, filler=5)
    book.new_page()
    book.line(words("<b>PHỤ LỤC 1</b>"), size=13)
    book.line(words("<b>PHA THUỐC TIÊM</b>"), size=13)
    for _ in range(6):
        book.paragraph(LONG)
    book.new_page()
    book.line(words("<b>MỤC LỤC TRA CỨU</b>"), size=13)
    for number in range(20):
        book.line(words(f"Biệt dược {chr(65 + number)} - Alverin, {40 + number % 3}"))
    book.line(words("Cardilopin - Amlodipin"))
    book.line(words("Exforge - Amlodipin + Valsartan, 41"))
    return book


def test_chapters_and_appendices_are_kept_beside_the_drugs(tmp_path: Path) -> None:
    read = parsed(_whole_book(), tmp_path)
    assert [(m.kind, m.title) for m in read.monographs] == [
        (MonographKind.CHAPTER, "SỬ DỤNG THUỐC AN TOÀN"),
        (MonographKind.DRUG, "ALVERIN"),
        (MonographKind.DRUG, "BISACODYL"),
        (MonographKind.DRUG, "CINARIZIN"),
        (MonographKind.APPENDIX, "PHỤ LỤC 1 PHA THUỐC TIÊM"),
    ]
    chapter = read.monographs[0]
    assert [part.heading for part in chapter.sections] == ["Đại cương", "Nguyên tắc"]
    assert all(part.key is None for part in chapter.sections)
    assert len(export_book(read)["monographs"]) == 3


def test_brand_index_is_read_with_and_without_pages(tmp_path: Path) -> None:
    read = parsed(_whole_book(), tmp_path)
    last = max(read.page_map)
    assert BrandIndexLine("Biệt dược A", ("Alverin",), 40, last) in read.brand_index
    assert BrandIndexLine("Cardilopin", ("Amlodipin",), None, last) in read.brand_index
    assert BrandIndexLine("Exforge", ("Amlodipin", "Valsartan"), 41, last) in read.brand_index


def test_page_without_a_number_gets_it_from_its_neighbours(tmp_path: Path) -> None:
    book = small_book(replace(Layout(), first_number=99), titles=("ALVERIN", "BISACODYL", "CINARIZIN", "DIAZEPAM"))
    read = parsed(book, tmp_path)
    assert read.page_map == {page: page + 98 for page in read.page_map}


def test_book_of_no_drugs_is_refused(tmp_path: Path) -> None:
    book = Book()
    book.line(words("<b>TỜ HƯỚNG DẪN SỬ DỤNG</b>"), size=13)
    for _ in range(5):
        book.paragraph(LONG)
    with pytest.raises(PdfRefused) as refused:
        parsed(book, tmp_path)
    assert refused.value.refusal is Refusal.NO_MONOGRAPHS


def test_invisible_text_alone_is_refused(tmp_path: Path) -> None:
    book = Book(replace(Layout(), head="", first_number=None))
    for line in range(30):
        book.put(Shown(42, 80 + 12 * line, LONG[:60], "Regular", 9, mode=3))
    with pytest.raises(PdfRefused) as refused:
        parsed(book, tmp_path)
    assert refused.value.refusal is Refusal.INVISIBLE_TEXT


@pytest.mark.parametrize(
    ("content", "refusal"),
    [
        (b"", Refusal.NOT_A_PDF),
        (b"<html>khong phai PDF</html>", Refusal.NOT_A_PDF),
        (b"%PDF-1.7\n" + b"x" * 3000, Refusal.DAMAGED),
    ],
    ids=["empty", "html", "garbage"],
)
def test_files_that_are_no_pdf(content: bytes, refusal: Refusal, tmp_path: Path) -> None:
    path = tmp_path / "tep.pdf"
    path.write_bytes(content)
    with pytest.raises(PdfRefused) as refused:
        parse_in_child(path)
    assert refused.value.refusal is refusal
    assert str(refused.value) == REFUSAL_TEXTS[refusal]


def test_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PdfRefused) as refused:
        parse_book(tmp_path / "khong-co.pdf")
    assert refused.value.refusal is Refusal.MISSING


def test_every_refusal_has_its_sentence() -> None:
    assert set(REFUSAL_TEXTS) == set(Refusal)
    assert all(text.endswith(".") for text in REFUSAL_TEXTS.values())


def test_truncated_book_ends_in_a_clear_outcome(tmp_path: Path) -> None:
    whole = small_book().saved(tmp_path)
    cut = tmp_path / "cut.pdf"
    cut.write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
    try:
        read = parse_in_child(cut)
    except PdfRefused:
        return
    assert drugs(read)


def test_child_gives_the_same_book_and_tells_of_its_progress(tmp_path: Path) -> None:
    path = small_book().saved(tmp_path)
    told: list[tuple[str, int, int]] = []
    child = parse_in_child(path, on_progress=lambda *progress: told.append(progress))
    assert child == parse_book(path, workers=1)
    assert told[-1][1] == told[-1][2]


def test_progress_that_raises_ends_the_child(tmp_path: Path) -> None:
    path = small_book().saved(tmp_path)

    def cancel(_stage: str, _done: int, _total: int) -> None:
        raise KeyError("cancelled")

    with pytest.raises(KeyError):
        parse_in_child(path, on_progress=cancel)


def test_time_limit_stops_the_child(tmp_path: Path) -> None:
    with pytest.raises(PdfRefused) as refused:
        parse_in_child(small_book().saved(tmp_path), limits=Limits(wall_seconds=0.01))
    assert refused.value.refusal is Refusal.TOO_SLOW


def _bomb(path: Path, megabytes: int) -> Path:
    """One page whose content unpacks to so much white space."""
    packer = zlib.compressobj(9)
    packed = b"".join(packer.compress(b" " * 2**20) for _ in range(megabytes)) + packer.flush()
    parts = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<<>>>>",
        b"<</Length %d/Filter/FlateDecode>>stream\n%s\nendstream" % (len(packed), packed),
    ]
    body, places = b"%PDF-1.5\n", []
    for number, part in enumerate(parts, start=1):
        places.append(len(body))
        body += b"%d 0 obj%sendobj\n" % (number, part)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    tail = b"xref\n0 5\n0000000000 65535 f \n%strailer<</Size 5/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF"
    path.write_bytes(body + tail % (table, len(body)))
    return path


def test_memory_limit_stops_a_bomb(tmp_path: Path) -> None:
    with pytest.raises(PdfRefused):
        parse_in_child(_bomb(tmp_path / "bom.pdf", 400), limits=Limits(memory_bytes=300 * 2**20, stall_seconds=60))


def test_parser_version_names_both_extractors() -> None:
    assert "pypdfium2-" in PARSER_VERSION and "pypdf-" in PARSER_VERSION


@pytest.mark.parametrize("name", OUTCOMES)
@needs_shared
def test_real_pdfs_end_in_a_clear_outcome(name: str) -> None:
    with pytest.raises(PdfRefused) as refused:
        parse_in_child(REAL / f"{name}.pdf")
    assert refused.value.refusal is OUTCOMES[name]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["clean60", "noisy120"])
@needs_shared
def test_generated_books_are_read_without_a_wrong_number(name: str, tmp_path: Path) -> None:
    book: ParsedBook = parse_book(BOOKS / f"{name}.pdf")
    exported = tmp_path / "book.json"
    exported.write_text(json.dumps(export_book(book), ensure_ascii=False), encoding="utf-8")
    score = subprocess.run(
        [sys.executable, str(SHARED / "corpus" / "score_parse.py"), str(exported), str(BOOKS / f"{name}.gt.json.gz")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert score.returncode == 0, score.stdout
    with gzip.open(BOOKS / f"{name}.gt.json.gz") as file:
        truth = json.load(file)
    assert len(drugs(book)) == len(truth["monographs"])
    assert "section text silently different 0.00000" in score.stdout
    assert "table lines outside any region 0.00000" in score.stdout
    assert not findings(book, FindingKind.UNREADABLE_PAGE)
