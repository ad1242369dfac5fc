"""Prompts are files of chat/prompts with a version; what is untrusted is put between markers that it cannot close."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from functools import cache
from pathlib import Path
from string import Template

_FOLDER = Path(__file__).parent / "prompts"
_OPEN, _CLOSE = "<<<{name}>>>", "<<</{name}>>>"
# What is read as "<" or ">", or as three of them at once; a run of it is a marker, whatever name it carries, also where
# marks over or under the brackets (NFD, variation selectors) stand between.
_TRIPLES = str.maketrans({"⋘": "<<<", "⋙": ">>>"})
_BRACKETS = "<≮＜﹤‹«〈《⟨⟪≪❮❰ᐸ˂\u2329⧼⟬", ">≯＞﹥›»〉》⟩⟫≫❯❱ᐳ˃\u232a⧽⟭"
_MARKS = "\u0300-\u036f\u180b-\u180d\u20d0-\u20ff\ufe00-\ufe0f\U000e0100-\U000e01ef"
_MARKER = re.compile("|".join(f"[{signs}][{_MARKS}]*(?:[{signs}][{_MARKS}]*)+" for signs in _BRACKETS))
# Fillers that count as letters and show nothing; all of categories C shows nothing.
_FILLERS = frozenset("\u115f\u1160\u3164\uffa0")


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
    """The text between <<<NAME>>> and <<</NAME>>>; what in it nobody sees is left out, and whatever looks like a marker
    is taken apart."""
    seen = "".join(map(_seen, text.translate(_TRIPLES)))
    return f"{_OPEN.format(name=name)}\n{_MARKER.sub(_taken_apart, seen)}\n{_CLOSE.format(name=name)}"


def _seen(sign: str) -> str:
    if sign in "\n\t" or (unicodedata.category(sign)[0] != "C" and sign not in _FILLERS):
        return sign
    return " " if sign.isspace() else ""


def _taken_apart(marker: re.Match[str]) -> str:
    return " ".join(sign for sign in marker.group() if unicodedata.category(sign)[0] != "M")
