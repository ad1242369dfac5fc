"""An answer as a PDF, read back: all of it is there, no sign is lost, no number parts from its unit."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import ImageColor
from pypdf import PdfReader
from pytest_django.fixtures import Settings
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Paragraph

from chat.contract import Answer, Insufficiency
from chat.domain import Reason
from chat.export_pdf import MARK_EDGE, REGULAR, SEMIBOLD, answer_pdf, markup
from chat.export_text import answer_text
from monographs.domain import PassageKind, SectionKey
from monographs.models import Edition, EditionState, Section
from monographs.typography import unbreakable_groups
from tests.factories import (
    PAGE_SIZE,
    make_answer,
    make_edition,
    make_held_back,
    make_monograph,
    make_passage,
    make_section,
)

pytestmark = pytest.mark.django_db
QUESTION = "Liều paracetamol?"
ASKED_AT = datetime(2026, 3, 5, 17, 5, tzinfo=UTC)
BAND = "BẢN MẪU – không dùng cho lâm sàng"
NOTICE = "Không có ảnh trang in ở đây. Bảng: xem trang in 101 (trang PDF 1) [1]"
MARKUP = 'R&D <b>đậm</b> <img src="x"> <para> &lt; 5 mg'
DOSE = (
    "Uống 500 mg - 1 g/lần, cách 4 - 6 giờ một lần; tối đa 4 g/ngày, bảo quản ở 2 - 8 °C, độ thanh thải ≥ 10 ml/phút."
)


@pytest.fixture(autouse=True)
def data_dir(settings: Settings, tmp_path: Path) -> Path:
    settings.DUOCTHU_DATA_DIR = tmp_path
    return tmp_path


@pytest.fixture
def edition() -> Edition:
    return make_edition(is_sample=True, title="Dược thư mẫu")


@pytest.fixture
def dosage(edition: Edition) -> Section:
    return make_section(make_monograph(edition), SectionKey.LIEU_DUNG)


@pytest.fixture
def file(edition: Edition, data_dir: Path) -> Path:
    """The edition's PDF: four empty pages."""
    path = data_dir / "editions" / f"{edition.sha256}.pdf"
    path.parent.mkdir()
    canvas = Canvas(str(path), pagesize=PAGE_SIZE)
    for _ in range(4):
        canvas.showPage()
    canvas.save()
    return path


def export(answer: Answer, question: str = QUESTION) -> PdfReader:
    return PdfReader(BytesIO(answer_pdf(question=question, asked_at=ASKED_AT, answer=answer)))


def flat(text: str) -> str:
    """The text without its line breaks; no-break spaces as spaces."""
    return re.sub(r"\s+", " ", text)


def read(pdf: PdfReader) -> str:
    """What the PDF says; NFC, because pypdf reads the Symbol font's omega as the sign for ohm."""
    return unicodedata.normalize("NFC", flat(" ".join(page.extract_text() for page in pdf.pages)))


def pictures(pdf: PdfReader) -> list[Any]:
    return [image for page in pdf.pages for image in page.images]


@pytest.mark.parametrize("reason", list(Reason))
def test_every_outcome_says_what_it_is_and_keeps_its_colophon(reason: Reason, dosage: Section) -> None:
    answer = make_answer(reason, [make_passage(dosage)], emergency="Gọi cấp cứu 115.")
    text = read(export(answer))
    for said in (
        QUESTION,
        "Gọi cấp cứu 115.",
        answer.message,
        answer.next_step,
        answer.disclaimer,
        "Ấn bản: Dược thư mẫu (2026)",
        "Hỏi lúc 06/03/2026 00:05",
        f"Mã tra cứu {answer.trace_id}",
    ):
        assert flat(said) in text


