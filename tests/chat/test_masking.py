"""Personal data is masked; doses, brands and laboratory values are not."""

import pytest

from chat.masking import mask_personal_data


@pytest.mark.parametrize(
    ("typed", "masked"),
    [
        ("Gọi 0912345678", "Gọi [số điện thoại]"),
        ("gọi +84 912 345 678 nhé", "gọi [số điện thoại] nhé"),
        ("sđt: 0912.345.678", "sđt: [số điện thoại]"),
        ("điện thoại bàn 024 3825 1234", "điện thoại bàn [số điện thoại]"),
        ("gửi a.b+c@bv-x.vn", "gửi [email]"),
        ("CCCD 012345678901", "CCCD [số định danh]"),
        ("cmnd số 123456789", "cmnd số [số định danh]"),
        ("012345678901 dùng warfarin", "[số định danh] dùng warfarin"),
        ("BHYT DN4010123456789", "BHYT [số định danh]"),
        ("mã BN: 2301234", "mã BN: [mã hồ sơ]"),
        ("số bệnh án 23-001234", "số bệnh án [mã hồ sơ]"),
        ("BN Nguyễn Văn An 60 tuổi", "BN [họ tên] 60 tuổi"),
        ("bệnh nhân Trần Thị Bích uống warfarin", "bệnh nhân [họ tên] uống warfarin"),
        ("Nguyễn Văn An, 0912 345 678, liều paracetamol", "[họ tên], [số điện thoại], liều paracetamol"),
    ],
)
def test_personal_data_is_masked(typed: str, masked: str) -> None:
    assert mask_personal_data(typed) == masked


@pytest.mark.parametrize(
    "text",
    [
        "benzylpenicilin 10 000 000 đơn vị",
        "liều 1 200 000 đơn vị, tối đa 2 400 000 đơn vị/ngày",
        "Augmentin 625 mg bé 15 kg",
        "creatinin 180 micromol/lít, ClCr 25 ml/phút",
        "Panadol Extra 500 mg ngày 4 lần",
        "bé 10 tháng 8 kg hapacol 150",
        "natri clorid 0,9 % 500 ml truyền 30 giọt/phút",
        "INR 3,5 từ ngày 12.11.2026",
        "warfarin 5 mg + Amoxicilin",
        "khoảng 0,5 - 1 g/lần",
    ],
)
def test_what_is_not_personal_stays(text: str) -> None:
    assert mask_personal_data(text) == text


def test_masking_twice_changes_nothing() -> None:
    once = mask_personal_data("BN Nguyễn Văn An, 0912345678, mã BN 1234567, a@b.vn")
    assert mask_personal_data(once) == once
