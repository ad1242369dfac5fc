"""True claims made from passages: verbatim, trimmed, reordered, merged; deterministic for a seed."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence

from chat.domain import DraftClaim, EvidenceBlock

_SENTENCE = re.compile(r"(?<=[.])\s+(?=[A-ZÀ-ỸĐ])")
Variation = Callable[[EvidenceBlock, EvidenceBlock], DraftClaim | None]


def true_claims(
    blocks: Sequence[EvidenceBlock], *, per_class: int, seed: int = 1
) -> Iterator[tuple[str, DraftClaim, tuple[EvidenceBlock, ...]]]:
    """(class, claim, evidence): at most per_class of each class, from passages drawn at random."""
    for kind, vary in VARIATIONS.items():
        rng = random.Random(f"{seed}:{kind}")
        made = 0
        for index in rng.sample(range(len(blocks) - 1), len(blocks) - 1):
            block, following = blocks[index], blocks[index + 1]
            claim = vary(block, following)
            if claim is not None:
                yield kind, claim, (block, following)
                made += 1
            if made == per_class:
                break


def _verbatim(block: EvidenceBlock, _: EvidenceBlock) -> DraftClaim:
    return DraftClaim(block.text, (0,), block.drug.drug_id)


def _trimmed(block: EvidenceBlock, _: EvidenceBlock) -> DraftClaim | None:
    sentences = _SENTENCE.split(block.text)
    return DraftClaim(" ".join(sentences[:-1]), (0,)) if len(sentences) > 1 else None


def _trimmed_clause(block: EvidenceBlock, _: EvidenceBlock) -> DraftClaim | None:
    clauses = _SENTENCE.split(block.text)[0].split("; ")
    return DraftClaim("; ".join(clauses[:-1]), (0,)) if len(clauses) > 1 else None


def _reordered(block: EvidenceBlock, _: EvidenceBlock) -> DraftClaim | None:
    sentences = _SENTENCE.split(block.text)
    return DraftClaim(" ".join([*sentences[1:], sentences[0]]), (0,)) if len(sentences) > 1 else None


def _without_label(block: EvidenceBlock, _: EvidenceBlock) -> DraftClaim | None:
    label = block.labels[-1] if block.labels else ""
    bare = block.text[len(label) :].lstrip(" :") if label and block.text.startswith(label) else ""
    return DraftClaim(bare, (0,)) if bare else None


def _merged(block: EvidenceBlock, following: EvidenceBlock) -> DraftClaim | None:
    if block.section is not following.section or block.drug != following.drug:
        return None
    return DraftClaim(f"{block.text} {following.text}", (0, 1), block.drug.drug_id)


VARIATIONS: dict[str, Variation] = {
    "verbatim": _verbatim,
    "trimmed_sentence": _trimmed,
    "trimmed_clause": _trimmed_clause,
    "reordered": _reordered,
    "without_label": _without_label,
    "merged": _merged,
}
