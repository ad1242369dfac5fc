"""Which drugs a text names: exact spans over an immutable index, and suggestions that are only ever asked about."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from rapidfuzz import fuzz, process

from monographs.domain import AliasKind, DrugRef
from monographs.text import fold

SUGGESTION_LIMIT = 5
SUGGESTION_MIN_SCORE = 0.55
_TOKEN = re.compile(r"[^\W_]+(?:[-+][^\W_]+)*", re.UNICODE)
_SYLLABLE = re.compile(
    r"(?:b|ch?|d|gh?|gi|h|kh?|l|m|ngh?|nh?|ph?|qu|r|s|th?|tr|v|x)?"
    r"(?:uyeu|ieu|uoi|uou|uya|uye|oai|oay|oeo|uay|uyu|yeu|[aeiouy]{1,2})"
    r"(?:ch?|ng|nh|m|n|p|t)?"
)
# A word beside which a colliding brand is meant as a drug: "thuốc AM", "viên Sara".
_NAME_CUES = frozenset({"thuoc", "biet duoc", "vien", "siro", "goi", "ong", "lo"})
_STRENGTH = re.compile(r"\d+(?:[.,]\d+)?(?:mg|g|ml|mcg|%)?")


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
    key = folded.replace("y", "i")
    key = re.sub(r"ch(?=[lr])", "c", key)
    key = re.sub(r"([b-df-hj-np-tv-z])\1", r"\1", key)
    return re.sub(r"e$", "", key) if len(key) > 5 else key


class AliasIndex:
    """Immutable; built once per process and corpus version. resolve() walks the text, never the catalogue."""

    __slots__ = ("_exact", "_folded", "_longest", "_names", "_spelled", "_suggestible")

    def __init__(self, entries: Iterable[AliasEntry]) -> None:
        exact: dict[str, dict[str, DrugRef]] = defaultdict(dict)
        spelled: dict[str, dict[str, DrugRef]] = defaultdict(dict)
        self._names: dict[str, list[AliasEntry]] = defaultdict(list)
        for entry in entries:
            folded = " ".join(token.folded for token in tokenise(entry.text))
            if not folded:
                continue
            exact[folded][entry.drug.drug_id] = entry.drug
            self._names[folded].append(entry)
            if len(folded) > 5 and entry.kind in {AliasKind.NAME, AliasKind.INN, AliasKind.SYNONYM}:
                spelled[spelling_key(folded)][entry.drug.drug_id] = entry.drug
        self._exact = {key: tuple(drugs.values()) for key, drugs in exact.items()}
        self._spelled = {key: tuple(drugs.values()) for key, drugs in spelled.items()}
        self._longest = max((key.count(" ") + 1 for key in self._exact), default=0)
        self._suggestible = [key for key in self._exact if not self._collides(key)]

    def __len__(self) -> int:
        return len(self._exact)

    def resolve(self, text: str) -> list[NameSpan]:
        """The aliases in a text, longest first from the left, none overlapping."""
        tokens = tokenise(text)
        spans: list[NameSpan] = []
        at = 0
        while at < len(tokens):
            found = self._longest_at(text, tokens, at)
            if found is None:
                at += 1
            else:
                span, width = found
                spans.append(span)
                at += width
        return spans

    def suggest(self, word: str) -> list[Suggestion]:
        """At most five names like a word that matched nothing, best first, one for each drug."""
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
        return list(best.values())[:SUGGESTION_LIMIT]

    def _longest_at(self, text: str, tokens: list[Token], at: int) -> tuple[NameSpan, int] | None:
        for width in range(min(self._longest, len(tokens) - at), 0, -1):
            key = " ".join(token.folded for token in tokens[at : at + width])
            drugs = self._exact.get(key) or (self._spelled.get(spelling_key(key)) if len(key) > 5 else None)
            if drugs and self._is_meant(key, text, tokens, at, width):
                start, end = tokens[at].start, tokens[at + width - 1].end
                return NameSpan(text[start:end], start, end, drugs), width
        return None

    def _is_meant(self, key: str, text: str, tokens: list[Token], at: int, width: int) -> bool:
        if not self._collides(key):
            return True
        typed = text[tokens[at].start : tokens[at + width - 1].end]
        if any(entry.text == typed for entry in self._names.get(key, ())) and not typed.islower():
            return True
        before = tokens[at - 1].folded if at else ""
        after = tokens[at + width].folded if at + width < len(tokens) else ""
        return before in _NAME_CUES or _STRENGTH.fullmatch(after) is not None

    def _collides(self, key: str) -> bool:
        """An alias that, folded, could be plain words or an abbreviation: short, or all syllables."""
        if any(entry.kind is AliasKind.NAME for entry in self._names.get(key, ())):
            return False
        parts = key.split()
        return (len(parts) == 1 and len(key) <= 4) or all(is_syllable(part) for part in parts)


@dataclass(frozen=True, slots=True)
class Corpus:
    """What a process keeps of an edition; one for each corpus version. vocabulary: every folded word of the book."""

    edition_id: int
    version: str
    names: AliasIndex
    drugs: dict[str, DrugRef]
    vocabulary: frozenset[str]
