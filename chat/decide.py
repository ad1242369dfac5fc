"""Whether the evidence answers, must be seen on the page, or leaves something to ask."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from chat.bands import BandKind, bands_of
from chat.branch_choice import Ask, select_branch
from chat.branches import AGE_GROUPS, facets, is_general_path, is_manner_path
from chat.cues import cue_table, filler_words
from chat.domain import EvidenceBlock, Population, QueryFrame, Reason, Route, Stop, Term, TurnType
from chat.harm import Harm, handling_of, is_because, is_treated
from chat.members import of_member, with_member
from chat.narrowing import narrow
from chat.numbers import numeric_tokens
from chat.overview import search_passages
from chat.segments import CONDITION_UNITS
from chat.terms import is_name_like, stands_in, terms_of
from chat.topics import passages_on, topic_named
from monographs.domain import SECTION_FACTS, PassageKind, SectionKey
from monographs.names import Corpus
from monographs.text import WordSet, folded_words

CLARIFY_LIMIT = 3
# A name less like what was typed than this is no help to ask about, and a wrong one to tempt with.
ASKED_SCORE = 0.7
# How a section is asked for in one tap; the first four where nothing in the question is nearer to another.
_SECTION_REPLIES = {
    SectionKey.LIEU_DUNG: "Liều dùng",
    SectionKey.CHONG_CHI_DINH: "Chống chỉ định",
    SectionKey.TUONG_TAC: "Tương tác thuốc",
    SectionKey.ADR: "Tác dụng không mong muốn",
    SectionKey.CHI_DINH: "Chỉ định",
    SectionKey.THAN_TRONG: "Thận trọng",
    SectionKey.DANG_THUOC_HAM_LUONG: "Dạng thuốc và hàm lượng",
    SectionKey.DUOC_LY_CO_CHE: "Cơ chế tác dụng",
    SectionKey.LOAI_THUOC: "Loại thuốc",
    SectionKey.XU_TRI_ADR: "Xử trí ADR",
    SectionKey.BAO_QUAN: "Bảo quản",
    SectionKey.TUONG_KY: "Tương kỵ",
    SectionKey.QUA_LIEU: "Quá liều",
}
_NEAREST = 5
# A fact about the patient brings the section that speaks of it, before the one asked for.
_FACT_SECTIONS: dict[Population, tuple[SectionKey, ...]] = {
    Population.MANG_THAI: (SectionKey.CHONG_CHI_DINH, SectionKey.MANG_THAI),
    Population.CHO_CON_BU: (SectionKey.CHONG_CHI_DINH, SectionKey.CHO_CON_BU),
    Population.SUY_THAN: (SectionKey.CHONG_CHI_DINH, SectionKey.THAN_TRONG),
    Population.SUY_GAN: (SectionKey.CHONG_CHI_DINH, SectionKey.THAN_TRONG),
    Population.TRE_SO_SINH: (SectionKey.CHONG_CHI_DINH,),
    Population.TRE_EM: (SectionKey.CHONG_CHI_DINH,),
    Population.NGUOI_CAO_TUOI: (SectionKey.CHONG_CHI_DINH,),
}
_SECOND_CLAUSE = re.compile(r"[;.]\s+\S")
_POINTER = re.compile(r"\bbảng\b.{0,20}(?:dưới|sau|trên)|(?:như|theo|trong|nêu trong) bảng", re.IGNORECASE)
# Sections that are no dosage and still hold doses for one age group or another.
_BY_PATIENT = frozenset({SectionKey.QUA_LIEU, SectionKey.XU_TRI_ADR})
_WHOLE_SECTION = {SectionKey.MANG_THAI: Population.MANG_THAI, SectionKey.CHO_CON_BU: Population.CHO_CON_BU}


@dataclass(frozen=True, slots=True)
class Selection:
    """The evidence an answer is drafted from, in the order it is shown.

    missing: what was asked and is not in it (sections, topics), in Vietnamese; ask: a part of the question that
    must still be asked back, with its replies.
    """

    evidence: tuple[EvidenceBlock, ...]
    missing: tuple[str, ...] = ()
    ask: Stop | None = None


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
    """The evidence to draft from, or why there is none."""
    frame = with_member(frame, evidence)
    if frame.turn_type is TurnType.DRUG_OVERVIEW or frame.dose_implied:
        told = _told(frame, evidence, question, clarify_streak)
        if told is not None:
            return told
    if frame.turn_type is TurnType.DRUG_OVERVIEW:
        return _needs_section(frame, evidence)
    facts = _about_patient(evidence, frame)
    parts = [_part(key, frame, evidence, question, clarify_streak) for key in _asked(frame)]
    if topic_named(frame.topic) is not None:
        parts = [_on_topic(frame, evidence, question)]
    elif _brings_dose(frame):
        parts.append(_dose_for_condition(frame, evidence))
    if any(part.evidence for part in parts) and frame.attribute is SectionKey.LIEU_DUNG:
        # The dose for the condition is there: of the facts only what forbids stands before it.
        facts = tuple(block for block in facts if block.section is not SectionKey.THAN_TRONG)
    shown = list(dict.fromkeys([*facts, *(block for part in parts for block in part.evidence)]))
    asks = [part.ask for part in parts if part.ask is not None]
    missing = tuple(text for part in parts for text in part.missing)
    missing += tuple(name for name in _not_in_book(frame) if not any(name in text for text in missing))
    if not any(part.evidence for part in parts) and asks and not _forbids_outright(facts, frame):
        return _beside_the_dose(frame, evidence) or asks[0]
    if not shown:
        return _nothing(frame, evidence, missing)
    return _checked(shown, frame, missing, asks) or _nothing(frame, evidence, missing)


def _told(
    frame: QueryFrame, evidence: tuple[EvidenceBlock, ...], question: str, streak: int
) -> Selection | Stop | None:
    """What answers a question that names no section: what is told of harm, or the passages that speak of its terms.

    None where nothing does, or where its terms are what the doses are labelled by: then the dose is asked for.
    """
    blocks, rest = of_member(frame, evidence), str(frame.raw.get("rest", ""))
    terms = _beyond_labels(frame, blocks) if frame.dose_implied else list(terms_of(frame))
    harmed = bool(frame.harm) and (frame.harm == Harm.AFTER or not is_treated(rest, blocks))
    if frame.dose_implied and not harmed and _are_indications(terms, blocks):
        return None
    handling = _for_age(tuple(handling_of(blocks, because=is_because(rest))), frame) if harmed else ()
    found = [block for block in search_passages(blocks, terms) if block not in handling]
    dose = _dose_named(frame, blocks, question, streak) if not harmed else Selection(())
    if not (found or handling or dose.evidence):
        return dose.ask
    shown = tuple(dict.fromkeys([*_about_patient(evidence, frame), *handling, *found, *dose.evidence]))
    return _checked(shown, frame, _not_in_book(frame), [dose.ask] if dose.ask else ())


def _dose_named(frame: QueryFrame, blocks: Sequence[EvidenceBlock], question: str, streak: int) -> Selection:
    """The dose for what the question names, where that is what a branch is labelled by ("aspirin phòng tiền sản
    giật")."""
    terms = [term for term in terms_of(frame) if not term.is_talk]
    doses = tuple(block for block in blocks if block.section is SectionKey.LIEU_DUNG)
    paths = {block.labels: WordSet(" ".join(block.labels)) for block in doses}
    if not terms or not any(all(stands_in(term, words) for term in terms) for words in paths.values()):
        return Selection(())
    return _dose(doses, frame, question, streak)


def _are_indications(terms: Sequence[Term], blocks: Sequence[EvidenceBlock]) -> bool:
    """Whether the terms are no more than what the drug is given for: then the dose for it is asked."""
    printed = WordSet(" ".join(block.text for block in blocks if block.section is SectionKey.CHI_DINH))
    return all(term.is_talk or stands_in(term, printed) for term in terms)


def _beyond_labels(frame: QueryFrame, blocks: Sequence[EvidenceBlock]) -> list[Term]:
    """The terms of a question that no label of the dosage says."""
    labels = WordSet(" ".join(label for b in blocks if b.section is SectionKey.LIEU_DUNG for label in b.labels))
    return [term for term in terms_of(frame) if not stands_in(term, labels)]


def _beside_the_dose(frame: QueryFrame, evidence: tuple[EvidenceBlock, ...]) -> Selection | Stop | None:
    """Where the doses leave a choice open, and the question goes by a term that only other passages say, those: "kali
    máu 5,8 thì giảm liều hay ngừng"."""
    doses = WordSet(
        " ".join(b.text for b in evidence if b.section is SectionKey.LIEU_DUNG and not is_general_path(b.labels))
    )
    blocks = of_member(frame, evidence)
    terms = [t for t in _beyond_labels(frame, blocks) if is_name_like(t) and not stands_in(t, doses)]
    found = search_passages(blocks, terms) if terms and not frame.bare_reply else ()
    return _checked(found, frame)


def _not_in_book(frame: QueryFrame) -> tuple[str, ...]:
    """Names beside a known drug that are in no index: "amoxicilin + suulbactam" is not answered for one alone."""
    return () if frame.guessed_names else frame.unknown_drugs


def _checked(
    shown: Sequence[EvidenceBlock], frame: QueryFrame, missing: tuple[str, ...] = (), asks: Sequence[Stop] = ()
) -> Selection | Stop | None:
    """What is to be shown, unless it must be seen on the page or cannot be cited; None where there is nothing."""
    if not shown:
        return None
    specific = [block for block in shown if not is_general_path(block.labels)] or shown
    if all(_is_held(block) or _only_points(block, shown) for block in specific):
        return Stop(Reason.SOURCE_QUARANTINED, evidence=tuple(block for block in specific if not block.is_label))
    if any(block.printed_page is None for block in shown):
        return Stop(Reason.MISSING_PRINTED_PAGE)
    return Selection(tuple(shown), missing, asks[0] if asks else None)


def _one_drug(frame: QueryFrame, corpus: Corpus) -> Stop | None:
    """The routes so far answer for one drug and its sections."""
    if not frame.drugs:
        return _without_drug(frame, corpus)
    if len(frame.drugs) > 1 or frame.turn_type in {TurnType.INTERACTION, TurnType.COMPARISON}:
        return Stop(Reason.UNSUPPORTED_QUESTION)
    if frame.turn_type is TurnType.DRUG_OVERVIEW and not terms_of(frame):
        return _needs_section(frame)
    return None


def _needs_section(frame: QueryFrame, ranked: Sequence[EvidenceBlock] = ()) -> Stop:
    """Which section is meant: offered are those that come nearest to the question, then those asked for most."""
    nearest = [title for block in ranked if (title := _SECTION_REPLIES.get(block.section))]
    replies = tuple(dict.fromkeys([*dict.fromkeys(nearest[:_NEAREST]), *_SECTION_REPLIES.values()]))
    return Stop(Reason.NEEDS_SECTION, {"drug": frame.drugs[0].name}, replies[:4])


def _asked(frame: QueryFrame) -> tuple[SectionKey, ...]:
    return (frame.attribute, *frame.also) if frame.attribute else ()


_DOSE_CONDITIONS = frozenset({Population.SUY_THAN, Population.SUY_GAN, Population.MANG_THAI})


def _brings_dose(frame: QueryFrame) -> bool:
    """ "gentamicin suy thận" without more: what its cautions say, and its dose for that."""
    return frame.attribute in {None, *_WHOLE_SECTION} and bool(frame.populations & _DOSE_CONDITIONS)


def _part(
    key: SectionKey, frame: QueryFrame, evidence: tuple[EvidenceBlock, ...], question: str, streak: int
) -> Selection:
    """What the evidence holds for one section asked for."""
    blocks = tuple(block for block in evidence if block.section is key)
    title = SECTION_FACTS[key].title
    if not blocks:
        return Selection((), (title,))
    if key is SectionKey.LIEU_DUNG:
        return _dose(tuple(of_member(frame, blocks)), frame, question, streak)
    others = _beyond_labels(frame, evidence) if SectionKey.LIEU_DUNG in _asked(frame) else terms_of(frame)
    if key in _BY_PATIENT:
        blocks = _for_age(blocks, frame)
    found, missing = narrow(blocks, frame, key, others)
    return Selection(found, missing)


def _for_age(blocks: tuple[EvidenceBlock, ...], frame: QueryFrame) -> tuple[EvidenceBlock, ...]:
    """Without the passages that are labelled for another age group than the patient's."""
    asked = frame.populations & AGE_GROUPS
    if Population.NGUOI_CAO_TUOI in asked:
        asked |= {Population.NGUOI_LON}
    named = [facets(" ; ".join(block.labels))[0] & AGE_GROUPS for block in blocks]
    return tuple(b for b, ages in zip(blocks, named, strict=True) if not (asked and ages) or ages & asked)


def _dose(blocks: tuple[EvidenceBlock, ...], frame: QueryFrame, question: str, streak: int) -> Selection:
    title = SECTION_FACTS[SectionKey.LIEU_DUNG].title
    if Population.MANG_THAI in frame.populations:
        # A plain adult dose is never shown for a pregnancy: only what the book labels for it.
        labelled = tuple(block for block in blocks if _names(block, Population.MANG_THAI, labels_only=True))
        return Selection(labelled)
    picked = select_branch(blocks, frame, question)
    if isinstance(picked, Ask):
        if frame.bare_reply and not _speaks_of_labels(blocks, frame):
            return Selection((), ask=Stop(Reason.OUT_OF_SCOPE))
        if streak >= CLARIFY_LIMIT:
            return Selection(blocks)
        detail = {"drug": frame.drugs[0].name, "section": title.lower()}
        return Selection((), ask=Stop(Reason.NEEDS_BRANCH, detail, picked.replies))
    return Selection(picked, () if picked else (f"{title} cho trường hợp được hỏi",))


def _speaks_of_labels(blocks: tuple[EvidenceBlock, ...], frame: QueryFrame) -> bool:
    """Whether a bare reply has a word of some label; otherwise it is talk."""
    labels = {word for block in blocks for label in block.labels for word in folded_words(label)}
    return bool((frame.question_words - filler_words()) & labels)


def _on_topic(frame: QueryFrame, evidence: tuple[EvidenceBlock, ...], question: str) -> Selection:
    """The passages on the topic; of the doses' those of the branch that the question selects, and where it selects
    none what is said for all."""
    topic = topic_named(frame.topic)
    if topic is None:
        return Selection(())
    blocks = of_member(frame, evidence)
    found = passages_on(topic, [block for block in blocks if not _is_held(block)])
    doses = tuple(block for block in blocks if block.section is SectionKey.LIEU_DUNG)
    picked = select_branch(doses, frame, question)
    general = [b for b in found if b.section is not SectionKey.LIEU_DUNG or is_manner_path(b.labels)]
    if isinstance(picked, Ask):
        found = tuple(general) or found
    elif any(block in picked for block in found):
        found = tuple(block for block in found if block in general or block in picked)
    return Selection(found, () if found else (topic.title,))


def _dose_for_condition(frame: QueryFrame, evidence: tuple[EvidenceBlock, ...]) -> Selection:
    """The dosage branches labelled for the condition; none is no fault, as nothing more was asked."""
    conditions = frame.populations & _DOSE_CONDITIONS
    blocks = tuple(block for block in evidence if block.section is SectionKey.LIEU_DUNG)
    return Selection(tuple(b for b in blocks if any(_names(b, c, labels_only=True) for c in conditions)))


def _about_patient(evidence: tuple[EvidenceBlock, ...], frame: QueryFrame) -> tuple[EvidenceBlock, ...]:
    """What the sections brought by the patient's facts say of them: the whole section on pregnancy or
    lactation, and of the others the passages that name the fact."""
    facts = frame.populations & set(_FACT_SECTIONS)
    wanted = {key for population in facts for key in _FACT_SECTIONS[population]}
    return tuple(
        block
        for block in evidence
        if _forbids_route(block, frame)
        or (
            block.section in wanted
            and block.section not in _asked(frame)
            and (
                _WHOLE_SECTION.get(block.section) in facts
                or any(block.section in _FACT_SECTIONS[fact] and _concerns(block, fact, frame) for fact in facts)
            )
        )
    )


def _forbids_outright(facts: Sequence[EvidenceBlock], frame: QueryFrame) -> bool:
    """Whether a contraindication names an age band that holds the patient: shown before any dose is asked about."""
    return any(
        band.kind is BandKind.AGE and frame.age_months is not None and band.holds(frame.age_months)
        for block in facts
        if block.section is SectionKey.CHONG_CHI_DINH
        for band in bands_of(block.text)
    )


def _states_route(frame: QueryFrame) -> bool:
    return SectionKey.LIEU_DUNG in _asked(frame) and frame.route not in {None, Route.UONG}


def _forbids_route(block: EvidenceBlock, frame: QueryFrame) -> bool:
    """A contraindication that names the route asked for."""
    if block.section is not SectionKey.CHONG_CHI_DINH or not _states_route(frame):
        return False
    return frame.route in facets(block.text)[1]


def _concerns(block: EvidenceBlock, fact: Population, frame: QueryFrame) -> bool:
    """Whether a passage names the patient's fact; one that names ages does so only where they hold the patient's."""
    if not _names(block, fact):
        return False
    ages = [band for band in bands_of(block.text) if band.kind is BandKind.AGE]
    return not ages or frame.age_months is None or any(band.holds(frame.age_months) for band in ages)


def _only_points(block: EvidenceBlock, shown: Sequence[EvidenceBlock]) -> bool:
    """Whether a passage only says that the dose stands in a table, and the table is there."""
    table = any(_is_held(other) for other in shown)
    amounts = [n for n in numeric_tokens(block.text) if n.unit and n.unit not in CONDITION_UNITS]
    pointing = bool(_POINTER.search(block.text)) and not amounts and not _SECOND_CLAUSE.search(block.text)
    return block.is_label or (table and pointing)


def _names(block: EvidenceBlock, population: Population, *, labels_only: bool = False) -> bool:
    texts = block.labels if labels_only else (*block.labels, block.text)
    return population in cue_table("population").meanings(" ; ".join(texts), printed=True)


def _is_held(block: EvidenceBlock) -> bool:
    return not block.state.shows_text or block.kind is not PassageKind.TEXT


def _nothing(frame: QueryFrame, evidence: tuple[EvidenceBlock, ...], missing: tuple[str, ...]) -> Stop:
    drug = frame.drugs[0].name
    present: Callable[[SectionKey], bool] = lambda key: any(block.section is key for block in evidence)  # noqa: E731
    lacking = [key for key in _asked(frame) if not present(key)]
    if lacking and frame.topic is None:
        return Stop(Reason.SECTION_NOT_IN_MONOGRAPH, {"drug": drug, "section": SECTION_FACTS[lacking[0]].title})
    return Stop(Reason.INSUFFICIENT_EVIDENCE, {"drug": drug, "terms": "; ".join(missing) or "điều được hỏi"})


def _without_drug(frame: QueryFrame, corpus: Corpus) -> Stop:
    if frame.turn_type in {TurnType.CONDITION_TO_DRUG, TurnType.CONDITION_RELATION}:
        return Stop(Reason.UNSUPPORTED_QUESTION)
    if frame.unknown_drugs:
        unknown = _unknown(frame, corpus)
        if frame.turn_type is not TurnType.OUT_OF_SCOPE or _is_bare_name(frame) or unknown.quick_replies:
            return unknown
    if frame.turn_type is TurnType.OUT_OF_SCOPE:
        return Stop(Reason.OUT_OF_SCOPE)
    return Stop(Reason.NEEDS_DRUG)


def _is_bare_name(frame: QueryFrame) -> bool:
    return len(frame.question_words) <= len(frame.unknown_drugs) + 1


def _with_next_word(frame: QueryFrame) -> list[str]:
    """Unknown names with the word behind them: "benzathin penicilin" is nearer to its drug than "benzathin"."""
    words = (frame.standalone_query or "").split()
    return [f"{word} {after}" for word, after in pairwise(words) if word in frame.unknown_drugs]


def _unknown(frame: QueryFrame, corpus: Corpus) -> Stop:
    detail = {"terms": ", ".join(frame.unknown_drugs)}
    typed = [*frame.unknown_drugs, *_with_next_word(frame)]
    suggestions = [s for text in typed for s in corpus.names.suggest(text) if s.score >= ASKED_SCORE]
    names = tuple(dict.fromkeys(s.drug.name for s in sorted(suggestions, key=lambda s: -s.score)))[:4]
    of_class = tuple(drug.name for drug in corpus.of_class(frame.unknown_drugs))[:4]
    if of_class and not names:
        return Stop(Reason.AMBIGUOUS_DRUG, detail, of_class)
    return Stop(Reason.SUGGESTED_DRUG, detail, names) if names else Stop(Reason.UNKNOWN_DRUG, detail)
