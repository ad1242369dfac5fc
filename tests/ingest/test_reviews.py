"""What a reviewer decides and takes back, in every edition of the PDF, and over a new ingest of it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase
from pytest_django import DjangoCaptureOnCommitCallbacks

from ingest.kept_reviews import decided_elsewhere, find_places, keep_reviews, shared_area
from ingest.models import Review, ReviewClaim
from ingest.review_claims import LEASE
from ingest.reviews import REFUSALS, REPLACED, Refusal, ReviewError, decide, fingerprint, undo
from monographs import passage_index
from monographs.corpus import current_edition
from monographs.domain import Box, PassageKind, PassageState, SectionKey
from monographs.models import Edition, EditionState, Embedding, Passage
from tests.conftest import wait_until
from tests.fakes import CountingEmbedder
from tests.ingest.reviewing import PDF, build, doubtful, make_reviewer, only_passage, passages_in, sure

pytestmark = pytest.mark.django_db
SERVED, CORRECTED, REJECTED, HELD = (
    PassageState.SERVED,
    PassageState.CORRECTED,
    PassageState.REJECTED,
    PassageState.QUARANTINED,
)
WORDS, CORRECTION = "Uống 1 000 mg mỗi lần.", "Uống 100 mg mỗi lần."
WHY = "Sai so với trang in."


@pytest.fixture
def reviewer() -> User:
    return make_reviewer()


@pytest.fixture
def passage() -> Passage:
    """A passage of the edition being served, held back by its parser."""
    return only_passage(build([doubtful(WORDS)], publish=True))


def rows(*editions: Edition) -> list[dict[str, Any]]:
    """Passages as the database has them."""
    found = Passage.objects.filter(section__monograph__edition__in=editions).order_by("pk")
    return [dict(row) for row in found.values()]


def found_by(word: str) -> bool:
    return Passage.objects.filter(tokens=word).exists()


def refused(refusal: Refusal, **arguments: Any) -> None:
    """A decision is refused for this reason, and changes nothing."""
    before, history = list(Passage.objects.values()), list(Review.objects.values())
    with pytest.raises(ReviewError) as caught:
        decide(**arguments)
    assert caught.value.refusal is refusal
    assert (list(Passage.objects.values()), list(Review.objects.values())) == (before, history)


class TestDecision:
    """One passage, one decision."""

    @pytest.mark.parametrize(
        ("decision", "text", "shown"),
        [(SERVED, "", WORDS), (CORRECTED, CORRECTION, CORRECTION), (REJECTED, "", WORDS), (HELD, "", WORDS)],
    )
    def test_it_is_in_force_at_once(
        self, reviewer: User, passage: Passage, decision: PassageState, text: str, shown: str
    ) -> None:
        edition = current_edition()
        assert edition is not None
        decide(passage.pk, reviewer=reviewer, decision=decision, corrected_text=text, reason=WHY)
        passage.refresh_from_db()
        assert (passage.state, passage.corrected_text, passage.shown_text) == (decision, text, shown)
        assert passage.text == WORDS
        after = current_edition()
        assert after is not None and after.corpus_version != edition.corpus_version

    def test_it_records_who_when_why_and_where(self, reviewer: User, passage: Passage) -> None:
        begun = timezone.now()
        review = decide(passage.pk, reviewer=reviewer, decision=REJECTED, reason=f" {WHY} ")
        review.refresh_from_db()
        assert (review.reviewer, review.reason, review.undone_at) == (reviewer, WHY, None)
        assert begun <= review.decided_at <= timezone.now()
        assert (review.sha256, review.passage_uid) == (PDF, passage.uid)
        assert (review.slug, review.anchor, review.kind, review.pdf_page) == ("paracetamol", "lieu_dung", "text", 1)
        assert (review.boxes, review.original_text, review.state_before) == (passage.boxes, WORDS, HELD)

    def test_search_finds_the_corrected_words_and_no_longer_the_wrong_ones(
        self, reviewer: User, passage: Passage
    ) -> None:
        decide(passage.pk, reviewer=reviewer, decision=CORRECTED, corrected_text="Bôi ngoài da.")
        assert found_by("boi") and not found_by("uong")

    def test_correction_is_kept_as_typed_but_composed(self, reviewer: User, passage: Passage) -> None:
        typed = "  Liê\u0300u 0,5\u00a0g;\r\ntối đa 4 g.  "
        decide(passage.pk, reviewer=reviewer, decision=CORRECTED, corrected_text=typed)
        passage.refresh_from_db()
        assert passage.corrected_text == "  Liều 0,5\u00a0g;\ntối đa 4 g.  "

    def test_later_decision_replaces_the_earlier_one(self, reviewer: User, passage: Passage) -> None:
        other = make_reviewer("minh")
        first = decide(passage.pk, reviewer=reviewer, decision=SERVED)
        second = decide(passage.pk, reviewer=other, decision=CORRECTED, corrected_text=CORRECTION)
        first.refresh_from_db()
        assert (first.undone_at, first.undone_by, first.undone_reason) == (second.decided_at, other, REPLACED)
        assert second.state_before == SERVED
        assert list(Review.objects.filter(undone_at=None)) == [second]

    @pytest.mark.parametrize("kind", [PassageKind.TABLE, PassageKind.FORMULA, PassageKind.FIGURE])
    def test_approved_picture_may_have_no_words(self, reviewer: User, kind: PassageKind) -> None:
        passage = only_passage(build([doubtful("", kind=kind)]))
        decide(passage.pk, reviewer=reviewer, decision=SERVED)
        passage.refresh_from_db()
        assert passage.state == SERVED

    def test_own_claim_ends_with_the_decision(self, reviewer: User, passage: Passage) -> None:
        ReviewClaim.objects.create(passage=passage, reviewer=reviewer, until=timezone.now() + LEASE)
        decide(passage.pk, reviewer=reviewer, decision=SERVED)
        assert not ReviewClaim.objects.exists()

    def test_corrected_words_get_their_vector_in_the_background(
        self,
        reviewer: User,
        monkeypatch: pytest.MonkeyPatch,
        django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
    ) -> None:
        embedder = CountingEmbedder()
        monkeypatch.setattr("ingest.indexing.current_embedder", lambda: embedder)
        passage = only_passage(build([doubtful("Đau nhe.")], key=SectionKey.CHI_DINH, publish=True))
        with django_capture_on_commit_callbacks(execute=True):
            decide(passage.pk, reviewer=reviewer, decision=CORRECTED, corrected_text="Đau nhẹ.")
        passage.refresh_from_db()
        assert embedder.seen == ["Đau nhẹ."]
        assert Embedding.objects.filter(text_hash=passage.text_hash, space="counting").exists()

    def test_decision_stands_where_the_queue_is_down(
        self,
        reviewer: User,
        monkeypatch: pytest.MonkeyPatch,
        django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
    ) -> None:
        def down() -> None:
            raise ConnectionError

        monkeypatch.setattr("ingest.reviews.index_edition_task.delay", down)
        passage = only_passage(build([doubtful("Đau nhe.")], key=SectionKey.CHI_DINH, publish=True))
        with django_capture_on_commit_callbacks(execute=True) as callbacks:
            decide(passage.pk, reviewer=reviewer, decision=SERVED)
        passage.refresh_from_db()
        assert len(callbacks) == 1 and passage.state == SERVED


class TestRefusal:
    """What is refused changes nothing."""

    @pytest.mark.parametrize("refusal", Refusal)
    def test_each_has_its_sentence(self, refusal: Refusal) -> None:
        said = str(ReviewError(refusal, name="Lan", time="10:00", code="U+0000", place=1))
        assert said.endswith((".", ")")) and "{" not in said
        assert set(REFUSALS) == set(Refusal)

    @pytest.mark.parametrize(
        ("given_", "refusal"),
        [
            ({"decision": CORRECTED}, Refusal.NO_TEXT),
            ({"decision": CORRECTED, "corrected_text": " \n "}, Refusal.NO_TEXT),
            ({"decision": CORRECTED, "corrected_text": WORDS}, Refusal.UNCHANGED_TEXT),
            ({"decision": CORRECTED, "corrected_text": f" {WORDS}\r\n"}, Refusal.UNCHANGED_TEXT),
            ({"decision": CORRECTED, "corrected_text": "100\x07 mg"}, Refusal.UNSEEN_CHARACTER),
            ({"decision": CORRECTED, "corrected_text": "100\tmg"}, Refusal.UNSEEN_CHARACTER),
            ({"decision": CORRECTED, "corrected_text": "\u202e001 mg"}, Refusal.UNSEEN_CHARACTER),
            ({"decision": CORRECTED, "corrected_text": "10\u200b0 mg"}, Refusal.UNSEEN_CHARACTER),
            ({"decision": CORRECTED, "corrected_text": "\uf0b3 100 mg"}, Refusal.UNSEEN_CHARACTER),
            ({"decision": CORRECTED, "corrected_text": "m" * 20_001}, Refusal.TOO_LONG),
            ({"decision": REJECTED}, Refusal.NO_REASON),
            ({"decision": HELD, "reason": "  "}, Refusal.NO_REASON),
            ({"decision": SERVED, "reason": "m" * 2_001}, Refusal.TOO_LONG),
            ({"decision": SERVED, "seen": "other"}, Refusal.CHANGED),
        ],
    )
    def test_decision_that_cannot_be_kept(
        self, reviewer: User, passage: Passage, given_: dict[str, Any], refusal: Refusal
    ) -> None:
        refused(refusal, passage_id=passage.pk, reviewer=reviewer, **given_)

    def test_passage_that_is_gone(self, reviewer: User, passage: Passage) -> None:
        Passage.objects.all().delete()
        refused(Refusal.GONE, passage_id=passage.pk, reviewer=reviewer, decision=SERVED)

    @pytest.mark.parametrize("state", [EditionState.BUILDING, EditionState.DISCARDED])
    def test_edition_that_is_not_to_be_read(self, reviewer: User, passage: Passage, state: EditionState) -> None:
        Edition.objects.update(state=state)
        refused(Refusal.NOT_READABLE, passage_id=passage.pk, reviewer=reviewer, decision=SERVED)

    def test_passage_that_another_holds(self, reviewer: User, passage: Passage) -> None:
        ReviewClaim.objects.create(passage=passage, reviewer=make_reviewer("minh"), until=timezone.now() + LEASE)
        refused(Refusal.HELD, passage_id=passage.pk, reviewer=reviewer, decision=SERVED)

    def test_claim_that_ran_out_holds_nothing(self, reviewer: User, passage: Passage) -> None:
        ReviewClaim.objects.create(passage=passage, reviewer=make_reviewer("minh"), until=timezone.now())
        assert decide(passage.pk, reviewer=reviewer, decision=SERVED).pk

    def test_words_that_could_not_be_read_are_not_approved(self, reviewer: User) -> None:
        passage = only_passage(build([doubtful("")]))
        refused(Refusal.NOTHING_READ, passage_id=passage.pk, reviewer=reviewer, decision=SERVED)

    def test_passage_decided_since_it_was_opened(self, reviewer: User, passage: Passage) -> None:
        seen = fingerprint(passage)
        decide(passage.pk, reviewer=make_reviewer("minh"), decision=REJECTED, reason=WHY, seen=seen)
        refused(Refusal.CHANGED, passage_id=passage.pk, reviewer=reviewer, decision=SERVED, seen=seen)

    def test_same_decision_again(self, reviewer: User, passage: Passage) -> None:
        decide(passage.pk, reviewer=reviewer, decision=SERVED)
        refused(Refusal.SAME, passage_id=passage.pk, reviewer=reviewer, decision=SERVED)


class TestUndoing:
    """Back to what was, with a record of it."""

    @pytest.mark.parametrize("decision", [SERVED, CORRECTED, REJECTED, HELD])
    @pytest.mark.parametrize("parsed", [doubtful, sure])
    def test_passage_is_exactly_what_it_was(
        self, reviewer: User, decision: PassageState, parsed: Callable[[str], Any]
    ) -> None:
        edition = build([parsed(WORDS)], publish=True)
        before = rows(edition)
        text = CORRECTION if decision is CORRECTED else ""
        review = decide(before[0]["id"], reviewer=reviewer, decision=decision, corrected_text=text, reason=WHY)
        undo(review.pk, reviewer=reviewer)
        assert rows(edition) == before

    def test_it_keeps_who_when_and_why_and_bumps_the_version(self, reviewer: User, passage: Passage) -> None:
        review = decide(passage.pk, reviewer=reviewer, decision=SERVED)
        version = Edition.objects.get().corpus_version
        other = make_reviewer("minh")
        undo(review.pk, reviewer=other, reason=f" {WHY} ")
        review.refresh_from_db()
        assert (review.undone_by, review.undone_reason) == (other, WHY)
        assert review.undone_at is not None and review.undone_at >= review.decided_at
        assert Edition.objects.get().corpus_version != version

    def test_it_happens_once(self, reviewer: User, passage: Passage) -> None:
        review = decide(passage.pk, reviewer=reviewer, decision=SERVED)
        undo(review.pk, reviewer=reviewer)
        before = rows(Edition.objects.get())
        with pytest.raises(ReviewError) as caught:
            undo(review.pk, reviewer=reviewer)
        assert caught.value.refusal is Refusal.UNDONE and "lan" in str(caught.value)
        assert rows(Edition.objects.get()) == before

    def test_the_decision_replaced_stands_again_and_can_be_undone_too(self, reviewer: User, passage: Passage) -> None:
        before = rows(Edition.objects.get())
        first = decide(passage.pk, reviewer=reviewer, decision=CORRECTED, corrected_text=CORRECTION)
        corrected = rows(Edition.objects.get())
        second = decide(passage.pk, reviewer=reviewer, decision=REJECTED, reason=WHY)
        undo(second.pk, reviewer=reviewer)
        first.refresh_from_db()
        assert first.undone_at is None and first.undone_by is None and rows(Edition.objects.get()) == corrected
        undo(first.pk, reviewer=reviewer)
        assert rows(Edition.objects.get()) == before

    def test_passage_that_another_holds_is_left_alone(self, reviewer: User, passage: Passage) -> None:
        review = decide(passage.pk, reviewer=reviewer, decision=SERVED)
        ReviewClaim.objects.create(passage=passage, reviewer=make_reviewer("minh"), until=timezone.now() + LEASE)
        with pytest.raises(ReviewError) as caught:
            undo(review.pk, reviewer=reviewer)
        assert caught.value.refusal is Refusal.HELD and "minh" in str(caught.value)

    def test_decision_outlives_its_edition_and_is_still_undone(self, reviewer: User, passage: Passage) -> None:
        review = decide(passage.pk, reviewer=reviewer, decision=SERVED)
        Edition.objects.all().delete()
        undo(review.pk, reviewer=reviewer)
        assert only_passage(build([doubtful(WORDS)])).state == HELD

    def test_unknown_decision(self, reviewer: User) -> None:
        with pytest.raises(ReviewError) as caught:
            undo(0, reviewer=reviewer)
        assert caught.value.refusal is Refusal.GONE


DECISIONS = st.sampled_from(
    [(SERVED, ""), (CORRECTED, CORRECTION), (CORRECTED, "Khác."), (REJECTED, ""), (HELD, ""), None]
)


class TestAnyHistory(TestCase):
    """Whatever is decided and undone, in any order."""

    @settings(max_examples=25)
    @given(steps=st.lists(DECISIONS, max_size=8), doubted=st.booleans())
    def test_undoing_everything_that_stands_ends_where_it_began(
        self, steps: list[tuple[PassageState, str] | None], doubted: bool
    ) -> None:
        edition = build([(doubtful if doubted else sure)(WORDS)])
        begun, (start,) = rows(edition), passages_in(edition)
        reviewer = make_reviewer()
        for step in steps:
            standing = Review.objects.filter(undone_at=None).first()
            if step is None and standing:
                undo(standing.pk, reviewer=reviewer)
            elif step is not None and (standing is None or (standing.decision, standing.corrected_text) != step):
                decide(start.pk, reviewer=reviewer, decision=step[0], corrected_text=step[1], reason=WHY)
            stands = Review.objects.filter(undone_at=None).first()
            (shown,) = passages_in(edition)
            if stands is not None:
                assert (shown.state, shown.corrected_text) == (stands.decision, stands.corrected_text)
        (shown,) = passages_in(edition)
        again = only_passage(build([(doubtful if doubted else sure)(WORDS)]))
        assert (again.state, again.corrected_text) == (shown.state, shown.corrected_text)
        while standing := Review.objects.filter(undone_at=None).first():
            undo(standing.pk, reviewer=reviewer)
        assert rows(edition) == begun


class TestCopies:
    """The same PDF read more than once; another PDF with the same words."""

    def test_every_edition_of_the_pdf_follows_a_decision_and_its_undoing(self, reviewer: User) -> None:
        older = build([doubtful(WORDS)], publish=True)
        newer = build([doubtful(WORDS)], publish=True, parser_version="2")
        before = rows(older, newer)
        review = decide(only_passage(newer).pk, reviewer=reviewer, decision=REJECTED, reason=WHY)
        assert {only_passage(edition).state for edition in (older, newer)} == {REJECTED}
        assert set(Edition.objects.values_list("revision", flat=True)) == {1}
        undo(review.pk, reviewer=reviewer)
        assert rows(older, newer) == before

    def test_another_pdf_is_left_alone_and_offered_the_decision(self, reviewer: User) -> None:
        mine, other = build([doubtful(WORDS)], publish=True), build([doubtful(WORDS)], sha256="8d" * 32)
        review = decide(only_passage(mine).pk, reviewer=reviewer, decision=CORRECTED, corrected_text=CORRECTION)
        untouched = only_passage(other)
        assert (untouched.state, untouched.corrected_text) == (HELD, "")
        other.refresh_from_db()
        assert other.revision == 0
        assert decided_elsewhere(untouched, other.sha256) == review
        undo(review.pk, reviewer=reviewer)
        assert decided_elsewhere(untouched, other.sha256) is None

    def test_copy_that_its_own_parser_doubts_is_not_served_by_an_undoing(self, reviewer: User) -> None:
        doubted, served = build([doubtful(WORDS)]), build([sure(WORDS)], parser_version="2")
        review = decide(only_passage(served).pk, reviewer=reviewer, decision=HELD, reason=WHY)
        undo(review.pk, reviewer=reviewer)
        assert (only_passage(doubted).state, only_passage(served).state) == (HELD, SERVED)

    def test_copy_at_the_place_of_a_decision_on_other_words_stays_held_back(self, reviewer: User) -> None:
        rejected = only_passage(build([sure("Cũ.")]))
        decide(rejected.pk, reviewer=reviewer, decision=REJECTED, reason=WHY)
        copy = only_passage(build([sure(WORDS)], parser_version="2"))
        review = decide(copy.pk, reviewer=reviewer, decision=SERVED)
        Review.objects.filter(pk=review.pk).update(state_before=SERVED)
        undo(review.pk, reviewer=reviewer)
        copy.refresh_from_db()
        assert copy.state == HELD

    def test_edition_being_built_does_not_miss_a_decision(self, reviewer: User, passage: Passage) -> None:
        half_built = build([doubtful(WORDS)])
        Edition.objects.filter(pk=half_built.pk).update(state=EditionState.BUILDING)
        decide(passage.pk, reviewer=reviewer, decision=SERVED)
        assert only_passage(half_built).state == SERVED


@pytest.mark.django_db(transaction=True)
def test_decision_taken_while_an_edition_is_being_finished_reaches_it(reviewer: User, passage: Passage) -> None:
    half_built = build([doubtful(WORDS)], parser_version="2")
    Edition.objects.filter(pk=half_built.pk).update(state=EditionState.BUILDING)

    def decide_meanwhile() -> None:
        try:
            decide(passage.pk, reviewer=reviewer, decision=REJECTED, reason=WHY)
        finally:
            connection.close()

    with transaction.atomic():
        Edition.objects.select_for_update(no_key=True).get(pk=half_built.pk)
        deciding = threading.Thread(target=decide_meanwhile)
        deciding.start()
        wait_until(lambda: waiting_for_a_lock() == 1, timeout=10)
        keep_reviews(half_built)
        Edition.objects.filter(pk=half_built.pk).update(state=EditionState.READY)
    deciding.join(timeout=10)
    assert not deciding.is_alive()
    assert only_passage(half_built).state == REJECTED


def waiting_for_a_lock() -> int:
    """Connections to this database that wait for another's lock."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
        )
        (count,) = cursor.fetchone()
    return int(count)


