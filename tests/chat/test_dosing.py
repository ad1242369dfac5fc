from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.calculation_gate import check_calculation
from chat.domain import Calculation, EvidenceBlock, Population, Reason
from chat.dosing import Lacking, calculate
from chat.stated_dose import Refused, chosen_statements
from chat.statements import Statement, read_statements
from monographs.domain import PassageState, SectionKey
from tests.chat.dosing_cases import block_of, dose_blocks, frame_of

CASES = [
    # text, weight, steps, result, capped
    ("10 - 15 mg/kg/lần, ngày 2 lần.", "8", ["10 - 15 mg/kg/lần × 8 kg = 80 - 120 mg/lần"], "80 - 120 mg/lần", False),
    ("7,5 mg/kg/lần.", "9,3", ["7,5 mg/kg/lần × 9,3 kg = 69,75 mg/lần"], "69,75 mg/lần", False),
    ("0,05 mg/kg/lần.", "0,8", ["0,05 mg/kg/lần × 0,8 kg = 0,04 mg/lần"], "0,04 mg/lần", False),
    ("30 mg/kg/lần; tối đa 125 mg/lần.", "4", ["30 mg/kg/lần × 4 kg = 120 mg/lần"], "120 mg/lần", False),
    (
        "30 mg/kg/lần; tối đa 125 mg/lần.",
        "5",
        ["30 mg/kg/lần × 5 kg = 150 mg/lần", "150 mg/lần, giới hạn ở mức tối đa 125 mg/lần = 125 mg/lần"],
        "125 mg/lần",
        True,
    ),
    (
        "20 - 30 mg/kg/lần; tối đa 0,5 g/lần.",
        "20",
        [
            "20 - 30 mg/kg/lần × 20 kg = 400 - 600 mg/lần",
            "0,5 g/lần × 1 000 mg/g = 500 mg/lần",
            "400 - 600 mg/lần, giới hạn ở mức tối đa 500 mg/lần = 400 - 500 mg/lần",
        ],
        "400 - 500 mg/lần",
        True,
    ),
    (
        "30 - 40 mg/kg/ngày, chia 3 - 4 lần.",
        "10",
        [
            "30 - 40 mg/kg/ngày × 10 kg = 300 - 400 mg/ngày",
            "300 - 400 mg/ngày : 3 lần/ngày ≈ 100 - 133,333 mg/lần",
            "300 - 400 mg/ngày : 4 lần/ngày = 75 - 100 mg/lần",
        ],
        "300 - 400 mg/ngày, chia 3 lần: 100 - 133,333 mg/lần, chia 4 lần: 75 - 100 mg/lần",
        False,
    ),
    (
        "80 - 90 mg/kg/ngày, chia 2 lần, tối đa 3 g/ngày.",
        "40",
        [
            "80 - 90 mg/kg/ngày × 40 kg = 3 200 - 3 600 mg/ngày",
            "3 g/ngày × 1 000 mg/g = 3 000 mg/ngày",
            "3 200 - 3 600 mg/ngày, giới hạn ở mức tối đa 3 000 mg/ngày = 3 000 mg/ngày",
            "3 000 mg/ngày : 2 lần/ngày = 1 500 mg/lần",
        ],
        "3 000 mg/ngày, chia 2 lần: 1 500 mg/lần",
        True,
    ),
    (
        "5 - 10 mg/kg/lần, cách 6 - 8 giờ một lần; tối đa 30 mg/kg/ngày.",
        "8",
        ["5 - 10 mg/kg/lần × 8 kg = 40 - 80 mg/lần", "30 mg/kg/ngày × 8 kg = 240 mg/ngày"],
        "40 - 80 mg/lần, tối đa 240 mg/ngày",
        False,
    ),
    (
        "50 mg/kg/lần, ngày 1 lần; tối đa 400 mg/ngày.",
        "10",
        ["50 mg/kg/lần × 10 kg = 500 mg/lần", "500 mg/lần, giới hạn ở mức tối đa 400 mg/ngày = 400 mg/lần"],
        "400 mg/lần, tối đa 400 mg/ngày",
        True,
    ),
    (
        "50 mg/kg, một liều; tối đa 2 g.",
        "15",
        ["50 mg/kg × 15 kg = 750 mg", "2 g × 1 000 mg/g = 2 000 mg"],
        "750 mg",
        False,
    ),
    (
        "10 microgam/kg/lần, tối đa 0,5 mg/lần.",
        "60",
        [
            "10 microgam/kg/lần × 60 kg = 600 microgam/lần",
            "0,5 mg/lần × 1 000 microgam/mg = 500 microgam/lần",
            "600 microgam/lần, giới hạn ở mức tối đa 500 microgam/lần = 500 microgam/lần",
        ],
        "500 microgam/lần",
        True,
    ),
    (
        "50 000 đơn vị/kg/lần.",
        "3,2",
        ["50 000 đơn vị/kg/lần × 3,2 kg = 160 000 đơn vị/lần"],
        "160 000 đơn vị/lần",
        False,
    ),
    # The maximum beside the dose, a dose that is given once more, and a result that is read in milligrams.
    (
        "300 - 400 microgam/kg (tối đa 10 mg), nhắc lại một lần sau 10 phút.",
        "38",
        [
            "300 - 400 microgam/kg × 38 kg = 11 400 - 15 200 microgam",
            "10 mg × 1 000 microgam/mg = 10 000 microgam",
            "11 400 - 15 200 microgam, giới hạn ở mức tối đa 10 000 microgam = 10 000 microgam",
            "10 000 microgam : 1 000 microgam/mg = 10 mg",
        ],
        "10 mg",
        True,
    ),
    (
        "Khởi đầu 200 microgam/kg/lần, cách 4 giờ một lần; không quá liều khởi đầu 10 mg của người lớn.",
        "60",
        [
            "Khởi đầu: 200 microgam/kg/lần × 60 kg = 12 000 microgam/lần",
            "Khởi đầu: 10 mg × 1 000 microgam/mg = 10 000 microgam",
            "Khởi đầu: 12 000 microgam/lần, giới hạn ở mức tối đa 10 000 microgam = 10 000 microgam/lần",
            "Khởi đầu: 10 000 microgam/lần : 1 000 microgam/mg = 10 mg/lần",
        ],
        "Khởi đầu: 10 mg/lần",
        True,
    ),
    # A step of change and its interval are no dose.
    (
        "Khởi đầu 10 - 15 microgam/kg/lần, tối đa 50 microgam/ngày; chỉnh 5 microgam/kg cách 2 tuần một lần.",
        "3,4",
        [
            "Khởi đầu: 10 - 15 microgam/kg/lần × 3,4 kg = 34 - 51 microgam/lần",
            "Khởi đầu: 34 - 51 microgam/lần, giới hạn ở mức tối đa 50 microgam/ngày = 34 - 50 microgam/lần",
        ],
        "Khởi đầu: 34 - 50 microgam/lần, tối đa 50 microgam/ngày",
        True,
    ),
    # A maximum for some patients limits no one else.
    (
        "1 - 3 mg/kg/ngày; tối đa 9 mg/kg/ngày khi cổ trướng kháng trị.",
        "14",
        ["1 - 3 mg/kg/ngày × 14 kg = 14 - 42 mg/ngày"],
        "14 - 42 mg/ngày",
        False,
    ),
    # How it is rounded is said as printed; what more than an amount calls for is no dose.
    (
        "Khởi đầu 1,6 microgam/kg/lần, ngày 1 lần, làm tròn đến 25 microgam; cần trên 200 microgam/ngày phải xem lại.",
        "58",
        ["Khởi đầu: 1,6 microgam/kg/lần × 58 kg = 92,8 microgam/lần"],
        "Khởi đầu: 92,8 microgam/lần, làm tròn đến 25 microgam",
        False,
    ),
    (
        "0,5 mg/kg/lần, ngày 1 lần, tối đa 20 mg.",
        "50",
        ["0,5 mg/kg/lần × 50 kg = 25 mg/lần", "25 mg/lần, giới hạn ở mức tối đa 20 mg = 20 mg/lần"],
        "20 mg/lần",
        True,
    ),
]


