"""The routes of a question: what is retrieved for it, and how that is decided. One row for each kind of question."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from chat.candidates import decide_candidates
from chat.comparison import decide_comparison
from chat.decide import decide
from chat.domain import EvidenceBlock, QueryFrame, Stop, TurnType
from chat.dosing_route import beside_the_answer, decide_calculation, doubt_told
from chat.incompatibility import decide_mixing
from chat.interaction_route import decide_interaction
from chat.named_by import decide_named, is_asked_of_all
from chat.relations import decide_relation
from chat.retrieve import retrieve_evidence
from chat.retrieve_lists import retrieve_candidates, retrieve_compared, retrieve_mixing, retrieve_relation
from chat.retrieve_pairs import retrieve_interaction
from chat.selection import Selection
from monographs.names import Corpus

Evidence = tuple[EvidenceBlock, ...]


@dataclass(frozen=True, slots=True)
class Asking:
    """What a route decides on. streak: how often the asker was asked back in a row before this question."""

    frame: QueryFrame
    corpus: Corpus
    question: str
    streak: int = 0


_Decide = Callable[[Asking, Evidence], Selection | Stop]


@dataclass(frozen=True, slots=True)
class Path:
    """One route. retrieve reads the database; decide reads nothing but its values."""

    retrieve: Callable[[QueryFrame, Corpus], Evidence]
    decide: _Decide


def _plausibly(decide_route: _Decide) -> _Decide:
    """A route on which a weight or an age that hardly anyone has is asked about before any dose is shown."""

    def decide_plausibly(asking: Asking, evidence: Evidence) -> Selection | Stop:
        decided = decide_route(asking, evidence)
        return doubt_told(decided, asking.frame) or decided

    return decide_plausibly


def _decide_one(asking: Asking, evidence: Evidence) -> Selection | Stop:
    decided = decide(asking.frame, evidence, asking.question, clarify_streak=asking.streak)
    return beside_the_answer(decided, asking.frame, evidence)


def _decide_calculation(asking: Asking, evidence: Evidence) -> Selection | Stop:
    return decide_calculation(asking.frame, evidence, asking.question, clarify_streak=asking.streak)


def _decide_compared(asking: Asking, evidence: Evidence) -> Selection | Stop:
    return decide_comparison(asking.frame, asking.corpus, asking.question, evidence, asking.streak)


def _decide_candidates(asking: Asking, evidence: Evidence) -> Selection | Stop:
    return decide_candidates(asking.frame, asking.corpus, evidence)


def _decide_relation(asking: Asking, evidence: Evidence) -> Selection | Stop:
    if is_asked_of_all(asking.frame):
        return decide_named(asking.frame, asking.corpus, evidence)
    return decide_relation(asking.frame, asking.corpus, evidence)


def _decide_mixing(asking: Asking, evidence: Evidence) -> Selection | Stop:
    return decide_mixing(asking.frame, asking.corpus, asking.question, evidence, asking.streak)


def _decide_together(asking: Asking, evidence: Evidence) -> Selection | Stop:
    return decide_interaction(asking.frame, asking.corpus, evidence, asking.streak)


COMPARISON = Path(retrieve_compared, _plausibly(_decide_compared))
CANDIDATES = Path(retrieve_candidates, _plausibly(_decide_candidates))
RELATION = Path(retrieve_relation, _plausibly(_decide_relation))
MIXING = Path(retrieve_mixing, _plausibly(_decide_mixing))
ONE_DRUG = Path(retrieve_evidence, _plausibly(_decide_one))
PATHS: dict[TurnType, Path] = {
    TurnType.DRUG_ATTRIBUTE: ONE_DRUG,
    TurnType.DRUG_OVERVIEW: ONE_DRUG,
    TurnType.DOSING_CALC: Path(retrieve_evidence, _plausibly(_decide_calculation)),
    TurnType.DRUG_TO_CONDITION: ONE_DRUG,
    TurnType.INTERACTION: Path(retrieve_interaction, _plausibly(_decide_together)),
    TurnType.COMPARISON: COMPARISON,
    TurnType.CONDITION_TO_DRUG: CANDIDATES,
    TurnType.SYMPTOM_TO_DRUG: CANDIDATES,
    TurnType.CONDITION_RELATION: RELATION,
    TurnType.INCOMPATIBILITY: MIXING,
}


def path_of(frame: QueryFrame) -> Path | None:
    """The route of a frame, or None where its kind of question is not answered."""
    return PATHS.get(frame.turn_type)
