"""Pairs, candidates and arithmetic laid beside what a golden question owes."""

from __future__ import annotations

import pytest

from chat.contract import Answer, CalculationResult, CandidateAssessment, PairAssessment
from chat.domain import CandidateStatus, PairStatus, Reason
from chat.evaluation_findings import CalculationOwed, calculation_faults, candidate_faults, pair_faults
from tests.factories import make_answer


def answer_with(**fields: object) -> Answer:
    return make_answer(Reason.VERIFIED).model_copy(update=fields)


def pair(first: str, second: str, status: PairStatus) -> PairAssessment:
    return PairAssessment(first=first, second=second, status=status, sides=())


WARFARIN_ASPIRIN = pair("Warfarin", "Aspirin", PairStatus.NAMED)


@pytest.mark.parametrize(
    ("owed", "fault"),
    [
        (("Warfarin", "Aspirin", "named"), False),
        (("aspirin", "WARFARIN", "silent|named"), False),
        (("Warfarin", "Aspirin", "silent"), True),
        (("Warfarin", "Ibuprofen", "named"), True),
        (("Warfarin", "Ibuprofen", "not_checked"), True),
    ],
)
def test_a_pair_is_looked_for_in_either_order(owed: tuple[str, str, str], fault: bool) -> None:
    answer = answer_with(pairs=(WARFARIN_ASPIRIN,))
    assert bool(list(pair_faults([owed], answer, quoted=True))) == fault


@pytest.mark.parametrize(
    ("statuses", "quoted", "fault"), [("named", True, False), ("named", False, True), ("silent", True, True)]
)
def test_an_answer_to_one_drug_alone_holds_a_named_pair_where_its_words_are_owed(
    statuses: str, quoted: bool, fault: bool
) -> None:
    assert bool(list(pair_faults([("Metronidazol", "rượu", statuses)], answer_with(), quoted=quoted))) == fault


@pytest.mark.parametrize(
    ("owed", "faults"),
    [
        ({"enalapril": "contraindicated"}, 0),
        ({"enalapril": "indicated|contraindicated"}, 0),
        ({"enalapril": "indicated"}, 1),
        ({"losartan": "indicated"}, 1),
        ({}, 0),
    ],
)
def test_a_candidate_has_one_of_the_statuses_owed(owed: dict[str, str], faults: int) -> None:
    found = CandidateAssessment(drug_id="enalapril", drug_name="Enalapril", status=CandidateStatus.CONTRAINDICATED)
    assert len(list(candidate_faults(owed, answer_with(candidate_assessments=(found,))))) == faults


CALCULATION = CalculationResult.model_construct(
    inputs=(("Cân nặng", "8 kg"),),
    steps=("10 - 15 mg/kg/lần × 8 kg = 80 - 120 mg/lần",),
    result="80 - 120 mg/lần, tối đa 480 mg/ngày",
    maximum="60 mg/kg/ngày",
    capped=False,
    rounding="",
    citations=(),
)


@pytest.mark.parametrize(
    ("owed", "faults"),
    [
        ({"result_contains": "80 - 120 mg"}, 0),
        ({"result_contains": "800 mg"}, 1),
        ({"result_contains_any": ["120 g", "480 mg"]}, 0),
        ({"result_not_contains": ["gói"]}, 0),
        ({"result_not_contains": ["480"]}, 1),
        ({"steps_contain": ["× 8 kg"]}, 0),
        ({"steps_contain": ["8 kg", "× 9 kg"]}, 1),
        ({"capped": True}, 1),
        ({"capped": False}, 0),
        ({"maximum": "60 mg/kg"}, 0),
        ({"maximum": "4 g"}, 1),
        ({"absent": True}, 1),
    ],
)
def test_arithmetic_holds_what_is_owed(owed: dict[str, object], faults: int) -> None:
    answer = answer_with(calculation=CALCULATION)
    assert len(list(calculation_faults(CalculationOwed.model_validate(owed), answer))) == faults


def test_arithmetic_that_is_owed_and_not_there_is_a_fault_and_none_owed_is_none() -> None:
    assert list(calculation_faults(CalculationOwed(result_contains="1 mg"), answer_with()))
    assert list(calculation_faults(CalculationOwed(absent=True), answer_with())) == []
    assert list(calculation_faults(None, answer_with(calculation=CALCULATION))) == []
