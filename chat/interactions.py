"""What the monographs of several drugs say of each other, both ways: named, printed as absent, silent, unread."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from chat.domain import EvidenceBlock, Pair, PairSide, PairStatus
from chat.naming_clauses import Clause, clauses_of
from chat.pair_subjects import Subject
from chat.selection import is_held
from monographs.domain import SECTION_FACTS, PassageKind, SectionKey
from monographs.names import AliasIndex

READ_SECTIONS = (SectionKey.TUONG_TAC, SectionKey.CHONG_CHI_DINH, SectionKey.THAN_TRONG, SectionKey.LIEU_DUNG)
# What forbids stands first, whichever drug's monograph says it.
_SHOWN_ORDER = (SectionKey.CHONG_CHI_DINH, SectionKey.TUONG_TAC, SectionKey.THAN_TRONG, SectionKey.LIEU_DUNG)


@dataclass(frozen=True, slots=True)
class _Passage:
    block: EvidenceBlock
    clauses: tuple[Clause, ...]


@dataclass(frozen=True, slots=True)
class _Found:
    """What the passages of a reader say of one other: naming it, or printing that there is none."""

    naming: tuple[EvidenceBlock, ...]
    denying: tuple[EvidenceBlock, ...]
    by: tuple[str, ...]


def find_pairs(subjects: Sequence[Subject], evidence: Sequence[EvidenceBlock], names: AliasIndex) -> tuple[Pair, ...]:
    """Every two of the subjects, in their order. evidence: what the monographs of those that have one say."""
    members = [Subject(drug.name, drug) for subject in subjects for drug in subject.readers]
    passages = {reader.name: _passages(reader, evidence, names) for reader in (*subjects, *members)}
    return tuple(
        Pair(
            first.name,
            second.name,
            tuple(
                side for reader, about in ((first, second), (second, first)) for side in _sides(reader, about, passages)
            ),
        )
        for first, second in combinations(subjects, 2)
        if not _are_namesakes(first, second)
    )


def _sides(reader: Subject, about: Subject, passages: Mapping[str, tuple[_Passage, ...]]) -> list[PairSide]:
    """What a monograph says of the other; of a class what those of its members say, where they name it."""
    if reader.drug is not None:
        return [_side(reader, about, passages[reader.name])]
    of_members = [_side(Subject(drug.name, drug), about, passages[drug.name]) for drug in reader.readers]
    return [side for side in of_members if side.status is PairStatus.NAMED]


def pair_evidence(pairs: Iterable[Pair]) -> tuple[EvidenceBlock, ...]:
    """The passages of the pairs, each once: what forbids first, then drug by drug in the order of the sections."""
    sides = [side for pair in pairs for side in pair.sides]
    found = list(dict.fromkeys(block for side in sides for block in side.evidence))
    drugs = list(dict.fromkeys(side.reader.drug_id for side in sides))
    return tuple(
        sorted(
            found,
            key=lambda block: (
                block.section is not SectionKey.CHONG_CHI_DINH,
                drugs.index(block.drug.drug_id),
                _SHOWN_ORDER.index(block.section),
                block.order,
            ),
        )
    )


def _are_namesakes(first: Subject, second: Subject) -> bool:
    """ "Salbutamol (Dùng trong hô hấp)" and the other one: the same drug twice is no pair."""
    return first.drug is not None and second.drug is not None and first.bare_name == second.bare_name


def _passages(subject: Subject, evidence: Sequence[EvidenceBlock], names: AliasIndex) -> tuple[_Passage, ...]:
    drug = subject.drug
    if drug is None:
        return ()
    own = [block for block in evidence if block.drug.drug_id == drug.drug_id and block.section in READ_SECTIONS]
    return tuple(_Passage(block, clauses_of(block, names)) for block in subject.of_member(own) if not block.is_label)


def _side(reader: Subject, about: Subject, passages: Sequence[_Passage]) -> PairSide:
    found = _found(reader, about, passages)
    unread = () if found.naming else (*_unread(passages), *about.unread)
    drug = reader.drug
    if drug is None:
        raise ValueError(f"{reader.name} has no monograph to read")
    return PairSide(drug, about.name, _status(found, about, unread), (*found.naming, *found.denying), unread, found.by)


def _status(found: _Found, about: Subject, unread: tuple[str, ...]) -> PairStatus:
    if found.naming:
        return PairStatus.NAMED
    if unread or not about.is_known:
        return PairStatus.NOT_CHECKED
    return PairStatus.PRINTED_ABSENCE if found.denying else PairStatus.SILENT


def _found(reader: Subject, about: Subject, passages: Sequence[_Passage]) -> _Found:
    naming: list[EvidenceBlock] = []
    denying: list[EvidenceBlock] = []
    by: list[str] = []
    for passage in passages:
        section = passage.block.section
        found = {clause: about.named_in(clause, reader, section) for clause in passage.clauses}
        said = [word for clause, called in found.items() if not clause.denies for word in called]
        if said:
            naming.append(passage.block)
            by += said
        elif section is SectionKey.TUONG_TAC and any(
            clause.denies and (called or clause.is_general) for clause, called in found.items()
        ):
            denying.append(passage.block)
    return _Found(tuple(naming), tuple(denying), tuple({word.lower(): word for word in reversed(by)}.values())[::-1])


def _unread(passages: Sequence[_Passage]) -> tuple[str, ...]:
    """The titles of the sections that are not there, or of which a part that could name a drug is held back."""
    present = {passage.block.section for passage in passages}
    held = {passage.block.section for passage in passages if _hides_names(passage.block)}
    return tuple(SECTION_FACTS[key].title for key in READ_SECTIONS if key not in present or key in held)


def _hides_names(block: EvidenceBlock) -> bool:
    """Whether a passage that is held back could name a drug; a table or a formula of doses is one of numbers."""
    of_numbers = block.section is SectionKey.LIEU_DUNG and block.kind is not PassageKind.TEXT
    return is_held(block) and not of_numbers
