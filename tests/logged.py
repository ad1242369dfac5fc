"""What is logged, as production writes it."""

from __future__ import annotations

import io
import logging
import logging.config
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from duocthu_site.logs import logging_settings


@contextmanager
def logged() -> Iterator[Callable[[], list[str]]]:
    """A function that tells the lines that were written inside so far, each a JSON object."""
    described = logging_settings(readable=False)
    stream = io.StringIO()
    described["handlers"]["console"]["stream"] = stream
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    try:
        logging.config.dictConfig(described)
        yield lambda: stream.getvalue().splitlines()
    finally:
        root.handlers[:] = before
        root.setLevel(level)
