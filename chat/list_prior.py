"""What a question for drugs hands on: the same question with one more fact of the patient, and nothing to another."""

from __future__ import annotations

import re
from dataclasses import replace

from chat.candidate_facts import states_facts
from chat.conditions import told_of
from chat.domain import ContextAction, Population, QueryFrame, TurnType
from monographs.domain import SectionKey
from monographs.text import fold

_PATIENT = re.compile(r"\b(?:nguoi|benh nhan|bn|be|tre|ba bau|cu)\b")
LISTS = frozenset({TurnType.CONDITION_TO_DRUG, TurnType.SYMPTOM_TO_DRUG, TurnType.CONDITION_RELATION})


def after_list(frame: QueryFrame, prior: QueryFrame, populations: frozenset[Population]) -> QueryFrame | None:
    """The frame of a turn where it, or the one before it, asks for drugs; None where neither does, or where it is no
    other question. populations: those of both turns."""
    goes_on = frame.context_action is ContextAction.CONTINUE
    if prior.turn_type in LISTS and _tells_more(frame):
        return _told_more(frame, prior, populations)
    if prior.turn_type in LISTS and frame.drugs:
        return frame
    if prior.turn_type in LISTS and goes_on and _is_bare_condition(frame, prior):
        return _of_another(frame, prior, populations)
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


def _is_bare_condition(frame: QueryFrame, prior: QueryFrame) -> bool:
    """Whether a turn only names another condition ("còn viêm họng?"). Behind a question by indication, one that is told
    of a patient ("còn người bệnh hen?") may as well be this patient's."""
    if frame.turn_type in LISTS or frame.attribute or frame.topics or (frame.unknown_drugs and not frame.guessed_names):
        return False
    of_patient = prior.turn_type is not TurnType.CONDITION_RELATION and _PATIENT.search(fold(_rest(frame)))
    return bool(told_of(frame).condition) and not of_patient


def _of_another(frame: QueryFrame, prior: QueryFrame, populations: frozenset[Population]) -> QueryFrame:
    return replace(
        frame,
        turn_type=prior.turn_type,
        condition_relation=prior.condition_relation,
        attribute=prior.attribute,
        populations=populations,
        unknown_drugs=(),
        guessed_names=False,
        depends_on_previous_turn=True,
    )


def _rest(frame: QueryFrame) -> str:
    return str(frame.raw.get("rest", ""))


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
        partners=tuple(dict.fromkeys([*prior.partners, *frame.partners])),
        context_action=ContextAction.CONTINUE,
        depends_on_previous_turn=True,
        raw={**prior.raw, "told": f"{prior.raw.get('told', '')} {frame.raw.get('rest', '')}"},
    )
