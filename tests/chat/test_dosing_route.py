"""Questions of arithmetic on the sample, without a database: counted, asked or refused; LANGUAGE 5, 6, 7, 9, 12."""

from __future__ import annotations

import pytest

from chat.domain import Reason, Stop
from chat.selection import Selection
from tests.chat.dosing_cases import asked

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
    ("tính liều paracetamol uống cho bé", Reason.NEEDS_WEIGHT),
    ("tinh lieu para uong cho be", Reason.NEEDS_WEIGHT),
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
    ("tính liều prednisolon hội chứng thận hư bé 5 tuổi 18 kg", "40 mg/m²"),
    ("tính liều paracetamol uống người lớn 70 kg", "không in liều theo cân nặng"),
    ("tính liều gentamicin bé 14 kg suy thận", ""),
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
