"""What a question for drugs hands on: the same question with one more fact of the patient, and nothing to another."""

from __future__ import annotations

from dataclasses import replace

from chat.candidate_facts import states_facts
from chat.conditions import told_of
from chat.domain import ContextAction, Population, QueryFrame, TurnType
from monographs.domain import SectionKey

LISTS = frozenset({TurnType.CONDITION_TO_DRUG, TurnType.SYMPTOM_TO_DRUG, TurnType.CONDITION_RELATION})


def after_list(frame: QueryFrame, prior: QueryFrame, populations: frozenset[Population]) -> QueryFrame | None:
    """The frame of a turn where it, or the one before it, asks for drugs; None where neither does, or where it is no
    other question. populations: those of both turns."""
    goes_on = frame.context_action is ContextAction.CONTINUE
    if prior.turn_type in LISTS and _tells_more(frame):
        return _told_more(frame, prior, populations)
    if prior.turn_type in LISTS and frame.drugs:
        return frame
    if frame.turn_type not in LISTS or not told_of(frame).condition:
        return None
    # Another condition is another question; of the same patient, where it goes on with the case.
    same_case = goes_on and prior.turn_type in LISTS
    return replace(frame, populations=populations) if same_case else frame


def _tells_more(frame: QueryFrame) -> bool:
    """Whether a turn only tells more of the patient ("thế ở phụ nữ có thai?"), or asks for more ("còn thuốc nào?")."""
    taken = frame.raw.get("taken")
    asked = [drug for drug in frame.drugs if not (isinstance(taken, list) and drug.drug_id in taken)]
    asks_dose = frame.attribute is SectionKey.LIEU_DUNG and not frame.dose_implied
    if asked or asks_dose or frame.unknown_drugs or frame.options:
        return False
    told = states_facts(frame, ()) or bool(frame.drugs)
    if frame.turn_type in LISTS:
        return not told_of(frame).condition
    return told


def _told_more(frame: QueryFrame, prior: QueryFrame, populations: frozenset[Population]) -> QueryFrame:
    return replace(
        prior,
        populations=populations,
        weight_kg=frame.weight_kg or prior.weight_kg,
        age_text=frame.age_text or prior.age_text,
        age_months=frame.age_months or prior.age_months,
        clearance_ml_min=frame.clearance_ml_min or prior.clearance_ml_min,
        labs=frame.labs or prior.labs,
        allergies=tuple(dict.fromkeys([*prior.allergies, *frame.allergies])),
        medicines=tuple(dict.fromkeys([*prior.medicines, *frame.medicines, *frame.drugs])),
        context_action=ContextAction.CONTINUE,
        depends_on_previous_turn=True,
        raw={**prior.raw, "told": f"{prior.raw.get('told', '')} {frame.raw.get('rest', '')}"},
    )
