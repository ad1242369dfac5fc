"""What a model may add to what the wording says: one rule for each field, and every other field left alone."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import cache

import pytest

from chat.domain import ContextAction, Population, QueryFrame, Reason, Relation, Route, TurnType
from chat.frame_overlay import ADDED, KEPT
from chat.prior import merge_prior
from chat.rewrites import rewrite_frame
from chat.understand import understand
from monographs.domain import SectionKey
from tests.chat.saying import anything, model_of, saying, tuned_turns, understood, understood_by
from tests.sample_corpus import sample_corpus


def _rules(question: str) -> QueryFrame:
    return understand(question, sample_corpus())


def _case(question: str) -> QueryFrame:
    return rewrite_frame(_rules(question))


def _said(
    question: str, *, before: QueryFrame | None = None, history: Sequence[str] = (), **values: object
) -> QueryFrame:
    """The frame where the model says what the rules say, but for these values."""
    return _saying(question, values, before=before, history=history)


def _saying(
    question: str, values: Mapping[str, object], *, before: QueryFrame | None = None, history: Sequence[str] = ()
) -> QueryFrame:
    return understood(question, {**saying(_rules(question)), **values}, before=before, history=history)


def test_every_field_of_a_frame_has_a_rule() -> None:
    assert ADDED.keys() | KEPT == {field.name for field in fields(QueryFrame)}
    assert set(ADDED) == {
        "turn_type", "drugs", "unknown_drugs", "attribute", "also", "dose_implied", "condition_relation", "populations",
        "route", "section_overview", "context_action", "depends_on_previous_turn",
    }  # fmt: skip


# --- nothing to add, and everything wrong ----------------------------------------------------------------------


def test_a_model_that_reads_as_the_rules_do_changes_nothing() -> None:
    assert len(tuned_turns()) > 1000
    differing = []
    for question, history, before in tuned_turns():
        rules = _rules(question)
        frame = understood(question, saying(rules), before=before, history=history)
        merged = merge_prior(rewrite_frame(frame), before, after_clarify=True)
        if frame != rules or merged != merge_prior(rewrite_frame(rules), before, after_clarify=True):
            differing.append(question)
    assert differing == []


@cache
def _against_the_rules(seed: int) -> list[tuple[str, QueryFrame, QueryFrame, frozenset[str]]]:
    """(question, the rules' frame, that of a model that says anything, the drugs that were named somewhere)."""
    rng = random.Random(seed)
    found = []
    for question, history, before in tuned_turns():
        rules = _rules(question)
        frame = understood(question, anything(rng, sample_corpus()), before=before, history=history)
        lines = [_rules(line) for line in (question, *history)]
        named = {drug.drug_id for line in lines for drug in (*line.drugs, *line.medicines)}
        named |= {drug.drug_id for drug in before.drugs} if before else set()
        found.append((question, rules, frame, frozenset(named)))
    return found


@pytest.mark.parametrize("name", sorted(KEPT - {"raw"}))
def test_a_model_that_says_anything_changes_no_field_of_the_rules(name: str) -> None:
    changed = [q for q, rules, frame, _ in _against_the_rules(1) if getattr(rules, name) != getattr(frame, name)]
    assert changed == []


@pytest.mark.parametrize("seed", [1, 2])
def test_it_selects_no_drug_that_nobody_named_and_loses_none(seed: int) -> None:
    for question, rules, frame, named in _against_the_rules(seed):
        assert {drug.drug_id for drug in frame.drugs} <= named, question
        assert not rules.drugs or frame.drugs == rules.drugs, question
        assert set(frame.unknown_drugs) >= set(rules.unknown_drugs), question


@pytest.mark.parametrize("seed", [1, 2])
def test_it_neither_loses_nor_contradicts_what_is_told_of_the_patient(seed: int) -> None:
    ages = {Population.TRE_SO_SINH, Population.TRE_EM, Population.NGUOI_LON, Population.NGUOI_CAO_TUOI}
    for question, rules, frame, _ in _against_the_rules(seed):
        assert frame.populations >= rules.populations, question
        assert not rules.populations & ages or frame.populations & ages == rules.populations & ages, question
        assert rules.route is None or frame.route is rules.route, question


@pytest.mark.parametrize("seed", [1, 2])
def test_it_turns_no_section_that_the_wording_names_into_another(seed: int) -> None:
    for question, rules, frame, _ in _against_the_rules(seed):
        if rules.attribute and not rules.dose_implied:
            assert (frame.attribute, frame.turn_type) == (rules.attribute, rules.turn_type), question
            assert frame.also[: len(rules.also)] == rules.also, question
            assert SectionKey.LIEU_DUNG not in set(frame.also) - set(rules.also), question


def test_all_of_that_is_seen_because_the_model_does_change_something() -> None:
    changed = {
        name
        for _, rules, frame, _ in _against_the_rules(1)
        for name in ADDED
        if getattr(rules, name) != getattr(frame, name)
    }
    assert changed >= {"turn_type", "attribute", "also", "section_overview", "context_action", "dose_implied"}


# --- harm ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "question",
    ["quá liều paracetamol và liều thường", "tiêm ceftriaxon xong khó thở", "bé nuốt phải cả vỉ digoxin", "xử trí sao"],
)
def test_where_harm_is_told_no_model_is_asked(question: str) -> None:
    model = model_of({"turn_type": "smalltalk", "drugs": []})
    assert understood_by(model, question) == _rules(question)
    assert _rules(question).harm and model.seen == []


