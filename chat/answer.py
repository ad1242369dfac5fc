"""How a question is answered: the whole order of a turn, from top to bottom."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from chat.compose import TurnContext, compose_answer, compose_stop
from chat.contract import Answer
from chat.decide import decide, decide_frame
from chat.domain import QueryFrame, Reason, Stop
from chat.draft import draft_extractive
from chat.policy import check_scope, emergency_notice
from chat.prior import merge_prior
from chat.retrieve import retrieve_evidence, sections_of
from chat.rewrites import rewrite_frame
from chat.selection import Selection
from chat.understand import understand
from chat.verify import VerifiedClaim, verify_claims
from monographs.corpus import corpus_of, current_edition
from monographs.names import Corpus


@dataclass(frozen=True, slots=True)
class Prior:
    """What the conversation brings along: the last turn's frame, whether it asked back, and how often in a row."""

    frame: QueryFrame | None = None
    after_clarify: bool = False
    clarify_streak: int = 0


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer with what the audit keeps beside it; timings in milliseconds by stage."""

    answer: Answer
    frame: QueryFrame | None
    timings: dict[str, float]


@dataclass(slots=True)
class _Clock:
    timings: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        try:
            yield
        finally:
            self.timings[name] = round((time.perf_counter() - start) * 1000, 2)


@dataclass(frozen=True, slots=True)
class _Verified:
    claims: tuple[VerifiedClaim, ...]
    selection: Selection


def answer_question(question: str, *, trace_id: str, correlation_id: str = "", prior: Prior | None = None) -> Answered:
    """Answers a cleaned and masked question from the published edition. Reads the database, never writes."""
    clock = _Clock()
    edition = current_edition()
    context = TurnContext(edition, trace_id, correlation_id, emergency_notice(question))
    if edition is None:
        return Answered(compose_stop(context, None, Stop(Reason.NO_EDITION)), None, clock.timings)

    frame, outcome = _run(question, corpus_of(edition), prior or Prior(), clock)

    with clock.stage("compose"):
        if isinstance(outcome, Stop):
            sections = sections_of(frame.drugs[0]) if frame and len(frame.drugs) == 1 else ()
            return Answered(compose_stop(context, frame, outcome, sections), frame, clock.timings)
        selection = outcome.selection
        answer = compose_answer(
            context,
            frame,
            claims=outcome.claims,
            evidence=selection.evidence,
            missing=selection.missing,
            ask=selection.ask,
        )
        return Answered(answer, frame, clock.timings)


def _run(question: str, corpus: Corpus, prior: Prior, clock: _Clock) -> tuple[QueryFrame | None, Stop | _Verified]:
    with clock.stage("scope"):
        stop = check_scope(question)
    if stop:
        return None, stop

    with clock.stage("understand"):
        frame = rewrite_frame(understand(question, corpus))
        frame = merge_prior(frame, prior.frame, after_clarify=prior.after_clarify)

    stop = decide_frame(frame, corpus)
    if stop:
        return frame, stop

    with clock.stage("retrieve"):
        evidence = retrieve_evidence(frame, corpus)

    with clock.stage("decide"):
        decided = decide(frame, evidence, question, clarify_streak=prior.clarify_streak)
    if isinstance(decided, Stop):
        return frame, decided

    with clock.stage("draft"):
        drafts = draft_extractive(decided.evidence)

    with clock.stage("verify"):
        verified = verify_claims(drafts, decided.evidence)
    if isinstance(verified, Stop):
        return frame, verified
    return frame, _Verified(verified, decided)
