"""The few faces of the packaged font that the pages use, offered as static files under fonts/."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import fontpkg_be_vietnam_pro
from django.contrib.staticfiles.finders import BaseFinder
from django.core.files.storage import FileSystemStorage

FONT_FILES = frozenset({"BeVietnamPro-Regular.ttf", "BeVietnamPro-Italic.ttf", "BeVietnamPro-SemiBold.ttf"})
PREFIX = "fonts"


class FontFinder(BaseFinder):
    """Finds fonts/BeVietnamPro-*.ttf in the font's package, and nothing else."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.storage = FileSystemStorage(location=Path(fontpkg_be_vietnam_pro.ROOT) / "files")
        self.storage.prefix = PREFIX  # type: ignore[attr-defined]

    def find(self, path: str, find_all: bool = False, **kwargs: Any) -> Any:  # noqa: FBT001, FBT002
        """The file behind fonts/NAME; a list where find_all."""
        folder, _, name = path.partition("/")
        found = [self.storage.path(name)] if folder == PREFIX and name in FONT_FILES else []
        return found if find_all else next(iter(found), [])

    def list(self, ignore_patterns: Iterable[str] | None) -> Iterator[tuple[str, FileSystemStorage]]:
        """Every face with the storage that holds it."""
        return ((name, self.storage) for name in sorted(FONT_FILES))