# --- drugs -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "said", "drugs", "unknown"),
    [
        ("liều aspirinol", ["aspirin"], [], ["aspirinol"]),
        ("liều aspirinol", ["aspirinol"], [], ["aspirinol"]),
        ("liều paracetamon", ["paracetamol"], [], ["paracetamon"]),
        ("liều amoxicillin", ["amoxicilin"], ["amoxicilin"], []),
        ("liều amoxicillin", ["amoxicillin"], ["amoxicilin"], []),
        ("liều warfarin", ["warfarin", "heparin"], ["warfarin"], []),
        ("liều warfarin", ["paracetamol"], ["warfarin"], []),
        ("liều warfarin", [], ["warfarin"], []),
        ("uống mấy viên", ["paracetamol"], [], []),
        ("thuốc này bà bầu xài sao", ["losartan"], [], []),
    ],
)
def test_a_drug_is_one_that_the_question_names(
    question: str, said: list[str], drugs: list[str], unknown: list[str]
) -> None:
    frame = _said(question, drugs=said)
    assert [drug.drug_id for drug in frame.drugs] == drugs
    assert list(frame.unknown_drugs) == unknown


@pytest.mark.parametrize(
    ("question", "said"),
    [("liều Alaxan", ["ibuprofen"]), ("liều salbutamol", ["salbutamol_dung_trong_ho_hap"]), ("liều Caduet", [])],
)
def test_a_shared_name_is_still_asked_about(question: str, said: list[str]) -> None:
    frame = _said(question, drugs=said, needs_clarify=False, quick_replies=[])
    assert (frame.needs_clarify, frame.drugs) == (Reason.AMBIGUOUS_DRUG, ())
    assert frame.quick_replies == _rules(question).quick_replies


@pytest.mark.parametrize("question", ["liều paracetamol 3t", "ibuprofen CCB"])
def test_a_word_of_two_meanings_is_still_asked_about(question: str) -> None:
    assert _said(question, needs_clarify=False).needs_clarify is Reason.AMBIGUOUS_TERM


def test_a_drug_that_the_patient_is_allergic_to_is_not_asked_about() -> None:
    frame = _said("dị ứng paracetamol, ibuprofen dùng được không", drugs=["paracetamol", "ibuprofen"])
    assert [drug.drug_id for drug in frame.drugs] == ["ibuprofen"]
    assert frame.allergies == ("paracetamol",)


