"""Which drugs a text names: exact spans over an immutable index, and suggestions that are only ever asked about."""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from rapidfuzz import fuzz, process

from monographs.domain import AliasKind, DrugRef, SectionKey
from monographs.restoring import NO_ACCENTS, AccentModel
from monographs.text import fold
from monographs.typography import split_run_in

SUGGESTION_LIMIT = 5
SUGGESTION_MIN_SCORE = 0.55
_LOOK_ALIKES = Path(__file__).parent / "data" / "look_alikes.toml"
_TOKEN = re.compile(r"[^\W_]+(?:[-+][^\W_]+)*", re.UNICODE)
_PART = re.compile(r"[^-+]+")
_SYLLABLE = re.compile(
    r"(?:b|ch?|d|gh?|gi|h|kh?|l|m|ngh?|nh?|ph?|qu|r|s|th?|tr|v|x)?"
    r"(?:uyeu|ieu|uoi|uou|uya|uye|oai|oay|oeo|uay|uyu|yeu|[aeiouy]{1,2})"
    r"(?:ch?|ng|nh|m|n|p|t)?"
)
_CH = re.compile(r"ch(?=[lr])")
_DOUBLED = re.compile(r"([b-df-hj-np-tv-z])\1")
# A name of no more letters is taken for an abbreviation.
_SHORTEST_OWN_WORD = 3
# Longer ones that are common words elsewhere: English, or a person's name.
_OTHER_WORDS = frozenset({"dark", "dexa", "gran", "sara"})
# Words beside which a colliding brand is meant as a drug: "thuốc AM", "biệt dược AM", "viên nén Sara".
_NAME_CUES = frozenset({"thuoc", "vien", "siro", "goi", "ong", "lo"})
_NAME_CUE_PAIRS = frozenset({"biet duoc", "vien nen", "vien nang", "vien sui", "hon dich", "bot tiem", "thuoc tiem"})
# A strength right behind the name: "am 500mg", "acc 200"; "sara 3 tuổi" and "am 120 lần" are none.
_STRENGTH = re.compile(
    r"\s*\(?(?:\d+(?:[.,]\d+)?\s?(?:mg|g|ml|mcg|microgam|%|iu|ui)(?![^\W\d_])"
    r"|\d{3,4}(?![\d.,]*\d)(?!\s?(?:lan|nguoi|kg|k|gio|ph|phut|cm|ca|trieu)\b))"
)
# What stands behind a brand and names no other drug: how it is released, or from what it is taken.
_RELEASES = frozenset(
    ["la", "sr", "mr", "xr", "xl", "er", "cr", "retard", "mm", "r", "n", "sa", "pr", "mups", "evohaler", "nebules"]
)
_SHORTEST_BRAND = 4
# What "thuoc am" goes on with where it means no brand AM.
_PLAIN_PHRASES = frozenset({"am dao", "am ho", "am hanh", "am vat"})


@dataclass(frozen=True, slots=True)
class AliasEntry:
    """One alias of one drug, as printed."""

    text: str
    kind: AliasKind
    drug: DrugRef


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a text with its place: text as typed, folded, start and end offsets."""

    text: str
    folded: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class NameSpan:
    """A stretch of the text that is an alias; several drugs where the alias is shared."""

    text: str
    start: int
    end: int
    drugs: tuple[DrugRef, ...]


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A name close to what was typed: score in [0, 1]; for asking, never for answering."""

    text: str
    drug: DrugRef
    score: float


def tokenise(text: str) -> list[Token]:
    """The words of a text, hyphenated names kept whole."""
    return [Token(m.group(), fold(m.group()), m.start(), m.end()) for m in _TOKEN.finditer(text)]


def is_syllable(folded: str) -> bool:
    """Whether a folded word could be a Vietnamese syllable ("uong", "am"), and so no name by its look."""
    return _SYLLABLE.fullmatch(folded) is not None


def spelling_key(folded: str) -> str:
    """One key for the spellings of an INN: "amoxicillin" and "amoxicilin", "chlorpheniramine" and
    "clorpheniramin", "acetylcysteine" and "acetylcystein". Two names with one key are both meant, and asked about.
    """
    key = _spelled_alike(folded)
    return key[:-1] if len(key) > 5 and key.endswith("e") else key


def _spelled_alike(folded: str) -> str:
    """spelling_key() without its rule for the end, so that it can be taken word by word."""
    key = folded.replace("y", "i")
    if "ch" in key:
        key = _CH.sub("c", key)
    return _DOUBLED.sub(r"\1", key)


def look_alikes(name: str) -> tuple[str, ...]:
    """The names that are taken for this one, as the data file lists them; none for most."""
    return _look_alikes().get(fold(name), ())


