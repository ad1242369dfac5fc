"""How a question is answered: the whole order of a turn, from top to bottom."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from chat.compose import TurnContext, compose_answer, compose_stop
from chat.contract import Answer
from chat.decide import decide, decide_frame
from chat.domain import EvidenceBlock, QueryFrame, Reason, Stop, TurnType
from chat.draft import draft_extractive
from chat.policy import check_scope, emergency_notice
from chat.prior import chosen_label, merge_prior, of_edition
from chat.retrieve import retrieve_evidence, retrieve_section, sections_of
from chat.rewrites import rewrite_frame
from chat.selection import Selection
from chat.understand import understand
from chat.verify import VerifiedClaim, verify_claims
from monographs.corpus import corpus_of, current_edition
from monographs.domain import DrugRef
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
    clock = _Clock(on_stage)
    edition = current_edition()
    context = TurnContext(edition, trace_id, correlation_id, emergency_notice(question))
    if edition is None:
        return Answered(compose_stop(context, None, Stop(Reason.NO_EDITION)), None, clock.timings)

    frame, outcome = _run(question, corpus_of(edition), prior or Prior(), clock)

    with clock.stage("compose"):
        if isinstance(outcome, Stop):
            sections = sections_of(frame.drugs[0]) if frame and len(frame.drugs) == 1 else ()
            return Answered(compose_stop(context, frame, outcome, sections), frame, clock.timings)
        answer = compose_answer(context, frame, claims=outcome.claims, selection=outcome.selection)
        return Answered(answer, frame, clock.timings)


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
    evidence = retrieve_section(drug, anchor, edition_id=corpus.edition_id)
    outcome = _verified_section(drug, called[1], evidence)
    if isinstance(outcome, Stop):
        return Answered(compose_stop(context, frame, outcome, sections_of(drug)), frame, {})
    frame = replace(frame, attribute=evidence[0].section)
    named = {"drug": drug.name, "section": evidence[0].section_heading}
    answer = compose_answer(context, frame, claims=outcome, selection=Selection(evidence), verbatim_of=named)
    return Answered(answer, frame, {})


def _verified_section(
    drug: DrugRef, heading: str, evidence: tuple[EvidenceBlock, ...]
) -> tuple[VerifiedClaim, ...] | Stop:
    if not evidence:
        return Stop(Reason.SECTION_NOT_IN_MONOGRAPH, {"drug": drug.name, "section": heading})
    if any(block.printed_page is None for block in evidence):
        return Stop(Reason.MISSING_PRINTED_PAGE)
    drafts = draft_extractive(evidence)
    return verify_claims(drafts, evidence) if drafts else Stop(Reason.SOURCE_QUARANTINED, evidence=evidence)


def _run(question: str, corpus: Corpus, prior: Prior, clock: _Clock) -> tuple[QueryFrame | None, Stop | _Verified]:
    with clock.stage("scope"):
        stop = check_scope(question)
    if stop:
        return None, stop

    with clock.stage("understand"):
        before = of_edition(prior.frame, corpus.drugs)
        frame = chosen_label(question, before, prior.offered)
        if frame is None:
            frame = rewrite_frame(understand(question, corpus))
            frame = merge_prior(frame, before, after_clarify=prior.after_clarify)

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
