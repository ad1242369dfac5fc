"""Every citation of a hundred answers lies on exactly the lines it cites, and stays there.

What is printed inside the boxes is read from the page itself with PDFium, without the parser that made them, and is
compared sign for sign with what is cited; white space apart, since no reader of a PDF agrees with another on it.
"""

from __future__ import annotations

import ctypes
import io
import re
import shutil
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, pairwise
from pathlib import Path
from statistics import mode
from typing import Any

import pypdfium2
import pytest
from django.db import transaction
from django.test import Client, override_settings
from PIL import Image, ImageChops, ImageStat
from pypdfium2 import raw
from pytest_django import DjangoDbBlocker

from chat.contract import Answer, Citation
from chat.display import CitedSource, show_answer, source_of_turn, stored_answer
from chat.domain import Decision
from chat.evaluation import GoldenQuestion, load_golden
from chat.export_pdf import answer_pdf
from chat.export_text import answer_text
from chat.models import Turn
from chat.turns import run_turn, start_rerun, start_turn, turns_of
from ingest.publish import build_edition, publish_edition
from ingest.sample.source import SAMPLE_DIR, load_edition
from monographs.crops import Region, edition_pdf, regions_of
from monographs.domain import Box, PassageKind, SectionKey
from monographs.models import Edition, Passage
from tests.paths import ROOT
from tests.sample_book import sample_book
from tests.sample_edition import SAMPLE_PDF, publish_sample_pdf

pytestmark = [pytest.mark.django_db, pytest.mark.slow]  # the fixture below fills the test database once

OWNER = "anon:cited-lines"
TURNS = 100
# A picture takes a process of its own, so only every tenth turn's first is drawn.
DRAWN_EVERY = 10
NEXT_PDF = SAMPLE_DIR / load_edition(2027).pdf
RUN_IN_SECTIONS = {SectionKey.TEN_CHUNG_QUOC_TE, SectionKey.MA_ATC, SectionKey.LOAI_THUOC}
INK_OUTSIDE = 0.5  # points
ACCENT = 0.2  # em
HEAD = 50.0  # points: above it stands the running head alone
ONE_LINE = 0.5  # em: a power or an index stands no further from the line's baseline
ALIKE = 2.0  # mean levels of grey, of 255
SOURCE_LINE = re.compile(r"^\[(\d+)\] .*, tr\. ([\d–]+) \(PDF ([\d–, ]+)\)$", re.MULTILINE)
# Signs set smaller than this share of the letters around them are raised or lowered by at least that share of an em.
SCRIPT_SIZE, SCRIPT_SHIFT = 0.8, 0.05
RAISED = str.maketrans("0123456789+−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻")
LOWERED = str.maketrans("0123456789+−", "₀₁₂₃₄₅₆₇₈₉₊₋")
LEVEL = {raised: level for table in (RAISED, LOWERED) for level, raised in table.items()}


@dataclass(frozen=True, slots=True)
class Sign:
    """A printed character: its ink in points from the top left of the page, its baseline, its size."""

    code: str
    x0: float
    y0: float
    x1: float
    y1: float
    baseline: float
    size: float

    def lies_in(self, box: Box) -> bool:
        """Whether its centre does."""
        return box.x0 <= (self.x0 + self.x1) / 2 <= box.x1 and box.y0 <= (self.y0 + self.y1) / 2 <= box.y1

    def sticks_out(self, box: Box) -> float:
        """By how many points its ink leaves the box. A box is as tall as the font says of itself, which is not taller
        than a capital: the accents of a letter may stand above it, by less than they are from the line before."""
        above = ACCENT * self.size if len(unicodedata.normalize("NFD", self.code)) > 1 else 0.0
        return max(box.x0 - self.x0, self.x1 - box.x1, box.y0 - above - self.y0, self.y1 - box.y1)


@dataclass(frozen=True, slots=True)
class Asked:
    """A turn at every stage of its life: as answered, read again, asked again, exported, under the next edition."""

    first: Answer
    reloaded: Answer
    again: Answer
    text: str
    pdf: str
    later: Later


@dataclass(frozen=True, slots=True)
class Later:
    """The turn under the next edition; picture: of its first citation, b"" where it was not drawn."""

    answer: Answer
    text: str
    sources: tuple[CitedSource, ...]
    picture: bytes


