"""What answers a question that names no section: the handling of harm, or the passages that speak of its terms."""

from __future__ import annotations

import re
from collections.abc import Sequence

from chat.branches import is_general_path, is_manner_path
from chat.condition_names import Condition
from chat.domain import EvidenceBlock, QueryFrame, Reason, Stop, Term
from chat.dose import for_patient, is_for_organ, select_dose
from chat.harm import Harm, handling_of, is_because, is_treated
from chat.indicated import find_indicated
from chat.members import of_member
from chat.overview import LEAST_OF_STORY, passages_with_item, search_passages
from chat.patient_facts import about_patient
from chat.selection import Selection, check_selection, is_held, names_not_in_book, needs_section
from chat.terms import is_name_like, names_in, stands_in, terms_of
from chat.told_facts import forbidding_told
from monographs.domain import SectionKey
from monographs.text import WordSet, fold

# "Có trị được đau lưng không", "chữa … được không".
_TREATS = re.compile(
    r"\b(?:tri|chua|dieu tri)\b(?! (?:di|roi|xong|bao|the))[^.;?]*\b(?:khong|ko|k|hong|hok|chua|dc|duoc)\W*$|"
    r"\bco (?:duoc )?(?:dung|chi dinh|xai) (?:de |cho |trong )[^.;?]*\b(?:khong|ko|k|hong)\W*$"
)
# Where a monograph tells what the drug does to a patient.
_EFFECTS = frozenset(
    {
        SectionKey.ADR,
        SectionKey.XU_TRI_ADR,
        SectionKey.THAN_TRONG,
        SectionKey.CHONG_CHI_DINH,
        SectionKey.QUA_LIEU,
        SectionKey.TUONG_TAC,
        SectionKey.MANG_THAI,
        SectionKey.CHO_CON_BU,
    }
)


def answer_unnamed(
    frame: QueryFrame, evidence: tuple[EvidenceBlock, ...], question: str, streak: int
) -> Selection | Stop | None:
    """What answers a question that names no section: what is told of harm, or the passages that speak of its terms.

    None where nothing does, or where its terms are what the doses are labelled by: then the dose is asked for.
    """
    blocks, rest = of_member(frame, evidence), str(frame.raw.get("rest", ""))
    harmed = bool(frame.harm) and (frame.harm == Harm.AFTER or not is_treated(rest, blocks))
    terms = beyond_labels(frame, blocks) if frame.dose_implied and not harmed else list(terms_of(frame))
    if frame.dose_implied and not harmed and _are_indications(terms, blocks):
        return None
    handling = for_patient(handling_of(blocks, because=is_because(rest)), frame) if harmed else ()
    searched = [b for b in blocks if b.section in _EFFECTS] if frame.asks_effect or harmed else blocks
    fitting = for_patient(searched, frame)
    found = [block for block in _speaking(fitting, terms, harmed=harmed) if block not in handling]
    found = list(dict.fromkeys([*found, *passages_with_item(fitting, terms)]))
    if not (harmed or frame.asks_effect):
        found = list(dict.fromkeys([*_indications_asked(frame, fitting), *found]))
    if frame.dose_implied and not harmed and found and all(map(_is_manner, found)):
        # How it is given stands beside the dose, which is what is asked for.
        return None
    dose = _dose_named(frame, blocks, question, streak) if not (harmed or frame.asks_effect) else Selection(())
    if not (found or handling or dose.evidence):
        return dose.ask or _silence(frame, blocks, terms)
    organs = () if harmed or frame.asks_effect else _for_organs(frame, blocks)
    facts = (*about_patient(evidence, frame), *forbidding_told(evidence, frame))
    shown = tuple(dict.fromkeys([*facts, *handling, *found, *dose.evidence, *organs]))
    return check_selection(shown, frame, names_not_in_book(frame), [dose.ask] if dose.ask else ())


def _indications_asked(frame: QueryFrame, blocks: Sequence[EvidenceBlock]) -> list[EvidenceBlock]:
    """The drug's indications that name a condition of the question ("có dùng giảm co dọa sinh non được không"); all of
    them where it is asked whether the drug treats something that none of them names."""
    treats = _TREATS.search(fold(str(frame.raw.get("rest", "")))) is not None
    if not (frame.asks_suitability or treats):
        return []
    indications = [block for block in blocks if block.section is SectionKey.CHI_DINH and not is_held(block)]
    said = (tuple(term for term in terms_of(frame) if term.place in name) for name in names_in(frame))
    found = (one for run in said if run for one in find_indicated(indications, Condition((run,))))
    named = [block for one in found if not one.in_part for block in one.blocks]
    return named or (indications if treats and not frame.populations else [])


