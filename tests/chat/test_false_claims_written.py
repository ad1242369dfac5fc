"""The false claims of the wording gates, now through the whole write path: beside the whole truth, past any judge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import pytest

from chat.answer import Checked, write
from chat.compose import TurnContext, compose_answer, compose_stop
from chat.contract import Answer
from chat.domain import DraftClaim, EvidenceBlock, QueryFrame, Reason, TurnType
from chat.generation.writing import Writing
from chat.llm.domain import Budget, Purpose
from chat.record import Record
from chat.selection import Selection
from monographs.domain import PassageKind
from tests.chat.independent import independent_claims
from tests.chat.mutations import MUTATIONS, false_claims
from tests.chat.scripted import Payload, draft, said, says_no, says_yes, writer
from tests.fakes import ScriptedModel
from tests.sample_corpus import sample_corpus
from tests.sample_evidence import sample_evidence

PASSAGES = [b for b in sample_evidence() if b.kind is PassageKind.TEXT and not b.is_label and b.text]
SOME_PASSAGES = PASSAGES[::3]
LEAST_FALSE = 600
# The checks that no claim came to where it should have been stopped before.
_LATER = {Reason.INCOMPLETE_ANSWER, Reason.INSUFFICIENT_EVIDENCE, Reason.MALFORMED_OUTPUT, Reason.PROVIDER_UNAVAILABLE}


def writing_of(evidence: Sequence[EvidenceBlock]) -> Writing:
    first = evidence[0]
    frame = QueryFrame(TurnType.DRUG_ATTRIBUTE, drugs=(first.drug,), attribute=first.section)
    return Writing(
        f"{first.drug.name} thì sao?", frame, Selection(tuple(evidence)), tuple(evidence), sample_corpus().names
    )


def written(writing: Writing, model: ScriptedModel) -> Answer:
    """The answer as a reader would get it."""
    outcome = write(writing, model, Budget.of(60), Record())
    context = TurnContext(None, "t")
    if isinstance(outcome, Checked):
        selection = outcome.writing.selection
        return compose_answer(context, writing.frame, claims=outcome.claims, selection=selection, plan=outcome.plan)
    return compose_stop(context, writing.frame, outcome)


def truth_and(writing: Writing, claim: DraftClaim | None) -> Payload:
    """A draft that copies every source, so that nothing is missing, and adds the claim."""
    numbers = {index: number for number, index in enumerate(writing.sources, start=1)}
    copies = [said(writing.evidence[index].text, number) for index, number in numbers.items()]
    added = [said(claim.text, *(numbers[index] for index in claim.citations))] if claim else []
    return draft(*copies, *added)


def all_false_claims() -> Iterator[tuple[str, DraftClaim, tuple[EvidenceBlock, ...]]]:
    """(class, claim, evidence): those made by mutation, and those of someone who had not seen the gates."""
    for false in false_claims(PASSAGES, per_class=40):
        yield f"mutated {false.kind}", false.claim, false.evidence
    for case in independent_claims():
        if not case.is_true:
            yield f"independent {case.kind}", case.claim, case.evidence


@pytest.mark.parametrize("judge", [says_yes, says_no], ids=["a judge that says yes", "a judge that says no"])
def test_no_false_claim_is_shown(judge: object, capsys: pytest.CaptureFixture[str]) -> None:
    made: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    shown, wrong = [], []
    for kind, claim, evidence in all_false_claims():
        writing = writing_of(evidence)
        model = writer(truth_and(writing, claim), judge, repair=truth_and(writing, claim))  # type: ignore[arg-type]
        answer = written(writing, model)
        made[kind] += 1
        reasons[answer.reason.value] += 1
        if answer.claims or answer.answer_text or answer.summary:
            shown.append((kind, claim.text))
        if answer.reason in _LATER or Purpose.JUDGE in model.purposes():
            wrong.append((kind, answer.reason.value, claim.text))
    with capsys.disabled():
        print(
            f"\nfalse claims through the write path: {made.total()}, shown {len(shown)}; {dict(reasons.most_common())}"
        )
    assert shown == []
    assert wrong == [], "stopped, but not by a gate"
    assert made.total() >= LEAST_FALSE and len(made) >= len(MUTATIONS)


def test_the_truth_passes_a_judge_that_says_yes() -> None:
    refused = {}
    for block in SOME_PASSAGES:
        writing = writing_of([block])
        answer = written(writing, writer(truth_and(writing, None)))
        if answer.reason is not Reason.VERIFIED or answer.claims[0].claim != block.text:
            refused[block.text] = answer.reason.value
    assert refused == {}


def test_a_judge_that_says_no_to_the_truth_is_what_the_reason_names() -> None:
    reasons: Counter[Reason] = Counter()
    for block in SOME_PASSAGES:
        writing = writing_of([block])
        model = writer(truth_and(writing, None), says_no)
        answer = written(writing, model)
        assert not answer.claims and not answer.answer_text
        assert model.purposes() == [Purpose.DRAFT, Purpose.JUDGE]
        reasons[answer.reason] += 1
    assert set(reasons) == {Reason.UNSUPPORTED_CLAIM} and reasons.total() >= LEAST_FALSE
