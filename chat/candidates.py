"""From a condition to drugs: those whose indications name it, each with what its monograph says for this patient.

A list is in the book's order, never ranked, never called whole; indicated is never shown as appropriate.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from chat.allergy_facts import allergens_of
from chat.bands import bands_of
from chat.branches import AGE_GROUPS, facets
from chat.candidate_facts import Against, Facts, forbids_beside, states_facts, what_is_against
from chat.candidate_names import Naming, naming_of
from chat.condition_names import (
    Condition,
    denies,
    longest_part,
    narrower,
    sentences_on,
    solid_part,
)
from chat.conditions import Told, told_of
from chat.domain import Candidate, CandidateStatus, EvidenceBlock, Population, QueryFrame, Reason, Stop, Term
from chat.fitting import band_fits, population_fits
from chat.indicated import Found, find_indicated
from chat.printed_items import Wording, wording_of
from chat.said_items import items_told
from chat.selection import Selection, is_held
from chat.terms import is_name_like
from monographs.domain import DrugRef, SectionKey
from monographs.names import Corpus
from monographs.text import fold, folded_words

MOST_LISTED, MOST_OF_ONE_WORD = 12, 6
LISTED = (
    "Các thuốc có nêu điều được hỏi ở mục Chỉ định trong các chuyên luận của ấn bản này, theo thứ tự trong sách. Danh "
    "sách có thể chưa đủ; có tên ở đây không có nghĩa là thuốc hợp với người bệnh này."
)
_ASKS = " dùng thuốc gì"
_LONGEST_REPLY = 40
_LEAST_CHOICE = 2
# An age in the name of a disease is not who the drug is for.
_OF_YOUTH = re.compile(r"\btự phát (?:ở )?thiếu niên\b")


def decide_candidates(frame: QueryFrame, corpus: Corpus, evidence: Sequence[EvidenceBlock]) -> Selection | Stop:
    """evidence: indications that may speak of the condition, and of the drugs whose do what is told of patients.

    Stops where no condition is named, where no indication names it (the nearest are offered, never shown), and where
    so many do that the book's own narrower words are a better answer.
    """
    told = told_of(frame)
    if not told.condition:
        return Stop(Reason.NEEDS_CONDITION)
    indications = [block for block in evidence if block.section is SectionKey.CHI_DINH]
    solid = solid_part(indications, told.condition)
    found = find_indicated(indications, solid)
    if not found:
        return _nothing(told.condition, indications)
    ask = _narrow(found, told.condition) if not states_facts(frame, beside_all(found, told)) else None
    if ask is not None:
        return ask
    listed = found[:MOST_LISTED]
    naming = naming_of([one.drug for one in listed], frame, evidence, corpus)
    wording = wording_of(f"{frame.raw.get('rest', '')} . {frame.raw.get('told', '')}")
    facts = Facts(frame, told.condition, told.beside, (), allergens_of(frame, corpus), naming)
    checked = [_check(one, told, facts, wording, corpus, evidence) for one in listed]
    shown = tuple(dict.fromkeys(block for candidate in checked for block in candidate.evidence))
    of_medicines = (*_against_medicines(frame, told, evidence), *_from_medicines(frame, checked, evidence, naming))
    shown += tuple(block for block in of_medicines if block not in shown)
    if any(block.printed_page is None for block in shown):
        return Stop(Reason.MISSING_PRINTED_PAGE)
    if all(is_held(block) for block in shown):
        return Stop(Reason.SOURCE_QUARANTINED, evidence=shown)
    return Selection(shown, (*_missing(found), *_without_monograph(frame)), candidates=tuple(checked), note=LISTED)


def _nothing(condition: Condition, nearest: Sequence[EvidenceBlock]) -> Stop:
    """Which of the indications that come nearest in meaning is meant is only asked."""
    said, pairs = set(folded_words(str(condition))), _pairs(str(condition))
    items = dict.fromkeys(re.split(r"[:,;(]", block.text)[0].strip(" .") for block in nearest)
    # One word in common ("phổi") is no nearness.
    items = {item: None for item in items if said == set(folded_words(item)) or pairs & _pairs(item)}
    replies = tuple(f"{item}{_ASKS}" for item in items if 0 < len(item) <= _LONGEST_REPLY - len(_ASKS))[:4]
    # What is near in meaning to a name that the book does not print is only noise.
    if replies and not any(map(is_name_like, condition.terms)):
        return Stop(Reason.NEEDS_CONDITION, {"terms": f"Không thấy “{condition}” ở mục Chỉ định nào. "}, replies)
    return Stop(Reason.INSUFFICIENT_EVIDENCE, {"drug": "các chuyên luận", "terms": f"{condition} (mục Chỉ định)"})


def _pairs(text: str) -> set[tuple[str, str]]:
    """The folded words of a text, each with the next."""
    return set(pairwise(folded_words(text)))


def _narrow(found: Sequence[Found], condition: Condition) -> Stop | None:
    """Beyond what can be read at once, or for one word that many conditions begin with ("đau"), the book's own narrower
    words; a cut by the alphabet would only look chosen."""
    if len(found) <= (MOST_LISTED if len(condition.terms) > 1 else MOST_OF_ONE_WORD):
        return None
    pairs = [(one.blocks[0], sentence) for one in found for sentence in one.sentences]
    items = narrower(pairs, condition, most=_LONGEST_REPLY - len(_ASKS))
    # What was typed is no narrower word, whatever else it is called by: it would be asked about again.
    items = tuple(item for item in items if fold(item) != fold(str(condition)))
    if len(items) < _LEAST_CHOICE:
        return None
    terms = f"Có {len(found)} chuyên luận nêu “{condition}”; nêu rõ hơn, chẳng hạn một trong các mục sau. "
    return Stop(Reason.NEEDS_CONDITION, {"terms": terms}, tuple(f"{item}{_ASKS}" for item in items[:4]))


def _missing(found: Sequence[Found]) -> tuple[str, ...]:
    rest = [one.drug.name for one in found[MOST_LISTED:]]
    lacks = list(dict.fromkeys(f"không thấy nêu: {text}" for one in found for text in one.lacks))
    if rest:
        lacks.append(f"Còn {len(rest)} thuốc nữa: {', '.join(rest)}. Nêu rõ hơn bệnh hoặc người bệnh để thu hẹp.")
    return tuple(lacks)


def _without_monograph(frame: QueryFrame) -> tuple[str, ...]:
    return tuple(f"{name}: không có chuyên luận trong ấn bản này, chỉ tìm theo tên" for name in frame.partners)


def _check(
    one: Found, told: Told, facts: Facts, wording: Wording, corpus: Corpus, evidence: Sequence[EvidenceBlock]
) -> Candidate:
    """The candidate with its status: what forbids counts most, then what interacts, what is unread, what cautions."""
    own = [block for block in evidence if block.drug == one.drug and block.section is not SectionKey.CHI_DINH]
    facts = replace(facts, beside=beside_all([one], told), said=items_told(own, wording, told.condition))
    if not states_facts(facts.frame, (*facts.beside, *facts.said)):
        return Candidate(one.drug, _status_for_anyone(one), one.blocks)
    against = what_is_against(own, facts)
    held = [b for b in own if against.unread and is_held(b) and b.section is SectionKey.CHONG_CHI_DINH]
    shown = (*against.forbids, *one.blocks, *against.interacts, *against.cautions, *held)
    return Candidate(one.drug, _status(one, against, facts, corpus, evidence), shown)


def beside_all(found: Sequence[Found], told: Told) -> tuple[Condition, ...]:
    """What else the patient has: what is told apart from the condition, and what was told in one breath with it and is
    in none of these indications ("nhược cơ mất ngủ")."""
    left = [part for one in found for run in told.condition.runs for part in _left_over(one, run)]
    return (*told.beside, *(Condition((part,)) for part in dict.fromkeys(left)))


def _left_over(one: Found, run: tuple[Term, ...]) -> list[tuple[Term, ...]]:
    whole = Condition((run,))
    if any(sentences_on(block, whole) for block in one.blocks):
        return []
    named = max((longest_part(block, whole) for block in one.blocks), key=len, default=())
    first = next((at for at in range(len(run)) if named and run[at : at + len(named)] == named), len(run))
    parts = [run[:first], run[first + len(named) :]]
    return [part for part in parts if sum(len(term.typed) for term in part) > 1]


def _status_for_anyone(one: Found) -> CandidateStatus:
    if _is_denied(one):
        return CandidateStatus.CONTRAINDICATED
    return CandidateStatus.NOT_MENTIONED if one.in_part else CandidateStatus.INDICATED


def _status(
    one: Found, against: Against, facts: Facts, corpus: Corpus, evidence: Sequence[EvidenceBlock]
) -> CandidateStatus:
    frame = facts.frame
    if against.forbids or _is_denied(one) or _is_allergen(one.drug, frame, corpus):
        return CandidateStatus.CONTRAINDICATED
    if against.interacts or one.drug in _named_by_medicines([one.drug], frame, evidence, facts.naming):
        return CandidateStatus.INTERACTION_NAMED
    if one.in_part or not any(_is_for(sentence, frame) for sentence in one.sentences):
        return CandidateStatus.NOT_MENTIONED
    if against.unread:
        return CandidateStatus.NOT_CHECKED
    return CandidateStatus.INDICATED_WITH_CAUTION if against.cautions else CandidateStatus.INDICATED


def _is_denied(one: Found) -> bool:
    return all(denies(sentence) for sentence in one.sentences)


def _is_for(sentence: str, frame: QueryFrame) -> bool:
    """Whether what the indication says of age groups holds the patient."""
    if frame.age_months is None and frame.populations & {Population.MANG_THAI, Population.CHO_CON_BU}:
        frame = replace(frame, populations=frame.populations | {Population.NGUOI_LON})
    populations, _ = facets(_OF_YOUTH.sub("", sentence))
    bands = bands_of(sentence)
    return population_fits(populations & AGE_GROUPS, frame) and all(band_fits(band, bands, frame) for band in bands)


def _is_allergen(drug: DrugRef, frame: QueryFrame, corpus: Corpus) -> bool:
    """Whether the candidate is what the patient does not tolerate, or is printed to be of that class."""
    for name in frame.allergies:
        if any(drug in span.drugs for span in corpus.names.resolve(name)):
            return True
        if fold(name) in corpus.classes.get(drug.drug_id, frozenset()):
            return True
    return False


def _named_by_medicines(
    drugs: Sequence[DrugRef], frame: QueryFrame, evidence: Sequence[EvidenceBlock], naming: Naming
) -> list[DrugRef]:
    told = [b for b in evidence if b.drug in frame.medicines and b.section is SectionKey.TUONG_TAC and not is_held(b)]
    return [drug for drug in drugs if any(naming.drug(block, drug) for block in told)]


def _against_medicines(frame: QueryFrame, told: Told, evidence: Sequence[EvidenceBlock]) -> list[EvidenceBlock]:
    """What forbids a medicine of the patient's to who has what is told: aspirin, where an ulcer is to be treated."""
    had = (told.condition, *told.beside)
    of_medicines = (block for block in evidence if block.drug in frame.medicines and not is_held(block))
    return [b for b in of_medicines if b.section is SectionKey.CHONG_CHI_DINH and forbids_beside(b, frame, had)]


def _from_medicines(
    frame: QueryFrame, checked: Sequence[Candidate], evidence: Sequence[EvidenceBlock], naming: Naming
) -> list[EvidenceBlock]:
    """What the monographs of the patient's medicines say of the candidates: the other direction."""
    told = [block for block in evidence if block.drug in frame.medicines and block.section is SectionKey.TUONG_TAC]
    return [block for block in told if any(naming.drug(block, candidate.drug) for candidate in checked)]
