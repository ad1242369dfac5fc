"""The parts of a question that asks more than whether its drugs go together: each for one drug, with its sections."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from chat.cues import cue_table
from chat.domain import QueryFrame, TurnType
from chat.understand import understand
from monographs.domain import DrugRef, SectionKey
from monographs.names import Corpus, NameSpan, tokenise
from monographs.text import fold, normalise

_CLAUSE_END = re.compile(r"[;?!]|,(?!\d)|(?<=[^\d\s])\.(?=\s|$)|(?:^|(?<=\s))\d{1,2}\s?[.)]\s+")
# A dose that is told, not asked for: "liều 5 mg", "aspirin liều thấp".
_TOLD_DOSE = re.compile(r"\blieu(?: dung)?\s*(?:la|:)?\s*(?:\d|thap|cao|don|duy tri)")
_JOINS = frozenset({"voi", "vs", "cung", "chung", "kem", "them", "khi", "dang"})
# Asked of every drug of a prescription.
_OF_ALL = re.compile(r"\b(?:lieu|don|toa) (?:nay|tren|do|vay|nhu vay|nhu the|cua tung|tung thuoc)\b|\bcac lieu\b")
# These are what the route itself reads, or what a patient's fact brings along.
_NO_PART = frozenset({SectionKey.TUONG_TAC, SectionKey.TUONG_KY, SectionKey.MANG_THAI, SectionKey.CHO_CON_BU})


@dataclass(frozen=True, slots=True)
class Part:
    """One drug and what is asked of it alone. asked: the words; frame: as if they had been the whole question."""

    drug: DrugRef
    asked: str
    frame: QueryFrame

    @property
    def sections(self) -> tuple[SectionKey, ...]:
        """What is asked for, in order."""
        return (self.frame.attribute, *self.frame.also) if self.frame.attribute else ()


def split_parts(frame: QueryFrame, corpus: Corpus) -> tuple[Part, ...]:
    """The parts of a question about several drugs, in the order of the drugs; none where only the pair is asked for."""
    if frame.attribute is SectionKey.QUA_LIEU:
        return tuple(_part(drug, [_overdose(frame, drug, corpus)], frame, corpus) for drug in frame.drugs)
    asked: dict[DrugRef, list[tuple[str, tuple[SectionKey, ...]]]] = {}
    for clause in filter(None, map(normalise, _CLAUSE_END.split(frame.standalone_query or ""))):
        spans = corpus.names.resolve(clause)
        keys, end = _sections_in(_blanked(clause, spans))
        for drug in _meant(clause, spans, end, frame.drugs) if keys else ():
            asked.setdefault(drug, []).append((_alone(clause, spans, drug), keys))
    return tuple(_part(drug, asked[drug], frame, corpus) for drug in frame.drugs if drug in asked)


def _overdose(frame: QueryFrame, drug: DrugRef, corpus: Corpus) -> tuple[str, tuple[SectionKey, ...]]:
    """Who took too much of several is told of each."""
    text = frame.standalone_query or ""
    return _alone(text, corpus.names.resolve(text), drug), (SectionKey.QUA_LIEU,)


def _sections_in(rest: str) -> tuple[tuple[SectionKey, ...], int]:
    """The sections that a clause asks for, and where the first cue ends."""
    told = _TOLD_DOSE.search(fold(rest)) is not None
    hits = [hit for hit in cue_table("section").find(rest) if SectionKey(hit.meaning) not in _NO_PART]
    hits = [hit for hit in hits if not (told and hit.meaning == SectionKey.LIEU_DUNG)]
    tokens = tokenise(rest)
    keys = tuple(dict.fromkeys(SectionKey(hit.meaning) for hit in hits))
    return keys, tokens[hits[0].last - 1].end if hits else 0


def _meant(clause: str, spans: Sequence[NameSpan], end: int, drugs: Sequence[DrugRef]) -> list[DrugRef]:
    """The drugs that a clause's sections are asked of: those behind the cue up to a joining word, else those before
    it; all of the question where the clause names none."""
    if _OF_ALL.search(fold(clause)):
        return list(drugs)
    named = [span for span in spans if len(span.drugs) == 1 and span.drugs[0] in drugs]
    run = [span for span in named if span.start >= end] or named
    taken = run[:1]
    for before, after in pairwise(run):
        if _JOINS & {token.folded for token in tokenise(clause[before.end : after.start])}:
            break
        taken.append(after)
    return [span.drugs[0] for span in taken] or list(drugs)


def _alone(clause: str, spans: Sequence[NameSpan], drug: DrugRef) -> str:
    """The clause with no other drug in it, and with this one."""
    text = _blanked(clause, [span for span in spans if drug not in span.drugs])
    named = any(drug in span.drugs for span in spans)
    return normalise(text.replace("·", " ") + ("" if named else f" {drug.name}"))


def _part(
    drug: DrugRef, asked: Sequence[tuple[str, tuple[SectionKey, ...]]], frame: QueryFrame, corpus: Corpus
) -> Part:
    words = ", ".join(text for text, _ in asked)
    sections = tuple(dict.fromkeys(key for _, keys in asked for key in keys))
    alone = replace(
        understand(words, corpus),
        turn_type=TurnType.DRUG_ATTRIBUTE,
        drugs=(drug,),
        unknown_drugs=(),
        partners=(),
        options=(),
        attribute=sections[0],
        also=sections[1:],
        dose_implied=False,
        needs_clarify=None,
        populations=frame.populations,
        weight_kg=frame.weight_kg,
        age_text=frame.age_text,
        age_months=frame.age_months,
        clearance_ml_min=frame.clearance_ml_min,
        serum_creatinine=frame.serum_creatinine,
        labs=frame.labs,
        allergies=frame.allergies,
    )
    return Part(drug, words, alone)


def _blanked(text: str, spans: Sequence[NameSpan]) -> str:
    for span in spans:
        text = text[: span.start] + "·" * (span.end - span.start) + text[span.end :]
    return text
