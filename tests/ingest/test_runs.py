"""Runs on the bundled PDF: one file is one edition, failures are told, nothing half-served."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from pytest_django.fixtures import Settings

from ingest.library import bundled_sample, stored_pdf
from ingest.models import IngestRun, RunState
from ingest.runs import RunOptions, execute_run, request_run
from monographs.corpus import current_edition
from monographs.models import Edition, EditionState, Passage
from tests.conftest import wait_until
from tests.site.processes import Program

pytestmark = pytest.mark.django_db(transaction=True)


def _ingest(path: Path, *arguments: str) -> str:
    out = StringIO()
    call_command("ingest_pdf", str(path), *arguments, stdout=out)
    return out.getvalue()


def new_run(**options: Any) -> IngestRun:
    """A queued run of the bundled sample."""
    asked = request_run(bundled_sample(), RunOptions(**options))
    assert asked.run is not None and asked.is_new
    return asked.run


def test_the_sample_is_ingested_recognised_and_kept() -> None:
    said = _ingest(bundled_sample())
    edition = current_edition()
    assert edition is not None and edition.is_sample and "Đã công bố" in said
    assert stored_pdf(edition.sha256).read_bytes() == bundled_sample().read_bytes()
    run = IngestRun.objects.get()
    assert run.state == RunState.PUBLISHED and run.edition == edition and run.counts["monographs"] >= 8


def test_ingesting_twice_changes_nothing() -> None:
    _ingest(bundled_sample())
    before = list(Passage.objects.order_by("pk").values_list("pk", "uid", "text"))
    assert "Không có gì thay đổi" in _ingest(bundled_sample())
    assert list(Passage.objects.order_by("pk").values_list("pk", "uid", "text")) == before
    assert Edition.objects.count() == IngestRun.objects.count() == 1


def test_a_forced_run_gives_the_same_passages() -> None:
    _ingest(bundled_sample())
    first = current_edition()
    _ingest(bundled_sample(), "--force")
    second = current_edition()
    assert first is not None and second is not None and first != second
    keys = [
        list(
            Passage.objects.filter(section__monograph__edition=edition)
            .order_by("section__monograph__order", "section__order", "order")
            .values_list("uid", "text", "boxes", "printed_page", "labels")
        )
        for edition in (first, second)
    ]
    assert keys[0] == keys[1]


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"", "PDF"), (b"hello", "PDF"), (b"%PDF-1.7\nbroken", "PDF")],
    ids=["empty", "text", "truncated"],
)
def test_a_file_that_is_no_pdf_is_refused_in_a_sentence(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "x.pdf"
    path.write_bytes(content)
    with pytest.raises(CommandError, match=said):
        _ingest(path)
    run = IngestRun.objects.get()
    assert run.state == RunState.FAILED and run.error and run.error_code
    assert not Edition.objects.exclude(state=EditionState.DISCARDED).exists()


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="Không thấy tệp"):
        _ingest(tmp_path / "nowhere.pdf")


def test_a_failed_run_leaves_the_served_edition_alone(tmp_path: Path) -> None:
    _ingest(bundled_sample())
    served = current_edition()
    path = tmp_path / "x.pdf"
    path.write_bytes(b"%PDF-1.4 nothing")
    with pytest.raises(CommandError):
        _ingest(path)
    assert current_edition() == served


def test_a_run_is_executed_once_even_when_it_is_delivered_twice() -> None:
    run = new_run()
    execute_run(run.pk)
    attempts = IngestRun.objects.get().attempts
    execute_run(run.pk)
    assert IngestRun.objects.get().attempts == attempts == 1
    assert Edition.objects.count() == 1


def test_a_run_that_another_worker_holds_is_left_alone_and_an_abandoned_one_is_taken_up() -> None:
    run = new_run()
    IngestRun.objects.update(state=RunState.RUNNING, attempts=1, lease_until=timezone.now() + timedelta(minutes=1))
    assert execute_run(run.pk).state == RunState.RUNNING
    Edition.objects.create(title="nửa chừng", year=2026, sha256=run.sha256, parser_version="t")
    IngestRun.objects.update(lease_until=timezone.now() - timedelta(seconds=1), edition=Edition.objects.get())
    assert execute_run(run.pk).state == RunState.PUBLISHED
    assert not Edition.objects.filter(title="nửa chừng").exists(), "what was half built is thrown away"


def test_a_run_asked_to_stop_stops_and_publishes_nothing() -> None:
    run = new_run()
    IngestRun.objects.update(cancel_requested=True)
    finished = execute_run(run.pk)
    assert finished.state == RunState.CANCELLED and "huỷ" in finished.error
    assert current_edition() is None


def test_the_export_holds_what_is_served(tmp_path: Path) -> None:
    _ingest(bundled_sample())
    out = tmp_path / "out.json"
    call_command("export_edition", str(out), stdout=StringIO())
    exported = json.loads(out.read_text("utf-8"))
    monographs = [*exported["monographs"], *exported["chapters"]]
    texts = [p["text"] for m in monographs for s in m["sections"] for p in s["passages"]]
    assert len(texts) == Passage.objects.count()
    with pytest.raises(CommandError, match="Không ghi được"):
        call_command("export_edition", str(tmp_path / "no" / "out.json"))


def test_the_export_says_when_there_is_nothing(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="Chưa có ấn bản"):
        call_command("export_edition", str(tmp_path / "out.json"))


@pytest.mark.service
@pytest.mark.slow
def test_a_worker_that_starts_takes_up_what_a_dead_one_left(
    start_worker: Callable[[], Program], settings: Settings, tmp_path: Path
) -> None:
    settings.DUOCTHU_DATA_DIR = tmp_path / "data"
    left, lost = new_run(title="dở dang"), new_run(title="mất tin", force=True)
    gone = timezone.now() - timedelta(seconds=1)
    IngestRun.objects.filter(pk=left.pk).update(state=RunState.RUNNING, attempts=1, lease_until=gone)
    IngestRun.objects.filter(pk=lost.pk).update(lease_until=gone)
    worker = start_worker()
    published = IngestRun.objects.filter(state=RunState.PUBLISHED)
    wait_until(lambda: published.count() == 2, timeout=240, message=worker.said)
    assert {(run.title, run.attempts) for run in published} == {("dở dang", 2), ("mất tin", 1)}
