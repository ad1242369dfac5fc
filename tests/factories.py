"""Small builders of rows and contracts; every test names only what it is about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from django.urls import reverse

from chat.contract import (
    Answer,
    AnswerBlock,
    Citation,
    Claim,
    EditionRef,
    EvidenceItem,
    SectionLink,
    StatusReason,
)
from chat.domain import Decision, Reason
from chat.models import Conversation, Turn, TurnState
from chat.outcomes import OUTCOMES
from monographs.disclaimer import disclaimer
from monographs.domain import SECTION_FACTS, AliasKind, PassageKind, PassageState, SectionKey
from monographs.models import Alias, Edition, EditionState, Monograph, Passage, Section
from monographs.text import fold, slugify, sort_key

PAGE_SIZE = [595.0, 842.0]
ONE_LINE = [[1, 50.0, 100.0, 280.0, 112.0]]


def make_edition(*, state: str = EditionState.PUBLISHED, pages: int = 4, **fields: Any) -> Edition:
    """An edition of a few A4 pages, printed page = PDF page + 100."""
    values: dict[str, Any] = {
        "title": "Dược thư thử nghiệm",
        "year": 2026,
        "sha256": uuid4().hex * 2,
        "parser_version": "test",
        "page_map": {str(page): page + 100 for page in range(1, pages + 1)},
        "page_sizes": {str(page): PAGE_SIZE for page in range(1, pages + 1)},
    }
    return Edition.objects.create(state=state, **values | fields)


def make_monograph(
    edition: Edition, name: str = "Paracetamol", *, aliases: Sequence[str] = (), **fields: Any
) -> Monograph:
    """A monograph with its own name and the given brands as aliases."""
    values: dict[str, Any] = {
        "slug": slugify(name),
        "title": name.upper(),
        "name": name,
        "order": edition.monographs.count() + 1,
        "sort_key": sort_key(name),
        "pdf_page": 1,
        "printed_page": 101,
    }
    monograph = Monograph.objects.create(edition=edition, **values | fields)
    make_alias(monograph, monograph.display_name, kind=AliasKind.NAME)
    for alias in aliases:
        make_alias(monograph, alias)
    return monograph


def make_alias(monograph: Monograph, text: str, *, kind: AliasKind = AliasKind.TRADE_NAME) -> Alias:
    """A name of a monograph."""
    return Alias.objects.create(edition=monograph.edition, monograph=monograph, text=text, folded=fold(text), kind=kind)


def make_section(monograph: Monograph, key: SectionKey = SectionKey.LIEU_DUNG, *texts: str, **fields: Any) -> Section:
    """A section, with one served passage for each text."""
    values: dict[str, Any] = {
        "heading": SECTION_FACTS[key].title,
        "anchor": key.value.replace("_", "-"),
        "order": monograph.sections.count() + 1,
        "pdf_page": 1,
        "printed_page": 101,
    }
    section = Section.objects.create(monograph=monograph, key=key, **values | fields)
    for text in texts:
        make_passage(section, text)
    return section


def make_passage(section: Section, text: str = "Người lớn: uống 500 mg - 1 g.", **fields: Any) -> Passage:
    """A passage of one line on the first page."""
    values: dict[str, Any] = {
        "uid": uuid4().hex,
        "order": section.passages.count() + 1,
        "pdf_page": 1,
        "printed_page": 101,
        "boxes": ONE_LINE,
    }
    return Passage.objects.create(section=section, text=text, **values | fields)


def make_held_back(section: Section, **fields: Any) -> Passage:
    """A quarantined table."""
    values: dict[str, Any] = {
        "kind": PassageKind.TABLE,
        "state": PassageState.QUARANTINED,
        "boxes": [[1, 50.0, 200.0, 280.0, 320.0]],
    }
    return make_passage(section, "Độ thanh thải Liều", **values | fields)


def make_citation(passage: Passage) -> Citation:
    """The citation of a passage as it stands."""
    section = passage.section
    monograph = section.monograph
    return Citation(
        doc_id=monograph.slug,
        chunk_id=passage.uid,
        passage_id=passage.pk,
        section=SectionKey(section.key),
        section_heading=section.heading,
        section_url=reverse("section", args=[monograph.slug, section.anchor]),
        drug_id=monograph.slug,
        drug_name=monograph.display_name,
        labels=tuple(passage.labels),
        page_span=(passage.printed_page or 0, passage.printed_page or 0),
        pdf_pages=(passage.pdf_page,),
        regions=tuple((box[0], box[1], box[2], box[3], box[4]) for box in passage.boxes),
        crop=reverse("passage-crop", args=[passage.pk]),
        state=PassageState(passage.state),
        kind=PassageKind(passage.kind),
    )


def make_answer(
    reason: Reason = Reason.VERIFIED, passages: Sequence[Passage] = (), *, verbatim: bool = True, **fields: Any
) -> Answer:
    """A contract: each passage that may be quoted is a claim, neighbours of one section a block."""
    facts = OUTCOMES[reason]
    quoted = [passage for passage in passages if passage.shows_text]
    edition = passages[0].section.monograph.edition if passages else None
    values: dict[str, Any] = {
        "decision": facts.decision,
        "reason": reason,
        "status": facts.status,
        "status_reason": StatusReason(code=facts.code, verified=facts.decision is Decision.ANSWERABLE),
        "query_type": facts.query_type or "drug_attribute",
        "message": facts.text.format(drug="Paracetamol", section="Liều lượng và cách dùng", terms="aspirinol"),
        "next_step": facts.next_step,
        "claims": tuple(_make_claim(passage, verbatim=verbatim) for passage in quoted),
        "evidence": tuple(_make_evidence(passage) for passage in passages),
        "blocks": tuple(_make_blocks(quoted)),
        "disclaimer": disclaimer(edition_title=edition.title if edition else "Dược thư", is_sample=True),
        "edition": _edition_ref(edition) if edition else None,
        "trace_id": str(uuid4()),
    }
    return Answer(**values | fields)


def make_conversation(owner: str = "anon:test", **fields: Any) -> Conversation:
    """A conversation of an owner."""
    return Conversation.objects.create(owner=owner, **{"title": "Liều paracetamol?"} | fields)


def make_turn(
    conversation: Conversation, answer: Answer | None = None, *, question: str = "Liều paracetamol?", **fields: Any
) -> Turn:
    """A turn: done with the given answer, pending without one."""
    values: dict[str, Any] = {"state": TurnState.PENDING}
    if answer is not None:
        values = {
            "state": TurnState.DONE,
            "decision": answer.decision,
            "reason": answer.reason,
            "contract": answer.model_dump(mode="json"),
        }
    return Turn.objects.create(conversation=conversation, question=question, **values | fields)


def section_link(section: Section) -> SectionLink:
    """A link to a section's permanent address."""
    return SectionLink(label=section.heading, url=reverse("section", args=[section.monograph.slug, section.anchor]))