def test_everything_in_the_text_export_is_in_the_pdf(dosage: Section, file: Path) -> None:
    other = make_section(dosage.monograph, SectionKey.THAN_TRONG, heading="Thận trọng:")
    passages = [
        make_passage(dosage, f"Đường uống: {DOSE}", labels=["Người lớn", "Đường uống"]),
        make_passage(dosage, "Tiêm: 1 g.", labels=["Người lớn", "Tiêm"]),
        make_passage(dosage, "Dùng sau ăn."),
        make_passage(other, "Người suy gan."),
        make_held_back(dosage, labels=["Suy thận"]),
    ]
    lacking = Insufficiency(missing_targets=("aspirinol",), missing_topics=("người suy gan",))
    answer = make_answer(
        Reason.MISSING_REQUESTED_ENTITY, passages, insufficiency=lacking, quick_replies=("Trẻ em", "Người cao tuổi")
    )
    text = read(export(answer))
    lines = answer_text(question=QUESTION, asked_at=ASKED_AT, answer=answer).splitlines()
    wanted = [line.strip(" •").removeprefix("Câu hỏi: ").removesuffix(":") for line in lines if line]
    wanted = [re.sub(r" \[\d\]$", "", line) for line in wanted if not line.startswith("Bảng: ")]
    assert len(wanted) > 20
    assert [line for line in wanted if flat(line) not in text] == []
    for number, passage in enumerate(passages[:4], start=1):
        assert f"{flat(passage.text)} [{number}] tr. 101" in text
    assert "[5] tr. 101 · trang PDF 1" in text


def test_file_names_itself_and_its_language(dosage: Section) -> None:
    answer = make_answer(passages=[make_passage(dosage)])
    pdf = export(answer, f"{MARKUP}\nhai dòng")
    facts = pdf.metadata
    assert facts is not None
    assert facts.title == f"Dược thư: {MARKUP} hai dòng"
    assert facts.subject == f"Dược thư mẫu (2026). Mã tra cứu {answer.trace_id}"
    assert facts.creation_date == ASKED_AT
    assert str(pdf.root_object["/Lang"]) == "vi-VN"


def test_long_question_shortens_the_title_and_nothing_else(dosage: Section) -> None:
    pdf = export(make_answer(passages=[make_passage(dosage)]), "liều " * 600)
    assert pdf.metadata is not None
    assert len(str(pdf.metadata.title)) < 120
    assert read(pdf).count("liều ") == 600


def test_same_answer_gives_the_same_bytes_also_side_by_side(dosage: Section) -> None:
    answer = make_answer(passages=[make_passage(dosage, f"{number}. β: {DOSE}") for number in range(20)])

    def once(_: int) -> bytes:
        return answer_pdf(question=QUESTION, asked_at=ASKED_AT, answer=answer)

    with ThreadPoolExecutor(4) as threads:
        assert len(set(threads.map(once, range(8)))) == 1


def test_band_edition_time_and_trace_stand_on_every_page(dosage: Section) -> None:
    texts = [f"Đoạn {number}: {DOSE}" for number in range(1, 81)]
    answer = make_answer(passages=[make_passage(dosage, text) for text in texts])
    pages = [flat(page.extract_text()) for page in export(answer).pages]
    assert len(pages) > 3
    for number, page in enumerate(pages, start=1):
        assert page.count(BAND) == 1
        assert f"Trang {number}/{len(pages)}" in page
        assert "Dược thư mẫu (2026)" in page
        assert f"Hỏi lúc 06/03/2026 00:05 · Mã tra cứu {answer.trace_id}" in page
    whole = read(export(answer))
    for number in range(1, 81):
        assert f"[{number}] tr. 101" in whole
        assert f"[{number}] Dược thư mẫu (2026), Paracetamol, Liều lượng và cách dùng, tr. 101 (PDF 1)" in whole


def test_claim_longer_than_a_page_runs_on(dosage: Section) -> None:
    text = " ".join(f"Câu thứ {number}." for number in range(1, 1500))
    pdf = export(make_answer(passages=[make_passage(dosage, text)], emergency=text, message=text))
    assert len(pdf.pages) > 5
    assert pdf.pages[1].extract_text().count("Câu thứ") > 100


def test_real_edition_has_no_band() -> None:
    section = make_section(make_monograph(make_edition(title="Dược thư Quốc gia Việt Nam", year=2018)))
    text = read(export(make_answer(passages=[make_passage(section)])))
    assert "BẢN MẪU" not in text
    assert "Ấn bản: Dược thư Quốc gia Việt Nam (2018)" in text


def test_answer_without_an_edition_says_so() -> None:
    text = read(export(make_answer(Reason.NO_EDITION)))
    assert text.count("Ấn bản: chưa có ấn bản nào được công bố") == 2
    assert "BẢN MẪU" not in text


def test_time_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="naive"):
        answer_pdf(question=QUESTION, asked_at=ASKED_AT.replace(tzinfo=None), answer=make_answer(Reason.SMALLTALK))


