"""What the book says of mixing a drug with another or with a solution: both monographs, and the appendix on dilution.

Silence, a general ban ("không trộn với thuốc khác") and what could not be read are kept apart; none means compatible.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from chat.allergy_facts import class_words, name_words
from chat.branches import facets
from chat.decide import decide
from chat.domain import EvidenceBlock, Pair, PairSide, PairStatus, QueryFrame, Reason, Route, Stop, TurnType
from chat.drug_classes import class_titled, classes_of, printed_of
from chat.members import of_member, with_member
from chat.mixing import Solution, solution_named
from chat.naming_clauses import spelled_keys
from chat.pair_subjects import unresolved_names
from chat.selection import Selection, check_selection, is_held
from monographs.domain import SECTION_FACTS, DrugRef, SectionKey
from monographs.names import Corpus
from monographs.text import fold, folded_words

# Where a monograph tells what it may be mixed with, in the order in which they are shown.
MIXING_SECTIONS = (SectionKey.TUONG_KY, SectionKey.CHONG_CHI_DINH, SectionKey.LIEU_DUNG, SectionKey.BAO_QUAN)
SILENCE = "Không thấy nêu không có nghĩa là trộn được: sách chưa nói tới."
_WITH_ANY = re.compile(
    r"\bkhong (?:duoc )?(?:tron|pha chung|hoa chung|pha)\b[^.;]*\b(?:thuoc|dich truyen)(?: tiem)? (?:khac|nao)\b|"
    r"\bkhong tron\b[^.;]*\b(?:hoac thuoc khac|bat ky thuoc)"
)
_MIXES = re.compile(
    r"\b(?:pha|trộn|hòa tan|hòa trong|tương kỵ|tương hợp|hấp phụ|dung môi|truyền cùng|truyền đồng thời|chai|túi)\b"
)
_DILUENTS = re.compile(r"\b(?:dung moi|hoa tan|khong truyen|pha va toc do)\b")
_VEIN = frozenset({Route.TIEM_TINH_MACH, Route.TRUYEN_TINH_MACH})
_BY_CLASS = {"beta-lactam": ("penicilin", "cephalosporin")}


@dataclass(frozen=True, slots=True)
class _Unlisted:
    """A drug or a class without a monograph of its own. title: as shown; keys: its names, spelled alike."""

    title: str
    keys: tuple[str, ...]

    def named_in(self, text: str) -> bool:
        """Whether a text speaks of it."""
        said = spelled_keys(text)
        return any(key in said for key in self.keys)


_Partner = DrugRef | Solution | _Unlisted


def decide_mixing(
    frame: QueryFrame, corpus: Corpus, question: str, evidence: Sequence[EvidenceBlock], streak: int = 0
) -> Selection | Stop:
    """What is printed of each drug with each thing it is to be mixed with; of one drug alone, what it is diluted in."""
    partners: list[Solution | _Unlisted] = [s for key in frame.solutions if (s := solution_named(key))]
    partners += map(_unlisted, unresolved_names(frame)) if not frame.solutions else ()
    evidence = _of_members(frame, evidence)
    if len(frame.drugs) == 1 and not partners:
        return _diluted(frame, question, evidence, streak)
    pairs = [_pair_of(one, other, evidence, corpus) for one, other in combinations(frame.drugs, 2)]
    pairs += [
        Pair(drug.name, solution.title, (_side(drug, solution, evidence, corpus),))
        for drug in frame.drugs
        for solution in partners
    ]
    shown = tuple(dict.fromkeys(block for pair in pairs for side in pair.sides for block in side.evidence))
    diluents = [b for drug in frame.drugs for b in _own(drug, evidence) if frame.solutions and _is_diluent(b)]
    forbidding = [b for drug in frame.drugs for b in _own(drug, evidence) if frame.solutions and _forbids_vein(b)]
    shown = tuple(dict.fromkeys([*forbidding, *shown, *diluents]))
    if not shown:
        return _silent(frame, pairs)
    selection = check_selection(shown, frame)
    silent = any(pair.status is not PairStatus.NAMED for pair in pairs)
    if not isinstance(selection, Selection):
        return selection or _silent(frame, pairs)
    absent = tuple(p.title for p in partners if isinstance(p, _Unlisted) and class_titled(p.title) is None)
    return replace(selection, pairs=tuple(pairs), absent=absent, note=SILENCE if silent else "")


def _unlisted(name: str) -> _Unlisted:
    """By its name, or by that of a class that it is known to belong to: "các beta-lactam khác"."""
    known = class_titled(name)
    classes = (known.key,) if known else classes_of("", [name])
    names = [*(() if known else (name,)), *(printed for key in classes for printed in printed_of(key))]
    return _Unlisted(name, tuple(map(spelled_keys, names)))


def _of_members(frame: QueryFrame, evidence: Sequence[EvidenceBlock]) -> list[EvidenceBlock]:
    """Without what is said of other members of a group than the one that was named: "Mixtard 30" is no regular
    insulin."""
    kept = [block for block in evidence if not block.keyed]
    for drug in frame.drugs:
        own = [block for block in evidence if block.keyed and block.drug == drug]
        kept += of_member(with_member(replace(frame, drugs=(drug,)), own), own)
    return kept


def _forbids_vein(block: EvidenceBlock) -> bool:
    """Whether the drug, or a member of its group, is not for a vein at all: then it is diluted in nothing. What stands
    behind a colon is forbidden for some patients only."""
    of_vein = bool(facets(block.text)[1] & _VEIN)
    return block.section is SectionKey.CHONG_CHI_DINH and of_vein and ": " not in block.text


def heads(heading: str, drug: DrugRef) -> bool:
    """Whether an appendix's heading is that of a drug: "Phytomenadion (vitamin K₁)", "Salbutamol"."""
    head = " ".join(folded_words(heading.partition("(")[0]))
    return head == name_words(drug)


