"""The book as it is read: the index, search, a monograph, a section, the source of a passage. Few queries each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

from django.db.models import QuerySet
from django.db.models.functions import Collate

from monographs.corpus import BULK
from monographs.crops import Region, Sizes, regions_of, whole_page
from monographs.domain import Box, MonographKind, PassageKind, PassageState
from monographs.models import Edition, EditionState, Monograph, Passage, Section
from monographs.text import sort_key

ALPHABET = "AĂÂBCDĐEÊFGHIJKLMNOÔƠPQRSTUƯVWXYZ"
OTHER_LETTER = "#"
ATC_LENGTHS = (1, 3, 4, 5, 7)
ATC_GROUPS = {
    "A": "Đường tiêu hoá và chuyển hoá",
    "B": "Máu và cơ quan tạo máu",
    "C": "Hệ tim mạch",
    "D": "Da liễu",
    "G": "Hệ sinh dục, tiết niệu và hormon sinh dục",
    "H": "Hormon toàn thân, trừ hormon sinh dục và insulin",
    "J": "Kháng khuẩn dùng toàn thân",
    "L": "Chống ung thư và điều hoà miễn dịch",
    "M": "Hệ cơ xương",
    "N": "Hệ thần kinh",
    "P": "Chống ký sinh trùng",
    "R": "Hệ hô hấp",
    "S": "Giác quan",
    "V": "Nhóm khác",
}
_LETTER_OF = {sort_key(letter)[0]: letter for letter in ALPHABET}


@dataclass(frozen=True, slots=True)
class LetterGroup:
    """The monographs of one letter; empty where the letter is only a place in the bar."""

    letter: str
    monographs: tuple[Monograph, ...]

    @property
    def anchor(self) -> str:
        """An id for the letter: Đ and D must differ."""
        return f"chu-{ord(self.letter):x}"


@dataclass(frozen=True, slots=True)
class AtcNode:
    """A branch of the ATC tree with how many monographs stand below it; title only on the first level."""

    code: str
    count: int
    title: str = ""


@dataclass(frozen=True, slots=True)
class AtcView:
    """One branch opened: the way to it, the branches below, the monographs in it."""

    prefix: str
    path: tuple[AtcNode, ...]
    nodes: tuple[AtcNode, ...]
    monographs: tuple[Monograph, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """A passage in its place. opens_page: its printed page differs from the one before it in the section."""

    passage: Passage
    opens_page: bool
    regions: tuple[Region, ...] = ()


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Passages that the book sets as one paragraph, or a single one shown as its picture.

    resumed: the text goes on after a picture, without a new indent.
    """

    lines: tuple[Line, ...]
    is_picture: bool
    resumed: bool


@dataclass(frozen=True, slots=True)
class SectionText:
    """A section with its paragraphs."""

    section: Section
    paragraphs: tuple[Paragraph, ...]


@dataclass(frozen=True, slots=True)
class SectionPage:
    """One section on a page of its own, with its neighbours and the list of all."""

    text: SectionText
    sections: tuple[Section, ...]
    before: Section | None
    after: Section | None


@dataclass(frozen=True, slots=True)
class SourceOfPassage:
    """A passage with the pictures of the places where it is printed."""

    passage: Passage
    regions: tuple[Region, ...]

    @property
    def printed_pages(self) -> str:
        """ "12", "12–13", or "" where the book prints no number."""
        first, last = self.passage.printed_page, self.passage.printed_page_last
        if first is None:
            return ""
        return f"{first}–{last}" if last and last > first else str(first)

    @property
    def spreads(self) -> bool:
        """Whether it stands on more than one page."""
        return len(self.pdf_pages) > 1

    @property
    def pdf_pages(self) -> tuple[int, ...]:
        """The PDF pages it stands on, in order."""
        return tuple(sorted({region.page for region in self.regions})) or (self.passage.pdf_page,)


def readable_edition(edition_id: int) -> Edition | None:
    """An edition by its number, where its pages may be opened."""
    edition = Edition.objects.defer(*BULK).filter(pk=edition_id).first()
    return edition if edition and edition.is_readable else None


def monographs_of(edition: Edition) -> QuerySet[Monograph]:
    """All monographs in dictionary order, without the bulk that lists do not show."""
    rows = Monograph.objects.filter(edition=edition).only(
        "edition_id", "slug", "kind", "name", "subtitle", "inn", "atc_codes", "sort_key", "printed_page"
    )
    return rows.order_by(Collate("sort_key", "C"), "order")


def letter_groups(monographs: Iterable[Monograph]) -> tuple[LetterGroup, ...]:
    """Every letter of the alphabet with its monographs; letters the book does not use only where Latin."""
    drugs = [monograph for monograph in monographs if monograph.kind == MonographKind.DRUG]
    found = {letter: tuple(group) for letter, group in groupby(drugs, key=_letter)}
    always = {letter for letter in ALPHABET if letter.isascii()}
    shown = [letter for letter in (*ALPHABET, OTHER_LETTER) if letter in found or letter in always]
    return tuple(LetterGroup(letter, found.get(letter, ())) for letter in shown)


def general_parts(monographs: Iterable[Monograph]) -> tuple[Monograph, ...]:
    """The general chapters and appendices, in the book's order."""
    return tuple(sorted((m for m in monographs if m.kind != MonographKind.DRUG), key=lambda m: m.printed_page or 0))


