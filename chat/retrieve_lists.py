"""Evidence of several monographs at once: by drugs, by the words of a condition, and of the appendices. Few queries."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from django.db.models import BooleanField, F, Func, QuerySet, Value

from chat.allergy_facts import allergens_of
from chat.candidate_facts import FACT_SECTIONS, forbids_beside, states_facts
from chat.candidates import beside_all
from chat.comparison import MOST_DRUGS
from chat.condition_forms import forms_of
from chat.condition_names import (
    Condition,
    agent_apart,
    halves_of,
    is_caused,
    is_phrase,
    least_part,
    solid_part,
    speaks_of,
)
from chat.conditions import POPULATION_WORDS, asked_populations, restored, tells_more, told_of
from chat.domain import EvidenceBlock, Population, QueryFrame
from chat.incompatibility import heads
from chat.indicated import find_indicated
from chat.named_by import is_asked_of_all, names_of
from chat.pair_subjects import KIND_SECTIONS
from chat.relations import is_of_allergy, section_of
from chat.retrieve import evidence_of
from monographs.domain import DrugRef, MonographKind, SectionKey
from monographs.models import Passage, Section
from monographs.names import Corpus
from monographs.passage_search import rank_passages
from monographs.text import fold, has_accents, spelling, words

_NEAREST = 4
# How signs of too much of a drug begin, folded.
_SIGNS = frozenset({"nhip", "mach", "co", "non", "hon", "ngat", "loan", "lu", "tut", "ngung"})


def retrieve_compared(frame: QueryFrame, corpus: Corpus) -> tuple[EvidenceBlock, ...]:
    """Everything that the monographs of the drugs named say, no more of them than are compared. One query."""
    return retrieve_drugs(frame.drugs[:MOST_DRUGS], SectionKey, edition_id=corpus.edition_id)


def retrieve_drugs(
    drugs: Sequence[DrugRef], keys: Iterable[SectionKey], *, edition_id: int
) -> tuple[EvidenceBlock, ...]:
    """Every passage of these sections of these drugs: drug by drug as given, each in the book's order. One query."""
    by_monograph = {drug.monograph_id: drug for drug in drugs}
    places = {monograph_id: place for place, monograph_id in enumerate(by_monograph)}
    rows = _passages().filter(section__monograph_id__in=list(by_monograph), section__key__in=list(keys))
    found = [evidence_of(row, by_monograph[row.section.monograph_id], edition_id) for row in rows]
    return tuple(sorted(found, key=lambda block: places[block.drug.monograph_id]))


def retrieve_candidates(frame: QueryFrame, corpus: Corpus) -> tuple[EvidenceBlock, ...]:
    """The indications that may speak of a condition, and what the drugs whose do say of patients.

    By words first; where none of them is found whole, by most of the words; where nothing is, the nearest in meaning,
    which are only offered. At most five queries.
    """
    told = told_of(frame)
    if not told.condition:
        return ()
    found = _indications(told.condition, corpus)
    # As the decision does: a stray word beside the condition narrows nothing.
    indicated = find_indicated(found, solid_part(found, told.condition))
    drugs = [one.drug for one in indicated]
    if not drugs or not (states_facts(frame, beside_all(indicated, told)) or tells_more(frame, told)):
        return found
    sections = (*FACT_SECTIONS, *KIND_SECTIONS) if frame.medicines or frame.partners else FACT_SECTIONS
    facts = retrieve_drugs([*drugs, *frame.medicines], sections, edition_id=corpus.edition_id)
    return (*found, *facts)


def indications_name(frame: QueryFrame, corpus: Corpus) -> bool:
    """Whether some indication names the first condition told, word for word. At most two queries."""
    condition = told_of(frame).condition
    if not condition:
        return False
    first = Condition(condition.runs[:1])
    queries = dict.fromkeys((_all_of(restored(first, corpus.accents.restore)), _all_of(first)))
    found = (find_indicated(_matching(query, SectionKey.CHI_DINH, corpus), first) for query in queries)
    return any(not one.in_part for drugs in found for one in drugs)