_LINES = ("liều warfarin người lớn", "chống chỉ định của paracetamol")


@pytest.mark.parametrize("question", ["thuốc đầu tiên thì sao", "quay lại thuốc lúc nãy, ai không xài được"])
def test_a_drug_of_an_earlier_line_is_taken_where_the_question_points_back(question: str) -> None:
    frame = _said(question, history=_LINES, before=_case(_LINES[1]), drugs=["warfarin"])
    assert [drug.drug_id for drug in frame.drugs] == ["warfarin"]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("liều tối đa", ["warfarin"]),
        ("đau đầu uống thuốc gì", ["warfarin"]),
        ("thuốc đầu tiên thì sao", ["digoxin"]),
        ("thuốc đầu tiên thì sao", ["warfarin", "paracetamol"]),
        ("thuốc lúc nãy có chữa được không, đau đầu dùng thuốc nào", ["warfarin"]),
        ("thuốc đầu tiên với digoxin", ["warfarin"]),
    ],
)
def test_otherwise_no_drug_comes_from_an_earlier_line(question: str, said: list[str]) -> None:
    frame = _said(question, history=_LINES, before=_case(_LINES[1]), drugs=said)
    assert frame.drugs == _rules(question).drugs


@pytest.mark.parametrize(
    ("question", "said", "unknown"),
    [
        ("tư vấn giùm An Cung Ngưu Hoàng", ["An Cung Ngưu Hoàng"], ["An Cung Ngưu Hoàng"]),
        ("tu van gium an cung nguu hoang", ["An Cung Ngưu Hoàng"], ["An Cung Ngưu Hoàng"]),
        ("tư vấn giùm An Cung Ngưu Hoàng", ["Kim Tiền Thảo"], []),
        ("liều người lớn uống", ["liều", "người lớn", "uống"], []),
        ("viêm họng dùng thuốc gì", ["viêm họng"], []),
        ("liều warfarin", ["warfarin", "liều"], []),
    ],
)
def test_an_unknown_name_stands_in_the_question_and_in_no_book(
    question: str, said: list[str], unknown: list[str]
) -> None:
    assert list(_said(question, unknown_drugs=said).unknown_drugs) == unknown


# --- what is asked ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "said", "section"),
    [
        ("metformin hễ ai thì phải né", "chong_chi_dinh", SectionKey.CHONG_CHI_DINH),
        ("warfarin phải coi chừng những gì", "than_trong", SectionKey.THAN_TRONG),
        ("amlodipin trị bệnh chi", "chi_dinh", SectionKey.CHI_DINH),
        ("warfarin", "lieu_dung", None),
        ("cho warfarin", "lieu_dung", None),
        ("warfarin rung nhĩ van cơ học", "bao_quan", None),
        ("losartan trẻ 10 tuổi 30kg tăng huyết áp", "ma_atc", SectionKey.LIEU_DUNG),
        ("chống chỉ định warfarin", "lieu_dung", SectionKey.CHONG_CHI_DINH),
        ("liều warfarin", "than_trong", SectionKey.LIEU_DUNG),
        ("dị ứng penicilin, amoxicilin dùng được không", "lieu_dung", SectionKey.CHONG_CHI_DINH),
        ("warfarin có gây rụng tóc không", "lieu_dung", None),
        ("metformin quên uống thì phải né gì", "lieu_dung", None),
    ],
)
def test_a_section_is_the_models_only_where_the_wording_names_none(
    question: str, said: str, section: SectionKey | None
) -> None:
    frame = _said(question, turn_type="drug_attribute", attribute=said)
    assert frame.attribute is section
    assert frame.turn_type is (TurnType.DRUG_ATTRIBUTE if section else _rules(question).turn_type)


def test_a_dose_that_only_the_patient_implies_gives_way_to_a_section() -> None:
    question = "warfarin ở người già thì cần để mắt tới những gì"
    assert _rules(question).dose_implied
    frame = _said(question, turn_type="drug_attribute", attribute="than_trong")
    assert (frame.attribute, frame.dose_implied) == (SectionKey.THAN_TRONG, False)
    assert _said(question, turn_type="drug_attribute", attribute="lieu_dung").dose_implied