def test_text_that_looks_like_markup_is_text(edition: Edition) -> None:
    section = make_section(make_monograph(edition, f"Tên {MARKUP}", slug="ten"), heading=f"Mục {MARKUP}")
    passages = [make_passage(section, f"Đoạn {MARKUP}", labels=[f"Nhãn {MARKUP}", "Đoạn"]), make_held_back(section)]
    answer = make_answer(
        Reason.PARTIAL_TOPIC_GROUNDING,
        passages,
        message=f"Lời {MARKUP}",
        next_step=f"Tiếp {MARKUP}",
        emergency=f"Khẩn {MARKUP}",
        quick_replies=(f"Chọn {MARKUP}",),
        insufficiency=Insufficiency(missing_topics=(f"Thiếu {MARKUP}",)),
        disclaimer=f"Lưu ý {MARKUP}",
    )
    text = read(export(answer, f"Hỏi {MARKUP}"))
    for word in ("Hỏi", "Khẩn", "Lời", "Mục", "Tên", "Nhãn", "Đoạn", "Thiếu", "Chọn", "Tiếp", "Lưu ý"):
        assert f"{word} {MARKUP}" in text


def test_words_of_a_model_are_labelled_and_the_books_are_not(dosage: Section) -> None:
    passages = [make_passage(dosage)]
    by_model = read(export(make_answer(passages=passages, verbatim=False)))
    assert "Mô hình diễn đạt, đã đối chiếu nguồn" in by_model
    assert "Nguyên văn" not in by_model
    by_book = read(export(make_answer(passages=passages)))
    assert "Nguyên văn" in by_book
    assert "diễn đạt" not in by_book


def test_held_back_table_is_shown_as_its_picture_with_its_lines_marked(dosage: Section, file: Path) -> None:
    held = make_held_back(dosage, labels=["Suy thận"])
    pdf = export(make_answer(Reason.SOURCE_QUARANTINED, [held]))
    (picture,) = pictures(pdf)
    edge = ImageColor.getrgb(MARK_EDGE)
    coloured = picture.image.convert("RGB")
    assert any(colour == edge for _, colour in coloured.getcolors(1 << 20))
    text = read(pdf)
    assert "Suy thận" in text
    assert "Bảng: ảnh trang in" in text
    assert "[1] tr. 101 · trang PDF 1" in text
    assert "Không có ảnh" not in text
    assert held.text not in text


def test_passage_on_two_pages_has_both_pictures(dosage: Section, file: Path) -> None:
    boxes = [[1, 50.0, 700.0, 280.0, 780.0], [2, 50.0, 60.0, 545.0, 780.0]]
    pdf = export(make_answer(Reason.SOURCE_QUARANTINED, [make_held_back(dosage, boxes=boxes)]))
    assert len(pictures(pdf)) == 2
    assert "trang PDF 1 " in read(pdf)
    assert "trang PDF 2 " in read(pdf)


def test_picture_that_cannot_be_had_is_told_of_beside_the_one_that_can(dosage: Section, file: Path) -> None:
    boxes = [[1, 50.0, 700.0, 280.0, 780.0], [9, 50.0, 60.0, 280.0, 100.0]]
    dosage.monograph.edition.page_sizes["9"] = PAGE_SIZE
    dosage.monograph.edition.save()
    pdf = export(make_answer(Reason.SOURCE_QUARANTINED, [make_held_back(dosage, boxes=boxes)]))
    assert len(pictures(pdf)) == 1
    assert NOTICE in read(pdf)


def test_whole_page_fits(dosage: Section, file: Path) -> None:
    pdf = export(make_answer(Reason.SOURCE_QUARANTINED, [make_held_back(dosage, boxes=[[1, 0.0, 900.0, 1.0, 901.0]])]))
    assert len(pictures(pdf)) == 1


def test_missing_file_leaves_the_page_to_look_up(dosage: Section) -> None:
    pdf = export(make_answer(Reason.SOURCE_QUARANTINED, [make_held_back(dosage)]))
    assert pictures(pdf) == []
    assert NOTICE in read(pdf)


def test_damaged_file_leaves_the_page_to_look_up(dosage: Section, file: Path) -> None:
    file.write_bytes(b"%PDF-1.7 nothing more")
    assert NOTICE in read(export(make_answer(Reason.SOURCE_QUARANTINED, [make_held_back(dosage)])))


def test_damaged_kept_picture_leaves_the_page_to_look_up(dosage: Section, file: Path, data_dir: Path) -> None:
    answer = make_answer(Reason.SOURCE_QUARANTINED, [make_held_back(dosage)])
    export(answer)
    (kept,) = data_dir.glob("crops/**/*.png")
    kept.write_bytes(b"\x89PNG")
    assert NOTICE in read(export(answer))