def medicines_tell(frame: QueryFrame, corpus: Corpus) -> bool:
    """Whether what is told may be what a medicine of the patient's did, or forbids it: unwanted effects name it,
    contraindications or, where it is a rhythm, a fit or the like, its overdose. One query."""
    condition = Condition(told_of(frame).condition.runs[:1])
    if not condition:
        return False
    of_harm = (SectionKey.ADR, SectionKey.CHONG_CHI_DINH, *((SectionKey.QUA_LIEU,) if _is_sign(condition) else ()))
    blocks = retrieve_drugs(frame.medicines, of_harm, edition_id=corpus.edition_id)
    return any(
        forbids_beside(block, frame, (condition,))
        if block.section is SectionKey.CHONG_CHI_DINH
        else speaks_of(block, condition, counts=is_caused)
        for block in blocks
    )


def _is_sign(condition: Condition) -> bool:
    return fold(condition.terms[0].typed[0]) in _SIGNS


def retrieve_relation(frame: QueryFrame, corpus: Corpus) -> tuple[EvidenceBlock, ...]:
    """The passages of the relation's section that may name the condition, or one of several told in one breath. At most
    five queries."""
    if is_asked_of_all(frame):
        named = " | ".join(_together(words(name)) for name in names_of(frame))
        return _matching(named, SectionKey.TUONG_TAC, corpus)
    section, condition = section_of(frame), told_of(frame).condition
    if section is None:
        return ()
    restore = corpus.accents.restore
    if is_of_allergy(frame):
        allergens = " | ".join(_together(words(name)) for name in sorted(allergens_of(frame, corpus)))
        return _matching(allergens, section, corpus)
    if not condition:
        return _matching(_of_populations(asked_populations(frame)), section, corpus)
    each = " | ".join(_all_of(Condition((run,))) for run in condition.runs)
    whole = (_all_of(restored(condition, restore)), _all_of(condition))
    queries = dict.fromkeys((each,) if len(condition.runs) > 1 else (*whole, _beginnings_of(condition)))
    first = next(((query, found) for query in queries if (found := _matching(query, section, corpus))), ("", ()))
    halves = " | ".join(_all_of(Condition((run,))) for two in halves_of(condition) for run in two.runs)
    return _matching(f"{first[0]} | {halves}", section, corpus) if first[0] in whole and halves else first[1]


def _indications(condition: Condition, corpus: Corpus) -> tuple[EvidenceBlock, ...]:
    searched = restored(condition, corpus.accents.restore)
    for query in dict.fromkeys((_wide_of(searched), _wide_of(condition), _part_of(condition), _start_of(condition))):
        found = _matching(query, SectionKey.CHI_DINH, corpus)
        if find_indicated(found, condition):
            return found
    ids = rank_passages(str(condition), corpus, sections=(SectionKey.CHI_DINH,), limit=_NEAREST)
    rows = {row.pk: row for row in _passages().filter(pk__in=ids)}
    drugs = {drug.monograph_id: drug for drug in corpus.drugs.values()}
    nearest = [rows[pk] for pk in ids if pk in rows and rows[pk].section.monograph_id in drugs]
    return tuple(evidence_of(row, drugs[row.section.monograph_id], corpus.edition_id) for row in nearest)


def _matching(query: str, section: SectionKey, corpus: Corpus) -> tuple[EvidenceBlock, ...]:
    """The passages of one section of all drugs whose search tokens satisfy a tsquery, in the book's order."""
    if not query:
        return ()
    drugs = {drug.monograph_id: drug for drug in corpus.drugs.values()}
    holds = Func(
        F("tokens"),
        Value(query),
        template="(%(expressions)s::tsquery)",
        arg_joiner=" @@ ",
        output_field=BooleanField(),
    )
    rows = (
        _passages()
        .filter(
            section__monograph__edition_id=corpus.edition_id,
            section__monograph__kind=MonographKind.DRUG,
            section__key=section,
        )
        .annotate(holds=holds)
        .filter(holds=True)
        .order_by("section__monograph__order", "section__order", "order")
    )
    return tuple(
        evidence_of(row, drugs[row.section.monograph_id], corpus.edition_id)
        for row in rows
        if row.section.monograph_id in drugs
    )


