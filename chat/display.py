"""A stored answer as the page shows it: numbered sources, claims grouped under their labels, one template a block."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import assert_never

from pydantic import ValidationError

from chat.contract import Answer, AnswerBlock, Citation, SectionLink
from chat.domain import Decision
from chat.models import Turn, TurnState
from monographs.crops import Region
from monographs.domain import BlockKind, PassageKind
from monographs.reading import regions_of_passages
from monographs.typography import inherited_labels


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
    """A claim with its sources; labels: those that stand at its own head."""

    text: str
    labels: tuple[str, ...]
    verbatim: bool
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class LabelGroup:
    """Neighbouring claims governed by the same labels from further up."""

    path: tuple[str, ...]
    claims: tuple[ShownClaim, ...]


@dataclass(frozen=True, slots=True)
class ShownBlock:
    """A block with the template that sets it."""

    template: str
    title: str
    drug_name: str
    verbatim: bool
    groups: tuple[LabelGroup, ...]


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


@dataclass(frozen=True, slots=True)
class ShownTurn:
    """A turn with its answer, once there is one."""

    turn: Turn
    shown: ShownAnswer | None

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
    try:
        return ShownTurn(turn, show_answer(Answer.model_validate(turn.contract)) if turn.contract else None)
    except ValidationError:
        return ShownTurn(turn, None)


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
    pairs = []
    for claim in claims:
        labels = claim.citations[0].labels
        shown = ShownClaim(
            claim.claim, labels, claim.verbatim, tuple(sources[citation.chunk_id] for citation in claim.citations)
        )
        pairs.append((inherited_labels(claim.claim, labels), shown))
    groups = tuple(
        LabelGroup(path, tuple(shown for _, shown in group)) for path, group in groupby(pairs, key=lambda pair: pair[0])
    )
    return ShownBlock(
        template=block_template(block.kind),
        title=block.title,
        drug_name=block.drug_name,
        verbatim=all(claim.verbatim for claim in claims),
        groups=groups,
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
