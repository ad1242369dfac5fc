from __future__ import annotations

import re
from collections import Counter
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.quantities import plain_spaces, show_range
from chat.stated_dose import is_weighed
from chat.statements import Dose, Rhythm, Statement, read_statements, render_statement
from tests.chat.dosing_cases import dose_blocks

# Read by eye against the passages of the sample: (drug, last label) and what each of its doses by weight says, as
# "level | dose | doses a day | interval | maximum".
READ = {
    ("adrenalin", "Trẻ em từ 1 tháng tuổi"): ["|0,4 mg/kg/lần|||tối đa 5 mg/lần"],
    ("amoxicilin", "Trẻ sơ sinh dưới 7 ngày tuổi"): ["|30 mg/kg/lần|2||tối đa 125 mg/lần"],
    ("amoxicilin", "Trẻ sơ sinh 7 - 28 ngày tuổi"): ["|30 mg/kg/lần|3||tối đa 125 mg/lần"],
    ("amoxicilin", "Trẻ 1 - 11 tháng"): ["|125 mg/lần|3||", "có thể tăng đến|30 mg/kg/lần|3||"],
    ("amoxicilin", "Trẻ 5 - 11 tuổi"): ["|500 mg/lần|3||", "có thể tăng đến|30 mg/kg/lần|3||tối đa 1 g/lần"],
    ("amoxicilin", "Viêm tai giữa cấp và viêm xoang cấp"): ["|80 - 90 mg/kg/ngày|:2||tối đa 3 g/ngày"],
    ("amoxicilin", "Viêm phổi không nặng, trẻ 2 tháng - 5 tuổi"): ["|40 mg/kg/lần|2||"],
    ("amoxicilin", "Viêm họng do liên cầu"): ["|50 mg/kg/ngày|:1-2||tối đa 1 g/ngày"],
    ("amoxicilin", "Tiêm hoặc truyền tĩnh mạch, trẻ từ 1 tháng tuổi"): [
        "|20 - 30 mg/kg/lần||8 giờ|tối đa 500 mg/lần",
        "nhiễm khuẩn nặng|40 - 60 mg/kg/lần||8 giờ|tối đa 1 g/lần",
    ],
    ("benzylpenicilin", "Viêm màng não, trẻ từ 1 tháng tuổi, tĩnh mạch"): [
        "|80 000 đơn vị/kg/lần||4-6 giờ|tối đa 4 000 000 đơn vị/lần"
    ],
    ("ceftriaxon", "Trẻ 15 ngày tuổi đến 12 tuổi, viêm màng não"): ["|80 - 100 mg/kg/lần|1||tối đa 4 g/ngày"],
    ("ciprofloxacin", "Bệnh than, uống"): ["|15 mg/kg/lần|2||tối đa 500 mg/lần"],
    ("clorpromazin", "Trẻ 1 - 5 tuổi, uống"): ["|500 microgam/kg/lần||4-6 giờ|tối đa 40 mg/ngày"],
    ("digoxin", "Trẻ sơ sinh từ 2,5 kg và trẻ 1 tháng - 4 tuổi"): ["|10 microgam/kg/ngày|:1-2||"],
    ("dobutamin", "Suy tim, sốc"): [
        "Khởi đầu|5 microgam/kg/phút|||tối đa 20 microgam/kg/phút",
        "thường|2 - 20 microgam/kg/phút|||tối đa 20 microgam/kg/phút",
    ],
    ("dobutamin", "Suy tim cấp, sốc"): [
        "Khởi đầu|2,5 - 5 microgam/kg/phút|||",
        "thường|2,5 - 10 microgam/kg/phút|||",
        "hiếm khi tới|40 microgam/kg/phút|||",
    ],
    ("diazepam", "Trẻ em, tiêm tĩnh mạch"): ["|300 - 400 microgam/kg|||tối đa 10 mg"],
    ("dopamin", "Nhịp chậm"): ["|5 - 20 microgam/kg/phút|||"],
    ("dopamin", "Sốc, hạ huyết áp"): [
        "Khởi đầu|2 - 5 microgam/kg/phút|||thường không quá 20 microgam/kg/phút, tối đa 50 microgam/kg/phút"
    ],
    ("fluconazol", "Nhiễm Candida niêm mạc"): [
        "Ngày đầu|6 mg/kg|||tối đa 400 mg/ngày",
        "sau đó|3 mg/kg/lần|1||tối đa 400 mg/ngày",
    ],
    ("furosemid", "Đường uống, trẻ 1 tháng đến 11 tuổi"): [
        "|0,5 - 2 mg/kg/lần|2-3||tối đa 12 mg/kg/ngày và không quá 80 mg/ngày"
    ],
    ("furosemid", "Tiêm tĩnh mạch, trẻ 1 tháng đến 11 tuổi"): [
        "|0,5 - 1 mg/kg/lần||8 giờ|tối đa 2 mg/kg/lần và không quá 40 mg/lần"
    ],
    ("gentamicin", "Tiêm bắp hoặc tĩnh mạch, chế độ nhiều lần/ngày"): ["|3 - 5 mg/kg/ngày|:3|8 giờ|"],
    ("gentamicin", "Trẻ sơ sinh dưới 7 ngày tuổi"): ["|5 mg/kg/lần||36 giờ|"],
    ("ibuprofen", "Đau, sốt, theo cân nặng, đường uống"): ["|5 - 10 mg/kg/lần||6-8 giờ|tối đa 30 mg/kg/ngày"],
    ("insulin", "Trẻ em trước dậy thì"): ["Thường|0,7 - 1 đơn vị/kg/ngày|||"],
    ("levothyroxin", "Suy giáp, dưới 65 tuổi, không có bệnh tim, uống"): [
        "Khởi đầu|1,6 microgam/kg/lần|1||",
        "Duy trì thường|100 - 200 microgam/ngày|||",
    ],
    ("levothyroxin", "Trẻ sơ sinh, uống"): [
        "Khởi đầu|10 - 15 microgam/kg/lần|1||tối đa 50 microgam/ngày",
        "Duy trì thường|20 - 50 microgam/ngày|||",
    ],
    ("metronidazol", "Trẻ 2 tháng - 11 tuổi, uống"): ["|7,5 mg/kg/lần||8 giờ|tối đa 400 mg/lần"],
    ("morphin", "Trẻ 2 - 11 tuổi, tiêm dưới da"): [
        "Khởi đầu|200 microgam/kg/lần||4 giờ|không quá liều khởi đầu 10 mg của người lớn"
    ],
    ("omeprazol", "Trẻ 1 tháng đến 11 tuổi"): [
        "|0,5 mg/kg/lần|1||tối đa 20 mg",
        "có thể tăng đến|2 mg/kg/lần|||tối đa 40 mg/ngày",
    ],
    ("paracetamol", "Đường uống theo cân nặng"): ["|10 - 15 mg/kg/lần||4-6 giờ|tối đa 4 lần/24 giờ và 60 mg/kg/ngày"],
    ("paracetamol", "Truyền tĩnh mạch, cân nặng trên 10 kg đến 33 kg"): [
        "|15 mg/kg/lần||>4 giờ|tối đa 4 lần/24 giờ, tối đa 60 mg/kg/ngày và không quá 2 g/ngày"
    ],
    ("prednisolon", "Hội chứng thận hư, đợt đầu"): [
        "|60 mg/m²/ngày|||tối đa 60 mg/ngày",
        "sau đó|40 mg/m²||2 ngày|tối đa 40 mg/lần",
    ],
    ("spironolacton", "Trẻ 1 tháng đến 11 tuổi, phù do suy tim hoặc cổ trướng"): [
        "|1 - 3 mg/kg/ngày|:1-2||tối đa 9 mg/kg/ngày khi cổ trướng kháng trị"
    ],
    ("warfarin", "Khởi đầu"): [
        "vào ngày đầu|200 microgam/kg|||tối đa 10 mg",
        "sau đó|100 microgam/kg/lần|1||tối đa 5 mg/lần",
    ],
    ("gentamicin", "Truyền tĩnh mạch, chế độ một lần/ngày"): ["Liều đầu|5 - 7 mg/kg||24 giờ|"],
    ("phenytoin", "Đường uống, động kinh, đau dây thần kinh sinh ba"): [
        "Khởi đầu|3 - 4 mg/kg/ngày|:1-2||",
        "Duy trì thường|200 - 500 mg/ngày|||",
    ],
    ("vancomycin", "Truyền tĩnh mạch, liều nạp"): ["ở người bệnh nặng|25 - 30 mg/kg|||tối đa 3 g"],
    ("vancomycin", "Truyền tĩnh mạch ngắt quãng"): ["|15 - 20 mg/kg/lần||8-12 giờ|tối đa 2 g/lần"],
    ("vancomycin", "Độ thanh thải creatinin 20 - 49 ml/phút"): ["|15 - 20 mg/kg/lần||24 giờ|tối đa 2 g/lần"],
}
# Doses by weight that are to be read by a person, with the words at which reading stops.
NOT_READ = {
    ("acetylcystein", "Người lớn và trẻ em"): "thêm 17 lần",
    ("amoxicilin_va_clavulanat", "Đường uống, tỷ lệ 7 : 1"): "25 mg/3,6 mg/kg/ngày đến 45 mg/6,4 mg/kg/ngày",
    ("amoxicilin_va_clavulanat", "Đường tĩnh mạch, trẻ từ 3 tháng tuổi"): "25 mg/5 mg/kg/lần",
    ("calci_gluconat", "Tăng kali huyết, tĩnh mạch"): "0,5 ml/kg dung dịch 10 %",
    ("clarithromycin", "Đường uống"): "Theo cân nặng: 8 - 11 kg: 62,5 mg/lần",
    ("dobutamin", "Nghiệm pháp gắng sức"): "tăng mỗi 8 phút thêm 5 microgam/kg/phút đến tối đa 20 microgam/kg/phút",
    ("fluconazol", "0 - 14 ngày tuổi"): "Cùng liều mg/kg như trẻ lớn hơn",
    ("gentamicin", "Thẩm phân máu"): "1 - 1,7 mg/kg sau mỗi lần thẩm phân",
    ("ibuprofen", "Đau, sốt, theo tuổi, đường uống"): "Liều như bảng dưới đây",
    ("kali_clorid", "Hạ kali huyết, truyền tĩnh mạch"): "nồng độ tối đa 40 mmol/lít qua tĩnh mạch ngoại vi",
    ("phytomenadion", "Tiêm bắp hoặc tĩnh mạch, đẻ non dưới 36 tuần cân nặng dưới 2,5 kg"): (
        "400 microgam/kg (0,04 ml/kg dung dịch 2 mg/0,2 ml) một liều ngay sau đẻ"
    ),
    ("vancomycin", "Đường uống, nhiễm Clostridioides difficile"): (
        "thể nặng có biến chứng tối đa 500 mg/lần và 2 g/ngày"
    ),
    ("vancomycin", "Truyền tĩnh mạch, trẻ 1 tháng đến 11 tuổi"): "liều khởi đầu thường không quá 3,6 g/ngày",
}
_LEAST_READ = 90