@dataclass(frozen=True, slots=True)
class Asking:
    """All turns by the id of their question; texts: of every passage, what is only shown as a picture as well."""

    turns: dict[str, Asked]
    texts: dict[int, str]
    page_sizes: dict[str, list[float]]


def _chosen() -> list[GoldenQuestion]:
    """The first question owed an answer of each drug and section, spread: the n-th of a drug or of a section comes
    after every n-1-th."""
    by_place: dict[tuple[str, str], GoldenQuestion] = {}
    for question in load_golden(ROOT / "tests" / "golden" / "tuned.jsonl"):
        if question.decision is Decision.ANSWERABLE and not question.history and question.drugs and question.sections:
            by_place.setdefault((question.drugs[0], question.sections[0]), question)
    seen: Counter[str] = Counter()
    ranks = {}
    for (drug, section), question in by_place.items():
        seen.update((drug, section))
        ranks[question.id] = max(seen[drug], seen[section])
    return sorted(by_place.values(), key=lambda question: ranks[question.id])[:TURNS]


QUESTIONS = _chosen()
each_turn = pytest.mark.parametrize("key", [question.id for question in QUESTIONS])


@pytest.fixture(scope="module")
def asking(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory
) -> Asking:
    """Everything is asked, exported and read again once; nothing of it stays in the database."""
    folder = tmp_path_factory.mktemp("cited-lines")
    with django_db_blocker.unblock(), transaction.atomic(), override_settings(DUOCTHU_DATA_DIR=folder):
        edition = publish_sample_pdf()
        _keep(SAMPLE_PDF, edition)
        first = {question.id: run_turn(start_turn(owner=OWNER, question=question.question)) for question in QUESTIONS}
        stored = {key: _only_turn(turn) for key, turn in first.items()}
        again = {key: run_turn(start_rerun(OWNER, turn.pk)) for key, turn in first.items()}
        texts = dict(Passage.objects.values_list("pk", "text"))
        exported = {key: (_text_export(turn), _pdf_export(turn)) for key, turn in stored.items()}
        _publish_next()
        later = {key: _later(turn, draw=not at % DRAWN_EVERY) for at, (key, turn) in enumerate(first.items())}
        transaction.set_rollback(True)
    asked = {
        key: Asked(_answer_of(turn), _answer_of(stored[key]), _answer_of(again[key]), *exported[key], later[key])
        for key, turn in first.items()
    }
    return Asking(asked, texts, edition.page_sizes)


def _keep(pdf: Path, edition: Edition) -> None:
    kept = edition_pdf(edition.sha256)
    kept.parent.mkdir(exist_ok=True)
    shutil.copyfile(pdf, kept)


def _publish_next() -> None:
    """The second edition of the sample takes over. From its sources, which is quicker than its PDF and puts everything
    elsewhere: what was cited from the first would not be found by looking in the second."""
    edition = Edition.objects.create(
        title="Dược thư mẫu", year=2027, is_sample=True, sha256="5c" * 32, parser_version="sources"
    )
    build_edition(edition, sample_book(2027), on_progress=lambda _done, _total: None)
    publish_edition(edition)
    _keep(NEXT_PDF, edition)


def _only_turn(turn: Turn) -> Turn:
    (stored,) = turns_of(OWNER, turn.conversation_id)
    return stored


def _later(turn: Turn, *, draw: bool) -> Later:
    stored, _ = turns_of(OWNER, turn.conversation_id)
    answer = _answer_of(stored)
    found = [source_of_turn(stored, source.number) for source in show_answer(answer).sources]
    picture = _get(answer.claims[0].citations[0].crop) if draw else b""
    return Later(answer, _text_export(stored), tuple(source for source in found if source), picture)


def _get(address: str) -> bytes:
    response = Client().get(address)
    assert response.status_code == 200
    return response.content


def _text_export(turn: Turn) -> str:
    return answer_text(question=turn.question, asked_at=turn.created_at, answer=_answer_of(turn))


def _pdf_export(turn: Turn) -> str:
    """The text of the PDF, in the order in which PDFium reads it."""
    pdf = answer_pdf(question=turn.question, asked_at=turn.created_at, answer=_answer_of(turn))
    with pypdfium2.PdfDocument(pdf) as document:
        return "\n".join(page.get_textpage().get_text_range() for page in document)


