"""What a written claim must keep to beyond the wording: its own drug, its own citations, plain text."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chat.domain import DraftClaim, Reason, Stop, TurnType
from chat.gates import CITATION_GATES, GENERATED_GATES
from chat.generation.bounds import BOUNDS, gates_of
from chat.generation.writing import Writing
from chat.verify import gate_name, verify_claims
from monographs.domain import SectionKey
from tests.chat.generation.tasks import ADULT, CONTRA, OTHER, passage, task

INTERACTION = passage("Không dùng cùng Warfarin vì tăng nguy cơ chảy máu.", section=SectionKey.TUONG_TAC)
SIGNS = passage("Liều ≥ 250 mg/lần. Tăng liều → theo dõi [1].", "Người lớn")
NAMING = passage("Quá mẫn với thuốc thử.", section=SectionKey.CHONG_CHI_DINH)
COMPARED = task(CONTRA, replace(CONTRA, drug=OTHER), turn_type=TurnType.COMPARISON)
SINGLE = task(ADULT)


def reason_of(claim: DraftClaim, writing: Writing) -> Reason | None:
    outcome = verify_claims([claim], writing.evidence, gates_of(writing))
    return outcome.reason if isinstance(outcome, Stop) else None


def test_every_gate_of_a_claim_runs_and_those_of_the_citations_first() -> None:
    names = [gate_name(gate) for gate in gates_of(SINGLE)]
    assert names[: len(CITATION_GATES)] == [gate_name(gate) for gate in CITATION_GATES]
    assert set(names) == {gate_name(gate) for gate in GENERATED_GATES} | {
        bound.__name__.removeprefix("check_") for bound in BOUNDS
    }
    assert len(names) == len(set(names)) and "verbatim" not in names


@pytest.mark.parametrize(
    ("writing", "claim", "reason"),
    [
        (SINGLE, DraftClaim("Người lớn: 0,5 - 1 g/lần.", (0,)), None),
        (SINGLE, DraftClaim("Thuốc thử, người lớn: 0,5 - 1 g/lần.", (0,)), None),
        (SINGLE, DraftClaim("Người lớn: 0,5 - 1 g/lần.", (0,), "thuoc_thu"), None),
        (SINGLE, DraftClaim("Người lớn: 0,5 - 1 g/lần.", (0,), "warfarin"), Reason.UNSUPPORTED_DRUG),
        (SINGLE, DraftClaim("Digoxin: 0,5 - 1 g/lần.", (0,)), Reason.UNSUPPORTED_DRUG),
        (SINGLE, DraftClaim("digoxin cũng dùng 0,5 - 1 g/lần.", (0,)), Reason.UNSUPPORTED_DRUG),
        (task(INTERACTION), DraftClaim("Không dùng cùng warfarin.", (0,)), None),
        (task(INTERACTION), DraftClaim("Không dùng cùng digoxin.", (0,)), Reason.UNSUPPORTED_DRUG),
        # A name of the monograph's own drug is no foreign one; that it is printed is for the wording.
        (SINGLE, DraftClaim("Thuthux: 0,5 - 1 g/lần.", (0,)), Reason.UNSUPPORTED_CLAIM),
        (COMPARED, DraftClaim("Loét dạ dày tiến triển.", (0,), "thuoc_thu"), None),
        (COMPARED, DraftClaim("Loét dạ dày tiến triển.", (1,), "warfarin"), None),
        (COMPARED, DraftClaim("Loét dạ dày tiến triển.", (0,), None), Reason.UNSUPPORTED_DRUG),
        (COMPARED, DraftClaim("Loét dạ dày tiến triển.", (1,), "thuoc_thu"), Reason.UNSUPPORTED_DRUG),
        (COMPARED, DraftClaim("Loét dạ dày tiến triển.", (0, 1), "thuoc_thu"), Reason.UNSUPPORTED_DRUG),
        (COMPARED, DraftClaim("Loét dạ dày tiến triển.", (0,), "digoxin"), Reason.UNSUPPORTED_DRUG),
        (COMPARED, DraftClaim("Warfarin: loét dạ dày tiến triển.", (0,), "thuoc_thu"), Reason.UNSUPPORTED_DRUG),
        (SINGLE, DraftClaim("0,5 - 1 g/lần [1].", (0,)), Reason.UNCITED_CLAIM),
        (SINGLE, DraftClaim("0,5 - 1 g/lần [ 1 ; 2 ]", (0,)), Reason.UNCITED_CLAIM),
        (SINGLE, DraftClaim("[1] 0,5 - 1 g/lần", (0,)), Reason.UNCITED_CLAIM),
        (task(SIGNS), DraftClaim("Tăng liều → theo dõi [1].", (0,)), None),
        (task(SIGNS), DraftClaim(SIGNS.text, (0,)), None),
        (SINGLE, DraftClaim("**0,5 - 1 g/lần**", (0,)), Reason.UNSUPPORTED_CLAIM),
        (SINGLE, DraftClaim("0,5 - 1 g/lần ✓", (0,)), Reason.UNSUPPORTED_CLAIM),
        (SINGLE, DraftClaim("0,5 - 1 g/lần?", (0,)), Reason.UNSUPPORTED_CLAIM),
        (SINGLE, DraftClaim("0,5 - 1 g/lần!", (0,)), Reason.UNSUPPORTED_CLAIM),
        (SINGLE, DraftClaim("0,5 - 1 g/lần <b>", (0,)), Reason.UNSUPPORTED_CLAIM),
        (SINGLE, DraftClaim("0,5 - 1 g/lần 🚫", (0,)), Reason.UNSUPPORTED_CLAIM),
        (SINGLE, DraftClaim("0,5 - 1 g/lần x5", (0,)), Reason.UNSUPPORTED_CLAIM),
        (SINGLE, DraftClaim("0,5 - 1 g/lần, ⑤", (0,)), Reason.UNSUPPORTED_CLAIM),
        (SINGLE, DraftClaim("Cần dùng 0,5 - 1 g/lần", (0,)), Reason.UNSUPPORTED_CLAIM),
        (SINGLE, DraftClaim("", (0,)), Reason.UNSUPPORTED_CLAIM),
        (SINGLE, DraftClaim(" . ", (0,)), Reason.UNSUPPORTED_CLAIM),
        # A title says nothing of a passage, though the passage names the drug.
        (task(NAMING), DraftClaim("Chống chỉ định của thuốc thử", (0,)), Reason.UNSUPPORTED_CLAIM),
        (task(NAMING), DraftClaim("Quá mẫn với thuốc thử.", (0,)), None),
    ],
)
def test_a_claim_keeps_to_its_task(writing: Writing, claim: DraftClaim, reason: Reason | None) -> None:
    assert reason_of(claim, writing) is reason


def test_a_number_cut_at_its_point_is_another_number() -> None:
    writing = task(passage("Tối đa 1.000 đơn vị/ngày."))
    assert reason_of(DraftClaim("Tối đa 1.000 đơn vị/ngày", (0,)), writing) is None
    assert reason_of(DraftClaim("Tối đa 1", (0,)), writing) is Reason.UNGROUNDED_NUMBER
