"""Reads the plain text sources of the sample formulary into values; docs/sample-format.md describes the format."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from monographs.domain import SECTION_FACTS, MonographKind, SectionKey

SAMPLE_DIR = Path(__file__).parent
SOURCES_DIR = SAMPLE_DIR / "sources"
EDITION_FILE = SAMPLE_DIR / "edition.toml"
BRAND_FILE = "brand-index.txt"

RUN_IN_KEYS = (SectionKey.TEN_CHUNG_QUOC_TE, SectionKey.MA_ATC, SectionKey.LOAI_THUOC)
MARKUP = re.compile(r"\*\*(?P<outer>[^*]+)\*\*|\*(?P<inner>[^*]+)\*|_(?P<italic>[^_]+)_")
FIELDS = ("title", "synonyms", "subtitle", "kind", "absent", "running_head")


class SourceError(ValueError):
    """A source file breaks the format; the message says where and what to do."""

    def __init__(self, path: Path, line: int, advice: str) -> None:
        super().__init__(f"{path.name}:{line}: {advice}")
        self.path, self.line, self.advice = path, line, advice


class Face(StrEnum):
    """The four faces in which text is set."""

    REGULAR = "Regular"
    BOLD = "Bold"
    ITALIC = "Italic"
    BOLD_ITALIC = "BoldItalic"


class TableStyle(StrEnum):
    """How a table is ruled."""

    RULED = "ruled"
    BOOKTABS = "booktabs"
    UNRULED = "unruled"


@dataclass(frozen=True, slots=True)
class Run:
    """Characters of one face; superscripts are still Unicode superscripts."""

    text: str
    face: Face = Face.REGULAR


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of a paragraph under one label path: one passage.

    labels: outermost first, without the colon; a label printed at the head of this segment is in runs too.
    """

    runs: tuple[Run, ...]
    labels: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The exact text of the passage."""
        return "".join(run.text for run in self.runs)


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One source line; more than one segment only where a label stands in mid-paragraph."""

    segments: tuple[Segment, ...]
    line: int

    @property
    def text(self) -> str:
        """The exact text, marks removed."""
        return " ".join(segment.text for segment in self.segments)


@dataclass(frozen=True, slots=True)
class Cell:
    """A table cell with its place (row, column from 0) and the rows and columns it spans."""

    text: str
    row: int
    column: int
    rows: int = 1
    columns: int = 1


