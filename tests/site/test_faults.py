"""The real program while what it stands on fails: PostgreSQL restarted in the middle of a turn, a full disk.

Elsewhere: processes killed in the middle of an ingest (test_ingest_kills.py, bench/kills.py) or of a turn
(test_turn_kills.py), Redis restarted and parents killed (test_production_path.py, test_supervisor.py), a provider that
is down (test_provider_outage.py).
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from shutil import disk_usage
from threading import Event

import psycopg
import pytest

from chat.llm.copied_replies import copied_reply
from chat.llm.domain import Purpose
from chat.llm.local_server import LocalBedrock
from chat.llm.local_steps import Payload, Seen
from duocthu_site.demo_bedrock import demo_environment
from duocthu_site.postmaster import process_arguments
from ingest.runs import DISK_FULL
from tests.paths import ROOT
from tests.site.killing import Run, Site, Target
from tests.site.production import free_port
from tests.site.visitor import Visitor
from tests.site.waiting import wait_until

pytestmark = [pytest.mark.service, pytest.mark.slow]

QUESTION = "Chống chỉ định của metformin?"
BY_MODEL = "Câu trả lời do mô hình soạn"
ANSWERS_IN = 120.0
OTHER_SAMPLE = ROOT / "ingest" / "sample" / "duoc-thu-mau-2027.pdf"
DISK_BYTES = 220_000_000


@pytest.fixture
def bedrock() -> Iterator[LocalBedrock]:
    with LocalBedrock() as server:
        yield server


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT], ids=["killed", "restarted"])
def test_postgres_gone_in_the_middle_of_a_turn_costs_no_answer(
    tmp_path: Path, bedrock: LocalBedrock, number: signal.Signals
) -> None:
    goes_on = Event()

    def step(seen: Seen) -> Payload:
        goes_on.wait(ANSWERS_IN)
        return copied_reply(seen)

    bedrock.script(Purpose.DRAFT, step)
    site = Site(tmp_path / "data", free_port(), tmp_path, variables=demo_environment(bedrock.url))
    site.variables.pop("DUOCTHU_DATA_DIR")
    site.start()
    try:
        visitor = Visitor(site.port)
        turn = visitor.ask(QUESTION)
        wait_until(lambda: bedrock.asked_for(Purpose.DRAFT), timeout=ANSWERS_IN)
        (postgres,) = site.pids(Target.POSTGRES)
        os.kill(postgres, number)
        wait_until(lambda: not process_arguments(postgres))
        page = visitor.get(turn)
        assert page.status in {200, 500}
        assert page.status == 200 or "Hãy thử lại sau ít phút" in page.text
        wait_until(lambda: visitor.get(turn).status == 200, timeout=ANSWERS_IN)
        goes_on.set()
        assert BY_MODEL in visitor.answer(turn, timeout=ANSWERS_IN)
        assert site.rows("SELECT state, count(*) FROM chat_turn GROUP BY state") == [("done", 1)]
        assert BY_MODEL in visitor.answer(visitor.ask(QUESTION), timeout=ANSWERS_IN)
    finally:
        goes_on.set()
        site.stop()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A real file system of little size."""
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", str(place)]
    mounted = subprocess.run(command, capture_output=True, text=True, check=False)
    if mounted.returncode:
        pytest.skip(f"no small disk to fill: {mounted.stderr.strip()}")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


@pytest.fixture
def site(small_disk: Path, tmp_path: Path) -> Iterator[Site]:
    """The program with all its data on that disk, the sample published and reviewed."""
    site = Site(small_disk / "data", free_port(), tmp_path, variables={"EMBEDDING_PROVIDER": "disabled"})
    site.start()
    try:
        site.manage("-m", "tests.site.decide_reviews")
        yield site
    finally:
        site.stop()


def fill(disk: Path, *, leave: int) -> Path:
    """A file that takes all room but so many bytes; removed, there is room again."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file, suppress(OSError):
        while (room := disk_usage(disk).free - leave) > 0:
            file.write(b"\0" * min(room, 1_000_000))
    return ballast


def ended(site: Site, pk: int) -> Run:
    run = wait_until(lambda: (run := site.run(pk)) and run.is_final and run, timeout=ANSWERS_IN)
    assert isinstance(run, Run)
    return run


def served(site: Site) -> list[tuple[int, str]]:
    return site.rows("SELECT id, title FROM monographs_edition WHERE state = 'published'")


def test_a_disk_that_fills_up_during_an_ingest(site: Site, small_disk: Path) -> None:
    visitor, before = Visitor(site.port), served(site)
    answered = visitor.ask(QUESTION)
    shown = visitor.answer(answered)
    reviews = site.rows("SELECT * FROM ingest_review ORDER BY id")
    pk = site.ingest(OTHER_SAMPLE, "Đầy đĩa")
    wait_until(lambda: (run := site.run(pk)) and run.stage == "store", timeout=ANSWERS_IN)
    ballast = fill(small_disk, leave=0)
    run = ended(site, pk)
    assert (run.state, run.error_code, run.error, run.attempts) == ("failed", "disk_full", DISK_FULL, 1)
    # Readers go on with what was served; nothing of the other edition can be seen.
    assert served(site) == before
    assert visitor.get(answered).status == 200 and visitor.get("/monographs/").status == 200
    assert visitor.get(f"/monographs/metformin/?edition={run.edition}").status == 404
    ballast.unlink()
    assert visitor.answer(visitor.ask(QUESTION))
    assert ended(site, site.ingest(OTHER_SAMPLE, "Có chỗ")).state == "published"
    assert site.rows("SELECT * FROM ingest_review ORDER BY id") == reviews
    assert visitor.get(answered).text.count("claim") == shown.count("claim")


def test_a_book_for_which_there_is_no_room_is_refused_in_a_sentence(site: Site, small_disk: Path) -> None:
    ballast = fill(small_disk, leave=0)
    with pytest.raises(AssertionError, match=r"Không đọc hoặc không chép được tệp .*No space left on device"):
        site.ingest(OTHER_SAMPLE, "Không có chỗ")
    assert list((site.data_dir / "editions").glob("*.part")) == []
    ballast.unlink()
    assert ended(site, site.ingest(OTHER_SAMPLE, "Có chỗ")).state == "published"


def test_postgres_that_cannot_write_its_log_comes_back_once_there_is_room(site: Site, small_disk: Path) -> None:
    visitor = Visitor(site.port)
    answered = visitor.ask(QUESTION)
    assert visitor.answer(answered)
    assert site.program is not None
    ballast = fill(small_disk, leave=1_000_000)
    with suppress(psycopg.OperationalError):
        for _ in range(20):
            # Each asks for another file of the log, until there is no room for one.
            site.rows("SELECT pg_switch_wal()")
            site.rows("SELECT pg_logical_emit_message(true, 'x', 'x')")
    program = site.program
    wait_until(lambda: "đã đầy: hãy giải phóng chỗ" in program.said, timeout=ANSWERS_IN)
    assert visitor.get("/monographs/").status == 500
    assert program.process.poll() is None, "the program waits for room"
    ballast.unlink()
    wait_until(lambda: visitor.get(answered).status == 200, timeout=ANSWERS_IN)
    assert visitor.answer(visitor.ask(QUESTION))
    assert program.said.count("\nỔ đĩa chứa") == 1
