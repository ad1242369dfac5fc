"""The real program under attack: an ingest through its queue, a process of it killed, readers asking all the while."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

import psycopg

from duocthu_site.cluster import EmbeddedCluster
from duocthu_site.postmaster import find_postmaster, process_arguments
from tests.site.asking import Asker, Probe
from tests.site.processes import (
    Program,
    child_processes,
    descendants,
    processes_of,
    run_program,
    start_program,
)
from tests.site.waiting import wait_until

SETTINGS = "duocthu_site.settings.embedded"
FINAL = frozenset({"published", "failed", "cancelled", "discarded"})
START_SECONDS = 120.0
STOP_SECONDS = 40.0
RUN_SECONDS = 300.0  # within which a run whose processes were killed has ended by itself
# Stage: the share of a run that is done when it begins, and the share it takes.
STAGES = {"pages": (0.0, 0.5), "monographs": (0.5, 0.05), "store": (0.55, 0.4), "publish": (0.95, 0.0)}
TRIES = 4  # to hit a run before it ends
SETTLE_SECONDS = 15.0  # for connections to a database that was away to be made again


class Target(StrEnum):
    """What is killed."""

    WORKER = "tiến trình nền"
    POOL = "tiến trình con của nó"
    PARSER = "bộ đọc PDF"
    SUPERVISOR = "chương trình chính"
    POSTGRES = "PostgreSQL"


@dataclass(frozen=True, slots=True)
class Run:
    """An ingest run as the database shows it."""

    pk: int
    state: str
    stage: str
    progress: dict[str, int]
    attempts: int
    error_code: str
    error: str
    edition: int | None

    @property
    def is_final(self) -> bool:
        """Whether it has ended."""
        return self.state in FINAL

    @property
    def share(self) -> float:
        """How much of it is done, from 0 to 1: half for reading the pages, most of the rest for storing."""
        if self.is_final:
            return 1.0
        done = self.progress["done"] / max(1, self.progress["total"]) if self.progress else 0.0
        start, part = STAGES.get(self.stage, (0.0, 0.0))
        return start + part * done

    @property
    def place(self) -> str:
        """State, stage and progress, for the table."""
        done = f" {self.progress['done']}/{self.progress['total']}" if self.progress else ""
        return f"{self.state} {self.stage}{done}".strip()


@dataclass(slots=True)
class Outcome:
    """One kill: when (seconds into the run) and where, how long until the run ended, how, and what went wrong."""

    target: Target
    moment: float
    place: str
    recovery: float
    ended: str
    attempts: int
    answers: int
    troubles: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Site:
    """The program in a data directory of its own; looked at from outside, through the socket of its database."""

    data_dir: Path
    port: int
    logs: Path
    program: Program | None = None
    variables: dict[str, str] = field(default_factory=dict)

    @property
    def cluster(self) -> EmbeddedCluster:
        """Its database."""
        return EmbeddedCluster(self.data_dir)

    @property
    def supervisor(self) -> int:
        """The process id of the program."""
        assert self.program is not None
        return self.program.process.pid

    def start(self) -> None:
        """As an operator would; returns once it says where it can be reached."""
        log = self.logs / f"supervisor-{time.time_ns()}.log"
        program = start_program(["-m", "duocthu_site.supervisor"], log, **self._variables())
        wait_until(lambda: "http://" in program.said or program.process.poll() is not None, timeout=START_SECONDS)
        assert program.process.poll() is None, program.said
        self.program = program

    def stop(self) -> None:
        """As an operator would; nothing may be left."""
        if self.program is not None and self.program.process.poll() is None:
            self.program.process.terminate()
            self.program.process.wait(STOP_SECONDS)
        wait_until(lambda: not processes_of(self.data_dir), timeout=STOP_SECONDS, message="processes are left")

    def manage(self, *arguments: str) -> str:
        """A management command (or another program of ours) on this data directory; what it printed."""
        done = run_program(arguments, DJANGO_SETTINGS_MODULE=SETTINGS, **self._variables())
        assert done.returncode == 0, f"{arguments}: {done.stdout}{done.stderr}"
        return done.stdout

    def ingest(self, pdf: Path, title: str) -> int:
        """Queues a run, as the command line does; its number."""
        self.manage("manage.py", "ingest_pdf", str(pdf), "--force", "--queue", "--title", title)
        return int(self.rows("SELECT max(id) FROM ingest_ingestrun")[0][0])

    def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """What a query gives. Raises psycopg.Error while the database is away."""
        url = self.cluster.url
        with psycopg.connect(host=url.host, port=url.port, user=url.user, dbname=url.name, connect_timeout=5) as link:
            return link.execute(query, values).fetchall()

    def run(self, pk: int) -> Run | None:
        """A run as it stands, None while the database is away."""
        columns = "id, state, stage, progress, attempts, error_code, error, edition_id"
        with contextlib.suppress(psycopg.Error):
            return Run(*self.rows(f"SELECT {columns} FROM ingest_ingestrun WHERE id = %s", pk)[0])
        return None

    def pids(self, target: Target) -> list[int]:
        """The processes that are such a target now."""
        if target is Target.SUPERVISOR:
            return [self.supervisor]
        if target is Target.POSTGRES:
            found = find_postmaster(self.cluster.directory)
            return [found.pid] if found else []
        worker = [p for p in child_processes(self.supervisor) if "duocthu_site.worker" in process_arguments(p)]
        if target is Target.WORKER:
            return worker
        pool = [pid for parent in worker for pid in child_processes(parent)]
        if target is Target.POOL:
            return pool
        return [p for parent in pool for p in child_processes(parent) if "ingest.sandbox" in process_arguments(p)]

    def orphans(self) -> list[str]:
        """Live processes of this data directory that nobody looks after."""
        keeper = {pid for pid, said in processes_of(self.data_dir).items() if "postmaster.py" in said}
        cared_for = descendants([self.supervisor, *self.pids(Target.POSTGRES)]) | keeper
        return [said for pid, said in processes_of(self.data_dir).items() if pid not in cared_for]

    def _variables(self) -> dict[str, str]:
        places = {"DUOCTHU_DATA_DIR": str(self.data_dir), "PORT": str(self.port)}
        return places | {"INGEST_LEASE_SECONDS": "15"} | self.variables


def kill_once(site: Site, target: Target, pdf: Path, *, title: str, share: float) -> Outcome:
    """Queues a run, kills the target when such a share of it is done, waits for its end and looks for what is wrong.

    A run that ended before it was hit is followed by another one, hit sooner.
    """
    for attempt in range(TRIES):
        outcome = _kill_once(site, target, pdf, title=f"{title}.{attempt}", share=share * 0.8**attempt)
        if outcome is not None:
            return outcome
    raise AssertionError("every run ended before it could be hit")


def _kill_once(site: Site, target: Target, pdf: Path, *, title: str, share: float) -> Outcome | None:
    reviews = _reviews(site)
    with _asked(site) as asker:
        pk = site.ingest(pdf, title)
        started = _wait_until_running(site, pk)
        run = _wait_for(site, target, pk, share)
        if run is None:
            return None
        killed_at = _kill(site, target, asker)
        if target is Target.SUPERVISOR:
            wait_until(lambda: not processes_of(site.data_dir), timeout=STOP_SECONDS, message="processes outlive it")
            site.start()
        wait_until(lambda: site.run(pk) is not None, timeout=STOP_SECONDS)
        asker.forgive(False, after=SETTLE_SECONDS)
        ended = _wait_until_final(site, pk, asker)
        recovery = time.monotonic() - killed_at
        asker.judge(_published_at(site, ended))
        wait_until(lambda: not site.orphans(), timeout=STOP_SECONDS, message=f"orphans: {site.orphans()}")
    troubles = [*asker.troubles, *_look(site, ended, reviews)]
    how = f"{ended.state} {ended.error_code}".strip()
    moment = killed_at - started
    return Outcome(target, moment, run.place, recovery, how, ended.attempts, len(asker.answers), troubles)


def spread_shares(count: int, seed: int) -> list[float]:
    """So many random shares of a run's time, one from each of as many equal parts, in a random order."""
    source = random.Random(seed)
    moments = [(part + source.random()) / count for part in range(count)]
    source.shuffle(moments)
    return moments


