"""Which printed dose by weight is this patient's, or why none is counted from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from chat.bands import bands_of
from chat.branches import facets, is_general_path, is_manner_path
from chat.domain import EvidenceBlock, Population, QueryFrame
from chat.fitting import values_of
from chat.patient_facts import is_excepted, names_population
from chat.quantities import MASSES, Quantity
from chat.selection import is_held
from chat.statements import Dose, Reading, Statement, read_statements
from monographs.domain import SectionKey
from monographs.text import folded_words

_NO_WEIGHT_DOSE = "sách không in liều theo cân nặng cho trường hợp này"
_WHOLE_COURSE = ("liều đầu", "liều nạp", "ngày đầu")
# Facts for which only what the book labels for them is counted from.
_OWN_DOSE = (Population.SUY_THAN, Population.SUY_GAN, Population.MANG_THAI)
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
    kidneys or liver that is not told."""
    forbidding = [b for b in shown if b.section is SectionKey.CHONG_CHI_DINH and not is_excepted(b, frame)]
    named = [facets(block.text)[0] for block in forbidding]
    return any(not populations or not populations.isdisjoint(frame.populations) for populations in named)


def beyond_all_maxima(results: Sequence[Quantity], doses: Sequence[EvidenceBlock]) -> Dose | None:
    """The greatest fixed maximum that the drug's doses print for the same time, where a result is above it."""
    maxima = [
        maximum
        for block in doses
        if not is_held(block)
        for statement in read_statements(block.text, block.labels).statements
        for maximum in statement.maxima
        if not maximum.basis
    ]
    for result in results:
        alike = [m for m in maxima if m.per and m.per == result.unit.partition("/")[2] and m.measure in MASSES]
        greatest = max(alike, key=_mass, default=None)
        measure = result.unit.partition("/")[0]
        if greatest is not None and measure in MASSES and result.high * MASSES[measure] > _mass(greatest):
            return greatest
    return None


def _mass(dose: Dose) -> Decimal:
    return dose.high * MASSES[dose.measure]


def is_weighed(text: str) -> bool:
    """Whether a passage prints a dose by weight or body surface."""
    return "/kg" in text or "/m²" in text


def chosen_statements(reading: Reading, frame: QueryFrame) -> tuple[Statement, ...] | Refused:
    """The statements of a passage that go by weight or surface and are for this patient."""
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
    return tuple(statement for statement in kept if statement.dose.basis)


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
    return (block, chosen) if chosen else Refused(_NO_WEIGHT_DOSE)


def _weighed_block(shown: Sequence[EvidenceBlock], frame: QueryFrame) -> EvidenceBlock | Refused:
    """The one dose passage by weight or surface of the branch that is shown."""
    doses = [block for block in shown if _is_dose(block)]
    own = [block for block in doses if _is_own(block, frame)]
    if doses and not own:
        return Refused("với người bệnh này chỉ tính từ liều mà sách ghi riêng, không tính từ liều thông thường")
    weighed = [block for block in own if is_weighed(block.text)]
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
    return weighed[0] if weighed else Refused(_NO_WEIGHT_DOSE)


def _is_dose(block: EvidenceBlock) -> bool:
    general = is_general_path(block.labels) or is_manner_path(block.labels)
    return block.section is SectionKey.LIEU_DUNG and not (is_held(block) or block.is_label or general)


def _is_own(block: EvidenceBlock, frame: QueryFrame) -> bool:
    """Whether a dose is labelled for what the patient has of kidneys, liver or pregnancy, where that is told."""
    told = [population for population in _OWN_DOSE if population in frame.populations]
    return all(names_population(block, population, labels_only=True) for population in told)


def _is_unclear(statement: Statement) -> bool:
    begins = statement.level.lower() in _WHOLE_COURSE
    return not statement.dose.per and not (statement.rhythm.is_single or begins)


def _restricts(sentence: str, frame: QueryFrame) -> bool:
    """Whether a sentence that keeps the drug from some patients speaks of this one."""
    values = values_of(frame)
    bands = [band for band in bands_of(sentence) if band.kind in values]
    if bands:
        return any(band.holds(values[band.kind]) for band in bands)
    return bool(facets(sentence)[0] & frame.populations & frozenset(_OWN_DOSE))


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
