"""A review changes the very next answer, and an answer given before keeps what it showed."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from chat.contract import Answer
from chat.domain import Decision, Reason
from chat.models import Turn
from chat.turns import Chosen, run_turn, start_reading, start_rerun, start_turn
from ingest.reviews import decide, undo
from monographs.domain import PassageState
from monographs.models import Edition, Passage
from tests.ingest.reviewing import make_reviewer
from tests.markup import open_page
from tests.sample_edition import publish_sample

pytestmark = pytest.mark.django_db
OWNER = "anon:me"
QUESTION = "Liều paracetamol cho người lớn đường uống?"
PRINTED, CORRECTION = "0,5 - 1 g/lần", "Uống 0,75 g/lần, cách 6 giờ một lần."


@pytest.fixture
def edition() -> Edition:
    return publish_sample()


@pytest.fixture
def reviewer(edition: Edition) -> User:
    return make_reviewer()


def asked(question: str = QUESTION) -> tuple[Turn, Answer]:
    turn = run_turn(start_turn(owner=OWNER, question=question))
    return turn, Answer.model_validate(turn.contract)


def adult_dose() -> Passage:
    return Passage.objects.get(
        section__monograph__slug="paracetamol", labels=["Người lớn", "Đường uống"], text__contains=PRINTED
    )


def claims_of(answer: Answer) -> list[str]:
    return [claim.claim for claim in answer.claims]


def assert_unchanged(turn: Turn) -> None:
    """A stored turn says what it said."""
    stored = Turn.objects.get(pk=turn.pk)
    assert (stored.contract, stored.corpus_version) == (turn.contract, turn.corpus_version)


def test_corrected_passage_is_quoted_as_corrected(reviewer: User) -> None:
    before, answer = asked()
    assert PRINTED in claims_of(answer)[0]
    decide(adult_dose().pk, reviewer=reviewer, decision=PassageState.CORRECTED, corrected_text=CORRECTION)
    turn, after = asked()
    assert claims_of(after) == [CORRECTION] and turn.decision == Decision.ANSWERABLE
    assert after.evidence[0].state is PassageState.CORRECTED
    assert turn.corpus_version != before.corpus_version
    assert_unchanged(before)


@pytest.mark.parametrize("decision", [PassageState.REJECTED, PassageState.QUARANTINED])
def test_rejected_or_held_back_passage_is_never_quoted(reviewer: User, decision: PassageState) -> None:
    before, answer = asked()
    assert PRINTED in claims_of(answer)[0]
    decide(adult_dose().pk, reviewer=reviewer, decision=decision, reason="Sai so với trang in.")
    turn, after = asked()
    assert (turn.decision, turn.reason) == (Decision.VERIFY_PDF, Reason.SOURCE_QUARANTINED)
    assert claims_of(after) == [] and PRINTED not in turn.contract["answer_text"]
    (evidence,) = after.evidence
    assert (evidence.state, evidence.text) == (decision, "")
    assert_unchanged(before)


def test_approved_passage_is_quoted_at_once(reviewer: User) -> None:
    Passage.objects.filter(pk=adult_dose().pk).update(state=PassageState.QUARANTINED)
    before, answer = asked()
    assert before.decision == Decision.VERIFY_PDF and not answer.claims
    decide(adult_dose().pk, reviewer=reviewer, decision=PassageState.SERVED)
    turn, after = asked()
    assert turn.decision == Decision.ANSWERABLE and PRINTED in claims_of(after)[0]
    assert_unchanged(before)


@pytest.mark.parametrize(
    ("decision", "text"),
    [(PassageState.CORRECTED, CORRECTION), (PassageState.REJECTED, ""), (PassageState.QUARANTINED, "")],
)
def test_undone_decision_leaves_the_next_answer_as_it_was(reviewer: User, decision: PassageState, text: str) -> None:
    _, before = asked()
    review = decide(adult_dose().pk, reviewer=reviewer, decision=decision, corrected_text=text, reason="Nhầm.")
    during, _ = asked()
    undo(review.pk, reviewer=reviewer)
    turn, after = asked()
    assert claims_of(after) == claims_of(before) and turn.decision == Decision.ANSWERABLE
    assert_unchanged(during)


def test_question_asked_again_tells_what_the_review_changed(reviewer: User) -> None:
    first, _ = asked()
    decide(adult_dose().pk, reviewer=reviewer, decision=PassageState.CORRECTED, corrected_text=CORRECTION)
    again = run_turn(start_rerun(OWNER, first.pk))
    assert claims_of(Answer.model_validate(again.contract)) == [CORRECTION]
    assert_unchanged(first)


WORDS = "Dưới 10 ml/phút: 20 - 50 % liều thường dùng."


@pytest.mark.parametrize(
    ("decision", "words"), [(PassageState.SERVED, ""), (PassageState.CORRECTED, WORDS)], ids=["approved", "corrected"]
)
def test_table_stays_its_picture_until_a_reviewer_puts_it_into_words(
    reviewer: User, decision: PassageState, words: str
) -> None:
    table = Passage.objects.filter(kind="table", section__key="lieu_dung").select_related("section__monograph")[0]
    decide(table.pk, reviewer=reviewer, decision=decision, corrected_text=words)
    name = table.section.monograph.name
    answer = Answer.model_validate(
        run_turn(
            start_reading(owner=OWNER, chosen=Chosen(table.section.monograph.slug, "lieu_dung"), called=(name, "Liều"))
        ).contract
    )
    (shown,) = [item for item in answer.evidence if item.citation and item.citation.passage_id == table.pk]
    assert (shown.state, shown.text) == (decision, words)
    told = [claim.claim for claim in answer.claims if claim.citations[0].passage_id == table.pk]
    assert told == ([words] if words else [])


def test_reader_sees_the_correction_as_one_in_the_book(client: Client, reviewer: User) -> None:
    decide(adult_dose().pk, reviewer=reviewer, decision=PassageState.CORRECTED, corrected_text=CORRECTION)
    page = open_page(client, "/monographs/paracetamol/lieu_dung/").text
    assert "0,75 g/lần" in page.replace("\xa0", " ") and "Đã sửa khi duyệt" in page