@pytest.mark.parametrize(
    ("question", "attribute", "also", "sections"),
    [
        ("liều warfarin và những điều phải né", "lieu_dung", ["chong_chi_dinh"], "lieu_dung chong_chi_dinh"),
        ("liều warfarin và những điều phải né", "chong_chi_dinh", ["lieu_dung"], "lieu_dung chong_chi_dinh"),
        ("liều warfarin và những điều phải né", "chong_chi_dinh", ["adr"], "lieu_dung"),
        ("chống chỉ định warfarin rồi uống sao", "chong_chi_dinh", ["lieu_dung"], "chong_chi_dinh"),
        ("chống chỉ định warfarin rồi uống sao", "chong_chi_dinh", ["qua_lieu"], "chong_chi_dinh"),
        ("dị ứng penicilin, amoxicilin dùng được không", "chong_chi_dinh", ["adr", "lieu_dung"], "chong_chi_dinh adr"),
        (
            "warfarin phải né gì, coi chừng gì",
            "chong_chi_dinh",
            ["than_trong", "lieu_dung"],
            "chong_chi_dinh than_trong",
        ),
        ("warfarin lỡ tay hơi nhiều thì tính làm sao nhỉ", "lieu_dung", ["qua_lieu"], "qua_lieu"),
        ("warfarin phải né gì", "adr", ["than_trong", "tuong_tac", "quy_che", "ma_atc"], "adr than_trong tuong_tac"),
    ],
)
def test_further_sections_stand_behind_those_of_the_wording_and_never_a_dose(
    question: str, attribute: str, also: list[str], sections: str
) -> None:
    frame = _said(question, turn_type="drug_attribute", attribute=attribute, also=also)
    if not _rules(question).harm:
        assert " ".join(key for key in (frame.attribute, *frame.also) if key) == sections


@pytest.mark.parametrize(
    ("question", "said", "kind"),
    [
        ("đau bao tử xài chi cho êm", {"turn_type": "condition_to_drug"}, TurnType.CONDITION_TO_DRUG),
        ("đau bao tử xài chi cho êm", {"turn_type": "symptom_to_drug"}, TurnType.SYMPTOM_TO_DRUG),
        ("đau bao tử", {"turn_type": "condition_to_drug"}, TurnType.OUT_OF_SCOPE),
        ("hen thì kiêng những thuốc chi", {"turn_type": "condition_to_drug"}, TurnType.OUT_OF_SCOPE),
        ("warfarin trị chi", {"turn_type": "condition_to_drug"}, TurnType.DRUG_OVERVIEW),
        ("warfarin trị chi", {"turn_type": "smalltalk"}, TurnType.DRUG_OVERVIEW),
        ("warfarin trị chi", {"turn_type": "out_of_scope"}, TurnType.DRUG_OVERVIEW),
        ("warfarin trị chi", {"turn_type": "interaction"}, TurnType.DRUG_OVERVIEW),
        ("warfarin trị chi", {"turn_type": "dosing_calc"}, TurnType.DRUG_OVERVIEW),
        ("warfarin trị chi", {"turn_type": "drug_to_condition", "attribute": "chi_dinh"}, TurnType.DRUG_TO_CONDITION),
        ("warfarin và aspirin", {"turn_type": "comparison"}, TurnType.INTERACTION),
        ("so sánh liều warfarin và aspirin", {"turn_type": "interaction"}, TurnType.COMPARISON),
        ("liều warfarin", {"turn_type": "smalltalk"}, TurnType.DRUG_ATTRIBUTE),
        ("viêm họng dùng thuốc gì", {"turn_type": "smalltalk"}, TurnType.CONDITION_TO_DRUG),
        ("bạn làm được việc gì", {"turn_type": "smalltalk"}, TurnType.SMALLTALK),
        ("paracetamol bé 12kg", {"turn_type": "dosing_calc"}, TurnType.DOSING_CALC),
    ],
)
def test_a_kind_is_the_models_where_it_fits_what_is_named(
    question: str, said: dict[str, object], kind: TurnType
) -> None:
    assert rewrite_frame(_saying(question, said)).turn_type is kind