def atc_view(monographs: Iterable[Monograph], prefix: str) -> AtcView:
    """A branch of the tree; prefix "" is its root."""
    coded = [(monograph, code) for monograph in monographs for code in monograph.atc_codes]
    inside = [(monograph, code) for monograph, code in coded if code.startswith(prefix)]
    length = next((length for length in ATC_LENGTHS if length > len(prefix)), 0)
    below: dict[str, set[int]] = {}
    for monograph, code in inside:
        if length and len(code) >= length:
            below.setdefault(code[:length], set()).add(monograph.pk)
    nodes = tuple(AtcNode(code, len(below[code]), ATC_GROUPS.get(code, "")) for code in sorted(below))
    path = tuple(
        AtcNode(prefix[:size], 0, ATC_GROUPS.get(prefix[:size], "")) for size in ATC_LENGTHS if size <= len(prefix)
    )
    listed = {monograph.pk: monograph for monograph, _ in inside} if prefix else {}
    return AtcView(prefix, path, nodes, tuple(listed.values()))


def read_monograph(edition: Edition, slug: str) -> tuple[Monograph, tuple[SectionText, ...]] | None:
    """A whole monograph, or None."""
    monograph = Monograph.objects.filter(edition=edition, slug=slug).first()
    if monograph is None:
        return None
    sections = list(monograph.sections.order_by("order"))
    passages = Passage.objects.filter(section__monograph=monograph).order_by("section__order", "order")
    by_section = {key: list(group) for key, group in groupby(passages, key=lambda passage: passage.section_id)}
    sizes = _sizes_for(edition, (passage for group in by_section.values() for passage in group))
    return monograph, tuple(_section_text(section, by_section.get(section.pk, []), sizes) for section in sections)


def read_section(monograph: Monograph, anchor: str) -> SectionPage | None:
    """One section of a monograph, or None."""
    sections = tuple(monograph.sections.order_by("order"))
    at = next((place for place, section in enumerate(sections) if section.anchor == anchor), None)
    if at is None:
        return None
    passages = list(sections[at].passages.order_by("order"))
    sizes = _sizes_for(monograph.edition, passages)
    return SectionPage(
        text=_section_text(sections[at], passages, sizes),
        sections=sections,
        before=sections[at - 1] if at else None,
        after=sections[at + 1] if at + 1 < len(sections) else None,
    )


def find_monograph(edition: Edition, slug: str) -> Monograph | None:
    """A monograph with its edition, without its text."""
    return Monograph.objects.select_related("edition").filter(edition=edition, slug=slug).first()


def passage_source(passage_id: int) -> SourceOfPassage | None:
    """A passage of a readable edition with its regions, or None."""
    passage = (
        Passage.objects.select_related("section__monograph__edition")
        .defer("tokens", *(f"section__monograph__edition__{name}" for name in BULK if name != "page_sizes"))
        .filter(pk=passage_id, section__monograph__edition__state__in=[EditionState.PUBLISHED, EditionState.SUPERSEDED])
        .first()
    )
    if passage is None:
        return None
    return SourceOfPassage(passage, regions_of(passage.regions, passage.section.monograph.edition.page_sizes))


def regions_of_passages(passage_ids: Iterable[int]) -> dict[int, tuple[Region, ...]]:
    """The regions of several passages; a passage that is gone has none."""
    wanted = list(passage_ids)
    if not wanted:
        return {}
    rows = Passage.objects.filter(pk__in=wanted).values_list("pk", "boxes", "section__monograph__edition__page_sizes")
    return {key: regions_of(map(Box.from_list, boxes), sizes) for key, boxes, sizes in rows}


def page_of_source(source: SourceOfPassage, page: int) -> Region | None:
    """The whole page, where the passage stands on it."""
    if page not in source.pdf_pages:
        return None
    return whole_page(page, source.passage.section.monograph.edition.page_sizes, source.passage.regions)


def _letter(monograph: Monograph) -> str:
    return _LETTER_OF.get(monograph.sort_key[:1], OTHER_LETTER)


def is_picture(passage: Passage) -> bool:
    """Whether a passage is shown as its picture: held back, or no running text and not yet put into words."""
    return not passage.shows_text or (passage.kind != PassageKind.TEXT and passage.state != PassageState.CORRECTED)


def _sizes_for(edition: Edition, passages: Iterable[Passage]) -> Sizes:
    """The page sizes, read only where a picture will be shown."""
    if not any(map(is_picture, passages)):
        return {}
    return _page_sizes(edition.pk, edition.corpus_version)


@lru_cache(maxsize=4)
def _page_sizes(edition_id: int, version: str) -> Sizes:
    sizes: Sizes = Edition.objects.values_list("page_sizes", flat=True).get(pk=edition_id)
    return sizes


def _section_text(section: Section, passages: Sequence[Passage], sizes: Sizes) -> SectionText:
    paragraphs: list[Paragraph] = []
    open_lines: list[Line] = []
    page: int | None = None
    resumed = False

    def close() -> None:
        if open_lines:
            paragraphs.append(Paragraph(tuple(open_lines), is_picture=False, resumed=resumed))
            open_lines.clear()

    for passage in passages:
        opens_page, page = passage.printed_page != page, passage.printed_page
        if is_picture(passage):
            close()
            line = Line(passage, opens_page, regions_of(passage.regions, sizes))
            paragraphs.append(Paragraph((line,), is_picture=True, resumed=False))
            continue
        if passage.starts_paragraph or not open_lines:
            close()
            resumed = not passage.starts_paragraph
        open_lines.append(Line(passage, opens_page))
    close()
    return SectionText(section, tuple(paragraphs))
