"""A stored answer as plain Vietnamese text for a report, and the words that every export of an answer shares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from django.utils import timezone

from chat.contract import Answer, EditionRef
from chat.display import HeldBack, ShownAnswer, ShownBlock, ShownClaim, Source, show_answer
from chat.display_lists import status_lines
from chat.domain import Decision
from chat.export_pairs import pair_lines
from chat.model_text import SUMMARY_NOTE, SUMMARY_TAG
from chat.outcomes import Status

ZONE: Final = ZoneInfo("Asia/Ho_Chi_Minh")
SAMPLE_BAND: Final = "BẢN MẪU – không dùng cho lâm sàng"
CORRECTED_TAG: Final = "đã sửa khi duyệt"
MISSING_HEAD: Final = "Phần chưa có trong câu trả lời này:"
STATUSES_HEAD: Final = "Tình trạng từng thuốc theo sách:"
CHOICES_HEAD: Final = "Các lựa chọn:"
SOURCES_HEAD: Final = "Nguồn"
CALCULATION_HEAD: Final = "Phép tính từ liều trong sách"
CAPPED_NOTE: Final = "Phép tính vượt mức tối đa sách in; kết quả đã giới hạn ở mức đó."
NO_EDITION: Final = "chưa có ấn bản nào được công bố"
PATH_STEP: Final = " › "


def answer_text(*, question: str, asked_at: datetime, answer: Answer) -> str:
    """The whole answer with its sources, quotes unchanged. asked_at: aware; shown in Vietnamese time."""
    shown = show_answer(answer)
    parts = (
        [SAMPLE_BAND] if is_sample(answer) else [],
        [f"Câu hỏi: {question.strip()}", asked_line(asked_at)],
        [answer.emergency],
        [verdict(answer)],
        pair_lines(shown),
        [answer.note],
        summary_lines(shown),
        _list_lines(STATUSES_HEAD, status_lines(answer)),
        *(_block_lines(block) for block in shown.blocks),
        calculation_lines(shown),
        _list_lines(MISSING_HEAD, missing_parts(answer)),
        *(_held_back_lines(item) for item in shown.held_back),
        _list_lines(CHOICES_HEAD, answer.quick_replies),
        [answer.next_step],
        _source_lines(shown),
        colophon(answer),
    )
    return "\n\n".join("\n".join(lines) for lines in parts if any(lines)) + "\n"


def is_sample(answer: Answer) -> bool:
    """Whether the answer comes from a sample edition."""
    return answer.edition is not None and answer.edition.is_sample


def asked_line(asked_at: datetime) -> str:
    """ "Hỏi lúc 05/03/2026 14:05"."""
    return f"Hỏi lúc {local_time(asked_at):%d/%m/%Y %H:%M}"


def local_time(moment: datetime) -> datetime:
    """Vietnamese time. A moment without a zone raises ValueError."""
    return timezone.localtime(moment, ZONE)


def verdict(answer: Answer) -> str:
    """What the answer says of itself: the question back where one is asked."""
    asks = answer.clarifying_question if answer.decision is Decision.CLARIFY else None
    return asks or answer.message


def missing_parts(answer: Answer) -> tuple[str, ...]:
    """What was asked for and is not in a partial answer."""
    if answer.status is not Status.PARTIAL or answer.insufficiency is None:
        return ()
    return (*answer.insufficiency.missing_targets, *answer.insufficiency.missing_topics)


def bare_heading(text: str) -> str:
    """A heading without the colon that the book prints after some."""
    return text.rstrip(" :")


def edition_name(edition: EditionRef) -> str:
    """ "Dược thư mẫu (2026)"."""
    return f"{edition.title} ({edition.year})"


def place_of(source: Source) -> str:
    """ "trang in 64 (trang PDF 66)"."""
    return f"trang in {source.pages} (trang PDF {pdf_pages(source)})"


def pdf_pages(source: Source) -> str:
    """ "66", "66–67" where it runs over, "66, 70" where pages lie between."""
    pages = sorted(set(source.citation.pdf_pages))
    if len(pages) > 1 and pages[-1] - pages[0] == len(pages) - 1:
        return f"{pages[0]}–{pages[-1]}"
    return ", ".join(map(str, pages))


def source_line(source: Source, edition: EditionRef | None) -> str:
    """Edition, drug, section and pages, without the number."""
    citation = source.citation
    book = [edition_name(edition)] if edition else []
    place = f"tr. {source.pages} (PDF {pdf_pages(source)})"
    return ", ".join([*book, citation.drug_name, bare_heading(citation.section_heading), place])


def held_back_line(item: HeldBack) -> str:
    """ "Bảng: xem trang in 64 (trang PDF 66)"."""
    kind, _, _ = item.tag.partition(":")
    return f"{kind}: xem {place_of(item.source)}"


def colophon(answer: Answer) -> list[str]:
    """What stands under every answer: disclaimer, edition, trace id."""
    edition = edition_name(answer.edition) if answer.edition else NO_EDITION
    return [answer.disclaimer, f"Ấn bản: {edition}", f"Mã tra cứu {answer.trace_id}"]


def _block_lines(block: ShownBlock) -> list[str]:
    return [_head_line(block), *_group_lines(block)]


def _head_line(block: ShownBlock) -> str:
    title = f"{bare_heading(block.title)} – {block.drug_name}"
    return title if block.verbatim else f"{title} ({_inside(block.tag)})"


def _inside(tag: str) -> str:
    """A label as it stands in brackets."""
    return tag[:1].lower() + tag[1:]


def _group_lines(block: ShownBlock) -> Iterator[str]:
    for group in block.groups:
        if group.path:
            yield PATH_STEP.join(group.path)
        # Indented under its labels, so that a claim that follows without any is not read as theirs.
        indent = "  " if group.path else ""
        yield from (f"{indent}• {_claim_line(claim)}" for claim in group.claims)


def _claim_line(claim: ShownClaim) -> str:
    tags = [f"({tag})" for tag in claim_tags(claim)]
    return " ".join([claim.text, *tags, *(marker(claim, source) for source in claim.sources)])


def claim_tags(claim: ShownClaim) -> list[str]:
    """What is said of a claim behind its words: corrected, or a model's beside others that are not."""
    return [*([CORRECTED_TAG] if claim.corrected else []), *([_inside(claim.tag)] if claim.tag else [])]


