"""How a question is answered: the whole order of a turn, from top to bottom."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial

from chat.compose import TurnContext, compose_answer, compose_stop
from chat.contract import Answer
from chat.decide import decide_frame
from chat.domain import DraftClaim, EvidenceBlock, QueryFrame, Reason, Stop, TurnType
from chat.draft import draft_extractive
from chat.either_way import settle_either_way
from chat.gates import EXTRACTIVE_GATES
from chat.policy import check_scope, emergency_notice
from chat.prior import chosen_label, merge_prior, of_edition
from chat.retrieve import retrieve_section, sections_of
from chat.rewrites import rewrite_frame
from chat.routes import Asking, path_of
from chat.selection import Selection
from chat.trace import Trace, checked, considered
from chat.understand import understand
from chat.verify import Check, VerifiedClaim, gate_name, verify_claims
from chat.versions import versions_of
from monographs.corpus import corpus_of, current_edition
from monographs.domain import DrugRef
from monographs.models import Edition
from monographs.names import Corpus


@dataclass(frozen=True, slots=True)
class Prior:
    """What the conversation brings along: the last turn's frame, whether it asked back, how often in a row, and the
    labels of the book that it offered to choose from."""

    frame: QueryFrame | None = None
    after_clarify: bool = False
    clarify_streak: int = 0
    offered: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer with what the audit keeps beside it; timings in milliseconds by stage."""

    answer: Answer
    frame: QueryFrame | None
    timings: dict[str, float]
    trace: Trace = field(default_factory=Trace)


OnStage = Callable[[str], None]


@dataclass(slots=True)
class _Clock:
    on_stage: OnStage
    timings: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        self.on_stage(name)
        start = time.perf_counter()
        try:
            yield
        finally:
            self.timings[name] = round((time.perf_counter() - start) * 1000, 2)


@dataclass(frozen=True, slots=True)
class _Verified:
    claims: tuple[VerifiedClaim, ...]
    selection: Selection


@dataclass(slots=True)
class _Seen:
    """What the stages handed on, for the trace; no stage reads it."""

    evidence: tuple[EvidenceBlock, ...] = ()
    drafts: tuple[DraftClaim, ...] = ()
    cited: tuple[EvidenceBlock, ...] = ()
    checks: list[Check] = field(default_factory=list)

    def trace(
        self, edition: Edition | None, frame: QueryFrame | None, chosen: Sequence[EvidenceBlock], *, ended_in: str
    ) -> Trace:
        return Trace(
            ended_in,
            considered(self.evidence, chosen),
            tuple(gate_name(gate) for gate in EXTRACTIVE_GATES) if self.drafts else (),
            checked(len(self.drafts), self.checks, self.cited),
            versions_of(edition, frame),
        )


def answer_question(
    question: str,
    *,
    trace_id: str,
    correlation_id: str = "",
    prior: Prior | None = None,
    on_stage: OnStage = lambda _name: None,
) -> Answered:
    """Answers a cleaned and masked question from the published edition. Reads the database, never writes.

    on_stage: told the name of each stage as it begins.
    """
    clock, seen = _Clock(on_stage), _Seen()
    edition = current_edition()
    context = TurnContext(edition, trace_id, correlation_id, emergency_notice(question))
    if edition is None:
        stop = Stop(Reason.NO_EDITION)
        return Answered(compose_stop(context, None, stop), None, clock.timings, seen.trace(None, None, (), ended_in=""))

    frame, outcome = _run(question, corpus_of(edition), prior or Prior(), clock, seen)

    ended_in = next(reversed(clock.timings))
    with clock.stage("compose"):
        if isinstance(outcome, Stop):
            sections = sections_of(frame.drugs[0]) if frame and len(frame.drugs) == 1 else ()
            answer, chosen = compose_stop(context, frame, outcome, sections), outcome.evidence
        else:
            answer = compose_answer(context, frame, claims=outcome.claims, selection=outcome.selection)
            chosen = outcome.selection.evidence
        return Answered(answer, frame, clock.timings, seen.trace(edition, frame, chosen, ended_in=ended_in))


