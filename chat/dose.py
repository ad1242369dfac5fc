"""The dose that a question selects, or what must still be asked."""

from __future__ import annotations

from collections.abc import Sequence

from chat.branch_choice import Ask, of_other_band, select_branch
from chat.branches import is_manner_path, without_exception
from chat.cues import filler_words
from chat.domain import EvidenceBlock, Population, QueryFrame, Reason, Stop
from chat.fitting import fits_patient
from chat.patient_facts import WHOLE_SECTION, names_population
from chat.selection import Selection
from chat.terms import stands_in, terms_of
from monographs.domain import SECTION_FACTS, SectionKey
from monographs.text import WordSet, fold, folded_words

CLARIFY_LIMIT = 3
_DOSE_CONDITIONS = frozenset({Population.SUY_THAN, Population.SUY_GAN, Population.MANG_THAI})


def select_dose(blocks: tuple[EvidenceBlock, ...], frame: QueryFrame, question: str, streak: int) -> Selection:
    title = SECTION_FACTS[SectionKey.LIEU_DUNG].title
    if Population.MANG_THAI in frame.populations:
        # A plain adult dose is never shown for a pregnancy: only what the book labels for it.
        labelled = tuple(block for block in blocks if names_population(block, Population.MANG_THAI, labels_only=True))
        chosen = select_branch(labelled, frame, question) if labelled else ()
        shown = labelled if isinstance(chosen, Ask) else chosen or labelled
        kidneys = [b for b in blocks if is_for_organ(b, frame)] if shown else []
        return Selection(tuple(dict.fromkeys([*shown, *kidneys])))
    picked = select_branch(blocks, frame, question)
    if isinstance(picked, Ask) and (manner := _manner_asked(blocks, frame)):
        other = of_other_band({block.labels for block in manner}, question)
        return Selection(tuple(block for block in manner if block.labels not in other))
    if isinstance(picked, Ask):
        if frame.bare_reply and not _speaks_of_labels(blocks, frame):
            return Selection((), ask=Stop(Reason.OUT_OF_SCOPE))
        if streak >= CLARIFY_LIMIT:
            return Selection(blocks)
        detail = {"drug": frame.drugs[0].name, "section": title.lower()}
        return Selection((), ask=Stop(Reason.NEEDS_BRANCH, detail, picked.replies))
    return Selection(picked, () if picked else (f"{title} cho trường hợp được hỏi",))


def is_for_organ(block: EvidenceBlock, frame: QueryFrame) -> bool:
    """Whether a dose is labelled for the patient's kidneys or liver, and for no one else."""
    organs = frame.populations & {Population.SUY_THAN, Population.SUY_GAN}
    return any(names_population(block, o, labels_only=True) for o in organs) and fits_patient(block.labels, frame)


def brings_dose(frame: QueryFrame) -> bool:
    """ "gentamicin suy thận" without more: what its cautions say, and its dose for that."""
    return frame.attribute in {None, *WHOLE_SECTION} and bool(frame.populations & _DOSE_CONDITIONS)


def dose_for_condition(frame: QueryFrame, evidence: tuple[EvidenceBlock, ...]) -> Selection:
    """The dosage branches labelled for the condition; none is no fault, as nothing more was asked."""
    conditions = frame.populations & _DOSE_CONDITIONS
    blocks = tuple(block for block in evidence if block.section is SectionKey.LIEU_DUNG)
    return Selection(tuple(b for b in blocks if any(names_population(b, c, labels_only=True) for c in conditions)))


def for_patient(blocks: Sequence[EvidenceBlock], frame: QueryFrame) -> tuple[EvidenceBlock, ...]:
    """Without the passages that are labelled for another patient."""
    return tuple(block for block in blocks if fits_patient(block.labels, frame))


def _manner_asked(blocks: tuple[EvidenceBlock, ...], frame: QueryFrame) -> tuple[EvidenceBlock, ...]:
    """What is said for all patients under a label that says all the question speaks of: "nồng độ đáy"."""
    terms = [term for term in terms_of(frame) if not term.is_talk]
    return tuple(
        block
        for block in blocks
        if block.labels
        and is_manner_path(block.labels)
        and terms
        and all(stands_in(term, WordSet(" ".join(map(without_exception, block.labels)))) for term in terms)
    )


def _speaks_of_labels(blocks: tuple[EvidenceBlock, ...], frame: QueryFrame) -> bool:
    """Whether a bare reply has a word of some label; otherwise it is talk."""
    labels = {word for block in blocks for label in block.labels for word in folded_words(label)}
    return bool(({fold(word) for word in frame.question_words} - filler_words()) & labels)
