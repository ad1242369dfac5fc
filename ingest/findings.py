"""What a whole book's pages tell against it: no text, only invisible text."""

from __future__ import annotations

from collections.abc import Sequence

from ingest.blocks import Line, PageLayout
from ingest.domain import Finding, FindingKind, ParsedMonograph
from ingest.open_pdf import PdfRefused, Refusal
from ingest.pages import ReadPage
from monographs.domain import MonographKind

FEW_LETTERS = 40  # a page with fewer has no text to speak of
TEXTLESS_SHARE = 0.9


def refuse_unusable(pages: Sequence[ReadPage]) -> None:
    """Raises PdfRefused for scans: without a text layer, or with an invisible one only."""
    unread = sum(1 for page in pages if page.unreadable)
    if 2 * unread > len(pages):
        raise PdfRefused(Refusal.DAMAGED, f"{unread} of {len(pages)} pages unreadable")
    textless = [page for page in pages if page.summary.letters < FEW_LETTERS]
    if len(textless) < TEXTLESS_SHARE * len(pages):
        return
    invisible = sum(page.invisible for page in pages)
    visible = sum(page.summary.letters for page in pages)
    if invisible > 10 * max(visible, FEW_LETTERS // 10):
        raise PdfRefused(Refusal.INVISIBLE_TEXT, f"{invisible} invisible characters, {visible} visible")
    if visible < FEW_LETTERS * max(1, len(pages) // 10):
        raise PdfRefused(Refusal.NO_TEXT, f"{visible} characters on {len(pages)} pages")


def refuse_without_drugs(monographs: Sequence[ParsedMonograph]) -> None:
    """Raises PdfRefused for a readable PDF that is no formulary."""
    if not any(monograph.kind is MonographKind.DRUG for monograph in monographs):
        raise PdfRefused(Refusal.NO_MONOGRAPHS, f"{len(monographs)} chapters")


def plate_findings(page: PageLayout) -> list[Finding]:
    """The text of a plate, which belongs to no section."""
    lines = [item for item in page.items if isinstance(item, Line)]
    return [Finding(FindingKind.UNPLACED_TEXT, page.number, line.box, line.text[:200]) for line in lines]
