"""What an answer is drafted from, and the common ends of a decision."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from chat.branches import is_general_path
from chat.domain import Calculation, Candidate, EvidenceBlock, Pair, QueryFrame, Reason, Stop
from chat.numbers import numeric_tokens
from chat.segments import CONDITION_UNITS
from monographs.domain import SECTION_FACTS, SectionKey

# How a section is asked for in one tap; the first four where nothing in the question is nearer to another.
_SECTION_REPLIES = {
    SectionKey.LIEU_DUNG: "Liều dùng",
    SectionKey.CHONG_CHI_DINH: "Chống chỉ định",
    SectionKey.TUONG_TAC: "Tương tác thuốc",
    SectionKey.ADR: "Tác dụng không mong muốn",
    SectionKey.CHI_DINH: "Chỉ định",
    SectionKey.THAN_TRONG: "Thận trọng",
    SectionKey.DANG_THUOC_HAM_LUONG: "Dạng thuốc và hàm lượng",
    SectionKey.DUOC_LY_CO_CHE: "Cơ chế tác dụng",
    SectionKey.LOAI_THUOC: "Loại thuốc",
    SectionKey.XU_TRI_ADR: "Xử trí ADR",
    SectionKey.BAO_QUAN: "Bảo quản",
    SectionKey.TUONG_KY: "Tương kỵ",
    SectionKey.QUA_LIEU: "Quá liều",
}
_NEAREST = 5
# What the question before asked of another drug, kept in a frame's raw part.
BEFORE = "before"
# "Liều đầu không thay đổi, liều sau như bảng": more than a pointer.
_SECOND_CLAUSE = re.compile(r"[;.]\s+\S|\bkhông\b")
_POINTER = re.compile(r"\bbảng\b.{0,20}(?:dưới|sau|trên)|(?:như|theo|trong|nêu trong) bảng", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Selection:
    """The evidence an answer is drafted from, in the order it is shown.

    missing: what was asked and is not in it (sections, topics), in Vietnamese; ask: a part of the question that
    must still be asked back, with its replies; absent: drugs or names that were asked for and have nothing to show;
    pairs, candidates, calculation: what the routes of more than one drug, or of arithmetic, found. Their evidence is
    in evidence as well; note: what must be said of a list or of a comparison as a whole, in Vietnamese; refused: why
    what is asked beyond the evidence is not given, where the evidence is shown all the same.
    """

    evidence: tuple[EvidenceBlock, ...]
    missing: tuple[str, ...] = ()
    ask: Stop | None = None
    absent: tuple[str, ...] = ()
    pairs: tuple[Pair, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    calculation: Calculation | None = None
    note: str = ""
    refused: Stop | None = None


def asked_sections(frame: QueryFrame) -> tuple[SectionKey, ...]:
    return (frame.attribute, *frame.also) if frame.attribute else ()


def check_selection(
    shown: Sequence[EvidenceBlock], frame: QueryFrame, missing: tuple[str, ...] = (), asks: Sequence[Stop] = ()
) -> Selection | Stop | None:
    """What is to be shown, unless it must be seen on the page or cannot be cited; None where there is nothing."""
    if not shown:
        return None
    specific = [block for block in shown if not is_general_path(block.labels)] or shown
    if all(is_held(block) or _only_points(block, shown) for block in specific):
        return Stop(Reason.SOURCE_QUARANTINED, evidence=tuple(block for block in specific if not block.is_label))
    if any(block.printed_page is None for block in shown):
        return Stop(Reason.MISSING_PRINTED_PAGE)
    return Selection(tuple(shown), missing, asks[0] if asks else None)


def names_not_in_book(frame: QueryFrame) -> tuple[str, ...]:
    """Names beside a known drug that are in no index: "amoxicilin + suulbactam" is not answered for one alone."""
    return () if frame.guessed_names else frame.unknown_drugs


def needs_section(frame: QueryFrame, ranked: Sequence[EvidenceBlock] = ()) -> Stop:
    """Which section is meant: offered are what was asked of another drug before, those that come nearest to the
    question, then those asked for most."""
    before = frame.raw.get(BEFORE)
    asked = [SectionKey(before)] if isinstance(before, str) else []
    first = [_SECTION_REPLIES.get(key, SECTION_FACTS[key].title) for key in asked]
    nearest = [title for block in ranked if (title := _SECTION_REPLIES.get(block.section))]
    replies = tuple(dict.fromkeys([*first, *dict.fromkeys(nearest[:_NEAREST]), *_SECTION_REPLIES.values()]))
    return Stop(Reason.NEEDS_SECTION, {"drug": frame.drugs[0].name}, replies[:4])


def _only_points(block: EvidenceBlock, shown: Sequence[EvidenceBlock]) -> bool:
    """Whether a passage only says that the dose stands in a table, and the table is there."""
    table = any(is_held(other) for other in shown)
    amounts = [n for n in numeric_tokens(block.text) if n.unit and n.unit not in CONDITION_UNITS]
    pointing = bool(_POINTER.search(block.text)) and not amounts and not _SECOND_CLAUSE.search(block.text)
    return block.is_label or (table and pointing)


def is_held(block: EvidenceBlock) -> bool:
    return block.is_held