def _diluted(frame: QueryFrame, question: str, evidence: Sequence[EvidenceBlock], streak: int) -> Selection | Stop:
    drug = frame.drugs[0]
    own = tuple(block for block in evidence if block.keyed and block.drug == drug)
    found = decide(replace(frame, turn_type=TurnType.DRUG_ATTRIBUTE), own, question, clarify_streak=streak)
    beside = tuple(block for block in evidence if not block.keyed and heads(block.section_heading, drug))
    if not beside or (isinstance(found, Stop) and found.reason not in _SILENT):
        return found
    shown = found.evidence if isinstance(found, Selection) else ()
    selection = check_selection(tuple(dict.fromkeys([*shown, *beside])), frame)
    return selection or found


_SILENT = frozenset({Reason.INSUFFICIENT_EVIDENCE, Reason.SECTION_NOT_IN_MONOGRAPH})


def _pair_of(one: DrugRef, other: DrugRef, evidence: Sequence[EvidenceBlock], corpus: Corpus) -> Pair:
    return Pair(one.name, other.name, (_side(one, other, evidence, corpus), _side(other, one, evidence, corpus)))


def _side(drug: DrugRef, partner: _Partner, evidence: Sequence[EvidenceBlock], corpus: Corpus) -> PairSide:
    """What is printed of a drug with one partner: its monograph's own words, then the appendix's."""
    own = _own(drug, evidence)
    readable = [block for block in own if not is_held(block)]
    found = [block for block in readable if _speaks(block, partner, corpus)]
    if not isinstance(partner, DrugRef):
        general = [block for block in _general(evidence) if partner.named_in(block.text)]
        found += [block for block in general if _names(block, drug, corpus)]
    about = partner.name if isinstance(partner, DrugRef) else partner.title
    unread = _unread(own)
    held = tuple(block for block in own if is_held(block) and block.section is SectionKey.TUONG_KY)
    if found:
        return PairSide(drug, about, PairStatus.NAMED, (*found, *held), unread)
    has_text = any(block.section is SectionKey.TUONG_KY for block in readable)
    is_read = has_text and not unread and not isinstance(partner, _Unlisted)
    return PairSide(drug, about, PairStatus.SILENT if is_read else PairStatus.NOT_CHECKED, held, unread)


