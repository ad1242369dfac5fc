"""The citation of a passage: where a claim is printed."""

from __future__ import annotations

from urllib.parse import urlencode

from django.urls import reverse

from chat.contract import Citation
from chat.domain import EvidenceBlock


def cite(block: EvidenceBlock) -> Citation:
    """The citation of a passage. The passage has a printed page."""
    if block.printed_page is None:
        raise ValueError(f"passage {block.passage_id} has no printed page and cannot be cited")
    pages = tuple(dict.fromkeys(box.page for box in block.boxes)) or (block.pdf_page,)
    return Citation(
        doc_id=f"edition-{block.edition_id}",
        chunk_id=block.passage_uid,
        passage_id=block.passage_id,
        section=block.section,
        section_heading=block.section_heading,
        section_url=reverse("section", args=[block.drug.drug_id, block.section_anchor])
        + "?"
        + urlencode({"edition": block.edition_id}),
        drug_id=block.drug.drug_id,
        drug_name=block.drug.name,
        labels=block.labels,
        page_span=(block.printed_page, block.printed_page_last or block.printed_page),
        pdf_pages=pages,
        regions=tuple((float(b.page), b.x0, b.y0, b.x1, b.y1) for b in block.boxes),
        crop=reverse("passage-crop", args=[block.passage_id]),
        state=block.state,
        kind=block.kind,
    )
