"""What a passage says of an allergy of the patient's: whether it names it, and whether it forbids."""

from __future__ import annotations

import re
from dataclasses import replace

from chat.domain import EvidenceBlock
from monographs.names import spelling_key
from monographs.text import folded_words

_ITEM = re.compile(r"[,;.]\s")
_MUST_BE_SEVERE = re.compile(r"\b(?:phản ứng|dị ứng|quá mẫn)(?: \S+){0,3} nặng\b", re.IGNORECASE)
_SEVERE_REACTION = re.compile(r"\b(?:soc|phan ve|phu mach|kho tho|co that|hen|stevens|lyell|nang|cap cuu)\b")
_ALLERGIC_TO = re.compile(r"\b(?:qua man|di ung|phan ung|adr)\b")


def names_allergen(block: EvidenceBlock, allergens: frozenset[str]) -> bool:
    said = f" {' '.join(folded_words(block.text))} "
    alike = {*said.split(), *map(spelling_key, said.split())}
    named = any(f" {word} " in said or spelling_key(word) in alike for word in allergens)
    return named and bool(_ALLERGIC_TO.search(said))


def forbids_allergic(block: EvidenceBlock, told: str, allergens: frozenset[str]) -> bool:
    """Whether an allergy forbids; one that must have been severe ("phản ứng tức thì nặng với penicilin") only where it
    is told to have been. told: the folded words of the question."""
    items = [item for item in _ITEM.split(block.text) if names_allergen(replace(block, text=item), allergens)]
    severe = _SEVERE_REACTION.search(told) is not None
    return any(severe or not _MUST_BE_SEVERE.search(item) for item in items or [block.text]) and names_allergen(
        block, allergens
    )
