"""A stored answer as a PDF to print or to file: set like a page of the book, with pictures of what is held back."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Any, Final, assert_never
from xml.sax.saxutils import escape

import fontpkg_be_vietnam_pro
from PIL import Image, ImageDraw
from reportlab.lib.colors import HexColor
from reportlab.lib.enums import TA_CENTER, TA_RIGHT
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.platypus import HRFlowable, KeepTogether, Paragraph, SimpleDocTemplate
from reportlab.platypus import Image as Picture

from chat.contract import Answer
from chat.display import HeldBack, LabelGroup, ShownAnswer, ShownBlock, ShownClaim, Source, show_answer
from chat.display_lists import status_lines
from chat.domain import Decision
from chat.export_pairs import pair_lines
from chat.export_text import (
    CHOICES_HEAD,
    MISSING_HEAD,
    NO_EDITION,
    PATH_STEP,
    SAMPLE_BAND,
    SOURCES_HEAD,
    STATUSES_HEAD,
    asked_line,
    bare_heading,
    calculation_lines,
    claim_tags,
    colophon,
    edition_name,
    held_back_line,
    is_sample,
    local_time,
    missing_parts,
    source_line,
    summary_lines,
    verdict,
)
from chat.outcomes import Status
from monographs.crops import CropError, Region, crop_png
from monographs.reading import readable_edition
from monographs.typography import split_run_in, unbreakable_groups

REGULAR: Final = "BeVietnamPro-Regular"
SEMIBOLD: Final = "BeVietnamPro-SemiBold"
AUTHOR: Final = "Dược thư"

# The light colours of static/css/duocthu.css.
INK, INK_SOFT, RULE, ACCENT, ACCENT_SOFT = "#1d211f", "#525a55", "#d8d4c6", "#0b5a4e", "#e4efe9"
ALARM, ALARM_SOFT, CAUTION, CAUTION_SOFT, SUNK = "#96281b", "#f9e9e4", "#6d4a00", "#f8efd6", "#f2f0e6"
MARK_EDGE: Final = "#9a5b00"

# Points. A frame of reportlab pads its text by 6 on every side.
PAGE_WIDTH, PAGE_HEIGHT = A4
SIDE, TOP, FOOT, PADDING = 64.0, 60.0, 74.0, 6.0
BAND_HEIGHT = 24.0
TEXT_WIDTH = PAGE_WIDTH - 2 * SIDE
INDENT = 12.0
RAGGED = 30.0  # kept free right of running text, so that a line stays readable
PICTURE_HEIGHT = 560.0
LONGEST_TITLE = 110
_PAGE_NUMBER = re.compile(r"(?<=tr\.| in|PDF) (?=\d)")

# Signs that the face lacks and another of its signs draws as well. Spaces that may not break stay so.
_ALIKE: Final = {"\u03bc": "µ", "\u2010": "-", "\u2011": "-", "\u2007": "\u00a0", "\u202f": "\u00a0"} | dict.fromkeys(
    "○▪►", "•"
)
# Digits as signs of their own, so that 2⅓ is not copied out of the PDF as 21/3.
FRACTION_SLASH: Final = "\u2044"
_ABOVE: Final = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_BELOW: Final = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
# Signs that are drawn out of those they stand for, by the kind that Unicode gives them.
_BUILT: Final = {"<super>": "<super>{}</super>", "<sub>": "<sub>{}</sub>", "<compat>": "{}", "<square>": "{}"}


def _register_faces() -> frozenset[int]:
    """Makes the faces known to reportlab; returns the code points that both draw."""
    folder = Path(fontpkg_be_vietnam_pro.ROOT) / "files"
    faces = [TTFont(name, str(folder / f"{name}.ttf")) for name in (REGULAR, SEMIBOLD)]
    for face in faces:
        pdfmetrics.registerFont(face)
    pdfmetrics.registerFontFamily(REGULAR, normal=REGULAR, bold=SEMIBOLD, italic=REGULAR, boldItalic=SEMIBOLD)
    return frozenset.intersection(*(frozenset(face.face.charToGlyph) for face in faces))


def _style(name: str, *, size: float = 10, color: str = INK, face: str = REGULAR, **more: Any) -> Any:
    values = {"leading": size * 1.58, "allowWidows": 0, "allowOrphans": 0} | more
    return ParagraphStyle(
        name,
        fontName=face,
        fontSize=size,
        textColor=HexColor(color),
        bulletFontName=face,
        bulletFontSize=size,
        **values,
    )


def _box(name: str, ground: str, *, edge: str | None = None, **more: Any) -> Any:
    """A paragraph on a coloured ground; the ground reaches beyond the text, hence the indents and the wide gaps."""
    border = {"borderColor": HexColor(edge), "borderWidth": 1} if edge else {}
    sides: dict[str, Any] = {"leftIndent": 10, "rightIndent": 10, "spaceBefore": 22, "spaceAfter": 22}
    return _style(name, backColor=HexColor(ground), borderPadding=(6, 10, 7, 10), **sides, **border, **more)


# While the module is loaded, because reportlab's list of fonts is shared by all threads.
_DRAWN: Final = _register_faces()

_BODY = _style("body", spaceBefore=8, rightIndent=RAGGED)
_OVERLINE = _style("overline", size=8, color=ACCENT, face=SEMIBOLD)
_QUESTION = _style("question", size=14.5, leading=21, face=SEMIBOLD)
_NOTE = _style("note", size=8.5, leading=13, color=INK_SOFT, spaceBefore=3)
_HEADING = _style("heading", size=11.5, leading=17, face=SEMIBOLD, keepWithNext=1)
_TAG = _style("tag", size=8, leading=12, color=INK_SOFT, spaceAfter=2, keepWithNext=1)
_MODEL_TAG = _style("model-tag", size=8, leading=12, color=CAUTION, spaceAfter=2, keepWithNext=1)
_SUMMARY_TAG = _style("summary-tag", size=8, leading=12, color=CAUTION, spaceBefore=12, keepWithNext=1)
_PATH = _style("path", size=9, leading=14, color=INK_SOFT, face=SEMIBOLD, spaceBefore=7, keepWithNext=1)
_CLAIM = _style("claim", spaceBefore=5, rightIndent=RAGGED)
_CLAIM_UNDER = _style("claim-under", spaceBefore=4, leftIndent=INDENT, rightIndent=RAGGED - INDENT)
_LIST_HEAD = _style("list-head", spaceBefore=12, keepWithNext=1)
_ITEM = _style("item", leftIndent=14, bulletIndent=3, rightIndent=RAGGED)
_SOURCES_HEAD = _style("sources-head", face=SEMIBOLD, spaceBefore=18, spaceAfter=2, keepWithNext=1)
_SOURCE = _style("source", size=8.8, leading=13.5, leftIndent=26, spaceBefore=2)
_CAPTION = _style("caption", size=8, leading=12, color=INK_SOFT, spaceBefore=3)
_EMERGENCY = _box("emergency", ALARM_SOFT, edge=ALARM, face=SEMIBOLD, color=ALARM)
_NOTICE = _box("notice", CAUTION_SOFT)
_CLARIFY = _box("clarify", ACCENT_SOFT)
_ABSTAIN = _box("abstain", SUNK)
_PLAIN = _style("verdict", color=INK_SOFT, rightIndent=RAGGED)
_BAND = _style("band", size=9, leading=12, face=SEMIBOLD, color="#ffffff", alignment=TA_CENTER)
_FOOT = _style("foot", size=7.2, leading=10.5, color=INK_SOFT)
_FOLIO = _style("folio", size=7.2, leading=10.5, color=INK_SOFT, alignment=TA_RIGHT)


@dataclass(frozen=True, slots=True)
class _Running:
    """What stands on every page. date: that of the file; total: of pages, as counted on the first pass."""

    edition: str
    asked: str
    trace: str
    date: str
    sample: bool
    total: int = 0


@dataclass(frozen=True, slots=True)
class _Crop:
    """A picture with its cited lines drawn in; size in points, as printed."""

    png: bytes
    width: float
    height: float
    page: int


def answer_pdf(*, question: str, asked_at: datetime, answer: Answer) -> bytes:
    """The whole answer with its sources on A4, the same bytes every time; the pictures are rendered if not yet kept.

    asked_at: aware; shown in Vietnamese time. A picture that cannot be had is replaced by the page to look it up on.
    """
    shown = show_answer(answer)
    pictures = _pictures_of(shown)
    running = _Running(
        edition=edition_name(answer.edition) if answer.edition else f"Ấn bản: {NO_EDITION}",
        asked=asked_line(asked_at),
        trace=f"Mã tra cứu {answer.trace_id}",
        date=f"D:{local_time(asked_at):%Y%m%d%H%M%S}+07'00'",
        sample=is_sample(answer),
    )
    _, pages = _build(_story(question, running.asked, shown, pictures), running, question)
    pdf, _ = _build(_story(question, running.asked, shown, pictures), replace(running, total=pages), question)
    return pdf


def markup(text: str) -> str:
    """The text for a reportlab paragraph: escaped, numbers held together with their units, every sign drawn.

    A sign that neither face nor the Symbol font of every reader has is written as its code: "[U+0416]".
    """
    composed = unicodedata.normalize("NFC", text.strip().replace("\r\n", "\n"))
    pieces = (piece.replace(" ", "\u00a0") if kept else piece for piece, kept in unbreakable_groups(composed))
    return "".join(_sign(character) for piece in pieces for character in piece)


@cache
def _sign(character: str) -> str:
    if character in _ALIKE:
        return _ALIKE[character]
    if character == "\n":
        return "<br/>"
    if unicodedata.category(character) == "Cf":  # soft hyphens and marks without width
        return ""
    if character == "\t" or ord(character) in _DRAWN:
        return escape(character)
    return _sign_built(character) or _sign_of_symbol_font(character) or f"[U+{ord(character):04X}]"


def _sign_built(character: str) -> str:
    """A raised or lowered sign, a fraction or a sign written together, out of its parts; "" where it is none."""
    kind, *codes = unicodedata.decomposition(character).split() or [""]
    parts = "".join(_sign(chr(int(code, 16))) for code in codes)
    if kind == "<fraction>":
        above, below = parts.split(FRACTION_SLASH)
        return above.translate(_ABOVE) + FRACTION_SLASH + below.translate(_BELOW)
    return _BUILT[kind].format(parts) if kind in _BUILT else ""


def _sign_of_symbol_font(character: str) -> str:
    """Greek letters and arrows, which Be Vietnam Pro lacks: one of the fonts that every PDF reader brings."""
    try:
        character.encode("symbol")
    except UnicodeEncodeError:
        return ""
    return f'<font name="Symbol">{escape(character)}</font>'


def _build(story: list[Any], running: _Running, question: str) -> tuple[bytes, int]:
    buffer = BytesIO()
    document = SimpleDocTemplate(
        buffer,
        pagesize=A4,
        leftMargin=SIDE - PADDING,
        rightMargin=SIDE - PADDING,
        topMargin=TOP - PADDING,
        bottomMargin=FOOT - PADDING,
        title=textwrap.shorten(f"Dược thư: {question}", LONGEST_TITLE, placeholder="…"),
        author=AUTHOR,
        creator=AUTHOR,
        subject=f"{running.edition}. {running.trace}",
        lang="vi-VN",
        displayDocTitle=True,
        invariant=1,
        initialFontName=REGULAR,
    )

    def draw(canvas: Any, page: Any) -> None:
        canvas.setDateFormatter(lambda *_: running.date)
        _draw_running(canvas, page.page, running)

    document.build(story, onFirstPage=draw, onLaterPages=draw)
    return buffer.getvalue(), int(document.page)


def _draw_running(canvas: Any, page: int, running: _Running) -> None:
    canvas.saveState()
    if running.sample:
        canvas.setFillColor(HexColor(ALARM))
        canvas.rect(0, PAGE_HEIGHT - BAND_HEIGHT, PAGE_WIDTH, BAND_HEIGHT, stroke=0, fill=1)
        _draw(canvas, _paragraph(SAMPLE_BAND, _BAND), 0, PAGE_HEIGHT - 6.5, PAGE_WIDTH)
    canvas.setStrokeColor(HexColor(RULE))
    canvas.setLineWidth(0.6)
    canvas.line(SIDE, FOOT - 16, PAGE_WIDTH - SIDE, FOOT - 16)
    edition = textwrap.shorten(running.edition, LONGEST_TITLE, placeholder="…")
    left = f"{markup(edition)}<br/>{markup(running.asked)} · {markup(running.trace)}"
    _draw(canvas, Paragraph(left, _FOOT), SIDE, FOOT - 20, TEXT_WIDTH - 70)
    _draw(canvas, _paragraph(f"Trang\u00a0{page}/{running.total}", _FOLIO), PAGE_WIDTH - SIDE - 70, FOOT - 20, 70)
    canvas.restoreState()


def _draw(canvas: Any, paragraph: Any, x: float, top: float, width: float) -> None:
    _, height = paragraph.wrapOn(canvas, width, PAGE_HEIGHT)
    paragraph.drawOn(canvas, x, top - height)


def _story(question: str, asked: str, shown: ShownAnswer, pictures: Sequence[Sequence[_Crop]]) -> list[Any]:
    """Flowables are used up by a pass, so every pass gets its own."""
    answer = shown.answer
    story = [
        _paragraph("Câu hỏi", _OVERLINE),
        _paragraph(question, _QUESTION),
        _paragraph(asked, _NOTE),
    ]
    if answer.emergency:
        story.append(_paragraph(answer.emergency, _EMERGENCY))
    story.append(_paragraph(verdict(answer), _verdict_style(answer)))
    story += _titled(pair_lines(shown))
    if answer.note:
        story.append(_paragraph(answer.note, _NOTE))
    story += _summary(shown)
    story += _list(STATUSES_HEAD, status_lines(answer))
    for block in shown.blocks:
        story += _block(block)
    story += _calculation(shown)
    story += _list(MISSING_HEAD, missing_parts(answer))
    for item, crops in zip(shown.held_back, pictures, strict=True):
        story += _held_back(item, crops)
    story += _list(CHOICES_HEAD, answer.quick_replies)
    if answer.next_step:
        story.append(_paragraph(answer.next_step, _BODY))
    return [*story, *_sources(shown), *_colophon(answer)]


def _verdict_style(answer: Answer) -> Any:
    """Plain over a full answer, else the ground that its decision has on screen."""
    match answer.decision:
        case Decision.ANSWERABLE:
            return _NOTICE if answer.status is Status.PARTIAL else _PLAIN
        case Decision.VERIFY_PDF:
            return _NOTICE
        case Decision.CLARIFY:
            return _CLARIFY
        case Decision.ABSTAIN:
            return _ABSTAIN
        case _:
            assert_never(answer.decision)


def _block(block: ShownBlock) -> list[Any]:
    head = _head(block.title, block.drug_name, block.tag, _TAG if block.verbatim else _MODEL_TAG)
    return [*head, *chain.from_iterable(map(_group, block.groups))]


def _head(title: str, drug: str, tag: str, tag_style: Any) -> list[Any]:
    rule = HRFlowable(width="100%", thickness=0.8, color=HexColor(ACCENT), spaceBefore=14, spaceAfter=5)
    rule.keepWithNext = True
    text = f'{markup(bare_heading(title))} <font name="{REGULAR}" color="{INK_SOFT}">– {markup(drug)}</font>'
    return [rule, Paragraph(text, _HEADING), _paragraph(tag, tag_style)]


def _group(group: LabelGroup) -> Iterator[Any]:
    if group.path:
        yield _path(group.path)
    # Indented under its labels, so that a claim that follows without any is not read as theirs.
    style = _CLAIM_UNDER if group.path else _CLAIM
    yield from (Paragraph(_claim(claim), style) for claim in group.claims)


def _calculation(shown: ShownAnswer) -> list[Any]:
    return _titled(calculation_lines(shown))


def _titled(titled: Sequence[str]) -> list[Any]:
    """A head with lines under it; nothing for none."""
    head, *lines = titled or [""]
    if not head:
        return []
    rule = HRFlowable(width="100%", thickness=0.8, color=HexColor(ACCENT), spaceBefore=14, spaceAfter=5)
    rule.keepWithNext = True
    return [rule, _paragraph(head, _HEADING), *(_paragraph(line, _CLAIM) for line in lines)]


def _path(labels: Sequence[str]) -> Any:
    return Paragraph(PATH_STEP.join(map(markup, labels)), _PATH)


def _claim(claim: ShownClaim) -> str:
    head, rest = split_run_in(claim.text, claim.labels)
    gap = " " if head.endswith(" ") or rest.startswith(" ") else ""
    text = f"<b>{markup(head)}</b>{gap}{markup(rest)}" if head else markup(rest)
    tags = [f'<font size="8">({tag})</font>' for tag in claim_tags(claim)]
    return "\u00a0".join([text, *tags, *(_labelled_chip(claim, source) for source in claim.sources)])


def _hold_pages(text: str) -> str:
    """Page numbers held to the word before them."""
    return _PAGE_NUMBER.sub("\u00a0", text)


def _chip(source: Source) -> str:
    return f'<font size="8" color="{ACCENT}">[{source.number}]\u00a0tr.\u00a0{source.pages}</font>'


def _labelled_chip(claim: ShownClaim, source: Source) -> str:
    """A chip, with the source's own labels where those of a claim's sources differ."""
    labels = PATH_STEP.join(map(markup, source.citation.labels)) if claim.apart else ""
    return f'{_chip(source)} <font size="8" color="{INK_SOFT}">{labels}</font>' if labels else _chip(source)


def _summary(shown: ShownAnswer) -> list[Any]:
    tag, *said = summary_lines(shown) or [""]
    if not tag:
        return []
    *sentences, note = said
    return [
        _paragraph(tag, _SUMMARY_TAG),
        *(_paragraph(sentence, _CLAIM) for sentence in sentences),
        _paragraph(note, _NOTE),
    ]


def _list(head: str, items: Sequence[str]) -> list[Any]:
    if not items:
        return []
    return [_paragraph(head, _LIST_HEAD), *(_paragraph(item, _ITEM, bullet="•") for item in items)]


def _sources(shown: ShownAnswer) -> list[Any]:
    if not shown.sources:
        return []
    return [
        _paragraph(SOURCES_HEAD, _SOURCES_HEAD),
        *(
            _paragraph(_hold_pages(source_line(source, shown.answer.edition)), _SOURCE, bullet=f"[{source.number}]")
            for source in shown.sources
        ),
    ]


def _colophon(answer: Answer) -> list[Any]:
    rule = HRFlowable(width="100%", thickness=0.6, color=HexColor(RULE), spaceBefore=14, spaceAfter=6)
    return [KeepTogether([rule, *(_paragraph(line, _NOTE) for line in colophon(answer))])]


def _held_back(item: HeldBack, crops: Sequence[_Crop]) -> list[Any]:
    citation = item.source.citation
    head = _head(citation.section_heading, citation.drug_name, item.tag, _TAG)
    if item.labels:
        head.append(_path(item.labels))
    pictures = [[_picture(crop), Paragraph(_caption(item.source, crop), _CAPTION)] for crop in crops]
    if not crops or len(crops) < len(item.regions):
        notice = f"Không có ảnh trang in ở đây. {held_back_line(item)}\u00a0[{item.source.number}]"
        pictures.append([_paragraph(_hold_pages(notice), _NOTICE)])
    first, *rest = pictures
    return [KeepTogether([*head, *first]), *map(KeepTogether, rest)]


def _caption(source: Source, crop: _Crop) -> str:
    return f"{_chip(source)} · trang\u00a0PDF\u00a0{crop.page}"


def _picture(crop: _Crop) -> Any:
    """As large as it is printed, or as the page allows."""
    scale = min(1.0, TEXT_WIDTH / crop.width, PICTURE_HEIGHT / crop.height)
    picture = Picture(BytesIO(crop.png), crop.width * scale, crop.height * scale, hAlign="LEFT")
    picture.spaceBefore = 5
    return picture


def _pictures_of(shown: ShownAnswer) -> list[list[_Crop]]:
    """For every held-back passage those of its pictures that can be had."""
    edition = readable_edition(shown.answer.edition.id) if shown.held_back and shown.answer.edition else None
    if edition is None:
        return [[] for _ in shown.held_back]
    return [[crop for region in item.regions if (crop := _crop(edition.sha256, region))] for item in shown.held_back]


def _crop(sha256: str, region: Region) -> _Crop | None:
    try:
        png = _marked(crop_png(sha256, region), region)
    except (CropError, OSError):  # a kept picture may be damaged
        return None
    return _Crop(png, region.width, region.height, region.page)


def _marked(png: bytes, region: Region) -> bytes:
    """The picture with a hairline around it and around every cited line."""
    with Image.open(BytesIO(png)) as opened:
        picture = opened.convert("RGB")
    pen = ImageDraw.Draw(picture)
    across, down = picture.width / region.width, picture.height / region.height
    for mark in region.marks:
        x, y, width, height = (float(value) for value in (mark.x, mark.y, mark.width, mark.height))
        pen.rectangle((x * across, y * down, (x + width) * across, (y + height) * down), None, MARK_EDGE, 2)
    pen.rectangle((0, 0, picture.width - 1, picture.height - 1), None, RULE, 2)
    kept = BytesIO()
    picture.save(kept, "PNG")
    return kept.getvalue()


def _paragraph(text: str, style: Any, bullet: str | None = None) -> Any:
    return Paragraph(markup(text), style, bulletText=bullet)
