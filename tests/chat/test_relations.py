"""Which drugs cause or are forbidden in something: the named section only, never indications, never called whole."""

from __future__ import annotations

import re

import pytest

from chat.domain import Reason, Relation, Stop, TurnType
from chat.draft import draft_extractive
from chat.relations import note_of, section_of
from chat.selection import Selection
from chat.verify import verify_claims
from monographs.domain import SECTION_FACTS, SectionKey
from monographs.text import fold
from tests.chat.asking import drugs_shown, evidence, frame_of, related

ADR, CCD, CAUTION = SectionKey.ADR, SectionKey.CHONG_CHI_DINH, SectionKey.THAN_TRONG


@pytest.mark.parametrize(
    ("question", "drugs"),
    [
        ("thuốc nào gây ho", ["enalapril", "losartan"]),
        ("thuốc nào gây ho khan", ["enalapril", "losartan"]),
        ("những thuốc gây hạ kali huyết", ["furosemid", "gentamicin", "insulin"]),
        ("thuốc nào gây tăng kali huyết", ["enalapril", "losartan", "spironolacton"]),
        ("thuốc nào có thể gây hội chứng stevens-johnson", ["paracetamol"]),
        ("thuốc nào hay gây buồn ngủ", ["morphin"]),
        ("các thuốc gây phù mạch", ["enalapril"]),
        ("thuốc gì gây giảm thính lực", ["gentamicin"]),
        ("giảm thính lực do thuốc nào", ["gentamicin"]),
        # A few words between, or what it did first; of several in one breath whatever names any of them.
        ("thuoc nao uong lau gay phi dai loi vay", ["nifedipin", "phenytoin", "amlodipin"]),
        ("thuốc nào tiêm vào làm giảm thính lực", ["gentamicin"]),
        ("keo dai QT do thuoc: ke giup may thuoc", ["ciprofloxacin"]),
        ("ho khan là do thuốc gì", ["enalapril"]),
        ("thuoc gay u tai giam thinh luc gom nhung thuoc nao", ["gentamicin", "vancomycin"]),
        ("thuốc nào gây giảm thính lực, ù tai", ["gentamicin", "vancomycin"]),
        ("thuoc nao gay gay xuong", ["prednisolon", "omeprazol"]),
        ("tăng sản lợi (phì đại nướu) do thuốc nào gây ra", ["nifedipin"]),
    ],
)
def test_what_causes_is_read_in_the_unwanted_effects_only(question: str, drugs: list[str]) -> None:
    frame, found = frame_of(question), related(question)
    assert (frame.turn_type, frame.condition_relation) == (TurnType.CONDITION_RELATION, Relation.ADVERSE_EFFECT)
    assert isinstance(found, Selection)
    assert {block.section for block in found.evidence} == {ADR}
    assert set(drugs) & set(drugs_shown(found))
    assert found.note == note_of(SECTION_FACTS[ADR].title)


@pytest.mark.parametrize(
    "question",
    [
        # Bare words that are no "cấm", and what is only asked whether there is anything for it.
        "tram cam dung thuoc gi",
        "bi cam cum uong thuoc gi",
        "thuong han do chung nhay cam dung thuoc gi",
        "trầm cảm sau sinh có thuốc gì không",
        "đau đầu có thuốc nào không",
        "dị ứng thời tiết dùng thuốc gì",
        "phản ứng dị ứng nặng dùng thuốc gì",
        "thuốc gì làm loãng đờm",
        "đau răng uống thuốc gì không làm đau bao tử",
        "dai thao duong thai ky dung thuoc gi",
        "viem tai ngoai, nho tai thuoc gi",
    ],
)
def test_a_question_for_what_treats_is_no_relation(question: str) -> None:
    assert frame_of(question).turn_type is TurnType.CONDITION_TO_DRUG