@pytest.mark.parametrize(
    ("place", "lines"), READ.items(), ids=lambda value: value[1] if isinstance(value, tuple) else ""
)
def test_a_passage_is_read_as_it_was_by_eye(place: tuple[str, str], lines: list[str]) -> None:
    found = [reading for reading in _readings(*place) if reading.statements]
    assert [_line(statement) for statement in found[0].statements] == lines


@pytest.mark.parametrize(
    ("place", "words"), NOT_READ.items(), ids=lambda value: value[1] if isinstance(value, tuple) else ""
)
def test_a_passage_that_is_not_wholly_understood_states_nothing(place: tuple[str, str], words: str) -> None:
    reading = _readings(*place)[0]
    assert (reading.statements, reading.refused) == ((), words)


def test_every_dose_passage_states_something_or_says_why_not() -> None:
    readings = [(block, read_statements(block.text, block.labels)) for block in dose_blocks()]
    assert all(bool(r.statements or r.restrictions) is not bool(r.refused) or _only_remarks(r) for _, r in readings)
    weighed = [reading for block, reading in readings if is_weighed(block.text)]
    assert sum(bool(reading.statements) for reading in weighed) >= _LEAST_READ


def test_no_statement_says_a_number_that_is_not_printed() -> None:
    for block in dose_blocks():
        printed = plain_spaces(block.text)
        for statement in read_statements(block.text, block.labels).statements:
            for dose in (statement.dose, *statement.maxima):
                assert dose.text in printed, (block.drug.drug_id, dose.text)
            assert statement.maximum_text.lower() in printed.lower() or ", " in statement.maximum_text


