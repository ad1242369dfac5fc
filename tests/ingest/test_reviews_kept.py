"""The whole way: the sample's PDF reviewed, ingested once more by force, and every decision still there."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import call_command

from ingest.kept_reviews import find_places
from ingest.models import Review
from ingest.review_queue import Queue, QueueFilter
from ingest.reviews import decide, undo
from monographs.corpus import current_edition
from monographs.domain import PassageKind, PassageState
from monographs.models import Edition, Passage
from tests.ingest.reviewing import make_reviewer, passages_in
from tests.sample_edition import SAMPLE_PDF

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


def ingest() -> Edition:
    call_command("ingest_pdf", str(SAMPLE_PDF), force=True, stdout=StringIO())
    edition = current_edition()
    assert edition is not None
    return edition


def shown(edition: Edition) -> dict[str, tuple[str, str, str]]:
    """What every passage of an edition shows, by its key."""
    return {passage.uid: (passage.state, passage.corrected_text, passage.text_hash) for passage in passages_in(edition)}


def test_ingest_by_force_keeps_every_decision_and_lets_each_be_undone() -> None:
    first, reviewer = ingest(), make_reviewer()
    untouched = shown(first)
    waiting = list(Queue(first, QueueFilter()).passages())
    served = Passage.objects.filter(section__monograph__edition=first, kind=PassageKind.TEXT, state="served")[:20]
    decisions = [PassageState.SERVED, PassageState.CORRECTED, PassageState.REJECTED, PassageState.QUARANTINED]
    for turn, passage in enumerate([*waiting, *served]):
        decision = decisions[turn % 4]
        text = f"Bản sửa số {turn}." if decision is PassageState.CORRECTED else ""
        decide(passage.pk, reviewer=reviewer, decision=decision, corrected_text=text, reason="Đối chiếu trang in.")
    reviewed = shown(first)
    assert len(waiting) >= 20 and reviewed != untouched

    again = ingest()
    assert again != first
    assert shown(again) == reviewed
    assert find_places(again).lost == () and not find_places(again).changed
    assert Queue(again, QueueFilter()).count() == 0

    for review in Review.objects.all():
        undo(review.pk, reviewer=reviewer)
    assert shown(again) == shown(first) == untouched
    assert Queue(again, QueueFilter()).count() == len(waiting)
