"""What forbids a drug to who has what a question tells beside it: a question about one drug."""

from __future__ import annotations

from collections.abc import Sequence

from chat.candidate_facts import forbids_beside
from chat.condition_names import Condition
from chat.conditions import told_of
from chat.domain import EvidenceBlock, QueryFrame
from monographs.domain import SectionKey


def forbidding_told(evidence: Sequence[EvidenceBlock], frame: QueryFrame) -> tuple[EvidenceBlock, ...]:
    """The contraindications that name a condition of the question: "Liệt ruột" for "bn liệt ruột sau mổ, cho morphin
    được không". Of one syllable, and of a severer form than is told, nothing."""
    told = told_of(frame)
    named = [Condition((run,)) for one in (told.condition, *told.beside) for run in one.runs if len(run) > 1]
    forbidding = [block for block in evidence if block.section is SectionKey.CHONG_CHI_DINH]
    return tuple(block for block in forbidding if forbids_beside(block, frame, named))
