"""How well questions are answered: golden questions against what came out, wrong answers and refusals apart."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from chat.contract import Answer, Citation
from chat.domain import Decision
from chat.evaluation_findings import CalculationOwed, calculation_faults, candidate_faults, pair_faults

_SHOWS = {Decision.ANSWERABLE, Decision.VERIFY_PDF}


class GoldenQuestion(BaseModel):
    """One line of a golden set.

    labels: label paths that must be cited; must, must_not: substrings of what is shown; also: other outcomes, as
    (decision, reason), that are right as well; pairs, candidates, calculation: see chat/evaluation_findings.py.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    category: str
    history: tuple[str, ...] = ()
    question: str
    decision: Decision
    reason: tuple[str, ...] = ()
    drugs: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    labels: tuple[tuple[str, ...], ...] = ()
    must: tuple[str, ...] = ()
    must_not: tuple[str, ...] = ()
    also: tuple[tuple[Decision, str], ...] = ()
    pairs: tuple[tuple[str, str, str], ...] = ()
    candidates: dict[str, str] = Field(default_factory=dict)
    calculation: CalculationOwed | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was right of one answer, and what was wrong with it, in words."""

    question: GoldenQuestion
    decision_right: bool
    drug_right: bool
    answered_wrongly: bool
    refused_wrongly: bool
    faults: tuple[str, ...]


@dataclass(slots=True)
class Tally:
    """Counts over a set; failures: what to look at."""

    asked: int = 0
    decision_right: int = 0
    drug_named: int = 0
    drug_right: int = 0
    answered_wrongly: int = 0
    refused_wrongly: int = 0
    owed_an_answer: int = 0
    claims: int = 0
    cited_claims: int = 0
    located: int = 0
    by_category: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    failures: list[Verdict] = field(default_factory=list)


def load_golden(path: Path) -> list[GoldenQuestion]:
    """The questions of a set. Raises ValueError naming the line that is not one."""
    questions = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        if line.strip():
            try:
                questions.append(GoldenQuestion.model_validate(json.loads(line)))
            except ValueError as error:
                raise ValueError(f"{path.name}:{number}: {error}") from error
    return questions


def judge(question: GoldenQuestion, answer: Answer) -> Verdict:
    """Lays an answer beside what is owed."""
    as_owed = answer.decision is question.decision and (not question.reason or answer.reason in question.reason)
    otherwise = not as_owed and (answer.decision, answer.reason.value) in question.also
    faults = list(_shown_too_much(question, answer) if otherwise else _faults(question, answer))
    decision_right = as_owed or otherwise
    shown = answer.decision in _SHOWS
    owed = (answer.decision if otherwise else question.decision) in _SHOWS
    drug_right = set(question.drugs) <= {drug.drug_id for drug in answer.resolved_drugs}
    return Verdict(
        question=question,
        decision_right=decision_right,
        drug_right=drug_right,
        answered_wrongly=shown and (not owed or bool(faults)),
        refused_wrongly=owed and not shown,
        faults=tuple(faults if shown else ()),
    )


def add_verdict(tally: Tally, verdict: Verdict, answer: Answer) -> None:
    """Counts one verdict; claims are checked for citations and for places on the page."""
    category = tally.by_category[verdict.question.category]
    tally.asked += 1
    category["asked"] += 1
    tally.decision_right += verdict.decision_right
    category["decision"] += verdict.decision_right
    tally.answered_wrongly += verdict.answered_wrongly
    category["wrong"] += verdict.answered_wrongly
    tally.refused_wrongly += verdict.refused_wrongly
    category["refused"] += verdict.refused_wrongly
    tally.owed_an_answer += verdict.question.decision in _SHOWS
    if verdict.question.drugs:
        tally.drug_named += 1
        tally.drug_right += verdict.drug_right
    tally.claims += len(answer.claims)
    tally.cited_claims += sum(1 for claim in answer.claims if claim.citations)
    tally.located += sum(1 for claim in answer.claims if claim.citations and all(c.regions for c in claim.citations))
    if verdict.answered_wrongly or verdict.refused_wrongly or not verdict.decision_right:
        tally.failures.append(verdict)


def report(name: str, tally: Tally) -> str:
    """The figures of a set, by category."""
    lines = [
        f"{name}: {tally.asked} questions",
        f"  answered wrongly {tally.answered_wrongly} ({_share(tally.answered_wrongly, tally.asked)})",
        f"  refused wrongly {tally.refused_wrongly} ({_share(tally.refused_wrongly, tally.owed_an_answer)} of owed)",
        f"  decision and reason right {_share(tally.decision_right, tally.asked)}",
        f"  drug right {_share(tally.drug_right, tally.drug_named)} ({tally.drug_right}/{tally.drug_named})",
        f"  claims cited {_share(tally.cited_claims, tally.claims)}, with boxes {_share(tally.located, tally.claims)}",
    ]
    for category, counts in sorted(tally.by_category.items()):
        right = f"{counts['decision']:3}/{counts['asked']:<3}"
        lines.append(f"    {category:18} {right} wrong {counts['wrong']} refused {counts['refused']}")
    return "\n".join(lines)


def _faults(question: GoldenQuestion, answer: Answer) -> Iterable[str]:
    shown = "\n".join(claim.claim for claim in answer.claims)
    citations = list(_citations(answer))
    resolved = {drug.drug_id for drug in answer.resolved_drugs}
    if not set(question.drugs) <= resolved:
        yield f"drug {sorted(resolved)} for {list(question.drugs)}"
    sections = {citation.section.value for citation in citations}
    if set(question.sections) - sections:
        yield f"sections {sorted(sections)} without {sorted(set(question.sections) - sections)}"
    paths = {citation.labels for citation in citations}
    for labels in question.labels:
        if not any(path[: len(labels)] == labels for path in paths):
            yield f"no passage under {' › '.join(labels)}"
    if question.decision is Decision.ANSWERABLE:
        yield from (f"lacks {text!r}" for text in question.must if text not in shown)
    yield from _shown_too_much(question, answer)
    yield from pair_faults(question.pairs, answer, quoted=bool(question.must))
    yield from candidate_faults(question.candidates, answer)
    yield from calculation_faults(question.calculation, answer)


def _shown_too_much(question: GoldenQuestion, answer: Answer) -> Iterable[str]:
    shown = "\n".join(claim.claim for claim in answer.claims)
    yield from (f"shows {text!r}" for text in question.must_not if text in shown)


def _citations(answer: Answer) -> Iterable[Citation]:
    for claim in answer.claims:
        yield from claim.citations
    yield from (item.citation for item in answer.evidence if item.citation is not None)


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "n/a"