def test_every_amount_by_weight_of_a_passage_that_is_read_is_in_a_statement() -> None:
    amount = re.compile(r"\d[\d ,]*(?: - \d[\d ,]*)? (?:mg|microgam|g|đơn vị)/(?:kg|m²)")
    for block in dose_blocks():
        reading = read_statements(block.text, block.labels)
        if reading.statements:
            printed = Counter(match.group() for match in amount.finditer(plain_spaces(block.text)))
            doses = [d for s in reading.statements for d in (s.dose, *s.maxima)]
            said = {f"{show_range(dose.low, dose.high)} {dose.measure}/{dose.basis}" for dose in doses}
            # Beside them: steps of change, what others get at most, and a maximum for some patients only.
            beside = " ".join(text for s in reading.statements for text in (*s.remarks, s.maximum_text))
            assert {text for text in printed if text not in beside} <= said, block.text


@pytest.mark.parametrize(
    "text",
    [
        "1.000 mg/kg/lần, ngày 2 lần.",
        "1,000 mg/kg/lần, ngày 2 lần.",
        "10 mg/kg/lần; tối đa 1.500 mg/ngày.",
        "10 mg/kg/lần; tối đa 1,500 mg/ngày.",
        "10 - 15 mg/kg/lần trừ khi suy thận.",
        "10 mg/kg/lần, ngày 2 lần, giảm nửa liều khi suy gan.",
        "10 mg/kg/lần, ngày 2 lần. Giảm liều khi suy thận.",
        "10 mg/kg/lần, ngày 2 lần. Tổng liều không quá 1 g.",
        "15 - 10 mg/kg/lần.",
        # A choice of another measure or time, or of two doses by weight, is no choice that is clear.
        "3 mg/kg/ngày hoặc 1 g/ngày.",
        "3 mg/kg/ngày hoặc 150 mg/lần.",
        "3 mg/kg/lần hoặc 5 mg/kg/lần.",
        "150 mg/ngày hoặc 300 mg/ngày.",
        "25 mg/kg một liều ở người bệnh không nặng.",
        "liều nạp 25 mg/kg một liều ở người bệnh nặng.",
        "0 mg/kg/lần.",
        "05 mg/kg/lần.",
        "10 mg/kg, ngày 2 lần; tối đa 1 g/ngày hoặc hơn.",
        "10 mg/kg/lần; tối đa 1 g.",
        "10 mg/kg/lần, ngày 2 lần, ngày 3 lần.",
        "10 mg/kg/lần (20 mg/kg khi nặng).",
        "10 mg/kg/lần (0,2 ml/kg dung dịch 10 mg/ml).",
        "Không dùng 10 mg/kg/lần.",
        "tối đa 10 mg/kg/lần.",
        "ngày 2 lần.",
        "phối hợp với amoxicilin 25 mg/kg/lần.",
        "10 mg / kg / lần.",
        "10mg/kg/lần.",
        "10 µg/kg/lần.",
        "10 mg/kg/lần, tính theo cân nặng lý tưởng.",
        "10 mg/kg/lần hoặc 20 mg/kg/lần.",
        # A maximum for some that is less than what all get; of another time; and one in a number of its own.
        "10 mg/kg/ngày; tối đa 5 mg/kg/ngày khi suy thận.",
        "10 mg/kg/lần; tối đa 9 mg/kg/ngày khi cổ trướng.",
        "10 mg/kg/ngày; tối đa 20 mg/kg/ngày khi Clcr trên 50 ml/phút.",
        # A first dose's maximum where no first dose is spoken of, and a bare one of several doses a day.
        "10 mg/kg/lần, không quá liều khởi đầu 10 mg của người lớn.",
        "10 mg/kg/lần, tối đa 10 mg/lần lúc khởi đầu.",
        "10 mg/kg/lần, ngày 2 lần, tối đa 20 mg.",
        "10 mg/kg/ngày (tối đa 10 mg).",
        "10 mg/kg/ngày; liều khởi đầu thường không quá 3,6 g/ngày.",
        # What others get at most, where what all get has no name.
        "0,7 - 1 đơn vị/kg/ngày; giai đoạn thuyên giảm dưới 0,5 đơn vị/kg/ngày.",
        "10 mg/kg/lần, tăng mỗi lần 5 mg, rồi 10 mg.",
        # A dose of once a week stays to be read; what is rounded, and what calls for more, only in so many words.
        "10 mg/m², mỗi tuần một lần.",
        "10 mg/kg, mỗi tuần một lần; tối đa 25 mg/tuần.",
        "1,6 microgam/kg/lần, làm tròn lên.",
        "1,6 microgam/kg/lần; cần trên 200 microgam/ngày thì tăng gấp đôi.",
        "cần trên 200 microgam/ngày phải xem lại tuân thủ.",
    ],
)
def test_what_may_mean_something_else_is_refused(text: str) -> None:
    reading = read_statements(text)
    assert not reading.statements
    assert reading.refused