class TestIngestedAgain:
    """A new ingest of the PDF keeps every decision."""

    @pytest.mark.parametrize(("decision", "text"), [(SERVED, ""), (CORRECTED, CORRECTION), (REJECTED, ""), (HELD, "")])
    @pytest.mark.parametrize("parsed", [doubtful, sure])
    def test_same_words_keep_their_decision(
        self,
        reviewer: User,
        passage: Passage,
        decision: PassageState,
        text: str,
        parsed: Callable[[str], Any],
    ) -> None:
        decide(passage.pk, reviewer=reviewer, decision=decision, corrected_text=text, reason=WHY)
        again = only_passage(build([parsed(WORDS)], parser_version="2"))
        assert (again.state, again.corrected_text) == (decision, text)
        if text:
            assert Passage.objects.filter(pk=again.pk, tokens="100").exists()

    def test_undone_decision_is_not_kept(self, reviewer: User, passage: Passage) -> None:
        undo(decide(passage.pk, reviewer=reviewer, decision=SERVED).pk, reviewer=reviewer)
        assert only_passage(build([doubtful(WORDS)])).state == HELD

    @pytest.mark.parametrize("decision", [SERVED, CORRECTED, REJECTED, HELD])
    @pytest.mark.parametrize("parsed", [doubtful, sure])
    def test_other_words_at_the_place_wait_to_be_reviewed_again(
        self, reviewer: User, passage: Passage, decision: PassageState, parsed: Callable[..., Any]
    ) -> None:
        text = CORRECTION if decision is CORRECTED else ""
        review = decide(passage.pk, reviewer=reviewer, decision=decision, corrected_text=text, reason=WHY)
        edition = build([parsed("Uống 1000 mg mỗi lần.", y=103)], parser_version="2")
        again = only_passage(edition)
        assert (again.state, again.corrected_text) == (HELD, "")
        places = find_places(edition)
        assert (dict(places.changed), places.lost) == ({again.pk: review}, ())

    def test_once_decided_they_no_longer_wait_and_the_old_words_keep_their_own(
        self, reviewer: User, passage: Passage
    ) -> None:
        decide(passage.pk, reviewer=reviewer, decision=SERVED)
        edition = build([sure("Khác.")], parser_version="2")
        decide(only_passage(edition).pk, reviewer=reviewer, decision=REJECTED, reason=WHY)
        assert find_places(edition).changed == {} and find_places(edition).lost == ()
        passage.refresh_from_db()
        assert passage.state == SERVED
        assert only_passage(build([sure("Khác.")], parser_version="3")).state == REJECTED

    @pytest.mark.parametrize("decision", [REJECTED, HELD])
    def test_words_held_back_stay_so_in_pieces_and_in_another_section(
        self, reviewer: User, decision: PassageState
    ) -> None:
        whole = sure(WORDS)
        whole = replace(whole, boxes=tuple(Box(1, 50, y, 280, y + 12) for y in (100, 112, 124)))
        first = only_passage(build([whole]))
        decide(first.pk, reviewer=reviewer, decision=decision, reason=WHY)
        pieces = [sure(f"Mảnh {y}.", y=y) for y in (100, 112, 124)]
        edition = build([*pieces, sure("Nơi khác.", y=400)], key=SectionKey.THAN_TRONG, parser_version="2")
        assert [p.state for p in passages_in(edition)] == [HELD, HELD, HELD, SERVED]
        assert len(find_places(edition).changed) == 3

    def test_approval_does_not_follow_into_another_section(self, reviewer: User, passage: Passage) -> None:
        review = decide(passage.pk, reviewer=reviewer, decision=SERVED)
        edition = build([sure("Khác.")], key=SectionKey.THAN_TRONG, parser_version="2")
        assert only_passage(edition).state == SERVED
        assert find_places(edition).lost == (review,)

    @pytest.mark.parametrize(("y", "page"), [(107, 1), (300, 1), (100, 2)])
    def test_decision_without_a_place_is_told_as_lost(
        self, reviewer: User, passage: Passage, y: float, page: int
    ) -> None:
        review = decide(passage.pk, reviewer=reviewer, decision=REJECTED, reason=WHY)
        edition = build([sure("Khác.", y=y, page=page)], parser_version="2")
        assert only_passage(edition).state == SERVED
        assert (find_places(edition).changed, find_places(edition).lost) == ({}, (review,))

    def test_decision_on_another_pdf_holds_nothing_back(self, reviewer: User, passage: Passage) -> None:
        decide(passage.pk, reviewer=reviewer, decision=REJECTED, reason=WHY)
        edition = build([sure("Khác.")], sha256="8d" * 32)
        assert only_passage(edition).state == SERVED and find_places(edition).lost == ()


