"""What a candidate's own monograph says against it for the patient of the question: what forbids, what cautions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from chat.allergy_facts import forbids_allergic, names_allergen
from chat.bands import Band, BandKind, bands_of
from chat.branches import ORGANS, facets
from chat.candidate_names import Naming
from chat.condition_names import Condition, is_forbidden, items_within, longest_part, sentences_on, speaks_of
from chat.domain import EvidenceBlock, Population, QueryFrame
from chat.patient_facts import OF_A_FORM, WHOLE_SECTION, names_population
from chat.pregnancy import stage_of, thirds_said
from chat.selection import is_held
from monographs.domain import SectionKey
from monographs.text import fold, folded_words

# Sections in which a fact is looked for.
FACT_SECTIONS = (
    SectionKey.CHONG_CHI_DINH,
    SectionKey.THAN_TRONG,
    SectionKey.MANG_THAI,
    SectionKey.CHO_CON_BU,
    SectionKey.TUONG_TAC,
    SectionKey.LIEU_DUNG,
)
_AVOIDED = re.compile(r"\b(?:tránh dùng|không (?:nên )?dùng|chống chỉ định)\b", re.IGNORECASE)
_ONLY_WHEN = re.compile(r"\bchỉ dùng (?:khi|nếu|theo)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"[.;]\s")
_FORBIDDEN = re.compile(r"(?:^|[.;:,]\s*)(?:không (?:được )?dùng|chống chỉ định|cấm dùng)\b", re.IGNORECASE)
_CLAUSE = re.compile(r"[.;]\s|,\s(?=trừ\b)|\((?=trừ\b)", re.IGNORECASE)
_MAY = re.compile(r"\b(?:dùng được|được dùng|có thể dùng)\b", re.IGNORECASE)
_ITEM = re.compile(r"[,;.]\s")
# For what use it is forbidden: "quá mẫn, khi dùng làm thuốc tiêu chất nhầy".
_FOR_USE = re.compile(r",? khi dùng (?:làm|để|trị|cho mục đích)\b.*$", re.IGNORECASE)
_TOGETHER = re.compile(r"^(?:phối hợp|đang dùng|dùng cùng|dùng đồng thời)\b", re.IGNORECASE)
_SEVERE = re.compile(
    r"\b(?:hon me|nang|giai doan (?:cuoi|4|5|iv|v)|(?:do|nyha)(?: do)? (?:3|4|5|c|iii|iv)|mat bu|"
    r"huyet ap(?:(?: \w+){0,4} [5-8]\d/\d{2}| tam thu(?: \w+){0,2} [5-8]\d))\b"
)
_OF_CAUSE = re.compile(r"\bdo (?:thuoc|suy|xo)\b")
_NARROWED = re.compile(rf"{_SEVERE.pattern}|{_OF_CAUSE.pattern}|\bkem\b")
# "Suy gan nặng kèm suy thận" forbids to who has the first.
_BESIDE_ORGAN = {
    Population.SUY_GAN: re.compile(r"\bsuy gan\b[^,;.]*\bkem suy than\b"),
    Population.SUY_THAN: re.compile(r"\bsuy than\b[^,;.]*\bkem suy gan\b"),
}
_PLANS = re.compile(
    r"\b(?:dinh|tinh|muon|chuan bi|sap|mong|du kien|ke hoach|ngung thuoc de) (?:\w+ )?(?:co|mang|dau|tha) "
    r"(?:thai|bau|con)\b|\btha bau\b"
)
_PLANNING = re.compile(
    r"\b(?:dự định|muốn|định) có (?:thai|con)\b|\btrước khi (?:có|mang|dự định)|"
    r"\b(?:tuổi|khả năng) (?:sinh đẻ|có thai|mang thai)",
    re.IGNORECASE,
)
_SEVERE_CLEARANCE = 30
_PART = 2


@dataclass(frozen=True, slots=True)
class Against:
    """forbids, cautions, interacts: passages; unread: a section that a fact needs could not be read."""

    forbids: tuple[EvidenceBlock, ...] = ()
    cautions: tuple[EvidenceBlock, ...] = ()
    interacts: tuple[EvidenceBlock, ...] = ()
    unread: bool = False


@dataclass(frozen=True, slots=True)
class Facts:
    """What a candidate is checked for. condition: asked for; beside: what else the patient has; said: items of the
    candidate's own passages that the question says, which forbid only where whole; allergens: folded words of what the
    patient does not tolerate, classes included; naming: which passages name the patient's medicines."""

    frame: QueryFrame
    condition: Condition
    beside: tuple[Condition, ...]
    said: tuple[Condition, ...]
    allergens: frozenset[str]
    naming: Naming


