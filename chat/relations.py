"""Which drugs cause a condition, or are forbidden in it: the section of that relation only, never the indications."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from chat.allergy_facts import allergens_of, names_allergen
from chat.condition_names import (
    Condition,
    halves_of,
    is_caused,
    is_forbidden,
    names_something,
    printed_plainly,
    prints_as_item,
    prints_item,
    speaks_of,
)
from chat.conditions import asked_populations, of_population, told_of
from chat.domain import EvidenceBlock, QueryFrame, Reason, Relation, Stop
from chat.selection import Selection, is_held
from monographs.domain import SECTION_FACTS, SectionKey
from monographs.names import Corpus
from monographs.text import fold

RELATION_SECTIONS = {
    Relation.ADVERSE_EFFECT: SectionKey.ADR,
    Relation.CONTRAINDICATION: SectionKey.CHONG_CHI_DINH,
    Relation.CAUTION: SectionKey.THAN_TRONG,
}
MOST_LISTED = 20


def listed_in(relation: Relation | None) -> SectionKey:
    """The section whose items name what is asked by a relation: the indications where it is none of the others."""
    return RELATION_SECTIONS.get(relation, SectionKey.CHI_DINH) if relation else SectionKey.CHI_DINH


def section_of(frame: QueryFrame) -> SectionKey | None:
    """The section that a relation is read in; None where the relation is not known."""
    return RELATION_SECTIONS.get(frame.condition_relation) if frame.condition_relation else None


def decide_relation(frame: QueryFrame, corpus: Corpus, evidence: Sequence[EvidenceBlock]) -> Selection | Stop:
    """The passages of the relation's section that name the condition, drug by drug in the book's order."""
    section, condition, populations = section_of(frame), told_of(frame).condition, asked_populations(frame)
    if section is None or not (condition or populations or is_of_allergy(frame)):
        return Stop(Reason.NEEDS_CONDITION)
    blocks = [block for block in evidence if block.section is section]
    title, asked, lacks = SECTION_FACTS[section].title, str(condition) or "đối tượng được hỏi", ""
    if condition:
        found = _naming(blocks, condition, section)
        found = [b for b in found if populations and of_population(b, populations)] or found
        if not found and section is SectionKey.ADR:
            found, lacks = _with_beginning(blocks, condition), f"không thấy nêu: {asked}"
    elif is_of_allergy(frame):
        asked = f"dị ứng {', '.join(frame.allergies)}"
        allergens = allergens_of(frame, corpus)
        found = [block for block in blocks if names_allergen(block, allergens)]
    else:
        found = [block for block in blocks if of_population(block, populations)]
    if not found:
        return Stop(Reason.INSUFFICIENT_EVIDENCE, {"drug": "các chuyên luận", "terms": f"{asked} (mục {title})"})
    return listed(found, note_of(title), (lacks,) if lacks else ())


def _naming(blocks: Sequence[EvidenceBlock], condition: Condition, section: SectionKey) -> list[EvidenceBlock]:
    """The passages that name a condition whole, or one of several told in one breath; else both of its halves."""
    plain = printed_plainly(blocks, condition)
    counts = is_caused if section is SectionKey.ADR else is_forbidden
    each = _each_told(blocks, condition) + (_wherever(condition) if section is SectionKey.ADR else [])
    whole = (b for b in blocks if speaks_of(b, condition, plain=plain, counts=counts))
    found = [b for b in blocks if any(speaks_of(b, one, plain=plain, counts=counts) for one in each)] or list(whole)
    if found:
        return found
    halves = [half for half in halves_of(condition) if any(speaks_of(b, half, counts=counts) for b in blocks)]
    return [b for b in blocks if any(speaks_of(b, half, counts=counts) for half in halves[:1])]


def _with_beginning(blocks: Sequence[EvidenceBlock], condition: Condition) -> list[EvidenceBlock]:
    """The passages that print the beginning of a condition as a whole item: "Ho." for "ho khan"."""
    parts = {block: part for block in blocks if (part := prints_as_item(block, condition))}
    longest = max(map(len, parts.values()), default=0)
    return [block for block, part in parts.items() if len(part) == longest]


def is_of_allergy(frame: QueryFrame) -> bool:
    """Whether it is asked what must not be given to who does not bear something, and has nothing else."""
    forbids = frame.condition_relation in {Relation.CONTRAINDICATION, Relation.CAUTION}
    return forbids and bool(frame.allergies) and not told_of(frame).condition


def _each_told(blocks: Sequence[EvidenceBlock], condition: Condition) -> list[Condition]:
    """Several conditions told in one breath ("ù tai giảm thính lực"), each for itself; none where there is only one.

    Without a comma they are two only where each half is by itself an item that some passage prints.
    """
    if len(condition.runs) > 1:
        return [one for run in condition.runs if names_something(one := Condition((run,)))]
    for halves in halves_of(condition):
        each = [Condition((run,)) for run in halves.runs]
        if all(any(prints_item(block, one) for block in blocks) for one in each):
            return [condition, *each]
    return []


def _wherever(condition: Condition) -> list[Condition]:
    """An effect without the place or the people it is told of: "to vú" of "to vú ở nam", or "vú to ở nam"."""
    cuts = [(run, at) for run in condition.runs for at, term in enumerate(run) if at > 1 and fold(str(term)) == "o"]
    return [condition, *(Condition((run[:at],)) for run, at in cuts)] if cuts else []


def listed(found: Sequence[EvidenceBlock], note: str, lacks: tuple[str, ...] = ()) -> Selection | Stop:
    """Passages of several drugs as a list: of no more than can be read at once; lacks: what none of them says."""
    drugs = [drug for drug, _ in groupby(found, key=lambda block: block.drug)]
    shown = tuple(block for block in found if block.drug in drugs[:MOST_LISTED])
    if any(block.printed_page is None for block in shown):
        return Stop(Reason.MISSING_PRINTED_PAGE)
    if all(is_held(block) for block in shown):
        return Stop(Reason.SOURCE_QUARANTINED, evidence=shown)
    rest = [drug.name for drug in drugs[MOST_LISTED:]]
    more = (f"Còn {len(rest)} thuốc nữa: {', '.join(rest)}. Nêu rõ hơn để thu hẹp.",) if rest else ()
    return Selection(shown, (*lacks, *more), note=note)


def note_of(title: str) -> str:
    """What is said of every such list. title: of the section."""
    return (
        f"Chỉ tra mục {title} của các chuyên luận trong ấn bản này, theo thứ tự trong sách. Danh sách có thể chưa đủ: "
        "thuốc không có tên ở đây chỉ là chưa thấy nêu."
    )