def _passages() -> QuerySet[Passage]:
    return (
        Passage.objects.select_related("section")
        .order_by("section__monograph_id", "section__order", "order")
        .defer("tokens")
    )


def _all_of(condition: Condition) -> str:
    """A tsquery for passages that hold all words of a condition, as typed or as the book says it."""
    return " & ".join(f"({' | '.join(map(_together, forms_of(run)))})" for run in condition.runs)


def _wide_of(condition: Condition) -> str:
    """The same, and where an agent is told also for passages that hold what it causes."""
    caused = agent_apart(condition)
    also = f" | {_all_of(Condition(caused.runs[:1]))}" if caused else ""
    return f"{_all_of(condition)}{also}"


def _part_of(condition: Condition) -> str:
    """A tsquery for passages that hold one of several conditions, or so much of one as may ground part of it."""
    if len(condition.runs) > 1:
        return " | ".join(_all_of(Condition((run,))) for run in condition.runs)
    (run,), least = condition.runs, least_part(condition)
    parts = [run[first : first + least] for first in range(len(run) - least + 1)]
    parts += [(term,) for term in run if is_phrase(term)]
    return " | ".join(_all_of(Condition((part,))) for part in parts)


def _start_of(condition: Condition) -> str:
    """A tsquery for passages that hold the first two of a condition's words: "viêm họng" for "viêm họng liên cầu"."""
    return _all_of(Condition((condition.runs[0][:2],))) if len(condition.runs) == 1 else ""


def _beginnings_of(condition: Condition) -> str:
    """A tsquery for passages that hold the words with which a condition begins: "ho" for "ho khan"."""
    return _all_of(Condition((condition.runs[0][:1],)))


def _of_populations(populations: Collection[Population]) -> str:
    return " | ".join(_token(word) for population in populations for word in POPULATION_WORDS[population])


def _together(form: Sequence[str]) -> str:
    return f"({' & '.join(_token(word) for word in form if words(word))})"


def _token(word: str) -> str:
    # A hyphenated word is kept as its parts.
    parts = [spelling(part) if has_accents(part) else fold(part) for part in words(word)]
    return "(" + " & ".join(f"'{part}'" for part in parts) + ")"


def appendix_headings(edition_id: int) -> list[tuple[int, str, DrugRef]]:
    """(section id, heading, appendix) of every section of the edition's appendices. One query."""
    rows = (
        Section.objects.filter(monograph__edition_id=edition_id, monograph__kind=MonographKind.APPENDIX, key="")
        .select_related("monograph")
        .order_by("monograph__order", "order")
    )
    return [
        (
            row.pk,
            row.heading,
            DrugRef(
                row.monograph.slug,
                row.monograph.display_name,
                row.monograph_id,
                row.monograph.pdf_page,
                row.monograph.printed_page,
            ),
        )
        for row in rows
    ]


def retrieve_mixing(frame: QueryFrame, corpus: Corpus) -> tuple[EvidenceBlock, ...]:
    """What the drugs' monographs say, and the entries of the appendices on them, with what holds for all. Three
    queries."""
    drugs = frame.drugs[:MOST_DRUGS]
    own = retrieve_drugs(drugs, SectionKey, edition_id=corpus.edition_id)
    headings = appendix_headings(corpus.edition_id)
    others = corpus.drugs.values()
    wanted = {
        section_id: appendix
        for section_id, heading, appendix in headings
        if any(heads(heading, drug) for drug in drugs) or not any(heads(heading, drug) for drug in others)
    }
    rows = _passages().filter(section_id__in=list(wanted))
    return (*own, *(evidence_of(row, wanted[row.section_id], corpus.edition_id) for row in rows))