def test_a_maximum_behind_a_dose_is_of_that_dose_and_one_that_begins_a_clause_of_all() -> None:
    text = "5 mg/kg/lần, tối đa 100 mg/lần; nhiễm khuẩn nặng 10 mg/kg/lần, tối đa 200 mg/lần. Tối đa 1 g/ngày."
    mild, severe = read_statements(text).statements
    assert [maximum.text for maximum in mild.maxima] == ["100 mg/lần", "1 g/ngày"]
    assert [maximum.text for maximum in severe.maxima] == ["200 mg/lần", "1 g/ngày"]


def test_for_whom_a_sentence_says_a_dose_stays_with_it() -> None:
    text = (
        "0,5 - 1 g/lần, cách 4 - 6 giờ một lần khi cần; tối đa 4 g/ngày. Người cân nặng dưới 50 kg hoặc có yếu tố nguy "
        "cơ độc gan: 15 mg/kg/lần, cách ít nhất 6 giờ, tối đa 60 mg/kg/ngày và không quá 3 g/ngày."
    )
    plain, light = read_statements(text).statements
    assert (plain.condition, light.condition) == ("", "Người cân nặng dưới 50 kg hoặc có yếu tố nguy cơ độc gan")
    assert [maximum.text for maximum in plain.maxima] == ["4 g/ngày"]
    assert [maximum.text for maximum in light.maxima] == ["60 mg/kg/ngày", "3 g/ngày"]


