"""What forbids a drug to who has what a question tells beside it: a question about one drug."""

from __future__ import annotations

from collections.abc import Sequence

from chat.candidate_facts import forbids_beside
from chat.condition_names import Condition
from chat.conditions import told_of
from chat.domain import EvidenceBlock, QueryFrame
from chat.drug_classes import classes_of, classes_printed
from chat.terms import is_name_like
from monographs.domain import SectionKey


def forbidding_told(evidence: Sequence[EvidenceBlock], frame: QueryFrame) -> tuple[EvidenceBlock, ...]:
    """The contraindications that name a condition of the question: "Liệt ruột" for "bn liệt ruột sau mổ, cho morphin
    được không". Of one syllable, and of a severer form than is told, nothing."""
    told = told_of(frame)
    named = [Condition((run,)) for one in (told.condition, *told.beside) for run in one.runs if len(run) > 1]
    forbidding = [block for block in evidence if block.section is SectionKey.CHONG_CHI_DINH]
    return tuple(b for b in forbidding if forbids_beside(b, frame, [*named, *_of_class_of_cause(b, named)]))


def _of_class_of_cause(block: EvidenceBlock, told: Sequence[Condition]) -> list[Condition]:
    """What came from a drug whose class the passage names: "phù mạch do captopril" where it prints "do thuốc ức chế
    enzym chuyển"."""
    printed = {mention.key for mention in classes_printed(block.text)}
    caused = [one for one in told if len(one.terms) > 1 and is_name_like(one.terms[-1])]
    return (
        [Condition((one.runs[0][:-1],)) for one in caused if printed & classes_of("", [one.terms[-1].typed[0]])]
        if printed
        else []
    )
