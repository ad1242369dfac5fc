"""A condition as it is asked for, and where the book names it: word for word, in one sentence, by whatever name."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import product
from pathlib import Path

from chat.domain import EvidenceBlock, Term
from monographs.names import is_syllable
from monographs.text import fold, has_accents, normalise, spelling, words

# Not at a decimal comma.
_CLAUSE = re.compile(r"[.;:,()]\s|[.;:()]$|\s-\s(?!bể thận|tá tràng|Parkinson|White)")
_SENTENCE = re.compile(r"[.;]\s")
# Words that the book puts into a name and a question does not.
_LINKS = frozenset({"do", "của", "ở", "bị", "vì", "týp", "typ", "bệnh", "tá", "tràng"})
_DENIED = re.compile(r"(?:^|[:,;] )không (?:được )?(?:dùng|chỉ định)(?! được)\b", re.IGNORECASE)
_ONLY_CAUSE = re.compile(r"\b(?:do|vì|gây|kèm|ở (?:người|trẻ)(?: bệnh)?)(?: bị| mắc| có)?$")
_LESSENED = re.compile(r"\b(?:giảm|mất|ức chế|hạ|không|ít)(?: \w+){0,2}$")
_EXCEPTED = re.compile(r"\btrừ\b|\bkhông có chống chỉ định\b")
# How names of what infects end, folded: "tụ cầu", "vi khuẩn", "nấm".
_AGENTS = frozenset({"cau", "khuan", "nam", "amip", "trung", "virus", "lao", "giun", "san", "non"})
_CELLS = frozenset({"bach", "hong", "tieu"})
# So much of a condition may ground part of it.
_LEAST_SHARE = 0.6
_MOST_FORMS = 16
_DATA = Path(__file__).parent / "data" / "conditions.toml"
Counts = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition as asked: runs of terms that follow one another ("viêm âm đạo"), and as typed."""

    runs: tuple[tuple[Term, ...], ...]

    @property
    def terms(self) -> tuple[Term, ...]:
        """All terms, in order."""
        return tuple(term for run in self.runs for term in run)

    def __str__(self) -> str:
        return " ".join(str(term) for term in self.terms)

    def __bool__(self) -> bool:
        return bool(self.runs)


def speaks_of(
    block: EvidenceBlock, condition: Condition, *, plain: frozenset[str] = frozenset(), counts: Counts | None = None
) -> bool:
    """Whether one sentence of a passage names the condition: each of its runs word for word.

    plain: words of the condition that the book prints just so, and that there mean nothing but themselves; counts:
    whether a place counts, by the words before it in its clause.
    """
    return bool(sentences_on(block, condition, plain=plain, counts=counts))


def sentences_on(
    block: EvidenceBlock, condition: Condition, *, plain: frozenset[str] = frozenset(), counts: Counts | None = None
) -> tuple[str, ...]:
    """The sentences of a passage that name the condition; a label stands before each."""
    label = f"{block.labels[-1]}: " if block.labels and not block.text.startswith(block.labels[-1]) else ""
    return tuple(
        sentence
        for sentence in _SENTENCE.split(label + block.text)
        if all(any(counts is None or counts(b) for b in _before(sentence, run, plain)) for run in condition.runs)
    )


def is_treated(condition: Condition) -> Counts:
    """Whether what a drug is indicated for is the condition itself: in "co giật do sốt" fever is not. What an infection
    is named by stands behind "do" as well, and is."""
    first, words_said = condition.terms[0].typed[0], [fold(word) for term in condition.terms for word in term.typed]
    cells = bool(_CELLS.intersection(words_said))
    agent = not is_syllable(fold(first)) or not is_syllable(words_said[-1]) or (words_said[-1] in _AGENTS and not cells)
    return lambda before: agent or not _ONLY_CAUSE.search(before)


def is_caused(before: str) -> bool:
    """Whether an unwanted effect is the condition itself: "giảm phản xạ ho" is no cough."""
    return not _LESSENED.search(before)


def is_forbidden(before: str) -> bool:
    """Whether a contraindication holds for the condition: not behind "trừ", nor where none is said to be."""
    return not _EXCEPTED.search(before)


def denies(sentence: str) -> bool:
    """Whether a sentence of an indication says what the drug is not for."""
    return _DENIED.search(sentence) is not None


def printed_plainly(blocks: Iterable[EvidenceBlock], condition: Condition) -> frozenset[str]:
    """The bare one-word runs of a condition that some passage prints just so: "ho" is then no "hô"."""
    bare = {run[0].typed[0] for run in condition.runs if len(run) == 1 and len(run[0].typed) == 1}
    bare = {word for word in bare if not has_accents(word)}
    printed = {word for block in blocks for word in _words(block.text)} if bare else set()
    return frozenset(bare & printed)


def longest_part(block: EvidenceBlock, condition: Condition) -> tuple[Term, ...]:
    """The longest phrase of a condition, of two terms or more or of one that is a name by itself ("mày đay"), that a
    passage prints; none where it prints none."""
    for run in sorted(condition.runs, key=len, reverse=True):
        for length in range(len(run), 0, -1):
            for first in range(len(run) - length + 1):
                part = run[first : first + length]
                if (length > 1 or is_phrase(part[0])) and sentences_on(block, Condition((part,))):
                    return part
    return ()


def is_phrase(term: Term) -> bool:
    """Whether one term is a name of several words."""
    return max(len(term.typed), len(term.book)) > 1


