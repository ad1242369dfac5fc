"""The life of an ingest run: requested, claimed under a lease, parsed, built, published; or ended with its reason."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from django.db import DatabaseError, InterfaceError, connection, transaction
from django.utils import timezone
from psycopg.errors import DiskFull

from ingest.beat import Beat, LeaseLost, RunCancelled
from ingest.doubts import why_look_first
from ingest.library import EditionFacts, keep_pdf, sample_facts, sha256_of, shown_name, stored_pdf
from ingest.models import IngestRun, RunState
from ingest.open_pdf import PdfRefused
from ingest.pipeline import PARSER_VERSION
from ingest.publish import PublishError, build_edition, publish_edition
from ingest.run_control import CANCELLED, claim_run, end_run, new_run
from ingest.run_marks import marked
from ingest.sandbox import parse_in_child
from ingest.staff_log import log_action
from monographs.leases import DATABASE_GONE
from monographs.models import Edition, EditionState
from monographs.spans import stage_spans

log = logging.getLogger(__name__)
_INTERNAL = "Chương trình gặp lỗi khi nạp tệp; chưa có gì được công bố. Xem nhật ký với mã lượt nạp này."
DISK_FULL = "Ổ đĩa của cơ sở dữ liệu đã đầy; chưa có gì được công bố. Hãy giải phóng chỗ, rồi bấm “Chạy lại”."
_KEPT = (EditionState.READY, EditionState.PUBLISHED, EditionState.SUPERSEDED)
LOOK_FIRST = "look_first"
_UNDER_WAY = (RunState.QUEUED, RunState.RUNNING, RunState.PUBLISHING)


@dataclass(frozen=True, slots=True)
class Requested:
    """What asking for a run came to: a new run; or, for a file known to this parser, the run that is under way with
    it, or the edition that came of it.
    """

    run: IngestRun | None
    edition: Edition | None = None
    is_new: bool = False


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What whoever asks for a run may say; title and year default to the book's, force repeats what was done."""

    title: str | None = None
    year: int | None = None
    force: bool = False
    auto_publish: bool = True
    requested_by_id: int | None = None


PLAIN = RunOptions()


def request_run(path: Path, options: RunOptions = PLAIN, *, file_name: str | None = None) -> Requested:
    """Asks for a PDF to be ingested. The file is copied into the library first, where a new run needs it.

    Raises OSError where it cannot be read or copied.
    """
    sha256 = sha256_of(path)
    if not options.force and (known := _known(sha256)):
        return known
    keep_pdf(path, sha256)
    with transaction.atomic(), connection.cursor() as cursor:
        # The same file sent twice at once is one run.
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [int(sha256[:15], 16)])
        if not options.force and (known := _known(sha256)):
            return known
        return Requested(_queue(sha256, shown_name(file_name or path.name), options), is_new=True)


def _known(sha256: str) -> Requested | None:
    run = IngestRun.objects.filter(sha256=sha256, state__in=_UNDER_WAY).first()
    if run is not None:
        return Requested(run)
    made = Edition.objects.filter(sha256=sha256, parser_version=PARSER_VERSION, state__in=_KEPT)
    edition = made.order_by("-created_at").first()
    return Requested(None, edition) if edition is not None else None


def _queue(sha256: str, file_name: str, options: RunOptions) -> IngestRun:
    facts = sample_facts(sha256) or EditionFacts("Dược thư Quốc gia Việt Nam", 2018)
    return new_run(
        file_name=file_name,
        sha256=sha256,
        title=options.title or facts.title,
        year=options.year or facts.year,
        is_sample=facts.is_sample,
        auto_publish=options.auto_publish,
        requested_by_id=options.requested_by_id,
    )


def execute_run(run_id: int, *, cross_check: bool = True) -> IngestRun:
    """Runs a queued run, or one whose worker died, to its end. One that another worker holds is left alone."""
    run = claim_run(run_id)
    if run is not None:
        with marked(run):
            _execute(run, lambda: _ingest(run, cross_check=cross_check))
    return IngestRun.objects.get(pk=run_id)


