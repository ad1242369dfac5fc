"""Whether the evidence answers, must be seen on the page, or leaves something to ask."""

from __future__ import annotations

from dataclasses import dataclass

from chat.branch_choice import Ask, select_branch
from chat.cues import cue_table
from chat.domain import EvidenceBlock, Population, QueryFrame, Reason, Stop, TurnType
from monographs.domain import SECTION_FACTS, PassageKind, SectionKey
from monographs.names import Corpus

CLARIFY_LIMIT = 3
# A name less like what was typed than this is no help to ask about, and a wrong one to tempt with.
ASKED_SCORE = 0.75
_SECTION_REPLIES = ("Liều dùng", "Chống chỉ định", "Tương tác thuốc", "Tác dụng không mong muốn")
# A fact about the patient brings the section that speaks of it, before the one asked for.
_FACT_SECTIONS: dict[Population, tuple[SectionKey, ...]] = {
    Population.MANG_THAI: (SectionKey.CHONG_CHI_DINH, SectionKey.MANG_THAI),
    Population.CHO_CON_BU: (SectionKey.CHO_CON_BU,),
    Population.SUY_THAN: (SectionKey.CHONG_CHI_DINH, SectionKey.THAN_TRONG),
    Population.SUY_GAN: (SectionKey.CHONG_CHI_DINH, SectionKey.THAN_TRONG),
}


@dataclass(frozen=True, slots=True)
class Selection:
    """The evidence an answer is drafted from, in the order it is shown."""

    evidence: tuple[EvidenceBlock, ...]


def decide_frame(frame: QueryFrame, corpus: Corpus) -> Stop | None:
    """What already ends the turn before anything is retrieved."""
    if frame.system_error is not None:
        return Stop(frame.system_error)
    if frame.turn_type is TurnType.SMALLTALK:
        return Stop(Reason.SMALLTALK)
    if frame.needs_clarify is not None:
        return Stop(frame.needs_clarify, {"terms": _spans(frame)}, frame.quick_replies)
    return _one_drug(frame, corpus)


def _one_drug(frame: QueryFrame, corpus: Corpus) -> Stop | None:
    """The routes so far answer for one drug and one section of it."""
    if not frame.drugs:
        return _without_drug(frame, corpus)
    if len(frame.drugs) > 1:
        return Stop(Reason.UNSUPPORTED_QUESTION)
    if frame.turn_type is TurnType.DRUG_OVERVIEW:
        return Stop(Reason.NEEDS_SECTION, {"drug": frame.drugs[0].name}, _SECTION_REPLIES)
    return None


def sections_for(frame: QueryFrame) -> tuple[SectionKey, ...]:
    """The sections to retrieve: those the patient's facts bring, then the one asked for."""
    facts = [
        key
        for population in Population
        if population in frame.populations
        for key in _FACT_SECTIONS.get(population, ())
    ]
    asked = [frame.attribute] if frame.attribute else []
    return tuple(dict.fromkeys([*facts, *asked]))


def decide(
    frame: QueryFrame, evidence: tuple[EvidenceBlock, ...], question: str, *, clarify_streak: int = 0
) -> Selection | Stop:
    """The evidence to draft from, or why there is none."""
    drug = frame.drugs[0]
    asked = frame.attribute
    facts = _about_patient(evidence, frame)
    main = tuple(block for block in evidence if block.section is asked and block not in facts)
    if asked is not None and not main and not any(block.section is asked for block in facts):
        return _missing_section(frame, asked, facts)
    if asked is SectionKey.LIEU_DUNG:
        selected = _select_dose(main, frame, question, clarify_streak)
        if isinstance(selected, Stop):
            return selected
        main = selected
    chosen = (*facts, *main)
    if not chosen:
        section = SECTION_FACTS[asked or SectionKey.LIEU_DUNG].title
        return Stop(Reason.INSUFFICIENT_EVIDENCE, {"drug": drug.name, "section": section})
    if all(not block.state.shows_text or block.kind is not PassageKind.TEXT for block in chosen):
        return Stop(Reason.SOURCE_QUARANTINED, evidence=chosen)
    if any(block.printed_page is None for block in chosen):
        return Stop(Reason.MISSING_PRINTED_PAGE)
    return Selection(chosen)


def _select_dose(
    blocks: tuple[EvidenceBlock, ...], frame: QueryFrame, question: str, streak: int
) -> tuple[EvidenceBlock, ...] | Stop:
    if Population.MANG_THAI in frame.populations:
        # A plain adult dose is never shown for a pregnancy: only what the book labels for it.
        return tuple(b for b in blocks if select_branch([b], frame, question) and _names(b, Population.MANG_THAI))
    picked = select_branch(blocks, frame, question)
    if not isinstance(picked, Ask):
        return picked
    if streak >= CLARIFY_LIMIT:
        return blocks
    detail = {"drug": frame.drugs[0].name, "section": SECTION_FACTS[SectionKey.LIEU_DUNG].title.lower()}
    return Stop(Reason.NEEDS_BRANCH, detail, picked.replies)


def _about_patient(evidence: tuple[EvidenceBlock, ...], frame: QueryFrame) -> tuple[EvidenceBlock, ...]:
    """What the sections brought by the patient's facts say of them: the whole section on pregnancy or
    lactation, and of the others the passages that name the fact."""
    whole = {SectionKey.MANG_THAI: Population.MANG_THAI, SectionKey.CHO_CON_BU: Population.CHO_CON_BU}
    return tuple(
        block
        for block in evidence
        if block.section is not frame.attribute
        and (
            whole.get(block.section) in frame.populations
            or any(_names(block, population) for population in frame.populations & set(_FACT_SECTIONS))
        )
    )


def _names(block: EvidenceBlock, population: Population) -> bool:
    return population in cue_table("population").meanings(" ; ".join((*block.labels, block.text)))


def _missing_section(frame: QueryFrame, asked: SectionKey, facts: tuple[EvidenceBlock, ...]) -> Selection | Stop:
    if facts and all(block.printed_page is not None for block in facts):
        return Selection(facts)
    return Stop(Reason.SECTION_NOT_IN_MONOGRAPH, {"drug": frame.drugs[0].name, "section": SECTION_FACTS[asked].title})


def _without_drug(frame: QueryFrame, corpus: Corpus) -> Stop:
    if frame.unknown_drugs:
        return _unknown(frame, corpus)
    if frame.turn_type is TurnType.OUT_OF_SCOPE:
        return Stop(Reason.OUT_OF_SCOPE)
    return Stop(Reason.NEEDS_DRUG)


def _unknown(frame: QueryFrame, corpus: Corpus) -> Stop:
    detail = {"terms": ", ".join(frame.unknown_drugs)}
    suggestions = [s for word in frame.unknown_drugs for s in corpus.names.suggest(word) if s.score >= ASKED_SCORE]
    names = tuple(dict.fromkeys(s.drug.name for s in sorted(suggestions, key=lambda s: -s.score)))[:4]
    return Stop(Reason.SUGGESTED_DRUG, detail, names) if names else Stop(Reason.UNKNOWN_DRUG, detail)


def _spans(frame: QueryFrame) -> str:
    spans = frame.raw.get("spans")
    return ", ".join(spans) if isinstance(spans, list) else ""
