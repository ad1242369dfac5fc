"""What a patient is allergic to is a fact, and no drug asked about; it asks for what forbids the other one."""

from __future__ import annotations

import pytest

from chat.decide import decide, decide_frame
from chat.domain import QueryFrame, Reason, Stop, TurnType
from chat.selection import Selection
from chat.understand import understand
from monographs.domain import SectionKey
from monographs.text import fold
from tests.chat.faults import fault
from tests.sample_corpus import sample_corpus
from tests.sample_evidence import sample_evidence


def _understand(question: str) -> QueryFrame:
    return understand(question, sample_corpus())


def _decide(question: str) -> Selection | Stop:
    frame = _understand(question)
    stop = decide_frame(frame, sample_corpus())
    if stop is not None:
        return stop
    evidence = tuple(b for b in sample_evidence() if b.drug.drug_id == frame.drugs[0].drug_id)
    return decide(frame, evidence, question)


ALLERGIC = [
    ("dị ứng aspirin, dùng ibuprofen được không", "ibuprofen", "aspirin"),
    ("dị ứng với aspirin dùng ibuprofen được không", "ibuprofen", "aspirin"),
    ("dị ứng thuốc aspirin thì uống ibuprofen được không", "ibuprofen", "aspirin"),
    ("ibuprofen cho người dị ứng aspirin", "ibuprofen", "aspirin"),
    ("ibuprofen có dùng được cho người dị ứng aspirin không", "ibuprofen", "aspirin"),
    ("người có tiền sử dị ứng với ceftriaxon dùng amoxicilin được không", "amoxicilin", "ceftriaxon"),
    ("bé dị ứng amoxicilin, ceftriaxon dùng được không", "ceftriaxon", "amoxicilin"),
    ("dị ứng nặng với ceftriaxon thì dùng amoxicilin được không", "amoxicilin", "ceftriaxon"),
    ("dị ứng thuốc cefalexin, dùng ceftriaxon được không", "ceftriaxon", "cefalexin"),
]


@pytest.mark.parametrize(
    ("question", "drug", "allergy"),
    [
        *ALLERGIC,
        ("quá mẫn aspirin, dùng ibuprofen được không", "ibuprofen", "aspirin"),
        ("phản vệ với ceftriaxon, dùng amoxicilin được không", "amoxicilin", "ceftriaxon"),
        ("tiền sử phản vệ ceftriaxon, dùng amoxicilin được không", "amoxicilin", "ceftriaxon"),
        fault(
            "dị ứng penicilin dùng amoxicilin được không",
            "amoxicilin",
            "penicilin",
            reason="a group that the book mentions is kept as an allergy only where no drug is named",
        ),
    ],
)
def test_only_the_other_drug_is_asked_about_and_what_forbids_it(question: str, drug: str, allergy: str) -> None:
    for typed in (question, fold(question)):
        frame = _understand(typed)
        assert [found.drug_id for found in frame.drugs] == [drug]
        assert frame.allergies == (allergy,) and frame.unknown_drugs == ()
        assert frame.attribute is SectionKey.CHONG_CHI_DINH and frame.turn_type is TurnType.DRUG_ATTRIBUTE


@pytest.mark.xfail(strict=True, reason="of two names behind `dị ứng` the second is read as asked about")
def test_several_allergies_are_none_of_them_asked_about() -> None:
    frame = _understand("dị ứng aspirin và ibuprofen, dùng paracetamol được không")
    assert [drug.drug_id for drug in frame.drugs] == ["paracetamol"]
    assert set(frame.allergies) == {"aspirin", "ibuprofen"}


@pytest.mark.parametrize(
    "question",
    [
        "dị ứng penicilin dùng amoxicilin được không",
        "di ung penicilin dung amoxicilin duoc khong",
        "bị dị ứng penicilin uống amoxicilin được không",
        "sốc với penicilin dùng amoxicilin được không",
        "dị ứng hải sản dùng amoxicilin được không",
        "amoxicilin cho người quá mẫn beta-lactam",
    ],
)
def test_an_allergy_to_a_group_or_to_anything_asks_for_what_forbids_the_drug(question: str) -> None:
    frame = _understand(question)
    assert [drug.drug_id for drug in frame.drugs] == ["amoxicilin"]
    assert frame.attribute is SectionKey.CHONG_CHI_DINH


