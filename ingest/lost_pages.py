"""Pages whose text is lost, and what they make doubtful: the section they cut, and all that follows up to a title.

A title may have stood on a lost page: what follows it could belong to another drug.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from ingest.domain import Finding, FindingKind, ParsedMonograph, ParsedPassage, ParsedSection
from ingest.open_pdf import PdfRefused, Refusal

LOST_SHARE = 0.05
BLANK = "trang trống giữa các chuyên luận"
CUT = "đoạn có thể thiếu hoặc thuộc chuyên luận khác, vì trang PDF {page} không đọc được"


def blank_pages_inside(
    blank: Collection[int], monographs: Sequence[ParsedMonograph], page_map: dict[int, int | None]
) -> list[int]:
    """Those of the empty pages that lie between the first title and the last text, and are counted by the book: a
    plate is not, and empty pages before and after the monographs are as they should be."""
    first = min(monograph.pdf_page for monograph in monographs)
    last = max(max(_pages_of(monograph)) for monograph in monographs)
    numbered = any(printed is not None for printed in page_map.values())
    return [page for page in sorted(blank) if first < page < last and (page_map.get(page) is not None or not numbered)]


def refuse_too_damaged(lost: Collection[int], total: int) -> None:
    """Raises PdfRefused where more pages are lost than one, and than a small share of the book."""
    if len(lost) > max(1.0, LOST_SHARE * total):
        raise PdfRefused(Refusal.TOO_DAMAGED, f"{len(lost)} of {total} pages lost: {sorted(lost)[:20]}")


def hold_back_around(monographs: Sequence[ParsedMonograph], lost: Collection[int]) -> list[ParsedMonograph]:
    """The monographs with a finding at every passage that a lost page makes doubtful."""
    held = list(monographs)
    for page in sorted(lost):
        before = max((at for at, monograph in enumerate(held) if monograph.pdf_page < page), default=None)
        for at, monograph in enumerate(held):
            is_open = at == before or monograph.pdf_page == page
            if is_open or page in _pages_of(monograph):
                held[at] = _doubted(monograph, page, cut=at == before)
    return held


def _doubted(monograph: ParsedMonograph, page: int, *, cut: bool) -> ParsedMonograph:
    """cut: its text may break off at the lost page, so that the section before is doubtful as a whole."""
    last = max((at for at, section in enumerate(monograph.sections) if section.pdf_page < page), default=None)
    sections = [_held(section, page, whole=cut and at == last) for at, section in enumerate(monograph.sections)]
    return replace(monograph, sections=tuple(sections))


def _held(section: ParsedSection, page: int, *, whole: bool) -> ParsedSection:
    passages = [
        _with_doubt(passage, page) if whole or max(_pages(passage)) >= page else passage for passage in section.passages
    ]
    return replace(section, passages=tuple(passages))


def _with_doubt(passage: ParsedPassage, page: int) -> ParsedPassage:
    if any(finding.kind is FindingKind.UNREADABLE_PAGE for finding in passage.findings):
        return passage
    finding = Finding(
        FindingKind.UNREADABLE_PAGE, passage.pdf_page, next(iter(passage.boxes), None), CUT.format(page=page)
    )
    return replace(passage, findings=(*passage.findings, finding))


def _pages_of(monograph: ParsedMonograph) -> set[int]:
    pages = {monograph.pdf_page}
    for section in monograph.sections:
        pages.add(section.pdf_page)
        for passage in section.passages:
            pages |= _pages(passage)
    return pages


def _pages(passage: ParsedPassage) -> set[int]:
    return {passage.pdf_page, *(box.page for box in passage.boxes)}
