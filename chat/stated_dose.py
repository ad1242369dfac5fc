"""Which printed dose by weight is this patient's, or why none is counted from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from chat.bands import bands_of
from chat.branches import facets, is_general_path, is_manner_path
from chat.domain import EvidenceBlock, Population, QueryFrame
from chat.fitting import values_of
from chat.patient_facts import is_excepted, names_population
from chat.quantities import MASSES, Quantity
from chat.selection import is_held
from chat.statements import EVERY_OTHER_DAY, Dose, Reading, Statement, read_statements
from chat.terms import stands_in, terms_of
from chat.told import told_flow
from monographs.domain import SectionKey
from monographs.text import WordSet, folded_words

NO_WEIGHT_DOSE = "sách không in liều theo cân nặng cho trường hợp này"
# "Không có chống chỉ định tuyệt đối trong phản vệ" forbids nothing.
_NONE = re.compile(r"\bkhông có chống chỉ định\b", re.IGNORECASE)
_DAY = frozenset({"ngày", "24 giờ"})
_WHOLE_COURSE = ("liều đầu", "liều nạp", "ngày đầu")
# Facts for which only what the book labels for them is counted from.
_OWN_DOSE = (Population.SUY_THAN, Population.SUY_GAN, Population.MANG_THAI)
# Of what keeps a drug from some patients: how it begins, its parts, and what only tells more of one of them.
_KEEPS = re.compile(r"^Không dùng (?:\w+(?: \w+)? này )?(?:cho|khi) (?:người )?")
_PARTS = re.compile(r", | hoặc ")
_BEHIND_NAME = re.compile(r" (?:do|trên|vì) ")
_SHORTEST_NAME = 4
# A passage whose dose stands in the table after it: a maximum may stand in the sentence all the same.
_BY_TABLE = re.compile(r"\bLiều (?:một lần )?(?:như|nêu trong|theo) bảng")
# Words of a condition that say no more than its bands.
_PLAIN_CONDITION = frozenset(
    {"nguoi", "tre", "em", "can", "nang", "duoi", "tren", "tu", "den", "kg", "tuoi", "thang", "tuan", "ngay", "so"}
    | {"sinh", "lon", "tro", "len", "do", "thanh", "thai", "creatinin", "clcr", "ml", "phut"}
)


@dataclass(frozen=True, slots=True)
class Refused:
    """Why nothing is calculated, in Vietnamese, and the printed words that it is about."""

    why: str


def printed_maxima(statements: Sequence[Statement]) -> str:
    """The maxima of the statements as printed; where they differ, each after the level that it is printed for."""
    said = [statement for statement in statements if statement.maximum_text]
    if len({statement.maximum_text for statement in said}) <= 1:
        return said[0].maximum_text if said else ""
    return "; ".join(f"{s.level}: {s.maximum_text}" if s.level else s.maximum_text for s in said)


def is_forbidden(shown: Sequence[EvidenceBlock], frame: QueryFrame) -> bool:
    """Whether a contraindication is shown that may be the patient's: any but one that is only for a condition of
    kidneys or liver that is not told, or for conditions under a route of which the question speaks of none."""
    forbidding = [b for b in shown if b.section is SectionKey.CHONG_CHI_DINH and not is_excepted(b, frame)]
    forbidding = [b for b in forbidding if not (_is_of_untold(b, frame) or _NONE.search(b.text))]
    named = [facets(block.text)[0] for block in forbidding]
    return any(not populations or not populations.isdisjoint(frame.populations) for populations in named)


def _is_of_untold(block: EvidenceBlock, frame: QueryFrame) -> bool:
    """ "Đường tĩnh mạch: nhịp chậm xoang": not the route is forbidden, but with what stands behind it."""
    head, _, conditions = block.text.partition(": ")
    said = WordSet(conditions)
    of_route = bool(facets(head)[1]) and not facets(head)[0] and bool(conditions)
    return of_route and not bands_of(conditions) and not any(stands_in(term, said) for term in terms_of(frame))


def beyond_all_maxima(results: Sequence[Quantity], doses: Sequence[EvidenceBlock]) -> Dose | None:
    """The greatest fixed maximum that the drug's doses print for the same time, where a result is above it."""
    maxima = [
        maximum
        for block in doses
        if not is_held(block)
        for statement in read_statements(block.text, block.labels).statements
        for maximum in _fixed_maxima(statement)
    ]
    for result in results:
        alike = [m for m in maxima if m.per and m.per == result.unit.partition("/")[2] and m.measure in MASSES]
        greatest = max(alike, key=_mass, default=None)
        measure = result.unit.partition("/")[0]
        if greatest is not None and measure in MASSES and result.high * MASSES[measure] > _mass(greatest):
            return greatest
    return None