@pytest.mark.parametrize("question", ["dị ứng penicilin", "di ung penicilin", "bị dị ứng với penicilin"])
def test_an_allergy_alone_asks_which_drug_is_meant(question: str) -> None:
    frame = _understand(question)
    assert frame.drugs == () and frame.unknown_drugs == ()
    assert frame.allergies == ("penicilin",) and frame.attribute is SectionKey.CHONG_CHI_DINH
    stop = _decide(question)
    assert isinstance(stop, Stop) and stop.reason is Reason.NEEDS_DRUG


@pytest.mark.parametrize("question", ["dị ứng aspirin", "di ung aspirin", "bị dị ứng với aspirin"])
def test_an_allergy_to_the_one_drug_named_asks_about_that_drug(question: str) -> None:
    frame = _understand(question)
    assert [drug.drug_id for drug in frame.drugs] == ["aspirin"] and frame.allergies == ()
    assert frame.attribute is SectionKey.CHONG_CHI_DINH


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("dị ứng aspirin, dùng ibuprofen được không", "phù mạch hoặc mày đay do aspirin"),
        ("di ung aspirin, dung ibuprofen duoc khong", "phù mạch hoặc mày đay do aspirin"),
        ("dị ứng penicilin dùng amoxicilin được không", "Quá mẫn với penicilin."),
        ("dị ứng penicilin dùng ceftriaxon được không", "phản ứng tức thì nặng với penicilin"),
        ("dị ứng aspirin", "Quá mẫn với aspirin"),
    ],
)
def test_what_forbids_the_drug_is_shown_whole(question: str, text: str) -> None:
    outcome = _decide(question)
    assert isinstance(outcome, Selection)
    assert {block.section for block in outcome.evidence} == {SectionKey.CHONG_CHI_DINH}
    assert any(text in block.text for block in outcome.evidence)
    drug = outcome.evidence[0].drug
    printed = [b for b in sample_evidence() if b.drug == drug and b.section is SectionKey.CHONG_CHI_DINH]
    assert list(outcome.evidence) == printed


@pytest.mark.xfail(
    strict=True,
    reason="`dị ứng` is a term, said to be missing (bare: `ung`) beside the very contraindication that answers",
)
@pytest.mark.parametrize(
    "question", ["dị ứng aspirin, dùng ibuprofen được không", "di ung aspirin, dung ibuprofen dc ko"]
)
def test_the_allergy_is_not_said_to_be_missing_beside_its_contraindication(question: str) -> None:
    outcome = _decide(question)
    assert isinstance(outcome, Selection) and outcome.missing == ()


@pytest.mark.parametrize(
    ("question", "section"),
    [
        ("tiền sử dị ứng paracetamol, liều ibuprofen người lớn", SectionKey.LIEU_DUNG),
        ("dị ứng aspirin, tác dụng phụ của ibuprofen", SectionKey.ADR),
        ("dị ứng aspirin, chỉ định của ibuprofen", SectionKey.CHI_DINH),
    ],
)
def test_a_section_that_is_named_goes_before_it(question: str, section: SectionKey) -> None:
    frame = _understand(question)
    assert frame.attribute is section and len(frame.drugs) == len(frame.allergies) == 1


@pytest.mark.parametrize(
    ("question", "drugs"),
    [
        ("warfarin dùng chung với ibuprofen được không", ["warfarin", "ibuprofen"]),
        ("clorpheniramin trị dị ứng liều", ["clorpheniramin"]),
        ("viêm mũi dị ứng dùng clorpheniramin", ["clorpheniramin"]),
        ("ibuprofen hay aspirin dễ dị ứng hơn", ["ibuprofen", "aspirin"]),
        ("không dị ứng penicilin, bạch hầu dùng thuốc gì", []),
        ("chưa từng dị ứng penicilin, bạch hầu dùng thuốc gì", []),
        ("ko bị dị ứng penicilin, bạch hầu dùng thuốc gì", []),
    ],
)
def test_without_a_name_behind_the_word_there_is_no_allergy(question: str, drugs: list[str]) -> None:
    frame = _understand(question)
    assert [drug.drug_id for drug in frame.drugs] == drugs and frame.allergies == ()


@pytest.mark.parametrize(
    "question",
    [
        "viêm mũi dị ứng dùng clorpheniramin",
        fault("amoxicilin gây dị ứng không", reason="`gây dị ứng` asks for contraindications"),
        "prednisolon cho viêm da dị ứng",
    ],
)
def test_an_allergy_that_is_treated_or_feared_is_no_contraindication(question: str) -> None:
    assert _understand(question).attribute is not SectionKey.CHONG_CHI_DINH
