"""What waits to be reviewed: filtered, counted, ordered, and never handed to two people at once."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from ingest.domain import FindingKind
from ingest.models import Finding, Review, ReviewClaim
from ingest.review_claims import LEASE, claim_first, claim_passage, holder_of, release_passage
from ingest.review_items import decisions_of_today, doubted_stretches, find_passage, last_decision, read_item
from ingest.review_queue import NO_SECTION_KEY, Queue, QueueFilter, QueueState, reviewable_editions
from ingest.reviews import ReviewError, decide, undo
from monographs.domain import PassageKind, PassageState, SectionKey
from monographs.models import Edition, EditionState, Passage, Section
from tests.factories import make_edition, make_held_back, make_monograph, make_passage, make_section
from tests.ingest.reviewing import build, doubtful, make_reviewer, only_passage, passages_in, sure

pytestmark = pytest.mark.django_db
HELD = PassageState.QUARANTINED


@pytest.fixture
def reviewer() -> User:
    return make_reviewer()


def hold_back(section: Any, text: str, *findings: FindingKind, **fields: Any) -> Passage:
    """A passage held back for these doubts."""
    passage = make_passage(section, text, state=HELD, **fields)
    for kind in findings:
        Finding.objects.create(
            edition=section.monograph.edition, passage=passage, kind=kind, quarantines=True, pdf_page=1
        )
    return passage


@pytest.fixture
def edition() -> Edition:
    """Two monographs, out of order in the database: three passages wait in the first, one in the second."""
    edition = make_edition()
    second = make_monograph(edition, "Đồng sulfat", order=2)
    first = make_monograph(edition, "Paracetamol", order=1, aliases=["Panadol"])
    hold_back(make_section(second, SectionKey.CHI_DINH), "đồng", FindingKind.SPLIT_NUMBER)
    dosage = make_section(first, SectionKey.LIEU_DUNG, "phục vụ", order=2)
    make_held_back(dosage, order=9)
    hold_back(dosage, "liều", FindingKind.SPLIT_NUMBER, FindingKind.UNRESOLVED_GLYPH, order=3)
    general = make_section(first, SectionKey.CHI_DINH, order=1)
    Section.objects.filter(pk=general.pk).update(key="")
    hold_back(general, "khác")
    return edition


def texts(edition: Edition, **wanted: Any) -> list[str]:
    return [passage.text for passage in Queue(edition, QueueFilter(**wanted)).passages()]


def counts(edition: Edition, facet: str, **wanted: Any) -> dict[str, int]:
    (found,) = [f for f in Queue(edition, QueueFilter(**wanted)).facets() if f.name == facet]
    return {option.value: option.count for option in found.options}


class TestFilter:
    """Which passages, in which order, and how many."""

    def test_waiting_ones_in_the_order_of_the_book(self, edition: Edition) -> None:
        assert texts(edition) == ["khác", "liều", "Độ thanh thải Liều", "đồng"]

    @pytest.mark.parametrize(
        ("wanted", "found"),
        [
            ({"search": "dong"}, ["đồng"]),
            ({"search": "ĐỒNG SUL"}, ["đồng"]),
            ({"search": "panad"}, ["khác", "liều", "Độ thanh thải Liều"]),
            ({"search": "không có"}, []),
            ({"search": "…"}, []),
            ({"section": "lieu_dung"}, ["liều", "Độ thanh thải Liều"]),
            ({"section": NO_SECTION_KEY}, ["khác"]),
            ({"kind": "table"}, ["Độ thanh thải Liều"]),
            ({"finding": "split_number"}, ["liều", "đồng"]),
            ({"finding": "split_number", "search": "para"}, ["liều"]),
            ({"state": QueueState.ALL}, ["khác", "phục vụ", "liều", "Độ thanh thải Liều", "đồng"]),
            ({"state": QueueState.DECIDED}, []),
            ({"state": QueueState.CHANGED}, []),
        ],
    )
    def test_what_is_wanted(self, edition: Edition, wanted: dict[str, Any], found: list[str]) -> None:
        assert texts(edition, **wanted) == found
        assert Queue(edition, QueueFilter(**wanted)).count() == len(found)

    @pytest.mark.parametrize(
        ("facet", "wanted", "expected"),
        [
            ("kind", {}, {"text": 3, "table": 1}),
            ("kind", {"kind": "table"}, {"text": 3, "table": 1}),
            ("kind", {"search": "dong"}, {"text": 1}),
            ("kind", {"search": "dong", "kind": "table"}, {"text": 1, "table": 0}),
            ("section", {}, {"chi_dinh": 1, "lieu_dung": 2, NO_SECTION_KEY: 1}),
            ("finding", {}, {"split_number": 2, "unresolved_glyph": 1}),
            ("finding", {"section": "chi_dinh"}, {"split_number": 1}),
            ("state", {}, {"waiting": 4, "changed": 0, "held": 0, "decided": 0, "all": 5}),
            ("state", {"kind": "table"}, {"waiting": 1, "changed": 0, "held": 0, "decided": 0, "all": 1}),
        ],
    )
    def test_counts_are_those_under_the_other_filters(
        self, edition: Edition, facet: str, wanted: dict[str, Any], expected: dict[str, int]
    ) -> None:
        assert counts(edition, facet, **wanted) == expected

    def test_decided_ones_leave_the_queue_until_undone(self, edition: Edition, reviewer: User) -> None:
        passage = Passage.objects.get(text="liều")
        review = decide(passage.pk, reviewer=reviewer, decision=HELD, reason="Chưa rõ.")
        assert "liều" not in texts(edition)
        for state in (QueueState.HELD, QueueState.DECIDED):
            assert texts(edition, state=state) == ["liều"]
        assert counts(edition, "state") == {"waiting": 3, "changed": 0, "held": 1, "decided": 1, "all": 5}
        undo(review.pk, reviewer=reviewer)
        assert "liều" in texts(edition) and texts(edition, state=QueueState.DECIDED) == []

    def test_passages_whose_words_changed_are_a_filter_of_their_own(self, reviewer: User) -> None:
        before = only_passage(build([doubtful("Cũ.")]))
        decide(before.pk, reviewer=reviewer, decision=PassageState.SERVED)
        edition = build([sure("Mới."), doubtful("Nơi khác.", y=400)], parser_version="2")
        assert texts(edition) == ["Mới.", "Nơi khác."]
        assert texts(edition, state=QueueState.CHANGED) == ["Mới."]
        assert counts(edition, "state")["changed"] == 1

    def test_editions_to_review_begin_with_the_one_being_served(self) -> None:
        made = {state: make_edition(state=state) for state in EditionState}
        assert [e.state for e in reviewable_editions()] == [
            EditionState.PUBLISHED,
            EditionState.SUPERSEDED,
            EditionState.READY,
        ]
        assert reviewable_editions()[0] == made[EditionState.PUBLISHED]


class TestHandingOut:
    """One passage to one reviewer."""

    def test_next_goes_on_from_where_one_is_and_round_the_end(self, edition: Edition, reviewer: User) -> None:
        queue, at, seen = Queue(edition, QueueFilter()), None, []
        for _ in range(5):
            found = queue.claim_next(reviewer, beside=at)
            assert found is not None
            at = find_passage(found)
            assert at is not None
            seen.append(at.text)
        assert seen == ["khác", "liều", "Độ thanh thải Liều", "đồng", "khác"]

    def test_the_one_before_too(self, edition: Edition, reviewer: User) -> None:
        queue, at = Queue(edition, QueueFilter()), find_passage(Passage.objects.get(text="liều").pk)
        seen = []
        for _ in range(3):
            found = queue.claim_next(reviewer, beside=at, backwards=True)
            at = find_passage(found or 0)
            assert at is not None
            seen.append(at.text)
        assert seen == ["khác", "đồng", "Độ thanh thải Liều"]

    def test_two_reviewers_never_get_the_same_and_then_there_is_none_left(
        self, edition: Edition, reviewer: User
    ) -> None:
        other, queue = make_reviewer("minh"), Queue(edition, QueueFilter())
        got: list[int | None] = []
        at: dict[User, Passage | None] = {reviewer: None, other: None}
        for who in (reviewer, other, reviewer, other):
            got.append(queue.claim_next(who, beside=at[who]))
            at[who] = find_passage(got[-1] or 0)
        assert len(set(got)) == 4 and None not in got
        assert queue.claim_next(make_reviewer("hoa")) is None

    def test_claim_is_free_again_when_it_runs_out(self, edition: Edition, reviewer: User) -> None:
        other, queue = make_reviewer("minh"), Queue(edition, QueueFilter(search="dong"))
        found = queue.claim_next(reviewer)
        assert found is not None and queue.claim_next(other) is None
        ReviewClaim.objects.update(until=timezone.now() - timedelta(seconds=1))
        assert queue.claim_next(other) == found
        claim = claim_passage(found, reviewer)
        assert claim is not None and claim.reviewer == other

    def test_claim_is_renewed_by_its_own_reviewer(self, edition: Edition, reviewer: User) -> None:
        passage = Passage.objects.get(text="liều")
        first = claim_passage(passage.pk, reviewer)
        again = claim_passage(passage.pk, reviewer)
        assert first is not None and again is not None and again.until > first.until
        assert again.until - timezone.now() > LEASE - timedelta(seconds=30)
        assert holder_of(passage.pk, apart_from=reviewer) is None
        holder = holder_of(passage.pk, apart_from=make_reviewer("minh"))
        assert holder is not None and holder.reviewer == reviewer

    def test_claim_given_up_is_free_and_another_ones_is_not_given_up(self, edition: Edition, reviewer: User) -> None:
        passage, other = Passage.objects.get(text="liều"), make_reviewer("minh")
        claim_passage(passage.pk, reviewer)
        assert not release_passage(passage.pk, other)
        assert release_passage(passage.pk, reviewer)
        claim = claim_passage(passage.pk, other)
        assert claim is not None and claim.reviewer == other

    def test_leaving_a_page_does_not_give_up_a_claim_renewed_since(self, edition: Edition, reviewer: User) -> None:
        passage = Passage.objects.get(text="liều")
        old, new = claim_passage(passage.pk, reviewer), claim_passage(passage.pk, reviewer)
        assert old is not None and new is not None
        assert not release_passage(passage.pk, reviewer, until=old.until)
        assert release_passage(passage.pk, reviewer, until=new.until)

    def test_passage_that_is_gone_is_not_claimed(self, reviewer: User) -> None:
        assert claim_passage(0, reviewer) is None


@pytest.mark.django_db(transaction=True)
class TestAtOnce:
    """Real connections side by side."""

    @pytest.fixture(autouse=True)
    def _many(self) -> None:
        section = make_section(make_monograph(make_edition(sha256="9e" * 32)))
        for number in range(40):
            hold_back(section, f"đoạn {number}", order=number + 1)

    def run(self, work: Callable[[User], None], people: int = 4) -> None:
        """The same work by several reviewers at once, each on a connection of its own."""
        start, failed = threading.Barrier(people), []

        def one(who: User) -> None:
            try:
                start.wait(timeout=10)
                work(who)
            except BaseException as error:
                failed.append(error)
            finally:
                connection.close()

        threads = [threading.Thread(target=one, args=(make_reviewer(f"nguoi{n}"),)) for n in range(people)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=60)
        assert failed == [] and not any(thread.is_alive() for thread in threads)

    def test_reviewers_claim_the_whole_queue_without_meeting(self) -> None:
        edition, got = Edition.objects.get(), []

        def claim_all(who: User) -> None:
            mine: list[int] = []
            candidates = Queue(edition, QueueFilter()).passages()
            while found := claim_first(candidates.exclude(pk__in=mine), who):
                mine.append(found)
            got.extend(mine)

        self.run(claim_all)
        assert len(got) == 40 and max(Counter(got).values()) == 1

    def test_reviewers_decide_the_whole_queue_without_meeting(self) -> None:
        edition = Edition.objects.get()

        def decide_all(who: User) -> None:
            queue = Queue(edition, QueueFilter())
            while found := queue.claim_next(who):
                decide(found, reviewer=who, decision=PassageState.SERVED)

        self.run(decide_all)
        assert Review.objects.count() == Review.objects.values("passage_uid").distinct().count() == 40
        edition.refresh_from_db()
        assert edition.revision == 40 and not ReviewClaim.objects.exists()

    def test_two_who_decide_on_one_passage_at_once_leave_one_decision(self) -> None:
        passage, refused = Passage.objects.first(), []
        assert passage is not None
        shown = find_passage(passage.pk)
        assert shown is not None
        item = read_item(shown, Queue(shown.section.monograph.edition, QueueFilter()).places, make_reviewer())

        def decide_one(who: User) -> None:
            try:
                decide(item.passage.pk, reviewer=who, decision=PassageState.SERVED, seen=item.seen)
            except ReviewError as error:
                refused.append(error.refusal)

        self.run(decide_one)
        assert Review.objects.count() == 1 and len(refused) == 3


class TestItem:
    """What a reviewer is shown of one passage."""

    def item_of(self, passage: Passage, reviewer: User) -> Any:
        shown = find_passage(passage.pk)
        assert shown is not None
        return read_item(shown, Queue(shown.section.monograph.edition, QueueFilter()).places, reviewer)

    def test_neighbours_are_those_of_its_section(self, edition: Edition, reviewer: User) -> None:
        item = self.item_of(Passage.objects.get(text="liều"), reviewer)
        assert (item.before.text, item.after.text) == ("phục vụ", "Độ thanh thải Liều")
        assert self.item_of(Passage.objects.get(text="khác"), reviewer).before is None

    def test_box_begins_with_what_was_extracted_or_corrected(self, reviewer: User) -> None:
        passage = only_passage(build([doubtful("Sai.")]))
        assert self.item_of(passage, reviewer).starting_text == "Sai."
        decide(passage.pk, reviewer=reviewer, decision=PassageState.CORRECTED, corrected_text="Đúng.")
        assert self.item_of(passage, reviewer).starting_text == "Đúng."

    def test_words_that_changed_begin_with_the_earlier_decision(self, reviewer: User) -> None:
        first = only_passage(build([doubtful("Sai.")]))
        review = decide(
            first.pk, reviewer=reviewer, decision=PassageState.CORRECTED, corrected_text="Đúng.", reason="Vì sao."
        )
        item = self.item_of(only_passage(build([sure("Khác.")], parser_version="2")), reviewer)
        assert item.earlier.review == review and item.earlier.words_changed
        assert (item.starting_text, item.starting_reason) == ("Đúng.", "Vì sao.")

    def test_same_words_of_another_pdf_begin_with_its_decision(self, reviewer: User) -> None:
        first = only_passage(build([doubtful("Sai.")]))
        decide(first.pk, reviewer=reviewer, decision=PassageState.CORRECTED, corrected_text="Đúng.")
        item = self.item_of(only_passage(build([doubtful("Sai.")], sha256="8d" * 32)), reviewer)
        assert not item.earlier.words_changed and item.starting_text == "Đúng."

    def test_own_history_leaves_no_suggestion(self, reviewer: User) -> None:
        first, second = (only_passage(build([doubtful("Sai.")], sha256=sha * 32)) for sha in ("7c", "8d"))
        decide(first.pk, reviewer=reviewer, decision=PassageState.SERVED)
        review = decide(second.pk, reviewer=reviewer, decision=PassageState.SERVED)
        undo(review.pk, reviewer=reviewer)
        item = self.item_of(second, reviewer)
        assert item.earlier is None and [r.pk for r in item.history] == [review.pk]

    @pytest.mark.parametrize("state", [EditionState.BUILDING, EditionState.DISCARDED])
    def test_edition_that_is_not_to_be_reviewed(self, state: EditionState) -> None:
        passage = only_passage(build([doubtful("Sai.")]))
        Edition.objects.update(state=state)
        assert find_passage(passage.pk) is None

    def test_decisions_of_today_are_ones_own_that_stand(self, reviewer: User) -> None:
        one, two, three = passages_in(build([doubtful(f"Đoạn {n}.", y=100 + 20 * n) for n in range(3)]))
        kept = decide(one.pk, reviewer=reviewer, decision=PassageState.SERVED)
        undo(decide(two.pk, reviewer=reviewer, decision=PassageState.SERVED).pk, reviewer=reviewer)
        decide(two.pk, reviewer=make_reviewer("minh"), decision=PassageState.SERVED)
        old = decide(three.pk, reviewer=reviewer, decision=PassageState.SERVED)
        Review.objects.filter(pk=old.pk).update(decided_at=timezone.now() - timedelta(days=1))
        assert list(decisions_of_today(reviewer)) == [kept]

    def test_last_decision_is_told_by_its_place_and_is_of_this_pdf(self, reviewer: User) -> None:
        one, two, _ = passages_in(build([doubtful(f"Đoạn {n}.", y=100 + 20 * n) for n in range(3)]))
        edition, other = Edition.objects.get(), build([doubtful("Khác.")], sha256="8d" * 32)
        for passage in (one, two):
            decide(passage.pk, reviewer=reviewer, decision=PassageState.SERVED)
        decide(only_passage(other).pk, reviewer=reviewer, decision=PassageState.SERVED)
        last = last_decision(reviewer, edition)
        assert last is not None
        assert (last.review.passage_uid, last.place) == (two.uid, "Paracetamol, Liều lượng và cách dùng, trang PDF 1")
        assert last_decision(make_reviewer("minh"), edition) is None


@pytest.mark.parametrize(
    ("text", "findings", "doubted"),
    [
        ("Uống 1 000 mg.", [(FindingKind.SPLIT_NUMBER, "1 000")], ["1 000"]),
        ("Uống 1 000 mg.", [(FindingKind.NUMBER_DISAGREEMENT, "1 000 | 100")], ["1 000"]),
        ("Uống 1 000 mg.", [(FindingKind.SPLIT_NUMBER, "không có")], []),
        ("Uống 1 mg.", [(FindingKind.SPLIT_NUMBER, "1")], []),
        ("Uống.", [(FindingKind.TEXT_REPAIRED, "Uống")], []),
        ("a10 b10", [(FindingKind.SPLIT_NUMBER, "10"), (FindingKind.TABLE, "")], ["10", "10"]),
        ("10 mg/kg", [(FindingKind.SPLIT_NUMBER, "10"), (FindingKind.FLATTENED_SCRIPT, "10 mg")], ["10 mg"]),
        ("a.c", [(FindingKind.SPLIT_NUMBER, "a.c")], ["a.c"]),
        ("", [], []),
    ],
)
def test_words_that_a_finding_quotes_are_marked(
    text: str, findings: list[tuple[FindingKind, str]], doubted: list[str]
) -> None:
    stretches = doubted_stretches(text, [Finding(kind=kind, detail=detail) for kind, detail in findings])
    assert "".join(stretch.text for stretch in stretches) == text
    assert [stretch.text for stretch in stretches if stretch.doubted] == doubted


def test_kinds_have_their_names() -> None:
    from ingest.review_queue import KIND_TITLES, STATE_TITLES
    from ingest.templatetags.review import PASSAGE_STATE_TITLES

    assert set(KIND_TITLES) == set(PassageKind)
    assert set(STATE_TITLES) == set(QueueState)
    assert set(PASSAGE_STATE_TITLES) == set(PassageState)
