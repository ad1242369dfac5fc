"""The files in which the processes of a machine count together: where they lie, and what becomes of the dead's."""

from __future__ import annotations

import fcntl
import logging
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from prometheus_client import REGISTRY, values
from prometheus_client.core import Metric
from prometheus_client.mmap_dict import MmapedDict
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

from duocthu_site.embedded import open_lock
from duocthu_site.postmaster import process_arguments
from monographs.metric_files import DIRECTORY, SUMMED, host_name, metric_directory

log = logging.getLogger(__name__)
_LOCK = "lock"


def share_counts(*, afresh: bool = False) -> None:
    """Has this process, and those that it starts, count in files under the data directory, if nothing else is set.

    To be called before anything that counts is imported. afresh: what was counted by processes that are gone is
    forgotten.
    """
    from django.conf import settings

    directory = Path(os.environ.setdefault(DIRECTORY, str(settings.DUOCTHU_DATA_DIR / "metrics")))
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with _alone_in(directory):
            if afresh:
                _forget_all_but_living(directory)
            bury_dead(directory)
    except OSError as error:
        log.warning("metrics_not_shared error=%s", error.strerror)


def counted() -> list[Metric]:
    """What all processes of this machine have counted, also those that have ended; without a directory, this one."""
    directory = metric_directory()
    if directory is None or values.ValueClass is values.MutexValue:
        return list(REGISTRY.collect())
    with _alone_in(directory):
        bury_dead(directory)
        return list(MultiProcessCollector(None, str(directory)).collect())  # type: ignore[no-untyped-call]


def bury_dead(directory: Path) -> None:
    """Adds what processes of this machine that are gone had counted to one file, so that files do not pile up while
    the sums stay; what they were doing when they ended is no longer told."""
    dead = [path for path in directory.glob("*.db") if _is_of_dead(path)]
    for kind in SUMMED:
        _add_up(
            [path for path in dead if path.name.startswith(f"{kind}_")], directory / f"{kind}_{host_name()}-gone.db"
        )
    for path in dead:
        if path.name.startswith("gauge_"):
            mark_process_dead(_process_of(path), str(directory))  # type: ignore[no-untyped-call]


def _add_up(dead: list[Path], into: Path) -> None:
    if not dead:
        return
    made = into.with_suffix(".new")
    made.unlink(missing_ok=True)
    _write_sums(made, [*dead, *([into] if into.exists() else [])])
    made.replace(into)
    for path in dead:
        path.unlink()


def _write_sums(path: Path, of: Iterable[Path]) -> None:
    sums: dict[str, float] = defaultdict(float)
    for file in of:
        for key, value, *_ in MmapedDict.read_all_values_from_file(str(file)):  # type: ignore[no-untyped-call]
            sums[key] += value
    written = MmapedDict(str(path))  # type: ignore[no-untyped-call]
    for key, value in sums.items():
        written.write_value(key, value, 0.0)  # type: ignore[no-untyped-call]
    written.close()  # type: ignore[no-untyped-call]


def _process_of(path: Path) -> str:
    """host-pid, the last part of counter_host-pid.db."""
    return path.stem.rpartition("_")[2]


def _forget_all_but_living(directory: Path) -> None:
    for path in directory.glob("*.db"):
        host, _, pid = _process_of(path).rpartition("-")
        if host != host_name() or not (pid.isdigit() and process_arguments(int(pid))):
            path.unlink()


def _is_of_dead(path: Path) -> bool:
    """Only of this machine can be known who lives: elsewhere the same number is somebody else's."""
    host, _, pid = _process_of(path).rpartition("-")
    return host == host_name() and pid.isdigit() and not process_arguments(int(pid))


@contextmanager
def _alone_in(directory: Path) -> Iterator[None]:
    lock = open_lock(directory / _LOCK, fcntl.LOCK_EX)
    try:
        yield
    finally:
        os.close(lock)
