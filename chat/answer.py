"""How a question is answered: the whole order of a turn, from top to bottom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from chat.compose import TurnContext, compose_answer, compose_stop
from chat.contract import Answer, AnswerPlan
from chat.decide import decide_frame
from chat.domain import DraftClaim, QueryFrame, Reason, Stop, TurnType
from chat.draft import draft_extractive
from chat.either_way import settle_either_way
from chat.frame_validation import valid_frame
from chat.gates import EXTRACTIVE_GATES
from chat.generation.bounds import gates_of
from chat.generation.completeness import Objection, find_objections
from chat.generation.draft import repair_draft, write_draft
from chat.generation.judge import judge_claims, refusal
from chat.generation.plan import plan_answer
from chat.generation.writing import Writing
from chat.llm.choose import usages_of
from chat.llm.domain import FAULT_REASONS, Budget, LanguageModel
from chat.policy import check_scope, emergency_notice
from chat.prior import chosen_label, merge_prior, of_edition
from chat.record import OnStage, Record
from chat.retrieve import retrieve_section, sections_of
from chat.rewrites import rewrite_frame
from chat.routes import Asking, path_of
from chat.selection import Selection
from chat.summarise import DISABLED, summarise
from chat.told_alone import ask_for_drugs
from chat.trace import Trace
from chat.understand import understand
from chat.understand_model import understand_with_model
from chat.verify import VerifiedClaim, verify_claims
from chat.ways import Ways
from monographs.corpus import corpus_of, current_edition
from monographs.domain import DrugRef
from monographs.names import Corpus
from monographs.provider_calls import collect_calls


@dataclass(frozen=True, slots=True)
class Prior:
    """What the conversation brings along: the last turn's frame, whether it asked back, how often in a row, the labels
    of the book that it offered to choose from, and the questions before this one, oldest first."""

    frame: QueryFrame | None = None
    after_clarify: bool = False
    clarify_streak: int = 0
    offered: tuple[str, ...] = ()
    history: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer with what the audit keeps beside it; timings in milliseconds by stage."""

    answer: Answer
    frame: QueryFrame | None
    timings: dict[str, float]
    trace: Trace = field(default_factory=Trace)


@dataclass(frozen=True, slots=True)
class Checked:
    """Claims that passed every check, and what they were made from; plan: of what a model wrote, None for quotes."""

    claims: tuple[VerifiedClaim, ...]
    writing: Writing
    plan: AnswerPlan | None = None


@dataclass(frozen=True, slots=True)
class Incomplete:
    """Claims that hold and leave something out."""

    objections: tuple[Objection, ...]


@dataclass(frozen=True, slots=True)
class _Turn:
    """What the stages of a turn ask and report to."""

    ways: Ways
    budget: Budget
    record: Record


def answer_question(
    question: str,
    *,
    trace_id: str,
    correlation_id: str = "",
    prior: Prior | None = None,
    ways: Ways | None = None,
    on_stage: OnStage = lambda _name: None,
) -> Answered:
    """Answers a cleaned and masked question from the published edition. Reads the database, never writes.

    ways: the models that take part, none where it is not given; on_stage: told the name of each stage as it begins;
    what it raises ends the turn.
    """
    ways, record = ways or Ways(), Record(on_stage)
    edition = current_edition()
    context = TurnContext(edition, trace_id, correlation_id, emergency_notice(question))
    if edition is None:
        stop = Stop(Reason.NO_EDITION)
        return Answered(compose_stop(context, None, stop), None, {}, record.trace(None, None, (), ended_in=""))

    turn = _Turn(ways.metered(record.calls), Budget.of(ways.seconds), record)
    with collect_calls(turn.budget.left) as searched:
        frame, outcome = _run(question, corpus_of(edition), prior or Prior(), turn)
    record.calls += usages_of(searched)
    ended_in = next(reversed(record.timings))

    with record.stage("compose"):
        answer = _composed(context, frame, outcome, record)
    if isinstance(outcome, Checked) and turn.ways.summariser.backend != DISABLED:
        with record.stage("summary"):
            answer = summarise(answer, outcome.writing, by=turn.ways.summariser, budget=turn.budget)
    chosen = outcome.writing.evidence if isinstance(outcome, Checked) else outcome.evidence or record.cited
    return Answered(answer, frame, record.timings, record.trace(edition, frame, chosen, ended_in=ended_in))


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
    record = Record(evidence=retrieve_section(drug, anchor, edition_id=corpus.edition_id))
    evidence = record.evidence
    outcome = _verified_section(drug, called[1], record)
    trace = record.trace(edition, frame, evidence, ended_in="verify" if record.checks else "retrieve")
    if isinstance(outcome, Stop):
        return Answered(compose_stop(context, frame, outcome, sections_of([drug])), frame, {}, trace)
    frame = replace(frame, attribute=evidence[0].section)
    named = {"drug": drug.name, "section": evidence[0].section_heading}
    answer = compose_answer(context, frame, claims=outcome, selection=Selection(evidence), verbatim_of=named)
    return Answered(answer, frame, {}, trace)


def _verified_section(drug: DrugRef, heading: str, record: Record) -> tuple[VerifiedClaim, ...] | Stop:
    evidence = record.evidence
    if not evidence:
        return Stop(Reason.SECTION_NOT_IN_MONOGRAPH, {"drug": drug.name, "section": heading})
    if any(block.printed_page is None for block in evidence):
        return Stop(Reason.MISSING_PRINTED_PAGE)
    drafts = draft_extractive(evidence)
    if not drafts:
        return Stop(Reason.SOURCE_QUARANTINED, evidence=evidence)
    record.drafted(drafts, evidence, EXTRACTIVE_GATES)
    return verify_claims(drafts, evidence, told=record.checks.append)


