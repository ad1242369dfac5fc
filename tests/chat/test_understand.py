"""What is understood of a question, with and without accents, and what a case hands on to its next turn."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import pytest

from chat.domain import ContextAction, Population, QueryFrame, Reason, Route, TurnType
from chat.prior import merge_prior
from chat.understand import understand
from monographs.domain import SectionKey
from monographs.text import fold
from tests.chat.faults import fault
from tests.chat.understand_cases import BARE, CASES, Case
from tests.sample_corpus import sample_corpus

_LEAST_QUESTIONS = 200
_ANY = "*"


def _understand(question: str) -> QueryFrame:
    return understand(question, sample_corpus())


def _seen(frame: QueryFrame) -> dict[str, object]:
    return {
        "drugs": {drug.drug_id for drug in frame.drugs},
        "section": frame.attribute.value if frame.attribute else "",
        "also": [key.value for key in frame.also],
        "topic": " ".join(frame.topics),
        "who": {population.value for population in frame.populations},
        "route": frame.route.value if frame.route else "",
        "kg": frame.weight_kg,
        "months": frame.age_months,
        "clearance": frame.clearance_ml_min,
        "turn": frame.turn_type.value,
        "unknown": {fold(word) for word in frame.unknown_drugs},
        "clarify": frame.needs_clarify.value if frame.needs_clarify else "",
        "harm": frame.harm,
    }


def _owed(case: Case) -> dict[str, object]:
    return {
        "drugs": set(case.drugs.split()),
        "section": case.section,
        "also": case.also.split(),
        "topic": case.topic,
        "who": set(case.who.split()),
        "route": case.route,
        "kg": Decimal(case.kg) if case.kg else None,
        "months": Decimal(case.months) if case.months else None,
        "clearance": Decimal(case.clearance) if case.clearance else None,
        "turn": case.turn,
        "unknown": set(case.unknown.split()),
        "clarify": case.clarify,
        "harm": case.harm,
    }


def _differences(case: Case, question: str) -> dict[str, tuple[object, object]]:
    seen, owed = _seen(_understand(question)), _owed(case)
    return {name: (owed[name], seen[name]) for name in owed if owed[name] not in (seen[name], _ANY)}


def _params(*, bare: bool) -> Iterator[object]:
    for case in CASES:
        marks = [pytest.mark.xfail(strict=True, reason=case.fault)] if case.fault else []
        typed = fold(case.question)
        if not bare:
            yield pytest.param(case, case.question, marks=marks, id=case.question)
        elif typed != case.question and case.question not in BARE:
            yield pytest.param(case, typed, marks=marks, id=typed)


@pytest.mark.parametrize(("case", "question"), [*_params(bare=False)])
def test_a_question_with_accents(case: Case, question: str) -> None:
    assert _differences(case, question) == {}


@pytest.mark.parametrize(("case", "question"), [*_params(bare=True)])
def test_the_same_without_accents(case: Case, question: str) -> None:
    assert _differences(case, question) == {}


def test_the_table_is_large_and_covers_every_section_population_and_route() -> None:
    assert len({case.question for case in CASES}) == len(CASES) >= _LEAST_QUESTIONS
    assert {case.section for case in CASES} >= {key.value for key in SectionKey}
    assert {who for case in CASES for who in case.who.split()} == {population.value for population in Population}
    assert {case.route for case in CASES} >= {route.value for route in Route}
    assert {case.question for case in CASES} >= {*BARE}


@pytest.mark.parametrize("question", [case.question for case in CASES[:: len(CASES) // 25] if not case.fault])
def test_punctuation_and_spaces_change_nothing(question: str) -> None:
    plain = _seen(_understand(question))
    assert _seen(_understand(f"{question} ???")) == plain
    assert _seen(_understand(f"  {question.replace(' ', '  ')} !")) == plain


@pytest.mark.parametrize(
    ("question", "drug"),
    [
        ("thai 31 tuan doa de non, truyen salbutamol dc k", "salbutamol_dung_trong_san_khoa"),
        ("dọa sanh non 29 tuần, salbutamol truyền bao nhiêu", "salbutamol_dung_trong_san_khoa"),
        ("salbutamol giảm co cho thai 30 tuần", "salbutamol_dung_trong_san_khoa"),
        ("chuyển dạ sớm tiền sử hen, salbutamol có chống chỉ định gì", "salbutamol_dung_trong_san_khoa"),
        ("salbutamol cắt cơn gò tử cung", "salbutamol_dung_trong_san_khoa"),
        ("bé 5 tuổi lên cơn hen salbutamol bao nhiêu", "salbutamol_dung_trong_ho_hap"),
        ("salbutamol khí dung người lớn", "salbutamol_dung_trong_ho_hap"),
        ("COPD dùng salbutamol", "salbutamol_dung_trong_ho_hap"),
    ],
)
def test_namesakes_are_told_apart_by_a_setting_that_only_one_has(question: str, drug: str) -> None:
    assert [found.drug_id for found in _understand(question).drugs] == [drug]


@pytest.mark.parametrize(
    ("question", "section"),
    [
        ("uống flagyl hết hôm qua rồi mà tối nay đi nhậu bia thì sao", None),
        ("uong flagyl het tu hom qua, nay uong bia dc chua", None),
        ("dùng metronidazol hết đợt hôm kia giờ uống rượu được chưa", None),
        ("uống metronidazol hết 2 ngày rồi nhậu được không", None),
        ("uống hết flagyl hôm qua rồi, tối nay nhậu được không", None),
        # A child may have drunk it all; and nothing else is asked.
        ("bé uống hết flagyl hôm qua, cho uống sữa được không", SectionKey.QUA_LIEU),
        ("cháu uống hết flagyl hôm qua rồi", SectionKey.QUA_LIEU),
        ("uống paracetamol hết cả hộp với rượu hôm qua", SectionKey.QUA_LIEU),
        ("uống hết paracetamol với rượu", SectionKey.QUA_LIEU),
    ],
)
def test_a_course_that_is_over_is_no_overdose(question: str, section: SectionKey | None) -> None:
    assert _understand(question).attribute is section


@pytest.mark.parametrize(
    ("question", "replies"),
    [
        ("liều Caduet", ("Amlodipin", "Các chất ức chế HMG-CoA reductase")),
        ("liều Alaxan", ("Ibuprofen", "Paracetamol")),
        ("liều salbutamol", ("Salbutamol (Dùng trong hô hấp)", "Salbutamol (Dùng trong sản khoa)")),
        # A pregnancy alone is no setting, nor is one that is denied, was, or stands beside the other.
        ("salbutamol thai 30 tuần", ("Salbutamol (Dùng trong hô hấp)", "Salbutamol (Dùng trong sản khoa)")),
        ("trẻ sinh non salbutamol", ("Salbutamol (Dùng trong hô hấp)", "Salbutamol (Dùng trong sản khoa)")),
        ("không hen, salbutamol", ("Salbutamol (Dùng trong hô hấp)", "Salbutamol (Dùng trong sản khoa)")),
        ("ho giam co can salbutamol", ("Salbutamol (Dùng trong hô hấp)", "Salbutamol (Dùng trong sản khoa)")),
        ("hen cấp, dọa đẻ non, salbutamol", ("Salbutamol (Dùng trong hô hấp)", "Salbutamol (Dùng trong sản khoa)")),
        ("liều paracetamol 3t", ("3 tuổi", "3 tháng tuổi")),
        ("ibuprofen CCB", ("cho con bú", "thuốc chẹn kênh calci")),
    ],
)
def test_what_only_the_asker_can_settle_is_asked(question: str, replies: tuple[str, ...]) -> None:
    frame = _understand(question)
    assert frame.needs_clarify is not None
    assert {fold(reply) for reply in frame.quick_replies} == {fold(reply) for reply in replies}
    assert len(set(frame.quick_replies)) == len(replies) and all(len(reply) <= 40 for reply in frame.quick_replies)


@pytest.mark.parametrize(
    ("question", "action"),
    [
        ("còn chống chỉ định?", ContextAction.CONTINUE),
        ("thế suy thận thì sao", ContextAction.CONTINUE),
        ("the suy than?", ContextAction.CONTINUE),
        ("con cefixim?", ContextAction.CONTINUE),
        ("nếu bé 10 kg", ContextAction.CONTINUE),
        ("bệnh nhân khác, liều paracetamol", ContextAction.NEW),
        ("câu khác: còn aspirin", ContextAction.NEW),
        ("liều paracetamol", ContextAction.NONE),
        ("paracetamol dùng như thế nào", ContextAction.NONE),
        ("quá liều digoxin xử trí thế nào", ContextAction.NONE),
    ],
)
def test_whether_a_question_goes_on_with_the_case(question: str, action: ContextAction) -> None:
    assert _understand(question).context_action is action


def _follow(first: str, second: str, *, after_clarify: bool = False) -> QueryFrame:
    return merge_prior(_understand(second), _understand(first), after_clarify=after_clarify)


@pytest.mark.parametrize(
    ("first", "second", "owed"),
    [
        (
            "liều gentamicin người lớn",
            "thế suy thận?",
            Case("", "gentamicin", "lieu_dung", who="nguoi_lon suy_than"),
        ),
        (
            "liều paracetamol cho bé 10 kg",
            "còn bé 3 tuổi 14 kg?",
            Case("", "paracetamol", "lieu_dung", who="tre_em", kg="14", months="36"),
        ),
        (
            "liều paracetamol cho bé 10 kg",
            "còn người lớn?",
            Case("", "paracetamol", "lieu_dung", who="nguoi_lon"),
        ),
        ("liều paracetamol người lớn", "chống chỉ định?", Case("", "paracetamol", "chong_chi_dinh", who="nguoi_lon")),
        ("chống chỉ định aspirin", "còn tác dụng phụ thì sao", Case("", "aspirin", "adr")),
        ("liều paracetamol bé 10 kg", "còn ibuprofen?", Case("", "ibuprofen", turn="drug_overview")),
        ("liều paracetamol bé 10 kg", "con cefixim?", Case("", unknown="cefixim", turn="out_of_scope")),
        ("liều paracetamol bé 10 kg", "liều ibuprofen", Case("", "ibuprofen", "lieu_dung")),
        ("liều paracetamol bé 10 kg", "bệnh nhân khác, liều người lớn", Case("", "", "lieu_dung", who="nguoi_lon")),
        ("liều paracetamol bé 10 kg", "xin chào", Case("", turn="smalltalk")),
        ("liều paracetamol bé 10 kg", "thời tiết hôm nay", Case("", turn="out_of_scope")),
        ("omeprazol nghiền được không", "còn chống chỉ định?", Case("", "omeprazol", "chong_chi_dinh")),
        ("liều gentamicin", "tiêm bắp", Case("", "gentamicin", "lieu_dung", route="tiem_bap")),
        ("vancomycin ClCr 25", "còn liều?", Case("", "vancomycin", "lieu_dung", who="suy_than", clearance="25")),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_follow_up_inherits_its_case_and_never_across_drugs(first: str, second: str, owed: Case) -> None:
    seen, expected = _seen(_follow(first, second)), _owed(owed)
    assert {name: (expected[name], seen[name]) for name in expected if expected[name] not in (seen[name], _ANY)} == {}


def test_a_reply_to_a_namesake_question_picks_it() -> None:
    frame = _follow("liều salbutamol", "Dùng trong sản khoa", after_clarify=True)
    assert [drug.drug_id for drug in frame.drugs] == ["salbutamol_dung_trong_san_khoa"]
    assert frame.attribute is SectionKey.LIEU_DUNG and frame.needs_clarify is None


def test_a_reply_keeps_the_question_it_answers() -> None:
    frame = _follow("liều paracetamol cho trẻ em", "Đường uống theo cân nặng", after_clarify=True)
    assert frame.attribute is SectionKey.LIEU_DUNG and frame.populations == {Population.TRE_EM}
    assert frame.route is Route.UONG and frame.turn_type is TurnType.DRUG_ATTRIBUTE


def test_the_first_turn_has_nothing_to_inherit() -> None:
    frame = _understand("thế suy thận?")
    assert merge_prior(frame, None, after_clarify=False) == frame
    assert frame.depends_on_previous_turn and frame.needs_clarify is None


def test_an_unknown_name_is_never_exchanged_for_a_known_one() -> None:
    for question in ("liều aspirinol", "liều paracetamon", "liều zolpixantel"):
        frame = _understand(question)
        assert not frame.drugs and frame.unknown_drugs and frame.needs_clarify is not Reason.AMBIGUOUS_DRUG


@pytest.mark.parametrize(
    ("question", "unknown"),
    [
        ("vảy nến da đầu bôi acid salicylic dạng nào", ("acid salicylic",)),
        ("liều Acid Mefenamic", ("Acid Mefenamic",)),
        ("axit folic liều", ("acid folic",)),
        ("lieu acid folic cho ba bau", ("acid folic",)),
        ("thiếu máu do thiếu acid folic dùng thuốc gì", ()),
        ("thuốc nào làm giảm hấp thu acid folic", ()),
        ("acid uric cao dùng thuốc gì", ()),
        ("nhiễm acid lactic do thuốc nào", ()),
        ("tăng tiết acid dịch vị dùng thuốc gì", ()),
    ],
)
def test_an_acid_that_has_no_monograph_is_a_drug_that_is_missing(question: str, unknown: tuple[str, ...]) -> None:
    frame = _understand(question)
    assert frame.drugs == () and tuple(name for name in frame.unknown_drugs if name.startswith(("a", "A"))) == unknown


@pytest.mark.parametrize(
    ("question", "who"),
    [
        ("không mang thai, liều ibuprofen", ""),
        ("ko bau ko cho bu, lieu ibuprofen", ""),
        ("ko bầu ko cho bú, liều ibuprofen", ""),
        ("ko mang thai, k cho con bú, losartan", ""),
        ("không có bầu, ibuprofen", ""),
        ("chưa có thai, liều methotrexat", ""),
        ("em không còn cho con bú, liều metronidazol", ""),
        ("không bị suy thận, liều metformin", ""),
        ("không suy gan, paracetamol liều người lớn", "nguoi_lon"),
        ("không có thai không suy thận, liều metformin người lớn", "nguoi_lon"),
        ("không phải người già, liều digoxin", ""),
        # What is denied denies nothing else.
        ("không mang thai nhưng đang cho con bú, ibuprofen", "cho_con_bu"),
        ("không cho bú nhưng có thai, ibuprofen", "mang_thai"),
        ("không biết có thai hay không, ibuprofen", "mang_thai"),
        ("có thai không dùng được ibuprofen", "mang_thai"),
        ("bà bầu không dùng được ibuprofen", "mang_thai"),
        ("không có suy thận, liều metformin", ""),
        ("không bị bệnh thận, liều metformin", ""),
        ("không xơ gan, liều paracetamol", ""),
        fault("không suy thận suy gan, liều paracetamol", "", reason="of two that are denied the second counts"),
        ("đã hết cho con bú, liều metronidazol", ""),
    ],
)
def test_what_is_denied_of_the_patient_is_no_population(question: str, who: str) -> None:
    for typed in (question, fold(question)):
        frame = _understand(typed)
        assert frame.populations == {Population(name) for name in who.split()}
        assert who or frame.attribute not in {SectionKey.MANG_THAI, SectionKey.CHO_CON_BU}


@pytest.mark.parametrize(
    ("question", "labs"),
    [
        ("warfarin INR 9,5", {"inr": "9.5"}),
        ("warfarin INR 9.5", {"inr": "9.5"}),
        ("INR 9,5 warfarin xử trí sao", {"inr": "9.5"}),
        ("warfarin INR là 6", {"inr": "6"}),
        ("warfarin INR lên 7", {"inr": "7"}),
        ("warfarin INR hiện 4", {"inr": "4"}),
        ("warfarin INR = 6,2", {"inr": "6.2"}),
        ("kali máu 5,8 spironolacton", {"potassium": "5.8"}),
        ("kali huyết 2,4 kali clorid", {"potassium": "2.4"}),
        ("kali 5.8 enalapril", {"potassium": "5.8"}),
        ("kali máu là 5,8 mmol/l enalapril", {"potassium": "5.8"}),
        ("INR 3 và kali máu 5,8 warfarin", {"inr": "3", "potassium": "5.8"}),
        # A band is none of the patient, nor is a target or an amount of the drug.
        ("INR trên 8 warfarin", {}),
        ("INR dưới 5 warfarin", {}),
        ("INR 5 - 8 warfarin", {}),
        ("INR đích 2,5 warfarin", {}),
        ("kali máu dưới 3, kali clorid", {}),
        ("kali clorid 10 ml", {}),
        ("kali clorid 600 mg", {}),
        ("bổ sung kali 600 mg, furosemid", {}),
        ("warfarin", {}),
        ("INR 9, không chảy máu, warfarin", {"inr": "9"}),
        ("warfarin INR 6.", {"inr": "6"}),
        ("warfarin INR: 6", {"inr": "6"}),
        ("warfarin INR tăng lên 7", {"inr": "7"}),
        ("warfarin INR đo được 7", {"inr": "7"}),
        ("K máu 5,8 losartan", {"potassium": "5.8"}),
    ],
)
def test_laboratory_values_are_those_of_the_patient(question: str, labs: dict[str, str]) -> None:
    for typed in (question, fold(question)):
        assert dict(_understand(typed).labs) == {kind: Decimal(value) for kind, value in labs.items()}


@pytest.mark.parametrize(
    ("question", "route"),
    [
        ("đã tiêm bắp 2 mũi adrenalin, giờ truyền tĩnh mạch liều sao", Route.TRUYEN_TINH_MACH),
        ("truyền tĩnh mạch adrenalin liều sao, đã tiêm bắp 2 mũi", Route.TRUYEN_TINH_MACH),
        ("adrenalin đã tiêm bắp 2 lần không đáp ứng, truyền tĩnh mạch liều bao nhiêu", Route.TRUYEN_TINH_MACH),
        ("furosemid đã uống không đỡ, tiêm tĩnh mạch liều bao nhiêu", Route.TIEM_TINH_MACH),
        ("đã đặt trực tràng diazepam, liều tiêm tĩnh mạch", Route.TIEM_TINH_MACH),
        ("đã truyền tĩnh mạch metronidazol, giờ uống liều sao", Route.UONG),
        # Where no other is named, the one before goes on.
        ("đã tiêm bắp adrenalin liều tiếp theo", Route.TIEM_BAP),
        ("đã uống paracetamol, bao lâu uống lại", Route.UONG),
        ("đã được tiêm bắp 2 mũi adrenalin, truyền tĩnh mạch liều sao", Route.TRUYEN_TINH_MACH),
        ("vừa tiêm bắp 2 mũi adrenalin, truyền tĩnh mạch liều sao", Route.TRUYEN_TINH_MACH),
    ],
)
def test_a_route_told_as_history_is_not_the_one_asked_about(question: str, route: Route) -> None:
    assert _understand(question).route is route and _understand(fold(question)).route is route