def states_facts(frame: QueryFrame, beside: Sequence[Condition]) -> bool:
    """Whether anything is told of the patient that a candidate must be checked for."""
    told = frame.populations - {Population.NGUOI_LON}
    return bool(
        told
        or beside
        or frame.allergies
        or frame.medicines
        or frame.partners
        or frame.labs
        or frame.clearance_ml_min
        or _PLANS.search(_told(frame))
    )


def what_is_against(blocks: Sequence[EvidenceBlock], facts: Facts) -> Against:
    """blocks: the candidate's own."""
    frame, naming = facts.frame, facts.naming
    readable = [block for block in blocks if not is_held(block)]
    forbids = [b for b in readable if _forbids(b, facts)]
    interacts = [b for b in readable if b.section is SectionKey.TUONG_TAC and _names_any(b, frame, naming)]
    told = [b for b in readable if b not in forbids and b not in interacts]
    cautions = [b for b in told if _cautions(b, facts)]
    # Of a medicine without a monograph silence cannot be read: it may be named in other words.
    unknown = any(not partner.is_known for partner in naming.partners)
    unread = _is_unread(blocks, frame) or (unknown and not interacts)
    return Against(tuple(forbids), tuple(cautions), tuple(interacts), unread)


def _forbids(block: EvidenceBlock, facts: Facts) -> bool:
    frame, condition = facts.frame, facts.condition
    if block.section in WHOLE_SECTION:
        return _forbids_to_mother(block, frame, condition)
    if block.section is not SectionKey.CHONG_CHI_DINH:
        return False
    return (
        _names_any(block, frame, facts.naming)
        or forbids_allergic(block, _told(frame), facts.allergens)
        or forbids_beside(block, frame, facts.beside)
        or _forbids_said(block, facts.said, frame)
        or (_at_value(block, frame) and not _TOGETHER.match(block.text))
        or any(_forbids_population(block, population, frame, condition) for population in frame.populations)
    )


def _forbids_to_mother(block: EvidenceBlock, frame: QueryFrame, condition: Condition) -> bool:
    """Whether a section on pregnancy or lactation forbids, and not for another use only."""
    if WHOLE_SECTION[block.section] not in frame.populations or _is_excepted(block, condition):
        return False
    if any(_MAY.search(told) for told in sentences_on(block, condition)):
        return False
    return any(_FORBIDDEN.search(clause) and _holds_now(clause, frame) for clause in _CLAUSE.split(block.text))


def forbids_beside(block: EvidenceBlock, frame: QueryFrame, beside: Sequence[Condition]) -> bool:
    """Whether something else that the patient has is forbidden, and not only together with another drug."""
    if _TOGETHER.match(block.text):
        return False
    block = replace(block, text=_FOR_USE.sub("", block.text))
    return any(
        speaks_of(block, other, counts=is_forbidden) and not _is_severer(block, _items_on(block, other), frame)
        for other in beside
    ) or any(
        (items := items_within(block.text, other))
        and _all_forbidden(block, items)
        and not _is_severer(block, items, frame)
        for other in beside
    )


