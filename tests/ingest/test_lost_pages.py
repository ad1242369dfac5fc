"""Pages that come out empty or broken: told, their surroundings held back, the book refused where there are many."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest.domain import FindingKind, ParsedBook, ParsedMonograph, ParsedPassage, ParsedSection
from ingest.lost_pages import blank_pages_inside, hold_back_around, refuse_too_damaged
from ingest.open_pdf import PdfRefused, Refusal
from ingest.pipeline import parse_book
from monographs.domain import Box, MonographKind, PassageKind
from tests.pages.mutated import excerpt, with_blanks, with_half_a_page, without_a_font


def _passage(text: str, *pages: int) -> ParsedPassage:
    boxes = tuple(Box(page, 50.0, 100.0, 280.0, 112.0) for page in pages)
    return ParsedPassage(text, PassageKind.TEXT, pages[0], None, boxes)


def _monograph(title: str, *sections: tuple[str, int, list[ParsedPassage]]) -> ParsedMonograph:
    parts = tuple(ParsedSection(None, heading, page, None, tuple(passages)) for heading, page, passages in sections)
    return ParsedMonograph(title, MonographKind.DRUG, sections[0][1], None, parts)


BOOK = (
    _monograph("A", ("Chỉ định", 1, [_passage("a1", 1)]), ("Liều", 2, [_passage("a2", 2), _passage("a3", 2, 3)])),
    _monograph("B", ("Chỉ định", 3, [_passage("b1", 3)]), ("Liều", 3, [_passage("b2", 4), _passage("b3", 6)])),
    _monograph("C", ("Chỉ định", 6, [_passage("c1", 6)]), ("Liều", 7, [_passage("c2", 7)])),
)


@pytest.mark.parametrize(
    ("lost", "held"),
    [
        ([], ""),
        ([5], "b2 b3"),  # the section before is cut; b3 may be of a drug whose title is lost
        ([2], "a1 a2 a3"),
        ([3], "a2 a3 b1 b2 b3"),
        ([6], "b2 b3 c1 c2"),
        ([7], "c1 c2"),
        ([8], "c2"),
    ],
    ids=str,
)
def test_what_a_lost_page_makes_doubtful_is_held_back(lost: list[int], held: str) -> None:
    found = [
        passage.text
        for monograph in hold_back_around(BOOK, lost)
        for section in monograph.sections
        for passage in section.passages
        if passage.quarantined
    ]
    assert " ".join(found) == held


def test_the_finding_says_which_page_is_lost_and_stands_at_the_passage() -> None:
    passage = hold_back_around(BOOK, [5, 6])[1].sections[1].passages[1]
    (finding,) = passage.findings
    assert finding.kind is FindingKind.UNREADABLE_PAGE
    assert (finding.pdf_page, finding.box) == (6, passage.boxes[0])
    assert "trang PDF 5" in finding.detail


@pytest.mark.parametrize(
    ("blank", "page_map", "inside"),
    [
        ([1, 4, 8], {1: None, 4: 14, 8: None}, [4]),
        ([4], {3: 13, 4: None, 5: 14}, []),
        ([4], {3: None, 4: None, 5: None}, [4]),
    ],
    ids=["before, inside, after", "a plate, which the book does not count", "a book without numbers"],
)
def test_an_empty_page_is_lost_where_the_book_goes_on(
    blank: list[int], page_map: dict[int, int | None], inside: list[int]
) -> None:
    assert blank_pages_inside(blank, BOOK, page_map) == inside


@pytest.mark.parametrize(
    ("lost", "total", "refused"),
    [(1, 10, False), (2, 10, True), (5, 100, False), (6, 100, True), (80, 1600, False), (81, 1600, True)],
)
def test_more_than_a_twentieth_of_the_pages_lost_refuses_the_book(lost: int, total: int, refused: bool) -> None:
    if not refused:
        refuse_too_damaged(range(lost), total)
        return
    with pytest.raises(PdfRefused) as raised:
        refuse_too_damaged(range(lost), total)
    assert raised.value.refusal is Refusal.TOO_DAMAGED


def _parsed(content: bytes, folder: Path) -> ParsedBook:
    path = folder / "sach.pdf"
    path.write_bytes(content)
    return parse_book(path, workers=1)


def _held(book: ParsedBook) -> list[tuple[str, str, int]]:
    """Title, heading and page of the passages that a lost page makes doubtful."""
    return [
        (monograph.title, section.heading, passage.pdf_page)
        for monograph in book.monographs
        for section in monograph.sections
        for passage in section.passages
        if any(finding.kind is FindingKind.UNREADABLE_PAGE for finding in passage.findings)
    ]


def _unreadable(book: ParsedBook) -> list[int]:
    return [finding.pdf_page for finding in book.findings if finding.kind is FindingKind.UNREADABLE_PAGE]


def test_a_sound_book_has_no_lost_page(tmp_path: Path) -> None:
    book = _parsed(excerpt(), tmp_path)
    assert _unreadable(book) == [] == _held(book)


def test_a_page_that_comes_out_empty_is_told_and_its_surroundings_are_held_back(tmp_path: Path) -> None:
    sound, book = _parsed(excerpt(), tmp_path), _parsed(with_blanks(6), tmp_path)
    assert _unreadable(book) == [6]
    (cut,) = {title for title, _, page in _held(book) if page <= 5}
    assert {heading for title, heading, page in _held(book) if page <= 5} == {_last_heading(sound, cut, before=6)}
    beyond = [(title, page) for title, _, page in _held(book) if page > 6]
    assert {title for title, _ in beyond} <= {cut}
    following = next(monograph for monograph in book.monographs if monograph.pdf_page > 6)
    assert following.title not in {title for title, _, _ in _held(book)}


def _last_heading(book: ParsedBook, title: str, *, before: int) -> str:
    (monograph,) = [monograph for monograph in book.monographs if monograph.title == title]
    return [section.heading for section in monograph.sections if section.pdf_page < before][-1]


def test_a_page_whose_data_break_off_is_told_and_shown_only_as_a_picture(tmp_path: Path) -> None:
    book = _parsed(with_half_a_page(5), tmp_path)
    assert _unreadable(book) == [5]
    on_page = [
        passage
        for monograph in book.monographs
        for section in monograph.sections
        for passage in section.passages
        if any(box.page == 5 for box in passage.boxes)
    ]
    assert on_page and all(passage.quarantined for passage in on_page)


def test_many_lost_pages_refuse_the_book(tmp_path: Path) -> None:
    with pytest.raises(PdfRefused) as refused:
        _parsed(with_blanks(4, 7), tmp_path)
    assert refused.value.refusal is Refusal.TOO_DAMAGED


def test_a_lost_font_never_leaves_letters_out_unnoticed(tmp_path: Path) -> None:
    """Its file is gone: PDFium then shows other letters, or none."""
    with pytest.raises(PdfRefused) as refused:
        _parsed(without_a_font(), tmp_path)
    assert refused.value.refusal in {Refusal.DAMAGED, Refusal.TOO_DAMAGED}
