"""Questions of arithmetic on the sample, without a database: counted, asked or refused; LANGUAGE 5, 6, 7, 9, 12."""

from __future__ import annotations

import pytest

from chat.domain import Reason, Stop
from chat.selection import Selection
from tests.chat.dosing_cases import asked

_CEFTRIAXON = "800 - 1 600 mg/lần, tối đa 4 000 mg/ngày"
COUNTED = [
    # LANGUAGE 6, three ways of asking: milligrams, and no count of packets.
    ("Bé 10 tháng 8 kg uống Hapacol gói 150 mg, mỗi lần mấy gói?", "80 - 120 mg/lần, tối đa 480 mg/ngày"),
    ("be 10th 8kg hapacol 150 may goi", "80 - 120 mg/lần, tối đa 480 mg/ngày"),
    ("hapacol150 be 8kg 10thang sot uong?", "80 - 120 mg/lần, tối đa 480 mg/ngày"),
    # LANGUAGE 5: the band that holds the clearance, and only that.
    ("tính liều vanco cltt 25 bn 60 kg", "900 - 1 200 mg/lần"),
    ("vanco cltt 25 60kg chinh lieu tinh giup", "900 - 1 200 mg/lần"),
    ("Vancomycin, độ thanh thải creatinin 25 ml/phút, nặng 60 kg: tính liều giúp", "900 - 1 200 mg/lần"),
    # LANGUAGE 9: a dose for a weight with its branch's maximum.
    ("tính liều paracetamol uống người lớn 45 kg", "675 mg/lần, tối đa 2 700 mg/ngày"),
    ("para po nl 45kg tinh lieu", "675 mg/lần, tối đa 2 700 mg/ngày"),
    ("Người lớn 45 kg uống paracetamol, tính giúp mỗi lần bao nhiêu mg", "675 mg/lần, tối đa 2 700 mg/ngày"),
    # LANGUAGE 12: a cited dose and a told concentration.
    ("dobu nl soc 60kg 5mcg/kg/ph pha 250mg/50ml may ml/h", "300 microgam/phút, tức 3,6 ml/giờ"),
    (
        "Dobutamin người lớn sốc 60 kg, 5 microgam/kg/phút, pha 250 mg trong 50 ml: bao nhiêu ml/giờ?",
        "300 microgam/phút, tức 3,6 ml/giờ",
    ),
    ("dobutamin 5 mcg/kg/p, sốc, NL 60kg, 5 mg/ml, chạy mấy ml/h", "300 microgam/phút, tức 3,6 ml/giờ"),
    ("dopamin nhịp chậm người lớn 50kg 200mg/50ml tính ml/h", "250 - 1 000 microgam/phút, tức 3,75 - 15 ml/giờ"),
    ("ibuprofen bé 8kg mấy mg", "40 - 80 mg/lần, tối đa 240 mg/ngày"),
    (
        "paracetamol siro 120mg/5ml bé 14 kg uống mấy ml",
        "140 - 210 mg/lần, tức 5,833 - 8,75 ml/lần, tối đa 840 mg/ngày",
    ),
    ("bé sơ sinh nặng 3200 g 10 ngày tuổi, tính liều gentamicin", "16 mg/lần"),
    ("tính liều ceftriaxon viêm màng não bé 5 tuổi 18 kg tiêm", "1 440 - 1 800 mg/lần, tối đa 4 000 mg/ngày"),
    ("tính liều amoxicilin viêm tai giữa bé 14 kg uống", "1 120 - 1 260 mg/ngày, chia 2 lần: 560 - 630 mg/lần"),
    (
        "bé 14 kg 3 tuổi phù do suy tim, spironolacton mỗi ngày bao nhiêu mg",
        "14 - 42 mg/ngày, chia 2 lần: 7 - 21 mg/lần",
    ),
    ("be 5 tuoi 18kg dang co giat, diazepam tiem tinh mach bao nhieu mg", "5,4 - 7,2 mg"),
    (
        "trang thai dong kinh be 10 thang nang 8500g, phenytoin lieu nap tinh mach may mg",
        "Liều nạp: 170 mg; sau đó: 21,25 - 42,5 mg/lần",
    ),
    ("trẻ chưa dậy thì 25kg đtđ typ 1 tổng liều insulin một ngày", "Thường: 17,5 - 25 đơn vị/ngày"),
    (
        "trẻ 14 tuổi đang dậy thì 45kg đtđ typ 1 tổng liều insulin một ngày",
        "Thường: 45 - 67,5 đơn vị/ngày; có khi đến: 90 đơn vị/ngày",
    ),
    ("prednisolon hen cấp bé 4 tuổi 16kg mấy mg", "16 - 32 mg/lần, tối đa 40 mg/ngày"),
    ("bé 8 tháng 8kg metronidazol truyền tĩnh mạch mấy mg", "60 mg/lần"),
    # The greatest maximum of one dose is another indication's; this one is given once a day, with a day's maximum.
    ("người lớn 60kg giảm tiểu cầu miễn dịch prednisolon ngày mấy mg", "60 mg/lần, tối đa 80 mg/ngày"),
    # For whom the book says a loading dose is said in the result; its fixed maximum holds for a heavy patient.
    ("liều nạp vancomycin truyền người lớn 62kg nhiễm khuẩn huyết nặng", "ở người bệnh nặng: 1 550 - 1 860 mg"),
    ("nguoi lon 120kg nhiem khuan nang vancomycin lieu nap truyen may mg", "ở người bệnh nặng: 3 000 mg"),
    ("người lớn 60kg viêm phổi gentamicin truyền chế độ một lần/ngày liều đầu mấy mg", "Liều đầu: 300 - 420 mg"),
    # The fixed dose of the same day stands in the passage as a choice.
    (
        "nguoi lon 60kg dong kinh phenytoin uong khoi dau may mg",
        "Khởi đầu: 180 - 240 mg/ngày, chia 2 lần: 90 - 120 mg/lần",
    ),
    ("bé 6 tuổi 20kg Ventolin truyền tĩnh mạch mấy microgam/phút", "20 - 40 microgam/phút"),
    ("bé 6 tuổi 20kg Ventolin tiêm tĩnh mạch mấy microgam", "250 microgam"),
    # What the patient is said not to have selects no dose of its own.
    ("bé 4 tuổi 16kg nhiễm khuẩn nặng (không phải viêm màng não), ceftriaxon truyền mấy mg", _CEFTRIAXON),
    ("be 4 tuoi 16kg nhiem khuan nang khong phai viem mang nao thi ceftriaxon truyen may mg", _CEFTRIAXON),
    (
        "ceftriaxon bé 5 tuổi 18 kg viêm màng não, không phải nhiễm khuẩn nặng khác, truyền mấy mg",
        "1 440 - 1 800 mg/lần, tối đa 4 000 mg/ngày",
    ),
    # A fixed rate needs no weight.
    ("Isoket người lớn phù phổi cấp truyền 2 mg/giờ, đã pha 100 microgam/ml, mấy ml/giờ", "2 mg/giờ, tức 20 ml/giờ"),
    ("ventolin nl truyen tm 10mcg/phut pha 10mg trong 500ml tinh ml/h", "10 microgam/phút, tức 30 ml/giờ"),
    ("người lớn 65kg sốc, dopamin khởi đầu bao nhiêu microgam/phút", "Khởi đầu: 130 - 325 microgam/phút"),
    # A rate that is told between the first dose and the least maximum.
    ("nl soc 60kg dopamin 8mcg/kg/ph pha 400mg/250ml may ml/h", "480 microgam/phút, tức 18 ml/giờ"),
    ("be 8 tuoi 30kg dopamin soc 10 mcg/kg/ph, pha 200mg/50ml chay may ml/h", "300 microgam/phút, tức 4,5 ml/giờ"),
    ("adrenalin nl 60kg soc nhiem khuan 0.3 mcg/kg/ph, 4mg/50ml may ml/h", "18 microgam/phút, tức 13,5 ml/giờ"),
    # More than any child of no age weighs: an adult.
    ("Nam 110kg trạng thái động kinh, phenytoin liều nạp truyền TM bao nhiêu", "Liều nạp: 2 000 mg"),
    ("bn nu 80kg viem phoi gentamicin truyen che do 1 lan/ngay lieu dau may mg", "Liều đầu: 400 - 560 mg"),
    # What a newborn gets at most bounds no adult's dose.
    (
        "suy giáp nữ 40 tuổi 62,5kg không bệnh tim levothyroxin khởi đầu mấy mcg",
        "Khởi đầu: 100 microgam/lần, làm tròn đến 25 microgam",
    ),
]


