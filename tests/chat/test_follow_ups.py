"""A turn that goes on with a list of drugs, or with drugs taken together: what it adds, and what it replaces."""

from __future__ import annotations

import pytest

from chat.domain import QueryFrame, Relation, TurnType
from chat.medicines import unlisted_taken
from chat.prior import merge_prior
from chat.rewrites import rewrite_frame
from chat.understand import understand
from tests.sample_corpus import sample_corpus


def asked_in_order(*questions: str) -> QueryFrame:
    frame: QueryFrame | None = None
    for question in questions:
        frame = merge_prior(rewrite_frame(understand(question, sample_corpus())), frame, after_clarify=False)
    assert frame is not None
    return frame


@pytest.mark.parametrize(
    ("before", "now", "drugs"),
    [
        ("clarithromycin với warfarin", "thêm digoxin nữa thì sao", {"clarithromycin", "warfarin", "digoxin"}),
        ("clarithromycin voi warfarin", "them digoxin nua thi sao", {"clarithromycin", "warfarin", "digoxin"}),
        ("clarithromycin với warfarin", "còn với digoxin?", {"clarithromycin", "digoxin"}),
        ("clarithromycin với warfarin", "liều digoxin", {"digoxin"}),
        # It is not said whose place the new one takes, unless it is.
        ("clarithromycin với warfarin", "đổi qua amoxicilin thì sao", {"clarithromycin", "warfarin", "amoxicilin"}),
        ("clarithromycin voi warfarin", "dung amoxicilin thay dc ko", {"clarithromycin", "warfarin", "amoxicilin"}),
        ("clarithromycin với warfarin", "thay clarithromycin bằng amoxicilin", {"warfarin", "amoxicilin"}),
        ("digoxin với furosemid", "chuyển từ furosemid sang spironolacton", {"digoxin", "spironolacton"}),
        ("morphin với paracetamol", "chuyển từ morphin tiêm sang uống", {"morphin"}),
        ("clarithromycin với warfarin", "liều amoxicilin thay thế người lớn", {"amoxicilin"}),
        ("liều warfarin", "đổi qua amoxicilin thì sao", {"amoxicilin"}),
    ],
)
def test_a_drug_is_added_to_those_taken_together_or_takes_the_place_of_one(
    before: str, now: str, drugs: set[str]
) -> None:
    assert {drug.drug_id for drug in asked_in_order(before, now).drugs} == drugs


@pytest.mark.parametrize(
    ("before", "now", "turn", "drugs"),
    [
        (
            "dopamin pha dung dịch nào để truyền",
            "chạy chung dây với insulin được không",
            TurnType.INCOMPATIBILITY,
            ["dopamin", "insulin"],
        ),
        ("morphin pha gì", "tron chung voi furosemid dc ko", TurnType.INCOMPATIBILITY, ["morphin", "furosemid"]),
        (
            "liều paracetamol người lớn",
            "uống chung với warfarin được không",
            TurnType.INTERACTION,
            ["paracetamol", "warfarin"],
        ),
        ("morphin pha gì", "bom chung phenytoin vao do dc ko", TurnType.INCOMPATIBILITY, ["morphin", "phenytoin"]),
        (
            "ceftriaxon pha với dung môi gì",
            "trộn phenytoin vào chai đó luôn được không",
            TurnType.INCOMPATIBILITY,
            ["ceftriaxon", "phenytoin"],
        ),
        ("dopamin pha gì", "pha thêm furosemid vào được không", TurnType.INCOMPATIBILITY, ["dopamin", "furosemid"]),
        ("vancomycin pha gì", "uống thêm digoxin được không", TurnType.INTERACTION, ["vancomycin", "digoxin"]),
        ("liều warfarin", "dung kem aspirin dc ko", TurnType.INTERACTION, ["warfarin", "aspirin"]),
        ("liều warfarin", "liều aspirin uống cùng lúc ăn", TurnType.DRUG_ATTRIBUTE, ["aspirin"]),
        # It names both itself, or joins nothing to what was asked before.
        (
            "liều paracetamol người lớn",
            "warfarin uống chung với aspirin được không",
            TurnType.INTERACTION,
            ["warfarin", "aspirin"],
        ),
        ("liều paracetamol người lớn", "còn warfarin thì sao", TurnType.DRUG_OVERVIEW, ["warfarin"]),
        ("liều paracetamol người lớn", "warfarin pha với gì", TurnType.INCOMPATIBILITY, ["warfarin"]),
    ],
)
def test_what_is_joined_to_one_drug_is_joined_to_the_one_before(
    before: str, now: str, turn: TurnType, drugs: list[str]
) -> None:
    frame = asked_in_order(before, now)
    assert (frame.turn_type, [drug.drug_id for drug in frame.drugs]) == (turn, drugs)


@pytest.mark.parametrize(
    ("before", "now", "relation", "terms"),
    [
        (
            "Thuốc nào chống chỉ định ở người nhược cơ?",
            "còn người tăng áp lực nội sọ?",
            Relation.CONTRAINDICATION,
            "tăng áp lực nội sọ",
        ),
        ("thuốc nào gây ho khan", "còn hạ kali máu?", Relation.ADVERSE_EFFECT, "hạ kali máu"),
    ],
)
def test_another_condition_of_the_same_relation(before: str, now: str, relation: Relation, terms: str) -> None:
    frame = asked_in_order(before, now)
    assert (frame.turn_type, frame.condition_relation) == (TurnType.CONDITION_RELATION, relation)
    assert set(" ".join(map(str, frame.terms)).split()) <= set(terms.split())


def test_a_fact_of_the_patient_is_no_other_condition() -> None:
    frame = asked_in_order("viêm tai giữa dùng thuốc gì", "còn người suy thận?")
    assert [str(term) for term in frame.terms] == ["viêm", "tai", "giữa"]
    assert frame.populations


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("hen cấp dùng thuốc gì, bn đang uống propranolol", ("propranolol",)),
        ("hen cap dung thuoc gi, bn dang uong propranolol", ("propranolol",)),
        ("đang uống thuốc huyết áp thì ho dùng thuốc gì", ("Thuốc hạ huyết áp",)),
        ("tối qua BN có nhậu rượu", ("Rượu",)),
        ("uống propranolol hay verapamil", ()),
    ],
)
def test_what_is_taken_and_stands_in_no_index(question: str, names: tuple[str, ...]) -> None:
    assert unlisted_taken(question) == names


@pytest.mark.parametrize(
    ("question", "relation"),
    [
        ("thuoc gay ho khan", Relation.ADVERSE_EFFECT),
        ("những thuốc nào có TDP gây liệt dương", Relation.ADVERSE_EFFECT),
        ("thuốc chống chỉ định ở bệnh nhân hen", Relation.CONTRAINDICATION),
        ("thuốc gây mê nào cho người suy gan", None),
        ("tôi xịt mũi Mometasone, nghe nói thuốc có thể gây chảy máu cam", None),
        ("bé dị ứng penicilin dùng kháng sinh nào", Relation.INDICATION),
    ],
)
def test_which_relation_is_asked_for(question: str, relation: Relation | None) -> None:
    assert rewrite_frame(understand(question, sample_corpus())).condition_relation is relation


def test_a_number_behind_a_type_of_a_disease_is_no_weight() -> None:
    assert understand("Diamicron co dung cho dai thao duong typ 1 k", sample_corpus()).weight_kg is None
    assert understand("bé 12 k sốt uống para", sample_corpus()).weight_kg == 12
