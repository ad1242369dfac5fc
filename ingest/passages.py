"""Paragraphs cut into passages at their run-in labels, each with its label path, boxes and findings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from ingest.blocks import Item, Region
from ingest.domain import Finding, FindingKind, ParsedPassage
from ingest.paragraphs import Paragraph, Stretch, Vocabulary, build_paragraphs, line_findings
from monographs.domain import Box, PassageKind, SectionKey

LABEL_MAX = 70
BAND = re.compile(
    r"^(rất\s+)?(thường gặp|ít gặp|hiếm gặp|hiếm|không rõ tần suất|chưa (rõ|xác định)[^.:]*tần suất)\b[^.;]{0,60}$",
    re.IGNORECASE,
)
PLAIN_LABEL = re.compile(r"^[A-ZĐÀ-Ỹ][^.:;,()\d]{1,45}:(?=\s)")
AFTER_STOP = re.compile(r"[.;:!?)][\"”’)\]]*\s*$")
# Powers and indices that the file itself has already flattened: a dose misread by orders of magnitude.
FLATTENED = re.compile(
    r"(?<![\d,.])10\s?[3-9]\s?/\s?(?:l|L|lít|ml|mm)\b|[x×]\s?10(?:[2-9]|1[0-2])\b(?![,.\d])"
    r"|(?<=[\s/])(?:k?m|cm|mm)[23]\b|[A-Z]\d,\d+\s?[x×]"
)
UNIT_GLUED = re.compile(r"\d(?:mg|microgam|mcg|µg|kg|ml|lít|giờ|ngày|phút|tuổi)\b")

BAND_RANK, RUN_IN_RANK = 0, 9


@dataclass(slots=True)
class LabelPath:
    """Labels on lines of their own stay in force until the next of the same rank."""

    open: list[tuple[int, str]] = field(default_factory=list)

    def push(self, rank: int, label: str) -> None:
        """A label on its own line."""
        self.open = [(other, text) for other, text in self.open if other < rank]
        self.open.append((rank, label))

    def with_run_in(self, label: str | None) -> tuple[str, ...]:
        """The path of a passage that has, or lacks, a label of its own."""
        return tuple(text for _, text in self.open) + ((label,) if label else ())


@dataclass(frozen=True, slots=True)
class _Cut:
    """A passage's start in a paragraph, and its own label."""

    start: int
    label: str | None


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
            passages.append(region_passage(block, path.with_run_in(None), printed))
        else:
            passages += _paragraph_passages(block, key, path, printed)
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
    paragraph: Paragraph, key: SectionKey | None, path: LabelPath, printed: Callable[[int], int | None]
) -> list[ParsedPassage]:
    whole = own_line_label(paragraph)
    if whole is not None:
        path.push(*whole)
        return [_passage(paragraph, 0, len(paragraph.text), path.with_run_in(None), printed)]
    cuts = _cuts(paragraph, key)
    ends = [cut.start for cut in cuts[1:]] + [len(paragraph.text)]
    return [
        _passage(paragraph, cut.start, end, path.with_run_in(cut.label), printed)
        for cut, end in zip(cuts, ends, strict=True)
    ]


def own_line_label(paragraph: Paragraph) -> tuple[int, str] | None:
    """(rank, label) of a paragraph that is nothing but a label: a frequency band, or styled, or ending in a colon."""
    text = paragraph.text.strip()
    if len(text) > LABEL_MAX:
        return None
    shown = [stretch for stretch in paragraph.stretches if stretch.text.strip(" :.,")]
    bold, italic = (bool(shown) and all(getattr(s, style) for s in shown) for style in ("bold", "italic"))
    if BAND.match(text.rstrip(" :")):
        return (BAND_RANK, _label(text))
    if bold or italic or (text.endswith(":") and text[:1].isupper()):
        if text.endswith((".", ";")):
            return None
        rank = {(True, False): 1, (True, True): 2, (False, True): 3}.get((bold, italic), 4)
        return (rank, _label(text))
    return None


def _label(text: str) -> str:
    return text.strip().rstrip(":").strip()


def _cuts(paragraph: Paragraph, key: SectionKey | None) -> list[_Cut]:
    """Starts of the passages: the paragraph's own, and every styled label after a sentence's end."""
    cuts: list[_Cut] = []
    at = 0
    text = paragraph.text
    for index, stretch in enumerate(paragraph.stretches):
        lead = text[:at]
        if (stretch.bold or stretch.italic) and (not lead.strip() or AFTER_STOP.search(lead)):
            label = _styled_label(paragraph.stretches, index)
            if label is not None:
                start = at + len(stretch.text) - len(stretch.text.lstrip())
                if not cuts or start > cuts[-1].start:
                    cuts.append(_Cut(start, label))
        at += len(stretch.text)
    if not cuts or cuts[0].start > 0:
        plain = PLAIN_LABEL.match(text) if key is not SectionKey.TEN_THUONG_MAI else None
        cuts.insert(0, _Cut(0, _label(plain.group()) if plain else None))
    return cuts


def _styled_label(stretches: list[Stretch], index: int) -> str | None:
    """The label that starts in this stretch: styled letters up to a colon, over a line's end if need be."""
    first = stretches[index]
    text = ""
    for stretch in stretches[index:]:
        same = (stretch.bold, stretch.italic) == (first.bold, first.italic)
        if not same and not stretch.text.lstrip().startswith(":"):
            return None
        text += stretch.text
        if ":" in text:
            label = text.split(":", 1)[0].strip()
            return label if 1 < len(label) <= LABEL_MAX and not re.search(r"[.;]\s", label) else None
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
