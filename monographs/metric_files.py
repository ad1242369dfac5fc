"""Where a process keeps what it counts: in memory, or in files of a directory in which all processes are added up."""

from __future__ import annotations

import logging
import os
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Final

from prometheus_client import values

log = logging.getLogger(__name__)
# The library's own name for the directory. It is read when the first metric is made, so it is no setting.
DIRECTORY = "PROMETHEUS_MULTIPROC_DIR"
LIVE: Final = "livesum"
SUMMED = ("counter", "histogram")
_KINDS = (*SUMMED, f"gauge_{LIVE}")
_BYTES = 256 * 1024


def metric_directory() -> Path | None:
    """Where the processes meet; None where each counts for itself."""
    given = os.environ.get(DIRECTORY, "").strip()
    return Path(given) if given else None


def host_name() -> str:
    """Of this machine or container, as it stands in file names, which the library splits at underscores."""
    return re.sub(r"[^A-Za-z0-9.-]", "-", socket.gethostname())


def process_name() -> str:
    """Tells this process from all that share the directory, those of other containers too."""
    return _named(os.getpid())


@cache
def use_files() -> None:
    """Has what is counted from here on kept in files, where a directory is given: called before a metric is made.

    Where the disk is full, this process counts for itself, and says so.
    """
    directory = metric_directory()
    if directory is None:
        return
    try:
        directory.mkdir(parents=True, exist_ok=True)
        _named(os.getpid())
    except OSError as error:
        log.warning("metrics_in_memory error=%s", error.strerror)
        values.ValueClass = values.MutexValue
    else:
        values.ValueClass = values.MultiProcessValue(process_name)  # type: ignore[no-untyped-call]


@contextmanager
def counting() -> Iterator[None]:
    """What is counted inside is lost where the disk is full; what it is counted of goes on."""
    try:
        yield
    except OSError as error:
        log.warning("not_counted error=%s", error.strerror)


@cache
def _named(pid: int) -> str:
    name = f"{host_name()}-{pid}"
    directory = metric_directory()
    if directory is not None:
        for kind in _KINDS:
            _reserve(directory / f"{kind}_{name}.db")
    return name


def _reserve(path: Path) -> None:
    """Room on the disk beforehand: the files are mapped, and a page without room ends the process that writes it."""
    with path.open("ab") as file:
        if not file.tell() and hasattr(os, "posix_fallocate"):
            try:
                os.posix_fallocate(file.fileno(), 0, _BYTES)
            except OSError:
                path.unlink()
                raise
