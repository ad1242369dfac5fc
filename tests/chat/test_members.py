"""Members of a group monograph (statins, insulins): another member's dose never shows."""

from __future__ import annotations

import pytest

from chat.decide import decide, decide_frame
from chat.domain import EvidenceBlock, QueryFrame, Stop
from chat.members import of_member, with_member
from chat.selection import Selection
from chat.understand import understand
from monographs.domain import SectionKey
from monographs.text import fold
from tests.sample_corpus import sample_corpus
from tests.sample_evidence import sample_evidence

STATINS = {
    "atorvastatin": ("Atorvastatin", "lipitor"),
    "fluvastatin": ("Fluvastatin", "lescol", "lescol xl"),
    "lovastatin": ("Lovastatin", "mevacor"),
    "pravastatin": ("Pravastatin", "pravachol"),
    "rosuvastatin": ("Rosuvastatin", "crestor"),
    "simvastatin": ("Simvastatin", "zocor"),
}
# The member by its label in the dosage section, and the brands that the book gives it.
INSULINS = {
    "insulin lispro": ("Insulin lispro, insulin aspart", "humalog"),
    "insulin aspart": ("Insulin lispro, insulin aspart", "novorapid"),
    "insulin thường": ("Insulin thường (regular)", "actrapid", "humulin r"),
    "insulin NPH": ("Insulin NPH", "insulatard", "humulin n"),
    "insulin glargin": ("Insulin glargin", "lantus", "toujeo"),
    "insulin detemir": ("Insulin detemir", "levemir"),
    "insulin trộn sẵn": ("Insulin trộn sẵn", "mixtard 30", "novomix 30", "humulin 30/70", "humalog mix25"),
}
MEMBERS = STATINS | INSULINS
NAMES = [(name, labels[0]) for member, labels in MEMBERS.items() for name in (member, *labels[1:])]
QUESTIONS = (
    "liều {}",
    "liều {} người lớn",
    "liều {} trẻ 12 tuổi",
    "liều {} người lớn tăng cholesterol huyết",
    "liều {} suy thận ClCr 20",
    "liều {} suy gan",
    "liều {} người cao tuổi",
    "liều {} tiêm dưới da",
    "{} uống lúc nào",
    "quên liều {}",
)


def _evidence(frame: QueryFrame) -> tuple[EvidenceBlock, ...]:
    drug = frame.drugs[0].drug_id
    return tuple(block for block in sample_evidence() if block.drug.drug_id == drug)


def _decide(question: str) -> Selection | Stop:
    frame = understand(question, sample_corpus())
    stop = decide_frame(frame, sample_corpus())
    return stop or decide(frame, _evidence(frame), question)


def _labels() -> set[str]:
    return {labels[0] for labels in MEMBERS.values()}


def _shown(outcome: Selection | Stop) -> set[str]:
    """The members whose dose is shown or offered."""
    if isinstance(outcome, Stop):
        return {label for label in _labels() for reply in outcome.quick_replies if _offers(reply, label)}
    doses = [block for block in outcome.evidence if block.section is SectionKey.LIEU_DUNG and block.labels]
    return {block.labels[0] for block in doses} & _labels()


def _offers(reply: str, label: str) -> bool:
    return fold(reply).startswith(fold(label.split(",", maxsplit=1)[0]))


@pytest.mark.parametrize(
    ("question", "label"),
    [(form.format(name), label) for name, label in NAMES for form in QUESTIONS],
    ids=lambda value: value,
)
def test_another_members_dose_is_never_shown_nor_offered(question: str, label: str) -> None:
    assert _shown(_decide(question)) <= {label}


@pytest.mark.parametrize(("name", "label"), NAMES, ids=[name for name, _ in NAMES])
def test_a_member_is_told_by_its_name_or_its_brand(name: str, label: str) -> None:
    frame = understand(f"liều {name}", sample_corpus())
    told = with_member(frame, _evidence(frame))
    assert told.raw.get("member") == label


@pytest.mark.parametrize("question", ["liều statin", "liều insulin", "chống chỉ định insulin", "liều vytorin"])
def test_the_groups_own_name_tells_none(question: str) -> None:
    frame = understand(question, sample_corpus())
    blocks = _evidence(frame)
    assert with_member(frame, blocks) is frame
    assert of_member(frame, blocks) == list(blocks)


def test_only_other_members_passages_are_left_out() -> None:
    frame = understand("liều lipitor", sample_corpus())
    blocks = _evidence(frame)
    told = with_member(frame, blocks)
    kept = of_member(told, blocks)
    assert {block.labels[0] for block in kept if block.section is SectionKey.LIEU_DUNG} == {
        "Atorvastatin",
        "Cách dùng",
        "Quên liều",
    }
    assert {"atorvastatin"} <= told.question_words


@pytest.mark.parametrize("question", ["toàn bộ liều atorvastatin", "toàn bộ liều lantus"])
def test_a_survey_of_one_member_shows_that_member(question: str) -> None:
    assert len(_shown(_decide(question))) == 1


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("liều atorvastatin trẻ 12 tuổi", "tối đa 20 mg/ngày"),
        ("liều crestor suy thận ClCr 20", "Không dùng"),
        ("liều lovastatin người lớn", "Khởi đầu 20 mg/lần"),
        ("liều levemir", "khởi đầu 10 đơn vị hoặc 0,1 - 0,2 đơn vị/kg, ngày 1 lần"),
        ("liều insulatard", "trước khi ngủ"),
    ],
)
def test_the_members_own_dose_is_shown(question: str, text: str) -> None:
    outcome = _decide(question)
    assert isinstance(outcome, Selection)
    assert any(text in block.text for block in outcome.evidence)
