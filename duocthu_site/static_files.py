"""Static files are collected again only when one of their sources changed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command

STAMP = "sources.sha256"


def collect_when_changed() -> bool:
    """Collect into STATIC_ROOT where needed; returns whether that was so."""
    stamp = Path(settings.STATIC_ROOT) / STAMP
    digest = sources_digest()
    if stamp.exists() and stamp.read_text(encoding="ascii") == digest:
        return False
    call_command("collectstatic", interactive=False, verbosity=0, clear=True)
    stamp.write_text(digest, encoding="ascii")
    return True


def sources_digest() -> str:
    """A digest of every source's name, place, size and time of change."""
    return hashlib.sha256("\n".join(sorted(_describe_sources())).encode()).hexdigest()


def _describe_sources() -> Iterator[str]:
    for finder in get_finders():
        for name, storage in finder.list([]):
            path = Path(storage.path(name))
            status = path.stat()
            yield f"{name}|{path}|{status.st_size}|{status.st_mtime_ns}"
