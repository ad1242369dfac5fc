"""What is done to a run from outside: cancelled, resumed, swept up after its worker died. Each in one transaction."""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from ingest.beat import lease
from ingest.models import IngestRun, RunState
from ingest.staff_log import log_action
from monographs.leases import MAX_ATTEMPTS, lease_over
from monographs.models import Edition, EditionState

# How long a queued run is left to the queue before it is sent once more: its message may have been lost.
DELIVERY = timedelta(seconds=60)
WORKING = (RunState.RUNNING, RunState.PUBLISHING)
CANCELLED = "Đã huỷ theo yêu cầu; chưa có gì được công bố."
WORKER_LOST = (
    f"Tiến trình nền dừng giữa chừng {MAX_ATTEMPTS} lần khi nạp tệp này; chưa có gì được công bố. "
    "Hãy xem nhật ký, rồi bấm “Chạy lại”."
)


class RunRefused(Exception):
    """The run is in no state for what was asked; the message, in Vietnamese, says why and what to do."""


def is_abandoned(run: IngestRun) -> bool:
    """Whether its worker is taken for dead."""
    return run.state in WORKING and run.lease_until is not None and run.lease_until < timezone.now()


def end_run(run: IngestRun, state: RunState, code: str, error: str) -> bool:
    """Ends the run that is still held, or queued, as it is known here; what it built is discarded.

    False, and nothing changed, where another took it over meanwhile.
    """
    with transaction.atomic():
        Edition.objects.filter(runs=run, state__in=[EditionState.BUILDING, EditionState.READY]).update(
            state=EditionState.DISCARDED
        )
        held = IngestRun.objects.filter(pk=run.pk, attempts=run.attempts, state__in=[*WORKING, RunState.QUEUED])
        ended = held.update(state=state, error_code=code, error=error, finished_at=timezone.now(), lease_until=None)
        if not ended:
            transaction.set_rollback(True)
    return bool(ended)


def cancel_run(run_id: int, *, by: int | None = None) -> IngestRun:
    """Cancels at once what no worker holds; asks the worker that holds it otherwise. by: a user's key.

    Raises RunRefused, or IngestRun.DoesNotExist.
    """
    with transaction.atomic():
        run = IngestRun.objects.select_for_update().get(pk=run_id)
        if run.state == RunState.BUILT:
            raise RunRefused("Lượt nạp đã dựng xong ấn bản. Hãy công bố hoặc bỏ ấn bản đó.")
        if run.state == RunState.PUBLISHING and not is_abandoned(run):
            raise RunRefused("Ấn bản đang được công bố, không huỷ được nữa. Có thể chuyển về ấn bản cũ sau khi xong.")
        if run.is_final:
            raise RunRefused("Lượt nạp đã kết thúc, không còn gì để huỷ.")
        IngestRun.objects.filter(pk=run.pk).update(cancel_requested=True)
        if run.state == RunState.QUEUED or is_abandoned(run):
            end_run(run, RunState.CANCELLED, "cancelled", CANCELLED)
        log_action(by, run, "Yêu cầu huỷ lượt nạp.")
    run.refresh_from_db()
    return run


def resume_run(run_id: int, *, by: int | None = None) -> IngestRun:
    """Puts a run whose worker died, or whose message was lost, back in the queue; the caller sends it.

    Raises RunRefused, or IngestRun.DoesNotExist.
    """
    with transaction.atomic():
        run = IngestRun.objects.select_for_update().get(pk=run_id)
        if run.is_final or run.state == RunState.BUILT:
            raise RunRefused("Lượt nạp đã kết thúc, không tiếp tục được. Hãy bấm “Chạy lại”.")
        if run.state != RunState.QUEUED and not is_abandoned(run):
            raise RunRefused("Lượt nạp vẫn đang chạy.")
        if run.cancel_requested or run.attempts >= MAX_ATTEMPTS:
            raise RunRefused("Lượt nạp đã thử đủ số lần hoặc đã có yêu cầu huỷ. Hãy bấm “Chạy lại” khi nó kết thúc.")
        _requeue(run)
        log_action(by, run, "Cho lượt nạp chạy tiếp.")
    run.refresh_from_db()
    return run


def run_again(run_id: int, *, by: int | None = None) -> IngestRun:
    """A new queued run for the file of one that failed or was cancelled. Raises RunRefused, IngestRun.DoesNotExist."""
    old = IngestRun.objects.get(pk=run_id)
    if old.state not in {RunState.FAILED, RunState.CANCELLED, RunState.DISCARDED}:
        raise RunRefused("Chỉ chạy lại được lượt nạp đã thất bại, đã huỷ hoặc đã bỏ.")
    kept = ("file_name", "sha256", "title", "year", "is_sample", "auto_publish")
    fields = {name: getattr(old, name) for name in kept}
    return new_run(**fields, requested_by_id=by)


def new_run(**fields: object) -> IngestRun:
    """A queued run that its maker is about to send."""
    return IngestRun.objects.create(**fields, lease_until=timezone.now() + DELIVERY)


def sweep_runs() -> list[int]:
    """Looks after runs that nobody holds; which of them are to be sent to a worker now.

    A queued run is sent again where its message must be lost: it is old, and no worker is busy with another.
    """
    now = timezone.now()
    with transaction.atomic():
        take_back_abandoned()
        if IngestRun.objects.filter(state__in=WORKING, lease_until__gte=now).exists():
            return []
        waiting = IngestRun.objects.select_for_update(skip_locked=True).filter(lease_over(now), state=RunState.QUEUED)
        found = [run.pk for run in waiting.order_by("created_at")]
        IngestRun.objects.filter(pk__in=found).update(lease_until=now + DELIVERY)
    return found


def take_back_abandoned() -> None:
    """Runs whose worker died go back to the queue, or end: cancelled as was asked, or failed after the last attempt."""
    with transaction.atomic():
        lost = IngestRun.objects.select_for_update(skip_locked=True).filter(
            state__in=WORKING, lease_until__lt=timezone.now()
        )
        for run in lost:
            _take_back(run)


def _take_back(run: IngestRun) -> None:
    if run.cancel_requested:
        end_run(run, RunState.CANCELLED, "cancelled", CANCELLED)
    elif run.attempts >= MAX_ATTEMPTS:
        end_run(run, RunState.FAILED, "worker_lost", WORKER_LOST)
    else:
        IngestRun.objects.filter(pk=run.pk).update(state=RunState.QUEUED, lease_until=None)


def _requeue(run: IngestRun) -> None:
    IngestRun.objects.filter(pk=run.pk).update(state=RunState.QUEUED, lease_until=timezone.now() + DELIVERY)


def claim_run(run_id: int) -> IngestRun | None:
    """The run, held from now on under a lease, where it is queued or its worker died; else None."""
    now = timezone.now()
    abandoned = Q(state__in=WORKING, lease_until__lt=now, attempts__lt=MAX_ATTEMPTS)
    with transaction.atomic():
        claimable = IngestRun.objects.select_for_update().filter(Q(state=RunState.QUEUED) | abandoned, pk=run_id)
        run = claimable.first()
        if run is not None:
            run.state, run.attempts = RunState.RUNNING, run.attempts + 1
            run.lease_until, run.heartbeat_at = now + lease(), now
            run.save(update_fields=["state", "attempts", "lease_until", "heartbeat_at"])
    return run
