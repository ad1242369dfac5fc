"""Summary on and off over the whole sample: whatever a model writes, claims and citations are the same."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from uuid import uuid4

import pytest
from django.db import transaction
from pytest_django import DjangoDbBlocker

from chat.answer import Answered, Prior, answer_question
from chat.contract import Answer
from chat.domain import Decision, Reason
from chat.evaluation import GoldenQuestion, load_golden
from chat.llm.domain import Prompt, Purpose
from chat.masking import mask_personal_data
from chat.prior import offered_labels
from chat.question import clean_question
from chat.summarise import Summariser
from chat.ways import Ways
from tests.fakes import ScriptedModel
from tests.paths import ROOT
from tests.sample_edition import publish_sample_pdf

pytestmark = [pytest.mark.slow, pytest.mark.django_db]
TUNED = ROOT / "tests" / "golden" / "tuned.jsonl"
# What a summary may change.
OURS = {"summary", "answer_text", "summary_status"}
_PASSAGE = re.compile(r"<<<DOAN>>>\n(?:\(mã: (?P<id>[^;]+);.*\)\n)(?P<text>[^<]+)\n<<</DOAN>>>")
Payload = Mapping[str, object]


def told(prompt: Prompt) -> list[tuple[str, str]]:
    """(id, text) of each claim in the prompt that cites one passage."""
    return [(found["id"], found["text"]) for found in _PASSAGE.finditer(prompt.user)]


def sentences(*said: tuple[str, list[str]]) -> Payload:
    return {"sentences": [{"text": text, "used_chunk_ids": ids} for text, ids in said]}


def as_printed(prompt: Prompt) -> Payload:
    """A model that only copies."""
    return sentences(*((text, [key]) for key, text in told(prompt)))


def first_only(prompt: Prompt) -> Payload:
    """One that leaves out all but the first claim."""
    return sentences(*((text, [key]) for key, text in told(prompt)[:1]))


def invented(prompt: Prompt) -> Payload:
    """One that copies, and adds an indication."""
    return sentences(*((f"{text} Chữa khỏi ung thư.", [key]) for key, text in told(prompt)))


def tenfold(prompt: Prompt) -> Payload:
    """One that puts a nought behind every number, and has one where print has none."""
    grown = ((re.sub(r"\d+", lambda found: found.group() + "0", text), text, key) for key, text in told(prompt))
    return sentences(*((f"{text} 70 mg." if text == before else text, [key]) for text, before, key in grown))


def crossed(prompt: Prompt) -> Payload:
    """One that cites each claim with the passage of another; with one that there is not where there is one claim."""
    keys = [key for key, _ in told(prompt)]
    others = keys[1:] + keys[:1] if len(keys) > 1 else ["0" * 32]
    return sentences(*((text, [other]) for (_, text), other in zip(told(prompt), others, strict=True)))


def foreign(prompt: Prompt) -> Payload:
    """One that cites what it has made up."""
    return sentences(*((text, ["0" * 32]) for _, text in told(prompt)))


MODELS: tuple[Callable[[Prompt], Payload], ...] = (as_printed, first_only, invented, tenfold, crossed, foreign)


@dataclass(slots=True)
class Seen:
    """What came of all questions. differences: of a summarised answer from the same without."""

    asked: int = 0
    answered: int = 0
    used: Counter[str] = field(default_factory=Counter)
    reasons: dict[str, Counter[str]] = field(default_factory=dict)
    differences: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def seen(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Seen:
    """Every tuned question, each answered without and with a summary."""
    found = Seen(reasons={model.__name__: Counter() for model in MODELS})
    with django_db_blocker.unblock(), transaction.atomic():
        publish_sample_pdf()
        for number, question in enumerate(load_golden(TUNED)):
            _look(question, MODELS[number % len(MODELS)], found)
        transaction.set_rollback(True)
    return found


def _look(question: GoldenQuestion, model: Callable[[Prompt], Payload], seen: Seen) -> None:
    trace_id = str(uuid4())
    prior = _prior(question)
    text = mask_personal_data(clean_question(question.question))
    before = answer_question(text, trace_id=trace_id, prior=prior).answer
    scripted = ScriptedModel({Purpose.SUMMARY: model})
    ways = Ways(summariser=Summariser("scripted", {"scripted": scripted}))
    answered = answer_question(text, trace_id=trace_id, prior=prior, ways=ways)
    seen.asked += 1
    seen.differences += [f"{question.id}: {what}" for what in _differences(before, answered, scripted)]
    status = answered.answer.summary_status
    if status is not None:
        seen.answered += 1
        seen.used[model.__name__] += status.used
        seen.reasons[model.__name__][status.fallback_reason.partition(":")[0]] += 1


def _prior(question: GoldenQuestion) -> Prior:
    prior, streak = Prior(), 0
    for line in question.history:
        answered = answer_question(mask_personal_data(clean_question(line)), trace_id="before", prior=prior)
        clarified = answered.answer.decision is Decision.CLARIFY
        streak = streak + 1 if clarified else 0
        prior = Prior(answered.frame, clarified, streak, offered_labels(answered.answer))
    return prior


def _differences(before: Answer, answered: Answered, model: ScriptedModel) -> list[str]:
    after, status = answered.answer, answered.answer.summary_status
    found = []
    if after.model_dump(exclude=OURS) != before.model_dump(exclude=OURS):
        found.append("more than the summary has changed")
    if (status is None) != (not before.claims):
        found.append("summarised though it is no answer, or not though it is one")
    if len(model.seen) != bool(before.claims):
        found.append(f"{len(model.seen)} calls")
    if [call.purpose for call in answered.trace.calls] != model.purposes():
        found.append("calls that are not kept")
    if (
        status is not None
        and not status.used
        and (after.summary, after.answer_text)
        != (
            before.summary,
            before.answer_text,
        )
    ):
        found.append("a text that is neither")
    return found


def test_nothing_but_the_summary_differs(seen: Seen) -> None:
    assert seen.differences == []
    assert seen.asked > 1000 and seen.answered > 700


def test_a_summary_in_the_words_of_the_book_is_used(seen: Seen) -> None:
    reasons = seen.reasons["as_printed"]
    print(f"\nused as printed: {seen.used['as_printed']}/{sum(reasons.values())}; {dict(reasons)}")
    assert seen.used["as_printed"] >= 0.9 * sum(reasons.values())


@pytest.mark.parametrize("model", [invented, tenfold, crossed, foreign])
def test_a_false_summary_is_never_used(seen: Seen, model: Callable[[Prompt], Payload]) -> None:
    reasons = seen.reasons[model.__name__]
    print(f"\n{model.__name__}: {dict(reasons)}")
    assert sum(reasons.values()) > 100
    assert seen.used[model.__name__] == 0


def test_what_is_left_out_of_a_list_of_warnings_is_noticed(seen: Seen) -> None:
    reasons = seen.reasons["first_only"]
    print(f"\nfirst_only: used {seen.used['first_only']}, {dict(reasons)}")
    assert reasons[Reason.INCOMPLETE_ANSWER] > 0
