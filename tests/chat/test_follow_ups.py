"""A turn that goes on with a list of drugs, or with drugs taken together: what it adds, and what it replaces."""

from __future__ import annotations

import pytest

from chat.domain import QueryFrame, Relation, TurnType
from chat.medicines import unlisted_taken
from chat.prior import merge_prior
from chat.rewrites import rewrite_frame
from chat.selection import needs_section
from chat.understand import understand
from monographs.domain import SectionKey
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


@pytest.mark.parametrize(
    ("before", "now", "partners"),
    [
        ("levothyroxin uống trước ăn sáng bao lâu", "uong chung vien sat dc k", ("Sắt",)),
        ("levothyroxin uống trước ăn sáng bao lâu", "uống chung với sắt được không", ("Sắt",)),
        ("liều levothyroxin người lớn", "dung kem thuoc khang acid dc ko", None),
        ("ciprofloxacin uống bao nhiêu", "uống cùng viên canxi thì sao", None),
    ],
)
def test_what_has_no_monograph_is_joined_to_the_drug_before(
    before: str, now: str, partners: tuple[str, ...] | None
) -> None:
    frame = asked_in_order(before, now)
    assert frame.turn_type is TurnType.INTERACTION
    assert frame.drugs == asked_in_order(before).drugs
    assert frame.partners
    assert partners in {None, frame.partners}


@pytest.mark.parametrize(
    ("now", "solution"),
    [
        ("ringer lactat dc k", "ringer_lactat"),
        ("Ringer lactat được không?", "ringer_lactat"),
        ("con glucose 5% thi sao", "glucose_5"),
        ("thế NaCl 0,9%?", "natri_clorid"),
    ],
)
def test_a_solution_is_asked_of_the_drug_that_is_diluted(now: str, solution: str) -> None:
    before = "ceftriaxon truyen thi pha vs dung moi gi"
    frame = asked_in_order(before, now)
    assert frame.turn_type is TurnType.INCOMPATIBILITY
    assert [drug.drug_id for drug in frame.drugs] == ["ceftriaxon"]
    assert frame.solutions == (solution,)


@pytest.mark.parametrize("now", ["bn đang uống simvastatin", "bn dang dung simvastatin", "bệnh nhân hiện uống Zocor"])
def test_what_the_patient_is_told_to_take_goes_with_the_drug_before(now: str) -> None:
    frame = asked_in_order("liều clarithromycin bé 15kg", now)
    assert frame.turn_type is TurnType.INTERACTION
    assert [drug.drug_id for drug in frame.drugs] == ["clarithromycin", "cac_chat_uc_che_hmg_coa_reductase"]


def test_a_solution_is_asked_of_a_drug_that_is_given_into_a_vein() -> None:
    assert asked_in_order("vanco truyền tĩnh mạch", "glucose 5% duoc khong").solutions == ("glucose_5",)


def test_a_strength_joins_nothing_to_the_drug_before() -> None:
    assert asked_in_order("liều aspirin người lớn", "còn clopidogrel 75mg?").turn_type is not TurnType.INTERACTION


def test_a_solution_behind_another_question_is_none_of_mixing() -> None:
    assert not asked_in_order("chống chỉ định của ceftriaxon", "ringer lactat dc k").solutions


@pytest.mark.parametrize(
    ("before", "now", "drugs", "attribute"),
    [
        (
            "nifedipin dùng cho phụ nữ có thai được không",
            "so với amlodipin?",
            ["nifedipin", "amlodipin"],
            SectionKey.MANG_THAI,
        ),
        ("lieu losartan nguoi lon", "so voi enalapril thi sao", ["losartan", "enalapril"], SectionKey.LIEU_DUNG),
        ("chống chỉ định ibuprofen", "khác gì paracetamol", ["ibuprofen", "paracetamol"], SectionKey.CHONG_CHI_DINH),
        ("enalapril co gay ho khong", "so voi losartan?", ["enalapril", "losartan"], SectionKey.ADR),
        ("liều losartan", "tác dụng phụ so với enalapril", ["losartan", "enalapril"], SectionKey.ADR),
    ],
)
def test_what_is_compared_with_one_drug_only_is_the_one_talked_of(
    before: str, now: str, drugs: list[str], attribute: SectionKey
) -> None:
    frame = asked_in_order(before, now)
    assert frame.turn_type is TurnType.COMPARISON
    assert [drug.drug_id for drug in frame.drugs] == drugs
    assert frame.attribute is attribute
    assert asked_in_order(before).populations <= frame.populations


@pytest.mark.parametrize(
    ("before", "now", "first"),
    [
        ("metformin bn suy thận nặng uống đc ko", "còn gliclazid thì sao", "Chống chỉ định"),
        ("enalapril co gay ho khong", "the losartan?", "Tác dụng không mong muốn"),
        ("sildenafil uong cung isosorbid dinitrat co sao k", "con amlodipin thi sao", "Tương tác thuốc"),
        ("thuoc nao chong chi dinh o nguoi nhuoc co", "con cipro?", "Chống chỉ định"),
        ("bảo quản insulin", "còn nystatin?", "Bảo quản"),
        ("quá liều paracetamol xử trí", "the ibuprofen", "Quá liều"),
        ("aspirin bà bầu dùng được không", "con ibuprofen", "Thời kỳ mang thai"),
    ],
)
def test_another_drug_inherits_nothing_and_what_was_asked_is_offered_first(before: str, now: str, first: str) -> None:
    frame = asked_in_order(before, now)
    assert frame.turn_type is TurnType.DRUG_OVERVIEW
    assert not (frame.attribute or frame.populations)
    replies = needs_section(frame).quick_replies
    assert replies[0] == first
    assert len(replies) == 4