def test_edition_no_longer_open_or_passage_gone_leaves_the_page_to_look_up(dosage: Section, file: Path) -> None:
    held = make_held_back(dosage)
    answer = make_answer(Reason.SOURCE_QUARANTINED, [held])
    edition = dosage.monograph.edition
    Edition.objects.filter(pk=edition.pk).update(state=EditionState.DISCARDED)
    assert NOTICE in read(export(answer))
    edition.delete()
    assert NOTICE in read(export(answer))


def test_other_kinds_are_named(dosage: Section) -> None:
    text = read(export(make_answer(Reason.SOURCE_QUARANTINED, [make_held_back(dosage, kind=PassageKind.FORMULA)])))
    assert "Công thức: xem trang in 101" in text


@pytest.mark.parametrize(
    ("printed", "read_back"),
    [
        ("x² cm³ 10⁹ H₂O ≤ ≥ ± × ÷ ≠ ≈ ½ ¼ µ ° ‰ – − …", None),
        ("β-lactam, α-tocopherol, Ω → ← ↑ ↓ ↔ ∞ √ ≡", None),
        ("Na⁺ Cl⁻ 10⁻³ xⁿ", "Na+ Cl− 10−³ xn"),
        ("2⅓ viên, ⅔ viên", "2¹⁄₃ viên, ²⁄₃ viên"),
        ("5 μmol", "5 µmol"),
        ("25 ℃, 5 ㎎, Ⅳ", "25 °C, 5 mg, IV"),
        ("5\u202fmg, 5\u2009mg, 5\u00a0mg", "5 mg, 5 mg, 5 mg"),
        ("pa\u00adra\u200bceta\ufeffmol", "paracetamol"),
        ("β\u2011lactam", "β-lactam"),
        ("uo\u0302\u0301ng", "uống"),
        ("▪ một ► hai", "• một • hai"),
        ("Ж 💊 \x01 \ufffd", "[U+0416] [U+1F48A] [U+0001] [U+FFFD]"),
        ("một\nhai\r\nba", "một hai ba"),
    ],
)
def test_signs_are_read_back(dosage: Section, printed: str, read_back: str | None) -> None:
    text = read(export(make_answer(passages=[make_passage(dosage, f"(( {printed} ))")])))
    assert f"(( {read_back or printed} ))" in text


@given(st.text())
def test_no_sign_is_left_to_a_font_that_lacks_it(text: str) -> None:
    for fragment in Paragraph(markup(text), ParagraphStyle("plain", fontName=REGULAR)).frags:
        if fragment.fontName == "Symbol":
            fragment.text.encode("symbol")
        else:
            glyphs = pdfmetrics.getFont(fragment.fontName).face.charToGlyph
            assert [sign for sign in fragment.text if ord(sign) not in glyphs and sign not in "\t\n"] == []


@given(st.text(alphabet="0123456789,.- mgl/°C%<>&≤µβ⁻³\n", max_size=60))
def test_digits_are_never_changed(text: str) -> None:
    shown = "".join(fragment.text for fragment in Paragraph(markup(text), ParagraphStyle("plain")).frags)
    assert re.findall(r"\d|[,.]", shown) == re.findall(r"\d|[,.]", text)


def test_both_faces_are_embedded(dosage: Section) -> None:
    fonts = set(_font_names(export(make_answer(passages=[make_passage(dosage)]))))
    assert {name.partition("+")[2] for name in fonts} == {REGULAR, SEMIBOLD}


def test_numbers_stay_with_their_units(dosage: Section) -> None:
    texts = [f"{'x' * lead} {DOSE}" for lead in range(1, 60)]
    pdf = export(make_answer(passages=[make_passage(dosage, text) for text in texts]))
    lines = [line.replace("\u00a0", " ") for page in pdf.pages for line in page.extract_text().splitlines()]
    groups = [piece for piece, kept in unbreakable_groups(DOSE) if kept]
    assert len(groups) == 6
    for group in groups:
        assert sum(line.count(group) for line in lines) == len(texts), group


def _font_names(pdf: PdfReader) -> Iterator[str]:
    for page in pdf.pages:
        fonts: Any = page["/Resources"]
        for font in fonts["/Font"].values():
            yield str(font.get_object()["/BaseFont"]).removeprefix("/")
