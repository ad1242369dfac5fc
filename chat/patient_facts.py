"""What the facts told of a patient bring with them: the sections that speak of them, before the one asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence

from chat.bands import BandKind, bands_of
from chat.branches import facets
from chat.cues import cue_table
from chat.domain import EvidenceBlock, Population, QueryFrame, Route
from chat.selection import asked_sections
from chat.terms import is_name_like, stands_in, terms_of
from monographs.domain import SectionKey
from monographs.text import WordSet

# A fact about the patient brings the section that speaks of it, before the one asked for.
_FACT_SECTIONS: dict[Population, tuple[SectionKey, ...]] = {
    Population.MANG_THAI: (SectionKey.CHONG_CHI_DINH, SectionKey.MANG_THAI),
    Population.CHO_CON_BU: (SectionKey.CHONG_CHI_DINH, SectionKey.CHO_CON_BU),
    Population.SUY_THAN: (SectionKey.CHONG_CHI_DINH, SectionKey.THAN_TRONG),
    Population.SUY_GAN: (SectionKey.CHONG_CHI_DINH, SectionKey.THAN_TRONG),
    Population.TRE_SO_SINH: (SectionKey.CHONG_CHI_DINH,),
    Population.TRE_EM: (SectionKey.CHONG_CHI_DINH,),
    Population.NGUOI_CAO_TUOI: (SectionKey.CHONG_CHI_DINH,),
}
_ROUTE_MATTERS = frozenset(
    {SectionKey.LIEU_DUNG, SectionKey.QUA_LIEU, SectionKey.CHONG_CHI_DINH, SectionKey.XU_TRI_ADR}
)
_SENTENCE = re.compile(r"[.;]\s+")
# "Không bao giờ tiêm tĩnh mạch", "không tiêm bắp cho…": forbidden, not only slowly.
_NOT_GIVEN = re.compile(r"không (?:bao giờ |được )?(?:tiêm|truyền|dùng|nhỏ|bôi|đặt|hít)(?! (?:nhanh|quá|thẳng))")
WHOLE_SECTION = {SectionKey.MANG_THAI: Population.MANG_THAI, SectionKey.CHO_CON_BU: Population.CHO_CON_BU}


def about_patient(evidence: tuple[EvidenceBlock, ...], frame: QueryFrame) -> tuple[EvidenceBlock, ...]:
    """What the sections brought by the patient's facts say of them: the whole section on pregnancy or
    lactation, and of the others the passages that name the fact."""
    facts = frame.populations & set(_FACT_SECTIONS)
    wanted = {key for population in facts for key in _FACT_SECTIONS[population]}
    return tuple(
        block
        for block in evidence
        if forbids_route(block, frame)
        or (
            block.section in wanted
            and block.section not in asked_sections(frame)
            and (
                WHOLE_SECTION.get(block.section) in facts
                or any(block.section in _FACT_SECTIONS[fact] and _concerns(block, fact, frame) for fact in facts)
            )
        )
    )


def at_lab_values(evidence: Sequence[EvidenceBlock], frame: QueryFrame) -> tuple[EvidenceBlock, ...]:
    """What is said for a laboratory value such as the patient's: "kali huyết trên 5,5 mmol/lít"."""
    values = dict(frame.labs)
    return tuple(
        block
        for block in evidence
        if block.section in {SectionKey.CHONG_CHI_DINH, SectionKey.THAN_TRONG}
        and any(band.kind.value in values and band.holds(values[band.kind.value]) for band in bands_of(block.text))
    )


# What a contraindication says of one form of the drug only.
OF_A_FORM = re.compile(r"^(?:dạng|viên|dung dịch|thuốc đặt|gel|siro)\b[^:]*:", re.IGNORECASE)


def forbids_outright(facts: Sequence[EvidenceBlock], frame: QueryFrame) -> bool:
    """Whether a contraindication names an age band that holds the patient: shown before any dose is asked about."""
    return any(
        band.kind is BandKind.AGE and frame.age_months is not None and band.holds(frame.age_months)
        for block in facts
        if block.section is SectionKey.CHONG_CHI_DINH and not is_excepted(block, frame)
        # "Dạng phối hợp trị ho: trẻ dưới 6 tuổi" forbids that form only.
        if not OF_A_FORM.match(block.text)
        for band in bands_of(block.text)
    )


def is_excepted(block: EvidenceBlock, frame: QueryFrame) -> bool:
    """Whether what the question speaks of stands behind a "trừ" of what forbids: "trừ … hội chứng Kawasaki"."""
    _, _, excepted = block.text.partition("trừ ")
    said = WordSet(excepted)
    named = [term for term in terms_of(frame) if is_name_like(term)]
    return bool(excepted and named) and all(stands_in(term, said) for term in named)


def of_mother(facts: Sequence[EvidenceBlock]) -> bool:
    """Whether a section on pregnancy or lactation is among them: it stands before any choice of a dose."""
    return any(block.section in WHOLE_SECTION for block in facts)


def names_population(block: EvidenceBlock, population: Population, *, labels_only: bool = False) -> bool:
    texts = block.labels if labels_only else (*block.labels, block.text)
    return population in cue_table("population").meanings(" ; ".join(texts), printed=True)


def forbids_route(block: EvidenceBlock, frame: QueryFrame) -> bool:
    """Whether a contraindication names the route asked for, or a caution says not to give the drug so."""
    if not _ROUTE_MATTERS.intersection(asked_sections(frame)) or frame.route in {None, Route.UONG}:
        return False
    if block.section is SectionKey.CHONG_CHI_DINH:
        return frame.route in facets(block.text)[1]
    forbidding = [s for s in _SENTENCE.split(block.text) if _NOT_GIVEN.search(s.lower())]
    named = {route for sentence in forbidding for route in facets(sentence)[1]}
    return block.section is SectionKey.THAN_TRONG and bool(named & _alike(frame.route))


def _alike(route: Route | None) -> set[Route | None]:
    """What forbids one way into a vein forbids the other."""
    veins: set[Route | None] = {Route.TIEM_TINH_MACH, Route.TRUYEN_TINH_MACH}
    return veins if route in veins else {route}


def _concerns(block: EvidenceBlock, fact: Population, frame: QueryFrame) -> bool:
    """Whether a passage names the patient's fact; one that names ages does so only where they hold the patient's."""
    if not names_population(block, fact):
        return False
    ages = [band for band in bands_of(block.text) if band.kind is BandKind.AGE]
    return not ages or frame.age_months is None or any(band.holds(frame.age_months) for band in ages)