@pytest.mark.parametrize(
    ("question", "drugs", "others"),
    [
        ("thuốc nào chống chỉ định trong hen", ["aspirin", "ibuprofen", "morphin"], ["salbutamol", "prednisolon"]),
        ("thuốc nào chống chỉ định ở người nhược cơ", ["diazepam", "gentamicin"], []),
        ("thuốc nào phải tránh khi có thai", ["enalapril", "losartan", "methotrexat", "warfarin"], ["paracetamol"]),
        ("thuốc nào không được dùng khi cho con bú", ["gliclazid", "methotrexat"], ["ibuprofen"]),
        ("những thuốc chống chỉ định ở người suy gan nặng", ["losartan", "ibuprofen"], []),
        ("thuốc nào chống chỉ định khi phản vệ", [], ["acetylcystein", "adrenalin"]),
        ("thuốc nào chống chỉ định ở người mang van tim cơ học", [], ["warfarin"]),
        ("thuốc nào cấm dùng ở trẻ sơ sinh", ["clorpheniramin"], []),
        ("thuốc nào không dùng cho người hen", ["aspirin", "ibuprofen"], ["salbutamol", "prednisolon"]),
        ("loét dạ dày tiến triển không dùng được thuốc nào", ["aspirin", "ibuprofen"], ["omeprazol"]),
        ("thuốc nào kiêng ở người nhược cơ", ["diazepam", "gentamicin"], []),
        # An allergy to a drug, by its name, its class and what is of its class.
        ("thuốc nào chống chỉ định ở người dị ứng penicilin", ["amoxicilin", "benzylpenicilin"], ["clarithromycin"]),
        ("những thuốc không được dùng khi dị ứng aspirin", ["aspirin", "ibuprofen"], ["paracetamol"]),
        ("bn dị ứng cefalexin cấm thuốc nào", ["ceftriaxon"], ["clarithromycin"]),
        ("thuốc nào chống chỉ định ở người hen và loét dạ dày", ["aspirin", "ibuprofen", "morphin"], ["salbutamol"]),
    ],
)
def test_what_is_forbidden_is_read_in_the_contraindications_only(
    question: str, drugs: list[str], others: list[str]
) -> None:
    frame, found = frame_of(question), related(question)
    assert (frame.turn_type, frame.condition_relation) == (TurnType.CONDITION_RELATION, Relation.CONTRAINDICATION)
    shown = drugs_shown(found)
    assert {block.section for block in found.evidence} <= {CCD}
    assert set(drugs) <= set(shown)
    assert not set(others) & set(shown)


@pytest.mark.parametrize(
    ("question", "drugs", "others"),
    [
        ("người thiếu G6PD phải thận trọng với những thuốc nào", ["gliclazid", "ciprofloxacin"], ["amoxicilin"]),
        ("thuốc nào cần thận trọng ở người nhược cơ", ["morphin"], ["paracetamol"]),
        ("thuốc nào phải thận trọng khi động kinh", ["ciprofloxacin"], ["paracetamol"]),
        ("động kinh thì thận trọng thuốc nào", ["ciprofloxacin"], ["paracetamol"]),
    ],
)
def test_what_needs_caution_is_read_in_the_cautions_only(question: str, drugs: list[str], others: list[str]) -> None:
    for typed in (question, fold(question)):
        frame, found = frame_of(typed), related(typed)
        assert (frame.turn_type, frame.condition_relation) == (TurnType.CONDITION_RELATION, Relation.CAUTION)
        assert {block.section for block in found.evidence} == {CAUTION}
        assert set(drugs) <= set(drugs_shown(found))
        assert not set(others) & set(drugs_shown(found))


@pytest.mark.parametrize("question", ["thuốc nào gây hạ kali huyết", "thuốc nào chống chỉ định ở người nhược cơ"])
def test_without_accents_the_same_drugs_are_listed(question: str) -> None:
    assert drugs_shown(related(fold(question))) == drugs_shown(related(question))


def test_a_lessened_thing_is_not_caused() -> None:
    assert "morphin" not in drugs_shown(related("thuốc nào gây ho"))


@pytest.mark.parametrize("effect", ["ho", "phát ban", "buồn nôn", "táo bón", "hạ huyết áp", "co giật", "mày đay"])
def test_no_drug_that_prints_the_effect_as_an_item_is_left_out(effect: str) -> None:
    """Computed apart: an item of the list, after the organ system, that is the effect itself."""
    found = related(f"thuốc nào gây {effect}")
    item = re.compile(rf"(?:^|[,;:] )\s*{effect}(?=[,;.]|$)", re.IGNORECASE)
    owed = {b.drug.drug_id for b in evidence() if b.section is ADR and item.search(b.text)}
    listed = set(drugs_shown(found))
    left_out = isinstance(found, Selection) and any("Còn" in text for text in found.missing)
    assert owed <= listed or left_out


@pytest.mark.parametrize("question", ["thuốc nào gây", "thuốc nào chống chỉ định"])
def test_without_a_condition_one_is_asked_for(question: str) -> None:
    found = related(question)
    assert isinstance(found, Stop)
    assert found.reason is Reason.NEEDS_CONDITION


def test_what_no_monograph_prints_is_said_with_the_section() -> None:
    found = related("thuốc nào gây rụng móng tay xanh")
    assert isinstance(found, Stop)
    assert found.reason is Reason.INSUFFICIENT_EVIDENCE
    assert "Tác dụng không mong muốn" in found.detail["terms"]


@pytest.mark.parametrize("question", ["thuốc nào gây ho", "thuốc nào phải tránh khi có thai"])
def test_every_claim_passes_all_gates_and_is_of_one_drug(question: str) -> None:
    found = related(question)
    assert isinstance(found, Selection)
    claims = verify_claims(draft_extractive(found.evidence), found.evidence)
    assert not isinstance(claims, Stop)
    assert {claim.drug_id for claim in claims} == set(drugs_shown(found))


def test_the_section_goes_by_the_relation() -> None:
    assert section_of(frame_of("thuốc nào gây ho")) is ADR
    assert section_of(frame_of("thuốc nào chống chỉ định trong hen")) is CCD
    assert section_of(frame_of("viêm họng dùng thuốc gì")) is None