def _forbids_said(block: EvidenceBlock, said: Sequence[Condition], frame: QueryFrame) -> bool:
    """Whether the question says a whole item of what forbids."""
    if block.section is not SectionKey.CHONG_CHI_DINH or _TOGETHER.match(block.text):
        return False
    whole = [items for one in said if (items := items_within(block.text, one))]
    return any(_all_forbidden(block, items) and not _is_severer(block, items, frame) for items in whole)


def _all_forbidden(block: EvidenceBlock, items: Sequence[str]) -> bool:
    """Whether none of these items stands behind a "trừ"."""
    return all(is_forbidden(block.text[: block.text.find(item)]) for item in items)


def _items_on(block: EvidenceBlock, condition: Condition) -> list[str]:
    """The items of a passage that name a condition; its sentences where none does so alone."""
    items = [item for item in _ITEM.split(block.text) if speaks_of(replace(block, text=item, labels=()), condition)]
    return items or list(sentences_on(block, condition))


def _forbids_population(block: EvidenceBlock, fact: Population, frame: QueryFrame, condition: Condition) -> bool:
    if not names_population(block, fact) or _TOGETHER.match(block.text) or _is_excepted(block, condition):
        return False
    if fact is Population.MANG_THAI:
        return _holds_now(block.text, frame)
    if fact in ORGANS:
        items = [item for item in _ITEM.split(block.text) if fact in facets(item)[0]] or [block.text]
        return not _is_severer(block, items, frame)
    if fact in {Population.TRE_EM, Population.TRE_SO_SINH, Population.NGUOI_CAO_TUOI}:
        ages = _ages(block)
        if ages:
            return _held_by(ages, frame) and not OF_A_FORM.match(block.text)
        return not _CONDITIONAL.search(block.text)
    return True


# "Trẻ sơ sinh …: vàng da": only some of them.
_CONDITIONAL = re.compile(r"\bkhi\b|:\s|\bcó\b")


def _cautions(block: EvidenceBlock, facts: Facts) -> bool:
    frame, told = facts.frame, (*facts.beside, *facts.said)
    if block.section in WHOLE_SECTION:
        return WHOLE_SECTION[block.section] in frame.populations or _of_planning(block, frame)
    if block.section is SectionKey.LIEU_DUNG:
        return _avoided_for(block, frame)
    if block.section not in {SectionKey.CHONG_CHI_DINH, SectionKey.THAN_TRONG}:
        return False
    tellable = frame.populations - {Population.NGUOI_LON}
    named = any(names_population(block, fact) and _age_fits(block, frame) for fact in tellable)
    had = any(speaks_of(block, o) or _speaks_in_part(block, o) or items_within(block.text, o) for o in told)
    measured = _at_value(block, frame) or _held_by(_ages(block), frame) or names_allergen(block, facts.allergens)
    return named or had or measured or _names_any(block, frame, facts.naming)


def _of_planning(block: EvidenceBlock, frame: QueryFrame) -> bool:
    """What the section on pregnancy says to who means to have a child."""
    return bool(_PLANS.search(_told(frame)) and _PLANNING.search(block.text))


def _speaks_in_part(block: EvidenceBlock, other: Condition) -> bool:
    """Whether most of what else the patient has is named: "loét dạ dày" of "loét dạ dày tái phát 3 lần"."""
    return len(other.terms) > _PART and len(longest_part(block, other)) >= _PART


def _avoided_for(block: EvidenceBlock, frame: QueryFrame) -> bool:
    """Whether a dose for kidneys or liver like the patient's is to give none: "Người suy gan: Tránh dùng"."""
    organs = [fact for fact in frame.populations & ORGANS if names_population(block, fact)]
    clearance = [band for band in bands_of(" ".join((*block.labels, block.text))) if band.kind is BandKind.CLEARANCE]
    value = frame.clearance_ml_min
    within = value is None or not clearance or any(band.holds(value) for band in clearance)
    if organs and within and _AVOIDED.search(block.text):
        return True
    return any(_avoids_age(sentence, frame) for sentence in _SENTENCE.split(block.text))


