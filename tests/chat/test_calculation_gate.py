from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

import pytest

from chat.calculation_gate import check_calculation
from chat.domain import Calculation, QueryFrame, Reason
from chat.dosing import calculate
from monographs.domain import PassageKind, PassageState
from tests.chat.dosing_cases import block_of, frame_of

INFUSION = ("5 microgam/kg/phút", "250 mg/50 ml")
GOOD: dict[str, tuple[str, QueryFrame]] = {
    "range": ("10 - 15 mg/kg/lần; tối đa 4 lần/24 giờ và 60 mg/kg/ngày.", frame_of("8")),
    "capped": ("20 - 30 mg/kg/lần; tối đa 0,5 g/lần.", frame_of("20")),
    "divided": ("80 - 90 mg/kg/ngày, chia 2 - 3 lần, tối đa 3 g/ngày.", frame_of("40")),
    "levels": ("20 mg/kg/lần, tối đa 500 mg/lần; nhiễm khuẩn nặng 40 mg/kg/lần, tối đa 1 g/lần.", frame_of("30")),
    "rounded": ("40 mg/kg/ngày, chia 3 lần.", frame_of("10")),
    "grams": ("5 mg/kg/lần.", frame_of("3.2", amounts=("3 200 g",))),
    "surface": ("60 mg/m²/ngày.", frame_of("18", amounts=("0,75 m²",))),
    "infusion": ("Thường 2,5 - 10 microgam/kg/phút. Tối đa 20 microgam/kg/phút.", frame_of("60", amounts=INFUSION)),
}
Change = Callable[[Calculation], Calculation]


def _made(name: str) -> tuple[Calculation, QueryFrame]:
    text, frame = GOOD[name]
    found = calculate([block_of(text)], frame, by_volume=name == "infusion")
    assert isinstance(found, Calculation)
    return found, frame


@pytest.mark.parametrize("name", GOOD)
def test_what_was_counted_rightly_passes(name: str) -> None:
    found, frame = _made(name)
    assert check_calculation(found, frame) is None


def _steps(pattern: str, by: str, *, count: int = 0) -> Change:
    return lambda c: replace(c, steps=tuple(re.sub(pattern, by, step, count=count) for step in c.steps))


def _everywhere(pattern: str, by: str) -> Change:
    return lambda c: replace(
        c,
        steps=tuple(re.sub(pattern, by, step) for step in c.steps),
        result=re.sub(pattern, by, c.result),
        inputs=tuple((name, re.sub(pattern, by, value)) for name, value in c.inputs),
    )


MUTATIONS: list[tuple[str, str, Change]] = [
    ("tenfold result", "range", lambda c: replace(c, result=c.result.replace("80 - 120", "800 - 1 200"))),
    ("tenfold step", "range", _steps("80 - 120", "800 - 1 200")),
    ("tenfold in all lines", "range", _everywhere(r"80 - 120", "800 - 1 200")),
    ("tenth of a step", "range", _everywhere(r"80 - 120", "8 - 12")),
    ("comma moved", "grams", _everywhere(r"3,2 kg", "32 kg")),
    ("unit of the result", "range", lambda c: replace(c, result=c.result.replace("mg/lần", "g/lần"))),
    ("unit in all lines", "range", _everywhere(r"mg/lần", "microgam/lần")),
    ("time of the unit", "range", _everywhere(r"120 mg/lần", "120 mg/ngày")),
    ("lower end lost", "range", _everywhere(r"80 - 120", "120")),
    ("lower end of the dose lost", "range", _everywhere(r"10 - 15 mg/kg/lần", "15 mg/kg/lần")),
    ("upper end lost", "range", _everywhere(r"80 - 120", "80")),
    ("end of another number", "range", _everywhere(r"10 - 15 mg", "10 - 60 mg")),
    ("ends turned round", "range", _everywhere(r"80 - 120", "120 - 80")),
    ("daily maximum dropped", "range", lambda c: replace(c, result=c.result.split(", ")[0])),
    ("daily maximum raised", "range", _everywhere("480 mg/ngày", "840 mg/ngày")),
    ("maximum text dropped", "range", lambda c: replace(c, maximum="")),
    ("maximum text changed", "range", lambda c: replace(c, maximum=c.maximum.replace("60", "90"))),
    ("cap dropped", "capped", lambda c: replace(c, steps=c.steps[:1], result="400 - 600 mg/lần", capped=False)),
    ("cap not told", "capped", lambda c: replace(c, capped=False)),
    ("cap told without one", "range", lambda c: replace(c, capped=True)),
    ("cap in another unit", "capped", _everywhere("500 mg/lần", "500 g/lần")),
    ("cap of another level", "levels", _everywhere("500 mg/lần", "1 000 mg/lần")),
    ("level exchanged", "levels", lambda c: replace(c, result="; ".join(reversed(c.result.split("; "))))),
    (
        "maximum of another level",
        "levels",
        lambda c: replace(c, maximum="tối đa 1 g/lần; nhiễm khuẩn nặng: tối đa 1 g/lần"),
    ),
    ("level lost", "levels", lambda c: replace(c, result=c.result.split("; ")[0])),
    ("level invented", "levels", _everywhere("nhiễm khuẩn nặng", "nhiễm khuẩn nhẹ")),
    ("step of the cap lost", "capped", lambda c: replace(c, steps=c.steps[:2])),
    ("wrong number of parts", "divided", _everywhere("3 lần", "4 lần")),
    ("parts lost", "divided", lambda c: replace(c, result=c.result.split(", chia")[0])),
    ("wrong weight", "range", _everywhere("8 kg", "9 kg")),
    ("wrong weight counted through", "range", lambda c: _recounted("range", "9", c)),
    ("rounding not told", "rounded", lambda c: replace(c, rounding="")),
    ("rounding told without one", "range", lambda c: replace(c, rounding="Làm tròn.")),
    ("rounded more", "rounded", _everywhere("133,333", "133,3")),
    ("rounded up", "rounded", _everywhere("133,333", "133,334")),
    ("called exact", "rounded", _steps("≈", "=")),
    ("grams of another", "grams", _everywhere("3 200 g", "2 300 g")),
    ("surface of another", "surface", _everywhere("0,75 m²", "0,57 m²")),
    ("hour taken for a minute", "infusion", lambda c: _without_step(c, "60 phút/giờ")),
    ("sixty as hundred", "infusion", _steps("60 phút/giờ", "100 phút/giờ")),
    ("mg taken for microgam", "infusion", lambda c: _without_step(c, "1 000 microgam/mg")),
    ("concentration of another", "infusion", _everywhere("50 ml", "500 ml")),
    ("rate of another", "infusion", _everywhere("5 microgam/kg/phút", "50 microgam/kg/phút")),
    ("rate tenfold", "infusion", _everywhere("3,6 ml", "36 ml")),
    ("volume lost", "infusion", lambda c: replace(c, result=c.result.split(", tức")[0])),
    ("no steps", "range", lambda c: replace(c, steps=())),
    ("words as a step", "range", lambda c: replace(c, steps=(*c.steps, "Dùng 120 mg"))),
    ("advice as a result", "range", lambda c: replace(c, result=f"Cho uống {c.result}")),
    ("input invented", "range", lambda c: replace(c, inputs=(*c.inputs, ("Tuổi", "3 tuổi")))),
    ("another branch", "range", lambda c: replace(c, inputs=(("Mức liều trong sách", "Người lớn"), *c.inputs[1:]))),
    ("another passage", "range", lambda c: replace(c, evidence=(replace(c.evidence[0], text="5 mg/kg/lần."),))),
    ("two passages", "range", lambda c: replace(c, evidence=c.evidence * 2)),
]


