"""A list of drugs as it is typed or pasted: its lines, and which drug each of them names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from chat.drug_classes import classes_asked, title_of
from chat.unknown_drug import near_names
from monographs.names import Corpus, tokenise
from monographs.text import normalise

MOST_LINES = 30
_NUMBER = re.compile(r"^\s*(?:\d{1,2}\s?[.)/-]\s+|[-•*+]\s*)")
_IN_ONE_LINE = re.compile(r"\s*(?:[;+]|,(?!\d)|\bvà\b|\bvới\b)\s*")
_MOST_CHOICES = 4


@dataclass(frozen=True, slots=True)
class ListedName:
    """A line of a list. place: from 0; means: the drugs or the class that it names, none where it names nothing known;
    choices: names that it may have meant, to be chosen and never taken for granted."""

    place: int
    line: str
    means: tuple[str, ...]
    choices: tuple[str, ...] = ()


def list_lines(text: str, added: str = "") -> tuple[str, ...]:
    """The lines of a list without their numbers; one line alone is cut where it joins names ("warfarin, aspirin")."""
    lines = [line for raw in text.splitlines() if (line := _bare(raw))]
    if len(lines) == 1:
        lines = [part for part in _IN_ONE_LINE.split(lines[0]) if part]
    return tuple([*lines, *filter(None, [_bare(added)])][:MOST_LINES])


def as_question(lines: Sequence[str]) -> str:
    """The list as the numbered prescription that a question may be."""
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, start=1))


def read_names(lines: Sequence[str], corpus: Corpus) -> tuple[ListedName, ...]:
    """What each line names."""
    return tuple(_read(place, line, corpus) for place, line in enumerate(lines))


def without_line(lines: tuple[str, ...], place: int) -> tuple[str, ...]:
    """The list without one of its lines."""
    return (*lines[:place], *lines[place + 1 :])


def _bare(line: str) -> str:
    return normalise(_NUMBER.sub("", line))


def _read(place: int, line: str, corpus: Corpus) -> ListedName:
    spans = corpus.names.resolve(line)
    shared = next((span for span in spans if len(span.drugs) > 1), None)
    means = tuple(dict.fromkeys(span.drugs[0].name for span in spans if len(span.drugs) == 1))
    if shared is not None:
        return ListedName(place, line, means, tuple(drug.name for drug in shared.drugs)[:_MOST_CHOICES])
    if not means:
        means = tuple(dict.fromkeys(title_of(mention.key) for mention in classes_asked(line)))
    return ListedName(place, line, means, () if means else _like(line, corpus))


def _like(line: str, corpus: Corpus) -> tuple[str, ...]:
    """Names that the first words of a line are written like."""
    tokens = tokenise(line)[:2]
    typed = [line[: token.end] for token in tokens]
    near = sorted((s for text in typed for s in near_names(text, corpus)), key=lambda s: -s.score)
    return tuple(dict.fromkeys(s.drug.name for s in near))[:_MOST_CHOICES]
