"""What a passage says of an allergy of the patient's: whether it names it, and whether it forbids."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from chat.domain import EvidenceBlock, QueryFrame
from chat.drug_classes import classes_of, printed_of
from monographs.domain import DrugRef
from monographs.names import Corpus, is_syllable, spelling_key
from monographs.text import fold, folded_words

_ITEM = re.compile(r"[,;.]\s")
_MUST_BE_SEVERE = re.compile(r"\b(?:phản ứng|dị ứng|quá mẫn)(?: \S+){0,3} nặng\b", re.IGNORECASE)
_SEVERE_REACTION = re.compile(r"\b(?:soc|phan ve|phu mach|kho tho|co that|hen|stevens|lyell|nang|cap cuu)\b")
_SHORTEST_CLASS_WORD = 5
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


def allergens_of(frame: QueryFrame, corpus: Corpus) -> frozenset[str]:
    """What the patient does not tolerate: the names said, and where they are drugs those of their classes."""
    drugs = [drug for name in frame.allergies for span in corpus.names.resolve(name) for drug in span.drugs]
    classes = [class_words(corpus.classes.get(drug.drug_id, ())) for drug in drugs]
    classes += [frozenset(map(fold, printed_of(key))) for key in classes_of("", frame.allergies)]
    said = {" ".join(folded_words(name)) for name in frame.allergies}
    return frozenset(said | {name_words(drug) for drug in drugs} | {word for found in classes for word in found})


def name_words(drug: DrugRef) -> str:
    """A drug's own name, folded, without what tells it from its namesake."""
    return " ".join(folded_words(drug.name.partition(" (")[0]))


def class_words(printed: Iterable[str]) -> frozenset[str]:
    """Of the folded words of a class those that are names: "cephalosporin", "penicilin"."""
    return frozenset(word for word in printed if len(word) >= _SHORTEST_CLASS_WORD and not is_syllable(word))