@cache
def _look_alikes() -> dict[str, tuple[str, ...]]:
    groups: list[list[str]] = tomllib.loads(_LOOK_ALIKES.read_text("utf-8"))["groups"]
    partners: dict[str, list[str]] = defaultdict(list)
    for group in groups:
        for name in group:
            partners[fold(name)] += [other for other in group if other != name]
    return {name: tuple(dict.fromkeys(others)) for name, others in partners.items()}


def _without_release(folded: str, kind: AliasKind) -> tuple[str, ...]:
    """ "adalat" of the brand "Adalat LA": how it is released, and from what, is seldom typed."""
    brand, _, rest = folded.partition(" ")
    known = kind in {AliasKind.TRADE_NAME, AliasKind.BRAND_INDEX} and rest in _RELEASES
    return (brand,) if known and len(brand) > _SHORTEST_BRAND and not is_syllable(brand) else ()


class AliasIndex:
    """Immutable; built once per process and corpus version. resolve() walks the text, never the catalogue."""

    __slots__ = ("_colliding", "_exact", "_names", "_spelled", "_suggestible", "_widths")

    def __init__(self, entries: Iterable[AliasEntry], ordinary: frozenset[str] = frozenset()) -> None:
        exact: dict[str, dict[str, DrugRef]] = defaultdict(dict)
        spelled: dict[str, dict[str, DrugRef]] = defaultdict(dict)
        self._names: dict[str, list[AliasEntry]] = defaultdict(list)
        for entry in entries:
            folded = " ".join(token.folded for token in tokenise(entry.text))
            if not folded:
                continue
            for key in (folded, *_without_release(folded, entry.kind)):
                exact[key][entry.drug.drug_id] = entry.drug
                self._names[key].append(entry)
            if len(folded) > 5 and entry.kind in {AliasKind.NAME, AliasKind.INN, AliasKind.SYNONYM}:
                spelled[spelling_key(folded)][entry.drug.drug_id] = entry.drug
        self._exact = {key: tuple(drugs.values()) for key, drugs in exact.items()}
        self._spelled = {key: tuple(drugs.values()) for key, drugs in spelled.items()}
        self._widths = _widths_by_first_word([*self._exact, *self._spelled])
        self._colliding = frozenset(
            key for key in self._exact if self._collides(key) or self._is_brand_of(key, ordinary)
        )
        self._suggestible = [key for key in self._exact if key not in self._colliding]

    def __len__(self) -> int:
        return len(self._exact)

    def resolve(self, text: str) -> list[NameSpan]:
        """The aliases in a text, longest first from the left, none overlapping."""
        tokens = tokenise(text)
        spans: list[NameSpan] = []
        at = 0
        while at < len(tokens):
            found = self._longest_at(text, tokens, at)
            if found is not None:
                span, width = found
                spans.append(span)
                at += width
            elif parts := self._joined(tokens[at]):
                tokens[at : at + 1] = parts
            else:
                at += 1
        return spans

    def suggest(self, word: str) -> list[Suggestion]:
        """At most five names like a word that matched nothing, best first, one for each drug; behind a name those
        that are taken for it, with its score.
        """
        matches = process.extract(
            fold(word),
            self._suggestible,
            scorer=fuzz.ratio,
            limit=SUGGESTION_LIMIT * 3,
            score_cutoff=SUGGESTION_MIN_SCORE * 100,
        )
        best: dict[str, Suggestion] = {}
        for key, score, _ in matches:
            for entry in self._names[key]:
                best.setdefault(entry.drug.drug_id, Suggestion(entry.text, entry.drug, score / 100))
        found: dict[str, Suggestion] = {}
        for first in best.values():
            for one in (first, *self._taken_for(first)):
                found.setdefault(one.drug.drug_id, one)
        return list(found.values())[:SUGGESTION_LIMIT]

    def _taken_for(self, suggestion: Suggestion) -> Iterable[Suggestion]:
        for name in look_alikes(suggestion.text):
            drugs = self._exact.get(fold(name), ())
            yield from (Suggestion(name, drug, suggestion.score) for drug in drugs if len(drugs) == 1)

    def _longest_at(self, text: str, tokens: list[Token], at: int) -> tuple[NameSpan, int] | None:
        # Most words begin no alias: one look-up each.
        for width in self._widths.get(_spelled_alike(tokens[at].folded), ()):
            if width > len(tokens) - at:
                continue
            key = " ".join(token.folded for token in tokens[at : at + width])
            drugs = self._exact.get(key) or (self._spelled.get(spelling_key(key)) if len(key) > 5 else None)
            if drugs and (key not in self._colliding or self._is_meant(key, text, tokens, at, width)):
                start, end = tokens[at].start, tokens[at + width - 1].end
                return NameSpan(text[start:end], start, end, drugs), width
        return None

    def _joined(self, token: Token) -> list[Token]:
        """The names in "warfarin+ibuprofen" and "warfarin-ibuprofen"; "aspirin-like" is one word."""
        if "+" not in token.text and "-" not in token.text:
            return []
        parts = [
            Token(m.group(), fold(m.group()), token.start + m.start(), token.start + m.end())
            for m in _PART.finditer(token.text)
        ]
        known = all(part.folded in self._exact or spelling_key(part.folded) in self._spelled for part in parts)
        return parts if known or "-" not in token.text else []

    def _is_meant(self, key: str, text: str, tokens: list[Token], at: int, width: int) -> bool:
        """Whether a colliding alias is typed exactly as printed, or stands beside a cue without other accents."""
        typed = text[tokens[at].start : tokens[at + width - 1].end]
        printed = {entry.text for entry in self._names.get(key, ())}
        if typed in printed and not typed.islower() and not (_is_shouted(text) and _is_plain(key)):
            return True
        if typed.lower() not in {key, *(name.lower() for name in printed)}:
            return False
        before = " ".join(token.folded for token in tokens[max(0, at - 2) : at])
        after = tokens[at + width].folded if at + width < len(tokens) else ""
        if f"{key} {after}" in _PLAIN_PHRASES:
            return False
        cued = before in _NAME_CUE_PAIRS or before.rpartition(" ")[2] in _NAME_CUES
        return cued or _STRENGTH.match(fold(text[tokens[at + width - 1].end :][:24])) is not None

    def _is_brand_of(self, key: str, ordinary: frozenset[str]) -> bool:
        """Whether a brand is also a word of the book that means something else: "Amip"."""
        return key in ordinary and all(entry.kind is AliasKind.TRADE_NAME for entry in self._names.get(key, ()))

    def _collides(self, key: str) -> bool:
        """An alias that, folded, could be plain words or an abbreviation: very short, all syllables, or English."""
        if any(entry.kind is AliasKind.NAME for entry in self._names.get(key, ())):
            return False
        return (" " not in key and len(key) <= _SHORTEST_OWN_WORD) or key in _OTHER_WORDS or _is_plain(key)


