"""Uploaded PDFs that no edition and no run needs any more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from django.utils import timezone

from ingest.library import stored_pdf
from ingest.models import IngestRun, RunState
from monographs.models import Edition, EditionState

_SETTLED = (RunState.PUBLISHED, RunState.FAILED, RunState.CANCELLED, RunState.DISCARDED)
# What an upload that was killed left behind; no copy takes that long.
_PART_AGE = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class RemovedFiles:
    """How many files go, and their bytes."""

    files: int = 0
    size: int = 0


def unneeded_pdfs(before: datetime | None) -> list[Path]:
    """Files that were sent in before then (None: none of them) and of which no edition is kept and no run is under way;
    and what broken uploads left.

    The PDF of an edition that was ever served is always needed: its citations show the printed page.
    """
    folder = stored_pdf("x").parent
    needed = {stored_pdf(sha256).name for sha256 in _needed()}
    pdfs = [path for path in folder.glob("*.pdf") if path.name not in needed and _is_older(path, before)]
    parts = [path for path in folder.glob("*.part") if _is_older(path, timezone.now() - _PART_AGE)]
    return sorted([*pdfs, *parts])


def remove_files(paths: list[Path], *, delete: bool) -> RemovedFiles:
    """Removes files, or only counts them; one that is gone already counts as nothing."""
    sizes = []
    for path in paths:
        try:
            size = path.stat().st_size
            if delete:
                path.unlink()
        except FileNotFoundError:
            continue
        sizes.append(size)
    return RemovedFiles(len(sizes), sum(sizes))


def _needed() -> Iterator[str]:
    yield from Edition.objects.exclude(state=EditionState.DISCARDED).values_list("sha256", flat=True)
    yield from IngestRun.objects.exclude(state__in=_SETTLED).values_list("sha256", flat=True)


def _is_older(path: Path, before: datetime | None) -> bool:
    if before is None or path.is_symlink():
        return False
    try:
        return path.stat().st_mtime < before.timestamp()
    except FileNotFoundError:
        return False
