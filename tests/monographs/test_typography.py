"""Numbers stay with their units, labels are found at the head of a passage, and no character ever changes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monographs.templatetags.book import typeset, typeset_passage
from monographs.typography import inherited_labels, split_run_in, unbreakable_groups


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        ("uống 500 mg", ["500 mg"]),
        ("0,5 - 1 g", ["0,5 - 1 g"]),
        ("1 000 mg", ["1 000 mg"]),
        ("1.000.000 đvqt", ["1.000.000 đvqt"]),
        ("natri clorid 0,9 %", ["0,9 %"]),
        ("ở 2 - 8 °C, tránh ánh sáng", ["2 - 8 °C"]),
        ("dưới 30 °C", ["30 °C"]),
        ("15 mg/kg/lần", ["15 mg/kg/lần"]),
        ("60 - 80 mg/kg/24 giờ", ["60 - 80 mg/kg/24 giờ"]),
        ("15 ml/phút/1,73 m²", ["15 ml/phút/1,73 m²"]),
        ("Thường gặp, ADR > 1/100", ["ADR > 1/100"]),
        ("1/1 000 < ADR < 1/100", ["1/1 000", "ADR < 1/100"]),
        ("trẻ ≥ 12 tuổi", ["≥ 12 tuổi"]),
        ("5-10 ml", ["5-10 ml"]),
        ("50 000 đơn vị/kg", ["50 000 đơn vị/kg"]),
        ("ngày 3 lần, cách 4 - 6 giờ", ["3 lần", "4 - 6 giờ"]),
        ("pha loãng 1 : 10 000", ["1 : 10 000"]),
        ("5 x 10⁹/L", ["5 x 10⁹/L"]),
        ("4,7 µmol/lít", ["4,7 µmol/lít"]),
        ("500mg", []),
        ("mã N02BE01", []),
        ("5 mgx", []),
        ("không có số", []),
        ("", []),
    ],
)
def test_number_and_unit_are_one_group(text: str, groups: list[str]) -> None:
    assert [piece for piece, kept in unbreakable_groups(text) if kept] == groups


@given(st.text(alphabet="0123456789 ,./-–%°mgkglầnngày<>≥()&\"'\u00a0²⁹", max_size=80))
def test_pieces_join_to_the_text(text: str) -> None:
    assert "".join(piece for piece, _ in unbreakable_groups(text)) == text


def test_very_long_group_may_break() -> None:
    text = "1 000 000 000 000 000 - 2 000 000 000 000 000 mg"
    assert not [piece for piece, kept in unbreakable_groups(text) if kept]


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("< 500 mg & <b>", '<span class="nowrap">&lt; 500 mg</span> &amp; &lt;b&gt;'),
        ("<script>1 g</script>", '&lt;script&gt;<span class="nowrap">1 g</span>&lt;/script&gt;'),
        ('"1 g"', '&quot;<span class="nowrap">1 g</span>&quot;'),
    ],
)
def test_markup_in_the_text_is_escaped(text: str, html: str) -> None:
    assert typeset(text) == html


@pytest.mark.parametrize(
    ("text", "labels", "head", "inherited"),
    [
        ("Người lớn: uống 1 g.", ["Người lớn"], "Người lớn:", ()),
        ("Đường uống: 1 g.", ["Người lớn", "Đường uống"], "Đường uống:", ("Người lớn",)),
        ("Người lớn: Đường uống: 1 g.", ["Người lớn", "Đường uống"], "Người lớn: Đường uống:", ()),
        ("Thường gặp, ADR > 1/100", ["Thường gặp, ADR > 1/100"], "Thường gặp, ADR > 1/100", ()),
        ("Uống 1 g.", ["Người lớn"], "", ("Người lớn",)),
        ("Uống 1 g.", [], "", ()),
        ("Uống 1 g.", [""], "", ("",)),
    ],
)
def test_labels_at_the_head(text: str, labels: list[str], head: str, inherited: tuple[str, ...]) -> None:
    assert split_run_in(text, labels) == (head, text[len(head) :])
    assert inherited_labels(text, labels) == inherited


def test_label_at_the_head_is_set_apart_and_escaped() -> None:
    assert typeset_passage("A<b>: 1 g", ["A<b>"]) == (
        '<span class="run-in">A&lt;b&gt;:</span> <span class="nowrap">1 g</span>'
    )
