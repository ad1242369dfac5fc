"""Which monographs name something that has none: by whatever words it is asked, never by words that only look so."""

from __future__ import annotations

import pytest

from chat.decide import decide_frame
from chat.domain import Reason, Relation, Stop, TurnType
from chat.named_by import NOTE, asked_of_all, decide_named
from chat.selection import Selection
from monographs.domain import SectionKey
from tests.chat.asking import corpus, drugs_shown, frame_of, related


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("những thuốc nào tương tác với lithi", "lithi"),
        ("cac thuoc lam tang nong do lithi trong mau", "lithi"),
        ("thuốc nào làm giảm thải trừ methotrexate", "methotrexate"),
        ("thuốc nào làm giảm tác dụng thuốc tránh thai", "Thuốc tránh thai"),
        ("thuốc nào tương tác với rượu", "Rượu"),
        ("thuoc nao khong duoc uong chung voi ruou", "Rượu"),
        ("thuốc nào kỵ với sữa", "Sữa"),
        ("thuốc nào kiêng rượu", "Rượu"),
        ("liệt kê thuốc tương tác với macrolid", "Kháng sinh macrolid"),
        ("thuoc tuong tac voi theophylin", "theophylin"),
        ("hội chứng Raynaud có thuốc nào trong sách", ""),
        ("hoi chung zollinger ellison dung thuoc gi", ""),
        ("chủng pseudomonas dùng thuốc gì", ""),
        ("mà anh này tối nào cũng nhậu bia rượu, thuốc nào trị", ""),
        ("thuốc nào chống chỉ định ở người nghiện rượu", ""),
        ("thuốc nào làm tăng huyết áp", ""),
        ("thuốc nào dùng được cho bà bầu đang uống sắt", ""),
        ("tương tác với rượu", ""),
    ],
)
def test_what_all_monographs_are_asked_about(question: str, asked: str) -> None:
    assert asked_of_all(question) == asked


@pytest.mark.parametrize(
    ("question", "drugs", "others"),
    [
        ("thuốc nào làm tăng nồng độ lithi", ["enalapril", "furosemid", "ibuprofen", "losartan"], ["salbutamol"]),
        ("thuoc nao khong uong chung voi sua", ["ciprofloxacin"], ["amlodipin"]),
        ("những thuốc nào tương tác với rượu", ["metformin", "diazepam"], ["levothyroxin"]),
        # By a member of the class, and by the class where a member is asked for.
        ("thuốc nào tương tác với kháng sinh macrolid", ["digoxin"], []),
        ("thuốc nào tương tác với erythromycin", ["digoxin"], []),
    ],
)
def test_every_interaction_that_names_it_is_shown_and_nothing_else(
    question: str, drugs: list[str], others: list[str]
) -> None:
    frame, found = frame_of(question), related(question)
    assert (frame.turn_type, frame.condition_relation) == (TurnType.CONDITION_RELATION, Relation.INTERACTION)
    assert isinstance(found, Selection)
    assert {block.section for block in found.evidence} == {SectionKey.TUONG_TAC}
    assert set(drugs) <= set(drugs_shown(found))
    assert not set(others) & set(drugs_shown(found))
    assert found.note == NOTE


def test_a_name_that_stands_nowhere_in_the_book_stays_unknown() -> None:
    frame = frame_of("những thuốc nào tương tác với solriamfetol")
    stop = decide_frame(frame, corpus())
    assert stop is not None
    assert stop.reason is Reason.UNKNOWN_DRUG


def test_what_no_interaction_names_is_not_found() -> None:
    frame = frame_of("những thuốc nào tương tác với lithi")
    stop = decide_named(frame, corpus(), ())
    assert isinstance(stop, Stop)
    assert stop.reason is Reason.INSUFFICIENT_EVIDENCE
    assert "lithi (mục Tương tác thuốc)" in stop.detail["terms"]