def _avoids_age(sentence: str, frame: QueryFrame) -> bool:
    """ "Trẻ dưới 3 tháng tuổi chỉ dùng khi có chỉ định của bác sĩ", of a patient that young."""
    ages = [band for band in bands_of(sentence) if band.kind is BandKind.AGE]
    return bool(ages) and _held_by(ages, frame) and bool(_AVOIDED.search(sentence) or _ONLY_WHEN.search(sentence))


def _names_any(block: EvidenceBlock, frame: QueryFrame, naming: Naming) -> bool:
    return naming.partner(block) or any(naming.drug(block, drug) for drug in frame.medicines)


def _is_excepted(block: EvidenceBlock, condition: Condition) -> bool:
    """Whether what is asked for stands behind a "trừ"."""
    _, excepted, rest = block.text.partition("trừ ")
    said = f" {' '.join(folded_words(rest))} "
    names = [" ".join(map(fold, term.book or term.typed)) for term in condition.terms]
    return bool(excepted) and any(f" {name} " in said for name in names)


def _is_severer(block: EvidenceBlock, items: Sequence[str], frame: QueryFrame) -> bool:
    """Whether these items forbid only a severe form, or one of another cause or company, that the patient's is not told
    to be."""
    # What stands behind "như" is named for itself: "nhiễm khuẩn nặng như lao".
    items = [item.rpartition(" như ")[2] for item in items]
    limits = [band for item in items for band in bands_of(item) if band.kind is BandKind.CLEARANCE]
    clearance = frame.clearance_ml_min
    if limits and clearance is not None:
        return not any(band.holds(clearance) for band in limits)
    told_severe = _SEVERE.search(_told(frame)) or (clearance is not None and clearance < _SEVERE_CLEARANCE)
    narrowed = _OF_CAUSE if told_severe else _NARROWED
    lacking = [pattern for organ, pattern in _BESIDE_ORGAN.items() if organ not in frame.populations]
    return (bool(limits) and not told_severe) or all(
        narrowed.search(fold(item)) or any(pattern.search(fold(item)) for pattern in lacking) for item in items
    )


def _holds_now(text: str, frame: QueryFrame) -> bool:
    """Whether what is said of a pregnancy is said of the patient's stage of it, where both are known."""
    said, stage = thirds_said(fold(text)), stage_of(_told(frame))
    return not said or stage is None or stage in said


def _told(frame: QueryFrame) -> str:
    """The folded words of the question, and of what was told since."""
    return fold(f"{frame.raw.get('rest', '')} {frame.raw.get('told', '')}")


def _ages(block: EvidenceBlock) -> list[Band]:
    return [band for band in bands_of(block.text) if band.kind is BandKind.AGE]


def _held_by(bands: Sequence[Band], frame: QueryFrame) -> bool:
    return frame.age_months is not None and any(band.holds(frame.age_months) for band in bands)


def _age_fits(block: EvidenceBlock, frame: QueryFrame) -> bool:
    ages = _ages(block)
    return not ages or frame.age_months is None or _held_by(ages, frame)


def _at_value(block: EvidenceBlock, frame: QueryFrame) -> bool:
    values = {**{BandKind(kind): value for kind, value in frame.labs}}
    if frame.clearance_ml_min is not None:
        values[BandKind.CLEARANCE] = frame.clearance_ml_min
    return any(band.kind in values and band.holds(values[band.kind]) for band in bands_of(block.text))


def _is_unread(blocks: Sequence[EvidenceBlock], frame: QueryFrame) -> bool:
    """Whether a section that tells of the patient's facts is missing, or held back in part."""
    needed = {SectionKey.CHONG_CHI_DINH}
    needed |= {section for section, fact in WHOLE_SECTION.items() if fact in frame.populations}
    needed |= {SectionKey.TUONG_TAC} if frame.medicines or frame.partners else set()
    present = {block.section for block in blocks}
    return bool(needed - present) or any(is_held(block) and block.section in needed for block in blocks)