def _fixed_maxima(statement: Statement) -> list[Dose]:
    """The maxima that go by no weight; a day's is also that of one dose where the drug is given once a day."""
    fixed = [maximum for maximum in statement.maxima if not maximum.basis]
    once = statement.rhythm.times == (1, 1) and statement.dose.per == "lần"
    return [*fixed, *(replace(m, per="lần") for m in fixed if once and m.per in _DAY)]


def _mass(dose: Dose) -> Decimal:
    return dose.high * MASSES[dose.measure]


def is_weighed(text: str) -> bool:
    """Whether a passage prints a dose by weight or body surface."""
    return "/kg" in text or "/m²" in text


def chosen_statements(reading: Reading, frame: QueryFrame) -> tuple[Statement, ...] | Refused:
    """The statements of a passage that are for this patient and go by weight or surface, or by the time that the asker
    tells a rate for."""
    for sentence in reading.restrictions:
        if _restricts(sentence, frame):
            return Refused(f"sách ghi: “{sentence}”")
    held = {statement: _holds(statement.condition, frame) for statement in reading.statements}
    own = [statement for statement, holds in held.items() if statement.condition and holds]
    kept = own or [statement for statement in held if not statement.condition]
    if not kept:
        return Refused("đoạn này chia theo trường hợp mà câu hỏi chưa nói rõ")
    if len({statement.level.lower() for statement in kept}) < len(kept):
        return Refused("đoạn này in nhiều mức liều cho cùng một trường hợp")
    flow = told_flow(frame.amounts)
    by_time = tuple(statement for statement in kept if flow and statement.dose.quantity.unit == flow.unit)
    return by_time or tuple(statement for statement in kept if statement.dose.basis)


def stated_doses(
    shown: Sequence[EvidenceBlock], frame: QueryFrame
) -> tuple[EvidenceBlock, tuple[Statement, ...]] | Refused:
    """The one passage that is counted from, with its statements for this patient."""
    block = _weighed_block(shown, frame)
    if isinstance(block, Refused):
        return block
    reading = read_statements(block.text, block.labels)
    if reading.refused:
        return Refused(f"có chỗ của đoạn liều phải đọc nguyên văn: “{reading.refused}”")
    chosen = chosen_statements(reading, frame)
    if isinstance(chosen, Refused):
        return chosen
    unclear = next((statement for statement in chosen if _is_unclear(statement)), None)
    if unclear:
        return Refused(f"không rõ “{unclear.dose.text}” là của một lần hay một ngày")
    return (block, chosen) if chosen else _no_dose(frame)