def _answer_of(turn: Turn) -> Answer:
    answer = stored_answer(turn)
    assert answer is not None
    return answer


def _citations(answer: Answer) -> list[Citation]:
    """Each citation of an answer once: of its claims, then of what it was decided on."""
    cited = chain(
        (citation for claim in answer.claims for citation in claim.citations),
        (item.citation for item in answer.evidence if item.citation),
    )
    return list({citation.passage_id: citation for citation in cited}.values())


def _boxes(citation: Citation) -> list[Box]:
    return [Box(int(page), *place) for page, *place in citation.regions]


# What is printed


@cache
def _signs(page_number: int) -> tuple[Sign, ...]:
    """All characters printed on a page of the sample, white space left out."""
    with pypdfium2.PdfDocument(SAMPLE_PDF) as document:
        page = document[page_number - 1]
        left, bottom, _, top = page.get_bbox()
        assert (left, bottom, page.get_rotation()) == (0, 0, 0)
        text_page = page.get_textpage()
        signs = (_sign(text_page, index, top) for index in range(text_page.count_chars()))
        return tuple(sign for sign in signs if not sign.code.isspace())


def _sign(text_page: Any, index: int, top: float) -> Sign:
    code = chr(raw.FPDFText_GetUnicode(text_page, index))
    x0, y0, x1, y1 = text_page.get_charbox(index)
    x, y = ctypes.c_double(), ctypes.c_double()
    raw.FPDFText_GetCharOrigin(text_page, index, x, y)
    return Sign(code, x0, top - y1, x1, top - y0, top - y.value, raw.FPDFText_GetFontSize(text_page, index))


@cache
def _inside(box: Box) -> tuple[Sign, ...]:
    """The characters in a box, from left to right."""
    inside = (sign for sign in _signs(box.page) if sign.lies_in(box))
    return tuple(sorted(inside, key=lambda sign: sign.x0 + sign.x1))


def _written(line: Sequence[Sign]) -> str:
    """A printed line as text. The sample prints powers and indices as small digits, raised or lowered, and the book is
    quoted with the Unicode characters for them: a sign becomes one only where it is really set so, so that "10⁹" that
    is quoted as "109" is a fault, and the other way round.
    """
    baseline, size = _level(line)
    return _squeezed("".join(_unshifted(sign, baseline, size) for sign in line))


def _level(line: Sequence[Sign]) -> tuple[float, float]:
    """The baseline and the size of most characters of a line."""
    return mode(round(sign.baseline, 1) for sign in line), mode(sign.size for sign in line)


def _unshifted(sign: Sign, baseline: float, size: float) -> str:
    rise = (baseline - sign.baseline) / size
    if sign.size > SCRIPT_SIZE * size or abs(rise) < SCRIPT_SHIFT:
        return sign.code
    return sign.code.translate(RAISED if rise > 0 else LOWERED)


def _squeezed(text: str) -> str:
    """Without white space."""
    return "".join(text.split())


def _printed(boxes: Iterable[Box]) -> str:
    """What is printed inside the boxes, in their order."""
    return "".join(_written(line) for line in map(_inside, boxes) if line)


def _printed_passage(citation: Citation) -> str:
    """What is printed in its boxes. The book sets three short sections on the line of their heading ("Mã ATC:
    N02BE01."), and a box is a whole printed line, so that theirs holds the heading too; it is no part of the passage.
    """
    printed = _printed(_boxes(citation))
    runs_in = citation.section in RUN_IN_SECTIONS
    return printed.removeprefix(_squeezed(f"{citation.section_heading}:")) if runs_in else printed


def _printed_signs(citation: Citation) -> str:
    """The signs of a table or a fraction, in no order, for it has no one order of reading; it is never quoted, only
    shown as a picture. What is raised in it is not told from what stands above a bar, hence LEVEL."""
    return _squeezed("".join(sign.code for box in _boxes(citation) for sign in _inside(box)))


def _pages_of(citation: Citation) -> tuple[str, str]:
    """Printed pages and PDF pages as an export writes them."""
    printed, pdf = citation.page_span, citation.pdf_pages
    assert all(after == before + 1 for before, after in pairwise(pdf))
    return _from_to(*printed), _from_to(pdf[0], pdf[-1])


def _from_to(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}–{last}"


