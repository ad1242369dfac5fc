"""A stored answer as the page shows it: numbered sources, claims grouped under their labels, one template a block."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby, takewhile
from typing import assert_never

from pydantic import ValidationError

from chat.changes import Changes, compare_answers
from chat.contract import Answer, AnswerBlock, Citation, Claim, EditionRef, SectionLink
from chat.display_lists import Lists, lists_of
from chat.domain import Decision
from chat.model_text import MIXED_TAG, MODEL_TAG, SUMMARY_NOTE, SUMMARY_TAG, ShownSentence, block_tag, shown_summary
from chat.models import Feedback, Turn, TurnState
from chat.pair_grid import PairGrid, grid_of
from chat.stages import Step, steps_at
from monographs.cited import place_of_citation
from monographs.crops import Region
from monographs.domain import BlockKind, Box, PassageKind, PassageState
from monographs.reading import regions_of_passages
from monographs.typography import inherited_labels

CALCULATION_NOTICE = (
    "Chỉ là phép tính từ con số sách in và số liệu đã ghi; không phải đề nghị dùng thuốc. "
    "Đọc kèm nguyên văn: đối tượng, khoảng cách liều và điều kiện."
)


@dataclass(frozen=True, slots=True)
class Source:
    """A citation with its number on the page."""

    number: int
    citation: Citation

    @property
    def pages(self) -> str:
        """ "123", or "123–124" where it runs over."""
        first, last = self.citation.page_span
        return str(first) if first == last else f"{first}–{last}"


@dataclass(frozen=True, slots=True)
class ShownClaim:
    """A claim with its sources; labels: those that stand at its own head; place: its index in the contract; tag: what
    is said of it beside what the block's head says."""

    text: str
    labels: tuple[str, ...]
    verbatim: bool
    sources: tuple[Source, ...]
    place: int = 0
    tag: str = ""

    @property
    def apart(self) -> bool:
        """Whether its sources stand under different labels, each of which must be seen beside its own."""
        return len({source.citation.labels for source in self.sources}) > 1

    @property
    def corrected(self) -> bool:
        """Whether a reviewer put it right: its words are not those that were read from the page."""
        return any(source.citation.state is PassageState.CORRECTED for source in self.sources)


@dataclass(frozen=True, slots=True)
class LabelGroup:
    """Neighbouring claims governed by the same labels from further up."""

    path: tuple[str, ...]
    claims: tuple[ShownClaim, ...]


@dataclass(frozen=True, slots=True)
class ShownBlock:
    """A block with the template that sets it. verbatim: all of it; tag: whose words it is in."""

    template: str
    title: str
    drug_name: str
    verbatim: bool
    groups: tuple[LabelGroup, ...]
    tag: str


@dataclass(frozen=True, slots=True)
class HeldBack:
    """Evidence of which only the picture may be shown."""

    source: Source
    labels: tuple[str, ...]
    regions: tuple[Region, ...]

    @property
    def tag(self) -> str:
        """What stands in the picture."""
        return _PICTURE_TAGS[self.source.citation.kind]


_PICTURE_TAGS = {
    PassageKind.TEXT: "Đoạn chờ duyệt: ảnh trang in",
    PassageKind.TABLE: "Bảng: ảnh trang in",
    PassageKind.FORMULA: "Công thức: ảnh trang in",
    PassageKind.FIGURE: "Hình: ảnh trang in",
}


@dataclass(frozen=True, slots=True)
class RelatedSections:
    """Sections of one monograph that can be read instead; name is "" where the link says it all."""

    name: str
    links: tuple[SectionLink, ...]