@pytest.mark.parametrize(
    ("question", "relation", "read"),
    [
        ("hen thì kiêng những thuốc chi", "contraindication", Relation.CONTRAINDICATION),
        ("món nào làm hạ kali máu", "adverse_effect", Relation.ADVERSE_EFFECT),
        ("hen thì kiêng những thuốc chi", "adverse_effect", None),
        ("hen thì xài những thuốc chi", "contraindication", None),
        ("hen thì kiêng những thuốc chi", "indication", None),
        ("hen thì kiêng những thuốc chi", None, None),
    ],
)
def test_a_relation_needs_words_that_ask_for_it(question: str, relation: str | None, read: Relation | None) -> None:
    frame = _said(question, turn_type="condition_relation", condition_relation=relation)
    assert frame.condition_relation is read
    assert (frame.turn_type is TurnType.CONDITION_RELATION) is (read is not None)


def test_a_fixed_wording_keeps_its_relation_whatever_the_model_says() -> None:
    frame = _said("thuốc nào gây ho khan", turn_type="condition_to_drug", condition_relation="indication")
    rewritten = rewrite_frame(frame)
    assert (rewritten.turn_type, rewritten.condition_relation) == (
        TurnType.CONDITION_RELATION,
        Relation.ADVERSE_EFFECT,
    )


@pytest.mark.parametrize("question", ["hen cấp thì sao", "hội chứng Raynaud", "còn chạy thận thì sao"])
def test_a_fact_told_of_a_case_is_no_question_for_drugs(question: str) -> None:
    for kind in ("condition_to_drug", "smalltalk"):
        frame = _said(question, before=_case("liều warfarin"), turn_type=kind)
        assert frame.turn_type is _rules(question).turn_type


@pytest.mark.parametrize(
    ("question", "overview"),
    [
        ("kể ra hết liều warfarin", True),
        ("liều warfarin", False),
        ("kể ra hết liều paracetamol bé 12kg", False),
        ("kể ra hết liều warfarin suy thận", False),
    ],
)
def test_a_whole_section_is_surveyed_where_a_word_asks_for_it_and_no_patient_is_told(
    question: str, overview: bool
) -> None:
    assert _said(question, section_overview=True).section_overview is overview


def test_a_survey_that_the_wording_asks_for_stays() -> None:
    assert _said("tất cả các liều paracetamol cho trẻ em", section_overview=False).section_overview


# --- the patient -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "said", "read"),
    [
        ("losartan cho người có tin vui", ["mang_thai"], {Population.MANG_THAI}),
        ("losartan cho người không có tin vui", ["mang_thai"], set()),
        ("losartan cho người chưa có tin vui", ["mang_thai"], set()),
        ("losartan không mang thai", ["mang_thai"], set()),
        ("liều losartan", ["mang_thai", "suy_than", "tre_em"], set()),
        ("amoxicilin nhóc nhà tôi", ["tre_em"], {Population.TRE_EM}),
        ("amoxicilin nhoc nha toi", ["tre_em"], {Population.TRE_EM}),
        ("amoxicilin nhóc nhà tôi", ["nguoi_lon"], set()),
        ("amoxicilin con gái 30 tuổi", ["tre_em"], {Population.NGUOI_LON}),
        ("losartan phụ nữ có thai", ["nguoi_lon", "mang_thai"], {Population.MANG_THAI}),
        ("vancomycin người hỏng thận", ["suy_than"], {Population.SUY_THAN}),
        (
            "vancomycin người hỏng thận có tin vui",
            ["suy_than", "mang_thai"],
            {Population.SUY_THAN, Population.MANG_THAI},
        ),
        ("liều ciclosporin ghép thận", ["suy_than"], set()),
    ],
)
def test_a_patient_is_read_only_from_words_of_the_question(
    question: str, said: list[str], read: set[Population]
) -> None:
    assert _said(question, populations=said).populations == read


