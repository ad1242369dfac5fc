"""judge(): every kind of fault, and wrong answers and refusals counted apart."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from chat.contract import Answer, Citation, Claim, EvidenceItem, ResolvedDrug, StatusReason
from chat.domain import Decision, Reason
from chat.evaluation import GoldenQuestion, Tally, add_verdict, judge, load_golden, report
from chat.outcomes import OUTCOMES
from monographs.domain import PassageKind, PassageState, SectionKey

_DOSE = "Người lớn: uống 0,5 - 1 g/lần; tối đa 4 g/ngày."
_LABELS = ("Người lớn", "Đường uống")


@dataclass(frozen=True, slots=True)
class Shown:
    """What a made-up answer shows: one claim, or with held one crop."""

    reason: Reason = Reason.VERIFIED
    drug: str = "paracetamol"
    section: SectionKey = SectionKey.LIEU_DUNG
    labels: tuple[str, ...] = _LABELS
    text: str = _DOSE
    boxes: int = 1


def _answer(shown: Shown) -> Answer:
    facts = OUTCOMES[shown.reason]
    citation = Citation(
        doc_id=shown.drug,
        chunk_id="1",
        passage_id=1,
        section=shown.section,
        section_heading="Liều lượng và cách dùng",
        section_url="/",
        drug_id=shown.drug,
        drug_name=shown.drug.capitalize(),
        labels=shown.labels,
        page_span=(10, 10),
        pdf_pages=(1,),
        regions=((1.0, 42.0, 100.0, 289.0, 112.0),) * shown.boxes,
        crop="/",
        state=PassageState.SERVED,
        kind=PassageKind.TEXT,
    )
    claims = (Claim(target=shown.drug, claim=shown.text, support=shown.text, citations=(citation,)),)
    held = EvidenceItem(
        chunk_id="1",
        drug_id=shown.drug,
        section=shown.section,
        labels=shown.labels,
        text="",
        state=PassageState.QUARANTINED,
        kind=PassageKind.TABLE,
        citation=citation,
    )
    return Answer(
        decision=facts.decision,
        reason=shown.reason,
        status=facts.status,
        status_reason=StatusReason(code=facts.code, verified=facts.decision is Decision.ANSWERABLE),
        query_type="drug_attribute",
        message="",
        claims=claims if facts.decision is Decision.ANSWERABLE else (),
        evidence=(held,) if facts.decision is Decision.VERIFY_PDF else (),
        resolved_drugs=(ResolvedDrug(drug_id=shown.drug, name=shown.drug.capitalize()),),
        disclaimer="x",
        trace_id="t",
    )


def _question(**fields: object) -> GoldenQuestion:
    values: dict[str, object] = {
        "id": "t-1",
        "category": "plain",
        "question": "liều paracetamol người lớn đường uống",
        "decision": Decision.ANSWERABLE,
        "reason": ("verified",),
        "drugs": ("paracetamol",),
        "sections": ("lieu_dung",),
        "labels": (_LABELS,),
        "must": ("tối đa 4 g/ngày",),
        "must_not": ("mg/kg",),
    }
    return GoldenQuestion.model_validate(values | fields)


def test_a_right_answer_has_no_fault() -> None:
    verdict = judge(_question(), _answer(Shown()))
    assert verdict.faults == () and verdict.decision_right and verdict.drug_right
    assert not verdict.answered_wrongly and not verdict.refused_wrongly


@pytest.mark.parametrize(
    ("shown", "fault"),
    [
        (Shown(drug="ibuprofen"), "drug ['ibuprofen'] for ['paracetamol']"),
        (Shown(section=SectionKey.ADR), "sections ['adr'] without ['lieu_dung']"),
        (Shown(labels=("Trẻ em",)), "no passage under Người lớn › Đường uống"),
        (Shown(labels=("Người lớn",)), "no passage under Người lớn › Đường uống"),
        (Shown(text="Người lớn: uống 0,5 - 1 g/lần."), "lacks 'tối đa 4 g/ngày'"),
        (Shown(text=f"{_DOSE} Trẻ em: 10 mg/kg."), "shows 'mg/kg'"),
    ],
    ids=["drug", "section", "other label", "label above", "must", "must not"],
)
def test_each_kind_of_fault_is_an_answer_gone_wrong(shown: Shown, fault: str) -> None:
    verdict = judge(_question(), _answer(shown))
    assert verdict.faults == (fault,)
    assert verdict.answered_wrongly and not verdict.refused_wrongly
    assert verdict.drug_right is (shown.drug == "paracetamol")


def test_faults_add_up() -> None:
    verdict = judge(_question(), _answer(Shown(drug="ibuprofen", section=SectionKey.ADR, labels=(), text="10 mg/kg")))
    assert len(verdict.faults) == 5


@pytest.mark.parametrize(
    "labels", [_LABELS, (*_LABELS, "Đau nhẹ")], ids=["the path itself", "a path below the one owed"]
)
def test_a_passage_below_the_owed_path_is_under_it(labels: tuple[str, ...]) -> None:
    assert judge(_question(), _answer(Shown(labels=labels))).faults == ()


@pytest.mark.parametrize("reason", [Reason.NEEDS_BRANCH, Reason.INSUFFICIENT_EVIDENCE, Reason.UNKNOWN_DRUG])
def test_an_owed_answer_that_is_asked_back_or_refused_is_refused_wrongly(reason: Reason) -> None:
    verdict = judge(_question(), _answer(Shown(reason=reason)))
    assert verdict.refused_wrongly and not verdict.answered_wrongly and not verdict.decision_right
    assert verdict.faults == ()


@pytest.mark.parametrize("decision", [Decision.CLARIFY, Decision.ABSTAIN])
def test_an_answer_that_was_not_owed_is_answered_wrongly_even_without_a_fault(decision: Decision) -> None:
    verdict = judge(_question(decision=decision, reason=()), _answer(Shown()))
    assert verdict.answered_wrongly and not verdict.refused_wrongly and not verdict.decision_right


def test_a_refusal_that_was_owed_is_right() -> None:
    question = _question(decision=Decision.CLARIFY, reason=("needs_branch",), sections=(), labels=(), must=())
    verdict = judge(question, _answer(Shown(reason=Reason.NEEDS_BRANCH)))
    assert verdict.decision_right and not verdict.answered_wrongly and not verdict.refused_wrongly


@pytest.mark.parametrize(
    ("reasons", "right"),
    [((), True), (("verified",), True), (("smalltalk", "verified"), True), (("smalltalk",), False)],
)
def test_the_reason_must_be_one_of_those_named(reasons: tuple[str, ...], *, right: bool) -> None:
    verdict = judge(_question(reason=reasons), _answer(Shown()))
    assert verdict.decision_right is right and not verdict.answered_wrongly


def test_a_crop_is_judged_by_where_it_is_and_not_by_its_words() -> None:
    question = _question(decision=Decision.VERIFY_PDF, reason=("source_quarantined",))
    held = judge(question, _answer(Shown(reason=Reason.SOURCE_QUARANTINED)))
    assert held.decision_right and held.faults == () and not held.answered_wrongly
    elsewhere = judge(question, _answer(Shown(reason=Reason.SOURCE_QUARANTINED, labels=("Trẻ em",))))
    assert elsewhere.answered_wrongly


def _tally(*pairs: tuple[GoldenQuestion, Answer]) -> Tally:
    tally = Tally()
    for question, answer in pairs:
        add_verdict(tally, judge(question, answer), answer)
    return tally


def test_a_tally_counts_wrong_and_refused_apart() -> None:
    tally = _tally(
        (_question(), _answer(Shown())),
        (_question(), _answer(Shown(drug="ibuprofen"))),
        (_question(category="renal"), _answer(Shown(reason=Reason.NEEDS_BRANCH))),
        (_question(decision=Decision.ABSTAIN, reason=(), drugs=()), _answer(Shown(boxes=0))),
    )
    assert (tally.asked, tally.decision_right, tally.owed_an_answer) == (4, 2, 3)
    assert (tally.answered_wrongly, tally.refused_wrongly) == (2, 1)
    assert (tally.drug_named, tally.drug_right) == (3, 2)
    assert (tally.claims, tally.cited_claims, tally.located) == (3, 3, 2)
    assert tally.by_category["renal"] == {"asked": 1, "decision": 0, "wrong": 0, "refused": 1}
    assert len(tally.failures) == 3


def test_the_report_states_both_and_every_category() -> None:
    text = report(
        "set", _tally((_question(), _answer(Shown())), (_question(category="renal"), _answer(Shown(text=""))))
    )
    assert "set: 2 questions" in text and "answered wrongly 1 (50.0 %)" in text
    assert "refused wrongly 0 (0.0 % of owed)" in text and "plain" in text and "renal" in text
    assert "0 questions" in report("none", Tally()) and "n/a" in report("none", Tally())


def test_a_golden_set_is_read_line_by_line(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    path.write_text(f"{_question().model_dump_json()}\n\n{_question(id='t-2').model_dump_json()}\n", "utf-8")
    assert [question.id for question in load_golden(path)] == ["t-1", "t-2"]


@pytest.mark.parametrize(
    "line",
    ["{", '{"id": "t-2"}', _question().model_dump_json()[:-1] + ', "mustnt": []}'],
    ids=["no JSON", "fields missing", "a field nobody reads"],
)
def test_a_line_that_is_no_question_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "set.jsonl"
    path.write_text(f"{_question().model_dump_json()}\n{line}\n", "utf-8")
    with pytest.raises(ValueError, match=r"set\.jsonl:2: "):
        load_golden(path)