@pytest.mark.parametrize(("text", "weight", "steps", "result", "capped"), CASES, ids=[f"{c[0]} {c[1]}" for c in CASES])
def test_a_dose_is_counted_step_by_step(text: str, weight: str, steps: list[str], result: str, *, capped: bool) -> None:
    frame = frame_of(weight.replace(",", "."))
    found = calculate([block_of(text)], frame)
    assert isinstance(found, Calculation)
    assert (list(found.steps), found.result, found.capped) == (steps, result, capped)
    assert check_calculation(found, frame) is None
    assert bool(found.rounding) is any("≈" in step for step in steps)


def test_the_maximum_is_shown_as_it_is_printed() -> None:
    text = "10 mg/kg/lần, ngày 3 lần; tối đa 12 mg/kg/ngày và không quá 80 mg/ngày."
    found = calculate([block_of(text)], frame_of("4"))
    assert isinstance(found, Calculation)
    assert found.maximum == "tối đa 12 mg/kg/ngày và không quá 80 mg/ngày"
    assert found.result.endswith("tối đa 48 mg/ngày")


def test_each_level_that_is_printed_is_counted_under_its_own_words() -> None:
    text = "20 mg/kg/lần, tối đa 500 mg/lần; nhiễm khuẩn nặng 40 mg/kg/lần, tối đa 1 g/lần."
    found = calculate([block_of(text)], frame_of("30"))
    assert isinstance(found, Calculation)
    assert found.result == "500 mg/lần; nhiễm khuẩn nặng: 1 000 mg/lần"
    assert found.maximum == "tối đa 500 mg/lần; nhiễm khuẩn nặng: tối đa 1 g/lần"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("250 mg/lần, ngày 3 lần.", "không in liều theo cân nặng"),
        ("10 mg/kg/lần; 20 mg/kg/lần.", "nhiều mức liều"),
        ("10 mg/kg/lần, x.", "đọc nguyên văn"),
        ("45 microgam/kg.", "không rõ"),
        ("5 mg/kg/lần. Không dùng cho trẻ dưới 3 tháng tuổi hoặc dưới 9 kg.", "sách ghi"),
        ("Trẻ 1 - 5 tháng: 5 mg/kg/lần.", "chia theo trường hợp"),
        ("10 mg/kg/ngày; tối đa 100 mg/lần.", "không quy đổi được"),
        ("10 mg/kg/lần; tối đa 1 mmol/lần.", "không quy đổi được"),
    ],
)
def test_what_is_in_doubt_is_refused_with_its_reason(text: str, words: str) -> None:
    found = calculate([block_of(text)], frame_of("8"))
    assert isinstance(found, Refused)
    assert words in found.why


