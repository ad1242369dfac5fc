"""Hostile files through the real run, and what must be true after each of them."""

from __future__ import annotations

import os
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path

from django.conf import settings

from chat.domain import Decision
from chat.turns import run_turn, start_turn
from duocthu_site.postmaster import process_arguments
from ingest import runs
from ingest.models import RunState
from ingest.open_pdf import REFUSAL_TEXTS, Refusal
from ingest.runs import RunOptions, execute_run, request_run
from ingest.sandbox import Limits, parse_in_child
from monographs.corpus import current_edition
from monographs.models import Edition
from tests.pages.harm import Hostile
from tests.pages.hostile import crafted
from tests.pages.mutated import mutated
from tests.site.processes import descendants

LIMITS = Limits(memory_bytes=640 * 2**20, cpu_seconds=20, wall_seconds=30.0, stall_seconds=6.0)
STORE_SECONDS = 120.0  # for a whole book that is built after the parse, on a busy machine
QUESTION = "Chống chỉ định của paracetamol?"
SAMPLE_SECONDS = 0.05
WHOLE = "cả cuốn"
PARSE = "parse_in_child"  # as the run knows it


@dataclass(frozen=True, slots=True)
class Ended:
    """How one file ended: the run's error code, or "built"; seconds; MB at most in one process of the child."""

    hostile: Hostile
    outcome: str
    seconds: float
    megabytes: float
    troubles: list[str] = field(default_factory=list)


@cache
def every_file() -> list[Hostile]:
    """All of them."""
    return [*crafted(), *mutated()]


def a_third() -> list[Hostile]:
    """Files of every class, few enough for each run of the test suite."""
    short = [hostile for hostile in every_file() if WHOLE not in hostile.name]
    return short[::3]


@contextmanager
def contained(folder: Path) -> Iterator[None]:
    """Runs have short limits, and temporary files go to a folder where they can be counted."""
    before = os.environ.get("TMPDIR"), tempfile.tempdir
    os.environ["TMPDIR"] = tempfile.tempdir = str(folder)
    setattr(runs, PARSE, partial(parse_in_child, limits=LIMITS))
    try:
        yield
    finally:
        setattr(runs, PARSE, parse_in_child)
        tempfile.tempdir = before[1]
        os.environ.pop("TMPDIR")
        if before[0] is not None:
            os.environ["TMPDIR"] = before[0]


def ingest(hostile: Hostile, served: Edition, scratch: Path) -> Ended:
    """One file from request to end; scratch: the folder of contained()."""
    file = Path(settings.DUOCTHU_DATA_DIR) / "thu.pdf"
    file.write_bytes(hostile.make())
    with _Watch() as watch:
        started = time.monotonic()
        requested = request_run(file, RunOptions(auto_publish=False, force=True))
        assert requested.run is not None
        run = execute_run(requested.run.pk)
        seconds = time.monotonic() - started
    file.unlink()
    ended = Ended(hostile, run.error_code or run.state, seconds, watch.megabytes)
    ended.troubles.extend(_wrong_end(hostile, run.state, run.error_code, run.error))
    ended.troubles.extend(_left_behind(scratch))
    if seconds > LIMITS.wall_seconds + STORE_SECONDS:
        ended.troubles.append(f"took {seconds:.0f} s")
    if watch.megabytes * 2**20 > LIMITS.memory_bytes:
        ended.troubles.append(f"took {watch.megabytes:.0f} MB")
    if current_edition() != served:
        ended.troubles.append("another edition is served")
    return ended


def answers(served: Edition) -> bool:
    """Whether a question is answered from the edition served."""
    turn = run_turn(start_turn(owner="thử", question=QUESTION))
    contract = turn.contract or {}
    return turn.decision == Decision.ANSWERABLE and contract["edition"]["id"] == served.pk


def resident_megabytes(pid: int | str = "self", what: str = "VmRSS") -> float:
    """Memory of a process; 0 where it is gone."""
    try:
        status = Path(f"/proc/{pid}/status").read_text("utf-8")
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith(f"{what}:")), 0.0)


def _wrong_end(hostile: Hostile, state: str, code: str, error: str) -> Iterator[str]:
    if state == RunState.BUILT:
        if not hostile.may_build:
            yield "a book was made of it"
    elif state != RunState.FAILED:
        yield f"ended as {state}"
    elif code in set(Refusal) and error != REFUSAL_TEXTS[Refusal(code)]:
        yield f"{code} without its sentence"
    elif code not in {*Refusal, "not_publishable"}:
        yield f"ended with {code!r}: {error}"


def _left_behind(scratch: Path) -> Iterator[str]:
    if parsers := _parsers():
        yield f"processes left: {parsers}"
    if files := list(scratch.iterdir()):
        yield f"temporary files left: {files}"
    if parts := list((Path(settings.DUOCTHU_DATA_DIR) / "editions").glob("*.part")):
        yield f"half copies left: {parts}"


def _parsers() -> list[int]:
    """Live processes of a parse that this process started."""
    return [pid for pid in descendants([os.getpid()]) if "ingest.sandbox" in process_arguments(pid)]


class _Watch:
    """The most memory that any process of the parse has taken; its own high-water mark, so that seldom looking is
    enough."""

    def __init__(self) -> None:
        self.megabytes = 0.0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> _Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._stop.wait(SAMPLE_SECONDS):
            for pid in _parsers():
                self.megabytes = max(self.megabytes, resident_megabytes(pid, "VmHWM"))