@pytest.mark.parametrize(("question", "result"), COUNTED)
def test_a_grounded_dose_is_counted_beside_its_passage(question: str, result: str) -> None:
    found = asked(question)
    assert isinstance(found, Selection)
    assert found.calculation is not None
    assert found.calculation.result == result
    assert set(found.calculation.evidence) <= set(found.evidence)
    assert found.refused is None
    assert "gói" not in " ".join((found.calculation.result, *found.calculation.steps))


ASKED = [
    ("tính liều paracetamol cho bé 10 tháng 80 kg đường uống", Reason.IMPLAUSIBLE_INPUT),
    ("para bé 10 tháng 80 kg uống mấy mg", Reason.IMPLAUSIBLE_INPUT),
    ("para be 10 thang 0,8kg uong may mg", Reason.IMPLAUSIBLE_INPUT),
    ("tính liều ibuprofen bé 2 tuổi 120 kg", Reason.IMPLAUSIBLE_INPUT),
    ("cụ 130 tuổi 50 kg uống paracetamol bao nhiêu", Reason.IMPLAUSIBLE_INPUT),
    ("ss 10 ngay tuoi 9kg, gentamicin moi lan may mg", Reason.IMPLAUSIBLE_INPUT),
    # On every route that shows a dose or asks for which one.
    ("so sánh liều ibuprofen và paracetamol bé 6 tháng 70kg", Reason.IMPLAUSIBLE_INPUT),
    ("lieu ibuprofen va paracetamol be 10 tuoi 6kg", Reason.IMPLAUSIBLE_INPUT),
    ("amlodipin và losartan liều cho cụ 130 tuổi", Reason.IMPLAUSIBLE_INPUT),
    ("bé 10 tháng 80kg uống ibuprofen chung paracetamol được không, liều bao nhiêu", Reason.IMPLAUSIBLE_INPUT),
    ("augmentin tỷ lệ 7:1 uống, trẻ 10 tuổi nặng 6kg, ngày bao nhiêu mg amoxicilin", Reason.IMPLAUSIBLE_INPUT),
    ("ceftriaxon truyền trong bao lâu, bé 10 tuổi 6kg", Reason.IMPLAUSIBLE_INPUT),
    ("tính liều paracetamol uống cho bé", Reason.NEEDS_WEIGHT),
    ("tinh lieu para uong cho be", Reason.NEEDS_WEIGHT),
    ("tinh lieu paracetamol be 5 tuoi", Reason.NEEDS_WEIGHT),
    # What a label is not for ("trừ cơn hen cấp") says no word of it.
    ("tính liều prednisolon cho trẻ bị cơn hen cấp", Reason.NEEDS_WEIGHT),
    ("tinh lieu prednisolon tre hen cap", Reason.NEEDS_WEIGHT),
    ("tính liều ceftriaxon cho bé viêm màng não", Reason.NEEDS_WEIGHT),
    ("dobu 5mcg/kg/ph may ml/h", Reason.NEEDS_CONCENTRATION),
    ("dobutamin bn 50kg 5mcg/kg/p bao nhieu ml/h", Reason.NEEDS_CONCENTRATION),
    ("dobutamin 5 microgam/kg/phút pha 1 mg/ml thì mấy ml/giờ", Reason.NEEDS_WEIGHT),
    ("Trẻ 13 tuổi 40 kg tiêm ceftriaxon, tính liều thường dùng", Reason.BANDS_DISAGREE),
    ("tính liều ceftriaxon viêm màng não bé 11 tuổi 50 kg tiêm", Reason.BANDS_DISAGREE),
    # LANGUAGE 7: which ratio is meant is asked, nothing is counted from one of them.
    ("augmentin 625 be 15kg", Reason.NEEDS_BRANCH),
    ("Augmentin 625 cho bé 15 kg uống, tính liều giúp", Reason.NEEDS_BRANCH),
    ("aug625 be 15 ky uong ntn", Reason.NEEDS_BRANCH),
    ("para nl moi lan may mg", Reason.NEEDS_BRANCH),
    ("tính liều cho bé 8 kg", Reason.NEEDS_DRUG),
    # A child of no age is no newborn, though a newborn's label leaves least unsaid.
    ("tính liều furosemid tiêm tĩnh mạch bé 12kg", Reason.NEEDS_BRANCH),
    ("bé 15kg phù do suy tim spironolacton mấy mg", Reason.NEEDS_BRANCH),
    # Of a child so heavy the weight is asked about, and a weight that a child may have tells no age.
    ("bé 80 kg phenytoin truyền trạng thái động kinh liều nạp", Reason.IMPLAUSIBLE_INPUT),
    ("60kg trạng thái động kinh phenytoin liều nạp truyền TM bao nhiêu", Reason.NEEDS_BRANCH),
    ("tính liều prednisolon hội chứng thận hư bé 5 tuổi 18 kg", Reason.NEEDS_SURFACE),
]


