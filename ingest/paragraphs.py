"""Lines of a section joined into paragraphs: hyphens, numbers cut at a line's end, tables that interrupt."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ingest.blocks import Item, Line, Region
from ingest.domain import Finding, FindingKind
from ingest.lines import Span

STOP = re.compile(r"[.;:!?][\"”’)\]]*$")
BULLET = re.compile(r"^([-–•+*▪○►]|\d{1,2}[.)]|[a-zđ][.)])\s")
FIRST_WORD = re.compile(r"\S+(?:(?<=[\d<>≥≤±−+])\s\S+)*")
INDENT = 0.5  # em from which a line is indented
DEEP = 6.0  # em: a deeper indent is a cell or a centred line
BLANK = 1.75  # em from baseline to baseline that leaves a blank line
HALF_EMPTY = 0.4  # share of the column left empty after which a capital starts a paragraph
HYPHENS = "-‐\u00ad"
WORD_END = re.compile(r"([^\W\d_]+)[-‐\u00ad]$")
WORD_START = re.compile(r"^([^\W\d_]+)")


@dataclass(frozen=True, slots=True)
class Stretch:
    """Text of one style from one line of a paragraph; line is its index there."""

    text: str
    bold: bool
    italic: bool
    line: int


@dataclass(slots=True)
class Paragraph:
    """Lines of one paragraph, its text in stretches, and the doubts that joining them raised, by line."""

    lines: list[Line] = field(default_factory=list)
    stretches: list[Stretch] = field(default_factory=list)
    doubts: list[tuple[int, FindingKind, str]] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The joined text."""
        return "".join(stretch.text for stretch in self.stretches)


Block = Paragraph | Region
Vocabulary = Mapping[str, int]


def build_paragraphs(items: Iterable[Item], vocabulary: Vocabulary) -> list[Block]:
    """Paragraphs and regions in order; a region inside a paragraph comes after it."""
    blocks: list[Block] = []
    waiting: list[Region] = []
    current: Paragraph | None = None
    for item in items:
        if isinstance(item, Region):
            (waiting if current else blocks).append(item)
            continue
        if current is not None and starts_paragraph(current, item):
            blocks += [current, *waiting]
            current, waiting = None, []
        if current is None:
            current = Paragraph()
        add_line(current, item, vocabulary)
    return blocks + ([current] if current else []) + list(waiting)


def starts_paragraph(paragraph: Paragraph, line: Line) -> bool:
    """Whether a line begins a new paragraph after this one."""
    last = paragraph.lines[-1]
    text = paragraph.text.rstrip()
    stopped = bool(STOP.search(text))
    if _is_indented(paragraph, line) and (stopped or not line.text[:1].islower()):
        return True
    if last.column == line.column and line.box.page == last.box.page and line.step > BLANK:
        return True
    if _hangs(paragraph, line):
        return False
    fits = last.room > _first_word_width(line) + 0.3 * line.size
    if stopped and (fits or BULLET.match(line.text)):
        return True
    apart = last.room > line.size or line.indent > INDENT * line.size
    if _whole_style(last) and apart and not _begins_alike(last, line):
        return True
    width = last.indent + (last.box.x1 - last.box.x0) + last.room
    return last.room > HALF_EMPTY * width and line.text[:1].isupper() and text[-1:] not in ",(-–"


def _hangs(paragraph: Paragraph, line: Line) -> bool:
    """A line at the column's edge below an indented first line, after a comma or the colon of a label: it goes on,
    however short the line above was left."""
    unfinished = paragraph.text.rstrip()[-1:] in ",:"
    return unfinished and paragraph.lines[0].indent > INDENT * line.size and abs(line.indent) < 0.3 * line.size


def _is_indented(paragraph: Paragraph, line: Line) -> bool:
    """Indented against the paragraph's body: its second line, or the column's edge."""
    lines = paragraph.lines
    if len(lines) > 1:
        body = lines[-1].indent
    elif lines[0].column == line.column and abs(lines[0].indent - line.indent) < 0.3 * line.size:
        return bool(STOP.search(paragraph.text.rstrip())) and line.indent > INDENT * line.size
    else:
        body = 0.0
    return INDENT * line.size < line.indent - max(0.0, body) < DEEP * line.size


def _first_word_width(line: Line) -> float:
    """Of the first word, with the numbers and signs that cannot be parted from it."""
    match = FIRST_WORD.match(line.text)
    share = len(match.group()) / max(1, len(line.text)) if match else 1.0
    return share * (line.box.x1 - line.box.x0)