def _difference(picture: Image.Image, pdf: Path, region: Region) -> float:
    """How far a picture is from that region of a PDF drawn here, in mean levels of grey."""
    edges = (region.x0, region.size[1] - region.y1, region.size[0] - region.x1, region.y0)
    with pypdfium2.PdfDocument(pdf) as document:
        drawn = document[region.page - 1].render(scale=region.scale, crop=edges).to_pil().convert("L")
    assert drawn.size == picture.size
    return float(ImageStat.Stat(ImageChops.difference(picture, drawn)).mean[0])


@cache
def _printed_number(page: int) -> int:
    """The number at an edge of the running head of a page; a title in it may have a number of its own."""
    head = "".join(sign.code for sign in _signs(page) if sign.baseline < HEAD)
    (number,) = re.findall(r"^\d+|\d+$", head.strip())
    return int(number)


# The tests


def test_turns_are_spread_and_answered(asking: Asking, capsys: pytest.CaptureFixture[str]) -> None:
    answers = [asked.first for asked in asking.turns.values()]
    assert len(answers) == TURNS
    assert all(answer.decision is Decision.ANSWERABLE and answer.claims for answer in answers)
    citations = [citation for answer in answers for citation in _citations(answer)]
    cited = {citation.passage_id: citation for citation in citations}
    boxes = [box for citation in cited.values() for box in _boxes(citation)]
    drugs, sections = ({getattr(c, name) for c in cited.values()} for name in ("drug_id", "section"))
    parted = sum(len(regions_of(_boxes(citation), asking.page_sizes)) > 1 for citation in cited.values())
    held = sum(citation.kind is not PassageKind.TEXT for citation in cited.values())
    with capsys.disabled():
        print(
            f"\ncited lines: {len(answers)} turns, {len(citations)} citations of {len(cited)} passages "
            f"({held} tables and formulas, {parted} over a column's end) in {len(sections)} sections of "
            f"{len(drugs)} drugs; {sum(len(c.regions) for c in citations)} boxes, {len(boxes)} of them distinct"
        )
    assert len(drugs) > 40 and len(sections) == 19
    assert len(cited) > 300 and len(boxes) > 700 and parted > 0 and held > 0


@each_turn
def test_boxes_lie_on_exactly_the_cited_lines(asking: Asking, key: str) -> None:
    answer = asking.turns[key].first
    for claim in answer.claims:
        printed = "".join(_printed_passage(citation) for citation in claim.citations)
        assert printed == _squeezed(claim.support)
    for citation in _citations(answer):
        text = _squeezed(asking.texts[citation.passage_id])
        if citation.kind is PassageKind.TEXT:
            assert _printed_passage(citation) == text
        else:
            assert Counter(_printed_signs(citation)) == Counter(text.translate(LEVEL))


@each_turn
def test_each_box_is_one_whole_printed_line(asking: Asking, key: str) -> None:
    """Beyond what is read in them: all ink of the cited signs is inside, and nothing of two lines is in one box."""
    for citation in _citations(asking.turns[key].first):
        assert citation.regions and len(set(citation.regions)) == len(citation.regions)
        for box in _boxes(citation):
            line = _inside(box)
            assert line and max(sign.sticks_out(box) for sign in line) <= INK_OUTSIDE, (citation.passage_id, box)
            if citation.kind is PassageKind.TEXT:
                baseline, size = _level(line)
                assert all(abs(sign.baseline - baseline) < ONE_LINE * size for sign in line), (box, _written(line))


@each_turn
def test_pages_are_those_printed_on_the_paper(asking: Asking, key: str) -> None:
    for citation in _citations(asking.turns[key].first):
        pages = list(dict.fromkeys(box.page for box in _boxes(citation)))
        assert citation.pdf_pages == tuple(pages)
        assert citation.page_span == (_printed_number(pages[0]), _printed_number(pages[-1]))


@each_turn
def test_picture_holds_every_box(asking: Asking, key: str) -> None:
    for citation in _citations(asking.turns[key].first):
        boxes = _boxes(citation)
        regions = regions_of(boxes, asking.page_sizes)
        assert [line for region in regions for line in region.lines] == boxes
        for region in regions:
            for box in region.lines:
                assert region.page == box.page
                assert region.x0 <= box.x0 < box.x1 <= region.x1 and region.y0 <= box.y0 < box.y1 <= region.y1