def test_a_sentence_that_keeps_the_drug_from_some_is_kept_as_it_is_printed() -> None:
    reading = read_statements("5 mg/kg/lần. Không dùng cho trẻ dưới 3 tháng tuổi hoặc dưới 5 kg.")
    assert reading.restrictions == ("Không dùng cho trẻ dưới 3 tháng tuổi hoặc dưới 5 kg",)


numbers = st.decimals(min_value=Decimal("0.01"), max_value=9999, places=2, allow_nan=False, allow_infinity=False)
units = st.tuples(st.sampled_from(["mg", "g", "microgam", "đơn vị", "mmol"]), st.sampled_from(["", "kg", "m²"]))
spans = st.tuples(numbers, numbers).map(sorted)


@st.composite
def doses(draw: st.DrawFn) -> Dose:
    low, high = draw(spans)
    measure, basis = draw(units)
    return Dose(
        low.normalize() + 0,
        high.normalize() + 0,
        measure,
        basis,
        draw(st.sampled_from(["lần", "ngày", "giờ", "phút", "24 giờ"])),
    )


@st.composite
def statements(draw: st.DrawFn) -> Statement:
    times = draw(st.none() | st.tuples(st.integers(1, 6), st.integers(1, 6)).map(lambda pair: (min(pair), max(pair))))
    hours = draw(st.none() | st.integers(1, 72))
    maxima = tuple(Dose(d.high, d.high, d.measure, d.basis, d.per) for d in draw(st.lists(doses(), max_size=2)))
    most = draw(st.none() | st.integers(2, 6))
    said = [*([f"{most} lần/24 giờ"] if most else []), *(maximum.text for maximum in maxima)]
    return Statement(
        dose=draw(doses()),
        rhythm=Rhythm(
            times=times,
            is_divided=bool(times) and draw(st.booleans()),
            every=(hours, hours, "giờ") if hours else None,
            at_least=bool(hours) and draw(st.booleans()),
        ),
        maxima=maxima,
        most_times=most,
        level=draw(st.sampled_from(["", "khởi đầu", "thường", "nhiễm khuẩn nặng", "có thể tăng đến"])),
        maximum_text=f"tối đa {' và '.join(said)}" if said else "",
    )


@given(statements())
def test_a_statement_that_is_written_out_reads_back(statement: Statement) -> None:
    text = render_statement(statement)
    assert read_statements(text).statements == (statement,), text


@given(statements(), st.sampled_from(["khi suy thận", "nếu không đỡ thì gấp đôi", "trừ trẻ đẻ non", "x"]))
def test_a_word_that_is_not_understood_takes_the_whole_passage_with_it(statement: Statement, word: str) -> None:
    assert not read_statements(f"{render_statement(statement).rstrip('.')}, {word}.").statements


def _readings(drug: str, label: str) -> list:  # type: ignore[type-arg]
    return [
        read_statements(block.text, block.labels)
        for block in dose_blocks()
        if block.drug.drug_id == drug and block.labels[-1:] == (label,) and is_weighed(block.text)
    ]


def _line(statement: Statement) -> str:
    rhythm = statement.rhythm
    times = "-".join(map(str, dict.fromkeys(rhythm.times))) if rhythm.times else ""
    every = "-".join(map(str, dict.fromkeys(rhythm.every[:2]))) + f" {rhythm.every[2]}" if rhythm.every else ""
    return "|".join(
        (
            statement.level,
            statement.dose.text,
            (":" if rhythm.is_divided else "") + times,
            (">" if rhythm.at_least else "") + every,
            statement.maximum_text,
        )
    )


def _only_remarks(reading) -> bool:  # type: ignore[no-untyped-def]
    return not reading.statements and not reading.refused
