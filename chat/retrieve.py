"""From a frame to evidence: the passages of a drug's sections, exactly as published."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from chat.domain import EvidenceBlock, QueryFrame, TurnType
from monographs.domain import DrugRef, PassageKind, PassageState, SectionKey
from monographs.models import Passage, Section
from monographs.names import Corpus
from monographs.passage_search import rank_passages
from monographs.reranking import rerank


def retrieve_evidence(frame: QueryFrame, corpus: Corpus) -> tuple[EvidenceBlock, ...]:
    """What the frame's drug says: in the book's order, or by relevance where no section was asked for."""
    drug = frame.drugs[0]
    blocks = retrieve_sections(drug, SectionKey, edition_id=corpus.edition_id)
    if frame.turn_type is not TurnType.DRUG_OVERVIEW:
        return blocks
    asked = str(frame.raw.get("rest", "")).replace("·", " ")
    ids = rank_passages(
        asked, corpus, sections=tuple(SectionKey), monograph_id=drug.monograph_id, limit=max(len(blocks), 1)
    )
    places = {passage_id: place for place, passage_id in enumerate(ids)}
    ranked = sorted(blocks, key=lambda block: places.get(block.passage_id, len(places)))
    texts = ["\n".join((*block.labels, block.text)) for block in ranked]
    return tuple(ranked[place] for place in rerank(asked, texts))


def retrieve_sections(drug: DrugRef, keys: Iterable[SectionKey], *, edition_id: int) -> tuple[EvidenceBlock, ...]:
    """Every passage of these sections of one drug, in the book's order. One query, no similarity."""
    passages = (
        Passage.objects.filter(section__monograph_id=drug.monograph_id, section__key__in=list(keys))
        .select_related("section")
        .order_by("section__order", "order")
        .defer("tokens")
    )
    return tuple(evidence_of(passage, drug, edition_id) for passage in passages)


def retrieve_section(drug: DrugRef, anchor: str, *, edition_id: int) -> tuple[EvidenceBlock, ...]:
    """Every passage of the one section with this anchor; none where the monograph has no such section. One query."""
    passages = (
        Passage.objects.filter(section__monograph_id=drug.monograph_id, section__anchor=anchor)
        .exclude(section__key="")
        .select_related("section")
        .order_by("order")
        .defer("tokens")
    )
    return tuple(evidence_of(passage, drug, edition_id) for passage in passages)


def sections_of(drugs: Sequence[DrugRef]) -> tuple[tuple[DrugRef, str, str], ...]:
    """(drug, heading as printed, anchor) of every keyed section of these drugs, in their order. One query."""
    place = {drug.monograph_id: number for number, drug in enumerate(drugs)}
    rows = Section.objects.filter(monograph_id__in=place).exclude(key="").order_by("order")
    found = rows.values_list("monograph_id", "heading", "anchor")
    ordered = sorted(found, key=lambda row: place[row[0]])
    return tuple((drugs[place[monograph_id]], heading, anchor) for monograph_id, heading, anchor in ordered)


def evidence_of(passage: Passage, drug: DrugRef, edition_id: int) -> EvidenceBlock:
    """A passage, with its section at hand, as evidence. One of an appendix, whose sections have no key, is shown as an
    incompatibility: that is what its sections are read for."""
    section = passage.section
    return EvidenceBlock(
        passage_id=passage.pk,
        passage_uid=passage.uid,
        edition_id=edition_id,
        drug=drug,
        section=SectionKey(section.key or SectionKey.TUONG_KY),
        keyed=bool(section.key),
        section_heading=section.heading,
        section_anchor=section.anchor,
        labels=tuple(passage.labels),
        text=passage.shown_text,
        kind=PassageKind(passage.kind),
        state=PassageState(passage.state),
        order=passage.order,
        pdf_page=passage.pdf_page,
        printed_page=passage.printed_page,
        printed_page_last=passage.printed_page_last,
        boxes=tuple(passage.regions),
    )
