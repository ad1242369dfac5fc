"""Starting, watching and ending everything at once, in real processes."""

from __future__ import annotations

import http.client
import os
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from duocthu_site import supervisor
from duocthu_site.cluster import EmbeddedCluster, EmbeddedServerError
from duocthu_site.postmaster import process_arguments
from duocthu_site.supervisor import (
    LONGEST_BACKOFF,
    STEADY_SECONDS,
    Child,
    DatabaseCare,
    StartError,
    answers,
    reserve_port,
)
from tests.site.processes import Program, child_processes, processes_of, run_program, start_program
from tests.site.waiting import wait_until

pytestmark = pytest.mark.service

SUPERVISOR = ["-m", "duocthu_site.supervisor"]
START_SECONDS = 90.0
STOP_SECONDS = 30.0


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One data directory for all, so that the sample is ingested once."""
    return tmp_path_factory.mktemp("supervised")


@pytest.fixture
def port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def served(data_dir: Path, port: int, tmp_path: Path) -> Iterator[Program]:
    program = start_program(SUPERVISOR, tmp_path / "served.log", DUOCTHU_DATA_DIR=str(data_dir), PORT=str(port))
    wait_until_served(program)
    yield program
    if program.process.poll() is None:
        program.process.terminate()
        program.process.wait(STOP_SECONDS)
    wait_until(lambda: not processes_of(data_dir), timeout=STOP_SECONDS)


def wait_until_served(program: Program) -> None:
    wait_until(lambda: "http://" in program.said or program.process.poll() is not None, timeout=START_SECONDS)
    assert program.process.poll() is None, program.said


def status_of(port: int, path: str) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    finally:
        connection.close()


def find_child(module: str, *, parent: int) -> int:
    """The first child of parent that runs this module, or 0."""
    return next((pid for pid in child_processes(parent) if module in process_arguments(pid)), 0)


@pytest.mark.parametrize("stop_signal", [signal.SIGTERM, signal.SIGINT])
def test_it_serves_and_a_stop_leaves_no_process(
    served: Program, data_dir: Path, port: int, stop_signal: signal.Signals
) -> None:
    assert f"http://127.0.0.1:{port}/" in served.said
    assert status_of(port, "/admin/login/") == 200
    served.process.send_signal(stop_signal)
    assert served.process.wait(STOP_SECONDS) == 0
    assert processes_of(data_dir) == {}
    assert not answers(port)


def test_a_killed_supervisor_leaves_no_process_and_the_next_one_starts_at_once(
    served: Program, data_dir: Path, port: int, tmp_path: Path
) -> None:
    served.process.kill()
    served.process.wait()
    again = start_program(SUPERVISOR, tmp_path / "again.log", DUOCTHU_DATA_DIR=str(data_dir), PORT=str(port))
    wait_until_served(again)
    again.process.kill()
    again.process.wait()
    wait_until(lambda: not processes_of(data_dir))


def test_what_dies_is_started_again(served: Program, data_dir: Path, port: int) -> None:
    parent = served.process.pid
    web = find_child("duocthu_site.web", parent=parent)
    worker = find_child("duocthu_site.worker", parent=parent)
    (postgres,) = [pid for pid, command in processes_of(data_dir).items() if "bin/postgres -D" in command]
    for pid in (web, worker, postgres):
        os.kill(pid, signal.SIGKILL)
    wait_until(lambda: find_child("duocthu_site.web", parent=parent) not in {0, web}, timeout=20)
    wait_until(lambda: find_child("duocthu_site.worker", parent=parent) not in {0, worker}, timeout=20)
    wait_until(lambda: answers(port) and status_of(port, "/admin/login/") == 200, timeout=20)


def test_a_web_worker_that_dies_is_replaced(served: Program, data_dir: Path, port: int) -> None:
    web = find_child("duocthu_site.web", parent=served.process.pid)
    killed = find_child("duocthu_site.web", parent=web)
    os.kill(killed, signal.SIGKILL)
    wait_until(lambda: find_child("duocthu_site.web", parent=web) not in {0, killed}, timeout=20)
    wait_until(lambda: answers(port) and status_of(port, "/admin/login/") == 200, timeout=20)


def test_a_taken_port_is_told_before_anything_is_touched(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        result = run_program(SUPERVISOR, DUOCTHU_DATA_DIR=str(tmp_path / "data"), PORT=str(port))
    assert result.returncode == 1
    assert f"Cổng {port} đang được chương trình khác dùng" in result.stderr
    assert f"Port {port} is taken" in result.stderr
    assert "Traceback" not in result.stderr
    assert not (tmp_path / "data" / "postgres-18").exists()


def test_a_second_start_beside_the_first_is_refused(port: int) -> None:
    first = reserve_port(port)
    with pytest.raises(StartError, match=str(port)):
        reserve_port(port)
    first.close()
    reserve_port(port).close()


@pytest.mark.parametrize(
    ("variables", "sentence"),
    [
        ({"PORT": "many"}, "PORT is 'many', but must be a port number"),
        ({"DATABASE_URL": "mysql://h/n"}, "DATABASE_URL must be a PostgreSQL address"),
        ({"DUOCTHU_DATA_DIR": "/proc/duocthu"}, "Không ghi được vào thư mục dữ liệu /proc/duocthu"),
    ],
    ids=["port", "database", "data-dir"],
)
def test_bad_values_are_told_in_a_sentence(variables: dict[str, str], sentence: str, tmp_path: Path, port: int) -> None:
    result = run_program(SUPERVISOR, **{"DUOCTHU_DATA_DIR": str(tmp_path), "PORT": str(port)} | variables)
    assert result.returncode == 1
    assert sentence in result.stderr
    assert "Traceback" not in result.stderr


def test_a_file_that_is_no_pdf_is_told_in_a_sentence(data_dir: Path, tmp_path: Path, port: int) -> None:
    file = tmp_path / "không phải.pdf"
    file.write_text("xin chào")
    result = run_program([*SUPERVISOR, "--pdf", str(file)], DUOCTHU_DATA_DIR=str(data_dir), PORT=str(port))
    assert result.returncode == 1
    assert "Traceback" not in result.stderr
    assert processes_of(data_dir) == {}


def test_the_pause_before_a_restart_grows_and_is_forgotten_after_a_steady_run() -> None:
    child = Child("thử", ("false",))
    now = time.monotonic()
    pauses = []
    for _ in range(8):
        child.start()
        assert child.process is not None
        child.process.wait()
        child._plan_restart(now)
        pauses.append(child.backoff)
    assert pauses == [2.0, 4.0, 8.0, 16.0, LONGEST_BACKOFF, LONGEST_BACKOFF, LONGEST_BACKOFF, LONGEST_BACKOFF]
    child.start()
    assert child.process is not None
    child.process.wait()
    child._plan_restart(child.started_at + STEADY_SECONDS + 1)
    assert child.backoff == 1.0


def test_a_database_that_cannot_come_up_is_told_once_and_tried_again_after_a_pause(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    tries: list[EmbeddedCluster | None] = []
    full = True

    def hold(cluster: EmbeddedCluster | None) -> None:
        tries.append(cluster)
        if full:
            raise EmbeddedServerError("Ổ đĩa đã đầy.", "The disk is full.")

    monkeypatch.setattr(supervisor, "hold_server", hold)
    care = DatabaseCare(EmbeddedCluster(tmp_path))
    care()
    care()
    assert len(tries) == 1, "the pause is kept"
    care.try_after = 0.0
    care()
    assert (len(tries), capsys.readouterr().err.count("Ổ đĩa đã đầy.")) == (2, 1)
    full, care.try_after = False, 0.0
    care()
    full = True
    care()
    assert capsys.readouterr().err.count("Ổ đĩa đã đầy.") == 1, "another time is told of again"


def test_a_child_that_ignores_the_wish_to_stop_is_ended() -> None:
    child = Child("cứng đầu", ("sh", "-c", "trap '' TERM; while :; do sleep 1; done"))
    child.start()
    child.ask_to_stop()
    child.make_stop(time.monotonic())
    assert child.ended