@dataclass(frozen=True, slots=True)
class Table:
    """A table without caption; rows are as written, cells are after merging."""

    style: TableStyle
    wide: bool
    head_rows: int
    rows: tuple[tuple[str, ...], ...]
    cells: tuple[Cell, ...]
    labels: tuple[str, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Formula:
    r"""A display formula in the markup of the format (\frac{a}{b}, x^{2}, x_{i})."""

    markup: str
    labels: tuple[str, ...]
    line: int


Item = Paragraph | Table | Formula


@dataclass(frozen=True, slots=True)
class Section:
    """A section; key is None in chapters and appendices. Tables and formulas add nothing to its text."""

    key: SectionKey | None
    heading: str
    items: tuple[Item, ...]
    line: int

    @property
    def paragraphs(self) -> tuple[Paragraph, ...]:
        """The paragraphs, in order."""
        return tuple(item for item in self.items if isinstance(item, Paragraph))

    @property
    def text(self) -> str:
        """What an ingested section must equal, character for character."""
        return "\n".join(paragraph.text for paragraph in self.paragraphs)


@dataclass(frozen=True, slots=True)
class Monograph:
    """One source file."""

    path: Path
    kind: MonographKind
    title: str
    subtitle: str
    synonyms: tuple[str, ...]
    running_head: str
    sections: tuple[Section, ...]
    absent: tuple[SectionKey, ...]
    facts_from: tuple[str, ...]

    @property
    def slug(self) -> str:
        """The file's name without its ending."""
        return self.path.stem

    def section(self, key: SectionKey) -> Section | None:
        """The section of that key, or None where the monograph has none."""
        return next((section for section in self.sections if section.key is key), None)


@dataclass(frozen=True, slots=True)
class BrandLine:
    """A line of the brand index as asked for; paged is False where the index prints no page."""

    brand: str
    drug: str
    paged: bool = True

    @property
    def drugs(self) -> tuple[str, ...]:
        """As a tuple, for those who keep a brand with several drugs."""
        return (self.drug,)


@dataclass(frozen=True, slots=True)
class Edition:
    """An edition: its facts and its files in book order."""

    number: int
    title: str
    year: int
    edition: str
    running_head: str
    footer: str
    first_printed_page: int
    monographs: tuple[Monograph, ...]
    brands: tuple[BrandLine, ...]


def fold(text: str) -> str:
    """Lower case without accents, for ordering and file names."""
    plain = unicodedata.normalize("NFD", text.replace("Đ", "D").replace("đ", "d"))
    return "".join(c for c in plain if not unicodedata.combining(c)).lower()


def load_edition(number: int | None = None, *, with_next: bool = False) -> Edition:
    """The edition of that number (default: the bundled one); with_next adds what waits in sources/next."""
    settings = tomllib.loads(EDITION_FILE.read_text(encoding="utf-8"))
    number = number or settings["bundled"]
    facts = settings["editions"].get(str(number))
    if facts is None:
        raise SourceError(EDITION_FILE, 1, f"không có ấn bản {number}: hãy thêm mục [editions.{number}]")
    folders = [SOURCES_DIR / name for name in facts["sources"]] + ([SOURCES_DIR / "next"] if with_next else [])
    return _edition(number, facts, folders)


def _edition(number: int, facts: dict[str, object], folders: list[Path]) -> Edition:
    files = edition_files(folders, removed=tuple(_strings(facts.get("remove", []))))
    monographs = sorted((read_monograph(path) for path in files), key=_book_order)
    extra = [line for folder in folders for line in read_brands(folder / BRAND_FILE)]
    return Edition(
        number=number,
        title=str(facts["title"]),
        year=int(str(facts["year"])),
        edition=str(facts["edition"]),
        running_head=str(facts["running_head"]),
        footer=str(facts["footer"]),
        first_printed_page=int(str(facts["first_printed_page"])),
        monographs=tuple(monographs),
        brands=brand_lines(monographs, extra),
    )


def _strings(values: object) -> Iterator[str]:
    if isinstance(values, list):
        yield from (str(value) for value in values)


def edition_files(folders: list[Path], *, removed: tuple[str, ...] = ()) -> list[Path]:
    """The files of an edition: a later folder's file replaces an earlier one of the same name."""
    files: dict[str, Path] = {}
    for folder in folders:
        files |= {path.stem: path for path in sorted(folder.glob("*.txt")) if path.name != BRAND_FILE}
    return [files[stem] for stem in sorted(files) if stem not in removed]


KIND_ORDER = (MonographKind.CHAPTER, MonographKind.DRUG, MonographKind.APPENDIX)


def _book_order(monograph: Monograph) -> tuple[int, str, str]:
    name = monograph.title if monograph.kind is MonographKind.DRUG else monograph.slug
    return KIND_ORDER.index(monograph.kind), fold(name), fold(monograph.subtitle)


def brand_lines(monographs: list[Monograph], extra: list[BrandLine]) -> tuple[BrandLine, ...]:
    """The trade names of every monograph and the extra lines, sorted; a brand of two drugs has two lines."""
    lines = {(line.brand, line.drug): line for line in extra}
    for monograph in monographs:
        for brand in trade_names(monograph):
            lines.setdefault((brand, monograph.running_head), BrandLine(brand, monograph.running_head))
    return tuple(sorted(lines.values(), key=lambda line: (fold(line.brand), line.brand, fold(line.drug))))


def trade_names(monograph: Monograph) -> tuple[str, ...]:
    """The brands of the trade name section: separated by semicolons, closed by a full stop."""
    section = monograph.section(SectionKey.TEN_THUONG_MAI)
    text = section.text.replace("\n", " ").removesuffix(".") if section else ""
    return tuple(name.strip() for name in text.split(";") if name.strip())


def read_brands(path: Path) -> Iterator[BrandLine]:
    """Extra index lines: `Brand = Drug; Drug`, with a final `!` where the index prints no page."""
    if not path.exists():
        return
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        brand, equals, names = line.partition("=")
        if not equals:
            raise SourceError(path, number, "thiếu dấu '=': viết 'Tên thương mại = Tên thuốc'")
        for name in names.removesuffix("!").split(";"):
            yield BrandLine(brand.strip(), name.strip(), paged=not names.endswith("!"))


def read_monograph(path: Path) -> Monograph:
    """One source file, or a SourceError with its place."""
    return _Reader(path, path.read_text(encoding="utf-8").splitlines()).read()


class _Reader:
    def __init__(self, path: Path, lines: list[str]) -> None:
        self.path, self.lines, self.at = path, lines, 0
        self.outer = self.inner = ""

    def fail(self, advice: str, line: int | None = None) -> SourceError:
        return SourceError(self.path, self.at if line is None else line, advice)

    def next_line(self) -> str | None:
        """The next line that is neither blank nor a comment."""
        while self.at < len(self.lines):
            line = self.lines[self.at]
            self.at += 1
            if line.strip() and not line.startswith("#"):
                return line
        return None

    def peek_is_section(self) -> bool:
        at = self.at
        line = self.next_line()
        self.at = at
        return line is None or line.startswith("==")

    def read(self) -> Monograph:
        fields = self.read_fields()
        kind = self.read_kind(fields)
        sections = []
        while self.next_line() is not None:
            sections.append(self.read_section(kind))
        monograph = Monograph(
            path=self.path,
            kind=kind,
            title=fields["title"],
            subtitle=fields.get("subtitle", ""),
            synonyms=tuple(name.strip() for name in fields.get("synonyms", "").split(";") if name.strip()),
            running_head=fields.get("running_head", fields["title"].capitalize()),
            sections=tuple(sections),
            absent=tuple(self.read_absent(fields.get("absent", ""))),
            facts_from=tuple(line[1:].strip() for line in self.lines if line.startswith("# Nguồn:")),
        )
        self.check_whole(monograph)
        return monograph

    def read_fields(self) -> dict[str, str]:
        fields: dict[str, str] = {}
        while not self.peek_is_section():
            name, colon, value = (self.next_line() or "").partition(":")
            if not colon or name not in FIELDS:
                raise self.fail(f"đầu tệp chỉ nhận các dòng 'tên: giá trị' với tên là {', '.join(FIELDS)}")
            if name in fields:
                raise self.fail(f"'{name}' đã có ở trên: bỏ một dòng")
            fields[name] = value.strip()
        if not fields.get("title"):
            raise self.fail("thiếu 'title: TÊN THUỐC' ở đầu tệp", line=1)
        return fields

    def read_kind(self, fields: dict[str, str]) -> MonographKind:
        try:
            return MonographKind(fields.get("kind", MonographKind.DRUG))
        except ValueError:
            raise self.fail(f"kind phải là một trong {', '.join(MonographKind)}", line=1) from None

    def read_absent(self, names: str) -> Iterator[SectionKey]:
        for name in names.replace(",", " ").split():
            yield self.section_key(name)

    def section_key(self, name: str) -> SectionKey:
        try:
            return SectionKey(name)
        except ValueError:
            raise self.fail(f"không có mục '{name}'; các mục: {', '.join(SectionKey)}") from None

    def read_section(self, kind: MonographKind) -> Section:
        line = self.lines[self.at - 1]
        if not line.startswith("== "):
            raise self.fail("chờ một dòng mục '== tên_mục'")
        start, name = self.at, line.removeprefix("== ").strip()
        key, heading = self.read_heading(name) if kind is MonographKind.DRUG else (None, name)
        self.outer = self.inner = ""
        items = []
        while not self.peek_is_section():
            items.append(self.read_item(self.next_line() or ""))
        if not items:
            raise self.fail(f"mục '{name}' trống: viết nội dung, hoặc bỏ mục và khai báo 'absent: {name}'", line=start)
        return Section(key, heading, tuple(items), start)

    def read_heading(self, name: str) -> tuple[SectionKey, str]:
        word, _, printed = name.partition(":")
        key = self.section_key(word.strip())
        return key, printed.strip() or SECTION_FACTS[key].title

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(label for label in (self.outer, self.inner) if label)

    def read_item(self, line: str) -> Item:
        if line != line.strip() or "\t" in line:
            raise self.fail("bỏ khoảng trắng ở đầu hoặc cuối dòng, và dấu tab")
        if line.startswith("[table"):
            return self.read_table(line)
        if line == "[formula]":
            return self.read_formula()
        if line.startswith("["):
            raise self.fail("chỉ có [table ruled|booktabs|unruled (wide)], [formula] và [end]")
        return self.read_paragraph(line)

    def read_block(self, start: int) -> Iterator[tuple[int, str]]:
        while (line := self.next_line()) != "[end]":
            if line is None or line.startswith("=="):
                raise self.fail("khối này không có dòng [end]", line=start)
            yield self.at, line

    def read_formula(self) -> Formula:
        start = self.at
        lines = [line for _, line in self.read_block(start)]
        if len(lines) != 1:
            raise self.fail("một khối [formula] chứa đúng một dòng công thức", line=start)
        return Formula(lines[0], self.labels, start)

    def read_table(self, line: str) -> Table:
        start, words = self.at, line.strip("[]").split()[1:]
        wide = "wide" in words
        styles = [word for word in words if word != "wide"]
        if len(styles) != 1 or styles[0] not in set(TableStyle):
            raise self.fail("viết [table ruled], [table booktabs] hoặc [table unruled], thêm 'wide' nếu trải hai cột")
        rows, head_rows = self.read_rows(start)
        return Table(TableStyle(styles[0]), wide, head_rows, rows, merged_cells(rows), self.labels, start)

    def read_rows(self, start: int) -> tuple[tuple[tuple[str, ...], ...], int]:
        rows: list[tuple[str, ...]] = []
        head_rows = 0
        for number, line in self.read_block(start):
            if line == "---":
                head_rows = len(rows)
                continue
            rows.append(tuple(cell.strip() for cell in line.split("|")))
            if len(rows[-1]) != len(rows[0]):
                raise self.fail(f"hàng có {len(rows[-1])} ô, hàng đầu có {len(rows[0])} ô", line=number)
        if not rows or not head_rows:
            raise self.fail("bảng cần hàng tiêu đề, một dòng '---' rồi các hàng", line=start)
        return tuple(rows), head_rows

    def read_paragraph(self, line: str) -> Paragraph:
        segments: list[Segment] = []
        runs: list[Run] = []
        at = 0
        for mark in MARKUP.finditer(line):
            _add(runs, line[at : mark.start()])
            at = mark.end()
            if mark["italic"]:
                runs.append(Run(mark["italic"], Face.ITALIC))
                continue
            if any(run.face is Face.REGULAR and run.text.strip() for run in runs):
                segments.append(self.segment(runs))
                runs = []
            printed = self.open_label(mark, whole=mark.end() == len(line))
            runs.append(Run(printed, Face.BOLD_ITALIC if mark["outer"] else Face.ITALIC))
        _add(runs, line[at:])
        segments.append(self.segment(runs))
        if any(mark in segment.text for segment in segments for mark in "*_"):
            raise self.fail("dấu * hoặc _ lẻ: nhãn viết **Nhãn ngoài:** hay *nhãn trong:*, chữ nghiêng viết _như thế_")
        return Paragraph(tuple(segments), self.at)

    def segment(self, runs: list[Run]) -> Segment:
        last = Run(runs[-1].text.rstrip(" "), runs[-1].face)
        return Segment((*runs[:-1], *([last] if last.text else [])), self.labels)

    def open_label(self, mark: re.Match[str], *, whole: bool) -> str:
        printed = (mark["outer"] or mark["inner"]).replace("_", "")
        if not printed.endswith(":") and not whole:
            raise self.fail(f"nhãn '{printed}' phải kết thúc bằng dấu hai chấm, hoặc đứng riêng một dòng")
        label = printed.removesuffix(":")
        if mark["outer"]:
            self.outer, self.inner = label, ""
        else:
            self.inner = label
        return printed

    def check_whole(self, monograph: Monograph) -> None:
        if not monograph.facts_from:
            raise self.fail("thiếu dòng '# Nguồn: …' nêu tài liệu đã đối chiếu", line=1)
        if monograph.kind is MonographKind.DRUG:
            self.check_sections(monograph)

    def check_sections(self, monograph: Monograph) -> None:
        order = list(SectionKey)
        places = [order.index(section.key) for section in monograph.sections if section.key]
        for before, section in zip(places, monograph.sections[1:], strict=False):
            if section.key and order.index(section.key) <= before:
                raise self.fail(f"mục '{section.key}' sai thứ tự hoặc lặp lại", line=section.line)
        for key in SectionKey:
            declared, present = key in monograph.absent, monograph.section(key) is not None
            if declared and present:
                raise self.fail(f"mục '{key}' vừa có vừa khai báo absent", line=1)
            if not declared and not present:
                raise self.fail(f"thiếu mục '{key}': viết mục, hoặc thêm nó vào dòng 'absent:'", line=1)


def _add(runs: list[Run], text: str) -> None:
    if text:
        runs.append(Run(text))


def merged_cells(rows: tuple[tuple[str, ...], ...]) -> tuple[Cell, ...]:
    """Cells after merging: `<` belongs to the cell on its left, `^` to the cell above."""
    cells = []
    for r, row in enumerate(rows):
        for c, text in enumerate(row):
            if text in {"<", "^"}:
                continue
            columns = 1
            while c + columns < len(row) and row[c + columns] == "<":
                columns += 1
            depth = 1
            while r + depth < len(rows) and rows[r + depth][c] == "^":
                depth += 1
            cells.append(Cell(text, r, c, depth, columns))
    return tuple(cells)