def test_held_back_forbidden_or_divided_passages_are_not_counted_from() -> None:
    dose = block_of("10 mg/kg/lần.")
    held = replace(dose, state=PassageState.QUARANTINED)
    against = replace(dose, section=SectionKey.CHONG_CHI_DINH, text="Trẻ em dưới 2 tuổi.", labels=())
    of_liver = replace(against, text="Suy tế bào gan nặng.")
    frame = frame_of("8")
    assert isinstance(calculate([held], frame), Refused)
    assert isinstance(calculate([dose, against], frame), Refused)
    assert isinstance(calculate([dose, of_liver], frame), Calculation)
    assert isinstance(calculate([dose, replace(dose, text="20 mg/kg/lần.", labels=("Khác",))], frame), Refused)
    assert isinstance(calculate([dose, replace(dose, text="Giảm nửa liều ở trẻ suy dinh dưỡng.")], frame), Refused)
    assert isinstance(calculate([], frame), Refused)


@pytest.mark.parametrize("population", [Population.SUY_THAN, Population.SUY_GAN, Population.MANG_THAI])
def test_kidneys_liver_and_pregnancy_are_counted_only_from_their_own_dose(population: Population) -> None:
    frame = frame_of("8", populations=frozenset({Population.TRE_EM, population}))
    found = calculate([block_of("10 mg/kg/lần.")], frame)
    assert isinstance(found, Refused)
    assert "ghi riêng" in found.why
    own = {
        Population.SUY_THAN: "Người suy thận",
        Population.SUY_GAN: "Người suy gan",
        Population.MANG_THAI: "Người mang thai",
    }
    assert isinstance(calculate([block_of("5 mg/kg/lần.", (own[population],))], frame), Calculation)


