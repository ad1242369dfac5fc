"""A calculation as it is stored, shown and exported, from the question on; in a database."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from uuid import uuid4

import pytest
from django.template.loader import render_to_string

from chat.answer import answer_question
from chat.contract import Answer
from chat.display import show_answer
from chat.domain import Decision, Reason
from chat.export_pdf import answer_pdf
from chat.export_text import answer_text
from tests.sample_edition import publish_sample

pytestmark = pytest.mark.django_db
AT = datetime(2026, 3, 5, 7, 5, tzinfo=UTC)
QUESTION = "be 10th 8kg hapacol 150 may goi"


@pytest.fixture
def answer() -> Answer:
    publish_sample()
    return answer_question(QUESTION, trace_id="t").answer


def test_the_contract_carries_the_calculation_and_its_citation(answer: Answer) -> None:
    found = answer.calculation
    assert found is not None
    assert found.result == "80 - 120 mg/lần, tối đa 480 mg/ngày"
    assert [citation.chunk_id for citation in found.citations] == [
        citation.chunk_id
        for claim in answer.claims
        for citation in claim.citations
        if "10 - 15 mg/kg/lần" in claim.claim
    ]
    assert Answer.model_validate(answer.model_dump(mode="json")) == answer


def test_its_sources_have_the_numbers_of_the_claims(answer: Answer) -> None:
    shown = show_answer(answer)
    assert len(shown.calculation_sources) == 1
    assert shown.calculation_sources[0] in shown.sources


def test_the_page_sets_it_apart_and_calls_it_arithmetic(answer: Answer) -> None:
    page = render_to_string(
        "chat/_answer.html", {"answer": answer, "shown": show_answer(answer), "turn": SimpleNamespace(pk=uuid4())}
    )
    block = page[page.index("block-calculation") :].split("</section>")[0]
    assert "Phép tính từ liều trong sách" in block
    assert "không phải đề nghị dùng thuốc" in block
    assert '<span class="nowrap">80 - 120 mg/lần</span>' in block
    assert 'class="chip"' in block


def test_exports_hold_every_line_of_it(answer: Answer) -> None:
    text = answer_text(question=QUESTION, asked_at=AT, answer=answer)
    for line in (
        "Phép tính từ liều trong sách [",
        "10 - 15 mg/kg/lần × 8 kg = 80 - 120 mg/lần",
        "không phải đề nghị dùng thuốc",
    ):
        assert line in text
    assert answer_pdf(question=QUESTION, asked_at=AT, answer=answer).startswith(b"%PDF")


def test_an_answer_without_one_says_nothing_of_it() -> None:
    publish_sample()
    answer = answer_question("liều ibuprofen người lớn đau sốt đường uống", trace_id="t").answer
    assert answer.calculation is None
    assert "Phép tính" not in answer_text(question="q", asked_at=AT, answer=answer)


def test_a_refusal_is_an_abstention_that_still_shows_the_printed_dose() -> None:
    publish_sample()
    answer = answer_question("tính liều paracetamol uống người lớn 70 kg", trace_id="t").answer
    assert (answer.decision, answer.reason) == (Decision.ABSTAIN, Reason.CALCULATION_NOT_GROUNDED)
    assert "không in liều theo cân nặng" in answer.message
    assert any("0,5 - 1 g/lần" in claim.claim for claim in answer.claims)
    assert answer.blocks
    assert answer.insufficiency is not None
    assert "calculation_not_grounded" in answer.insufficiency.reasons
