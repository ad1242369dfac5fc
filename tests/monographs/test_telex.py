"""Words typed with the input method off."""

from __future__ import annotations

import pytest

from monographs.telex import decode_slip
from monographs.text import fold


@pytest.mark.parametrize(
    ("telex", "vni", "word"),
    [
        ("lieeuf", "lie62u", "liều"),
        ("thuoocs", "thuo61c", "thuốc"),
        ("uoongs", "uo61ng", "uống"),
        ("dduwowngf", "d9u7o72ng", "đường"),
        ("truyeenf", "truye62n", "truyền"),
        ("beenhj", "be65nh", "bệnh"),
        ("thaanj", "tha65n", "thận"),
        ("tuoori", "tuo63i", "tuổi"),
        ("chir", "chi3", "chỉ"),
        ("ddinhj", "d9i5nh", "định"),
        ("choongs", "cho61ng", "chống"),
        ("trer", "tre3", "trẻ"),
        ("quas", "qua1", "quá"),
        ("gif", "gi2", "gì"),
        ("huyeets", "huye61t", "huyết"),
        ("yeeus", "ye61u", "yếu"),
        ("tieem", "tie6m", "tiêm"),
        ("khoong", "kho6ng", "không"),
        ("nhaan", "nha6n", "nhân"),
        ("cuar", "cua3", "của"),
        ("nguwowif", "ngu7o7i2", "người"),
        ("lowns", "lo7n1", "lớn"),
        ("bawngf", "ba8ng2", "bằng"),
        ("naaus", "na6u1", "nấu"),
        ("xoaf", "xoa2", "xòa"),
        ("toans", "toan1", "toán"),
    ],
)
def test_a_raw_syllable_is_decoded(telex: str, vni: str, word: str) -> None:
    assert decode_slip(telex) == word
    assert decode_slip(vni) == word
    assert decode_slip(telex.upper()) == word


@pytest.mark.parametrize(
    ("typed", "word"),
    [
        ("lieefu", "liều"),
        ("thuoosc", "thuốc"),
        ("dduwowfng", "đường"),
        ("nguowif", "người"),
        ("nguoiwf", "người"),
        ("nguoiwf".replace("w", "7").replace("f", "2"), "người"),
        ("lieuef", "liều"),
        ("dinhdj", "định"),
    ],
)
def test_marks_may_stand_anywhere_in_the_syllable(typed: str, word: str) -> None:
    assert decode_slip(typed) == word


@pytest.mark.parametrize(
    "word",
    [
        "",
        "a",
        "s",
        "62",
        "500",
        "15kg",
        "liều",
        "viem",
        "uong",
        "khong",
        "thuoc",
        "nguoi",
        "paracetamol",
        "amoxicilin",
        "warfarin",
        "clarithromycin",
        "vitamin",
        "adrenalin",
        "b12",
        "k1",
        "d3",
        "mg/kg",
        "xx",
    ],
    ids=lambda word: word or "nothing",
)
def test_what_is_no_slip_is_left(word: str) -> None:
    assert decode_slip(word) is None


@pytest.mark.parametrize("typed", ["lieeuf", "lie62u", "dduwowngf", "thuoocs", "beenhj", "quas", "truyeenf"])
def test_what_comes_out_is_final(typed: str) -> None:
    word = decode_slip(typed)
    assert word is not None and decode_slip(word) is None
    assert fold(word).isalpha() and len(fold(word)) < len(typed)
