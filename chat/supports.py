"""The second witness: whether words of the question bear out what a model reads in it."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from chat.cues import NO_CUE, CueTable, cue_table, denying_words
from chat.domain import Population, Relation, Route

_CUES = ("section", "population", "route", "context", "denied", "synonym")
_DATA = Path(__file__).parent / "data" / "supports.toml"


def supported_populations(rest: str) -> frozenset[Population]:
    """The populations that the words of a question could mean. rest: the question without its drug names."""
    return frozenset(Population(meaning) for meaning in _table("population").meanings(rest))


def supported_routes(rest: str) -> frozenset[Route]:
    """The routes that they could mean."""
    return frozenset(Route(meaning) for meaning in _table("route").meanings(rest))


def supported_relations(rest: str) -> frozenset[Relation]:
    """Whether they ask for a harm, or for whom something is forbidden."""
    return frozenset(Relation(meaning) for meaning in _table("relation").meanings(rest))


def asks_something(rest: str) -> bool:
    """Whether they ask anything, beside a name with a patient or a condition."""
    return bool(_table("asks").find(rest))


def asks_which(rest: str) -> bool:
    """Whether they ask which one."""
    return bool(_table("asks_which").find(rest))


def asks_for_all(rest: str) -> bool:
    """Whether they ask for a section as a whole."""
    return bool(_table("overview").find(rest))


def refers_back(rest: str) -> bool:
    """Whether they point to a drug of an earlier line."""
    return bool(_table("refers").find(rest))


def places_of_cues(rest: str) -> set[int]:
    """At which words a cue of the rules stands."""
    return {at for kind in _CUES for hit in cue_table(kind).find(rest) for at in range(hit.first, hit.last)}


@cache
def _table(kind: str) -> CueTable:
    phrases: dict[str, list[str]] = dict(tomllib.loads(_DATA.read_text("utf-8"))[kind])
    if kind in {"population", "route"}:
        said = [text.strip("/") for texts in phrases.values() for text in texts]
        phrases[NO_CUE] = [f"{word} {text}" for word in denying_words() for text in said]
    return CueTable(phrases)
