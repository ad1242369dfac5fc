"""The embedded server: started on demand, shared, brought back, stopped after the last user."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from duocthu_site import privileges, server_start
from duocthu_site.cluster import EmbeddedCluster, EmbeddedServerError, explain_failure
from duocthu_site.embedded import hold_server, release_server
from duocthu_site.postmaster import find_postmaster, process_arguments, stop_postmaster
from duocthu_site.privileges import Launcher
from tests.site.processes import clean_environment, processes_of, run_program, start_program
from tests.site.waiting import wait_until

pytestmark = pytest.mark.service

HOLDER = (
    "import sys; from pathlib import Path; from duocthu_site.cluster import EmbeddedCluster;"
    "from duocthu_site.embedded import hold_server;"
    "hold_server(EmbeddedCluster(Path(sys.argv[1]), durable=False)); print('held', flush=True); input()"
)


@pytest.fixture(params=[False], ids=["quick"])
def cluster(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[EmbeddedCluster]:
    described = EmbeddedCluster(data_dir=tmp_path / "data", durable=request.param)
    yield described
    release_server(described)
    stop_postmaster(described.directory)


def ask(cluster: EmbeddedCluster, statement: str) -> object:
    url = cluster.url
    with psycopg.connect(host=url.host, port=url.port, user=url.user, dbname=url.name) as connection:
        cursor = connection.execute(statement.encode())
        row = cursor.fetchone() if cursor.description else None
    return row[0] if row else None


def server_pid(cluster: EmbeddedCluster) -> int:
    server = find_postmaster(cluster.directory)
    assert server is not None
    return server.pid


def start_holder(cluster: EmbeddedCluster) -> subprocess.Popen[str]:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(cluster.data_dir)],
        env=clean_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    return holder


def end_holder(holder: subprocess.Popen[str]) -> None:
    holder.communicate("\n", timeout=30)


def test_it_speaks_vietnamese_whatever_the_locale(cluster: EmbeddedCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "C")
    hold_server(cluster)
    assert ask(cluster, "SELECT 'LIỀU' ILIKE 'liều'") is True
    assert ask(cluster, "SELECT default_version FROM pg_available_extensions WHERE name = 'vector'")


def test_it_is_down_when_the_last_user_has_left(cluster: EmbeddedCluster) -> None:
    hold_server(cluster)
    assert find_postmaster(cluster.directory)
    release_server(cluster)
    assert find_postmaster(cluster.directory) is None
    wait_until(lambda: not processes_of(cluster.data_dir))


def test_data_survive_a_restart(cluster: EmbeddedCluster) -> None:
    hold_server(cluster)
    ask(cluster, "CREATE TABLE kept AS SELECT 7 AS n")
    release_server(cluster)
    hold_server(cluster)
    assert ask(cluster, "SELECT n FROM kept") == 7


def test_two_processes_share_one_server_and_the_last_one_stops_it(cluster: EmbeddedCluster) -> None:
    first, second = start_holder(cluster), start_holder(cluster)
    pid = server_pid(cluster)
    end_holder(first)
    assert server_pid(cluster) == pid
    end_holder(second)
    assert find_postmaster(cluster.directory) is None


def test_it_stops_after_a_user_that_was_killed(cluster: EmbeddedCluster) -> None:
    holder = start_holder(cluster)
    holder.kill()
    wait_until(lambda: find_postmaster(cluster.directory) is None)
    holder.communicate()
    wait_until(lambda: not processes_of(cluster.data_dir))


def test_a_keeper_that_was_killed_is_replaced(cluster: EmbeddedCluster) -> None:
    holder = start_holder(cluster)
    (keeper,) = [pid for pid, command in processes_of(cluster.data_dir).items() if "postmaster.py" in command]
    os.kill(keeper, signal.SIGKILL)
    second = start_holder(cluster)
    holder.kill()
    second.kill()
    wait_until(lambda: find_postmaster(cluster.directory) is None)
    holder.communicate()
    second.communicate()


@pytest.mark.parametrize("cluster", [True], indirect=True, ids=["durable"])
def test_a_killed_server_is_brought_back(cluster: EmbeddedCluster) -> None:
    hold_server(cluster)
    ask(cluster, "CREATE TABLE kept AS SELECT 7 AS n")
    killed = server_pid(cluster)
    os.kill(killed, signal.SIGKILL)
    wait_until(lambda: not process_arguments(killed))
    hold_server(cluster)
    assert server_pid(cluster) != killed
    assert ask(cluster, "SELECT n FROM kept") == 7


def test_a_pid_file_whose_pid_went_to_another_process_is_not_believed(cluster: EmbeddedCluster) -> None:
    hold_server(cluster)
    release_server(cluster)
    stranger = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    (cluster.directory / "postmaster.pid").write_text(
        f"{stranger.pid}\n{cluster.directory}\n1\n5432\n{cluster.socket_dir}\n\n1 1\nready\n"
    )
    assert find_postmaster(cluster.directory) is None
    hold_server(cluster)
    assert ask(cluster, "SELECT 1") == 1
    release_server(cluster)
    assert stranger.poll() is None
    stranger.communicate(b"\n")


def test_a_zombie_is_not_taken_for_a_server(cluster: EmbeddedCluster) -> None:
    hold_server(cluster)
    release_server(cluster)
    zombie = subprocess.Popen(["true"])
    wait_until(lambda: not process_arguments(zombie.pid))
    (cluster.directory / "postmaster.pid").write_text(f"{zombie.pid}\n{cluster.directory}\n1\n5432\n\n\n1 1\nready\n")
    hold_server(cluster)
    assert ask(cluster, "SELECT 1") == 1
    zombie.wait()


@pytest.mark.parametrize("content", ["", "\n", "abc\n", "99999999\n"])
def test_a_broken_pid_file_is_not_believed(cluster: EmbeddedCluster, content: str) -> None:
    cluster.directory.mkdir(parents=True)
    (cluster.directory / "postmaster.pid").write_text(content)
    assert find_postmaster(cluster.directory) is None
    shutil.rmtree(cluster.directory)


def test_a_server_without_its_socket_is_started_again(cluster: EmbeddedCluster) -> None:
    hold_server(cluster)
    cluster.socket.unlink()
    hold_server(cluster)
    assert ask(cluster, "SELECT 1") == 1


@pytest.mark.parametrize("name", ["d" * 120, "dữ liệu của tôi", "it's, here"])
def test_long_and_odd_paths_work(tmp_path: Path, name: str) -> None:
    cluster = EmbeddedCluster(data_dir=tmp_path / name, durable=False)
    assert len(os.fsencode(cluster.socket)) < 107
    hold_server(cluster)
    assert ask(cluster, "SELECT 1") == 1
    release_server(cluster)
    shutil.rmtree(cluster.socket_dir)


@pytest.mark.parametrize("name", ['"', "$HOME", "`id`", "a\\b", "a\nb"])
def test_paths_that_a_shell_would_read_are_refused(tmp_path: Path, name: str) -> None:
    cluster = EmbeddedCluster(data_dir=tmp_path / name)
    with pytest.raises(EmbeddedServerError, match="DUOCTHU_DATA_DIR"):
        hold_server(cluster)
    release_server(cluster)


def test_an_interrupted_first_start_is_made_good(cluster: EmbeddedCluster) -> None:
    draft = cluster.directory.with_suffix(".partial")
    draft.mkdir(parents=True)
    (draft / "PG_VERSION").write_text("18\n")
    hold_server(cluster)
    assert not draft.exists()


def test_a_damaged_cluster_is_kept_and_explained(tmp_path: Path) -> None:
    cluster = EmbeddedCluster(data_dir=tmp_path)
    hold_server(cluster)
    release_server(cluster)
    (cluster.directory / "global" / "pg_control").write_bytes(b"")
    with pytest.raises(EmbeddedServerError, match="không khởi động được") as caught:
        hold_server(cluster)
    release_server(cluster)
    assert str(cluster.directory) in str(caught.value)
    assert (cluster.directory / "base").exists()


def test_a_read_only_data_directory_is_told_in_a_sentence(tmp_path: Path) -> None:
    result = subprocess.run(
        [
            "unshare",
            "--user",
            "--map-root-user",
            "--mount",
            "sh",
            "-c",
            'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$1" manage.py migrate',
            str(tmp_path),
            sys.executable,
        ],
        env=clean_environment(DUOCTHU_DATA_DIR=str(tmp_path)),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    if "unshare" in result.stderr:
        pytest.skip("no user namespaces here")
    assert result.returncode == 1
    assert f"Không ghi được vào thư mục dữ liệu {tmp_path}" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("could not write to file: No space left on device", "is full"),
        ("could not create directory: Permission denied", "cannot be written"),
        ("FATAL:  could not open shared memory segment", "could not open shared memory segment"),
        ("", "không rõ lý do"),
    ],
)
def test_the_servers_words_are_explained(tmp_path: Path, said: str, expected: str) -> None:
    assert expected in str(explain_failure(EmbeddedCluster(tmp_path), said))


def test_a_platform_without_the_package_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_start, "PACKAGE", "no_such_package")
    server_start.binary_dir.cache_clear()
    with pytest.raises(EmbeddedServerError, match="set DATABASE_URL"):
        server_start.binary_dir()
    server_start.binary_dir.cache_clear()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root drops its rights")
def test_where_namespaces_are_refused_root_drops_to_another_user(monkeypatch: pytest.MonkeyPatch) -> None:
    if not all(parent.stat().st_mode & 0o001 for parent in server_start.binary_dir().parents):
        pytest.skip("the binaries are where only root can read them")
    monkeypatch.setattr(privileges, "namespace_prefix", lambda uid, gid: ("false",))
    privileges.choose_launcher.cache_clear()
    data_dir = Path(tempfile.mkdtemp(prefix="duocthu-"))
    data_dir.chmod(0o755)
    cluster = EmbeddedCluster(data_dir, durable=False)
    try:
        assert privileges.choose_launcher().user is not None
        hold_server(cluster)
        assert ask(cluster, "SELECT 1") == 1
        assert cluster.directory.stat().st_uid != 0
    finally:
        release_server(cluster)
        privileges.choose_launcher.cache_clear()
        wait_until(lambda: not processes_of(data_dir))
        shutil.rmtree(data_dir)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root drops its rights")
def test_binaries_out_of_reach_are_told_in_a_sentence(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    program = tmp_path / "initdb"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    with pytest.raises(EmbeddedServerError, match="run as a normal user"):
        Launcher(user=65534, group=65534).run([program])


def test_a_normal_user_is_left_as_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert privileges.choose_launcher.__wrapped__() == Launcher()


@pytest.mark.parametrize("arguments", [["--help"], ["check"], ["help", "migrate"], ["diffsettings"]])
def test_commands_without_a_database_start_no_server(tmp_path: Path, arguments: list[str]) -> None:
    result = run_program(["manage.py", *arguments], DUOCTHU_DATA_DIR=str(tmp_path))
    assert result.returncode == 0, result.stderr
    assert not (tmp_path / "postgres.users.lock").exists()


def test_many_first_users_at_once_start_one_server(cluster: EmbeddedCluster, tmp_path: Path) -> None:
    code = HOLDER.replace("input()", "")
    programs = [start_program(["-c", code, str(cluster.data_dir)], tmp_path / f"{n}.log") for n in range(5)]
    assert [(program.process.wait(60), program.said) for program in programs] == [(0, "held\n")] * 5
    wait_until(lambda: find_postmaster(cluster.directory) is None)
