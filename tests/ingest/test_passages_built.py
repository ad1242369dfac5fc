"""Labels, label paths, frequency bands and joins: what a passage is, and that passages give the section back."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.blocks import Line
from ingest.domain import FindingKind, ParsedPassage, join_passages
from ingest.lines import Span
from ingest.paragraphs import Joint, build_paragraphs, join_lines
from ingest.passages import build_passages
from monographs.domain import Box, SectionKey
from tests.pages.book import Book
from tests.pages.ink import words
from tests.pages.reading import drugs, parsed, section
from tests.pages.samples import monograph


def _line(*spans: Span, y: float = 100.0, indent: float = 0.0, room: float = 0.0, page: int = 1) -> Line:
    box = Box(page, 42.0, y - 8, 289.0 - room, y + 2)
    return Line(box, spans, 9.5, y, indent, room, 1.2, 0)


def _plain(text: str, **place: float) -> Line:
    return _line(Span(text, bold=False, italic=False), **place)  # type: ignore[arg-type]


def _built(lines: list[Line], key: SectionKey = SectionKey.LIEU_DUNG) -> tuple[ParsedPassage, ...]:
    return build_passages(lines, key, {}, lambda page: page)


def _labelled(*texts: str) -> list[ParsedPassage]:
    lines = []
    for number, text in enumerate(texts):
        label, _, rest = text.partition("|")
        spans = [Span(label, bold=False, italic=True)] if rest or text.endswith("|") else []
        spans += [Span(rest if spans else text, bold=False, italic=False)] if rest or not spans else []
        lines.append(_line(*spans, y=100.0 + 12 * number, room=90.0))
    return list(_built(lines))


def test_label_governs_until_the_next_of_its_rank() -> None:
    passages = _labelled("Người lớn:| 500 mg.", "Uống sau ăn.", "Trẻ em:| 10 mg/kg.")
    assert [(p.labels, p.text) for p in passages] == [
        (("Người lớn",), "Người lớn: 500 mg."),
        (("Người lớn",), "Uống sau ăn."),
        (("Trẻ em",), "Trẻ em: 10 mg/kg."),
    ]


def test_weightier_label_line_stands_above_the_run_in_ones() -> None:
    route = _line(Span("Đường uống:", bold=True, italic=True), y=88.0, room=150.0)
    adults = _line(
        Span("Người lớn:", bold=False, italic=True), Span(" 500 mg.", bold=False, italic=False), y=100.0, room=90.0
    )
    other = _line(Span("Đường tiêm:", bold=True, italic=True), y=112.0, room=150.0)
    plain = _plain("Chỉ ở bệnh viện.", y=124.0, room=90.0)
    assert [p.labels for p in _built([route, adults, other, plain])] == [
        ("Đường uống",),
        ("Đường uống", "Người lớn"),
        ("Đường tiêm",),
        ("Đường tiêm",),
    ]


def test_label_in_the_middle_of_a_paragraph_starts_a_passage() -> None:
    line = _line(
        Span("Thuốc ức chế enzym. ", bold=False, italic=False),
        Span("Dược động học:", bold=False, italic=True),
        Span(" Hấp thu nhanh.", bold=False, italic=False),
    )
    first, second = _built([line], SectionKey.DUOC_LY_CO_CHE)
    assert (first.text, first.labels, first.starts_paragraph) == ("Thuốc ức chế enzym.", (), True)
    assert (second.text, second.labels) == ("Dược động học: Hấp thu nhanh.", ("Dược động học",))
    assert not second.starts_paragraph


def test_italic_names_without_a_colon_are_no_labels() -> None:
    line = _line(
        Span("Escherichia coli", bold=False, italic=True),
        Span(" nhạy cảm in vitro.", bold=False, italic=False),
    )
    (passage,) = _built([line])
    assert passage.labels == ()


def test_frequency_bands_govern_what_follows(tmp_path: Path) -> None:
    book = Book()
    monograph(book, "ALVERIN")
    book.heading("Tác dụng không mong muốn (ADR)")
    book.text("<i>Thường gặp, ADR > 1/100</i>")
    book.text("Toàn thân: Sốt, mệt mỏi.")
    book.text("<i>Hiếm gặp, ADR < 1/1 000</i>")
    book.text("Da: Ban đỏ.")
    built = section(drugs(parsed(book, tmp_path))[0], SectionKey.ADR).passages
    assert [(passage.labels, passage.text) for passage in built] == [
        (("Thường gặp, ADR > 1/100",), "Thường gặp, ADR > 1/100"),
        (("Thường gặp, ADR > 1/100",), "Toàn thân: Sốt, mệt mỏi."),
        (("Hiếm gặp, ADR < 1/1 000",), "Hiếm gặp, ADR < 1/1 000"),
        (("Hiếm gặp, ADR < 1/1 000",), "Da: Ban đỏ."),
    ]


def test_each_line_has_a_box_and_a_printed_page(tmp_path: Path) -> None:
    book = Book()
    monograph(book, "ALVERIN", filler=30)
    monograph(book, "BISACODYL", filler=30)
    read = parsed(book, tmp_path)
    for drug in drugs(read):
        for part in drug.sections:
            for passage in part.passages:
                assert passage.boxes
                assert passage.printed_page == read.page_map[passage.boxes[0].page]
                assert all(box.x0 < box.x1 and box.y0 < box.y1 for box in passage.boxes)


@pytest.mark.parametrize(
    ("first", "second", "joint"),
    [
        ("uống hai", "lần", Joint()),
        ("epi-", "nephrin", Joint(cut=1, space=False)),
        ("beta-", "lactam", Joint(space=False)),
        ("mg/", "kg", Joint(space=False, doubt=FindingKind.HYPHEN_GUESSED)),
        ("từ 30 -", "60 phút", Joint()),
        ("tối đa 4", "000 mg", Joint()),
    ],
    ids=["words", "known_word", "real_hyphen", "slash", "dash", "thousands"],
)
def test_joints(first: str, second: str, joint: Joint) -> None:
    found = join_lines(first, second, {"epinephrin": 3, "beta-lactam": 2})
    assert (found.cut, found.space, found.doubt) == (joint.cut, joint.space, joint.doubt)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("liều 0,", "5 mg"),
        ("50-", "100 mg"),
        ("liều 1/", "2 viên"),
        ("x 10", "⁹/lít"),
        ("interferon alfa-", "2b"),
        ("2", ",5"),
    ],
)
def test_numbers_that_a_lines_end_may_have_cut_are_doubted(first: str, second: str) -> None:
    assert join_lines(first, second, {}).doubt is FindingKind.SPLIT_NUMBER


WORDS = st.sampled_from(
    ["liều", "Người lớn", "0,5", "mg/kg", "tối đa.", "Trẻ em:", "10⁹/lít;", "epi-", "(ADR)", "1 : 10 000"]
)
SPANS = st.builds(Span, WORDS, st.booleans(), st.booleans())
LINES = st.lists(
    st.builds(
        lambda spans, indent, room: _line(
            *(Span(span.text + " ", span.bold, span.italic) for span in spans), indent=indent, room=room
        ),
        st.lists(SPANS, min_size=1, max_size=5),
        st.sampled_from([0.0, 9.0]),
        st.sampled_from([0.0, 30.0, 180.0]),
    ),
    max_size=8,
)


@given(LINES, st.sampled_from([SectionKey.ADR, SectionKey.LIEU_DUNG, SectionKey.TEN_THUONG_MAI]))
def test_passages_give_the_section_back(lines: list[Line], key: SectionKey) -> None:
    paragraphs = build_paragraphs(lines, {})
    whole = "\n".join(block.text.strip() for block in paragraphs if not hasattr(block, "kind"))
    passages = build_passages(lines, key, {}, lambda page: page)
    assert " ".join(join_passages(passages).split(" ")).split() == whole.split()
    assert join_passages(passages).count("\n") == whole.count("\n")
    boxes = [box for passage in passages for box in passage.boxes]
    assert {box.as_list()[0] for box in boxes} <= {1}


def test_bullets_are_passages_of_their_own(tmp_path: Path) -> None:
    book = Book()
    monograph(book, "ALVERIN")
    book.heading("Quá liều và xử trí")
    for text in ("Xử trí như sau:", "- Rửa dạ dày trong 1 giờ đầu;", "- Than hoạt 50 g;", "- Theo dõi 24 giờ."):
        book.line(words(text))
    built = section(drugs(parsed(book, tmp_path))[0], SectionKey.QUA_LIEU).passages
    assert [passage.text for passage in built][1:] == [
        "- Rửa dạ dày trong 1 giờ đầu;",
        "- Than hoạt 50 g;",
        "- Theo dõi 24 giờ.",
    ]
