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
    mixes: bool = False,
    unknown: bool = False,
    together: bool = False,
) -> TurnType:
    """together: what is named is taken together, be it a drug with a class or with what the book has no monograph of;
    mixes: a drug is to be mixed with another or with a solution; unknown: a name that no index knows is asked of."""
    asks = attribute is not None or bool(populations) or has_topic
    if len(drugs) == 1 and "dosing_calc" in turns:
        return TurnType.DOSING_CALC
    if drugs and mixes:
        return TurnType.INCOMPATIBILITY
    if len(drugs) > 1:
        return TurnType.COMPARISON if _compares(attribute, turns, together=together) else TurnType.INTERACTION
    if drugs and together and "comparison" not in turns:
        return TurnType.INTERACTION
    if drugs and unknown and "comparison" in turns:
        return TurnType.COMPARISON
    if drugs:
        return TurnType.DRUG_ATTRIBUTE if asks else TurnType.DRUG_OVERVIEW
    if "smalltalk" in turns and attribute is None and not names_something:
        return TurnType.SMALLTALK
    if "condition_to_drug" in turns and not names_something:
        return TurnType.CONDITION_TO_DRUG
    return TurnType.DRUG_ATTRIBUTE if asks else TurnType.OUT_OF_SCOPE


def _compares(attribute: SectionKey | None, turns: set[str], *, together: bool) -> bool:
    """Whether several drugs are laid side by side: said so, or one section of each is asked for."""
    if turns & {"comparison", "ranks"}:
        return True
    if together:
        return False
    return attribute not in {None, SectionKey.TUONG_TAC, SectionKey.TUONG_KY} and "interaction" not in turns
