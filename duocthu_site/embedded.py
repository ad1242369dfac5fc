"""The life of the embedded PostgreSQL: up with the first process that uses it, down after the last.

Each process that uses the server holds a shared file lock for as long as it lives. The keeper (postmaster.py) waits
for the exclusive one; the kernel grants it when the last user is gone, even one that was killed.
"""

from __future__ import annotations

import atexit
import contextlib
import errno
import fcntl
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

from duocthu_site import postmaster
from duocthu_site.cluster import EmbeddedCluster, explain_failure, unwritable
from duocthu_site.postmaster import stop_postmaster
from duocthu_site.server_start import ensure_started, is_reachable

# Locks held by this process: cluster to (process that took it, open file).
_held: dict[EmbeddedCluster, tuple[int, int]] = {}
_guard = threading.Lock()


def _renew_guard() -> None:
    # A thread of the parent may have held the old one at the moment of the fork.
    global _guard  # noqa: PLW0603
    _guard = threading.Lock()


os.register_at_fork(after_in_child=_renew_guard)


def hold_server(cluster: EmbeddedCluster | None) -> None:
    """Make sure the server runs, and keep it running while this process lives.

    Cheap when all is well; also brings back a server that died. None (a server from outside) is left alone.
    """
    if cluster is None or (cluster in _held and is_reachable(cluster)):
        return
    with _guard, _told_plainly(cluster):
        if cluster not in _held:
            cluster.data_dir.mkdir(parents=True, exist_ok=True)
            _held[cluster] = (os.getpid(), open_lock(cluster.lock_file("users"), fcntl.LOCK_SH))
        lock = open_lock(cluster.lock_file("start"), fcntl.LOCK_EX)
        try:
            ensure_started(cluster)
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


def _ensure_keeper(cluster: EmbeddedCluster) -> None:
    try:
        os.close(open_lock(cluster.lock_file("keeper"), fcntl.LOCK_EX | fcntl.LOCK_NB))
    except BlockingIOError:
        return
    arguments = [cluster.directory, cluster.lock_file("users"), cluster.lock_file("keeper")]
    # Through a shell that leaves at once, so that the keeper is nobody's child and never a zombie of ours.
    subprocess.run(
        ["sh", "-c", '"$0" "$@" &', sys.executable, "-I", "-S", postmaster.__file__, *map(str, arguments)],
        check=True,
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


@contextlib.contextmanager
def _told_plainly(cluster: EmbeddedCluster) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        if error.errno == errno.ENOSPC:
            raise explain_failure(cluster, reason) from error
        raise unwritable(cluster.data_dir, reason) from error