def test_a_third_of_a_pregnancy_needs_the_pregnancy_in_words() -> None:
    assert _said("losartan đang tam cá nguyệt hai", trimester=2).populations == {Population.MANG_THAI}
    assert _said("liều losartan", trimester=2).populations == frozenset()


@pytest.mark.parametrize(
    ("question", "said", "read"),
    [
        ("ceftriaxon chích mông", "tiem_bap", Route.TIEM_BAP),
        ("ceftriaxon chích mông", "uong", None),
        ("ceftriaxon tiêm tĩnh mạch hay chích mông", "tiem_bap", Route.TIEM_TINH_MACH),
        ("liều ceftriaxon", "tiem_bap", None),
        ("ceftriaxon không chích mông", "tiem_bap", None),
    ],
)
def test_a_route_is_read_only_from_words_of_the_question(question: str, said: str, read: Route | None) -> None:
    assert _said(question, route=said).route is read


@pytest.mark.parametrize(
    ("question", "kg"),
    [("paracetamol 500 mg uống sao", 500), ("bé trên 12 kg paracetamol", 12), ("paracetamol 12", 12)],
)
def test_a_number_is_never_read_by_a_model(question: str, kg: int) -> None:
    frame, rules = _said(question, weight_kg=kg, age_text="12 tuổi"), _rules(question)
    assert (frame.weight_kg, frame.age_text, frame.age_months) == (rules.weight_kg, rules.age_text, rules.age_months)
    assert frame.amounts == rules.amounts


# --- the case --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "before", "said", "read"),
    [
        ("người hen", "liều warfarin", "continue", ContextAction.CONTINUE),
        ("người hen", "liều warfarin", "new", ContextAction.NEW),
        ("thế suy thận?", "liều warfarin", "new", ContextAction.CONTINUE),
        ("bệnh nhân khác, suy thận", "liều warfarin", "continue", ContextAction.NEW),
        ("liều warfarin", "warfarin bà bầu", "new", ContextAction.NONE),
        ("paracetamol", "bà bầu uống mấy viên", "new", ContextAction.NONE),
        ("liều digoxin", "warfarin bà bầu", "new", ContextAction.NEW),
        ("đau đầu uống thuốc gì", "liều warfarin", "continue", ContextAction.NONE),
    ],
)
def test_a_case_is_gone_on_with_or_left_by_the_wording_first(
    question: str, before: str, said: str, read: ContextAction
) -> None:
    assert _said(question, before=_case(before), context_action=said).context_action is read


def test_what_depends_on_the_turn_before_stays_so() -> None:
    assert _said("uống mấy viên", depends_on_previous_turn=False).depends_on_previous_turn
    assert _said("liều warfarin", depends_on_previous_turn=True).depends_on_previous_turn


def test_a_follow_up_in_other_words_reaches_the_drug_of_the_case() -> None:
    question, before = "vậy những ai thì phải né", _case("liều warfarin người lớn")
    frame = _said(
        question,
        before=before,
        turn_type="drug_attribute",
        attribute="chong_chi_dinh",
        depends_on_previous_turn=True,
    )
    merged = merge_prior(rewrite_frame(frame), before, after_clarify=False)
    assert ([drug.drug_id for drug in merged.drugs], merged.attribute) == (["warfarin"], SectionKey.CHONG_CHI_DINH)


def test_a_section_without_a_drug_is_none_where_nothing_goes_on() -> None:
    frame = _said(
        "hôm nay phải né chuyện chi",
        before=_case("liều warfarin"),
        turn_type="drug_attribute",
        attribute="chong_chi_dinh",
        depends_on_previous_turn=False,
    )
    assert frame.attribute is None
