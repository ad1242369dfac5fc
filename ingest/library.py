"""Where the PDFs of editions are kept, so that old citations keep their pages."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings

_SAMPLE = Path(__file__).parent / "sample"


@dataclass(frozen=True, slots=True)
class EditionFacts:
    """What an edition is called; is_sample: it is one of the bundled sample PDFs, recognised by its bytes."""

    title: str
    year: int
    is_sample: bool = False


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal. Raises OSError where it cannot be read."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def shown_name(name: str) -> str:
    """A file's name as it may be stored and shown, never opened: without its folders and what cannot be printed."""
    last = name.replace("\\", "/").rpartition("/")[2]
    return "".join(character for character in last if character.isprintable())[:255] or "khong-ten.pdf"


def stored_pdf(sha256: str) -> Path:
    """Where the PDF with this SHA-256 lies (it may not be there)."""
    return Path(settings.DUOCTHU_DATA_DIR) / "editions" / f"{sha256}.pdf"


def keep_pdf(path: Path, sha256: str) -> Path:
    """Copies a PDF into the library, atomically; a copy that is there already is left."""
    target = stored_pdf(sha256)
    if target.exists():
        # Newly asked for: not to be cleared away as left over (ingest/retention.py).
        target.touch()
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=target.parent, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as copy, path.open("rb") as source:
            shutil.copyfileobj(source, copy)
            copy.flush()
            os.fsync(copy.fileno())
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return target


def bundled_sample() -> Path:
    """The sample PDF that make run loads where no edition is there."""
    config = _sample_config()
    return _SAMPLE / str(config["editions"][str(config["bundled"])]["pdf"])


@cache
def sample_facts(sha256: str) -> EditionFacts | None:
    """The facts of the bundled sample with these bytes, or None: a sample is never taken for the real book."""
    for edition in _sample_config()["editions"].values():
        path = _SAMPLE / str(edition["pdf"])
        if path.exists() and sha256_of(path) == sha256:
            return EditionFacts(str(edition["title"]), int(edition["year"]), is_sample=True)
    return None


@cache
def _sample_config() -> dict[str, Any]:
    return tomllib.loads((_SAMPLE / "edition.toml").read_text("utf-8"))