def _whole_style(line: Line) -> bool:
    return len(line.spans) == 1 and (line.spans[0].bold or line.spans[0].italic)


def _begins_alike(last: Line, line: Line) -> bool:
    """Whether the line goes on in the style of the one above: a label cut over the line's end."""
    return bool(line.spans) and (line.spans[0].bold, line.spans[0].italic) == (last.spans[0].bold, last.spans[0].italic)


def add_line(paragraph: Paragraph, line: Line, vocabulary: Vocabulary) -> None:
    """Append a line, deciding what its border with the one before becomes."""
    index = len(paragraph.lines)
    if index:
        joint = join_lines(paragraph.text, line.text, vocabulary)
        if joint.cut:
            last = paragraph.stretches.pop()
            paragraph.stretches.append(Stretch(last.text[: -joint.cut], last.bold, last.italic, last.line))
        if joint.space:
            last = paragraph.stretches[-1]
            paragraph.stretches.append(Stretch(" ", last.bold, last.italic, last.line))
        if joint.doubt is not None:
            paragraph.doubts.append((index, joint.doubt, joint.detail))
            if joint.doubt is FindingKind.SPLIT_NUMBER:
                paragraph.doubts.append((index - 1, joint.doubt, joint.detail))
    paragraph.lines.append(line)
    spans: tuple[Span, ...] = line.spans
    for place, span in enumerate(spans):
        text = span.text.lstrip() if place == 0 else span.text
        text = text.rstrip() if place == len(spans) - 1 else text
        if text:
            paragraph.stretches.append(Stretch(text, span.bold, span.italic, index))


@dataclass(frozen=True, slots=True)
class Joint:
    """How two lines meet: characters to drop from the first, a space between, and what is doubtful."""

    cut: int = 0
    space: bool = True
    doubt: FindingKind | None = None
    detail: str = ""


def join_lines(first: str, second: str, vocabulary: Vocabulary) -> Joint:
    """Decide on a line's end. Digits are never joined across it: where they might have to be, it is a doubt."""
    first, second = first.rstrip(), second.lstrip()
    border = f"{first[-16:]} | {second[:16]}"
    if first[-1:] in HYPHENS and len(first) > 1 and not first[-2].isspace():
        return _join_hyphen(first, second, vocabulary, border)
    if _cuts_number(first, second):
        return Joint(doubt=FindingKind.SPLIT_NUMBER, detail=border)
    if first.endswith("/") and first[-2:-1].isalpha() and second[:1].isalpha():
        return Joint(space=False, doubt=FindingKind.HYPHEN_GUESSED, detail=border)
    return Joint()


def _cuts_number(first: str, second: str) -> bool:
    """A decimal comma, a slash or a power at the border of two lines."""
    if second[:1] in "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻₀₁₂₃₄₅₆₇₈₉":
        return True
    if second[:1].isdigit() and re.search(r"\d[.,/]$|/$", first):
        return True
    return bool(re.match(r"[,./]\d", second)) and first[-1:].isdigit()


def _join_hyphen(first: str, second: str, vocabulary: Vocabulary, border: str) -> Joint:
    head, tail = WORD_END.search(first), WORD_START.match(second)
    if head is None or tail is None:
        digits = first[-2:-1].isdigit() or second[:1].isdigit()
        return Joint(space=False, doubt=FindingKind.SPLIT_NUMBER if digits else None, detail=border)
    joined = vocabulary.get((head.group(1) + tail.group(1)).lower(), 0)
    kept = vocabulary.get(f"{head.group(1)}-{tail.group(1)}".lower(), 0)
    if joined > kept:
        return Joint(cut=1, space=False)
    doubt = None if kept else FindingKind.HYPHEN_GUESSED
    return Joint(space=False, doubt=doubt, detail=border)


def count_words(lines: Iterable[Line]) -> Counter[str]:
    """Words of a page for the book's vocabulary, hyphenated ones whole; words cut at a line's end are left out."""
    words: Counter[str] = Counter()
    for line in lines:
        found = re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)*-?", line.text.lower())
        words.update(word for word in found if not word.endswith("-"))
    return words


def line_findings(paragraph: Paragraph, index: int) -> tuple[Finding, ...]:
    """A line's own findings and those of its borders."""
    line = paragraph.lines[index]
    joints = [Finding(kind, line.box.page, line.box, detail) for at, kind, detail in paragraph.doubts if at == index]
    return (*line.findings, *joints)