def _run(question: str, corpus: Corpus, prior: Prior, turn: _Turn) -> tuple[QueryFrame | None, Stop | Checked]:
    record = turn.record
    with record.stage("scope"):
        stop = check_scope(question)
    if stop:
        return None, stop

    with record.stage("understand"):
        before = of_edition(prior.frame, corpus.drugs)
        frame = chosen_label(question, before, prior.offered)
        if frame is None:
            read = partial(_understood, corpus=corpus, before=before, prior=prior, turn=turn)
            meant, frame = settle_either_way(question, read, corpus, streak=prior.clarify_streak)
        else:
            meant = frame

    stop, path = decide_frame(meant, corpus), path_of(meant)
    if stop or path is None:
        return frame, stop or Stop(Reason.UNSUPPORTED_QUESTION)

    with record.stage("retrieve"):
        record.evidence = path.retrieve(meant, corpus)

    with record.stage("decide"):
        decided = path.decide(Asking(meant, corpus, question, prior.clarify_streak), record.evidence)
    if isinstance(decided, Stop):
        return frame, decided

    writing = Writing(question, meant, decided, record.evidence, corpus.names, prior.clarify_streak)
    writer = turn.ways.writer
    return frame, quote(writing, record) if writer is None else write(writing, writer, turn.budget, record)


def quote(writing: Writing, record: Record) -> Stop | Checked:
    """Without a model: the book's own passages, through the gates."""
    with record.stage("draft"):
        drafts = draft_extractive(writing.evidence)
        record.drafted(drafts, writing.evidence, EXTRACTIVE_GATES)

    with record.stage("verify"):
        verified = verify_claims(drafts, writing.evidence, told=record.checks.append)
    return verified if isinstance(verified, Stop) else Checked(verified, writing)


def write(writing: Writing, writer: LanguageModel, budget: Budget, record: Record) -> Stop | Checked:
    """With a model: a draft through every check, once more where it left something out; else why there is none."""
    record.cited = writing.evidence
    with record.stage("draft"):
        drafts = write_draft(writing, writer, budget)
    if isinstance(drafts, Stop):
        return drafts
    checked = _check(drafts, writing, writer, budget, record)
    if not isinstance(checked, Incomplete):
        return checked

    with record.stage("repair"):
        record.left_out = tuple(objection.quote for objection in checked.objections)
        drafts = repair_draft(writing, checked.objections, writer, budget)
    return _repaired(drafts if isinstance(drafts, Stop) else _check(drafts, writing, writer, budget, record))


def _check(
    drafts: tuple[DraftClaim, ...], writing: Writing, writer: LanguageModel, budget: Budget, record: Record
) -> Stop | Checked | Incomplete:
    with record.stage("verify"):
        gates = gates_of(writing)
        record.drafted(drafts, writing.evidence, gates)
        verified = verify_claims(drafts, writing.evidence, gates, told=record.checks.append)
    if isinstance(verified, Stop):
        return verified

    with record.stage("judge"):
        judged = judge_claims(drafts, writing, writer, budget)
    if isinstance(judged, Stop):
        return judged
    record.judged(judged.entailed)
    refused = refusal(judged, drafts)
    if refused:
        return refused

    with record.stage("complete"):
        objections = find_objections(judged.missing, drafts, writing)
    return Incomplete(objections) if objections else Checked(_in_order(verified), writing, plan_answer(writing))


def _repaired(outcome: Stop | Checked | Incomplete) -> Stop | Checked:
    """A repair that fails a check leaves the answer incomplete; that a check did not run is told as such."""
    if isinstance(outcome, Checked) or (isinstance(outcome, Stop) and outcome.reason in FAULT_REASONS.values()):
        return outcome
    return Stop(Reason.INCOMPLETE_ANSWER)


def _in_order(claims: Sequence[VerifiedClaim]) -> tuple[VerifiedClaim, ...]:
    """As the evidence is ordered: what forbids first, drugs as the book has them, whatever a model put first."""
    return tuple(sorted(claims, key=lambda claim: min(claim.citations)))


def _understood(question: str, *, corpus: Corpus, before: QueryFrame | None, prior: Prior, turn: _Turn) -> QueryFrame:
    model = turn.ways.understander
    if model is None:
        read = understand(question, corpus)
    else:
        read = understand_with_model(
            question, corpus, model=model, budget=turn.budget, before=before, history=prior.history
        )
    settle = partial(_settled, before=before, prior=prior)
    return ask_for_drugs(settle(read), lambda: settle(understand(question, corpus, asks_for_drugs=True)), corpus)


def _settled(read: QueryFrame, *, before: QueryFrame | None, prior: Prior) -> QueryFrame:
    return merge_prior(rewrite_frame(valid_frame(read)), before, after_clarify=prior.after_clarify)


def _composed(context: TurnContext, frame: QueryFrame | None, outcome: Stop | Checked, record: Record) -> Answer:
    if isinstance(outcome, Stop):
        # Of several drugs only where nothing was decided on that would say which of their sections are meant.
        all_named = frame is not None and (len(frame.drugs) == 1 or frame.system_error is not None)
        sections = sections_of(frame.drugs) if frame and all_named else ()
        return compose_stop(context, frame, outcome, sections, read_instead=record.cited)
    selection = outcome.writing.selection
    return compose_answer(context, frame, claims=outcome.claims, selection=selection, plan=outcome.plan)
