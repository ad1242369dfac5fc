"""A secret key that is made once and kept in a file only its owner can read."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def kept_secret_key(path: Path) -> str:
    """The key in path, made on first use.

    Where it cannot be written, a key for this process alone: commands that need no data directory still work,
    and those that do fail on their own with a sentence about it.
    """
    try:
        return path.read_text(encoding="ascii").strip() or _make_key(path)
    except OSError:
        return _make_key(path)


def _make_key(path: Path) -> str:
    key = secrets.token_urlsafe(50)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f".{path.name}.{os.getpid()}")
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(key)
        return _publish(draft, path, key)
    except OSError:
        return key


def _publish(draft: Path, path: Path, key: str) -> str:
    # Linking fails where another process was first, so all of them end up with the same key.
    try:
        os.link(draft, path)
    except FileExistsError:
        key = path.read_text(encoding="ascii").strip()
    finally:
        draft.unlink()
    return key
