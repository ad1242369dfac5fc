"""What the parser makes of a PDF: a book of monographs, sections and passages, with every doubt recorded."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from monographs.domain import Box, MonographKind, PassageKind, SectionKey


class FindingKind(StrEnum):
    """Every doubt the parser can have about what it read."""

    # Quarantined: the passage is shown only as a crop.
    TABLE = "table"
    FORMULA = "formula"
    FIGURE = "figure"
    FLATTENED_SCRIPT = "flattened_script"
    UNRESOLVED_GLYPH = "unresolved_glyph"
    UNSURE_ORDER = "unsure_order"
    SPLIT_NUMBER = "split_number"
    NUMBER_DISAGREEMENT = "number_disagreement"
    ROTATED_TEXT = "rotated_text"
    INVISIBLE_TEXT = "invisible_text"
    OUTSIDE_PAGE = "outside_page"
    UNREADABLE_PAGE = "unreadable_page"
    # Reported, and served all the same.
    HEADING_GUESSED = "heading_guessed"
    HYPHEN_GUESSED = "hyphen_guessed"
    TEXT_REPAIRED = "text_repaired"
    MISSING_UNIT_SPACE = "missing_unit_space"
    MISSING_SECTION = "missing_section"
    PAGE_NUMBER_DISAGREEMENT = "page_number_disagreement"
    DUPLICATE_TITLE = "duplicate_title"
    UNPLACED_TEXT = "unplaced_text"


@dataclass(frozen=True, slots=True)
class FindingFacts:
    """title: Vietnamese, for the staff pages; quarantines: whether the passage it touches is held back."""

    title: str
    quarantines: bool


FINDING_FACTS: dict[FindingKind, FindingFacts] = {
    FindingKind.TABLE: FindingFacts("Bảng", quarantines=True),
    FindingKind.FORMULA: FindingFacts("Công thức", quarantines=True),
    FindingKind.FIGURE: FindingFacts("Hình", quarantines=True),
    FindingKind.FLATTENED_SCRIPT: FindingFacts("Chỉ số trên/dưới bị mất", quarantines=True),
    FindingKind.UNRESOLVED_GLYPH: FindingFacts("Ký tự không giải mã được", quarantines=True),
    FindingKind.UNSURE_ORDER: FindingFacts("Thứ tự cột không chắc chắn", quarantines=True),
    FindingKind.SPLIT_NUMBER: FindingFacts("Số bị ngắt qua hai dòng", quarantines=True),
    FindingKind.NUMBER_DISAGREEMENT: FindingFacts("Hai bộ trích xuất đọc số khác nhau", quarantines=True),
    FindingKind.ROTATED_TEXT: FindingFacts("Chữ bị xoay", quarantines=True),
    FindingKind.INVISIBLE_TEXT: FindingFacts("Chữ ẩn", quarantines=True),
    FindingKind.OUTSIDE_PAGE: FindingFacts("Chữ nằm ngoài khung trang", quarantines=True),
    FindingKind.UNREADABLE_PAGE: FindingFacts("Trang không đọc được", quarantines=True),
    FindingKind.HEADING_GUESSED: FindingFacts("Tiêu đề mục được suy đoán", quarantines=False),
    FindingKind.HYPHEN_GUESSED: FindingFacts("Dấu nối cuối dòng được suy đoán", quarantines=False),
    FindingKind.TEXT_REPAIRED: FindingFacts("Chữ được chuẩn hoá", quarantines=False),
    FindingKind.MISSING_UNIT_SPACE: FindingFacts("Thiếu khoảng trắng trước đơn vị", quarantines=False),
    FindingKind.MISSING_SECTION: FindingFacts("Chuyên luận thiếu mục thường có", quarantines=False),
    FindingKind.PAGE_NUMBER_DISAGREEMENT: FindingFacts("Số trang in không khớp", quarantines=False),
    FindingKind.DUPLICATE_TITLE: FindingFacts("Tên chuyên luận trùng nhau", quarantines=False),
    FindingKind.UNPLACED_TEXT: FindingFacts("Chữ không thuộc chuyên luận nào", quarantines=False),
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One doubt, with its place. box is None where the whole page or the whole book is meant (pdf_page 0)."""

    kind: FindingKind
    pdf_page: int
    box: Box | None = None
    detail: str = ""

    @property
    def quarantines(self) -> bool:
        """Whether the passage this finding touches may only be shown as a crop."""
        return FINDING_FACTS[self.kind].quarantines


