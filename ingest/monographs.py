"""Lines in reading order become monographs and sections; general chapters and appendices are kept beside."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from ingest.blocks import Item, Line, Region
from ingest.domain import Finding, FindingKind, ParsedMonograph, ParsedPassage, ParsedSection
from ingest.headings import HeadingFound, find_heading, fold_heading, match_heading
from ingest.paragraphs import Vocabulary
from ingest.passages import build_passages, region_passage
from ingest.titles import (
    MAX_EXTRA_LINES,
    MAX_TITLE_LINES,
    TitleFound,
    find_title,
    is_bold,
    is_capitals,
    is_title_line,
    mend_title,
)
from monographs.domain import SECTION_FACTS, MonographKind, PassageKind, SectionKey

LOOK_AHEAD = MAX_TITLE_LINES + MAX_EXTRA_LINES + 2
FEWEST_SECTIONS = 3  # of a monograph that lacks its INN
CHAPTER_MIN_LETTERS = 400  # a title page has a title, but no text
NAMING_TEXT = 6_000  # characters of a monograph in which its name is looked for


@dataclass(frozen=True, slots=True)
class PlacedItem:
    """A line or region, with what its page tells: the usual size and the printed number."""

    item: Item
    body_size: float


@dataclass(slots=True)
class _OpenSection:
    key: SectionKey | None
    heading: str
    page: int
    items: list[Item] = field(default_factory=list)


@dataclass(slots=True)
class _OpenMonograph:
    title: str
    kind: MonographKind
    page: int
    subtitle: str = ""
    synonyms: tuple[str, ...] = ()
    sections: list[ParsedSection] = field(default_factory=list)


@dataclass(slots=True)
class MonographBuilder:
    """Feeds on placed items, page after page, and keeps only finished passages."""

    vocabulary: Vocabulary
    printed: Callable[[int], int | None]
    monographs: list[ParsedMonograph] = field(default_factory=list)
    regions: list[ParsedPassage] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    _open: _OpenMonograph | None = None
    _section: _OpenSection | None = None
    _last_text: str = ""
    _ahead: deque[PlacedItem] = field(default_factory=deque)

    def feed(self, items: Iterable[PlacedItem]) -> None:
        """Take in more of the book."""
        self._ahead.extend(items)
        while len(self._ahead) > LOOK_AHEAD:
            self._step()

    def finish(self) -> None:
        """The book ends here."""
        while self._ahead:
            self._step()
        self._close_monograph()

    def _step(self) -> None:
        placed = self._ahead[0]
        window = [other.item for other, _ in zip(self._ahead, range(LOOK_AHEAD), strict=False)]
        item = placed.item
        if isinstance(item, Region):
            self._ahead.popleft()
            self._place_region(item)
            return
        found = find_title(window, placed.body_size) if is_capitals(item) else None
        if found is not None:
            self._open_drug(found, item)
            return
        if is_title_line(item, placed.body_size) and self._opens_chapter(item):
            self._ahead.popleft()
            self._open_chapter(item)
            return
        self._ahead.popleft()
        self._place_line(item)

    def _open_drug(self, found: TitleFound, line: Line) -> None:
        self._close_monograph()
        for _ in range(found.lines):
            self._ahead.popleft()
        self._open = _OpenMonograph(
            found.title, MonographKind.DRUG, line.box.page, subtitle=found.subtitle, synonyms=found.synonyms
        )
        self._last_text = ""

    def _opens_chapter(self, line: Line) -> bool:
        """Capitals outside any drug, on a numbered page; inside the drugs only an appendix may begin."""
        appendix = fold_heading(line.text).startswith("phuluc")
        outside = self._open is None or self._open.kind is not MonographKind.DRUG
        return self.printed(line.box.page) is not None and (appendix or outside)

    def _open_chapter(self, line: Line) -> None:
        title = line.text.strip()
        if self._open is not None and not self._open.sections and self._section is None:
            self._open.title = f"{self._open.title} {title}"
            return
        self._close_monograph()
        kind = MonographKind.APPENDIX if fold_heading(title).startswith("phuluc") else MonographKind.CHAPTER
        self._open = _OpenMonograph(title, kind, line.box.page)

    def _place_region(self, region: Region) -> None:
        if self._section is not None:
            self._section.items.append(region)
        else:
            self.regions.append(region_passage(region, (), self.printed))

    def _place_line(self, line: Line) -> None:
        if self._open is None:
            return
        if self._open.kind is not MonographKind.DRUG:
            self._place_chapter_line(line)
            return
        rest: Line | None = line
        while rest is not None:
            rest = self._place_part(rest)

    def _place_part(self, line: Line) -> Line | None:
        """Put the line into the open section, up to a heading; returns what follows the heading."""
        if self._completes_heading(line):
            return None
        found = find_heading(line.spans, self._last_text)
        if found is None:
            self._append(line)
            return None
        if found.before:
            self._append(replace(line, spans=found.before))
        self._open_section(found, line)
        return replace(line, spans=found.after, indent=0.0) if found.after else None

    def _completes_heading(self, line: Line) -> bool:
        """The second line of a wrapped heading: "(ADR)"."""
        section = self._section
        if section is None or section.items or section.key is None or not is_bold(line):
            return False
        if match_heading(f"{section.heading} {line.text}") is section.key and match_heading(line.text) is None:
            section.heading = f"{section.heading} {line.text.strip()}"
            return True
        return False

    def _append(self, line: Line) -> None:
        self._last_text = line.text
        if self._section is not None:
            self._section.items.append(line)
        else:
            self.findings.append(Finding(FindingKind.UNPLACED_TEXT, line.box.page, line.box, line.text[:200]))

    def _open_section(self, found: HeadingFound, line: Line) -> None:
        self._close_section()
        self._section = _OpenSection(found.key, found.heading, line.box.page)
        self._last_text = ""
        if found.guessed:
            self.findings.append(Finding(FindingKind.HEADING_GUESSED, line.box.page, line.box, found.heading))

    def _place_chapter_line(self, line: Line) -> None:
        if is_bold(line) and len(line.text) < 120 and (self._section is None or self._section.items):
            self._close_section()
            self._section = _OpenSection(None, line.text.strip(), line.box.page)
            return
        if self._section is None:
            self._section = _OpenSection(None, "", line.box.page)
        self._section.items.append(line)

    def _close_section(self) -> None:
        section, self._section = self._section, None
        if section is None or self._open is None:
            return
        passages = build_passages(section.items, section.key, self.vocabulary, self.printed)
        self._open.sections.append(
            ParsedSection(section.key, section.heading.rstrip(" :"), section.page, self.printed(section.page), passages)
        )

    def _close_monograph(self) -> None:
        self._close_section()
        opened, self._open = self._open, None
        if opened is None:
            return
        if opened.kind is MonographKind.DRUG and not _is_monograph(opened):
            opened.kind = MonographKind.CHAPTER
        if opened.kind is not MonographKind.DRUG and _letters(opened) < CHAPTER_MIN_LETTERS:
            for section in opened.sections:
                self.regions += [p for p in section.passages if p.kind is not PassageKind.TEXT]
            return
        title = mend_title(opened.title, _text(opened)) if opened.kind is MonographKind.DRUG else opened.title
        self.monographs.append(
            ParsedMonograph(
                title=title,
                kind=opened.kind,
                pdf_page=opened.page,
                printed_page=self.printed(opened.page),
                sections=tuple(opened.sections),
                subtitle=opened.subtitle,
                synonyms=opened.synonyms,
            )
        )


def _is_monograph(monograph: _OpenMonograph) -> bool:
    """A leaflet may have a heading or two of ours under capitals; a monograph begins with its INN or has more."""
    keys = {section.key for section in monograph.sections}
    return SectionKey.TEN_CHUNG_QUOC_TE in keys or len(keys) >= FEWEST_SECTIONS


def _letters(monograph: _OpenMonograph) -> int:
    return sum(len(section.text) for section in monograph.sections)


def _text(monograph: _OpenMonograph) -> str:
    return "\n".join(section.text for section in monograph.sections)[:NAMING_TEXT]


def monograph_findings(monographs: Iterable[ParsedMonograph]) -> Iterator[Finding]:
    """Expected sections that are missing, and titles used twice."""
    drugs = [monograph for monograph in monographs if monograph.kind is MonographKind.DRUG]
    titles = Counter(fold_heading(monograph.title) for monograph in drugs)
    for drug in drugs:
        present = {section.key for section in drug.sections}
        lacking = [facts.title for key, facts in SECTION_FACTS.items() if facts.expected and key not in present]
        if lacking:
            yield Finding(FindingKind.MISSING_SECTION, drug.pdf_page, None, f"{drug.title}: {', '.join(lacking)}")
        if titles[fold_heading(drug.title)] > 1:
            yield Finding(FindingKind.DUPLICATE_TITLE, drug.pdf_page, None, f"{drug.title} {drug.subtitle}".strip())