def _make_claim(passage: Passage, *, verbatim: bool) -> Claim:
    return Claim(
        target=passage.section.monograph.slug,
        claim=passage.shown_text,
        support=passage.shown_text,
        citations=(make_citation(passage),),
        verbatim=verbatim,
    )


def _make_evidence(passage: Passage) -> EvidenceItem:
    citation = make_citation(passage)
    return EvidenceItem(
        chunk_id=passage.uid,
        drug_id=citation.drug_id,
        section=citation.section,
        labels=citation.labels,
        text=passage.shown_text if passage.shows_text else "",
        state=citation.state,
        kind=citation.kind,
        citation=citation,
    )


def _make_blocks(quoted: Sequence[Passage]) -> list[AnswerBlock]:
    blocks: dict[int, AnswerBlock] = {}
    for index, passage in enumerate(quoted):
        section = passage.section
        before = blocks.get(section.pk)
        blocks[section.pk] = AnswerBlock(
            kind=SECTION_FACTS[SectionKey(section.key)].block,
            title=section.heading,
            section=SectionKey(section.key),
            drug_id=section.monograph.slug,
            drug_name=section.monograph.display_name,
            claims=(*(before.claims if before else ()), index),
        )
    return list(blocks.values())


def _edition_ref(edition: Edition) -> EditionRef:
    return EditionRef(
        id=edition.pk,
        title=edition.title,
        year=edition.year,
        is_sample=edition.is_sample,
        corpus_version=edition.corpus_version,
    )
