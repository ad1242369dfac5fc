"""An answer as text: every claim with its sources, and under all of them what the notice and the edition say."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from chat.contract import Insufficiency
from chat.display import Source
from chat.domain import Decision, Reason
from chat.export_text import answer_text, source_line
from chat.outcomes import OUTCOMES, Status
from monographs.domain import PassageKind, SectionKey
from monographs.models import Edition, Section
from tests.factories import (
    make_answer,
    make_citation,
    make_edition,
    make_held_back,
    make_monograph,
    make_passage,
    make_section,
)

pytestmark = pytest.mark.django_db
QUESTION = "Liều paracetamol?"
ASKED_AT = datetime(2026, 3, 5, 17, 5, tzinfo=UTC)
MARKUP = 'R&D <b>đậm</b> <img src="x"> &lt; 5 mg'


@pytest.fixture
def edition() -> Edition:
    return make_edition(is_sample=True, title="Dược thư mẫu")


@pytest.fixture
def dosage(edition: Edition) -> Section:
    return make_section(make_monograph(edition), SectionKey.LIEU_DUNG, heading="Liều lượng và cách dùng:")


@pytest.mark.parametrize("reason", list(Reason))
def test_every_outcome_says_what_it_is_and_keeps_its_colophon(reason: Reason, dosage: Section) -> None:
    answer = make_answer(reason, [make_passage(dosage)], emergency="Gọi 115.")
    lines = answer_text(question=QUESTION, asked_at=ASKED_AT, answer=answer).splitlines()
    for line in (
        "BẢN MẪU – không dùng cho lâm sàng",
        f"Câu hỏi: {QUESTION}",
        "Hỏi lúc 06/03/2026 00:05",
        "Gọi 115.",
        answer.message,
        *([answer.next_step] if answer.next_step else []),
        answer.disclaimer,
        "Ấn bản: Dược thư mẫu (2026)",
        f"Mã tra cứu {answer.trace_id}",
    ):
        assert lines.count(line) == 1, line


def test_every_decision_is_met_by_an_outcome() -> None:
    assert {facts.decision for facts in OUTCOMES.values()} == set(Decision)


def test_whole_text(dosage: Section) -> None:
    adults = [("Người lớn", "Đường uống: 0,5 - 1 g/lần."), ("Người lớn", "Tiêm: tối đa 4 g/ngày.")]
    passages = [
        make_passage(dosage, "Cách dùng: uống sau ăn."),
        *(make_passage(dosage, text, labels=[label, text.partition(":")[0]]) for label, text in adults),
        make_held_back(dosage, labels=["Suy thận"], printed_page=102, pdf_page=2),
    ]
    answer = make_answer(
        Reason.PARTIAL_QUARANTINED, passages, disclaimer="Chỉ để tra cứu.", trace_id="abc", quick_replies=("Trẻ em",)
    )
    assert answer_text(question=QUESTION, asked_at=ASKED_AT, answer=answer) == (
        "BẢN MẪU – không dùng cho lâm sàng\n\n"
        "Câu hỏi: Liều paracetamol?\nHỏi lúc 06/03/2026 00:05\n\n"
        "Một phần nội dung nằm trong bảng hoặc công thức: đối chiếu phần đó trên ảnh trang in.\n\n"
        "Liều lượng và cách dùng – Paracetamol\n"
        "• Cách dùng: uống sau ăn. [1]\n"
        "Người lớn\n"
        "  • Đường uống: 0,5 - 1 g/lần. [2]\n"
        "  • Tiêm: tối đa 4 g/ngày. [3]\n\n"
        "Liều lượng và cách dùng – Paracetamol\nSuy thận\nBảng: xem trang in 102 (trang PDF 2) [4]\n\n"
        "Các lựa chọn:\n• Trẻ em\n\n"
        "Nguồn:\n"
        "[1] Dược thư mẫu (2026), Paracetamol, Liều lượng và cách dùng, tr. 101 (PDF 1)\n"
        "[2] Dược thư mẫu (2026), Paracetamol, Liều lượng và cách dùng, tr. 101 (PDF 1)\n"
        "[3] Dược thư mẫu (2026), Paracetamol, Liều lượng và cách dùng, tr. 101 (PDF 1)\n"
        "[4] Dược thư mẫu (2026), Paracetamol, Liều lượng và cách dùng, tr. 102 (PDF 2)\n\n"
        "Chỉ để tra cứu.\nẤn bản: Dược thư mẫu (2026)\nMã tra cứu abc\n"
    )


def test_claim_names_each_of_its_sources(dosage: Section) -> None:
    first, second = make_passage(dosage, "Uống 500 mg."), make_passage(dosage, "Tối đa 4 g/ngày.")
    answer = make_answer(passages=[first, second])
    both = answer.claims[1].model_copy(update={"citations": (make_citation(second), make_citation(first))})
    text = answer_text(
        question=QUESTION, asked_at=ASKED_AT, answer=answer.model_copy(update={"claims": (answer.claims[0], both)})
    )
    assert "• Uống 500 mg. [1]\n• Tối đa 4 g/ngày. [2] [1]\n" in text


def test_claim_without_labels_does_not_stand_under_those_before_it(dosage: Section) -> None:
    passages = [make_passage(dosage, "Uống 500 mg.", labels=["Người lớn"]), make_passage(dosage, "Uống sau ăn.")]
    text = answer_text(question=QUESTION, asked_at=ASKED_AT, answer=make_answer(passages=passages))
    assert "\nNgười lớn\n  • Uống 500 mg. [1]\n• Uống sau ăn. [2]\n" in text


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        (PassageKind.TABLE, "Bảng: xem trang in 101 (trang PDF 1) [1]"),
        (PassageKind.FORMULA, "Công thức: xem trang in 101 (trang PDF 1) [1]"),
        (PassageKind.FIGURE, "Hình: xem trang in 101 (trang PDF 1) [1]"),
        (PassageKind.TEXT, "Đoạn chờ duyệt: xem trang in 101 (trang PDF 1) [1]"),
    ],
)
def test_text_of_what_is_held_back_is_never_exported(dosage: Section, kind: PassageKind, says: str) -> None:
    held = make_held_back(dosage, kind=kind)
    answer = make_answer(Reason.SOURCE_QUARANTINED, [held])
    text = answer_text(question=QUESTION, asked_at=ASKED_AT, answer=answer)
    assert says in text.splitlines()
    assert held.text not in text


def test_partial_answer_lists_what_is_missing(dosage: Section) -> None:
    lacking = Insufficiency(missing_targets=("aspirinol",), missing_topics=("người suy gan",))
    answer = make_answer(Reason.MISSING_REQUESTED_ENTITY, [make_passage(dosage)], insufficiency=lacking)
    told = "Phần chưa có trong câu trả lời này:\n• aspirinol\n• người suy gan\n"
    assert told in answer_text(question=QUESTION, asked_at=ASKED_AT, answer=answer)
    whole = answer.model_copy(update={"status": Status.SUPPORTED})
    assert "Phần chưa có" not in answer_text(question=QUESTION, asked_at=ASKED_AT, answer=whole)


def test_question_back_is_asked_with_its_choices(dosage: Section) -> None:
    asks = "Cần liều cho ai?"
    answer = make_answer(Reason.NEEDS_BRANCH, clarifying_question=asks, quick_replies=("Người lớn", "Trẻ em"))
    text = answer_text(question=QUESTION, asked_at=ASKED_AT, answer=answer)
    assert f"{asks}\n\nCác lựa chọn:\n• Người lớn\n• Trẻ em\n" in text
    assert answer.message not in text


def test_words_of_a_model_are_labelled_and_the_books_are_not(dosage: Section) -> None:
    passages = [make_passage(dosage)]
    by_model = answer_text(question=QUESTION, asked_at=ASKED_AT, answer=make_answer(passages=passages, verbatim=False))
    assert "Liều lượng và cách dùng – Paracetamol (mô hình diễn đạt, đã đối chiếu nguồn)\n" in by_model
    assert "diễn đạt" not in answer_text(question=QUESTION, asked_at=ASKED_AT, answer=make_answer(passages=passages))


def test_text_is_not_changed(dosage: Section) -> None:
    quote = f"{MARKUP} 0,5 - 1 g; 10⁻³ mol; β-lactam; ≤ 5 mg"
    answer = make_answer(passages=[make_passage(dosage, quote)])
    text = answer_text(question=f"  {MARKUP}\n", asked_at=ASKED_AT, answer=answer)
    assert f"Câu hỏi: {MARKUP}\n" in text
    assert f"• {quote} [1]\n" in text


def test_real_edition_has_no_band() -> None:
    section = make_section(make_monograph(make_edition(title="Dược thư Quốc gia Việt Nam", year=2018)))
    answer = make_answer(passages=[make_passage(section)])
    text = answer_text(question=QUESTION, asked_at=ASKED_AT, answer=answer)
    assert text.startswith("Câu hỏi: ")
    assert "Ấn bản: Dược thư Quốc gia Việt Nam (2018)\n" in text


def test_answer_without_an_edition_says_so() -> None:
    text = answer_text(question=QUESTION, asked_at=ASKED_AT, answer=make_answer(Reason.NO_EDITION))
    assert "Ấn bản: chưa có ấn bản nào được công bố\n" in text
    assert "BẢN MẪU" not in text
    assert "Nguồn:" not in text


def test_time_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="naive"):
        answer_text(question=QUESTION, asked_at=ASKED_AT.replace(tzinfo=None), answer=make_answer(Reason.SMALLTALK))


@pytest.mark.parametrize(
    ("printed", "pdf", "says"),
    [
        ((101, 101), (1,), "tr. 101 (PDF 1)"),
        ((101, 102), (1, 1, 2), "tr. 101–102 (PDF 1–2)"),
        ((101, 103), (3, 1, 2), "tr. 101–103 (PDF 1–3)"),
        ((101, 103), (1, 3), "tr. 101–103 (PDF 1, 3)"),
    ],
    ids=["one page", "two that follow", "in any order", "with a gap"],
)
def test_pages_of_a_source(dosage: Section, printed: tuple[int, int], pdf: tuple[int, ...], says: str) -> None:
    pages = {"page_span": printed, "pdf_pages": pdf}
    citation = make_citation(make_passage(dosage)).model_copy(update=pages)
    assert source_line(Source(1, citation), None) == f"Paracetamol, Liều lượng và cách dùng, {says}"
