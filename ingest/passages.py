"""Paragraphs cut into passages at their run-in labels, each with its label path, boxes and findings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from ingest.blocks import Item, Region
from ingest.domain import Finding, FindingKind, ParsedPassage
from ingest.paragraphs import Paragraph, Stretch, Vocabulary, build_paragraphs, line_findings
from monographs.domain import Box, PassageKind, SectionKey

LABEL_MAX = 120
BAND = re.compile(
    r"^(rất\s+)?(thường gặp|ít gặp|hiếm gặp|hiếm|không rõ tần suất|chưa (rõ|xác định)[^.:]*tần suất)\b[^.;]{0,60}$",
    re.IGNORECASE,
)
LABEL_COLON = re.compile(r"(?<=\S):")  # not that of a ratio, "4 : 1"
AFTER_STOP = re.compile(r"[.;:!?)][\"”’)\]]*\s*$")
# Powers and indices that the file itself has already flattened: a dose misread by orders of magnitude.
FLATTENED = re.compile(
    r"(?<![\d,.])10\s?[3-9]\s?/\s?(?:l|L|lít|ml|mm)\b|[x×]\s?10(?:[2-9]|1[0-2])\b(?![,.\d])"
    r"|(?<=[\s/])(?:k?m|cm|mm)[23]\b|[A-Z]\d,\d+\s?[x×]"
)
UNIT_GLUED = re.compile(r"\d(?:mg|microgam|mcg|µg|kg|ml|lít|giờ|ngày|phút|tuổi)\b")

BAND_RANK, PLAIN_RANK = 0, 4
# (bold, italic) to rank: an outer label closes the inner ones, as the book nests them by weight.
STYLE_RANKS = {(True, False): 1, (True, True): 2, (False, True): 3}


@dataclass(slots=True)
class LabelPath:
    """A label stays in force until the next of the same rank or of a weightier one."""

    open: list[tuple[int, str]] = field(default_factory=list)

    def push(self, rank: int, label: str) -> None:
        """A label begins to govern."""
        self.open = [(other, text) for other, text in self.open if other < rank]
        self.open.append((rank, label))

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels in force, outermost first."""
        return tuple(text for _, text in self.open)


@dataclass(frozen=True, slots=True)
class _Cut:
    """A passage's start in a paragraph, and the labels printed there as (rank, label)."""

    start: int
    labels: tuple[tuple[int, str], ...] = ()


def build_passages(
    items: Iterable[Item],
    key: SectionKey | None,
    vocabulary: Vocabulary,
    printed: Callable[[int], int | None],
) -> tuple[ParsedPassage, ...]:
    """All passages of one section, in order. printed: PDF page to printed page."""
    path = LabelPath()
    passages: list[ParsedPassage] = []
    for block in build_paragraphs(items, vocabulary):
        if isinstance(block, Region):
            passages.append(region_passage(block, path.labels, printed))
        else:
            passages += _paragraph_passages(block, path, printed)
    return tuple(passages)


def region_passage(region: Region, labels: tuple[str, ...], printed: Callable[[int], int | None]) -> ParsedPassage:
    """A table, formula or figure as a passage."""
    page = region.box.page
    return ParsedPassage(
        text=region.text,
        kind=region.kind,
        pdf_page=page,
        printed_page=printed(page),
        boxes=(region.box,),
        labels=labels,
        findings=region.findings,
    )


def _paragraph_passages(
    paragraph: Paragraph, path: LabelPath, printed: Callable[[int], int | None]
) -> list[ParsedPassage]:
    whole = own_line_label(paragraph)
    if whole is not None:
        path.push(*whole)
        return [_passage(paragraph, 0, len(paragraph.text), path.labels, printed)]
    cuts = _cuts(paragraph)
    ends = [cut.start for cut in cuts[1:]] + [len(paragraph.text)]
    passages = []
    for cut, end in zip(cuts, ends, strict=True):
        for rank, label in cut.labels:
            path.push(rank, label)
        passages.append(_passage(paragraph, cut.start, end, path.labels, printed))
    return passages


