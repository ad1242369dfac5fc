"""What a model is to put into words: a question, what was understood of it, and the evidence that was decided on."""

from __future__ import annotations

from dataclasses import dataclass

from chat.domain import EvidenceBlock, QueryFrame, TurnType
from chat.selection import Selection
from monographs.names import AliasIndex

# Routes whose answer is a list of drugs: each claim is about one of them.
_LISTS = frozenset(
    {
        TurnType.CONDITION_TO_DRUG,
        TurnType.SYMPTOM_TO_DRUG,
        TurnType.CONDITION_RELATION,
        TurnType.COMPARISON,
    }
)


@dataclass(frozen=True, slots=True)
class Writing:
    """The task of one answer. retrieved: all passages that were read for it; names: of the edition's drugs; streak:
    how often in a row the asker was asked back before."""

    question: str
    frame: QueryFrame
    selection: Selection
    retrieved: tuple[EvidenceBlock, ...]
    names: AliasIndex
    streak: int = 0

    @property
    def evidence(self) -> tuple[EvidenceBlock, ...]:
        """What the citations of a draft are indices into."""
        return self.selection.evidence

    @property
    def sources(self) -> tuple[int, ...]:
        """Indices of the passages that a model is shown: source n of a prompt, from 1, is sources[n - 1].

        What is held back is only ever a picture; a passage that is only a label states nothing.
        """
        return tuple(index for index, block in enumerate(self.evidence) if not block.is_held and not block.is_label)

    @property
    def shown(self) -> tuple[EvidenceBlock, ...]:
        """The passages of the sources, in their order."""
        return tuple(self.evidence[index] for index in self.sources)

    @property
    def drug_ids(self) -> tuple[str, ...]:
        """The drugs of the sources, each once, in their order."""
        return tuple(dict.fromkeys(block.drug.drug_id for block in self.shown))

    @property
    def is_list(self) -> bool:
        """Whether each claim must be about one of the drugs."""
        return self.frame.turn_type in _LISTS

    @property
    def tells_patient(self) -> bool:
        """Whether anything is told of a patient."""
        frame = self.frame
        values = (frame.age_months, frame.weight_kg, frame.clearance_ml_min)
        told = (frame.populations, frame.allergies, frame.medicines, frame.labs, frame.amounts)
        return any(told) or any(value is not None for value in values)