@each_turn
def test_nothing_changes_when_read_again_or_asked_again(asking: Asking, key: str) -> None:
    asked = asking.turns[key]
    assert asked.reloaded == asked.first
    assert asked.again.trace_id != asked.first.trace_id
    assert asked.again.model_copy(update={"trace_id": asked.first.trace_id}) == asked.first


@each_turn
def test_exports_name_the_same_pages(asking: Asking, key: str) -> None:
    asked = asking.turns[key]
    sources = show_answer(asked.first).sources
    expected = {str(source.number): _pages_of(source.citation) for source in sources}
    assert {source.citation.passage_id for source in sources} == {
        citation.passage_id for claim in asked.first.claims for citation in claim.citations
    } | {item.citation.passage_id for item in asked.first.evidence if item.citation and not item.text}
    listed = {number: (printed, pdf) for number, printed, pdf in SOURCE_LINE.findall(asked.text)}
    assert listed == expected
    numbers = {source.citation.passage_id: source.number for source in sources}
    for claim in asked.first.claims:
        chips = " ".join(f"[{numbers[citation.passage_id]}]" for citation in claim.citations)
        assert f"• {claim.claim} {chips}\n" in asked.text
    in_pdf = _squeezed(asked.pdf)
    for number, (printed, pdf) in expected.items():
        assert f"[{number}]tr.{printed}" in in_pdf
        assert f"tr.{printed}(PDF{pdf})" in in_pdf


@each_turn
def test_another_edition_leaves_old_turns_where_they_are(asking: Asking, key: str) -> None:
    asked = asking.turns[key]
    later = asked.later
    assert later.answer == asked.first and later.text == asked.text
    cited = [source.citation for source in show_answer(asked.first).sources]
    assert [found.source.citation for found in later.sources] == cited
    for found, citation in zip(later.sources, cited, strict=True):
        assert [line for region in found.regions for line in region.lines] == _boxes(citation)
        assert [page.page for page in found.pages] == list(citation.pdf_pages)
        assert found.edition == asked.first.edition
        assert not found.now and not found.file_missing
        assert found.quoted == (asking.texts[citation.passage_id] if citation.kind is PassageKind.TEXT else "")


def test_pictures_are_still_drawn_from_the_edition_that_was_cited(asking: Asking) -> None:
    drawn = [asked.later for asked in asking.turns.values() if asked.later.picture]
    assert len(drawn) == TURNS // DRAWN_EVERY
    moved = 0
    for later in drawn:
        region = later.sources[0].regions[0]
        with Image.open(io.BytesIO(later.picture)) as opened:
            picture = opened.convert("L")
        assert _difference(picture, SAMPLE_PDF, region) < ALIKE
        moved += _difference(picture, NEXT_PDF, region) > 2 * ALIKE
    assert moved > len(drawn) / 2  # else the two editions would look alike and prove nothing


@pytest.mark.parametrize("move", ["down", "up", "wider", "narrower", "one less", "one more"])
def test_a_misplaced_box_is_noticed(asking: Asking, move: str) -> None:
    """The check itself: boxes that are a line off, too narrow or too many read otherwise, but for the few that grow
    only over empty paper."""
    citations = {c.passage_id: c for asked in asking.turns.values() for c in _citations(asked.first)}
    long = [c for c in citations.values() if c.kind is PassageKind.TEXT and len(c.regions) > 2]
    noticed = [c for c in long if _printed(_moved(_boxes(c), move)) != _squeezed(asking.texts[c.passage_id])]
    assert len(long) > 100 and len(noticed) > 0.9 * len(long)


def _moved(boxes: list[Box], move: str) -> list[Box]:
    first, *rest = boxes
    height = first.y1 - first.y0
    match move:
        case "down":
            return [replace(first, y0=first.y0 + height, y1=first.y1 + height), *rest]
        case "up":
            return [replace(first, y0=first.y0 - height, y1=first.y1 - height), *rest]
        case "wider":
            return [replace(first, x0=20.0, x1=575.0), *rest]
        case "narrower":
            return [replace(first, x1=first.x1 - height), *rest]
        case "one less":
            return rest
        case _:
            return [*boxes, replace(boxes[-1], y0=boxes[-1].y1, y1=boxes[-1].y1 + height)]