def _is_manner(block: EvidenceBlock) -> bool:
    return block.section is SectionKey.LIEU_DUNG and is_manner_path(block.labels)


def beyond_labels(frame: QueryFrame, blocks: Sequence[EvidenceBlock]) -> list[Term]:
    """The terms of a question that no label of the dosage says."""
    labels = WordSet(" ".join(label for b in blocks if b.section is SectionKey.LIEU_DUNG for label in b.labels))
    return [term for term in terms_of(frame) if not stands_in(term, labels)]


def beside_the_dose(frame: QueryFrame, evidence: tuple[EvidenceBlock, ...]) -> Selection | Stop | None:
    """Where the doses leave a choice open, and the question goes by a term that only other passages say, those: "kali
    máu 5,8 thì giảm liều hay ngừng"."""
    doses = WordSet(
        " ".join(
            " ".join((*b.labels, b.text))
            for b in evidence
            if b.section is SectionKey.LIEU_DUNG and not is_general_path(b.labels)
        )
    )
    blocks = of_member(frame, evidence)
    # A letter ("C. difficile") stands in many places and names nothing.
    named = [t for t in beyond_labels(frame, blocks) if is_name_like(t) and len(str(t)) > 1]
    terms = [term for term in named if not stands_in(term, doses)]
    found = search_passages(blocks, terms) if terms and not frame.bare_reply else ()
    return check_selection(found, frame)


def _speaking(blocks: Sequence[EvidenceBlock], terms: Sequence[Term], *, harmed: bool) -> tuple[EvidenceBlock, ...]:
    """The passages that speak of the terms; of a story, warnings and unwanted effects each for themselves."""
    if not harmed:
        return search_passages(blocks, terms)
    effects = [block for block in blocks if block.section is SectionKey.ADR]
    others = [block for block in blocks if block.section is not SectionKey.ADR]
    return tuple(b for part in (others, effects) for b in search_passages(part, terms, least=LEAST_OF_STORY))


def _silence(frame: QueryFrame, blocks: Sequence[EvidenceBlock], terms: Sequence[Term]) -> Selection | Stop | None:
    """Nothing speaks of what was asked: of an effect that is said; of a drug that may perhaps be given, what forbids it
    is shown beside that; beside a patient, which section was meant is asked, unless a dose is labelled for it."""
    asked = [term for term in terms if not term.is_talk]
    unsaid = " ".join(map(str, asked))
    if frame.asks_effect and asked:
        return Stop(Reason.INSUFFICIENT_EVIDENCE, {"drug": frame.drugs[0].name, "terms": unsaid})
    if frame.asks_suitability and asked:
        forbids = tuple(block for block in blocks if block.section is SectionKey.CHONG_CHI_DINH)
        return check_selection((*forbids, *_for_organs(frame, blocks)), frame, (unsaid,))
    named = len(asked) < len([term for term in terms_of(frame) if not term.is_talk])
    return needs_section(frame) if frame.dose_implied and asked and not named else None


def _for_organs(frame: QueryFrame, blocks: Sequence[EvidenceBlock]) -> tuple[EvidenceBlock, ...]:
    """What the dosage says for the patient's kidneys or liver: no other answer stands without it."""
    doses = tuple(block for block in blocks if block.section is SectionKey.LIEU_DUNG)
    return tuple(block for block in doses if is_for_organ(block, frame))


def _dose_named(frame: QueryFrame, blocks: Sequence[EvidenceBlock], question: str, streak: int) -> Selection:
    """The dose for what the question names, where that is what a branch is labelled by ("aspirin phòng tiền sản
    giật")."""
    terms = [term for term in terms_of(frame) if not term.is_talk]
    doses = tuple(block for block in blocks if block.section is SectionKey.LIEU_DUNG)
    paths = {block.labels: WordSet(" ".join(block.labels)) for block in doses}
    if not terms or not any(all(stands_in(term, words) for term in terms) for words in paths.values()):
        return Selection(())
    return select_dose(doses, frame, question, streak)


def _are_indications(terms: Sequence[Term], blocks: Sequence[EvidenceBlock]) -> bool:
    """Whether the terms are no more than what the drug is given for: then the dose for it is asked."""
    printed = WordSet(" ".join(block.text for block in blocks if block.section is SectionKey.CHI_DINH))
    return all(term.is_talk or stands_in(term, printed) for term in terms)