@pytest.mark.parametrize(
    ("text", "fields", "reason"),
    [
        ("10 mg/kg/lần.", {}, Reason.NEEDS_WEIGHT),
        ("5 microgam/kg/phút.", {"amounts": ("1 mg/ml",)}, Reason.NEEDS_WEIGHT),
        ("5 microgam/kg/phút.", {}, Reason.NEEDS_CONCENTRATION),
        ("60 mg/m²/ngày.", {}, Reason.NEEDS_SURFACE),
    ],
)
def test_what_is_missing_is_asked_for(text: str, fields: dict[str, object], reason: Reason) -> None:
    found = calculate([block_of(text)], frame_of(None, **fields), by_volume=True)
    assert isinstance(found, Lacking)
    assert found.reason is reason


def test_a_body_surface_is_counted_with_only_where_it_is_told() -> None:
    frame = frame_of("18", amounts=("0,75 m²",))
    found = calculate([block_of("60 mg/m²/ngày, tối đa 60 mg/ngày.")], frame)
    assert isinstance(found, Calculation)
    assert found.steps == ("60 mg/m²/ngày × 0,75 m² = 45 mg/ngày",)
    assert check_calculation(found, frame) is None


def test_a_rate_in_ml_an_hour_shows_every_conversion() -> None:
    frame = frame_of("60", amounts=("5 microgam/kg/phút", "250 mg/50 ml"))
    text = "Khởi đầu 2,5 - 5 microgam/kg/phút; thường 2,5 - 10 microgam/kg/phút. Tối đa 20 microgam/kg/phút."
    found = calculate([block_of(text)], frame, by_volume=True)
    assert isinstance(found, Calculation)
    assert found.result == "300 microgam/phút, tức 3,6 ml/giờ"
    assert ("Liều in trong sách", "thường 2,5 - 10 microgam/kg/phút") in found.inputs
    assert found.steps[-4:] == (
        "250 mg : 50 ml = 5 mg/ml",
        "300 microgam/phút × 60 phút/giờ = 18 000 microgam/giờ",
        "18 000 microgam/giờ : 1 000 microgam/mg = 18 mg/giờ",
        "18 mg/giờ : 5 mg/ml = 3,6 ml/giờ",
    )
    assert check_calculation(found, frame) is None


def test_a_fixed_rate_that_the_book_prints_becomes_ml_an_hour() -> None:
    frame = frame_of(amounts=("2 mg/giờ", "100 microgam/ml"))
    text = "Khởi đầu 1 - 2 mg/giờ, tăng dần theo huyết áp và đáp ứng; thường 2 - 10 mg/giờ. Tối đa 20 mg/giờ."
    found = calculate([block_of(text)], frame, by_volume=True)
    assert isinstance(found, Calculation)
    assert found.result == "2 mg/giờ, tức 20 ml/giờ"
    assert found.steps == (
        "2 mg/giờ × 1 000 microgam/mg = 2 000 microgam/giờ",
        "2 000 microgam/giờ : 100 microgam/ml = 20 ml/giờ",
    )
    assert check_calculation(found, frame) is None
    for forged in ("2 mg/giờ, tức 200 ml/giờ", "2 mg/giờ", "20 mg/giờ, tức 20 ml/giờ"):
        assert check_calculation(replace(found, result=forged), frame) is not None


