"""The overview route: a drug is named but no section; its own passages are searched for the question's terms."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence

from chat.branches import is_manner_path
from chat.domain import EvidenceBlock, Term
from chat.terms import is_name_like, runs_of, stands_in
from monographs.domain import PassageKind, SectionKey
from monographs.text import WordSet, fold, folded_words, has_accents, spelling, words

# A passage answers where it holds this share of the weight of the question's terms; how similar it is decides only
# the order, never whether there is an answer.
LEAST_SHARE = 0.6
# A story of what befell someone has more words than the book needs.
LEAST_OF_STORY = 0.45
MOST_SHOWN = 4
# Or where it prints a phrase of the question, or a word that is none of everyday ("G6PD", "TSH"), that few passages of
# the drug print.
RARE, RARE_NAME = 4, 6
_BETWEEN = re.compile(r"[,;.]\s*")


def search_passages(
    blocks: Sequence[EvidenceBlock], terms: Sequence[Term], *, least: float = LEAST_SHARE
) -> tuple[EvidenceBlock, ...]:
    """The passages that speak of the terms, those that say more of them first, else as the blocks are ordered; a table
    with the text under its label, and the other way round. A dose of one branch answers nothing here.

    Rare terms weigh more: log(passages / passages with the term).
    """
    asked = [term for term in dict.fromkeys(terms) if not term.is_talk]
    texts = {block: _text(block) for block in blocks if not block.is_label and not _is_dose_of_branch(block)}
    sets = {block: WordSet(text) for block, text in texts.items()}
    seen = {term: sum(stands_in(term, found) for found in sets.values()) for term in asked}
    weights = {term: math.log((1 + len(texts)) / (1 + times)) + 0.1 for term, times in seen.items()}
    total = sum(weights.values())
    if not total:
        return ()
    scores = {b: sum(weights[term] for term in asked if stands_in(term, found)) / total for b, found in sets.items()}
    telling = _with_rare_phrase(texts, asked) | _with_rare_name(sets, asked)
    best = sorted((b for b in texts if scores[b] >= least or b in telling), key=lambda b: -scores[b])
    chosen = best[:MOST_SHOWN]
    tables = {(b.section, b.labels) for b in texts if b.kind is not PassageKind.TEXT and b.labels}
    places = tables & {(block.section, block.labels) for block in chosen}
    beside = [block for block in texts if (block.section, block.labels) in places and block not in chosen]
    return (*chosen, *beside)


def passages_with_item(blocks: Sequence[EvidenceBlock], terms: Sequence[Term]) -> list[EvidenceBlock]:
    """The unwanted effects of which one item of the list is wholly said: "Ho." for "ho khan cả tuần"."""
    said = " ".join(" ".join((*term.typed, *term.book)) for term in terms)
    plain: Callable[[str], str] = spelling if has_accents(said) else fold
    asked = {plain(word) for word in words(said)}
    return [
        block
        for block in blocks
        if block.section is SectionKey.ADR
        and not block.is_label
        and any(item and item <= asked for item in _items(block.text, plain))
    ]


def _items(text: str, plain: Callable[[str], str]) -> list[set[str]]:
    """The words of each item of a list, after the organ system before the colon."""
    return [{plain(word) for word in words(item)} for item in _BETWEEN.split(text.partition(":")[2] or text)]


def _with_rare_phrase(texts: dict[EvidenceBlock, str], terms: Sequence[Term]) -> set[EvidenceBlock]:
    """The passages with the longest phrase of the question that any prints, where few do."""
    folded = {block: f" {' '.join(folded_words(text))} " for block, text in texts.items()}
    for phrase in runs_of(terms):
        found = {block for block, text in folded.items() if f" {phrase} " in text}
        if 0 < len(found) <= RARE:
            return found
    return set()


def _with_rare_name(words: dict[EvidenceBlock, WordSet], terms: Sequence[Term]) -> set[EvidenceBlock]:
    telling: set[EvidenceBlock] = set()
    for term in terms:
        if is_name_like(term):
            found = {block for block, text in words.items() if stands_in(term, text)}
            telling |= found if len(found) <= RARE_NAME else set()
    return telling


def _text(block: EvidenceBlock) -> str:
    return " ".join((*block.labels, block.text))


def _is_dose_of_branch(block: EvidenceBlock) -> bool:
    return block.section is SectionKey.LIEU_DUNG and not is_manner_path(block.labels)