@pytest.mark.parametrize(("question", "reason"), ASKED)
def test_what_is_missing_or_hardly_possible_is_asked(question: str, reason: Reason) -> None:
    found = asked(question)
    assert isinstance(found, Stop)
    assert found.reason is reason


REFUSED = [
    ("tính liều amlodipin bé 7 tuổi 20 kg", "không in liều theo cân nặng"),
    ("tính liều clarithromycin uống bé 9kg", "62,5 mg/lần"),
    ("tính liều augmentin tỷ lệ 7:1 bé 3 tuổi 15 kg uống", "đọc nguyên văn"),
    ("tính liều ibuprofen bé 2 tháng 4 kg", "Không dùng cho trẻ dưới 3 tháng tuổi"),
    ("tính liều ibuprofen bà bầu 60 kg", "Chống chỉ định"),
    ("dobutamin người lớn sốc 60 kg 50 mcg/kg/phút pha 1 mg/ml mấy ml/h", "nằm ngoài"),
    ("dopamin người lớn sốc 60 kg 30 mcg/kg/phút pha 400 mg/250 ml mấy ml/h", "nằm ngoài"),
    ("dopamin trẻ 5 tuổi 18kg 25 mcg/kg/phút pha 200mg/50ml chạy mấy ml/h", "nằm ngoài"),
    ("tính liều phenytoin tĩnh mạch trạng thái động kinh bé 2 tuổi 12kg có blốc nhĩ thất độ III", "Chống chỉ định"),
    ("tính liều paracetamol uống người lớn 70 kg", "không in liều theo cân nặng"),
    ("tính liều gentamicin bé 14 kg suy thận", ""),
    # Each thing that keeps a regimen from a patient counts for itself, whatever else is told beside it.
    ("tính liều đầu gentamicin truyền chế độ một lần/ngày người lớn 60kg bỏng nặng", "Không dùng chế độ này"),
    ("tinh lieu dau gentamicin truyen che do 1 lan/ngay nguoi lon 60kg viem noi tam mac", "Không dùng chế độ này"),
    ("bé 6 tuổi 20kg Ventolin truyền 6 microgam/kg/phút, 200 microgam/ml mấy ml/giờ", "nằm ngoài"),
]


