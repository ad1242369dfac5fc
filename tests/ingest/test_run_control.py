"""Runs cancelled, resumed, lost and found: never two at once, never half a book, always an end."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection
from django.utils import timezone
from kombu.exceptions import OperationalError as QueueGone
from psycopg.errors import DiskFull

from ingest import runs as runs_module
from ingest.beat import Beat, LeaseLost, RunCancelled, lease
from ingest.domain import ParsedBook
from ingest.library import bundled_sample
from ingest.models import IngestRun, RunState
from ingest.publish import PublishError, build_edition, publish_edition
from ingest.run_control import (
    DELIVERY,
    RunRefused,
    cancel_run,
    claim_run,
    resume_run,
    run_again,
    sweep_runs,
    take_back_abandoned,
)
from ingest.runs import RunOptions, execute_run, request_run
from ingest.switching import discard_edition, switch_to
from ingest.tasks import execute_run_task, index_edition_task, send_indexing, send_run
from monographs.corpus import current_edition
from monographs.leases import MAX_ATTEMPTS
from monographs.models import Edition, EditionState, Passage
from tests.factories import make_edition, make_monograph
from tests.sample_book import FEW, sample_book

pytestmark = pytest.mark.django_db(transaction=True)
GONE = timedelta(seconds=1)


def make_run(**fields: Any) -> IngestRun:
    values: dict[str, Any] = {"file_name": "a.pdf", "sha256": "ab" * 32, "title": "Bản thử", "year": 2027}
    return IngestRun.objects.create(**values | fields)


def make_abandoned(**fields: Any) -> IngestRun:
    """A run whose worker is gone."""
    values: dict[str, Any] = {"state": RunState.RUNNING, "attempts": 1, "lease_until": timezone.now() - GONE}
    return make_run(**values | fields)


def make_held(**fields: Any) -> IngestRun:
    """A run that a worker works on."""
    return make_abandoned(**{"lease_until": timezone.now() + lease()} | fields)


def make_built(**fields: Any) -> IngestRun:
    """A run whose edition waits for a decision."""
    edition = make_edition(state=EditionState.READY, title="Bản chờ")
    make_monograph(edition)
    return make_run(**{"state": RunState.BUILT, "edition": edition, "auto_publish": False} | fields)


@pytest.fixture
def parser(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """parser(at=…) replaces the child process: a small book whose progress calls a function at a stage."""

    def install(at: Callable[[str], None] = lambda _stage: None) -> None:
        def parse(_path: Path, *, on_progress: Callable[[str, int, int], None], **_options: object) -> ParsedBook:
            for stage in ("pages", "monographs", "findings"):
                at(stage)
                on_progress(stage, 1, 1)
            return sample_book(titles=FEW)

        def build(edition: Edition, book: ParsedBook, *, on_progress: Callable[[int, int], None]) -> dict[str, int]:
            at("store")
            return build_edition(edition, book, on_progress=on_progress)

        monkeypatch.setattr(runs_module, "parse_in_child", parse)
        monkeypatch.setattr(runs_module, "build_edition", build)

    return install


class TestCancel:
    """Whoever holds the run stops; nothing is published."""

    @pytest.mark.parametrize("stage", ["pages", "monographs", "findings", "store"])
    def test_a_run_is_stopped_at_every_stage(self, parser: Callable[..., None], stage: str) -> None:
        run = make_run()

        def cancel(at: str) -> None:
            if at == stage:
                cancel_run(run.pk)

        parser(cancel)
        ended = execute_run(run.pk)
        assert (ended.state, ended.error_code) == (RunState.CANCELLED, "cancelled")
        assert current_edition() is None
        assert not Edition.objects.exclude(state=EditionState.DISCARDED).exists()

    def test_a_request_after_the_last_monograph_still_stops_it(
        self, parser: Callable[..., None], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        run = make_run()
        parser()

        def build_then_cancel(*arguments: Any, **options: Any) -> dict[str, int]:
            counts = build_edition(*arguments, **options)
            cancel_run(run.pk)
            return counts

        monkeypatch.setattr(runs_module, "build_edition", build_then_cancel)
        assert execute_run(run.pk).state == RunState.CANCELLED
        assert current_edition() is None

    def test_one_that_is_not_published_at_once_is_stopped_too(
        self, parser: Callable[..., None], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        run = make_run(auto_publish=False)
        parser()
        monkeypatch.setattr(
            runs_module,
            "build_edition",
            lambda *arguments, **options: (build_edition(*arguments, **options), cancel_run(run.pk))[0],
        )
        assert execute_run(run.pk).state == RunState.CANCELLED

    @pytest.mark.parametrize("make", [make_run, make_abandoned], ids=["queued", "abandoned"])
    def test_what_nobody_holds_is_cancelled_at_once(self, make: Callable[[], IngestRun]) -> None:
        assert cancel_run(make().pk).state == RunState.CANCELLED

    def test_a_cancelled_run_is_not_executed_when_its_message_comes(self, parser: Callable[..., None]) -> None:
        run = make_run()
        cancel_run(run.pk)
        parser(lambda _stage: pytest.fail("it was parsed"))
        assert execute_run(run.pk).state == RunState.CANCELLED

    def test_a_held_one_is_only_asked(self) -> None:
        run = cancel_run(make_held().pk)
        assert (run.state, run.cancel_requested) == (RunState.RUNNING, True)

    @pytest.mark.parametrize(
        ("state", "why"),
        [
            (RunState.PUBLISHING, "đang được công bố"),
            (RunState.BUILT, "công bố hoặc bỏ"),
            (RunState.PUBLISHED, "đã kết thúc"),
            (RunState.FAILED, "đã kết thúc"),
        ],
    )
    def test_what_cannot_be_cancelled_says_why(self, state: RunState, why: str) -> None:
        with pytest.raises(RunRefused, match=why):
            cancel_run(make_held(state=state).pk)

    def test_a_publishing_that_has_begun_is_not_torn(self) -> None:
        run = make_held()
        Beat(run).start_publishing()
        with pytest.raises(RunRefused):
            cancel_run(run.pk)


class TestHold:
    """A lease belongs to one attempt."""

    def test_a_worker_that_comes_back_too_late_writes_nothing(self) -> None:
        late = Beat(make_abandoned())
        take_back_abandoned()
        assert claim_run(IngestRun.objects.get().pk) is not None
        with pytest.raises(LeaseLost):
            late.stage("pages", 1, 1)
        assert IngestRun.objects.get().stage == ""

    def test_a_late_worker_cannot_publish_over_its_successor(self, parser: Callable[..., None]) -> None:
        run = make_run()

        def lose_it(stage: str) -> None:
            if stage == "store":
                IngestRun.objects.update(lease_until=timezone.now() - GONE)
                sweep_runs()
                assert claim_run(run.pk) is not None

        parser(lose_it)
        left = execute_run(run.pk)
        assert (left.state, left.attempts) == (RunState.RUNNING, 2), "the successor's, untouched"
        assert current_edition() is None

    def test_waiting_renews_the_lease(self, monkeypatch: pytest.MonkeyPatch) -> None:
        run = make_held(lease_until=timezone.now() + GONE)
        monkeypatch.setattr("ingest.beat.BEAT_SECONDS", 0.0)
        Beat(run).wait()
        run.refresh_from_db()
        assert run.lease_until is not None and run.lease_until > timezone.now() + lease() / 2

    def test_progress_is_not_written_more_often_than_once_a_second(self, monkeypatch: pytest.MonkeyPatch) -> None:
        run = make_held()
        beat = Beat(run)
        written: list[dict[str, object]] = []
        monkeypatch.setattr(beat, "_write", written.append)
        for done in range(1, 1600):
            beat.stage("pages", done, 1600)
        assert len(written) <= 3

    def test_a_database_that_is_away_for_a_moment_does_not_end_the_run(self, monkeypatch: pytest.MonkeyPatch) -> None:
        beat = Beat(make_held())

        def fail(_fields: object) -> None:
            raise OperationalError

        monkeypatch.setattr(beat, "_write", fail)
        monkeypatch.setattr("ingest.beat.BEAT_SECONDS", 0.0)
        beat.stage("pages", 1, 1)
        monkeypatch.setattr(beat, "_held", beat._held - lease().total_seconds() - 1)
        with pytest.raises(OperationalError):
            beat.stage("pages", 1, 1)

    def test_a_cancel_is_seen_while_the_parser_says_nothing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        run = make_held(cancel_requested=True)
        monkeypatch.setattr("ingest.beat.BEAT_SECONDS", 0.0)
        with pytest.raises(RunCancelled):
            Beat(run).wait()

    def test_a_run_without_its_database_is_left_to_the_sweep(self, parser: Callable[..., None]) -> None:
        run = make_run()

        def lose_database(stage: str) -> None:
            if stage == "store":
                raise OperationalError("server closed the connection")

        parser(lose_database)
        left = execute_run(run.pk)
        assert left.state == RunState.RUNNING
        parser()
        assert sweep_runs() == [run.pk], "the lease was given up"
        assert execute_run(run.pk).state == RunState.PUBLISHED

    def test_a_run_that_fills_the_disk_ends_with_that_reason(self, parser: Callable[..., None]) -> None:
        def fill_disk(stage: str) -> None:
            if stage == "store":
                raise OperationalError("could not extend file") from DiskFull("No space left on device")

        parser(fill_disk)
        left = execute_run(make_run().pk)
        assert (left.state, left.error_code, left.error, left.attempts) == (
            RunState.FAILED,
            "disk_full",
            runs_module.DISK_FULL,
            1,
        )
        assert sweep_runs() == []

    def test_a_run_that_cannot_even_say_so_is_left_to_the_sweep(
        self, parser: Callable[..., None], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fill_disk(_stage: str) -> None:
            raise OperationalError("could not extend file") from DiskFull("No space left on device")

        def has_no_room(*_: object) -> bool:
            raise OperationalError("could not extend file") from DiskFull("No space left on device")

        run = make_run()
        parser(fill_disk)
        monkeypatch.setattr(runs_module, "end_run", has_no_room)
        assert execute_run(run.pk).state == RunState.RUNNING
        assert sweep_runs() == [run.pk], "it goes on once there is room"

    def test_an_interrupted_run_gives_its_lease_up(self, parser: Callable[..., None]) -> None:
        run = make_run()

        def interrupt(_stage: str) -> None:
            raise KeyboardInterrupt

        parser(interrupt)
        with pytest.raises(KeyboardInterrupt):
            execute_run(run.pk)
        parser()
        assert execute_run(run.pk).state == RunState.PUBLISHED


class TestSweep:
    """Nothing is left lying, nothing is run twice."""

    def test_a_run_whose_worker_died_is_sent_again_and_ends(self, parser: Callable[..., None]) -> None:
        run = make_abandoned()
        assert sweep_runs() == [run.pk]
        parser()
        ended = execute_run(run.pk)
        assert (ended.state, ended.attempts) == (RunState.PUBLISHED, 2)

    def test_a_live_run_is_left_alone(self) -> None:
        make_held()
        assert sweep_runs() == []

    def test_a_queued_run_is_sent_again_only_once_its_message_must_be_lost(self) -> None:
        run = make_run(lease_until=timezone.now() + DELIVERY)
        assert sweep_runs() == []
        IngestRun.objects.update(lease_until=timezone.now() - GONE)
        assert sweep_runs() == [run.pk]
        assert sweep_runs() == [], "it has just been sent"

    def test_a_queued_run_behind_a_busy_worker_is_not_sent_over_and_over(self) -> None:
        make_held()
        make_run()
        assert sweep_runs() == []

    def test_the_last_attempt_ends_with_a_reason(self) -> None:
        make_abandoned(attempts=MAX_ATTEMPTS, edition=make_edition(state=EditionState.BUILDING))
        assert sweep_runs() == []
        run = IngestRun.objects.get()
        assert (run.state, run.error_code) == (RunState.FAILED, "worker_lost")
        assert f"{MAX_ATTEMPTS} lần" in run.error
        assert Edition.objects.get().state == EditionState.DISCARDED

    def test_one_that_was_to_be_cancelled_is_cancelled(self) -> None:
        make_abandoned(cancel_requested=True)
        assert sweep_runs() == []
        assert IngestRun.objects.get().state == RunState.CANCELLED

    def test_an_edition_that_was_built_is_not_built_again(self, parser: Callable[..., None]) -> None:
        edition = make_edition(state=EditionState.READY)
        make_monograph(edition)
        run = make_abandoned(state=RunState.PUBLISHING, edition=edition, counts={"monographs": 1})
        parser(lambda _stage: pytest.fail("it was parsed again"))
        assert sweep_runs() == [run.pk]
        assert execute_run(run.pk).state == RunState.PUBLISHED
        assert current_edition() == edition

    def test_two_sweeps_at_once_send_a_run_once(self) -> None:
        run = make_abandoned()
        found = in_threads(lambda _number: sweep_runs(), 4)
        assert sorted(pk for each in found for pk in each) == [run.pk]

    def test_a_run_delivered_to_several_workers_is_executed_by_one(self, parser: Callable[..., None]) -> None:
        run = make_run()
        parser()
        in_threads(lambda _number: execute_run(run.pk), 3)
        ended = IngestRun.objects.get()
        assert (ended.state, ended.attempts) == (RunState.PUBLISHED, 1)
        assert Edition.objects.count() == 1


class TestResume:
    """By hand."""

    @pytest.mark.parametrize("make", [make_run, make_abandoned], ids=["queued", "abandoned"])
    def test_what_nobody_works_on_goes_back_to_the_queue(self, make: Callable[[], IngestRun]) -> None:
        assert resume_run(make().pk).state == RunState.QUEUED

    @pytest.mark.parametrize(
        ("fields", "why"),
        [
            ({"lease_until": timezone.now() + timedelta(days=9)}, "vẫn đang chạy"),
            ({"state": RunState.FAILED}, "Chạy lại"),
            ({"state": RunState.BUILT}, "Chạy lại"),
            ({"attempts": MAX_ATTEMPTS}, "Chạy lại"),
            ({"cancel_requested": True}, "Chạy lại"),
        ],
    )
    def test_what_cannot_go_on_says_why(self, fields: dict[str, Any], why: str) -> None:
        with pytest.raises(RunRefused, match=why):
            resume_run(make_abandoned(**fields).pk)

    @pytest.mark.parametrize("state", [RunState.FAILED, RunState.CANCELLED, RunState.DISCARDED])
    def test_an_ended_run_is_run_again_as_a_new_one(self, state: RunState) -> None:
        old = make_run(state=state, auto_publish=False, attempts=3)
        new = run_again(old.pk)
        assert new.pk != old.pk
        assert (new.state, new.attempts, new.title, new.sha256) == (RunState.QUEUED, 0, old.title, old.sha256)
        assert not new.auto_publish

    def test_one_that_was_published_is_not_run_again_by_this(self) -> None:
        with pytest.raises(RunRefused):
            run_again(make_run(state=RunState.PUBLISHED).pk)


class TestRequest:
    """One file is one run."""

    def test_a_file_that_is_being_ingested_is_not_queued_twice(self) -> None:
        first = request_run(bundled_sample())
        second = request_run(bundled_sample())
        assert first.run == second.run and first.is_new and not second.is_new

    def test_a_file_sent_many_times_at_once_is_one_run(self) -> None:
        in_threads(lambda _number: request_run(bundled_sample()), 4)
        assert IngestRun.objects.count() == 1

    def test_a_hostile_file_name_is_only_ever_a_label(self, tmp_path: Path) -> None:
        pdf = tmp_path / "x.pdf"
        pdf.write_bytes(b"%PDF-1.7")
        name = "../../etc/pass\0wd\u202egpj.<b>.pdf"
        run = request_run(pdf, file_name=name).run
        assert run is not None and run.file_name == "passwdgpj.<b>.pdf"

    def test_a_full_disk_leaves_nothing_half_kept(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        pdf = tmp_path / "x.pdf"
        pdf.write_bytes(b"%PDF-1.7 full disk")

        def fail(*_: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("shutil.copyfileobj", fail)
        before = set(bundled_library())
        with pytest.raises(OSError, match="No space"):
            request_run(pdf)
        assert set(bundled_library()) == before
        assert not IngestRun.objects.exists()


class TestSwitch:
    """Published, put back, thrown away; one decision at a time."""

    @pytest.fixture
    def operator(self) -> User:
        return User.objects.create_user("vanhanh", is_staff=True)

    def test_a_run_that_is_not_to_publish_waits_and_is_published_by_hand(
        self, parser: Callable[..., None], operator: User
    ) -> None:
        parser()
        run = execute_run(make_run(auto_publish=False).pk)
        assert run.state == RunState.BUILT and run.edition is not None and current_edition() is None
        assert run.edition.state == EditionState.READY
        switch_to(run.edition.pk, seen=None, by=operator.pk)
        run.refresh_from_db()
        assert run.state == RunState.PUBLISHED and current_edition() == run.edition

    def test_back_and_forth(self, operator: User) -> None:
        first, second = make_edition(), make_built().edition
        assert second is not None
        make_monograph(first)
        switch_to(second.pk, seen=first.pk, by=operator.pk)
        switch_to(first.pk, seen=second.pk, by=operator.pk)
        assert current_edition() == first
        switch_to(second.pk, seen=first.pk, by=operator.pk)
        assert current_edition() == second

    @pytest.mark.parametrize("state", [EditionState.BUILDING, EditionState.DISCARDED])
    def test_what_is_not_finished_is_never_published(self, state: EditionState) -> None:
        edition = make_edition(state=state)
        make_monograph(edition)
        with pytest.raises(PublishError):
            switch_to(edition.pk, seen=None, by=None)
        assert current_edition() is None

    def test_what_a_run_still_works_on_is_not_published(self) -> None:
        run = make_built(state=RunState.RUNNING, lease_until=timezone.now() + lease())
        assert run.edition is not None
        with pytest.raises(PublishError, match="chưa xong"):
            switch_to(run.edition.pk, seen=None, by=None)

    def test_a_decision_on_an_outdated_page_is_refused(self) -> None:
        waiting = make_built().edition
        served = make_edition()
        assert waiting is not None
        with pytest.raises(PublishError, match="đã đổi"):
            switch_to(waiting.pk, seen=None, by=None)
        assert current_edition() == served

    def test_two_operators_who_publish_different_editions_at_once_do_not_both_succeed(self) -> None:
        editions = [make_built().edition for _ in range(4)]
        told = in_threads(lambda number: _switch(editions[number]), 4)
        assert sorted(told) == ["công bố", "đã đổi", "đã đổi", "đã đổi"]
        assert Edition.objects.filter(state=EditionState.PUBLISHED).count() == 1

    def test_a_discarded_edition_is_gone_for_good(self, operator: User) -> None:
        run = make_built()
        assert run.edition is not None
        discard_edition(run.edition.pk, by=operator.pk)
        run.refresh_from_db()
        assert run.state == RunState.DISCARDED
        with pytest.raises(PublishError):
            publish_edition(run.edition)

    def test_what_was_published_once_is_not_discarded(self) -> None:
        with pytest.raises(PublishError, match="chưa từng"):
            discard_edition(make_edition().pk, by=None)

    def test_what_does_not_exist_is_told(self) -> None:
        with pytest.raises(PublishError, match="không còn"):
            switch_to(987654, seen=None, by=None)


class TestCommands:
    """Thin over the same functions."""

    def run(self, *arguments: str) -> str:
        out = StringIO()
        call_command(*arguments, stdout=out)
        return out.getvalue()

    def test_runs_are_listed(self) -> None:
        run = make_held(stage="pages", progress={"done": 3, "total": 9})
        assert f"{run.pk}" in self.run("runs") and "pages 3/9" in self.run("runs")

    def test_a_run_is_cancelled(self) -> None:
        run = make_run()
        assert "Đã huỷ" in self.run("cancel_run", str(run.pk))
        with pytest.raises(CommandError, match="đã kết thúc"):
            self.run("cancel_run", str(run.pk))

    def test_a_run_is_resumed(self, parser: Callable[..., None]) -> None:
        parser()
        run = make_abandoned()
        self.run("resume_run", str(run.pk))
        assert IngestRun.objects.get().state == RunState.PUBLISHED

    def test_an_edition_is_published(self) -> None:
        edition = make_built().edition
        assert edition is not None and "Đang phục vụ" in self.run("publish_edition", str(edition.pk))
        with pytest.raises(CommandError, match="đang phục vụ rồi"):
            self.run("publish_edition", str(edition.pk))

    @pytest.mark.parametrize("command", ["cancel_run", "resume_run", "publish_edition"])
    def test_what_does_not_exist_is_told(self, command: str) -> None:
        with pytest.raises(CommandError, match=r"Không có lượt nạp|không còn"):
            self.run(command, "987654")

    def test_ingest_pdf_takes_up_a_run_whose_worker_died(self, parser: Callable[..., None]) -> None:
        parser()
        run = request_run(bundled_sample(), RunOptions()).run
        assert run is not None
        IngestRun.objects.update(state=RunState.RUNNING, attempts=1, lease_until=timezone.now() - GONE)
        assert "Đã công bố" in self.run("ingest_pdf", str(bundled_sample()))
        assert IngestRun.objects.count() == 1


def test_a_queue_that_is_away_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise QueueGone("connection refused")

    run = make_run()
    monkeypatch.setattr(execute_run_task, "delay", fail)
    monkeypatch.setattr(index_edition_task, "delay", fail)
    send_run(run.pk)
    send_indexing()
    assert sweep_runs() == [run.pk]


def test_nothing_of_a_run_that_failed_while_storing_can_be_found(parser: Callable[..., None]) -> None:
    def fail(stage: str) -> None:
        if stage == "store":
            raise ValueError("hỏng")

    parser(fail)
    run = execute_run(make_run().pk)
    assert (run.state, run.error_code) == (RunState.FAILED, "internal_error")
    assert not Passage.objects.filter(section__monograph__edition__state=EditionState.PUBLISHED).exists()


def bundled_library() -> list[Path]:
    from ingest.library import stored_pdf

    folder = stored_pdf("x").parent
    return list(folder.iterdir()) if folder.exists() else []


def in_threads(work: Callable[[int], Any], count: int) -> list[Any]:
    """What the work gives in so many threads that begin together."""
    found: list[Any] = [None] * count
    begin = threading.Barrier(count)

    def one(number: int) -> None:
        begin.wait()
        try:
            found[number] = work(number)
        finally:
            connection.close()

    threads = [threading.Thread(target=one, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def _switch(edition: Edition | None) -> str:
    assert edition is not None
    try:
        switch_to(edition.pk, seen=None, by=None)
    except PublishError as refused:
        return "đã đổi" if "đã đổi" in str(refused) else str(refused)
    return "công bố"