@dataclass(frozen=True, slots=True)
class ShownAnswer:
    """An answer ready for the page."""

    answer: Answer
    blocks: tuple[ShownBlock, ...]
    sources: tuple[Source, ...]
    held_back: tuple[HeldBack, ...]
    related: tuple[RelatedSections, ...]
    summary: tuple[ShownSentence[Source], ...] = ()
    summary_tag: str = SUMMARY_TAG
    summary_note: str = SUMMARY_NOTE

    @property
    def lists(self) -> Lists:
        """What of it is set in columns or as the entries of a list, and the rest."""
        return lists_of(self.answer, self.blocks, self.held_back)

    @property
    def grid(self) -> PairGrid | None:
        """What is said of each pair of the answer's drugs; None where it has no pairs."""
        return grid_of(self.answer.pairs)

    @property
    def calculation_sources(self) -> tuple[Source, ...]:
        """The sources of the answer's calculation; none where it has none."""
        found = self.answer.calculation
        cited = {citation.chunk_id for citation in found.citations} if found else set()
        return tuple(source for source in self.sources if source.citation.chunk_id in cited)

    @property
    def result_lines(self) -> tuple[str, ...]:
        """What a calculation comes to, one line for each level that the book prints."""
        found = self.answer.calculation
        return tuple(found.result.split("; ")) if found else ()

    @property
    def calculation_notice(self) -> str:
        """What a calculation is, and is not."""
        return CALCULATION_NOTICE


@dataclass(frozen=True, slots=True)
class Refusal:
    """An opinion that could not be kept: why, in the reader's sentence, and the comment as it was sent."""

    problem: str
    comment: str


@dataclass(frozen=True, slots=True)
class ShownTurn:
    """A turn with its answer, once there is one. changes: from the answer that this one asks again for; refused: an
    opinion of it that could not be kept."""

    turn: Turn
    shown: ShownAnswer | None
    changes: Changes | None = None
    refused: Refusal | None = None

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps of the work, each done, at hand or to come; none before a stage is known."""
        return steps_at(self.turn.stage)

    @property
    def feedback(self) -> Feedback | None:
        """What the asker said of it."""
        return getattr(self.turn, "feedback", None)

    @property
    def announcement(self) -> str:
        """What a screen reader is told when the turn ends."""
        if self.shown is not None:
            return _ANNOUNCEMENTS[self.shown.answer.decision]
        return "Lượt hỏi đã huỷ." if self.turn.state == TurnState.CANCELLED else "Lượt hỏi không có câu trả lời."


_ANNOUNCEMENTS = {
    Decision.ANSWERABLE: "Đã có trả lời.",
    Decision.CLARIFY: "Cần hỏi lại một điều.",
    Decision.VERIFY_PDF: "Cần đối chiếu trên ảnh trang in.",
    Decision.ABSTAIN: "Không trả lời được; xem lý do.",
}


def show_turn(turn: Turn) -> ShownTurn:
    """The turn as the page shows it. A stored answer that no longer reads costs only itself, not the conversation."""
    answer = stored_answer(turn)
    if answer is None:
        return ShownTurn(turn, None)
    before = stored_answer(turn.rerun_of) if turn.rerun_of else None
    return ShownTurn(turn, show_answer(answer), compare_answers(before, answer) if before else None)


def stored_answer(turn: Turn) -> Answer | None:
    """The answer a turn was given, or None where there is none or an older version of it no longer reads."""
    try:
        return Answer.model_validate(turn.contract) if turn.contract else None
    except ValidationError:
        return None


@dataclass(frozen=True, slots=True)
class CitedSource:
    """A source as a stored answer cites it. quoted: its words of that time; now: what they have become, where a
    review has changed them since, or "" where the passage is gone or as it was; held_back: a review has taken them
    back since; replaced: the edition was, by a later one."""

    source: Source
    edition: EditionRef | None
    regions: tuple[Region, ...]
    pages: tuple[Region, ...]
    quoted: str
    now: str
    held_back: bool
    replaced: bool
    file_missing: bool

    @property
    def is_picture(self) -> bool:
        """Whether only the picture of it may be shown."""
        return not self.quoted

    @property
    def picture_tag(self) -> str:
        """What stands in the picture."""
        return _PICTURE_TAGS[self.source.citation.kind]

    @property
    def spreads(self) -> bool:
        """Whether it stands on more than one page."""
        return len(self.source.citation.pdf_pages) > 1


def source_of_turn(turn: Turn, number: int) -> CitedSource | None:
    """The source with this number in the turn's answer; None where it has none."""
    answer = stored_answer(turn)
    shown = show_answer(answer) if answer else None
    source = next((source for source in shown.sources if source.number == number), None) if shown else None
    if answer is None or source is None:
        return None
    citation = source.citation
    boxes = [Box(int(page), *rest) for page, *rest in citation.regions]
    place = place_of_citation(citation.passage_id, boxes)
    quoted = _quoted(answer, citation)
    return CitedSource(
        source=source,
        edition=answer.edition,
        regions=place.regions,
        pages=place.pages,
        quoted=quoted,
        now=place.text if quoted and place.text != quoted else "",
        held_back=bool(quoted) and place.held_back,
        replaced=place.replaced,
        file_missing=place.file_missing,
    )


