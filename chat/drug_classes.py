"""Classes of drugs: by which words the book names them, which drugs belong to them. Data in data/classes.toml."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from chat.cues import NO_CUE, CueTable
from monographs.names import spelling_key, tokenise
from monographs.text import fold, spelling, words

_DATA = Path(__file__).parent / "data" / "classes.toml"
_CLAUSE = re.compile(r"[;.]\s*")
# "Thuốc giải độc thuốc chống đông": what a drug acts against is no class of its own.
_AGAINST = "giải độc"
_TELLS_WHICH = re.compile(r"(?:(?:thuoc )?(?:nhom|loai|ho))?")


@dataclass(frozen=True, slots=True)
class DrugClass:
    """title: Vietnamese; marks: words of a member's section Loại thuốc; members: INN; within: keys of wider classes."""

    key: str
    title: str
    printed: tuple[str, ...]
    typed: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    members: tuple[str, ...] = ()
    within: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ClassMention:
    """A class named in a text: its words as they stand there, at which offsets."""

    key: str
    text: str
    start: int
    end: int


def class_titled(title: str) -> DrugClass | None:
    """The class that is shown under this title; None where there is none."""
    return next((found for found in _classes().values() if found.title == title), None)


def classes_of(kind: str, names: Iterable[str]) -> frozenset[str]:
    """The classes of a drug, the wider ones included. kind: what its section Loại thuốc says; names: its own."""
    said = [clause for clause in _CLAUSE.split(kind) if _AGAINST not in clause.lower()]
    spelled = [f" {' '.join(map(spelling, words(clause)))} " for clause in said]
    called = {_name_key(name) for name in names}
    own = {
        found.key
        for found in _classes().values()
        if any(f" {mark} " in clause for clause in spelled for mark in _marks(found.key))
        or called & _member_keys(found.key)
    }
    return frozenset(own | {wider for key in own for wider in _wider(key)})


def kin_of(key: str) -> frozenset[str]:
    """A class that is asked about, with those that hold it and those that it holds."""
    narrower = {other for other in _classes() if key in _wider(other)}
    return frozenset({key, *_wider(key), *narrower})


def members_of(key: str) -> tuple[str, ...]:
    """The drugs that are known to belong to a class, or to one within it: INN, each once."""
    inside = [found for found in _classes().values() if key == found.key or key in _wider(found.key)]
    return tuple(dict.fromkeys(name for found in inside for name in found.members))


def classes_printed(text: str) -> list[ClassMention]:
    """The classes that a text of the book names, in order."""
    return _mentions(_printed_table(), text, printed=True)


def classes_asked(text: str) -> list[ClassMention]:
    """The classes that a question names, with or without accents, in order."""
    return _mentions(_asked_table(), text, printed=False)


def printed_of(key: str) -> tuple[str, ...]:
    """The words by which the book names a class."""
    return _classes()[key].printed


def title_of(key: str) -> str:
    """The title of a class."""
    return _classes()[key].title


def _mentions(table: CueTable, text: str, *, printed: bool) -> list[ClassMention]:
    hits = table.find(text, printed=printed)
    tokens = tokenise(text) if hits else []
    places = [(hit.meaning, tokens[hit.first].start, tokens[hit.last - 1].end) for hit in hits]
    return _narrowed([ClassMention(key, text[start:end], start, end) for key, start, end in places], text)


def _narrowed(mentions: list[ClassMention], text: str) -> list[ClassMention]:
    """A class with a narrower one right behind it is that one: "các kháng sinh nhóm macrolid"."""
    found: list[ClassMention] = []
    for mention in mentions:
        last = found[-1] if found and found[-1].key in _wider(mention.key) else None
        if last and _TELLS_WHICH.fullmatch(fold(text[last.end : mention.start]).strip()):
            found[-1] = ClassMention(mention.key, text[last.start : mention.end], last.start, mention.end)
        else:
            found.append(mention)
    return found


@cache
def _classes() -> dict[str, DrugClass]:
    data = tomllib.loads(_DATA.read_text("utf-8"))
    lists = ("printed", "typed", "marks", "members", "within")
    return {
        key: DrugClass(key, entry["title"], **{name: tuple(entry.get(name, ())) for name in lists})
        for key, entry in data.items()
        if key != NO_CUE
    }


@cache
def _not_meant() -> dict[str, list[str]]:
    entry: dict[str, list[str]] = tomllib.loads(_DATA.read_text("utf-8"))[NO_CUE]
    return entry


@cache
def _printed_table() -> CueTable:
    phrases = {found.key: list(found.printed) for found in _classes().values()}
    return CueTable({**phrases, NO_CUE: _not_meant()["printed"]})


@cache
def _asked_table() -> CueTable:
    phrases = {found.key: [*found.printed, *found.typed] for found in _classes().values()}
    return CueTable({**phrases, NO_CUE: [*_not_meant()["printed"], *_not_meant()["typed"]]})


@cache
def _wider(key: str) -> frozenset[str]:
    direct = _classes()[key].within
    return frozenset({*direct, *(further for wider in direct for further in _wider(wider))})


@cache
def _marks(key: str) -> tuple[str, ...]:
    return tuple(" ".join(map(spelling, words(mark))) for mark in _classes()[key].marks)


@cache
def _member_keys(key: str) -> frozenset[str]:
    return frozenset(map(_name_key, _classes()[key].members))


def _name_key(name: str) -> str:
    return " ".join(spelling_key(token.folded) for token in tokenise(fold(name)))
