"""An alias index over the shared name lists, for tests and benches: what a whole formulary's names are like.

A drug is a name of the 469 real monographs with its INN, of the 684 of the generated book, or an INN of the brand
list; names with one spelling key are one drug. Nothing of the lists is kept in the project.
"""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, product
from pathlib import Path
from string import ascii_lowercase

from monographs.domain import AliasKind, DrugRef
from monographs.names import AliasEntry, is_syllable, spelling_key, tokenise
from monographs.text import slugify

SHORTEST_INN = 6


@dataclass(frozen=True, slots=True)
class NameLists:
    """names: (name, its INN or ""); brands: (INN, brand)."""

    names: tuple[tuple[str, str], ...]
    brands: tuple[tuple[str, str], ...]


def shared_lists(corpus: Path) -> NameLists:
    """The names and brands of the shared corpus. corpus: its directory."""
    rows = [json.loads(line) for line in (corpus / "monographs_469.jsonl").read_text("utf-8").splitlines()]
    names = [(str(row["name"]).capitalize(), str(row["inn"]).split("(")[0].strip()) for row in rows]
    starts = (corpus / "monograph_start_pages.tsv").read_text("utf-8").splitlines()
    names += [(line.split("\t")[0].strip(), "") for line in starts if line.strip()]
    with gzip.open(corpus / "books" / "book1600.gt.json.gz") as file:
        titles = [str(monograph["name"]) for monograph in json.load(file)["monographs"]]
    names += [(title.split("(")[0].strip(), "") for title in titles]
    inns = json.loads((corpus / "brands_by_inn.json").read_text("utf-8"))
    names += [(inn, inn) for inn in inns]
    brands = [(inn, brand) for inn, facts in inns.items() for brand in facts["aliases"]]
    return NameLists(tuple(names), tuple(brands))


def made_up_lists(drugs: int = 700, brands: int = 13) -> NameLists:
    """Lists of the same size from syllables, where the shared corpus is not at hand."""
    first, middle, last = (
        ("abe", "bro", "cla", "dexi", "flu", "gali", "hydro", "keto", "levo", "meti", "nora", "oxi", "pira", "rami"),
        ("bu", "fem", "gar", "lip", "mox", "pros", "rav", "sog", "tid", "vax"),
        ("azol", "cilin", "mycin", "olol", "pril", "sartan", "setron", "statin", "vir", "zepam"),
    )
    stems = ["".join(parts) for parts in product(first, middle, last)][:: max(1, 1400 // drugs)][:drugs]
    ends = ("a", "tex", "mil", "vid", "dol", "cap", "fort", "gen", "lux", "med", "nic", "rol", "zen")[:brands]
    names = tuple((stem.capitalize(), f"{stem}e") for stem in stems)
    return NameLists(names, tuple((inn, f"{inn[:6].capitalize()}{end}") for _, inn in names for end in ends))


def entries_of(lists: NameLists) -> list[AliasEntry]:
    """The lists as alias entries, in order."""
    return list(_entries(lists))


def folded_key(text: str) -> str:
    """An alias as the index keys it."""
    return " ".join(token.folded for token in tokenise(text))


def looks_plain(text: str) -> bool:
    """LANGUAGE's own rule, written again: folded, it could be plain words or an abbreviation."""
    parts = folded_key(text).split()
    if parts[1:] == [] and (len(key := parts[0]) <= 3 or key in {"dark", "dexa", "gran", "sara"}):
        return True
    return all(is_syllable(part) or part.isdigit() for part in parts)


def misspelled(name: str, how: int, rng: random.Random) -> str:
    """One letter too many, missing, another or swapped with its neighbour (how: 0 to 3), never the first letter.

    A name too short for that gets a letter at its end.
    """
    letters = [place for place, character in enumerate(name) if place and character.isalpha()]
    if how == 3:
        letters = [p for p in letters[:-1] if name[p + 1].isalpha() and name[p] != name[p + 1]]
    if not letters:
        return name + rng.choice(ascii_lowercase)
    place = rng.choice(letters)
    other = rng.choice([letter for letter in ascii_lowercase if letter != name[place]])
    changed = (other + name[place], "", other, name[place + 1 : place + 2] + name[place])[how]
    return name[:place] + changed + name[place + (2 if how == 3 else 1) :]


def _entries(lists: NameLists) -> Iterator[AliasEntry]:
    drugs: dict[str, DrugRef] = {}
    numbers = count(1)
    said: set[tuple[str, AliasKind, str]] = set()

    def entry(text: str, kind: AliasKind, drug: DrugRef) -> Iterator[AliasEntry]:
        if (text, kind, drug.drug_id) not in said:
            said.add((text, kind, drug.drug_id))
            yield AliasEntry(text, kind, drug)

    for name, inn in lists.names:
        keys = [spelling_key(folded_key(text)) for text in (inn, name) if text]
        drug = next((drugs[key] for key in keys if key in drugs), None)
        if drug is None:
            number = next(numbers)
            drug = DrugRef(slugify(name), name, number, number, number)
        for key in keys:
            drugs.setdefault(key, drug)
        yield from entry(name, AliasKind.NAME if name != inn else AliasKind.INN, drug)
        if inn and inn != name:
            yield from entry(inn, AliasKind.INN, drug)
    for inn, brand in lists.brands:
        yield from entry(brand, AliasKind.TRADE_NAME, drugs[spelling_key(folded_key(inn))])