@pytest.mark.parametrize(("question", "words"), REFUSED)
def test_what_is_not_grounded_is_refused_beside_the_printed_dose(question: str, words: str) -> None:
    found = asked(question)
    assert isinstance(found, Selection)
    assert found.calculation is None
    assert found.evidence
    assert found.refused is not None
    assert found.refused.reason is Reason.CALCULATION_NOT_GROUNDED
    assert words in found.refused.detail["terms"]


@pytest.mark.parametrize(
    "question",
    [
        "vanco cltt 25 chinh lieu",
        "paracetamol uống người lớn liều bao nhiêu",
        "vanco bé 5 tuổi 18 kg truyền tĩnh mạch mấy mg",
        "liều gentamicin suy thận 60 kg thẩm phân máu",
        "Levothyroxin chuyển từ uống sang tiêm tĩnh mạch tính liều thế nào?",
        # Chosen only because its label names a child; doses for other cases stand beside it.
        "liều prednisolon bé 8 tháng 8kg uống",
        "ciprofloxacin bé 8 tháng 8kg uống mấy mg",
        "trẻ 14 tuổi 50kg đái tháo đường typ 1 tổng liều insulin mấy đơn vị",
        # A dose of once a week is read, and not counted: its result would be taken for one of every day.
        "methotrexat viêm khớp tự phát thiếu niên bé BSA 0,8 m2 liều khởi đầu",
        # Which of three by the weeks of the pregnancy is not told.
        "sơ sinh 10 ngày tuổi 3kg metronidazol truyền tĩnh mạch mấy mg",
        "sơ sinh 10 ngày tuổi 3kg vancomycin truyền tĩnh mạch mấy mg",
    ],
)
def test_an_ordinary_question_is_answered_as_before_where_nothing_is_counted(question: str) -> None:
    found = asked(question)
    assert isinstance(found, Stop) or (found.calculation is None and found.refused is None)