def _wait_for(site: Site, target: Target, pk: int, share: float) -> Run | None:
    """The run once so much of it is done and there is something to kill; None where it ended before."""
    deadline = time.monotonic() + RUN_SECONDS
    while time.monotonic() < deadline:
        run = site.run(pk)
        if run is not None and run.is_final:
            return None
        if run is not None and run.share >= share and site.pids(target):
            return run
        time.sleep(0.02)
    raise AssertionError(f"the run does not get on: {site.run(pk)}")


def _kill(site: Site, target: Target, asker: Asker) -> float:
    """When it was done."""
    asker.forgive(target in {Target.SUPERVISOR, Target.POSTGRES})
    for pid in site.pids(target):
        os.kill(pid, signal.SIGKILL)
    killed_at = time.monotonic()
    if target is Target.SUPERVISOR:
        assert site.program is not None
        site.program.process.wait()
    return killed_at


def _wait_until_running(site: Site, pk: int) -> float:
    wait_until(lambda: (run := site.run(pk)) and run.state != "queued", timeout=RUN_SECONDS, message="run not begun")
    return time.monotonic()


def _wait_until_final(site: Site, pk: int, asker: Asker) -> Run:
    deadline = time.monotonic() + RUN_SECONDS
    while time.monotonic() < deadline:
        run = site.run(pk)
        if run is not None and run.is_final:
            return run
        if run is not None:
            asker.hide(run.edition)
        time.sleep(0.1)
    raise AssertionError(f"the run has not ended by itself: {site.run(pk)}")


