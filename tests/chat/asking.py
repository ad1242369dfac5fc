"""Questions asked of the whole sample without a database: what the routes of several drugs decide."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from chat.candidates import decide_candidates
from chat.comparison import decide_comparison
from chat.domain import EvidenceBlock, QueryFrame, Stop
from chat.prior import merge_prior
from chat.rewrites import rewrite_frame
from chat.routes import RELATION, Asking
from chat.selection import Selection
from chat.understand import understand
from monographs.domain import SectionKey
from monographs.names import Corpus
from monographs.text import folded_words
from tests.sample_corpus import sample_corpus
from tests.sample_evidence import sample_evidence


@cache
def corpus() -> Corpus:
    """The names of the sample, with the classes that its monographs print."""
    printed: dict[str, list[str]] = {}
    for block in evidence():
        if block.section is SectionKey.LOAI_THUOC:
            printed.setdefault(block.drug.drug_id, []).extend(folded_words(block.text))
    return replace(sample_corpus(), classes={key: frozenset(found) for key, found in printed.items()})


@cache
def evidence() -> tuple[EvidenceBlock, ...]:
    """Every passage of the sample, under the names that its corpus has."""
    drugs = sample_corpus().drugs
    return tuple(replace(block, drug=drugs[block.drug.drug_id]) for block in sample_evidence())


def frame_of(question: str, before: QueryFrame | None = None) -> QueryFrame:
    """The frame of a question, after another one where one is given."""
    return merge_prior(rewrite_frame(understand(question, corpus())), before, after_clarify=False)


def candidates(question: str, before: QueryFrame | None = None) -> Selection | Stop:
    """What is decided of a question from a condition to drugs."""
    return decide_candidates(frame_of(question, before), corpus(), evidence())


def compared(question: str) -> Selection | Stop:
    """What is decided of a comparison."""
    return decide_comparison(frame_of(question), corpus(), question, evidence())


def related(question: str) -> Selection | Stop:
    """What is decided of a question for what causes, what is forbidden or what interacts."""
    return RELATION.decide(Asking(frame_of(question), corpus(), question), evidence())


def statuses(found: Selection | Stop) -> dict[str, str]:
    """Each candidate's status by its drug's id; {} where none is listed."""
    listed = found.candidates if isinstance(found, Selection) else ()
    return {candidate.drug.drug_id: candidate.status.value for candidate in listed}


def drugs_shown(found: Selection | Stop) -> list[str]:
    """The drugs whose passages are shown, in order, each once."""
    return list(dict.fromkeys(block.drug.drug_id for block in found.evidence))