def own_line_label(paragraph: Paragraph) -> tuple[int, str] | None:
    """(rank, label) of a paragraph that is nothing but a label: a frequency band, or styled, or ending in a colon."""
    text = paragraph.text.strip()
    if len(text) > LABEL_MAX:
        return None
    shown = [stretch for stretch in paragraph.stretches if stretch.text.strip(" :.,")]
    bold, italic = (bool(shown) and all(getattr(s, style) for s in shown) for style in ("bold", "italic"))
    if BAND.match(text.rstrip(" :")):
        return (STYLE_RANKS.get((bold, italic), BAND_RANK), _label(text))
    if bold or italic or (text.endswith(":") and text[:1].isupper()):
        if text.endswith((".", ";")):
            return None
        return (STYLE_RANKS.get((bold, italic), PLAIN_RANK), _label(text))
    return None


def _label(text: str) -> str:
    return text.strip().rstrip(":").strip()


def _cuts(paragraph: Paragraph) -> list[_Cut]:
    """Starts of the passages: the paragraph's own, and every styled label after a sentence's end. Labels that follow
    one another at a start ("Trẻ em: Đường uống: …") are that one start's.
    """
    cuts: list[_Cut] = []
    at = 0
    text = paragraph.text
    labelled_to = 0
    for index, stretch in enumerate(paragraph.stretches):
        start = at + len(stretch.text) - len(stretch.text.lstrip())
        at += len(stretch.text)
        lead = text[:start]
        if not (stretch.bold or stretch.italic) or start < labelled_to:
            continue
        follows = bool(cuts) and not text[labelled_to:start].strip()
        if lead.strip() and not AFTER_STOP.search(lead) and not follows:
            continue
        label = _styled_label(paragraph.stretches, index)
        if label is None:
            continue
        entry = (STYLE_RANKS[stretch.bold, stretch.italic], label)
        labelled_to = _label_end(text, start)
        if follows:
            cuts[-1] = _Cut(cuts[-1].start, (*cuts[-1].labels, entry))
        else:
            cuts.append(_Cut(start, (entry,)))
    return cuts if cuts and cuts[0].start == 0 else [_Cut(0), *cuts]


def _label_end(text: str, start: int) -> int:
    colon = LABEL_COLON.search(text, start)
    return colon.end() if colon else len(text)


def _styled_label(stretches: list[Stretch], index: int) -> str | None:
    """The label that starts in this stretch: styled letters up to a colon, over a line's end if need be."""
    first = stretches[index]
    text = ""
    for stretch in stretches[index:]:
        same = (stretch.bold, stretch.italic) == (first.bold, first.italic)
        if not same and not stretch.text.lstrip().startswith(":"):
            return None
        text += stretch.text
        colon = LABEL_COLON.search(text)
        if colon:
            label = text[: colon.start()].strip()
            return label if 0 < len(label) <= LABEL_MAX else None
        if len(text) > LABEL_MAX:
            return None
    return None


def _passage(
    paragraph: Paragraph, start: int, end: int, labels: tuple[str, ...], printed: Callable[[int], int | None]
) -> ParsedPassage:
    text, lines = _stretch_of(paragraph, start, end)
    boxes = tuple(paragraph.lines[index].box for index in lines)
    findings = tuple(finding for index in lines for finding in line_findings(paragraph, index))
    return ParsedPassage(
        text=text,
        kind=PassageKind.TEXT,
        pdf_page=boxes[0].page,
        printed_page=printed(boxes[0].page),
        boxes=boxes,
        labels=labels,
        starts_paragraph=start == 0,
        findings=findings + _text_findings(text, boxes[0]),
    )


def _stretch_of(paragraph: Paragraph, start: int, end: int) -> tuple[str, list[int]]:
    """The text between two positions, trimmed, and the lines it stands on."""
    text = paragraph.text[start:end]
    lead = len(text) - len(text.lstrip())
    start, end = start + lead, start + len(text.rstrip())
    lines: list[int] = []
    at = 0
    for stretch in paragraph.stretches:
        if at < end and at + len(stretch.text) > start and stretch.line not in lines:
            lines.append(stretch.line)
        at += len(stretch.text)
    return (text.strip(), lines or [0])


def _text_findings(text: str, box: Box) -> tuple[Finding, ...]:
    found = []
    flattened = FLATTENED.search(text)
    if flattened:
        found.append(Finding(FindingKind.FLATTENED_SCRIPT, box.page, box, flattened.group()))
    glued = UNIT_GLUED.search(text)
    if glued:
        found.append(Finding(FindingKind.MISSING_UNIT_SPACE, box.page, box, glued.group()))
    return tuple(found)