@dataclass(frozen=True, slots=True)
class ParsedPassage:
    """The smallest unit worth citing: a labelled paragraph, a list item group, a table, a formula or a figure.

    text: verbatim, lines joined, superscripts as Unicode; for a table or formula what could be read, never shown.
    labels: the run-in labels that govern it, outermost first, as printed without the colon
        ("Người lớn", "Thường gặp, ADR > 1/100"); a label printed at the head of this very passage is both
        here and in the text.
    starts_paragraph: False where the book continues the same paragraph (a label in the middle of one, text
        resumed after a table); sections are joined with a line break or a space accordingly.
    boxes: one per printed line of text; one per region and page for the other kinds.
    printed_page: of its first line; None where the book prints none and none can be derived.
    """

    text: str
    kind: PassageKind
    pdf_page: int
    printed_page: int | None
    boxes: tuple[Box, ...]
    labels: tuple[str, ...] = ()
    starts_paragraph: bool = True
    findings: tuple[Finding, ...] = ()

    @property
    def quarantined(self) -> bool:
        """Whether any of its findings holds it back."""
        return any(finding.quarantines for finding in self.findings)


@dataclass(frozen=True, slots=True)
class ParsedSection:
    """A section under its heading as printed; pdf_page and printed_page are the heading's."""

    key: SectionKey | None
    heading: str
    pdf_page: int
    printed_page: int | None
    passages: tuple[ParsedPassage, ...]

    @property
    def text(self) -> str:
        """The section's text from its text passages, held-back ones included."""
        return join_passages(self.passages)


def join_passages(passages: tuple[ParsedPassage, ...]) -> str:
    """The text passages joined as the book sets them: a line break per paragraph, a space inside one."""
    joined = ""
    for passage in passages:
        if passage.kind is PassageKind.TEXT:
            joined += ("" if not joined else "\n" if passage.starts_paragraph else " ") + passage.text
    return joined


@dataclass(frozen=True, slots=True)
class ParsedMonograph:
    """A monograph, a general chapter or an appendix.

    title: as printed, repaired of kerning ("SALBUTAMOL"); subtitle: the plain line below a title that
    is used twice ("Dùng trong hô hấp"), else ""; synonyms: those printed in brackets with the title.
    Sections of a chapter or an appendix have key None.
    """

    title: str
    kind: MonographKind
    pdf_page: int
    printed_page: int | None
    sections: tuple[ParsedSection, ...]
    subtitle: str = ""
    synonyms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BrandIndexLine:
    """A line of the brand index, "Cardilopin - Amlodipin, 187"; printed_target None where it gives no page."""

    brand: str
    drug_names: tuple[str, ...]
    printed_target: int | None
    pdf_page: int


@dataclass(frozen=True, slots=True)
class ParsedBook:
    """A whole PDF, parsed.

    page_map: PDF page (from 1) to printed page, or None where a page has no number;
    page_sizes: PDF page to (width, height) in points as displayed;
    regions: tables, figures and the like that belong to no section.
    """

    monographs: tuple[ParsedMonograph, ...]
    page_map: dict[int, int | None]
    page_sizes: dict[int, tuple[float, float]]
    brand_index: tuple[BrandIndexLine, ...] = ()
    regions: tuple[ParsedPassage, ...] = ()
    findings: tuple[Finding, ...] = ()
    timings: dict[str, float] = field(default_factory=dict, compare=False)