def read_verbatim(
    drug_id: str, anchor: str, *, called: tuple[str, str], trace_id: str, correlation_id: str = ""
) -> Answered:
    """One section of one drug, whole, in the published edition: no selection, and no model. Reads, never writes.

    called: the drug and the section by their names, where the edition lacks them.
    """
    edition = current_edition()
    context = TurnContext(edition, trace_id, correlation_id)
    if edition is None:
        return Answered(compose_stop(context, None, Stop(Reason.NO_EDITION)), None, {})
    corpus = corpus_of(edition)
    drug = corpus.drugs.get(drug_id)
    if drug is None:
        return Answered(compose_stop(context, None, Stop(Reason.UNKNOWN_DRUG, {"terms": called[0]})), None, {})
    frame = QueryFrame(TurnType.DRUG_ATTRIBUTE, drugs=(drug,))
    seen = _Seen(retrieve_section(drug, anchor, edition_id=corpus.edition_id))
    evidence = seen.evidence
    outcome = _verified_section(drug, called[1], seen)
    trace = seen.trace(edition, frame, evidence, ended_in="verify" if seen.checks else "retrieve")
    if isinstance(outcome, Stop):
        return Answered(compose_stop(context, frame, outcome, sections_of(drug)), frame, {}, trace)
    frame = replace(frame, attribute=evidence[0].section)
    named = {"drug": drug.name, "section": evidence[0].section_heading}
    answer = compose_answer(context, frame, claims=outcome, selection=Selection(evidence), verbatim_of=named)
    return Answered(answer, frame, {}, trace)


def _verified_section(drug: DrugRef, heading: str, seen: _Seen) -> tuple[VerifiedClaim, ...] | Stop:
    evidence = seen.cited = seen.evidence
    if not evidence:
        return Stop(Reason.SECTION_NOT_IN_MONOGRAPH, {"drug": drug.name, "section": heading})
    if any(block.printed_page is None for block in evidence):
        return Stop(Reason.MISSING_PRINTED_PAGE)
    seen.drafts = draft_extractive(evidence)
    if not seen.drafts:
        return Stop(Reason.SOURCE_QUARANTINED, evidence=evidence)
    return verify_claims(seen.drafts, evidence, told=seen.checks.append)


def _understood(question: str, *, corpus: Corpus, before: QueryFrame | None, after_clarify: bool) -> QueryFrame:
    frame = rewrite_frame(understand(question, corpus))
    return merge_prior(frame, before, after_clarify=after_clarify)


def _run(
    question: str, corpus: Corpus, prior: Prior, clock: _Clock, seen: _Seen
) -> tuple[QueryFrame | None, Stop | _Verified]:
    with clock.stage("scope"):
        stop = check_scope(question)
    if stop:
        return None, stop

    with clock.stage("understand"):
        before = of_edition(prior.frame, corpus.drugs)
        frame = chosen_label(question, before, prior.offered)
        if frame is None:
            read = partial(_understood, corpus=corpus, before=before, after_clarify=prior.after_clarify)
            meant, frame = settle_either_way(question, read, corpus, streak=prior.clarify_streak)
        else:
            meant = frame

    stop, path = decide_frame(meant, corpus), path_of(meant)
    if stop or path is None:
        return frame, stop or Stop(Reason.UNSUPPORTED_QUESTION)

    with clock.stage("retrieve"):
        seen.evidence = path.retrieve(meant, corpus)

    with clock.stage("decide"):
        decided = path.decide(Asking(meant, corpus, question, prior.clarify_streak), seen.evidence)
    if isinstance(decided, Stop):
        return frame, decided

    with clock.stage("draft"):
        seen.drafts, seen.cited = draft_extractive(decided.evidence), decided.evidence

    with clock.stage("verify"):
        verified = verify_claims(seen.drafts, seen.cited, told=seen.checks.append)
    if isinstance(verified, Stop):
        return frame, verified
    return frame, _Verified(verified, decided)
