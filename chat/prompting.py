"""Prompts are files of chat/prompts with a version; what is untrusted is put between markers that it cannot close."""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path
from string import Template

_FOLDER = Path(__file__).parent / "prompts"
_OPEN, _CLOSE = "<<<{name}>>>", "<<</{name}>>>"
# Any run of markers, whatever name they carry and however they are spaced, or broken up by characters of no width.
_NO_WIDTH = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
_MARKER = re.compile(r"[<＜‹«]{2,}|[>＞›»]{2,}")
_INVISIBLE = re.compile(f"[{_NO_WIDTH}]")


@cache
def read_prompt(name: str) -> str:
    """The text of chat/prompts/<name>.txt, without its first line, which is for people. Raises FileNotFoundError."""
    text = (_FOLDER / f"{name}.txt").read_text("utf-8")
    return text.partition("\n")[2].strip()


def fill_prompt(name: str, **values: str) -> str:
    """The prompt with its $names replaced. Raises KeyError where a value is missing."""
    return Template(read_prompt(name)).substitute(values)


@cache
def prompt_version(*names: str) -> str:
    """Twelve hexadecimal digits that change with any of the files."""
    found = hashlib.sha256()
    for name in names:
        found.update(name.encode() + b"\0" + (_FOLDER / f"{name}.txt").read_bytes() + b"\0")
    return found.hexdigest()[:12]


def all_prompts() -> tuple[str, ...]:
    """The names of all prompt files."""
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.txt")))


def fence(name: str, text: str) -> str:
    """The text between <<<NAME>>> and <<</NAME>>>; whatever in it looks like a marker is taken apart first."""
    inside = _MARKER.sub(lambda found: " ".join(found.group()), _INVISIBLE.sub("", text))
    return f"{_OPEN.format(name=name)}\n{inside}\n{_CLOSE.format(name=name)}"
