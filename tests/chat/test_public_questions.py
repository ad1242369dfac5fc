"""Questions that people asked elsewhere, through the pipeline on the sample: nothing breaks, no word is a drug."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from django.db import transaction
from pytest_django import DjangoDbBlocker

from chat.answer import answer_question
from chat.contract import Answer
from chat.domain import Decision, QueryFrame, Reason, TurnType
from chat.masking import mask_personal_data
from chat.outcomes import OUTCOMES
from chat.pair_subjects import members_read
from chat.question import clean_question
from monographs.text import fold
from tests.paths import SHARED, needs_shared
from tests.sample_corpus import sample_corpus
from tests.sample_edition import publish_sample

# The first has the test database made; the fixture below fills it once.
pytestmark = [pytest.mark.django_db, pytest.mark.slow, needs_shared]

NO_MEDICINE = {"safety_off_topic", "safety_prompt_injection"}


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of the sets as it went in, and what came out."""

    kind: str
    question: str
    answer: Answer
    frame: QueryFrame | None

    @property
    def names(self) -> list[str]:
        """What was taken for names of drugs of the book, folded."""
        spans = self.frame.raw.get("spans", []) if self.frame else []
        assert isinstance(spans, list)
        return [fold(str(span)) for span in spans]


@pytest.fixture(scope="module")
def asked(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> list[Asked]:
    """All of them, as typed and without accents, on the whole sample; nothing stays in the database."""
    with django_db_blocker.unblock(), transaction.atomic():
        publish_sample(())
        found = list(_ask_all())
        transaction.set_rollback(True)
    return found


def _ask_all() -> Iterator[Asked]:
    for line in (SHARED / "eval" / "questions.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        for typed in (row["question"], fold(row["question"])):
            answered = answer_question(mask_personal_data(clean_question(typed)), trace_id="test")
            yield Asked(row["kind"], typed, answered.answer, answered.frame)


# Looked at one by one in their questions: each is the name of a drug there. What is new here wants the same look.
NAMES_OF_DRUGS = frozenset({
    "acc", "acetylcystein", "adagrin", "adalat la", "advil", "agifuros", "aldactone", "amlodipin", "amlodipine",
    "amlor", "amoxicillin", "amoxycilin", "aspegic", "aspirin", "aspirin ph8", "atorvastatin", "augmentin",
    "berlthyrox", "brufen", "calci gluconat", "cardilopin", "ciprobay", "ciprofloxacin", "claminat", "clorpheniramin",
    "clorpromazin", "curam", "diazepam", "digoxin", "fluconazol", "fluconazole", "furosemide", "gentamycin",
    "ibuprofen", "insulin", "levothyrox", "metformin", "methotrexat", "methotrexate", "metronidazol", "morphin",
    "morphine", "nystatin", "omeprazole", "panadol", "paracetamol", "prednisolon", "prednisolone", "salbutamol",
    "sildenafil", "statin", "tylenol", "warfarin",
})  # fmt: skip
BROKEN = {
    Reason.INTERNAL_ERROR,
    Reason.NO_EDITION,
    Reason.UNDERSTANDING_MALFORMED_OUTPUT,
    Reason.UNDERSTANDING_PROVIDER_UNAVAILABLE,
}


def test_every_outcome_is_typed(asked: list[Asked]) -> None:
    assert len(asked) >= 2 * 1500
    for one in asked:
        facts = OUTCOMES[one.answer.reason]
        assert one.answer.decision is facts.decision and one.answer.reason not in BROKEN, one.question
        assert bool(one.answer.claims) <= (one.answer.decision is Decision.ANSWERABLE), one.question


def test_no_ordinary_word_is_taken_for_a_drug(asked: list[Asked], capsys: pytest.CaptureFixture[str]) -> None:
    counts = Counter(name for one in asked for name in one.names)
    reasons = Counter(f"{one.answer.decision.value}/{one.answer.reason.value}" for one in asked)
    with capsys.disabled():
        print(f"\n{len(asked)} public questions: " + ", ".join(f"{r} {n}" for r, n in reasons.most_common()))
        print("resolved: " + ", ".join(f"{name} {number}" for name, number in counts.most_common()))
    assert set(counts) - NAMES_OF_DRUGS == set()


def test_without_accents_the_same_names_are_found(asked: list[Asked]) -> None:
    pairs = zip(asked[::2], asked[1::2], strict=True)
    assert [(typed.question, bare.names) for typed, bare in pairs if typed.names != bare.names] == []


def test_what_is_quoted_is_about_a_drug_the_question_names(asked: list[Asked]) -> None:
    for one in asked:
        if one.answer.claims and one.frame is not None and one.frame.turn_type is TurnType.CONDITION_TO_DRUG:
            candidates = {candidate.drug_id for candidate in one.answer.candidate_assessments}
            assert one.frame.drugs == () and {block.drug_id for block in one.answer.blocks} <= candidates, one.question
        elif one.answer.claims:
            assert one.frame is not None and one.names, one.question
            # Of a class that is named its members' own monographs are read.
            members = members_read(one.frame, sample_corpus())
            named = {drug.drug_id for drug in (*one.frame.drugs, *members)}
            assert {block.drug_id for block in one.answer.blocks} <= named, one.question


def test_what_is_no_question_about_medicines_is_never_answered(asked: list[Asked]) -> None:
    beside = [one for one in asked if one.kind in NO_MEDICINE]
    assert beside
    assert [one.question for one in beside if one.answer.decision is Decision.ANSWERABLE or one.answer.claims] == []
