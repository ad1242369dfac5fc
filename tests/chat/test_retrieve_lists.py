"""What is read from the database for lists and comparisons: the right passages, in order, in few queries."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import transaction
from pytest_django import DjangoAssertNumQueries, DjangoDbBlocker

from chat.conversation import ask_in_order
from chat.domain import Decision, Reason
from chat.export_text import answer_text
from chat.outcomes import Status
from monographs.models import Passage
from monographs.text import fold
from tests.sample_edition import publish_sample

pytestmark = pytest.mark.django_db
SIX = "amlodipin, nifedipin, losartan, enalapril, furosemid, spironolacton"


@pytest.fixture(scope="module", autouse=True)
def book(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The whole sample, published once; nothing of it stays in the database."""
    with django_db_blocker.unblock(), transaction.atomic():
        publish_sample(())
        ask_in_order(["liều paracetamol người lớn đường uống"])
        yield
        transaction.set_rollback(True)


@pytest.mark.parametrize(
    ("question", "drugs"),
    [
        ("sốt dùng thuốc gì", {"aspirin", "ibuprofen", "paracetamol"}),
        ("ho gà dùng thuốc gì", {"clarithromycin"}),
        ("hen cấp dùng thuốc gì", {"prednisolon", "salbutamol_dung_trong_ho_hap"}),
        ("viêm âm đạo dùng thuốc gì", {"fluconazol", "metronidazol", "nystatin"}),
        ("thuốc nào trị giardia", {"metronidazol"}),
        ("suy giáp uống thuốc gì", {"levothyroxin"}),
        ("bạch hầu dùng kháng sinh gì", {"benzylpenicilin"}),
    ],
)
def test_a_condition_finds_the_same_with_and_without_accents(question: str, drugs: set[str]) -> None:
    for typed in (question, fold(question)):
        answer = ask_in_order([typed])
        assert {candidate.drug_id for candidate in answer.candidate_assessments} == drugs


@pytest.mark.parametrize(
    ("question", "drugs"),
    [
        ("thuốc nào gây ho", {"enalapril", "losartan", "salbutamol_dung_trong_ho_hap", "sildenafil"}),
        ("thuốc nào gây ho khan", {"enalapril", "losartan", "salbutamol_dung_trong_ho_hap"}),
        ("thuốc nào chống chỉ định ở người nhược cơ", {"diazepam", "gentamicin"}),
        ("thuốc nào không được dùng khi cho con bú", {"gliclazid", "methotrexat"}),
    ],
)
def test_a_relation_finds_the_same_with_and_without_accents(question: str, drugs: set[str]) -> None:
    for typed in (question, fold(question)):
        answer = ask_in_order([typed])
        assert {claim.citations[0].drug_id for claim in answer.claims} == drugs


@pytest.mark.parametrize(
    ("question", "most"),
    [
        (f"so sánh TDP của {SIX}", 3),
        (f"so sánh chống chỉ định của {SIX}", 3),
        ("viêm âm đạo dùng thuốc gì", 4),
        ("tăng huyết áp ở phụ nữ có thai đang uống digoxin dùng thuốc gì", 5),
        ("bệnh lạ chưa ai tả dùng thuốc gì", 8),
        ("thuốc nào gây ho", 4),
        ("trộn gentamicin với ceftriaxon chung bơm tiêm", 5),
    ],
)
def test_few_queries(question: str, most: int, django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_max_num_queries(most):
        ask_in_order([question])


def test_a_held_back_indication_is_a_picture() -> None:
    passage = Passage.objects.get(text__startswith="Ho gà")
    Passage.objects.filter(pk=passage.pk).update(state="quarantined")
    try:
        answer = ask_in_order(["ho gà dùng thuốc gì"])
        assert (answer.decision, answer.reason) == (Decision.VERIFY_PDF, Reason.SOURCE_QUARANTINED)
        assert answer.claims == ()
        assert [item.text for item in answer.evidence] == [""]
    finally:
        Passage.objects.filter(pk=passage.pk).update(state="served")


def test_a_held_back_contraindication_leaves_the_candidate_unchecked() -> None:
    section = Passage.objects.filter(
        section__key="chong_chi_dinh", section__monograph__slug="clarithromycin", text__startswith="Suy gan"
    )
    pk = section.get().pk
    Passage.objects.filter(pk=pk).update(state="quarantined")
    try:
        answer = ask_in_order(["ho gà ở phụ nữ có thai dùng thuốc gì"])
        assert [candidate.status.value for candidate in answer.candidate_assessments] == ["not_checked"]
        assert answer.reason is Reason.PARTIAL_QUARANTINED
    finally:
        Passage.objects.filter(pk=pk).update(state="served")


def test_red_flags_and_animals_come_first() -> None:
    assert ask_in_order(["chó bị viêm da dùng thuốc gì"]).reason is Reason.NON_HUMAN_SCOPE
    emergency = ask_in_order(["sốc phản vệ dùng thuốc gì"])
    assert emergency.emergency
    assert "adrenalin" in {candidate.drug_id for candidate in emergency.candidate_assessments}


def test_an_unknown_name_makes_a_comparison_partial_with_its_reasons() -> None:
    answer = ask_in_order(["so sánh chống chỉ định của losartan và xyzalol"])
    assert (answer.reason, answer.status) == (Reason.MISSING_REQUESTED_ENTITY, Status.PARTIAL)
    assert answer.status_reason.verification_reasons == ("missing_requested_entity:xyzalol",)
    assert answer.insufficiency is not None
    assert answer.insufficiency.missing_targets == ("xyzalol",)


def test_a_missing_section_makes_a_comparison_partial_with_its_reasons() -> None:
    Passage.objects.filter(section__key="qua_lieu", section__monograph__slug="insulin").update(
        section_id=_other_section("insulin")
    )
    answer = ask_in_order(["so sánh quá liều của insulin và warfarin"])
    assert (answer.reason, answer.status) == (Reason.PARTIAL_COMPARISON, Status.PARTIAL)
    assert "missing_comparison_doc:Insulin" in answer.status_reason.verification_reasons


def _other_section(slug: str) -> int:
    """A section under a key that no question asks for, to which passages are put away."""
    passage = Passage.objects.filter(section__monograph__slug=slug).select_related("section__monograph").first()
    assert passage is not None
    monograph = passage.section.monograph
    return monograph.sections.create(key="", heading="Khác", anchor="khac-x", order=99, pdf_page=1).pk


@pytest.mark.parametrize(
    ("question", "lines"),
    [
        ("viêm họng dị ứng penicilin dùng thuốc gì", ["Amoxicilin: Chống chỉ định với người bệnh này"]),
        (
            "so sánh chống chỉ định của losartan và enalapril",
            ["Chống chỉ định – Losartan", "Chống chỉ định – Enalapril"],
        ),
    ],
)
def test_exports_say_the_status_of_each_drug(question: str, lines: list[str]) -> None:
    from django.utils import timezone

    text = answer_text(question=question, asked_at=timezone.now(), answer=ask_in_order([question]))
    assert all(line in text for line in lines)