@pytest.mark.parametrize(
    ("amounts", "text"),
    [
        # Beyond what is printed, in another time, or of a passage that goes by weight.
        (("25 mg/giờ", "1 mg/ml"), "Khởi đầu 1 - 2 mg/giờ; thường 2 - 10 mg/giờ."),
        (("2 mg/phút", "1 mg/ml"), "Khởi đầu 1 - 2 mg/giờ; thường 2 - 10 mg/giờ."),
        (("2 microgam/giờ", "1 mg/ml"), "Khởi đầu 1 - 2 mg/giờ; thường 2 - 10 mg/giờ."),
        (("4 mg/phút", "10 mg/ml"), "40 mg tiêm chậm, không quá 4 mg/phút."),
        (("2 mg/giờ", "1 mg/ml"), "250 mg/lần, ngày 2 lần."),
    ],
)
def test_a_fixed_rate_that_the_book_does_not_print_is_not_counted(amounts: tuple[str, ...], text: str) -> None:
    assert isinstance(calculate([block_of(text)], frame_of(amounts=amounts), by_volume=True), Refused)


def test_a_dose_for_every_other_day_is_said_to_be_one() -> None:
    text = "60 mg/m²/ngày, tối đa 60 mg/ngày; sau đó 40 mg/m² cách ngày, tối đa 40 mg/lần."
    frame = frame_of(amounts=("0,8 m²",))
    found = calculate([block_of(text)], frame)
    assert isinstance(found, Calculation)
    assert found.result == "48 mg/ngày; sau đó: 32 mg, cách ngày"
    assert check_calculation(found, frame) is None
    for forged in ("48 mg/ngày; sau đó: 32 mg", "48 mg/ngày, cách ngày; sau đó: 32 mg, cách ngày"):
        assert check_calculation(replace(found, result=forged), frame) is not None


_TITRATED = "Khởi đầu 2 - 5 microgam/kg/phút, tăng mỗi lần 1 - 5 microgam/kg/phút, cách 10 phút; "


@pytest.mark.parametrize(
    ("text", "rate", "counted"),
    [
        # Above what is begun with, up to the least of the maxima; never below, beyond, or in another unit.
        (_TITRATED + "thường không quá 20 microgam/kg/phút; tối đa 50 microgam/kg/phút.", "8", True),
        (_TITRATED + "thường không quá 20 microgam/kg/phút; tối đa 50 microgam/kg/phút.", "20", True),
        (_TITRATED + "thường không quá 20 microgam/kg/phút; tối đa 50 microgam/kg/phút.", "21", False),
        (_TITRATED + "tối đa 50 microgam/kg/phút.", "30", True),
        (_TITRATED + "tối đa 50 microgam/kg/phút.", "1", False),
        ("Khởi đầu 3 microgam/kg/phút, chỉnh theo đáp ứng; tối đa 20 microgam/kg/phút.", "12", True),
        ("Khởi đầu 3 microgam/kg/phút, chỉnh theo đáp ứng; tối đa 20 mg/phút.", "12", False),
        ("Khởi đầu 3 microgam/kg/phút, chỉnh theo đáp ứng.", "12", False),
        ("Thường 3 - 5 microgam/kg/phút; tối đa 20 microgam/kg/phút.", "12", False),
    ],
)
def test_a_rate_above_the_first_dose_is_counted_up_to_the_least_maximum(text: str, rate: str, *, counted: bool) -> None:
    frame = frame_of("60", amounts=(f"{rate} microgam/kg/phút", "400 mg/250 ml"))
    found = calculate([block_of(text)], frame, by_volume=True)
    assert isinstance(found, Calculation) is counted
    if isinstance(found, Calculation):
        assert check_calculation(found, frame) is None and not found.capped
        beyond = replace(found, inputs=(*found.inputs[:-2], ("Liều do người hỏi ghi", "60 microgam/kg/phút")))
        assert check_calculation(beyond, frame) is not None


