"""Whether the evidence answers, must be seen on the page, or leaves something to ask."""

from __future__ import annotations

import re
from collections.abc import Callable

from chat.antidotes import for_poisoning
from chat.branch_choice import Ask, select_branch
from chat.branches import is_manner_path
from chat.domain import EvidenceBlock, Population, QueryFrame, Reason, Stop, TurnType
from chat.dose import brings_dose, dose_for_condition, for_patient, select_dose
from chat.members import each_member, of_member, with_member
from chat.narrowing import narrow
from chat.patient_facts import (
    about_patient,
    at_lab_values,
    forbids_outright,
    forbids_route,
    names_population,
    of_mother,
)
from chat.selection import Selection, asked_sections, check_selection, is_held, names_not_in_book, needs_section
from chat.siblings import closest
from chat.terms import AskedWords, terms_of
from chat.told_facts import forbidding_told
from chat.topics import Topic, passages_on, topic_named
from chat.unknown_drug import without_drug
from chat.unnamed_section import answer_unnamed, beside_the_dose, beyond_labels
from monographs.domain import SECTION_FACTS, SectionKey
from monographs.names import Corpus
from monographs.text import fold

_ADJUSTS = re.compile(r"\b(?:chinh|giam) (?:\S+ )?lieu|\b(?:can|phai) (?:chinh|giam)\b")

_OF_ONE_DRUG = frozenset({TurnType.DRUG_ATTRIBUTE, TurnType.DRUG_OVERVIEW, TurnType.OUT_OF_SCOPE})
# Sections that are no dosage and still hold doses for one age group or another.
_BY_PATIENT = frozenset({SectionKey.QUA_LIEU, SectionKey.XU_TRI_ADR})


def decide_frame(frame: QueryFrame, corpus: Corpus) -> Stop | None:
    """What already ends the turn before anything is retrieved."""
    if frame.system_error is not None:
        return Stop(frame.system_error)
    if frame.turn_type is TurnType.SMALLTALK:
        return Stop(Reason.SMALLTALK)
    if frame.needs_clarify is not None:
        return Stop(frame.needs_clarify, {"terms": str(frame.raw.get("unclear", ""))}, frame.quick_replies)
    return _one_drug(frame, corpus)


def decide(
    frame: QueryFrame, evidence: tuple[EvidenceBlock, ...], question: str, *, clarify_streak: int = 0
) -> Selection | Stop:
    """The evidence to draft from, or why there is none; of several members of a group what is said of each."""
    members = each_member(frame, evidence)
    if members:
        return _of_each([decide(one, evidence, question, clarify_streak=clarify_streak) for one in members])
    unsaid = _unsaid(frame, evidence)
    if unsaid is not None:
        return unsaid
    frame = for_poisoning(with_member(frame, evidence), evidence)
    if frame.turn_type is TurnType.DRUG_OVERVIEW or frame.dose_implied:
        unnamed = answer_unnamed(frame, evidence, question, clarify_streak)
        if unnamed is not None:
            return unnamed
    if frame.turn_type is TurnType.DRUG_OVERVIEW:
        return needs_section(frame, evidence)
    parts = _parts(frame, evidence, question, clarify_streak)
    facts = _facts(frame, evidence, answered=any(part.evidence for part in parts))
    forbidden = forbids_outright(facts, frame)
    # Beside what forbids the drug at this age no dose of it is offered.
    asks = [part.ask for part in parts if part.ask is not None] if not forbidden else []
    decides = forbidden or at_lab_values(facts, frame) or of_mother(facts)
    if asks and not any(part.evidence for part in parts) and not decides:
        return beside_the_dose(frame, evidence) or asks[0]
    shown = list(dict.fromkeys([*facts, *(block for part in parts for block in part.evidence)]))
    missing = tuple(text for part in parts for text in part.missing)
    missing += tuple(name for name in names_not_in_book(frame) if not any(name in text for text in missing))
    return check_selection(shown, frame, missing, asks) or _nothing(frame, evidence, missing)


def _unsaid(frame: QueryFrame, evidence: tuple[EvidenceBlock, ...]) -> Stop | None:
    """What is asked by a value that no band holds, or of an adjustment that the monograph does not speak of."""
    if _asks_by_creatinine(frame):
        return Stop(Reason.NEEDS_CLEARANCE, {"drug": frame.drugs[0].name})
    if _is_silent_on_adjusting(frame, evidence):
        return Stop(Reason.INSUFFICIENT_EVIDENCE, {"drug": frame.drugs[0].name, "terms": "chỉnh liều"})
    return None


def _of_each(found: list[Selection | Stop]) -> Selection | Stop:
    """What is said of each member, one after the other; where one must be asked about or is not to be shown, that."""
    stops = [one for one in found if isinstance(one, Stop)]
    if stops:
        return stops[0]
    parts = [one for one in found if isinstance(one, Selection)]
    return Selection(
        tuple(dict.fromkeys(block for part in parts for block in part.evidence)),
        tuple(dict.fromkeys(text for part in parts for text in part.missing)),
        next((part.ask for part in parts if part.ask), None),
    )