@pytest.mark.parametrize(
    ("one", "other", "share"),
    [
        ([Box(1, 0, 0, 10, 10)], [Box(1, 0, 0, 10, 10)], 1.0),
        ([Box(1, 0, 0, 10, 10)], [Box(1, 0, 5, 10, 15)], 0.5),
        ([Box(1, 0, 0, 10, 10)], [Box(2, 0, 0, 10, 10)], 0.0),
        ([Box(1, 0, 0, 10, 10)], [Box(1, 20, 0, 30, 10)], 0.0),
        ([Box(1, 0, 0, 10, 10), Box(2, 0, 0, 10, 10)], [Box(2, 0, 0, 10, 10)], 1.0),
        ([], [Box(1, 0, 0, 10, 10)], 0.0),
        ([Box(1, 5, 5, 5, 5)], [Box(1, 0, 0, 10, 10)], 0.0),
    ],
)
def test_shared_area(one: list[Box], other: list[Box], share: float) -> None:
    assert shared_area(one, other) == shared_area(other, one) == pytest.approx(share)


def test_what_a_passage_is_found_by_is_as_if_it_had_been_parsed_so(reviewer: User, passage: Passage) -> None:
    decide(passage.pk, reviewer=reviewer, decision=CORRECTED, corrected_text=CORRECTION)
    passage.refresh_from_db()
    other = only_passage(build([sure(CORRECTION)], sha256="8d" * 32))
    assert (passage.text_hash, passage.tokens) == (other.text_hash, other.tokens)
    assert passage_index.searched_text(passage.labels, passage.shown_text) == CORRECTION
