"""Comparing: two to six drugs, each answered for itself by its own monograph; nothing is ranked, nothing is mixed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from chat.antidotes import as_antidote
from chat.branch_replies import MAX_REPLIES, SHOW_ALL
from chat.cues import cue_table
from chat.decide import decide
from chat.domain import Decision, EvidenceBlock, QueryFrame, Reason, Stop, TurnType
from chat.outcomes import OUTCOMES
from chat.selection import Selection, asked_sections, is_held, needs_section
from monographs.domain import SECTION_FACTS, DrugRef
from monographs.names import Corpus
from monographs.text import fold

MOST_DRUGS, MOST_IN_WORDS = 6, "sáu"
NOT_RANKED = (
    "Chương trình không xếp thứ bậc các thuốc: dưới đây là nguyên văn của từng chuyên luận, đặt cạnh nhau theo thứ tự "
    "trong câu hỏi."
)


@dataclass(frozen=True, slots=True)
class _Column:
    """What one drug's monograph says of what is asked, or why it says nothing."""

    drug: DrugRef
    found: Selection | Stop

    @property
    def evidence(self) -> tuple[EvidenceBlock, ...]:
        return self.found.evidence

    @property
    def ask(self) -> Stop | None:
        """What must be asked back for this drug."""
        asked = self.found if isinstance(self.found, Stop) else self.found.ask
        return asked if asked and OUTCOMES[asked.reason].decision is Decision.CLARIFY else None


def decide_comparison(
    frame: QueryFrame, corpus: Corpus, question: str, evidence: Sequence[EvidenceBlock], streak: int = 0
) -> Selection | Stop:
    """Each drug's evidence for the section asked, in the order in which the drugs were named.

    A drug that has none is absent, as is a name that no edition knows; a dose that leaves a choice open is asked
    about. Stops where more drugs are named than fit side by side, where no section is, and where nothing is found.
    """
    if len(frame.drugs) > MOST_DRUGS:
        return Stop(Reason.TOO_MANY_DRUGS, {"terms": MOST_IN_WORDS})
    if not (frame.attribute or frame.topics or frame.populations):
        return replace(needs_section(frame), detail={"drug": _names(frame.drugs)})
    columns = [_Column(drug, _of_drug(drug, frame, corpus, question, evidence, streak)) for drug in frame.drugs]
    if any(isinstance(c.found, Stop) and c.found.reason is Reason.MISSING_PRINTED_PAGE for c in columns):
        return Stop(Reason.MISSING_PRINTED_PAGE)
    shown = tuple(block for column in columns for block in column.evidence)
    ask = _ask(columns, frame)
    if not shown:
        return ask or _nothing(columns, frame)
    if all(is_held(block) for block in shown):
        return Stop(Reason.SOURCE_QUARANTINED, evidence=shown)
    absent = tuple(column.drug.name for column in columns if not column.evidence and column.ask is None)
    return Selection(shown, _missing(columns), ask, (*absent, *frame.unknown_drugs), note=_note(frame))


def _of_drug(
    drug: DrugRef, frame: QueryFrame, corpus: Corpus, question: str, evidence: Sequence[EvidenceBlock], streak: int
) -> Selection | Stop:
    """The question asked of one drug alone."""
    spans = frame.raw.get("spans")
    said = [str(span) for span in spans] if isinstance(spans, list) else []
    own = [name for name in said if any(drug in found.drugs for found in corpus.names.resolve(name))]
    alone = replace(
        frame,
        turn_type=TurnType.DRUG_ATTRIBUTE,
        drugs=(drug,),
        unknown_drugs=(),
        partners=(),
        # A name that no monograph has is missing as a drug, and no topic of the others.
        terms=tuple(term for term in frame.terms if fold(str(term)) not in set(map(fold, frame.unknown_drugs))),
        raw={**frame.raw, "spans": own},
    )
    blocks = tuple(block for block in evidence if block.drug == drug)
    others = [(other, corpus.classes.get(other.drug_id, frozenset())) for other in frame.drugs if other != drug]
    alone = as_antidote(alone, blocks, others)
    # A label that one monograph offered must not pick by its words alone from another's.
    typed = "" if frame.depends_on_previous_turn else question
    return decide(alone, blocks, typed, clarify_streak=streak)


def _ask(columns: Sequence[_Column], frame: QueryFrame) -> Stop | None:
    """One question back for all drugs that need one: what they offer, in turn."""
    asking = [(column.drug, column.ask) for column in columns if column.ask]
    if not asking:
        return None
    offered = [replies for _, ask in asking if (replies := [r for r in ask.quick_replies if r != SHOW_ALL])]
    turns = max(map(len, offered), default=0)
    choices = dict.fromkeys(r[place] for place in range(turns) for r in offered if place < len(r))
    shown = (*list(choices)[: MAX_REPLIES - 1], SHOW_ALL) if choices else ()
    detail = {**asking[0][1].detail, "drug": _names([drug for drug, _ in asking])}
    return replace(asking[0][1], detail=detail, quick_replies=shown)


def _missing(columns: Sequence[_Column]) -> tuple[str, ...]:
    return tuple(
        f"{column.drug.name}: {text}"
        for column in columns
        if isinstance(column.found, Selection)
        for text in column.found.missing
    )


def _nothing(columns: Sequence[_Column], frame: QueryFrame) -> Stop:
    stops = [column.found for column in columns if isinstance(column.found, Stop)]
    if len({stop.reason for stop in stops}) == 1 and len(stops) == len(columns):
        return replace(stops[0], detail={**stops[0].detail, "drug": _names(frame.drugs)})
    asked = ", ".join(SECTION_FACTS[key].title for key in asked_sections(frame)) or "điều được hỏi"
    return Stop(Reason.INSUFFICIENT_EVIDENCE, {"drug": _names(frame.drugs), "terms": asked})


def _note(frame: QueryFrame) -> str:
    return NOT_RANKED if "ranks" in cue_table("turn").meanings(str(frame.raw.get("rest", ""))) else ""


def _names(drugs: Sequence[DrugRef]) -> str:
    return ", ".join(drug.name for drug in drugs)
