"""Where a passage was printed when it was cited: by the boxes kept with the citation, in the edition it came from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from monographs.corpus import BULK
from monographs.crops import Region, edition_pdf, regions_of, whole_page
from monographs.domain import Box
from monographs.models import EditionState, Passage


@dataclass(frozen=True, slots=True)
class CitedPlace:
    """regions: the pictures around the cited lines; pages: the whole pages; text: what the passage says now, "" where
    it is gone or may not be shown; held_back: it may not be shown any more, or is gone; replaced: its edition was;
    file_missing: the PDF of the edition is not on this server."""

    regions: tuple[Region, ...]
    pages: tuple[Region, ...]
    text: str
    held_back: bool
    replaced: bool
    file_missing: bool


def place_of_citation(passage_id: int, boxes: Sequence[Box]) -> CitedPlace:
    """The place of a citation. A passage that is gone has no picture any more."""
    passage = (
        Passage.objects.select_related("section__monograph__edition")
        .defer("tokens", *(f"section__monograph__edition__{name}" for name in BULK if name != "page_sizes"))
        .filter(pk=passage_id)
        .first()
    )
    if passage is None:
        return CitedPlace((), (), "", held_back=True, replaced=False, file_missing=False)
    edition = passage.section.monograph.edition
    pages = dict.fromkeys(box.page for box in boxes)
    return CitedPlace(
        regions=regions_of(boxes, edition.page_sizes),
        pages=tuple(view for page in pages if (view := whole_page(page, edition.page_sizes, boxes))),
        text=passage.shown_text if passage.shows_text else "",
        held_back=not passage.shows_text,
        replaced=edition.state == EditionState.SUPERSEDED,
        file_missing=not edition_pdf(edition.sha256).is_file(),
    )
