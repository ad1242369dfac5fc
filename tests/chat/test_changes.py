"""What differs between two answers to one question: told claim by claim, and nothing that only moved."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from chat.changes import Changes, compare_answers
from chat.contract import Answer, Claim
from chat.domain import Decision, Reason
from monographs.domain import SectionKey
from tests.factories import make_answer, make_edition, make_held_back, make_monograph, make_passage, make_section

pytestmark = pytest.mark.django_db
TEXTS = ("Uống sau ăn.", "Người lớn: 500 mg.", "Trẻ em: 10 mg/kg.")
NOTHING = Changes(other_edition=False, other_outcome=False, gone=(), new=())


@pytest.fixture
def answer() -> Answer:
    section = make_section(make_monograph(make_edition()), SectionKey.LIEU_DUNG)
    passages = [make_passage(section, text, labels=["Liều"]) for text in TEXTS]
    return make_answer(passages=[*passages, make_held_back(section)])


def with_claims(answer: Answer, *claims: Claim) -> Answer:
    return answer.model_copy(update={"claims": claims})


def changed(claim: Claim, **citation: object) -> Claim:
    """The claim with its citation changed."""
    first = claim.citations[0].model_copy(update=citation)
    return claim.model_copy(update={"citations": (first, *claim.citations[1:])})


def told(claims: tuple[Claim, ...]) -> list[str]:
    return [claim.claim for claim in claims]


def test_the_same_answer_differs_in_nothing(answer: Answer) -> None:
    later = answer.model_copy(update={"trace_id": "later", "correlation_id": "x"})
    assert compare_answers(answer, later) == NOTHING
    assert NOTHING.none


@pytest.mark.parametrize(
    "change",
    [
        {"page_span": (7, 8)},
        {"pdf_pages": (3,)},
        {"regions": ((3.0, 1.0, 1.0, 2.0, 2.0),)},
        {"passage_id": 1},
        {"chunk_id": "another"},
        {"section_url": "/elsewhere/"},
        {"section_heading": "LIỀU LƯỢNG"},
        {"drug_name": "Paracetamol (uống)"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_what_only_stands_elsewhere_is_no_change(answer: Answer, change: dict[str, object]) -> None:
    moved = with_claims(answer, *(changed(claim, **change) for claim in answer.claims))
    assert compare_answers(answer, moved).none


def test_another_order_is_no_change(answer: Answer) -> None:
    assert compare_answers(answer, with_claims(answer, *reversed(answer.claims))).none


@pytest.mark.parametrize(
    "change",
    [
        lambda claim: claim.model_copy(update={"claim": "Người lớn: 0,5 g."}),
        lambda claim: claim.model_copy(update={"claim": "Người lớn: 500 mg"}),
        lambda claim: changed(claim, labels=("Liều", "Người lớn")),
        lambda claim: changed(claim, labels=()),
        lambda claim: changed(claim, section=SectionKey.THAN_TRONG),
        lambda claim: changed(claim, drug_id="ibuprofen"),
    ],
    ids=["text", "a full stop", "labels", "no labels", "section", "drug"],
)
def test_claim_that_says_something_else_is_gone_and_new(answer: Answer, change: Callable[[Claim], Claim]) -> None:
    first, second, third = answer.claims
    after = with_claims(answer, first, change(second), third)
    found = compare_answers(answer, after)
    assert found == Changes(other_edition=False, other_outcome=False, gone=(second,), new=(after.claims[1],))
    assert not found.none


@pytest.mark.parametrize(
    ("before", "after", "gone", "new"),
    [
        ("012", "01", "2", ""),
        ("012", "", "012", ""),
        ("", "012", "", "012"),
        ("21", "0", "21", "0"),
        ("02", "10", "2", "1"),
        ("00", "0", "", ""),
        ("", "", "", ""),
    ],
)
def test_claims_that_only_one_of_them_makes_are_told_in_its_order(
    answer: Answer, before: str, after: str, gone: str, new: str
) -> None:
    earlier, later = (with_claims(answer, *(answer.claims[int(at)] for at in which)) for which in (before, after))
    found = compare_answers(earlier, later)
    assert told(found.gone) == [TEXTS[int(at)] for at in gone]
    assert told(found.new) == [TEXTS[int(at)] for at in new]
    assert found.none == (not gone and not new)


@pytest.mark.parametrize(
    ("after", "outcome"),
    [
        ({"reason": Reason.PARTIAL_QUARANTINED}, True),
        ({"decision": Decision.ABSTAIN, "reason": Reason.INTERNAL_ERROR}, True),
        ({"message": "Lời khác."}, False),
        ({"emergency": "Gọi 115."}, False),
    ],
    ids=["reason", "decision", "message", "notice"],
)
def test_another_outcome_is_one_of_decision_or_reason(answer: Answer, after: dict[str, object], outcome: bool) -> None:
    found = compare_answers(answer, answer.model_copy(update=after))
    assert (found.other_outcome, found.none) == (outcome, not outcome)


@pytest.mark.parametrize("version", ["another edition", "revised", "none before", "none after", "none"])
def test_another_edition_is_one_of_other_content(answer: Answer, version: str) -> None:
    assert answer.edition is not None
    without = answer.model_copy(update={"edition": None})
    revised, other = (
        answer.model_copy(update={"edition": answer.edition.model_copy(update={"corpus_version": content})})
        for content in (f"{answer.edition.id}.1", "999999.0")
    )
    before, after = {
        "another edition": (answer, other),
        "revised": (answer, revised),
        "none before": (without, answer),
        "none after": (answer, without),
        "none": (without, without),
    }[version]
    found = compare_answers(before, after)
    assert found.other_edition == (version != "none")
    assert found.none == (version == "none")
    assert found.gone == found.new == ()


def test_edition_that_was_only_renamed_is_the_same(answer: Answer) -> None:
    assert answer.edition is not None
    renamed = answer.edition.model_copy(update={"title": "Tên khác", "year": 2027})
    assert compare_answers(answer, answer.model_copy(update={"edition": renamed})).none
