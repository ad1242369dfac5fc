"""Questions on the sample, through the whole pipeline: decision, reason and what is shown."""

from __future__ import annotations

import pytest

from chat.answer import answer_question
from chat.contract import Answer
from chat.domain import Decision, Reason
from monographs.domain import PassageState, SectionKey
from monographs.models import Passage
from tests.sample_edition import publish_sample

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _sample(db: None) -> None:
    publish_sample()


def _answer(question: str) -> Answer:
    return answer_question(question, trace_id="t").answer


@pytest.mark.parametrize(
    ("question", "decision", "reason"),
    [
        ("chống chỉ định của ibuprofen", Decision.ANSWERABLE, Reason.VERIFIED),
        ("chong chi dinh ibuprofen", Decision.ANSWERABLE, Reason.VERIFIED),
        ("metformin thận trọng gì", Decision.ANSWERABLE, Reason.VERIFIED),
        ("bảo quản adrenalin", Decision.ANSWERABLE, Reason.VERIFIED),
        ("tác dụng phụ của warfarin", Decision.ANSWERABLE, Reason.VERIFIED),
        ("tác dụng phụ của salbutamol", Decision.CLARIFY, Reason.AMBIGUOUS_DRUG),
        ("liều gentamicin suy thận", Decision.ANSWERABLE, Reason.PARTIAL_QUARANTINED),
        ("liều paracetamol", Decision.CLARIFY, Reason.NEEDS_BRANCH),
        ("liều paracetamol cho trẻ em", Decision.CLARIFY, Reason.NEEDS_BRANCH),
        ("paracetamol", Decision.CLARIFY, Reason.NEEDS_SECTION),
        ("liều dùng người lớn", Decision.CLARIFY, Reason.NEEDS_DRUG),
        ("liều paracetamon", Decision.CLARIFY, Reason.SUGGESTED_DRUG),
        ("liều zolpixantel", Decision.ABSTAIN, Reason.UNKNOWN_DRUG),
        ("liều amoxicilin cho chó", Decision.ABSTAIN, Reason.NON_HUMAN_SCOPE),
        ("thời tiết hôm nay", Decision.ABSTAIN, Reason.OUT_OF_SCOPE),
        ("xin chào", Decision.ANSWERABLE, Reason.SMALLTALK),
        ("tương tác warfarin và ibuprofen", Decision.ANSWERABLE, Reason.VERIFIED),
    ],
)
def test_decision_and_reason(question: str, decision: Decision, reason: Reason) -> None:
    answer = _answer(question)
    assert (answer.decision, answer.reason) == (decision, reason)


@pytest.mark.parametrize(
    "question",
    ["chống chỉ định của ibuprofen", "liều gentamicin suy thận", "toàn bộ liều paracetamol", "tương tác metformin"],
)
def test_every_claim_is_the_books_own_passage_with_its_citation(question: str) -> None:
    answer = _answer(question)
    assert answer.claims
    for claim in answer.claims:
        for citation in claim.citations:
            passage = Passage.objects.get(pk=citation.passage_id)
            assert claim.claim == passage.text and passage.state == PassageState.SERVED
            assert citation.page_span[0] == passage.printed_page and citation.regions and citation.crop
    assert sorted(index for block in answer.blocks for index in block.claims) == list(range(len(answer.claims)))


def test_a_section_that_the_monograph_lacks_is_said_and_others_are_offered() -> None:
    from monographs.models import Section

    Section.objects.filter(monograph__slug="warfarin", key=SectionKey.TUONG_KY).delete()
    answer = _answer("tương kỵ của warfarin")
    assert answer.reason is Reason.SECTION_NOT_IN_MONOGRAPH and "Warfarin" in answer.message
    assert answer.related_sections and answer.insufficiency is not None


def test_quarantined_evidence_is_shown_as_a_crop_and_never_as_text() -> None:
    Passage.objects.filter(section__key=SectionKey.CHONG_CHI_DINH, section__monograph__slug="ibuprofen").update(
        state=PassageState.QUARANTINED
    )
    answer = _answer("chống chỉ định ibuprofen")
    assert answer.decision is Decision.VERIFY_PDF and not answer.claims
    assert answer.evidence and all(item.text == "" and item.citation is not None for item in answer.evidence)


def test_a_passage_without_a_printed_page_is_not_cited() -> None:
    Passage.objects.filter(section__key=SectionKey.BAO_QUAN).update(printed_page=None)
    assert _answer("bảo quản adrenalin").reason is Reason.MISSING_PRINTED_PAGE


def test_a_pregnancy_brings_its_sections_and_never_the_plain_dose() -> None:
    for question in ("lieu ibuprofen cho ba bau 32 tuan", "liều ibuprofen cho phụ nữ có thai"):
        answer = _answer(question)
        sections = [block.section for block in answer.blocks]
        assert sections[:2] == [SectionKey.CHONG_CHI_DINH, SectionKey.MANG_THAI]
        assert SectionKey.LIEU_DUNG not in sections


def test_a_red_flag_brings_the_emergency_notice_beside_the_answer() -> None:
    answer = _answer("quá liều paracetamol xử trí thế nào")
    assert "115" in answer.emergency and answer.decision is Decision.ANSWERABLE


def test_a_turn_needs_few_queries(django_assert_max_num_queries: object) -> None:
    _answer("chống chỉ định của ibuprofen")
    with django_assert_max_num_queries(6):  # type: ignore[operator]
        _answer("liều paracetamol cho người lớn đường uống")