def _execute(run: IngestRun, work: Callable[[], None]) -> None:
    """Does the work; whatever it raises becomes the run's end, or leaves the run to the next sweep."""
    try:
        work()
    except PdfRefused as refused:
        log.warning("ingest_refused run=%s reason=%s detail=%s", run.pk, refused.refusal, refused.detail)
        end_run(run, RunState.FAILED, refused.refusal, str(refused))
    except PublishError as refused:
        end_run(run, RunState.FAILED, "not_publishable", str(refused))
    except RunCancelled:
        end_run(run, RunState.CANCELLED, "cancelled", CANCELLED)
    except LeaseLost:
        log.warning("ingest_lease_lost run=%s attempt=%s", run.pk, run.attempts)
    except DATABASE_GONE as error:
        log.exception("ingest_without_database run=%s", run.pk)
        _leave(run, error)
    except Exception:
        log.exception("ingest_failed run=%s", run.pk)
        end_run(run, RunState.FAILED, "internal_error", _INTERNAL)
    except BaseException:
        # Ctrl-C, or the worker is told to stop: whoever comes next need not wait for the lease to end.
        _let_go(run)
        raise


def _leave(run: IngestRun, error: DatabaseError | InterfaceError) -> None:
    """Ends the run where the disk is full, which another attempt would fill just as well; where there is no room even
    to say so, and wherever the database is just away, the next sweep has it tried again."""
    if isinstance(error.__cause__, DiskFull):
        connection.close()
        with suppress(DatabaseError):
            end_run(run, RunState.FAILED, "disk_full", DISK_FULL)
            return
    _let_go(run)


def _let_go(run: IngestRun) -> None:
    """Gives up the lease at once where that can be written; else it runs out."""
    connection.close()
    with suppress(DatabaseError):
        IngestRun.objects.filter(pk=run.pk, attempts=run.attempts).update(lease_until=timezone.now())


def _ingest(run: IngestRun, *, cross_check: bool) -> None:
    with stage_spans("ingest.") as begin:
        beat = Beat(run, begin)
        edition = _built_before(run) or _build(run, beat, cross_check=cross_check)
        doubt = why_look_first(edition)
        if run.auto_publish and not doubt:
            beat.start_publishing()
            _publish(run, edition)
        else:
            _move(run, RunState.RUNNING, RunState.BUILT, doubt=doubt)


def _built_before(run: IngestRun) -> Edition | None:
    """What an earlier attempt had finished building when its worker died."""
    edition = run.edition
    finished = edition is not None and edition.state == EditionState.READY and bool(run.counts)
    return edition if finished else None


def _build(run: IngestRun, beat: Beat, *, cross_check: bool) -> Edition:
    beat.stage("open", 0, 1)
    book = parse_in_child(stored_pdf(run.sha256), cross_check=cross_check, on_progress=beat.stage, on_wait=beat.wait)
    edition = _fresh_edition(run)
    with beat.timed("store"):
        counts = build_edition(edition, book, on_progress=lambda done, total: beat.stage("store", done, total))
    timings = {**book.timings, "store": beat.timings["store"]}
    IngestRun.objects.filter(pk=run.pk, attempts=run.attempts).update(counts=counts, timings=timings)
    return edition


def _fresh_edition(run: IngestRun) -> Edition:
    """An empty edition for the run; what an earlier attempt built is thrown away. Raises LeaseLost."""
    Edition.objects.filter(runs=run, state__in=[EditionState.BUILDING, EditionState.READY]).delete()
    with transaction.atomic():
        edition = Edition.objects.create(
            title=run.title,
            year=run.year,
            is_sample=run.is_sample,
            sha256=run.sha256,
            parser_version=PARSER_VERSION,
        )
        mine = IngestRun.objects.filter(pk=run.pk, attempts=run.attempts, state=RunState.RUNNING)
        if not mine.update(edition=edition, parser_version=PARSER_VERSION, counts={}):
            raise LeaseLost
    return edition


def _publish(run: IngestRun, edition: Edition) -> None:
    with transaction.atomic():
        publish_edition(edition)
        _move(run, RunState.PUBLISHING, RunState.PUBLISHED)
        log_action(run.requested_by_id, edition, f"Công bố tự động sau lượt nạp {run.pk}.")


def _move(run: IngestRun, before: RunState, after: RunState, *, doubt: str = "") -> None:
    """The run's last step of this worker; doubt: what to look at first. Raises RunCancelled or LeaseLost."""
    mine = IngestRun.objects.filter(pk=run.pk, attempts=run.attempts, state=before)
    wanted = mine if before == RunState.PUBLISHING else mine.filter(cancel_requested=False)
    told = {"error": doubt, "error_code": LOOK_FIRST if doubt else ""}
    if not wanted.update(state=after, finished_at=timezone.now(), lease_until=None, **told):
        raise RunCancelled if mine.exists() else LeaseLost
