"""Every passage of the sample as evidence, straight from its sources."""

from __future__ import annotations

from functools import cache

from chat.domain import EvidenceBlock
from ingest.naming import name_of, unique_slugs
from monographs.domain import DrugRef, MonographKind, PassageState
from tests.sample_book import sample_book


@cache
def sample_evidence() -> tuple[EvidenceBlock, ...]:
    """In the book's order; tables and formulas are quarantined."""
    book = sample_book()
    blocks: list[EvidenceBlock] = []
    for number, (monograph, slug) in enumerate(zip(book.monographs, unique_slugs(book.monographs), strict=True)):
        if monograph.kind is not MonographKind.DRUG:
            continue
        drug = DrugRef(slug, name_of(monograph), number, monograph.pdf_page, monograph.printed_page)
        for section in monograph.sections:
            if section.key is None:
                continue
            for order, passage in enumerate(section.passages):
                blocks.append(
                    EvidenceBlock(
                        passage_id=len(blocks),
                        passage_uid=f"{slug}-{section.key}-{order}",
                        edition_id=1,
                        drug=drug,
                        section=section.key,
                        section_heading=section.heading,
                        section_anchor=section.key.value,
                        labels=passage.labels,
                        text=passage.text,
                        kind=passage.kind,
                        state=PassageState.QUARANTINED if passage.quarantined else PassageState.SERVED,
                        order=order,
                        pdf_page=passage.pdf_page,
                        printed_page=passage.printed_page,
                        printed_page_last=passage.printed_page,
                        boxes=passage.boxes,
                    )
                )
    return tuple(blocks)
