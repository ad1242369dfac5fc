"""What kind of question it is."""

from __future__ import annotations

from dataclasses import dataclass

from chat.domain import Population, TurnType
from monographs.domain import DrugRef, SectionKey


@dataclass(frozen=True, slots=True)
class Signs:
    """What tells the kind of a question beside its drugs, section, patient and cues.

    names_something: a name of whatever kind; has_topic: a topic of use, or an effect; together: what is named is taken
    together, be it a drug with a class or with what the book has no monograph of; mixes: a drug is to be mixed with
    another or with a solution; unknown: a name that no index knows is asked of.
    """

    names_something: bool = False
    has_topic: bool = False
    mixes: bool = False
    unknown: bool = False
    together: bool = False


def turn_type(
    drugs: tuple[DrugRef, ...],
    attribute: SectionKey | None,
    populations: frozenset[Population],
    turns: set[str],
    signs: Signs,
) -> TurnType:
    """The kind of a question, by what it names and by the cues of its wording (turns)."""
    asks = attribute is not None or bool(populations) or signs.has_topic
    if drugs:
        return _of_drugs(drugs, attribute, turns, signs) or (
            TurnType.DRUG_ATTRIBUTE if asks else TurnType.DRUG_OVERVIEW
        )
    if "smalltalk" in turns and attribute is None and not signs.names_something:
        return TurnType.SMALLTALK
    if "condition_to_drug" in turns and not signs.names_something:
        return TurnType.CONDITION_TO_DRUG
    return TurnType.DRUG_ATTRIBUTE if asks else TurnType.OUT_OF_SCOPE


def _of_drugs(
    drugs: tuple[DrugRef, ...], attribute: SectionKey | None, turns: set[str], signs: Signs
) -> TurnType | None:
    """The kind of a question about more than one drug, or about arithmetic; None where it is about one section."""
    if len(drugs) == 1 and "dosing_calc" in turns:
        return TurnType.DOSING_CALC
    if signs.mixes:
        return TurnType.INCOMPATIBILITY
    if len(drugs) > 1:
        return TurnType.COMPARISON if _compares(attribute, turns, signs) else TurnType.INTERACTION
    if signs.together and "comparison" not in turns:
        return TurnType.INTERACTION
    return TurnType.COMPARISON if signs.unknown and "comparison" in turns else None


def _compares(attribute: SectionKey | None, turns: set[str], signs: Signs) -> bool:
    """Whether several drugs are laid side by side: said so, or one section of each is asked for."""
    if signs.together and "forbidden_in" in turns:
        # Which one of a prescription is to be left out is told by what they do together as well.
        return False
    if turns & {"comparison", "ranks"}:
        return True
    if signs.together:
        return False
    if attribute is None and signs.has_topic:
        return "interaction" not in turns
    return attribute not in {None, SectionKey.TUONG_TAC, SectionKey.TUONG_KY} and "interaction" not in turns
