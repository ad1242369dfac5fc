"""What a model could say of a question, for tests: just what a frame says, or anything at all."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from chat.domain import ContextAction, Population, QueryFrame, Relation, Route, TurnType
from chat.llm.domain import Budget, Purpose
from chat.prior import merge_prior
from chat.rewrites import rewrite_frame
from chat.understand import understand
from chat.understand_model import understand_with_model
from monographs.domain import SectionKey
from monographs.names import Corpus
from tests.fakes import Answer, ScriptedModel
from tests.paths import ROOT
from tests.sample_corpus import sample_corpus

BUDGET = Budget.of(10_000)


def model_of(answer: Answer) -> ScriptedModel:
    """A model that says this of every question."""
    return ScriptedModel({Purpose.UNDERSTAND: answer})


def understood(
    question: str, answer: Answer, *, before: QueryFrame | None = None, history: Sequence[str] = ()
) -> QueryFrame:
    """The frame of a question of the sample, where the model says this."""
    return understood_by(model_of(answer), question, before=before, history=history)


def understood_by(
    model: ScriptedModel, question: str, *, before: QueryFrame | None = None, history: Sequence[str] = ()
) -> QueryFrame:
    """The same of a model that remembers what it was asked."""
    return understand_with_model(question, sample_corpus(), model=model, budget=BUDGET, before=before, history=history)


def saying(frame: QueryFrame) -> dict[str, object]:
    """The payload of a model that reads just what the frame says."""
    return {
        "turn_type": frame.turn_type.value,
        "drugs": [drug.drug_id for drug in frame.drugs],
        "unknown_drugs": list(frame.unknown_drugs),
        "attribute": frame.attribute.value if frame.attribute else None,
        "also": [key.value for key in frame.also],
        "populations": sorted(frame.populations),
        "trimester": None,
        "weight_kg": float(frame.weight_kg) if frame.weight_kg else None,
        "age_text": frame.age_text or "",
        "condition_relation": frame.condition_relation.value if frame.condition_relation else None,
        "patient_context": {"allergies": list(frame.allergies)},
        "context_action": frame.context_action.value,
        "route": frame.route.value if frame.route else None,
        "section_overview": frame.section_overview,
        "depends_on_previous_turn": frame.depends_on_previous_turn,
        "needs_clarify": frame.needs_clarify is not None,
        "quick_replies": list(frame.quick_replies),
    }


def anything(rng: random.Random, corpus: Corpus) -> dict[str, object]:
    """A payload of the right shape that has nothing to do with any question."""
    ids = sorted(corpus.drugs)
    keys = [key.value for key in SectionKey]
    return {
        "turn_type": rng.choice([kind.value for kind in TurnType]),
        "drugs": rng.sample(ids, rng.randint(0, 4)),
        "unknown_drugs": rng.choice([[], ["thuốc lạ"], ["liều"], ["Xyzumab"]]),
        "attribute": rng.choice([*keys, None]),
        "also": rng.sample(keys, rng.randint(0, 3)),
        "populations": rng.sample([one.value for one in Population], rng.randint(0, 3)),
        "trimester": rng.choice([None, 1, 2, 3]),
        "weight_kg": rng.choice([None, 0.4, 3, 12, 70, 500]),
        "age_text": rng.choice(["", "3 tuổi", "80 tuổi"]),
        "condition_relation": rng.choice([None, *(one.value for one in Relation)]),
        "patient_context": {"allergies": rng.choice([[], ["penicilin"]]), "current_medicines": rng.sample(ids, 1)},
        "context_action": rng.choice([one.value for one in ContextAction]),
        "route": rng.choice([None, *(one.value for one in Route)]),
        "section_overview": rng.choice([True, False]),
        "depends_on_previous_turn": rng.choice([True, False]),
        "needs_clarify": rng.choice([True, False]),
        "quick_replies": ["Đúng", "Sai"],
    }


@cache
def tuned_turns() -> tuple[tuple[str, tuple[str, ...], QueryFrame | None], ...]:
    """Every question of the tuned set with the lines before it and the case that they leave, as the rules read it."""
    rows = (ROOT / "tests" / "golden" / "tuned.jsonl").read_text("utf-8").splitlines()
    return tuple(turn for row in rows for turn in _turns_of(json.loads(row)))


def _turns_of(row: Mapping[str, object]) -> Iterator[tuple[str, tuple[str, ...], QueryFrame | None]]:
    history = row["history"]
    lines = [*history, str(row["question"])] if isinstance(history, list) else [str(row["question"])]
    before: QueryFrame | None = None
    for at, line in enumerate(lines):
        yield line, tuple(lines[:at]), before
        frame = rewrite_frame(understand(line, sample_corpus()))
        before = merge_prior(frame, before, after_clarify=False)