def marker(claim: ShownClaim, source: Source) -> str:
    """ "[1]", with the source's own labels where those of a claim's sources differ."""
    labels = PATH_STEP.join(source.citation.labels) if claim.apart else ""
    return f"[{source.number}: {labels}]" if labels else f"[{source.number}]"


def summary_lines(shown: ShownAnswer) -> list[str]:
    """A model's summary under its label; nothing where it has none."""
    if not shown.summary:
        return []
    said = (
        " ".join([f"• {sentence.text}", *(f"[{source.number}]" for source in sentence.sources)])
        for sentence in shown.summary
    )
    return [f"{SUMMARY_TAG}:", *said, SUMMARY_NOTE]


def calculation_lines(shown: ShownAnswer) -> list[str]:
    """The calculation of an answer: its head, then one line each for inputs, steps, result and notes."""
    found = shown.answer.calculation
    if found is None:
        return []
    cited = "".join(f" [{source.number}]" for source in shown.calculation_sources)
    return [
        f"{CALCULATION_HEAD}{cited}",
        *(f"• {name}: {value}" for name, value in found.inputs),
        *([f"• Mức tối đa sách in: {found.maximum}"] if found.maximum else []),
        *found.steps,
        "Kết quả phép tính:",
        *(f"• {line}" for line in shown.result_lines),
        *([CAPPED_NOTE] if found.capped else []),
        *([found.rounding] if found.rounding else []),
        shown.calculation_notice,
    ]


def _held_back_lines(item: HeldBack) -> list[str]:
    citation = item.source.citation
    path = [PATH_STEP.join(item.labels)] if item.labels else []
    title = f"{bare_heading(citation.section_heading)} – {citation.drug_name}"
    return [title, *path, f"{held_back_line(item)} [{item.source.number}]"]


def _list_lines(head: str, items: Sequence[str]) -> list[str]:
    return [head, *(f"• {item}" for item in items)] if items else []


def _source_lines(shown: ShownAnswer) -> list[str]:
    lines = [f"[{source.number}] {source_line(source, shown.answer.edition)}" for source in shown.sources]
    return [f"{SOURCES_HEAD}:", *lines] if lines else []
