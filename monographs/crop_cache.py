"""The pictures of pages that were drawn once: which go when there are too many, to be drawn again where asked for."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings


def surplus_crops(most_bytes: int) -> list[Path]:
    """The pictures that were drawn first, until no more than most_bytes of the others are left."""
    drawn = sorted(_pictures(), key=lambda picture: picture[1], reverse=True)
    kept, surplus = 0, []
    for path, _, size in drawn:
        kept += size
        if kept > most_bytes:
            surplus.append(path)
    return surplus


def _pictures() -> Iterator[tuple[Path, float, int]]:
    """Each with when it was drawn and its bytes."""
    for folder, _, names in os.walk(Path(settings.DUOCTHU_DATA_DIR) / "crops"):
        for name in names:
            path = Path(folder) / name
            try:
                found = path.lstat()
            except FileNotFoundError:
                continue
            yield path, found.st_mtime, found.st_size