def _weighed_block(shown: Sequence[EvidenceBlock], frame: QueryFrame) -> EvidenceBlock | Refused:
    """The one dose passage by weight or surface of the branch that is shown."""
    doses = [block for block in shown if _is_dose(block)]
    own = [block for block in doses if _is_own(block, frame)]
    if doses and not own:
        return Refused("với người bệnh này chỉ tính từ liều mà sách ghi riêng, không tính từ liều thông thường")
    weighed = [block for block in own if _is_by_time(block, frame)] or [b for b in own if is_weighed(b.text)]
    weighed = [block for block in weighed if not _BY_TABLE.search(block.text)] or weighed
    against = [
        sentence
        for block in weighed
        for sentence in read_statements(block.text, block.labels).restrictions
        if _restricts(sentence, frame)
    ]
    if against:
        return Refused(f"sách ghi: “{against[0]}”")
    if len({block.labels for block in weighed}) > 1:
        return Refused("nhiều nhánh liều cùng hợp với câu hỏi")
    if len([block for block in own if weighed and block.labels == weighed[0].labels]) > 1:
        return Refused("liều của nhánh này nằm ở nhiều đoạn")
    return weighed[0] if weighed else _no_dose(frame)


def _is_by_time(block: EvidenceBlock, frame: QueryFrame) -> bool:
    """Whether a passage prints a fixed amount in the very unit of the rate told."""
    flow = told_flow(frame.amounts)
    return flow is not None and re.search(rf"\d {re.escape(flow.unit)}(?![\w/])", block.text) is not None


def _no_dose(frame: QueryFrame) -> Refused:
    flow = told_flow(frame.amounts)
    return Refused(f"đoạn liều chọn được không in liều theo {flow.unit}" if flow else NO_WEIGHT_DOSE)


def _is_dose(block: EvidenceBlock) -> bool:
    general = is_general_path(block.labels) or is_manner_path(block.labels)
    return block.section is SectionKey.LIEU_DUNG and not (is_held(block) or block.is_label or general)


def _is_own(block: EvidenceBlock, frame: QueryFrame) -> bool:
    """Whether a dose is labelled for what the patient has of kidneys, liver or pregnancy, where that is told."""
    told = [population for population in _OWN_DOSE if population in frame.populations]
    return all(names_population(block, population, labels_only=True) for population in told)


def _is_unclear(statement: Statement) -> bool:
    begins = statement.level.lower() in _WHOLE_COURSE
    alternates = statement.rhythm.every == EVERY_OTHER_DAY
    return not statement.dose.per and not (statement.rhythm.is_single or begins or alternates)


def _restricts(sentence: str, frame: QueryFrame) -> bool:
    """Whether a sentence that keeps the drug from some patients speaks of this one, in any of its parts."""
    return any(_is_kept_from(part, frame) for part in _PARTS.split(_KEEPS.sub("", sentence)))


def _is_kept_from(part: str, frame: QueryFrame) -> bool:
    """By a value told, by kidneys, liver or pregnancy, or by a condition told in the words that a part begins with:
    "viêm nội tâm mạc do vi khuẩn Gram dương"."""
    values, bands = values_of(frame), bands_of(part)
    known = [band for band in bands if band.kind in values]
    if known:
        return any(band.holds(values[band.kind]) for band in known)
    named = facets(part)[0] & frozenset(_OWN_DOSE)
    if bands or named:
        return bool(named & frame.populations)
    return _is_told(_BEHIND_NAME.split(part, maxsplit=1)[0], frame)


def _is_told(condition: str, frame: QueryFrame) -> bool:
    words, told = folded_words(condition), folded_words(str(frame.raw.get("rest", "")))
    return len("".join(words)) >= _SHORTEST_NAME and f" {' '.join(words)} " in f" {' '.join(told)} "


def _holds(condition: str, frame: QueryFrame) -> bool:
    """Whether the values told settle that a condition is the patient's; by one side of an "hoặc" it is."""
    values = values_of(frame)
    bands = bands_of(condition)
    known = [band for band in bands if band.kind in values]
    if "hoặc" in condition:
        return any(band.holds(values[band.kind]) for band in known)
    words = {word for word in folded_words(condition) if not word[0].isdigit()}
    plain = words <= _PLAIN_CONDITION
    return bool(bands) and plain and len(known) == len(bands) and all(b.holds(values[b.kind]) for b in bands)
