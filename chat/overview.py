"""The overview route: a drug is named but no section; its own passages are searched for the question's words."""

from __future__ import annotations

import math
from collections.abc import Sequence

from chat.domain import EvidenceBlock
from monographs.domain import PassageKind
from monographs.text import WordSet

# A passage answers where it holds this share of the weight of the question's words; how similar it is decides only
# the order, never whether there is an answer.
LEAST_SHARE = 0.6
MOST_SHOWN = 4


def search_passages(blocks: Sequence[EvidenceBlock], named: Sequence[str]) -> tuple[EvidenceBlock, ...]:
    """The passages that speak of the named words (as typed), those that say more of them first, else as the blocks are
    ordered; a table with the text under its label, and the other way round.

    Rare words weigh more: log(passages / passages with the word).
    """
    texts = {block: WordSet(" ".join((*block.labels, block.text))) for block in blocks if not block.is_label}
    seen = {word: sum(word in words for words in texts.values()) for word in set(named)}
    weights = {word: math.log((1 + len(texts)) / (1 + times)) + 0.1 for word, times in seen.items()}
    total = sum(weights.values())
    scores = {block: sum(weights[word] for word in weights if word in words) / total for block, words in texts.items()}
    best = sorted((block for block in texts if scores[block] >= LEAST_SHARE), key=lambda block: -scores[block])
    chosen = best[:MOST_SHOWN]
    tables = {(b.section, b.labels) for b in texts if b.kind is not PassageKind.TEXT and b.labels}
    places = tables & {(block.section, block.labels) for block in chosen}
    beside = [block for block in texts if (block.section, block.labels) in places and block not in chosen]
    return (*chosen, *beside)
