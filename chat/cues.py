"""The cue tables: which words of a question ask for what. Data in data/cues.toml; matching only here."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path

from monographs.names import Token, tokenise
from monographs.text import WordSet, fold, has_accents, normalise, spelling

_DATA = Path(__file__).parent / "data" / "cues.toml"
NO_CUE = "no_cue"
_CHOICE = re.compile(r"[()]")


@dataclass(frozen=True, slots=True)
class Cue:
    """A phrase and what it stands for; accented_only: it counts only as typed with its accents."""

    meaning: str
    words: tuple[str, ...]
    accented: str
    accented_only: bool


@dataclass(frozen=True, slots=True)
class CueHit:
    """A cue found in a text: which words it covers, [first, last)."""

    meaning: str
    first: int
    last: int


class CueTable:
    """Cues of one kind. find() takes the longest at each place and never overlaps; what stands under NO_CUE is
    passed over ("truyền nhiễm" is no infusion)."""

    __slots__ = ("_by_first",)

    def __init__(self, phrases: dict[str, list[str]]) -> None:
        self._by_first: dict[str, list[Cue]] = {}
        for meaning, texts in phrases.items():
            for text in texts:
                cue = _cue(meaning, text)
                self._by_first.setdefault(cue.words[0], []).append(cue)
        for cues in self._by_first.values():
            cues.sort(key=lambda cue: (-len(cue.words), cue.meaning != NO_CUE))

    def find(self, text: str, *, printed: bool = False) -> list[CueHit]:
        """All cues in a text, from the left. printed: it is the book's, where a bare word is meant bare."""
        tokens = tokenise(normalise(text))
        hits: list[CueHit] = []
        at = 0
        while at < len(tokens):
            cue = next(
                (c for c in self._by_first.get(tokens[at].folded, ()) if _stands_at(c, tokens, at, printed=printed)),
                None,
            )
            if cue is None:
                at += 1
            else:
                if cue.meaning != NO_CUE:
                    hits.append(CueHit(cue.meaning, at, at + len(cue.words)))
                at += len(cue.words)
        return hits

    def meanings(self, text: str, *, printed: bool = False) -> list[str]:
        """What the text's cues stand for, in order, each once."""
        return list(dict.fromkeys(hit.meaning for hit in self.find(text, printed=printed)))


def _cue(meaning: str, text: str) -> Cue:
    bare = text.strip("/")
    return Cue(meaning, tuple(fold(bare).split()), bare.lower(), text.startswith("/"))


def _stands_at(cue: Cue, tokens: list[Token], at: int, *, printed: bool) -> bool:
    window = tokens[at : at + len(cue.words)]
    if tuple(token.folded for token in window) != cue.words:
        return False
    typed = [token.text.lower() for token in window]
    meant = cue.accented.split()
    if cue.accented_only or printed:
        return list(map(spelling, typed)) == list(map(spelling, meant))
    # A typed accent that contradicts the cue's ("dùng để" is not "dung dễ") rules it out; a bare word never does.
    return all(
        not has_accents(one) or spelling(one) == spelling(other) for one, other in zip(typed, meant, strict=True)
    )


@cache
def cue_table(kind: str) -> CueTable:
    """The table of one kind: section, population, route, turn, context or scope.

    What is denied of the patient ("không mang thai") is neither a population nor a topic.
    """
    phrases = denials() if kind == "denied" else dict(cue_data()[kind])
    if kind in {"section", "population"}:
        phrases[NO_CUE] = [*phrases.get(NO_CUE, []), *(text for texts in denials().values() for text in texts)]
    return CueTable(phrases)


def denials() -> dict[str, list[str]]:
    """The phrases that deny something of the patient, and those that only look so."""
    table = cue_data()["denied"]
    denied = [f"{word} {fact}" for word in table["words"] for fact in table["patient"]]
    return {"patient": [*dict.fromkeys(denied), *table["whole"]], NO_CUE: table["asks"]}


def denying_words() -> tuple[str, ...]:
    """The words that deny what follows them."""
    return tuple(cue_data()["denied"]["words"])


@cache
def cue_data() -> dict[str, dict[str, list[str]]]:
    """The tables of data/cues.toml, every phrase spelled out."""
    tables: dict[str, dict[str, list[str]]] = tomllib.loads(_DATA.read_text("utf-8"))
    return {
        kind: {
            meaning: list(dict.fromkeys(each for text in texts for each in spelled_out(text)))
            for meaning, texts in table.items()
        }
        for kind, table in tables.items()
    }


def spelled_out(text: str) -> list[str]:
    """A phrase of the data with each choice of its "(one|other|)" made: "(tránh|cấm) dùng"."""
    parts = [part.split("|") for part in _CHOICE.split(text)]
    return [" ".join("".join(chosen).split()) for chosen in product(*parts)]


@cache
def filler_words() -> frozenset[str]:
    """Folded words of a question that are no topic of their own."""
    return frozenset(fold(word) for word in cue_data()["filler"]["words"])


@cache
def fillers_as_typed() -> WordSet:
    """The same, to be asked for as typed: "đã" is one, "dạ" is not."""
    return WordSet(" ".join(cue_data()["filler"]["words"]))


@cache
def accented_fillers() -> frozenset[str]:
    """More of them, that count only with their accents."""
    return frozenset(spelling(word) for word in cue_data()["filler"]["accented"])


@cache
def printed_fillers() -> frozenset[str]:
    """All of them as a book prints them: its "da" is skin, and no bare "đã"."""
    return frozenset(spelling(word) for words in cue_data()["filler"].values() for word in words)


@cache
def no_drug_words() -> frozenset[str]:
    """Folded foreign-looking words that name no drug."""
    return frozenset(fold(word) for word in cue_data()["no_drug"]["words"])
