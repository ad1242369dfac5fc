"""Bands of labels, with their boundaries as printed."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest

from chat.bands import Band, BandKind, age_in_months, bands_of
from monographs.text import fold
from tests.chat.faults import fault
from tests.sample_evidence import sample_evidence

_KINDS = {
    "kg": BandKind.WEIGHT,
    "months": BandKind.AGE,
    "ml": BandKind.CLEARANCE,
    "inr": BandKind.INR,
    "mmol": BandKind.POTASSIUM,
}


@pytest.mark.parametrize(
    ("label", "kind", "inside", "outside"),
    [
        ("cân nặng 10 - 20 kg", "kg", "10 15 20", "9.9 20.1"),
        ("7,5 - 10 kg", "kg", "7.5 10", "7.4 10.1"),
        ("từ 10 đến 20 kg", "kg", "10 20", "9.9 20.1"),
        ("từ 10 đến dưới 20 kg", "kg", "10 19.9", "9.9 20"),
        ("trên 10 đến 20 kg", "kg", "10.1 20", "10 20.1"),
        ("dưới 10 kg", "kg", "9.9", "10"),
        ("< 10 kg", "kg", "9.9", "10"),
        ("nhỏ hơn 5 kg", "kg", "4.9", "5"),
        ("trên 50 kg", "kg", "50.1", "50"),
        ("hơn 60 kg", "kg", "60.1", "60"),
        ("từ 50 kg trở lên", "kg", "50 80", "49.9"),
        ("50 kg trở lên", "kg", "50", "49.9"),
        ("50 kg trở xuống", "kg", "50 3", "50.1"),
        ("đến 40 kg", "kg", "40 3", "40.1"),
        ("≤ 40 kg", "kg", "40", "40.1"),
        ("Trẻ em 10 - 17 tuổi", "months", "120 204 215", "119 216"),
        ("Trẻ em từ 10 tuổi", "months", "120 400", "119"),
        ("Trẻ em dưới 2 tuổi", "months", "0 23", "24"),
        ("Người trên 70 tuổi", "months", "852", "840"),
        ("≥ 12 tuổi", "months", "144", "143"),
        ("12 tuổi trở lên", "months", "144", "143"),
        ("< 12 tuổi", "months", "143", "144"),
        ("3 - 6 tháng tuổi", "months", "3 6", "2 7"),
        ("3 tháng - 2 tuổi", "months", "3 24 35", "2 36"),
        ("3 tháng tuổi đến dưới 12 tuổi", "months", "3 143", "2 144"),
        ("từ 1 tháng đến 12 tuổi", "months", "1 144 155", "0.9 156"),
        ("dưới 7 ngày tuổi", "months", "0.2", "0.24"),
        ("7 - 28 ngày tuổi", "months", "0.24 0.93", "0.2 1"),
        ("độ thanh thải creatinin 30 - 59 ml/phút", "ml", "30 59", "29.9 59.1"),
        ("độ thanh thải 10 – 50 ml/phút", "ml", "10 50", "9 51"),
        ("độ thanh thải creatinin dưới 30 ml/phút", "ml", "29.9 0", "30"),
        ("độ thanh thải creatinin ≥ 50 ml/phút", "ml", "50", "49.9"),
        ("không quá 30 ml/phút", "ml", "30", "30.1"),
        ("không dưới 12 tuổi", "months", "144", "143"),
        ("không trên 60 kg", "kg", "60", "60.1"),
        ("trẻ em 2 - < 12 tuổi", "months", "24 143", "23 144"),
        ("Trẻ 2 tuổi", "months", "24 35.9", "23.9 36"),
        ("Trẻ 1 tháng, uống", "months", "1 1.9", "0.9 2"),
        ("trẻ 18 tháng", "months", "18 18.5", "17 19"),
        ("bé 5 tháng tuổi", "months", "5", "4 6"),
        ("trẻ 10 ngày tuổi", "months", "0.33", "0.3 0.37"),
        ("trẻ 3 tuần tuổi", "months", "0.7 0.9", "0.6 0.93"),
        # A range or an open end is none of them.
        ("Trẻ 2 tuổi trở lên", "months", "24 400", "23"),
        ("Trẻ 2 - 5 tuổi", "months", "24 71", "23 72"),
        ("Trẻ 1 tháng - 4 tuổi", "months", "1 59", "0.9 60"),
        ("trẻ 2 tuổi đến 6 tuổi", "months", "24 83", "23 84"),
        fault("Trẻ em 2 tuổi", "months", "24 35", "23 36", reason="an exact age is read behind `trẻ` and `bé` only"),
        ("INR 5 - 8", "inr", "5 6.5 8", "4.9 8.1"),
        ("INR 4,5 – 10", "inr", "4.5 10", "4.4 10.1"),
        ("INR 5 đến 8", "inr", "5 8", "4.9 8.1"),
        ("INR từ 2 đến 3", "inr", "2 3", "1.9 3.1"),
        ("đích INR 2 - 3", "inr", "2 3", "1.9 3.1"),
        ("INR trên 8", "inr", "8.1 20", "8"),
        ("INR > 8", "inr", "8.1", "8"),
        ("INR ≥ 8", "inr", "8 9", "7.9"),
        ("INR từ 1,5 trở lên", "inr", "1.5 3", "1.4"),
        ("INR dưới 5", "inr", "4.9 1", "5"),
        ("INR < 5", "inr", "4.9", "5"),
        ("INR ≤ 5", "inr", "5 1", "5.1"),
        ("Không chảy máu, INR trên 8", "inr", "9.5", "8"),
        ("kali huyết dưới 2,5 mmol/lít", "mmol", "2.4 1", "2.5"),
        ("kali huyết từ 2,5 mmol/lít, truyền tĩnh mạch", "mmol", "2.5 4", "2.4"),
        ("kali huyết trên 5,5 mmol/lít", "mmol", "5.6 8", "5.5"),
        ("kali máu > 6", "mmol", "6.1", "6"),
        ("kali 3,5 - 5 mmol/lít", "mmol", "3.5 5", "3.4 5.1"),
        ("kali huyết từ 3,5 đến 5 mmol/lít", "mmol", "3.5 5", "3.4 5.1"),
        ("kali máu từ 6 mmol/lít trở lên", "mmol", "6 9", "5.9"),
        ("INR từ 5 đến dưới 9", "inr", "5 8.9", "4.9 9"),
        ("INR 8 trở lên", "inr", "8 9", "7.9"),
        ("INR lớn hơn 8", "inr", "8.1", "8"),
        ("INR không quá 5", "inr", "5 1", "5.1"),
        ("kali huyết nhỏ hơn 3", "mmol", "2.9", "3"),
        ("kali huyết thanh trên 5,5 mmol/lít", "mmol", "5.6", "5.5"),
    ],
)
def test_boundaries_are_those_printed(label: str, kind: str, inside: str, outside: str) -> None:
    (band,) = bands_of(label)
    assert band.kind is _KINDS[kind]
    assert [value for value in inside.split() if not band.holds(Decimal(value))] == []
    assert [value for value in outside.split() if band.holds(Decimal(value))] == []


@pytest.mark.parametrize(
    "label",
    [
        "cân nặng 10 - 20 kg",
        "Trẻ em dưới 2 tuổi",
        "từ 50 kg trở lên",
        "≥ 50 ml/phút",
        "Trẻ 2 tuổi",
        "INR 5 - 8",
        "INR trên 8",
        "kali huyết dưới 2,5 mmol/lít",
        "kali máu từ 6 mmol/lít trở lên",
    ],
)
def test_accents_do_not_matter(label: str) -> None:
    assert bands_of(fold(label)) == bands_of(label)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Người lớn",
        "10 kg",
        "2 tuần tuổi",
        "10 mg/kg/ngày",
        "trong 2 tuần",
        "mỗi 4 tuần",
        "sau 3 tháng",
        "cách 4 - 6 tuần",
        "10 - 20 mg",
        "tối đa 3 tháng",
        "INR 9",
        "INR 9,5",
        "INR là 9",
        "INR bằng 9",
        "kali máu 5,8",
        "kali huyết 5,8 mmol/lít",
        "kali clorid 10 mmol",
        "INR trong 24 giờ",
        "INR bất kỳ",
        "người 30 tuổi",
    ],
    ids=lambda text: text or "nothing",
)
def test_no_band_where_none_is_printed(text: str) -> None:
    assert bands_of(text) == ()


@pytest.mark.parametrize(
    ("label", "inside", "outside"),
    [
        ("Trẻ sơ sinh, tuổi thai hiệu chỉnh dưới 26 tuần", "25", "26"),
        ("tuổi thai hiệu chỉnh từ 26 đến dưới 34 tuần", "26 33", "25 34"),
        ("tuổi thai từ 34 tuần", "34 40", "33"),
        ("trẻ sơ sinh dưới 29 tuần tuổi sau kinh chót", "28", "29"),
        ("29 - 35 tuần tuổi sau kinh chót", "29 35", "28"),
        ("trẻ đẻ non dưới 34 tuần tuổi thai", "33", "34"),
    ],
)
def test_weeks_of_a_pregnancy_are_no_age(label: str, inside: str, outside: str) -> None:
    """A child of ten days is none "dưới 26 tuần" of them."""
    for typed in (label, fold(label)):
        (band,) = bands_of(typed)
        assert band.kind is BandKind.GESTATION
        assert all(band.holds(age_in_months(week, "tuan")) for week in inside.split())
        assert not any(band.holds(age_in_months(week, "tuan")) for week in outside.split())


def test_an_age_beside_weeks_of_a_pregnancy_stays_one() -> None:
    text = "trẻ sơ sinh đến 28 ngày tuổi và trẻ đẻ non đến tuổi thai hiệu chỉnh 41 tuần"
    assert [band.kind for band in bands_of(text)] == [BandKind.AGE, BandKind.GESTATION]


def test_several_bands_of_one_label() -> None:
    assert [band.kind for band in bands_of("6 tháng đến 5 tuổi, dưới 20 kg")] == [BandKind.AGE, BandKind.WEIGHT]
    first, second = bands_of("10 - 50 ml/phút; dưới 10 ml/phút")
    assert (first.holds(Decimal(10)), second.holds(Decimal(10))) == (True, False)
    assert [band.kind for band in bands_of("INR 5 - 8, dưới 50 kg")] == [BandKind.INR, BandKind.WEIGHT]
    assert [band.kind for band in bands_of("INR trên 8, trẻ 2 tuổi")] == [BandKind.INR, BandKind.AGE]


def test_every_laboratory_value_of_the_samples_labels_is_read() -> None:
    labels = {label for block in sample_evidence() for label in block.labels}
    named = {label for label in labels if re.search(r"(?:inr|kali huyet) (?:tren|duoi|tu|\d)", fold(label))}
    assert len(named) >= 5
    kinds = {BandKind.INR, BandKind.POTASSIUM}
    assert [label for label in named if not any(band.kind in kinds for band in bands_of(label))] == []


@pytest.mark.parametrize(
    ("number", "unit", "months"),
    [
        ("10", "thang tuoi", "10"),
        ("3", "tuoi", "36"),
        ("2,5", "tuoi", "30.0"),
        ("4", "tuan tuoi", "0.92"),
        ("28", "ngay tuoi", "0.92"),
    ],
)
def test_ages_in_months(number: str, unit: str, months: str) -> None:
    assert round(age_in_months(number, unit), 2) == round(Decimal(months), 2)


def test_an_open_band_holds_everything_and_the_sample_has_no_empty_one() -> None:
    assert Band(BandKind.WEIGHT, None, None).holds(Decimal(3))
    labels = {label for block in sample_evidence() for label in block.labels}
    bands = [(label, band) for label in labels for band in bands_of(label)]
    assert len(bands) > 50
    assert [label for label, b in bands if b.low is not None and b.high is not None and b.low >= b.high] == []