def _recounted(name: str, weight: str, made: Calculation) -> Calculation:
    found = calculate(made.evidence, replace(GOOD[name][1], weight_kg=Decimal(weight)))
    assert isinstance(found, Calculation)
    return found


def _without_step(made: Calculation, words: str) -> Calculation:
    return replace(made, steps=tuple(step for step in made.steps if words not in step))


@pytest.mark.parametrize(("name", "change"), [m[1:] for m in MUTATIONS], ids=[m[0] for m in MUTATIONS])
def test_no_change_of_a_calculation_passes(name: str, change: Change) -> None:
    made, frame = _made(name)
    changed = change(made)
    assert changed != made
    assert check_calculation(changed, frame) is Reason.CALCULATION_NOT_GROUNDED


@pytest.mark.parametrize("name", GOOD)
@pytest.mark.parametrize("digit", "0123456789")
def test_no_digit_of_any_line_can_be_another(name: str, digit: str) -> None:
    made, frame = _made(name)
    for place, step in enumerate(made.steps):
        for at, character in enumerate(step):
            if character.isdigit() and character != digit:
                steps = (*made.steps[:place], f"{step[:at]}{digit}{step[at + 1 :]}", *made.steps[place + 1 :])
                assert check_calculation(replace(made, steps=steps), frame) is not None, steps[place]


@pytest.mark.parametrize("name", GOOD)
@pytest.mark.parametrize("digit", "0123456789")
def test_no_digit_of_the_result_can_be_another(name: str, digit: str) -> None:
    made, frame = _made(name)
    for at, character in enumerate(made.result):
        if character.isdigit() and character != digit:
            result = f"{made.result[:at]}{digit}{made.result[at + 1 :]}"
            assert check_calculation(replace(made, result=result), frame) is not None, result


def test_a_passage_that_is_held_back_or_has_no_page_is_not_counted_from() -> None:
    made, frame = _made("range")
    block = made.evidence[0]
    held = replace(made, evidence=(replace(block, state=PassageState.QUARANTINED),))
    table = replace(made, evidence=(replace(block, kind=PassageKind.TABLE),))
    unpaged = replace(made, evidence=(replace(block, printed_page=None),))
    assert check_calculation(held, frame) is Reason.SOURCE_QUARANTINED
    assert check_calculation(table, frame) is Reason.SOURCE_QUARANTINED
    assert check_calculation(unpaged, frame) is Reason.MISSING_PRINTED_PAGE
    assert check_calculation(replace(made, evidence=()), frame) is Reason.MISSING_PRINTED_PAGE


def test_another_patient_than_the_one_told_of_does_not_pass() -> None:
    made, frame = _made("range")
    assert check_calculation(made, replace(frame, weight_kg=Decimal(80))) is Reason.CALCULATION_NOT_GROUNDED
    assert check_calculation(made, replace(frame, weight_kg=None)) is Reason.CALCULATION_NOT_GROUNDED
