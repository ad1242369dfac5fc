"""What staff do with finished editions: publish, switch back and forth, throw away. Each in one transaction."""

from __future__ import annotations

from django.db import transaction

from ingest.models import IngestRun, RunState
from ingest.publish import PublishError, publish_edition
from ingest.staff_log import log_action
from monographs.corpus import BULK
from monographs.models import Edition, EditionState

SWITCHABLE = (EditionState.READY, EditionState.SUPERSEDED)
_GONE = "Ấn bản này không còn nữa."
_SERVED = "Ấn bản này đang phục vụ rồi."
_MEANWHILE = "Trong lúc đó ấn bản đang phục vụ đã đổi. Hãy xem lại rồi quyết định."
_UNDER_WAY = "Lượt nạp của ấn bản này chưa xong. Hãy đợi nó xong hoặc huỷ nó trước."
_NOT_READY = "Chỉ bỏ được ấn bản đã dựng xong mà chưa từng công bố."


def switch_to(edition_id: int, *, seen: int | None, by: int | None) -> Edition:
    """Publishes a built edition, or one that was served before. seen: the edition that was being served when the
    decision was made; by: a user's key.

    Raises PublishError with what to tell, and changes nothing then.
    """
    with transaction.atomic():
        served = _lock_editions(edition_id)
        if served == edition_id:
            raise PublishError(_SERVED)
        if served != seen:
            raise PublishError(_MEANWHILE)
        edition = _edition(edition_id)
        runs = _settle_runs(edition, RunState.PUBLISHED)
        publish_edition(edition)
        log_action(by, edition, f"Công bố ấn bản; trước đó phục vụ ấn bản {seen or '(chưa có)'}.")
        for run in runs:
            log_action(by, run, f"Công bố ấn bản {edition.pk}.")
    return edition


def discard_edition(edition_id: int, *, by: int | None) -> Edition:
    """Throws away a built edition that was never published. Raises PublishError."""
    with transaction.atomic():
        _lock_editions(edition_id)
        edition = _edition(edition_id)
        if edition.state != EditionState.READY:
            raise PublishError(_NOT_READY)
        _settle_runs(edition, RunState.DISCARDED)
        Edition.objects.filter(pk=edition_id).update(state=EditionState.DISCARDED)
        edition.refresh_from_db(fields=["state"])
        log_action(by, edition, "Bỏ ấn bản chưa công bố.")
    return edition


def _lock_editions(edition_id: int) -> int | None:
    """Waits for whoever else is switching; the key of the edition being served."""
    states = dict(Edition.objects.select_for_update().order_by("pk").values_list("pk", "state"))
    if edition_id not in states:
        raise PublishError(_GONE)
    return next((pk for pk, state in states.items() if state == EditionState.PUBLISHED), None)


def _edition(edition_id: int) -> Edition:
    return Edition.objects.defer(*BULK).get(pk=edition_id)


def _settle_runs(edition: Edition, state: RunState) -> list[IngestRun]:
    """The runs that waited for the decision. Raises PublishError where one is still being worked on."""
    working = edition.runs.filter(state__in=[RunState.QUEUED, RunState.RUNNING, RunState.PUBLISHING])
    if working.exists():
        raise PublishError(_UNDER_WAY)
    waiting = list(edition.runs.select_for_update().filter(state=RunState.BUILT))
    edition.runs.filter(state=RunState.BUILT).update(state=state)
    return waiting