def _quoted(answer: Answer, citation: Citation) -> str:
    """The cited words as the answer kept them; "" for what is only shown as a picture."""
    return next((item.text for item in answer.evidence if item.chunk_id == citation.chunk_id), "")


def show_answer(answer: Answer) -> ShownAnswer:
    """The answer with its sources numbered in the order in which they are first cited."""
    sources = _number_sources(answer)
    blocks = tuple(_show_block(answer, block, sources) for block in answer.blocks)
    return ShownAnswer(
        answer,
        blocks,
        tuple(sources.values()),
        _show_held_back(answer, sources),
        _show_related(answer.related_sections),
        shown_summary(answer, sources),
    )


def _show_related(links: tuple[SectionLink, ...]) -> tuple[RelatedSections, ...]:
    """ "Paracetamol – Chỉ định" under one "Paracetamol": nineteen links that repeat a name are not read."""
    split = [(link, *link.label.rpartition(" – ")) for link in links]
    return tuple(
        RelatedSections(name, tuple(SectionLink(label=label, url=link.url) for link, _, _, label in group))
        for name, group in groupby(split, key=lambda entry: entry[1])
    )


def _show_held_back(answer: Answer, sources: dict[str, Source]) -> tuple[HeldBack, ...]:
    citations = _held_back_citations(answer)
    regions = regions_of_passages(citation.passage_id for citation in citations)
    return tuple(
        HeldBack(sources[citation.chunk_id], citation.labels, regions.get(citation.passage_id, ()))
        for citation in citations
    )


def _held_back_citations(answer: Answer) -> list[Citation]:
    return [item.citation for item in answer.evidence if item.citation and not item.text]


def _number_sources(answer: Answer) -> dict[str, Source]:
    cited = [answer.claims[index] for block in answer.blocks for index in block.claims]
    citations = [citation for claim in cited or answer.claims for citation in claim.citations]
    citations += _held_back_citations(answer)
    unique = {citation.chunk_id: citation for citation in citations}
    return {key: Source(number, citation) for number, (key, citation) in enumerate(unique.items(), start=1)}


def _show_block(answer: Answer, block: AnswerBlock, sources: dict[str, Source]) -> ShownBlock:
    claims = [answer.claims[index] for index in block.claims]
    tag = block_tag(tuple(claim.verbatim for claim in claims))
    pairs = [
        (_path_of(claim), _show_claim(claim, place, sources, tag=tag))
        for place, claim in zip(block.claims, claims, strict=True)
    ]
    groups = tuple(
        LabelGroup(path, tuple(shown for _, shown in group)) for path, group in groupby(pairs, key=lambda pair: pair[0])
    )
    return ShownBlock(
        template=block_template(block.kind),
        title=block.title,
        drug_name=block.drug_name,
        verbatim=all(claim.verbatim for claim in claims),
        groups=groups,
        tag=tag,
    )


def _path_of(claim: Claim) -> tuple[str, ...]:
    """The labels that stand over a claim: those that all its sources are under and that it does not begin with."""
    paths = [citation.labels for citation in claim.citations]
    common = tuple(takewhile(lambda label: all(label in path for path in paths), paths[0]))
    return inherited_labels(claim.claim, common)


def _show_claim(claim: Claim, place: int, sources: dict[str, Source], *, tag: str) -> ShownClaim:
    return ShownClaim(
        claim.claim,
        claim.citations[0].labels,
        claim.verbatim,
        tuple(sources[citation.chunk_id] for citation in claim.citations),
        place,
        MODEL_TAG if tag == MIXED_TAG and not claim.verbatim else "",
    )


def block_template(kind: BlockKind) -> str:
    """The fragment that sets a kind of block."""
    match kind:
        case BlockKind.DOSAGE:
            return "chat/_block_dosage.html"
        case BlockKind.WARNING:
            return "chat/_block_warning.html"
        case BlockKind.FACT_LIST:
            return "chat/_block_fact_list.html"
        case _:
            assert_never(kind)
