"""Whether a passage speaks of a patient's medicine: by its name, by a class that holds it, or by its parts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from chat.domain import EvidenceBlock, QueryFrame
from chat.naming_clauses import clauses_of
from chat.pair_subjects import Subject, drug_subject, partner_subject
from monographs.domain import DrugRef
from monographs.names import AliasIndex, Corpus


@dataclass(frozen=True, slots=True)
class Naming:
    """subjects: the candidates and the patient's medicines; partners: medicines and classes without a monograph."""

    subjects: dict[DrugRef, Subject]
    partners: tuple[Subject, ...]
    names: AliasIndex

    def drug(self, block: EvidenceBlock, drug: DrugRef) -> bool:
        """Whether a passage of one drug's monograph names another drug."""
        return drug != block.drug and drug in self.subjects and self._names(block, self.subjects[drug])

    def partner(self, block: EvidenceBlock) -> bool:
        """Whether it names any of those without a monograph."""
        return any(self._names(block, partner) for partner in self.partners)

    def _names(self, block: EvidenceBlock, about: Subject) -> bool:
        reader = self.subjects.get(block.drug, Subject(block.drug.name, block.drug))
        clauses = clauses_of(block, self.names)
        return any(about.named_in(clause, reader, block.section) for clause in clauses if not clause.denies)


def naming_of(drugs: Iterable[DrugRef], frame: QueryFrame, evidence: Sequence[EvidenceBlock], corpus: Corpus) -> Naming:
    """drugs: the candidates. evidence: with what tells of each drug itself, its class above all."""
    every = dict.fromkeys((*drugs, *frame.medicines))
    return Naming(
        {drug: drug_subject(drug, frame, evidence, corpus) for drug in every},
        tuple(partner_subject(name) for name in frame.partners),
        corpus.names,
    )
