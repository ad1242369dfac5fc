"""What is asked about together: drugs with their monographs, members of groups, classes, and names without either."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from chat.domain import EvidenceBlock, QueryFrame
from chat.drug_classes import class_titled, classes_of, kin_of, members_of, title_of
from chat.drug_classes import classes_asked as asked
from chat.members import of_member, with_member
from chat.naming_clauses import Clause, spelled_keys
from monographs.domain import SECTION_FACTS, DrugRef, SectionKey
from monographs.names import Corpus
from monographs.text import fold, folded_words

# What tells of a drug itself: its INN, its class, and which brand is which member.
KIND_SECTIONS = (SectionKey.TEN_CHUNG_QUOC_TE, SectionKey.LOAI_THUOC, SectionKey.DANG_THUOC_HAM_LUONG)
# Of a class no more of its members' own monographs are read.
MOST_MEMBERS = 6
_COMPONENTS = re.compile(r"\s+(?:và|\+|/)\s+")


@dataclass(frozen=True, slots=True)
class Subject:
    """One of what is asked about.

    name: as shown; ids: drugs whose name names it (a combination also by its parts); member: the member of a group
    monograph that was asked for; others: names of its other members; key: how it is spelled where it has no
    monograph; classes: by which it is named too; frame: the question for this drug alone; unread: why its classes
    are not known; called: of a class how its members are spelled; readers: those of them that have monographs.
    """

    name: str
    drug: DrugRef | None = None
    ids: frozenset[str] = frozenset()
    member: str = ""
    others: frozenset[str] = frozenset()
    key: str = ""
    classes: frozenset[str] = frozenset()
    is_class: bool = False
    frame: QueryFrame | None = None
    unread: tuple[str, ...] = ()
    called: tuple[str, ...] = ()
    readers: tuple[DrugRef, ...] = ()

    @property
    def bare_name(self) -> str:
        """The name without what tells namesakes apart."""
        return self.name.split(" (")[0]

    @property
    def is_known(self) -> bool:
        """Whether silence about it can be read: it has a monograph, or is a class, which nothing else speaks of."""
        return self.drug is not None or self.is_class

    def of_member(self, blocks: Sequence[EvidenceBlock]) -> Sequence[EvidenceBlock]:
        """The passages of its monograph that are not another member's."""
        return of_member(self.frame, blocks) if self.frame is not None and self.member else blocks

    def named_in(self, clause: Clause, reader: Subject, section: SectionKey) -> tuple[str, ...]:
        """The words by which a clause of another's monograph names it; none where it does not."""
        ids = self.ids - reader.ids
        called = [span.text for span in clause.named if self._is_meant(span.text, span.drugs, ids)]
        called += [
            mention.text
            for mention in clause.classes
            if mention.key in self.classes and not _is_own(mention.key, reader, clause, section)
        ]
        if self.key and self.key in clause.keys:
            called.append(self.name)
        own = spelled_keys(reader.bare_name)
        called += [key.strip() for key in self.called if key in clause.keys and key not in own]
        return tuple(called)

    def _is_meant(self, text: str, drugs: Sequence[DrugRef], ids: frozenset[str]) -> bool:
        return any(drug.drug_id in ids for drug in drugs) and fold(text) not in self.others


def subjects_of(frame: QueryFrame, evidence: Sequence[EvidenceBlock], corpus: Corpus) -> tuple[Subject, ...]:
    """What a frame asks about together, in its order: drugs, then classes, then names without a monograph."""
    drugs = [drug_subject(drug, frame, evidence, corpus) for drug in frame.drugs]
    named = [_with_members(partner_subject(name), frame, corpus) for name in unresolved_names(frame)]
    return tuple({subject.name: subject for subject in (*drugs, *named)}.values())


def shared_name(frame: QueryFrame) -> str:
    """A name in the question that several drugs share; "" for none."""
    return str(frame.raw.get("shared", ""))


def unresolved_names(frame: QueryFrame) -> tuple[str, ...]:
    """What is asked about and has no monograph: classes, names that the book only mentions, names in no index, and
    one that several drugs share."""
    shared = (shared_name(frame),) if frame.options else ()
    return tuple(name for name in dict.fromkeys((*frame.partners, *frame.unknown_drugs, *shared)) if name)


