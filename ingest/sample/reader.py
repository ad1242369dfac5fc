"""Reads one source file into a monograph, or says where and how it breaks the format."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ingest.sample.values import (
    Cell,
    Face,
    Formula,
    Item,
    Monograph,
    Paragraph,
    Run,
    Section,
    Segment,
    SourceError,
    Table,
    TableStyle,
)
from monographs.domain import SECTION_FACTS, MonographKind, SectionKey

MARKUP = re.compile(r"\*\*(?P<outer>[^*]+)\*\*|\*(?P<inner>[^*]+)\*|_(?P<italic>[^_]+)_")
FIELDS = ("title", "synonyms", "subtitle", "kind", "absent", "running_head")


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