def _widths_by_first_word(keys: Iterable[str]) -> dict[str, tuple[int, ...]]:
    """How many words the aliases have that begin with a word, longest first; words as spelled alike."""
    widths: dict[str, set[int]] = defaultdict(set)
    for key in keys:
        words = key.split(" ")
        first = _spelled_alike(words[0])
        widths[first].add(len(words))
        if len(words) == 1:
            # The rule for an ending "e" is for the whole name.
            widths[f"{first}e"].add(1)
    return {first: tuple(sorted(found, reverse=True)) for first, found in widths.items()}


def _is_plain(key: str) -> bool:
    return all(is_syllable(part) for part in key.split(" "))


def _is_shouted(text: str) -> bool:
    """Whether capitals say nothing, since the whole text has them; one or two words may still be a name."""
    return text.isupper() and len(text.split()) > 2


# Sections whose items name what a drug is for, what it does, and in what it is forbidden or given with care.
NAMING_SECTIONS = (SectionKey.CHI_DINH, SectionKey.ADR, SectionKey.CHONG_CHI_DINH, SectionKey.THAN_TRONG)


def naming_text(section: SectionKey, labels: Sequence[str], text: str) -> str:
    """A passage with the labels that may name something before it; those of unwanted effects are bands and organs."""
    return split_run_in(text, labels)[1] if section is SectionKey.ADR else ", ".join((*labels, text))


@dataclass(frozen=True, slots=True)
class Corpus:
    """What a process keeps of an edition; one for each corpus version. vocabulary: every folded word of the book;
    classes: the folded words of each drug's class, by drug_id; accents: which words the book prints, and side by side;
    printed: the passages of every section in NAMING_SECTIONS, as naming_text() gives them.
    """

    edition_id: int
    version: str
    names: AliasIndex
    drugs: dict[str, DrugRef]
    vocabulary: frozenset[str]
    classes: dict[str, frozenset[str]] = field(default_factory=dict)
    accents: AccentModel = NO_ACCENTS
    printed: Mapping[SectionKey, tuple[str, ...]] = field(default_factory=dict)

    @property
    def indications(self) -> tuple[str, ...]:
        """What every section Chỉ định prints."""
        return self.printed.get(SectionKey.CHI_DINH, ())

    def of_class(self, words: Iterable[str]) -> tuple[DrugRef, ...]:
        """The drugs whose class is printed with all these words; none for no words."""
        wanted = {fold(word) for word in words}
        return tuple(self.drugs[key] for key, printed in self.classes.items() if wanted and wanted <= printed)