def drug_subject(drug: DrugRef, frame: QueryFrame, evidence: Sequence[EvidenceBlock], corpus: Corpus) -> Subject:
    own = [block for block in evidence if block.drug.drug_id == drug.drug_id]
    inns = _inns(own)
    kinds = [b for b in own if b.section is SectionKey.LOAI_THUOC and b.state.shows_text]
    bare = drug.name.split(" (")[0]
    classes = classes_of(" ".join(block.text for block in kinds), [bare, *_components(bare)])
    unread = () if kinds or classes else (f"{SECTION_FACTS[SectionKey.LOAI_THUOC].title} ({drug.name})",)
    subject = Subject(
        drug.name, drug, frozenset({drug.drug_id, *_component_ids(bare, corpus)}), classes=classes, unread=unread
    )
    return _of_group(subject, drug, frame, own, inns) if len(inns) > 1 else subject


def _of_group(
    subject: Subject, drug: DrugRef, frame: QueryFrame, own: Sequence[EvidenceBlock], inns: Sequence[str]
) -> Subject:
    """The member that was asked for; the whole group where none was."""
    alone = with_member(replace(frame, drugs=(drug,)), own)
    member = alone.raw.get("member")
    if not isinstance(member, str):
        return subject
    meant = frozenset(folded_words(member))
    others = frozenset(fold(inn) for inn in inns if not frozenset(folded_words(inn)) <= meant)
    return replace(subject, name=member, member=member, others=others, frame=alone)


def _inns(own: Sequence[EvidenceBlock]) -> list[str]:
    printed = next((block.text for block in own if block.section is SectionKey.TEN_CHUNG_QUOC_TE), "")
    return [inn.strip(" .") for inn in printed.split(";") if inn.strip(" .")]


def _components(name: str) -> list[str]:
    parts = _COMPONENTS.split(name)
    return parts if len(parts) > 1 else []


def _component_ids(name: str, corpus: Corpus) -> list[str]:
    """The drugs that a combination is made of, where they have monographs of their own."""
    spans = [span for part in _components(name) for span in corpus.names.resolve(part)]
    return [span.drugs[0].drug_id for span in spans if len(span.drugs) == 1]


def partner_subject(name: str) -> Subject:
    known = class_titled(name)
    if known is not None:
        return Subject(name, classes=kin_of(known.key), is_class=True)
    mentioned = [mention.key for mention in asked(name) if fold(mention.text) == fold(name)]
    if mentioned:
        return Subject(title_of(mentioned[0]), classes=kin_of(mentioned[0]), is_class=True)
    return Subject(name, key=spelled_keys(name), classes=classes_of("", [name]))


def _with_members(subject: Subject, frame: QueryFrame, corpus: Corpus) -> Subject:
    """A class is named by a member's name as well, and what its members' monographs say is read beside."""
    known = class_titled(subject.name) if subject.is_class else None
    if known is None:
        return subject
    members = members_of(known.key)
    return replace(subject, called=tuple(map(spelled_keys, members)), readers=_of_members(members, frame, corpus))


def _of_members(members: Sequence[str], frame: QueryFrame, corpus: Corpus) -> tuple[DrugRef, ...]:
    """Those of them that have monographs and are not asked about themselves; none where they are too many to read."""
    spans = [span for name in members for span in corpus.names.resolve(name) if span.text == name]
    drugs = dict.fromkeys(span.drugs[0] for span in spans if len(span.drugs) == 1)
    others = tuple(drug for drug in drugs if drug not in frame.drugs)
    return others if len(others) <= MOST_MEMBERS else ()


def members_read(frame: QueryFrame, corpus: Corpus) -> tuple[DrugRef, ...]:
    """The drugs whose monographs are read as those of members of a class that is asked about."""
    named = [_with_members(partner_subject(name), frame, corpus) for name in unresolved_names(frame)]
    return tuple(dict.fromkeys(drug for one in named for drug in one.readers))


def _is_own(key: str, reader: Subject, clause: Clause, section: SectionKey) -> bool:
    """Outside the interactions, a class that the reader belongs to is named for itself, unless others of it are."""
    return section is not SectionKey.TUONG_TAC and key in reader.classes and "khác" not in clause.text
