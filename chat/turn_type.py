"""What kind of question it is."""

from __future__ import annotations

from chat.domain import Population, TurnType
from monographs.domain import DrugRef, SectionKey


def turn_type(
    drugs: tuple[DrugRef, ...],
    attribute: SectionKey | None,
    populations: frozenset[Population],
    turns: set[str],
    *,
    names_something: bool = False,
    has_topic: bool = False,
) -> TurnType:
    asks = attribute is not None or bool(populations) or has_topic
    if len(drugs) > 1:
        return TurnType.COMPARISON if "comparison" in turns else TurnType.INTERACTION
    if drugs:
        return TurnType.DRUG_ATTRIBUTE if asks else TurnType.DRUG_OVERVIEW
    if "smalltalk" in turns and attribute is None and not names_something:
        return TurnType.SMALLTALK
    if "condition_to_drug" in turns and not names_something:
        return TurnType.CONDITION_TO_DRUG
    return TurnType.DRUG_ATTRIBUTE if asks else TurnType.OUT_OF_SCOPE
