"""The life of an ingest run: requested, claimed under a lease, parsed, built, published; or ended with its reason."""

from __future__ import annotations

import logging
import time
from datetime import timedelta
from pathlib import Path

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from ingest.library import EditionFacts, keep_pdf, sample_facts, sha256_of, stored_pdf
from ingest.models import IngestRun, RunState
from ingest.open_pdf import PdfRefused
from ingest.pipeline import PARSER_VERSION
from ingest.publish import PublishError, build_edition, publish_edition
from ingest.sandbox import parse_in_child
from monographs.models import Edition, EditionState

log = logging.getLogger(__name__)
LEASE = timedelta(seconds=60)
MAX_ATTEMPTS = 3
_BEAT_SECONDS = 2.0
_INTERNAL = "Chương trình gặp lỗi khi nạp tệp; chưa có gì được công bố. Xem nhật ký với mã lượt nạp này."
_CANCELLED = "Đã huỷ theo yêu cầu; chưa có gì được công bố."


class RunCancelled(Exception):
    """Someone asked for the run to stop."""


def request_run(
    path: Path, *, title: str | None = None, year: int | None = None, force: bool = False
) -> tuple[IngestRun | None, Edition | None]:
    """A queued run for a PDF; or, where the same PDF was already ingested by this parser, its edition.

    The file is copied into the library first. Raises OSError where it cannot be read or copied.
    """
    sha256 = sha256_of(path)
    existing = Edition.objects.filter(
        sha256=sha256,
        parser_version=PARSER_VERSION,
        state__in=[EditionState.READY, EditionState.PUBLISHED, EditionState.SUPERSEDED],
    ).first()
    if existing is not None and not force:
        return None, existing
    keep_pdf(path, sha256)
    facts = sample_facts(sha256) or EditionFacts("Dược thư Quốc gia Việt Nam", 2018)
    run = IngestRun.objects.create(
        file_name=path.name[:255],
        sha256=sha256,
        title=title or facts.title,
        year=year or facts.year,
        is_sample=facts.is_sample,
    )
    return run, None


def execute_run(run_id: int, *, cross_check: bool = True) -> IngestRun:
    """Runs a queued run, or one whose worker died, to its end. One that another worker holds is left alone."""
    if _claim(run_id):
        run = IngestRun.objects.get(pk=run_id)
        try:
            _ingest(run, cross_check=cross_check)
        except PdfRefused as refused:
            log.warning("ingest_refused run=%s reason=%s detail=%s", run.pk, refused.refusal, refused.detail)
            _finish(run, RunState.FAILED, refused.refusal, str(refused))
        except PublishError as refused:
            _finish(run, RunState.FAILED, "not_publishable", str(refused))
        except RunCancelled:
            _finish(run, RunState.CANCELLED, "cancelled", _CANCELLED)
        except Exception:
            log.exception("ingest_failed run=%s", run.pk)
            _finish(run, RunState.FAILED, "internal_error", _INTERNAL)
    return IngestRun.objects.get(pk=run_id)


def _ingest(run: IngestRun, *, cross_check: bool) -> None:
    beat = _Beat(run)
    book = parse_in_child(stored_pdf(run.sha256), cross_check=cross_check, on_progress=beat.stage)
    edition = _fresh_edition(run)
    with beat.timed("store"):
        counts = build_edition(edition, book, on_progress=lambda done, total: beat.stage("store", done, total))
    IngestRun.objects.filter(pk=run.pk).update(counts=counts, timings={**book.timings, **beat.timings})
    beat.stop_if_cancelled()
    with transaction.atomic():
        publish_edition(edition)
        IngestRun.objects.filter(pk=run.pk).update(
            state=RunState.PUBLISHED, finished_at=timezone.now(), lease_until=None, edition=edition
        )


def _fresh_edition(run: IngestRun) -> Edition:
    """An empty edition for the run; what an earlier attempt half built is thrown away."""
    Edition.objects.filter(runs=run, state=EditionState.BUILDING).delete()
    edition = Edition.objects.create(
        title=run.title,
        year=run.year,
        is_sample=run.is_sample,
        sha256=run.sha256,
        parser_version=PARSER_VERSION,
    )
    IngestRun.objects.filter(pk=run.pk).update(edition=edition, parser_version=PARSER_VERSION)
    return edition


def _claim(run_id: int) -> bool:
    now = timezone.now()
    abandoned = Q(state__in=[RunState.RUNNING, RunState.PUBLISHING], lease_until__lt=now, attempts__lt=MAX_ATTEMPTS)
    return bool(
        IngestRun.objects.filter(Q(state=RunState.QUEUED) | abandoned, pk=run_id).update(
            state=RunState.RUNNING, attempts=F("attempts") + 1, lease_until=now + LEASE, heartbeat_at=now
        )
    )


def _finish(run: IngestRun, state: RunState, code: str, error: str) -> None:
    Edition.objects.filter(runs=run, state__in=[EditionState.BUILDING, EditionState.READY]).update(
        state=EditionState.DISCARDED
    )
    IngestRun.objects.filter(pk=run.pk).update(
        state=state, error_code=code, error=error, finished_at=timezone.now(), lease_until=None
    )


class _Beat:
    """Progress, heartbeat and lease of a run, written at most every two seconds; notices a request to cancel."""

    def __init__(self, run: IngestRun) -> None:
        self._run_id = run.pk
        self._last = 0.0
        self.timings: dict[str, float] = {}

    def stage(self, name: str, done: int, total: int) -> None:
        """Records how far a stage is. Raises RunCancelled."""
        if time.monotonic() - self._last < _BEAT_SECONDS and done < total:
            return
        self._last = time.monotonic()
        now = timezone.now()
        IngestRun.objects.filter(pk=self._run_id).update(
            stage=name, progress={"done": done, "total": total}, heartbeat_at=now, lease_until=now + LEASE
        )
        self.stop_if_cancelled()

    def stop_if_cancelled(self) -> None:
        """Raises RunCancelled where someone asked for it."""
        if IngestRun.objects.filter(pk=self._run_id, cancel_requested=True).exists():
            raise RunCancelled

    def timed(self, name: str) -> _Timed:
        """A context that records how long a stage took, in seconds."""
        return _Timed(self, name)


class _Timed:
    def __init__(self, beat: _Beat, name: str) -> None:
        self._beat, self._name = beat, name

    def __enter__(self) -> None:
        self._start = time.monotonic()

    def __exit__(self, *_: object) -> None:
        self._beat.timings[self._name] = round(time.monotonic() - self._start, 3)
