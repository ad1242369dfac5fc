"""Programs started by tests, with what they said, and what they leave behind."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from duocthu_site.postmaster import process_arguments

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Program:
    """A Python program of ours, running; its output goes to a file."""

    process: subprocess.Popen[bytes]
    output: Path

    @property
    def said(self) -> str:
        """Everything it has printed so far."""
        return self.output.read_text(encoding="utf-8", errors="replace")

    def kill(self) -> None:
        """End it and all it started, at once."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def clean_environment(**variables: str) -> dict[str, str]:
    """Just enough to run, so that no setting of the caller leaks in."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR") if name in os.environ}
    return kept | {"PYTHONUNBUFFERED": "1"} | variables


def start_program(arguments: Sequence[str], output: Path, **variables: str) -> Program:
    """Run `python ARGUMENTS` in the repository."""
    with output.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, *arguments],
            cwd=ROOT,
            env=clean_environment(**variables),
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    return Program(process, output)


def run_program(arguments: Sequence[str], **variables: str) -> subprocess.CompletedProcess[str]:
    """Run `python ARGUMENTS` in the repository to its end."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=clean_environment(**variables),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def processes_of(data_dir: Path) -> dict[int, str]:
    """Live processes that name this data directory in their command line or their environment."""
    found = {}
    for pid in _all_processes():
        command = " ".join(process_arguments(pid))
        if command and (str(data_dir) in command or str(data_dir) in _environment_of(pid)):
            found[pid] = command
    found.pop(os.getpid(), None)
    return found


def child_processes(parent: int) -> list[int]:
    """Live processes whose parent this is."""
    return [pid for pid in _all_processes() if process_arguments(pid) and _parent_of(pid) == parent]


def descendants(ancestors: Sequence[int]) -> set[int]:
    """These processes and all that they started."""
    found, new = set(ancestors), list(ancestors)
    while new:
        new = [pid for parent in new for pid in child_processes(parent) if pid not in found]
        found.update(new)
    return found


def _all_processes() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _parent_of(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1])
    except (OSError, ValueError):
        return 0


def _environment_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/environ").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