@pytest.mark.parametrize("rate", ["50 microgam/kg/phút", "1 microgam/kg/phút", "5 microgam/kg/giờ", "5 mg/kg/phút"])
def test_a_rate_that_the_book_does_not_print_is_not_counted(rate: str) -> None:
    frame = frame_of("60", amounts=(rate, "1 mg/ml"))
    found = calculate([block_of("Thường 2,5 - 10 microgam/kg/phút.")], frame, by_volume=True)
    assert isinstance(found, Refused)


def test_grams_are_shown_as_a_step() -> None:
    found = calculate([block_of("5 mg/kg/lần.")], frame_of("3.2", amounts=("3 200 g",)))
    assert isinstance(found, Calculation)
    assert found.steps == ("3 200 g : 1 000 g/kg = 3,2 kg", "5 mg/kg/lần × 3,2 kg = 16 mg/lần")


weights = st.decimals(min_value=Decimal("0.4"), max_value=150, places=2, allow_nan=False, allow_infinity=False)


_COUNTED = [
    block for block in dose_blocks() if "/kg" in block.text and read_statements(block.text, block.labels).statements
]


concentrations = st.tuples(st.integers(1, 500), st.integers(2, 500)).map(lambda pair: f"{pair[0]} mg/{pair[1]} ml")


@given(st.sampled_from(_COUNTED), weights, concentrations)
def test_a_volume_of_any_concentration_passes_its_gate(block: EvidenceBlock, weight: Decimal, told: str) -> None:
    frame = frame_of(str(weight), populations=frozenset(), amounts=(told,))
    found = calculate([block], frame, by_volume=True)
    assert not isinstance(found, Calculation) or check_calculation(found, frame) is None, found


@given(st.sampled_from(_COUNTED), weights)
def test_a_dose_of_the_sample_comes_to_what_exact_fractions_come_to(block: EvidenceBlock, weight: Decimal) -> None:
    frame = frame_of(str(weight), populations=frozenset(), amounts=("1,1 m²",))
    found = calculate([block], frame)
    if not isinstance(found, Calculation):
        return
    assert check_calculation(found, frame) is None, found
    chosen = chosen_statements(read_statements(block.text, block.labels), frame)
    assert isinstance(chosen, tuple)
    for statement, line in zip(chosen, found.result.split("; "), strict=True):
        body = Fraction(weight) if statement.dose.basis == "kg" else Fraction(11, 10)
        _assert_ends(statement, body, Fraction(weight), line)


def test_most_doses_by_weight_that_are_read_are_counted() -> None:
    found = [calculate([block], frame_of("30", populations=frozenset())) for block in _COUNTED]
    assert sum(isinstance(one, Calculation) for one in found) >= _LEAST_COUNTED


_LEAST_COUNTED = 60
_SCALE = {"g": Fraction(10**6), "mg": Fraction(10**3), "microgam": Fraction(1)}
_SINGLE = {"", "lần"}


def _assert_ends(statement: Statement, body: Fraction, weight: Fraction, line: str) -> None:
    """The oracle: the ends by fractions, each held by every maximum of the same time, shown to three decimals."""
    dose, shown = statement.dose, line.removeprefix(f"{statement.level}: ").split(", ")[0]
    ends = [Fraction(end) * body * _SCALE.get(dose.measure, 1) for end in (dose.low, dose.high)]
    for maximum in statement.maxima:
        bound = Fraction(maximum.low) * (weight if maximum.basis else 1) * _SCALE.get(maximum.measure, 1)
        if maximum.per == dose.per or (dose.per in _SINGLE and maximum.per in {"", "lần", "ngày"}):
            ends = [min(end, bound) for end in ends]
    number, _, unit = shown.rpartition(" ") if "đơn vị" not in shown else shown.rpartition(" đơn")
    scale = _SCALE.get(re.split(r"/", unit)[0], Fraction(1))
    values = [Fraction(part.replace(" ", "").replace(",", ".")) for part in number.split(" - ")]
    for end, value in zip(ends, values * 2 if len(values) == 1 else values, strict=True):
        exact = end / scale
        assert abs(exact - value) <= Fraction(1, 2000), (line, exact)
