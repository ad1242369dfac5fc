"""Comparing drugs: each by its own monograph, in the order asked, nothing ranked, nothing filled in."""

from __future__ import annotations

import pytest

from chat.comparison import NOT_RANKED, decide_comparison
from chat.domain import Reason, Stop, TurnType
from chat.draft import draft_extractive
from chat.selection import Selection, is_held
from chat.verify import verify_claims
from monographs.domain import SectionKey
from monographs.text import fold
from tests.chat.asking import compared, corpus, drugs_shown, evidence, frame_of

ADR, CCD, CD = SectionKey.ADR, SectionKey.CHONG_CHI_DINH, SectionKey.CHI_DINH


@pytest.mark.parametrize(
    ("question", "drugs", "section"),
    [
        ("so sánh TDP của losartan và enalapril", ["losartan", "enalapril"], ADR),
        ("so sánh TDP của enalapril và losartan", ["enalapril", "losartan"], ADR),
        ("ibuprofen khác gì paracetamol về chống chỉ định", ["ibuprofen", "paracetamol"], CCD),
        ("chỉ định của metformin và gliclazid", ["metformin", "gliclazid"], CD),
        ("CCĐ của ibuprofen, aspirin", ["ibuprofen", "aspirin"], CCD),
        ("so sánh bảo quản insulin và ceftriaxon", ["insulin", "ceftriaxon"], SectionKey.BAO_QUAN),
        ("amlodipin với nifedipin giống nhau ở chỉ định nào", ["amlodipin", "nifedipin"], CD),
        ("đối chiếu thận trọng của vancomycin và gentamicin", ["vancomycin", "gentamicin"], SectionKey.THAN_TRONG),
        ("quá liều paracetamol so với ibuprofen", ["paracetamol", "ibuprofen"], SectionKey.QUA_LIEU),
        ("panadol và brufen khác nhau gì về tdp", ["paracetamol", "ibuprofen"], ADR),
        ("so sánh tác dụng phụ của losartan, enalapril và amlodipin", ["losartan", "enalapril", "amlodipin"], ADR),
    ],
)
def test_one_section_of_each_is_laid_side_by_side_in_the_order_asked(
    question: str, drugs: list[str], section: SectionKey
) -> None:
    for typed in (question, fold(question)):
        found = compared(typed)
        assert frame_of(typed).turn_type is TurnType.COMPARISON
        assert isinstance(found, Selection)
        assert drugs_shown(found) == drugs
        assert {block.section for block in found.evidence} == {section}
        assert found.absent == ()


@pytest.mark.parametrize(
    ("question", "absent", "shown"),
    [
        ("so sánh tương kỵ... bảo quản của ibuprofen và xyzalol", ("xyzalol",), ["ibuprofen"]),
        ("so sánh TDP của losartan và xyzalol", ("xyzalol",), ["losartan"]),
        # The book may mention it: without a monograph it is missing all the same.
        ("So sánh chỉ định của Losec với pantoprazol", ("pantoprazol",), ["omeprazol"]),
        ("so sanh chong chi dinh cua losartan va valsartan", ("valsartan",), ["losartan"]),
        ("so sánh tdp losartan, enalapril và zzarolimab", ("zzarolimab",), ["losartan", "enalapril"]),
    ],
)
def test_a_name_that_no_index_knows_is_missing_and_never_guessed(
    question: str, absent: tuple[str, ...], shown: list[str]
) -> None:
    found = compared(question)
    assert isinstance(found, Selection)
    assert found.absent == absent
    assert found.missing == ()
    assert drugs_shown(found) == shown


def test_a_name_in_brackets_tells_more_of_the_drug_before_it() -> None:
    assert frame_of("chi dinh cua Retarpen (benzathin) khac gi voi Crystapen").unknown_drugs == ()


def test_a_drug_without_the_section_is_missing_and_the_other_one_shown() -> None:
    question = "so sánh bảo quản của warfarin và insulin"
    blocks = [b for b in evidence() if not (b.drug.drug_id == "insulin" and b.section is SectionKey.BAO_QUAN)]
    found = decide_comparison(frame_of(question), corpus(), question, blocks)
    assert isinstance(found, Selection)
    assert found.absent == ("Insulin",)
    assert drugs_shown(found) == ["warfarin"]


def test_a_section_that_none_of_them_has_is_said_ofevidence() -> None:
    question = "so sánh bảo quản của warfarin và insulin"
    blocks = [b for b in evidence() if b.section is not SectionKey.BAO_QUAN]
    found = decide_comparison(frame_of(question), corpus(), question, blocks)
    assert isinstance(found, Stop)
    assert found.reason is Reason.SECTION_NOT_IN_MONOGRAPH
    assert found.detail["drug"] == "Warfarin, Insulin"