def test_a_dose_that_the_asker_tells_is_not_approved_only_the_printed_one_is_counted() -> None:
    found = asked("para bé 3 tuổi uống 250mg liều này ổn không, nặng 14 kg")
    assert isinstance(found, Selection)
    assert found.calculation is not None
    assert "250" not in " ".join((found.calculation.result, *found.calculation.steps))
    assert found.calculation.result.startswith("140 - 210 mg/lần")


_ASKED_FOR_CHILD = [
    ["tính liều paracetamol uống cho bé", "80 kg"],
    ["paracetamol bé 3 tuổi uống mấy mg", "nặng 80 kg"],
]


@pytest.mark.parametrize("questions", _ASKED_FOR_CHILD)
def test_a_weight_told_of_a_child_before_makes_no_adult_of_it(questions: list[str]) -> None:
    found = asked(questions[-1], *questions[:-1])
    assert isinstance(found, Stop)
    assert found.reason is Reason.IMPLAUSIBLE_INPUT


FOLLOWED = [
    (["tính liều paracetamol uống cho bé", "8 kg", "Đường uống theo cân nặng"], "80 - 120 mg/lần, tối đa 480 mg/ngày"),
    (
        ["dobu 5mcg/kg/ph may ml/h", "60 kg, pha 250 mg trong 50 ml", "Người lớn – Suy tim cấp, sốc"],
        "300 microgam/phút, tức 3,6 ml/giờ",
    ),
    (["tính liều paracetamol cho bé 10 tháng 80 kg đường uống", "8 kg"], "80 - 120 mg/lần, tối đa 480 mg/ngày"),
]


@pytest.mark.parametrize(("questions", "result"), FOLLOWED)
def test_what_was_asked_back_completes_the_calculation(questions: list[str], result: str) -> None:
    found = asked(questions[-1], *questions[:-1])
    assert isinstance(found, Selection)
    assert found.calculation is not None
    assert found.calculation.result == result