def _own(drug: DrugRef, evidence: Sequence[EvidenceBlock]) -> list[EvidenceBlock]:
    blocks = [block for block in evidence if block.keyed and block.drug == drug and block.section in MIXING_SECTIONS]
    blocks.sort(key=lambda block: MIXING_SECTIONS.index(block.section))
    return [*blocks, *(b for b in evidence if not b.keyed and heads(b.section_heading, drug))]


def _general(evidence: Sequence[EvidenceBlock]) -> list[EvidenceBlock]:
    """What an appendix says under no drug's heading."""
    keyed = {block.drug for block in evidence if block.keyed}
    return [b for b in evidence if not b.keyed and not any(heads(b.section_heading, drug) for drug in keyed)]


def _speaks(block: EvidenceBlock, partner: _Partner, corpus: Corpus) -> bool:
    text = " ".join((*block.labels, block.text))
    if block.section is SectionKey.CHONG_CHI_DINH and not isinstance(partner, Solution) and _is_named(partner, text):
        # What forbids both together forbids to run them together.
        return True
    # Elsewhere a name alone tells of no mixing.
    if block.section is not SectionKey.TUONG_KY and not _MIXES.search(text.lower()):
        return False
    if isinstance(partner, Solution):
        return partner.named_in(text)
    if block.section is SectionKey.LIEU_DUNG:
        return _is_named(partner, text)
    return _names(block, partner, corpus) or bool(_WITH_ANY.search(fold(text)))


def _is_named(drug: DrugRef | _Unlisted, text: str) -> bool:
    if isinstance(drug, _Unlisted):
        return drug.named_in(text)
    return f" {name_words(drug)} " in f" {' '.join(folded_words(text))} "


def _names(block: EvidenceBlock, drug: DrugRef | _Unlisted, corpus: Corpus) -> bool:
    if isinstance(drug, _Unlisted):
        return drug.named_in(" ".join((*block.labels, block.text)))
    said = f" {' '.join(folded_words(' '.join((*block.labels, block.text))))} "
    words = {name_words(drug), *_classes(drug, corpus)}
    return any(f" {word} " in said for word in words)


def _classes(drug: DrugRef, corpus: Corpus) -> set[str]:
    """The names of a drug's classes; those that lie in a wider one bring its name."""
    own = set(class_words(corpus.classes.get(drug.drug_id, ())))
    wider = {name for name, members in _BY_CLASS.items() if own & set(members) or name_words(drug).endswith("cilin")}
    return own | {" ".join(folded_words(name)) for name in wider}


def _is_diluent(block: EvidenceBlock) -> bool:
    return not block.keyed and bool(block.labels) and bool(_DILUENTS.search(fold(" ".join(block.labels))))


def _unread(own: Sequence[EvidenceBlock]) -> tuple[str, ...]:
    """The title of the section that is missing or held back, where no appendix stands in for it."""
    section = [block for block in own if block.section is SectionKey.TUONG_KY]
    lacking = not section or any(is_held(block) for block in section)
    return (SECTION_FACTS[SectionKey.TUONG_KY].title,) if lacking else ()


def _silent(frame: QueryFrame, pairs: Sequence[Pair]) -> Stop:
    drug = ", ".join(drug.name for drug in frame.drugs)
    if all(side.status is PairStatus.NOT_CHECKED and side.unread for pair in pairs for side in pair.sides):
        title = SECTION_FACTS[SectionKey.TUONG_KY].title
        return Stop(Reason.SECTION_NOT_IN_MONOGRAPH, {"drug": drug, "section": title}, pairs=tuple(pairs))
    about = ", ".join(dict.fromkeys(f"{pair.first} trộn hoặc pha với {pair.second}" for pair in pairs))
    return Stop(Reason.INSUFFICIENT_EVIDENCE, {"drug": drug, "terms": about}, pairs=tuple(pairs))
