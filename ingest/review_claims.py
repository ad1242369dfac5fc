"""Who is reviewing a passage: a lease on it, renewed while its page is open, so that no two people decide on one."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from ingest.models import ReviewClaim
from monographs.models import Passage

LEASE = timedelta(minutes=10)


def claim_passage(passage_id: int, reviewer: User) -> ReviewClaim | None:
    """Takes or renews a passage for a reviewer, unless somebody else holds it: then the claim returned is theirs.

    None where the passage is gone.
    """
    with transaction.atomic():
        # Whoever touches a claim holds its passage first, so that claims are made one after another.
        if not _locked(Passage.objects.filter(pk=passage_id)):
            return None
        return holder_of(passage_id, apart_from=reviewer) or _lease(passage_id, reviewer)


def claim_first(candidates: QuerySet[Passage], reviewer: User) -> int | None:
    """The first of the candidates that nobody else holds or is just taking, held for the reviewer; None for none left.

    candidates: in the order they are wanted.
    """
    free = candidates.filter(~Exists(_live_claims().filter(passage=OuterRef("pk")).exclude(reviewer=reviewer)))
    passed: list[int] = []
    while True:
        with transaction.atomic():
            found = _locked(free.exclude(pk__in=passed), skip_locked=True)
            if not found:
                return None
            # What was seen before the lock may be over: claimed or decided by whoever held the lock.
            if free.filter(pk__in=found).exists():
                _lease(found[0], reviewer)
                return found[0]
            passed += found


def holder_of(passage_id: int, *, apart_from: User) -> ReviewClaim | None:
    """The claim of somebody else that has not run out, or None."""
    return _live_claims().filter(passage_id=passage_id).exclude(reviewer=apart_from).select_related("reviewer").first()


def release_passage(passage_id: int, reviewer: User, *, until: datetime | None = None) -> bool:
    """Gives up one's own claim; where until is given, only the one that runs until then and was not renewed since."""
    mine = ReviewClaim.objects.filter(passage_id=passage_id, reviewer=reviewer)
    deleted, _ = (mine.filter(until=until) if until else mine).delete()
    return deleted > 0


def _lease(passage_id: int, reviewer: User) -> ReviewClaim:
    claim, _ = ReviewClaim.objects.update_or_create(
        passage_id=passage_id, defaults={"reviewer": reviewer, "until": timezone.now() + LEASE}
    )
    return claim


def _live_claims() -> QuerySet[ReviewClaim]:
    return ReviewClaim.objects.filter(Q(until__gt=timezone.now()))


def _locked(passages: QuerySet[Passage], *, skip_locked: bool = False) -> list[int]:
    """The first of the passages, locked; none where there is none."""
    locking = passages.select_for_update(of=("self",), no_key=True, skip_locked=skip_locked)
    return list(locking.values_list("pk", flat=True)[:1])
