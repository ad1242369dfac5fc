"""Notes without a question, asked of the real pipeline: an illness asks for its drugs, a drug with harm does not."""

from __future__ import annotations

import pytest
from django.db import transaction
from pytest_django import DjangoDbBlocker

from chat.contract import Answer
from chat.conversation import ask_in_order
from chat.domain import Decision, Reason
from tests.sample_edition import publish_sample_pdf

pytestmark = pytest.mark.django_db  # has the test database made; the fixture below fills it once

ILLNESSES = [
    ("nấc dai dẳng, các biện pháp khác k ăn thua", "clorpromazin", "indicated"),
    ("cơn hen cấp, bn đang uống propranolol", "salbutamol_dung_trong_ho_hap", "interaction_named"),
    ("vay nen nang, nghien ruou", "methotrexat", "contraindicated"),
    ("tài xế xe tải bị viêm mũi dị ứng, tư vấn thuốc gì", "clorpheniramin", "indicated_with_caution"),
    ("hội chứng cai rượu cấp", "diazepam", "indicated"),
    ("kawasaki ở trẻ 4 tuổi", "aspirin", "indicated_with_caution"),
    ("phù phổi cấp, HATT 80 mmHg", "isosorbid_dinitrat", "contraindicated"),
    ("viem hong lien cau, bn dang uong methotrexat hang tuan", "amoxicilin", "interaction_named"),
    ("ho gà, đang uống simvastatin tối nào cũng 1 viên", "clarithromycin", "contraindicated"),
    ("bị chó cắn, trước uống Augmentin vàng da", "amoxicilin_va_clavulanat", "contraindicated"),
    ("viêm âm đạo do trichomonas, đang cho con bú", "metronidazol", "indicated_with_caution"),
]
ABOUT_DRUGS = [
    "ba cu 80 tuoi may bua nay uong digoxin 0,25 ngay toi 5 vien, gio oi mua, mach 38",  # too much taken
    "đang uống amlodipin, phù chân",  # what the drug may have done
    "phù chân, đang uống amlodipin",
    "loét dạ dày, đang uống aspirin",
    "nhịp chậm, đang uống digoxin",
    "tăng kali huyết, đang uống spironolacton",
    "đang dùng metformin, mới biết có thai",
    "tăng huyết áp, có dùng được ibuprofen không",
    "sốt xuất huyết, uống ibuprofen được không",
    "liều paracetamol cho bé sốt 12 kg",
    "ho sau khi uống enalapril",
]
NAMELESS = ["gãy xương đùi", "bé 3 tuổi", "zona thần kinh, 60 tuổi"]


@pytest.fixture(scope="module")
def answers(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> dict[str, Answer]:
    """Each note asked once on the whole sample; nothing of it stays in the database."""
    notes = [*(note for note, _, _ in ILLNESSES), *ABOUT_DRUGS, *NAMELESS]
    with django_db_blocker.unblock(), transaction.atomic():
        publish_sample_pdf()
        found = {note: ask_in_order([note]) for note in notes}
        transaction.set_rollback(True)
    return found


def _listed(answer: Answer) -> dict[str, str]:
    return {candidate.drug_id: candidate.status.value for candidate in answer.candidate_assessments}


@pytest.mark.parametrize(("note", "drug", "status"), ILLNESSES)
def test_an_illness_told_alone_asks_for_its_drugs(
    note: str, drug: str, status: str, answers: dict[str, Answer]
) -> None:
    assert _listed(answers[note]).get(drug) == status


@pytest.mark.parametrize("note", ABOUT_DRUGS)
def test_a_drug_that_is_asked_about_or_may_have_harmed_stays_the_drug(note: str, answers: dict[str, Answer]) -> None:
    assert _listed(answers[note]) == {}
    assert answers[note].resolved_drugs


@pytest.mark.parametrize("note", NAMELESS)
def test_what_no_indication_names_lists_nothing(note: str, answers: dict[str, Answer]) -> None:
    answer = answers[note]
    assert answer.decision is not Decision.ANSWERABLE
    assert answer.reason is not Reason.VERIFIED
    assert not answer.claims