@contextlib.contextmanager
def _asked(site: Site) -> Iterator[Asker]:
    asker = Asker(site.port, probe_of(site))
    asker.start()
    try:
        yield asker
    finally:
        asker.stop()


def probe_of(site: Site) -> Probe:
    """What can be asked of the edition that is served: its first drug with a passage that a reviewer corrected, or
    just its first."""
    rows = site.rows(
        "SELECT e.title, m.slug, m.name FROM monographs_edition e JOIN monographs_monograph m ON m.edition_id = e.id"
        " JOIN monographs_section s ON s.monograph_id = m.id AND s.key = 'chong_chi_dinh'"
        " JOIN monographs_passage p ON p.section_id = s.id WHERE e.state = 'published' AND m.kind = 'drug'"
        " ORDER BY p.state <> 'corrected', m.sort_key LIMIT 1"
    )
    title, slug, name = rows[0]
    return Probe(title=title, slug=slug, question=f"Chống chỉ định của {name}?")


def _reviews(site: Site) -> list[tuple[Any, ...]]:
    return site.rows(
        "SELECT id, sha256, passage_uid, decision, corrected_text, decided_at, undone_at FROM ingest_review ORDER BY id"
    )


def _published_at(site: Site, run: Run) -> float | None:
    """When readers were switched to the run's edition (seconds since the epoch); None where they were not."""
    if run.state != "published":
        return None
    rows = site.rows("SELECT published_at FROM monographs_edition WHERE id = %s", run.edition)
    return float(rows[0][0].timestamp())


def _look(site: Site, run: Run, reviews: list[tuple[Any, ...]]) -> Iterator[str]:
    """What is wrong after a run has ended."""
    if run.state == "published":
        yield from _undone_decisions(site, run)
    elif not (run.error_code and run.error):
        yield f"ended as {run.state} without a reason"
    if _reviews(site) != reviews:
        yield "the reviews have changed"
    states = dict(site.rows("SELECT state, count(*) FROM monographs_edition GROUP BY state"))
    if states.get("published") != 1:
        yield f"{states.get('published')} editions are served"
    if states.get("building") or states.get("ready"):
        yield f"left over: {states}"
    if parsers := site.pids(Target.PARSER):
        yield f"parsers still run: {parsers}"
    if parts := list((site.data_dir / "editions").glob("*.part")):
        yield f"temporary files: {parts}"


def _undone_decisions(site: Site, run: Run) -> Iterator[str]:
    """Decisions on the run's PDF that its new edition does not show."""
    rows = site.rows(
        "SELECT r.passage_uid, r.decision, p.state FROM ingest_review r"
        " JOIN monographs_edition e ON e.sha256 = r.sha256 AND e.id = %s"
        " LEFT JOIN monographs_monograph m ON m.edition_id = e.id AND m.slug = r.slug"
        " LEFT JOIN monographs_section s ON s.monograph_id = m.id"
        " JOIN monographs_passage p ON p.section_id = s.id AND p.uid = r.passage_uid WHERE r.undone_at IS NULL",
        run.edition,
    )
    for uid, decision, state in rows:
        if decision != state:
            yield f"passage {uid}: decided {decision}, but {state}"
    wanted = site.rows(
        "SELECT count(*) FROM ingest_review r JOIN monographs_edition e ON e.sha256 = r.sha256"
        " WHERE e.id = %s AND r.undone_at IS NULL",
        run.edition,
    )
    if wanted[0][0] != len(rows):
        yield f"{wanted[0][0]} decisions, {len(rows)} passages found"