def prints_as_item(block: EvidenceBlock, condition: Condition) -> tuple[Term, ...]:
    """The beginning of a condition that a passage prints as a whole item of its list: "Ho." for "ho khan"."""
    items = [_words(clause) for clause in _CLAUSE.split(block.text)]
    run = condition.runs[0]
    for length in range(len(run) - 1, 0, -1):
        forms = forms_of(run[:length])
        if any(len(item) == len(form) and all(map(_same, form, item)) for item in items for form in forms):
            return run[:length]
    return ()


def is_enough(part: Sequence[Term], condition: Condition) -> bool:
    """Whether a phrase is so much of a condition that it may ground part of it."""
    if len(part) >= least_part(condition):
        return True
    words_of = sum(len(term.typed) for term in condition.terms)
    return any(map(is_phrase, part)) and sum(len(term.typed) for term in part) >= _LEAST_SHARE * words_of


def least_part(condition: Condition) -> int:
    """How many terms that follow one another may ground part of a condition."""
    return max(2, math.ceil(_LEAST_SHARE * len(condition.terms)))


def narrower(blocks: Iterable[tuple[EvidenceBlock, str]], condition: Condition, *, most: int) -> tuple[str, ...]:
    """What the book says more exactly than the question: the items that begin with the condition and go on."""
    counted: dict[str, set[str]] = {}
    for block, sentence in blocks:
        for clause in _CLAUSE.split(sentence):
            item = normalise(clause).strip(" .")
            if len(item) <= most and any(_begins(item, run) for run in condition.runs):
                counted.setdefault(item.lower(), set()).add(block.drug.drug_id)
    return tuple(sorted(counted, key=lambda item: (-len(counted[item]), item)))


def _begins(item: str, run: Sequence[Term]) -> bool:
    said = _words(item)
    return any(len(said) > len(form) and all(map(_same, form, said)) for form in forms_of(run))


def solid_part(blocks: Sequence[EvidenceBlock], condition: Condition) -> Condition:
    """The runs of a condition that name one by themselves: of several words, or one that the book begins an item with,
    or calls otherwise. A stray word ("nội", "cao") names none, nor does a bare one that may be several."""
    return Condition(tuple(run for run in condition.runs if _is_solid(run, blocks)))


def _is_solid(run: Sequence[Term], blocks: Sequence[EvidenceBlock]) -> bool:
    if len(run) > 1 or run[0].book or len(run[0].typed) > 1 or not is_syllable(fold(run[0].typed[0])):
        return True
    word = run[0].typed[0]
    firsts = {said[0] for block in blocks for clause in _CLAUSE.split(block.text) if (said := _words(clause))}
    alike = {spelling(first) for first in firsts if _same(word, first)}
    return word in firsts or len(alike) == 1


def _before(sentence: str, run: tuple[Term, ...], plain: frozenset[str]) -> list[str]:
    """The words that stand before each place where a clause of a sentence names a run of terms; a comma between
    clauses."""
    same: Callable[[str, str], bool] = _same_plainly if len(run) == 1 and run[0].typed[0] in plain else _same
    found: list[str] = []
    passed = ""
    for clause in _CLAUSE.split(sentence):
        said = _words(clause)
        places = [
            at
            for form in forms_of(run)
            for at in range(len(said))
            if _follows(form, said[at:], same) and not _is_another(form, said[at + len(form) :])
        ]
        found += [passed + " ".join(said[:at]) for at in places]
        passed += f"{' '.join(said)} , "
    return found


def _is_another(form: tuple[str, ...], behind: Sequence[str]) -> bool:
    """Whether a word behind a one-word condition makes it another: "phù mạch" is no oedema."""
    others = _apart().get(form[0], []) if len(form) == 1 else []
    return bool(behind) and behind[0] in others


def _follows(form: tuple[str, ...], said: Sequence[str], same: Callable[[str, str], bool]) -> bool:
    place = 0
    for word in form:
        while 0 < place < len(said) and said[place] in _LINKS and not same(word, said[place]):
            place += 1
        if place >= len(said) or not same(word, said[place]):
            return False
        place += 1
    return True


@lru_cache(maxsize=512)
def forms_of(run: tuple[Term, ...]) -> tuple[tuple[str, ...], ...]:
    """The ways to say a run of terms: as typed, and as the book does."""
    choices = [tuple(dict.fromkeys((term.typed, *([term.book] if term.book else [])))) for term in run]
    forms = [tuple(piece for part in parts for word in part for piece in words(word)) for parts in product(*choices)][
        :_MOST_FORMS
    ]
    also = [other for form in forms for other in _also_called(form)]
    return tuple(dict.fromkeys([*forms, *also]))


def _also_called(form: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Other names of a condition, by its words as typed: with the accents of the table, or without any."""
    return [
        tuple(words(name))
        for key, names in _also().items()
        if len(parts := key.split(" ")) == len(form) and all(map(_same, form, parts))
        for name in names
    ]


@cache
def _apart() -> dict[str, list[str]]:
    table: dict[str, list[str]] = tomllib.loads(_DATA.read_text("utf-8"))["apart"]
    return {**table, **{fold(word): behind for word, behind in table.items()}}


@cache
def _also() -> dict[str, list[str]]:
    table: dict[str, list[str]] = tomllib.loads(_DATA.read_text("utf-8"))["also"]
    return table


@lru_cache(maxsize=8192)
def _words(text: str) -> list[str]:
    return words(text)


@lru_cache(maxsize=65536)
def _same(asked: str, printed: str) -> bool:
    return spelling(asked) == spelling(printed) if has_accents(asked) else fold(printed) == asked.lower()


def _same_plainly(asked: str, printed: str) -> bool:
    return asked == printed
