"""The golden sets on the whole sample: figures that may only get better.

The floors leave a margin of a question or two below what was measured; raise them when the figures rise, never lower
them. language.jsonl holds the cases of the language description, three wordings each. untuned.jsonl was written before
the rules and is kept unread by those who change the code, so only its figures are printed. routes.jsonl holds the
questions about several drugs, about none, and about arithmetic, and routes_untuned.jsonl those of them that were kept
unread; four of its rows (r-108, r-135, r-137, r-149) have been read and mended since, so routes_unread.jsonl, written
later by someone who saw no code, is a measure beside it, and routes_sealed.jsonl another, written and adjudicated later
still. Of both no engineer has read a question; what they failed in was told in general words after their first reading.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from django.db import transaction
from pytest_django import DjangoDbBlocker

from chat.conversation import ask_in_order
from chat.domain import Decision
from chat.evaluation import Tally, add_verdict, judge, load_golden, report
from tests.paths import ROOT
from tests.sample_edition import publish_sample_pdf

pytestmark = pytest.mark.django_db  # has the test database made; the fixture below fills it once

_SETS = ("tuned", "language", "untuned", "routes", "routes_untuned", "routes_unread", "routes_sealed")
_SIZES = {
    "tuned": 1000,
    "language": 140,
    "untuned": 280,
    "routes": 1700,
    "routes_untuned": 68,
    "routes_unread": 75,
    "routes_sealed": 80,
}


@dataclass(frozen=True, slots=True)
class Floor:
    """Shares: wrong of all questions, refused of those owed an answer, the others of what they count."""

    wrong: float
    refused: float
    decision: float
    drug: float


FLOORS = {
    "tuned": Floor(wrong=0.001, refused=0.01, decision=0.985, drug=0.998),
    "language": Floor(wrong=0.0, refused=0.01, decision=0.99, drug=0.99),
    "untuned": Floor(wrong=0.0036, refused=0.015, decision=0.975, drug=0.995),
    "routes": Floor(wrong=0.0025, refused=0.01, decision=0.985, drug=0.98),
    "routes_untuned": Floor(wrong=0.015, refused=0.02, decision=0.97, drug=0.96),
    "routes_unread": Floor(wrong=0.014, refused=0.045, decision=0.93, drug=0.98),
    "routes_sealed": Floor(wrong=0.013, refused=0.014, decision=0.97, drug=0.97),
}


@pytest.fixture(scope="module")
def tallies(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> dict[str, Tally]:
    """Each set asked once on the whole sample; nothing of it stays in the database."""
    with django_db_blocker.unblock(), transaction.atomic():
        publish_sample_pdf()
        found = {name: _ask_all(name) for name in _SETS}
        transaction.set_rollback(True)
    return found


def _ask_all(name: str) -> Tally:
    tally = Tally()
    for question in load_golden(ROOT / "tests" / "golden" / f"{name}.jsonl"):
        answer = ask_in_order([*question.history, question.question])
        add_verdict(tally, judge(question, answer), answer)
    return tally


@pytest.mark.slow
@pytest.mark.parametrize("name", _SETS)
def test_the_golden_sets_do_not_get_worse(
    name: str, tallies: dict[str, Tally], capsys: pytest.CaptureFixture[str]
) -> None:
    tally, floor = tallies[name], FLOORS[name]
    with capsys.disabled():
        print("\n" + report(name, tally))
    assert tally.answered_wrongly / tally.asked <= floor.wrong
    assert tally.refused_wrongly / tally.owed_an_answer <= floor.refused
    assert tally.decision_right / tally.asked >= floor.decision
    assert tally.drug_right / tally.drug_named >= floor.drug


@pytest.mark.slow
@pytest.mark.parametrize("name", _SETS)
def test_every_claim_is_cited_with_its_place(name: str, tallies: dict[str, Tally]) -> None:
    tally = tallies[name]
    assert tally.claims == tally.cited_claims == tally.located > 0


@pytest.mark.parametrize("name", _SETS)
def test_the_sets_are_large_distinct_and_cover_every_decision(name: str) -> None:
    questions = load_golden(ROOT / "tests" / "golden" / f"{name}.jsonl")
    assert len({question.id for question in questions}) == len(questions) >= _SIZES[name]
    # Of those who asked for this set each question was owed an answer, or none.
    unasked = {Decision.CLARIFY} if name in {"routes_unread", "routes_sealed"} else set()
    assert {question.decision for question in questions} | {Decision.VERIFY_PDF} | unasked == set(Decision)
