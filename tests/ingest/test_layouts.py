"""The same book in many layouts and file styles: what is read back is what was typeset, character for character."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ingest.pipeline import parse_book
from tests.pages.layout import Layout
from tests.pages.reading import drugs, expected, parsed, passages, texts
from tests.pages.samples import small_book

BASE = Layout()
LAYOUTS = {
    "plain": BASE,
    "small_page": replace(BASE, width=420, height=595, left=30, right=30, body=8, title=9.5, gutter=12),
    "large_print": replace(BASE, body=11, title=13, left=60, gutter=24),
    "title_no_larger": replace(BASE, title=9.5),
    "bold_by_stroke": replace(BASE, bold="stroke"),
    "bold_by_second_printing": replace(BASE, bold="overprint"),
    "bold_lost": replace(BASE, bold="none"),
    "bold_lost_title_no_larger": replace(BASE, bold="none", title=9.5),
    "columns_interleaved": replace(BASE, order="interleaved"),
    "right_column_first": replace(BASE, order="right_first"),
    "gaps_for_spaces": replace(BASE, spaced=False),
    "letter_by_letter": replace(BASE, per_letter=True),
    "letter_by_letter_without_spaces": replace(BASE, per_letter=True, spaced=False),
    "size_in_matrix": replace(BASE, in_matrix=True),
    "turned_90": replace(BASE, rotation=90),
    "turned_180": replace(BASE, rotation=180),
    "turned_270_and_cropped": replace(BASE, rotation=270, crop=30),
    "cropped": replace(BASE, crop=40),
    "margins_mirrored": replace(BASE, mirror=18, left=36, right=54),
    "ragged": replace(BASE, justify=False),
    "tight": replace(BASE, lead=1.05, gutter=9),
    "number_at_foot": replace(BASE, number_at_foot=True),
    "no_numbers": replace(BASE, first_number=None, head=""),
    "one_column": replace(BASE, columns=1),
}


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS.keys())
def test_text_is_read_back_whatever_the_layout(layout: Layout, tmp_path: Path) -> None:
    book = small_book(layout)
    read = parsed(book, tmp_path)
    assert texts(read) == expected(book)
    assert not [passage.text for passage in passages(read) if passage.quarantined]
    assert [drug.pdf_page for drug in drugs(read)] == [monograph.page for monograph in book.monographs]


def test_boxes_cover_the_ink_of_a_turned_and_cropped_page(tmp_path: Path) -> None:
    plain = parsed(small_book(BASE), tmp_path)
    turned = parsed(small_book(replace(BASE, rotation=90, crop=25)), tmp_path)
    for one, other in zip(passages(plain), passages(turned), strict=True):
        for box, same in zip(one.boxes, other.boxes, strict=True):
            assert box.as_list() == pytest.approx(same.as_list(), abs=1.5)


def test_printed_pages_come_from_the_running_head(tmp_path: Path) -> None:
    read = parsed(small_book(replace(BASE, first_number=99)), tmp_path)
    assert read.page_map == {page: page + 98 for page in read.page_map}
    assert all(passage.printed_page == passage.pdf_page + 98 for passage in passages(read))


def test_result_does_not_depend_on_the_number_of_processes(tmp_path: Path) -> None:
    path = small_book(BASE, titles=("ALVERIN", "BISACODYL", "CINARIZIN", "DIAZEPAM", "ENALAPRIL")).saved(tmp_path)
    alone = parse_book(path, workers=1)
    together = parse_book(path, workers=2)
    assert alone == together
