"""One PostgreSQL server process: whether it truly lives, and how it is stopped.

Run as a script (PATH CLUSTER USERS_LOCK KEEPER_LOCK) it is the keeper: it waits until no process uses the server
any more, however those processes ended, and stops it. It needs the standard library only, to be small and quick.
"""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

POLL_SECONDS = 0.02
FAST_STOP_SECONDS = 20.0
IMMEDIATE_STOP_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Postmaster:
    """A live server: its process id, and whether it accepts connections yet."""

    pid: int
    ready: bool


def find_postmaster(cluster: Path) -> Postmaster | None:
    """The live server of this cluster directory, or None.

    The pid file alone proves nothing: after a crash its process may be a zombie or somebody else's.
    """
    lines = read_pid_file(cluster)
    pid = int(lines[0]) if lines and lines[0].strip().isdigit() else 0
    if not pid or not serves_cluster(pid, cluster):
        return None
    return Postmaster(pid=pid, ready=len(lines) > 7 and lines[7].strip() == "ready")


def read_pid_file(cluster: Path) -> list[str]:
    """The lines of postmaster.pid: pid, directory, start time, port, socket directory, host, memory, state."""
    try:
        return (cluster / "postmaster.pid").read_text(encoding="utf-8", errors="replace").splitlines()
    except (FileNotFoundError, NotADirectoryError):
        return []


def serves_cluster(pid: int, cluster: Path) -> bool:
    """Whether this process is alive and is a PostgreSQL server started on this very directory."""
    words = process_arguments(pid)
    return bool(words) and Path(words[0]).name == "postgres" and str(cluster) in " ".join(words[1:])


def process_arguments(pid: int) -> list[str]:
    """The command line of a live process; empty for a zombie or where there is none."""
    if not Path("/proc/self/cmdline").exists():
        return _arguments_from_ps(pid)
    try:
        state = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0]
        raw = Path(f"/proc/{pid}/cmdline").read_bytes()
    except (OSError, IndexError):
        return []
    return [] if state in {b"Z", b"X"} else [os.fsdecode(word) for word in raw.split(b"\0") if word]


def _arguments_from_ps(pid: int) -> list[str]:
    command = ["ps", "-o", "stat=,command=", "-p", str(pid)]
    answer = subprocess.run(command, capture_output=True, text=True, check=False).stdout.split()
    return [] if not answer or answer[0].startswith("Z") else answer[1:]


def stop_postmaster(cluster: Path) -> None:
    """Stop the server of this directory if there is one: politely first, then at once. Returns when it is gone."""
    for signal_number, seconds in (
        (signal.SIGINT, FAST_STOP_SECONDS),
        (signal.SIGQUIT, IMMEDIATE_STOP_SECONDS),
        (signal.SIGKILL, IMMEDIATE_STOP_SECONDS),
    ):
        postmaster = find_postmaster(cluster)
        if postmaster is None or _end_process(postmaster.pid, signal_number, cluster, seconds):
            return


def _end_process(pid: int, signal_number: signal.Signals, cluster: Path, seconds: float) -> bool:
    try:
        os.kill(pid, signal_number)
    except ProcessLookupError:
        return True
    deadline = time.monotonic() + seconds
    while serves_cluster(pid, cluster):
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL_SECONDS)
    return True


def keep(cluster: Path, users_lock: Path, keeper_lock: Path) -> None:
    """Wait for the last user of the server to be gone, then stop it. A second keeper leaves at once."""
    keeper = os.open(keeper_lock, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(keeper, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return
    users = os.open(users_lock, os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(users, fcntl.LOCK_EX)
    stop_postmaster(cluster)
    # In this order: whoever is let in next must find no keeper that is about to leave.
    os.close(keeper)
    os.close(users)


if __name__ == "__main__":
    keep(*(Path(argument) for argument in sys.argv[1:4]))