@pytest.mark.parametrize(
    "question", ["so sánh losartan và enalapril", "losartan hay enalapril tốt hơn", "paracetamol khác gì ibuprofen"]
)
def test_without_a_section_which_one_is_asked(question: str) -> None:
    for typed in (question, fold(question)):
        found = compared(typed)
        assert isinstance(found, Stop)
        assert found.reason is Reason.NEEDS_SECTION
        assert "," in found.detail["drug"]
        assert found.quick_replies


def test_more_than_six_are_too_many() -> None:
    six = "TDP của amlodipin, nifedipin, losartan, enalapril, furosemid, spironolacton"
    assert isinstance(compared(six), Selection)
    found = compared(f"{six}, digoxin")
    assert isinstance(found, Stop)
    assert found.reason is Reason.TOO_MANY_DRUGS


@pytest.mark.parametrize(
    "question",
    [
        "losartan hay enalapril an toàn hơn về tác dụng phụ",
        "so sánh TDP của losartan và enalapril, cái nào nhẹ hơn",
        "ibuprofen với paracetamol chống chỉ định loại nào hơn",
    ],
)
def test_which_is_better_is_never_ranked(question: str) -> None:
    found = compared(question)
    assert isinstance(found, Selection)
    assert found.note == NOT_RANKED
    assert len(drugs_shown(found)) == 2


def test_doses_are_asked_branch_by_branch_and_shown_where_selected() -> None:
    asked = compared("so sánh liều paracetamol và ibuprofen")
    assert isinstance(asked, Stop)
    assert asked.reason is Reason.NEEDS_BRANCH
    assert {"Người lớn", "Trẻ em"} <= set(asked.quick_replies)
    partly = compared("so sánh liều paracetamol và ibuprofen cho người lớn đường uống")
    assert isinstance(partly, Selection)
    assert partly.ask is not None
    assert "Ibuprofen" in partly.ask.detail["drug"]
    assert "Paracetamol" not in partly.ask.detail["drug"]
    assert all("Người lớn" in block.labels[0] for block in partly.evidence if block.labels)


def test_a_whole_survey_lists_every_branch() -> None:
    found = compared("so sánh liều dùng của paracetamol và ibuprofen, tất cả các trường hợp")
    assert isinstance(found, Selection)
    assert found.ask is None
    for drug in ("paracetamol", "ibuprofen"):
        doses = [b for b in evidence() if b.drug.drug_id == drug and b.section is SectionKey.LIEU_DUNG]
        assert set(doses) <= set(found.evidence)


def test_what_forbids_in_a_pregnancy_comes_before_the_section_asked() -> None:
    found = compared("so sánh chỉ định của ibuprofen và paracetamol cho bà bầu")
    assert isinstance(found, Selection)
    ibuprofen = [b.section for b in found.evidence if b.drug.drug_id == "ibuprofen"]
    assert ibuprofen.index(SectionKey.MANG_THAI) < ibuprofen.index(CD)
    assert ibuprofen.index(CCD) < ibuprofen.index(CD)


@pytest.mark.parametrize(
    "question",
    ["liều ibuprofen cho bn đang uống warfarin", "chống chỉ định của ibuprofen ở người đang dùng warfarin"],
)
def test_a_medicine_that_the_patient_takes_is_not_compared(question: str) -> None:
    for typed in (question, fold(question)):
        assert frame_of(typed).turn_type is TurnType.INTERACTION


@pytest.mark.parametrize("section", ["TDP", "chống chỉ định", "chỉ định", "thận trọng", "tương tác thuốc", "bảo quản"])
def test_every_claim_is_of_one_drug_and_passes_all_gates(section: str) -> None:
    found = compared(f"so sánh {section} của losartan, ibuprofen, metformin và gentamicin")
    assert isinstance(found, Selection)
    claims = verify_claims(draft_extractive(found.evidence), found.evidence)
    assert not isinstance(claims, Stop)
    for claim in claims:
        assert {found.evidence[index].drug.drug_id for index in claim.citations} == {claim.drug_id}


def test_held_back_passages_stay_in_the_evidence_as_pictures() -> None:
    found = compared("so sánh liều dùng của vancomycin và gentamicin, tất cả các trường hợp")
    assert isinstance(found, Selection)
    held = [b for b in evidence() if b.drug.drug_id in {"vancomycin", "gentamicin"} and is_held(b)]
    held = [b for b in held if b.section is SectionKey.LIEU_DUNG]
    assert set(held) <= set(found.evidence)
