"""Text that a model wrote is labelled wherever it is shown, claim by claim; the book's own never is."""

from __future__ import annotations

from datetime import UTC, datetime
from io import BytesIO

import pytest
from django.template.loader import render_to_string
from pypdf import PdfReader

from chat.contract import Answer, Claim, SummarySentence, SummaryStatus
from chat.display import ShownAnswer, show_answer
from chat.export_pdf import answer_pdf
from chat.export_text import answer_text
from chat.management.commands.ask import _as_text
from chat.model_text import MIXED_TAG, MODEL_TAG, SUMMARY_NOTE, SUMMARY_TAG, VERBATIM_TAG, block_tag
from monographs.domain import SectionKey
from monographs.models import Passage
from tests.factories import make_answer, make_edition, make_monograph, make_passage, make_section

pytestmark = pytest.mark.django_db
ASKED_AT = datetime(2026, 3, 5, 7, 5, tzinfo=UTC)


@pytest.fixture
def passages() -> list[Passage]:
    section = make_section(make_monograph(make_edition(is_sample=True)), SectionKey.LIEU_DUNG)
    return [
        make_passage(section, "Đường uống: 500 mg.", labels=["Người lớn", "Đường uống"]),
        make_passage(section, "Đường trực tràng: 250 mg.", labels=["Người lớn", "Đường trực tràng"]),
    ]


def answer_of(passages: list[Passage], *verbatim: bool) -> Answer:
    """Each passage a claim, in its own words or in a model's."""
    answer = make_answer(passages=passages)
    claims = tuple(
        claim.model_copy(update={"verbatim": own}) for claim, own in zip(answer.claims, verbatim, strict=True)
    )
    return answer.model_copy(update={"claims": claims})


def merged(passages: list[Passage]) -> Answer:
    """One claim of a model that rests on both passages."""
    answer = make_answer(passages=passages)
    first, second = answer.claims
    claim = Claim(
        target=first.target,
        claim="500 mg uống, 250 mg đặt trực tràng.",
        support=f"{first.support}\n{second.support}",
        citations=(*first.citations, *second.citations),
        verbatim=False,
    )
    block = answer.blocks[0].model_copy(update={"claims": (0,)})
    return answer.model_copy(update={"claims": (claim,), "blocks": (block,)})


def summarised(passages: list[Passage], *, used: bool = True) -> Answer:
    said = SummarySentence(text="Uống 500 mg.", chunk_ids=(passages[0].uid,))
    status = SummaryStatus(
        provider="bedrock",
        used=used,
        sentences=(said,) if used else (),
        fallback_reason="" if used else "empty_summary",
    )
    text = "Uống 500 mg. [1]" if used else "như cũ"
    return answer_of(passages, True, True).model_copy(update={"summary_status": status, "summary": text})


def everywhere(answer: Answer) -> dict[str, str]:
    """The answer as each path shows it."""
    shown: ShownAnswer = show_answer(answer)
    pages = PdfReader(BytesIO(answer_pdf(question="Hỏi", asked_at=ASKED_AT, answer=answer))).pages
    return {
        "page": " ".join(render_to_string("chat/_answer.html", {"answer": answer, "shown": shown}).split()),
        "text": answer_text(question="Hỏi", asked_at=ASKED_AT, answer=answer),
        "pdf": " ".join(" ".join(page.extract_text() for page in pages).split()),
        "shell": _as_text(answer),
    }


@pytest.mark.parametrize(
    ("verbatim", "tag"),
    [
        ((True, True), VERBATIM_TAG),
        ((False, False), MODEL_TAG),
        ((True, False), MIXED_TAG),
        ((False, True), MIXED_TAG),
        ((False,), MODEL_TAG),
    ],
)
def test_the_head_of_a_block_says_whose_words_it_is_in(verbatim: tuple[bool, ...], tag: str) -> None:
    assert block_tag(verbatim) == tag


def test_words_of_the_book_are_labelled_as_a_models_nowhere(passages: list[Passage]) -> None:
    for where, text in everywhere(answer_of(passages, True, True)).items():
        assert MODEL_TAG.lower() not in text.lower() and "mô hình" not in text, where


def test_words_of_a_model_are_labelled_everywhere(passages: list[Passage]) -> None:
    for where, text in everywhere(answer_of(passages, False, False)).items():
        assert MODEL_TAG.lower() in text.lower(), where


def test_beside_the_books_words_each_of_the_models_is_labelled(passages: list[Passage]) -> None:
    shown = everywhere(answer_of(passages, True, False))
    for where in ("page", "text", "pdf"):
        assert MIXED_TAG.lower() in shown[where].lower(), where
        assert shown[where].lower().count(MODEL_TAG.lower()) == 1, where
    lines = shown["text"].splitlines()
    assert [MODEL_TAG[1:] in line for line in lines if line.strip().startswith("•")] == [False, True]
    assert MIXED_TAG in shown["shell"]


def test_labels_that_differ_stand_each_beside_its_source(passages: list[Passage]) -> None:
    (block,) = show_answer(merged(passages)).blocks
    assert [group.path for group in block.groups] == [("Người lớn",)]
    shown = everywhere(merged(passages))
    assert "[1: Người lớn › Đường uống]" in shown["text"] and "[2: Người lớn › Đường trực tràng]" in shown["text"]
    assert "Người lớn › Đường trực tràng" in shown["page"] and "Người lớn › Đường uống" in shown["page"]
    assert "Người lớn › Đường trực tràng" in shown["pdf"]


def test_a_summary_stands_labelled_above_the_blocks(passages: list[Passage]) -> None:
    for where, text in everywhere(summarised(passages)).items():
        assert SUMMARY_TAG in text and SUMMARY_NOTE in text, where
        assert text.index(SUMMARY_TAG) < text.index(SUMMARY_NOTE) < text.index("Đường uống:"), where


def test_of_a_summary_that_is_not_used_nothing_shows(passages: list[Passage]) -> None:
    for where, text in everywhere(summarised(passages, used=False)).items():
        assert "tóm tắt" not in text.lower() and "empty_summary" not in text and "bedrock" not in text, where