def _asks_by_creatinine(frame: QueryFrame) -> bool:
    """Whether a dose, or whether the drug may be given, is asked for a creatinine of the blood: no band holds that."""
    of_dose = set(asked_sections(frame)) <= {SectionKey.LIEU_DUNG, SectionKey.CHONG_CHI_DINH} and not frame.topics
    return frame.serum_creatinine and frame.clearance_ml_min is None and of_dose


def _is_silent_on_adjusting(frame: QueryFrame, evidence: tuple[EvidenceBlock, ...]) -> bool:
    """Whether it is asked if a dose is to be adjusted for kidneys or liver of which the whole monograph says nothing:
    the ordinary dose would be taken for an answer."""
    organs = frame.populations & {Population.SUY_THAN, Population.SUY_GAN}
    asked = SectionKey.LIEU_DUNG in asked_sections(frame) and _ADJUSTS.search(fold(frame.standalone_query or ""))
    return bool(organs and asked) and not any(names_population(b, organ) for b in evidence for organ in organs)


def _parts(frame: QueryFrame, evidence: tuple[EvidenceBlock, ...], question: str, streak: int) -> list[Selection]:
    """What answers each part of the question: its topics, or its sections and the dose that a condition brings."""
    topics = [topic for key in frame.topics if (topic := topic_named(key))]
    asked = asked_sections(frame)
    if topics:
        asked = (SectionKey.BAO_QUAN,) if SectionKey.BAO_QUAN in asked else ()
    parts = [_on_topic(topic, frame, evidence, question) for topic in topics]
    parts += [_part(key, frame, evidence, question, streak) for key in asked]
    if brings_dose(frame) and not topics:
        parts.append(dose_for_condition(frame, evidence))
    return parts


def _facts(frame: QueryFrame, evidence: tuple[EvidenceBlock, ...], *, answered: bool) -> tuple[EvidenceBlock, ...]:
    """What is told of the patient's facts; beside a dose for the condition only what forbids."""
    told = forbidding_told(evidence, frame)
    facts = tuple(dict.fromkeys([*about_patient(evidence, frame), *at_lab_values(evidence, frame), *told]))
    if answered and frame.attribute is SectionKey.LIEU_DUNG:
        return tuple(b for b in facts if b.section is not SectionKey.THAN_TRONG or forbids_route(b, frame))
    return facts


def _one_drug(frame: QueryFrame, corpus: Corpus) -> Stop | None:
    """What keeps a question about one drug and its sections from being looked up; other kinds look to themselves."""
    if frame.turn_type not in _OF_ONE_DRUG:
        return None
    if not frame.drugs:
        return without_drug(frame, corpus)
    if frame.turn_type is TurnType.DRUG_OVERVIEW and not terms_of(frame):
        return needs_section(frame)
    return None


def _part(
    key: SectionKey, frame: QueryFrame, evidence: tuple[EvidenceBlock, ...], question: str, streak: int
) -> Selection:
    """What the evidence holds for one section asked for."""
    printed = tuple(block for block in evidence if block.section is key)
    title = SECTION_FACTS[key].title
    if not printed:
        return Selection((), (title,))
    blocks = tuple(block for block in of_member(frame, evidence) if block.section is key) or printed
    if key is SectionKey.LIEU_DUNG:
        return select_dose(blocks, frame, question, streak)
    others = beyond_labels(frame, evidence) if SectionKey.LIEU_DUNG in asked_sections(frame) else terms_of(frame)
    if key in _BY_PATIENT:
        blocks = closest(for_patient(blocks, frame), AskedWords(frame.question_words), of_one_head=True)
    found, missing = narrow(blocks, frame, key, others)
    return Selection(found, missing)


def _on_topic(topic: Topic, frame: QueryFrame, evidence: tuple[EvidenceBlock, ...], question: str) -> Selection:
    """The passages on the topic; of the doses' those of the branch that the question selects, and where it selects
    none what is said for all."""
    blocks = of_member(frame, evidence)
    found = passages_on(topic, [block for block in blocks if not is_held(block)])
    doses = tuple(block for block in blocks if block.section is SectionKey.LIEU_DUNG)
    picked = select_branch(doses, frame, question)
    general = [b for b in found if b.section is not SectionKey.LIEU_DUNG or is_manner_path(b.labels)]
    if isinstance(picked, Ask):
        found = tuple(general) or found
    elif any(block in picked for block in found):
        found = tuple(block for block in found if block in general or block in picked)
    found = closest(found, AskedWords(frame.question_words))
    return Selection(found, () if found else (topic.title,))


def _nothing(frame: QueryFrame, evidence: tuple[EvidenceBlock, ...], missing: tuple[str, ...]) -> Stop:
    drug = frame.drugs[0].name
    present: Callable[[SectionKey], bool] = lambda key: any(block.section is key for block in evidence)  # noqa: E731
    lacking = [key for key in asked_sections(frame) if not present(key)]
    if lacking and not frame.topics:
        return Stop(Reason.SECTION_NOT_IN_MONOGRAPH, {"drug": drug, "section": SECTION_FACTS[lacking[0]].title})
    return Stop(Reason.INSUFFICIENT_EVIDENCE, {"drug": drug, "terms": "; ".join(missing) or "điều được hỏi"})
