"""The rules understander: from a question to its frame, by cue tables and the alias index, without a model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from chat.asked import among_several, asked_together, asks_of_each, is_diluted, mixes, only_lists, what_is_asked
from chat.condition_lexicon import lexicon_of
from chat.cues import cue_table, filler_words
from chat.domain import ContextAction, QueryFrame, Reason, Term
from chat.drug_parts import without_parts
from chat.expand import Expanded, expand_question
from chat.medicines import split_taken, unlisted_taken
from chat.mixing import is_diluting, is_mixing, solutions_in, without_solutions
from chat.named_by import asked_of_all
from chat.names_told import (
    allergies_told,
    denies_allergy,
    is_allergic_to,
    of_one,
    reacted_to,
    strange_words,
    told_apart,
    unknown_names,
)
from chat.overdose import tells_overdose
from chat.partners import compared_with, exchanged_for, find_partners
from chat.patient import patient_of
from chat.printed_items import wording_of
from chat.purposes import Purpose, find_purpose
from chat.relations import listed_in
from chat.rewrites import relation_asked
from chat.terms import plain_text, question_terms
from chat.turn_type import Signs, turn_type
from monographs.domain import SectionKey
from monographs.names import Corpus, NameSpan, tokenise
from monographs.text import fold, has_accents, normalise

# Thirds of a pregnancy and what was measured: the patient's, and no condition ("3 thang dau" is no pain).
_STAGES = re.compile(
    r"\b(?:3|ba) thang (?:dau|giua|cuoi)\b|"
    r"\btam ca nguyet(?: thu)? (?:nhat|hai|ba|dau|giua|cuoi|[123])\b|\bquy (?:[123]|i{1,3})\b|"
    r"\b(?:co |mang )?thai (?:ky )?(?:thu )?\d{1,2}\+? ?(?:tuan|thang|w|t)(?: (?:dau|giua|cuoi))?\b|"
    r"\b\d{1,2} ?(?:tuan|thang) thai\b|\b\d{1,2} tuan(?! hoan)\b|\b(?:lv)?ef (?:giam|bao ton|that trai)\b|"
    r"\bphan suat tong mau (?:that trai )?(?:giam|bao ton|thap)(?: (?:duoi )?\d+ ?%?)?|"
    r"\b(?:huyet ap(?: tam (?:thu|truong))?|mach|nhip tim|nhip tho|spo2|nhiet do|than nhiet)"
    r"(?: (?:la|do|duoc|luc|chi|con|co|nay|hom|nay))*\s*:?\s*\d{2,3}(?:\s*/\s*\d{2,3})?(?: mmhg\b)?"
)
# What tells of a drug rather than asks about it; not right before "nên dùng", "kê".
_TELLS = re.compile(
    r"\b(?:dang|co|xua|truoc|tung|van|hay|lau nay|moi|duy tri|san|thuong|da|luon|tien su|di ung|phan ve|soc|vi|do)\b"
    r"(?!.*\b(?:duoc|nen|them|ke|cho|chon|doi sang|dung duoc|co the)(?: (?:dung|uong|tiem|xai))?\s*$)"
)
_IS_HAD = re.compile(r"\b(?:co|bi|mac|kem|nen|tien su|benh|hoi chung|do|gan)\s*$")
_TREATS = re.compile(
    r"\b(?:co|duoc|dc) (?:duoc |the )?(?:dung|tri|chua|dieu tri|xai|tac dung|hieu qua|chi dinh)\b.*"
    r"\b(?:khong|ko|k|hong|chua|duoc|dc)\W*$|\bdung (?:duoc )?(?:cho|trong|de)\b.*\b(?:khong|ko|k|duoc|dc)\W*$"
)
_VERSUS = re.compile(r"\bvs\b", re.IGNORECASE)
_MAX_REPLIES = 4


def understand(question: str, corpus: Corpus, *, asks_for_drugs: bool = False) -> QueryFrame:
    """The frame of one question standing alone. question: cleaned and masked text; asks_for_drugs: it is known to ask
    for drugs, whatever its words."""
    expanded = expand_question(question, corpus.names, corpus.vocabulary)
    text, bare = expanded.text, not has_accents(question)
    named = without_parts(corpus.names.resolve(text), text)
    rest = _without(text, named)
    turns = set(cue_table("turn").meanings(rest)) - ({"smalltalk"} if _says_more(rest) else set())
    purpose = find_purpose(rest)
    listed = listed_in(relation_asked(cue_table("turn").meanings(rest), fold(rest)))
    names = lexicon_of(corpus, listed).find(wording_of(plain_text(rest)))
    turns |= ({"condition_to_drug"} if purpose else set()) | ({"comparison"} if asks_of_each(rest) else set())
    turns |= {"condition_to_drug"} if asks_for_drugs else set()
    seeks_drug = bool(turns & {"condition_to_drug", "treats"})
    apart = [told_apart(span, text) for span in named]
    spans, allergies = allergies_told(apart, text, only=seeks_drug or "forbidden_in" in turns)
    solutions = solutions_in(text) if is_diluting(rest) or is_mixing(rest) else ()
    spans = without_solutions(spans, text) if solutions else spans
    harmed = "red_flag" in cue_table("scope").meanings(text) or tells_overdose(text)
    only_told = _only_told(apart, text, rest, names)
    asked_about, taken = split_taken(spans, text, seeks_other=seeks_drug and not harmed)
    if seeks_drug and names:
        told = [span for span in asked_about if only_told.issuperset(drug.drug_id for drug in span.drugs)]
        asked_about, taken = [span for span in asked_about if span not in told], [*taken, *told]
    spans, medicines = (asked_about, of_one(taken)) if seeks_drug and not asked_about else (spans, ())
    drugs = of_one(spans)
    unknown, guessed = unknown_names(rest, corpus, anything=not spans)
    unknown = tuple(name for name in unknown if not denies_allergy(rest[: max(rest.find(name), 0)]))
    allergies += tuple(name for name in unknown if is_allergic_to(rest[: rest.find(name)]))
    allergies += tuple(name for name in reacted_to(rest) if seeks_drug and name not in allergies)
    also_taken = unlisted_taken(_without_names(rest, names)) if seeks_drug or not spans else ()
    unknown = tuple(name for name in unknown if name not in allergies and not (seeks_drug and name in also_taken))
    if seeks_drug and names:
        # Where a condition is named, a strange word that is had is no drug: "có block nhĩ thất".
        unknown = tuple(name for name in unknown if not _IS_HAD.search(fold(rest[: max(rest.find(name), 0)])))
    patient = patient_of(rest)
    asked = what_is_asked(rest, turns, patient, has_drug=bool(spans), allergic=bool(allergies), several=len(drugs) > 1)
    if asked.implied and len(drugs) == 1 and names and _TREATS.search(fold(rest)):
        # "phenytoin có dùng cho động kinh cơn vắng ở bé 7 tuổi không" asks what it is for, and for no dose.
        asked = replace(asked, sections=(SectionKey.CHI_DINH,), implied=False)
    among = among_several(turns, rest, asked, names_illness=bool(names)) if len(drugs) > 1 else ()
    if among:
        # "thuốc nào gây ho trong đơn này: A, B": of these drugs, side by side.
        asked, turns = replace(asked, sections=among, implied=False), {*turns, "comparison"}
    unclear = _unclear(expanded, spans)
    partners = find_partners(rest, spans, unknown)
    # Half of a combination is no other drug.
    halves = {half for name in partners.names if " + " in name for half in name.split(" + ")}
    unknown = tuple(name for name in unknown if name not in halves and name not in partners.explained)
    unknown += () if solutions else (*compared_with(rest, partners, turns), *exchanged_for(rest))
    of_all = "" if spans else asked_of_all(rest)
    together = asked_together(rest, spans, asked, partners)
    mixed = mixes(rest, drugs, solutions, partners)
    if together and len(drugs) > 1 and unclear and unclear[0] is Reason.AMBIGUOUS_DRUG:
        # Of several that are taken together the others are looked up all the same.
        unclear = None
    return QueryFrame(
        turn_type=turn_type(
            drugs,
            # What only a patient or a route implies is nothing that several drugs are compared by.
            asked.sections[0] if asked.sections and not (asked.implied and len(drugs) > 1) else None,
            patient.populations,
            turns,
            Signs(
                names_something=bool((unknown and not (guessed and seeks_drug)) or spans),
                has_topic=bool(asked.topics) or (asked.effect and not drugs),
                mixes=mixed or is_diluted(drugs, asked),
                unknown=bool(unknown) and not guessed,
                together=(together or bool(taken and asked_about))
                and not only_lists(rest, asked, versus=_VERSUS.search(question) is not None),
            ),
        ),
        drugs=drugs,
        unknown_drugs=(*unknown, *partners.lines),
        partners=(of_all,) if of_all else partners.names if together or mixed or len(drugs) > 1 else also_taken,
        attribute=asked.sections[0] if asked.sections else None,
        also=asked.sections[1:],
        topics=tuple(topic.key for topic in asked.topics),
        populations=patient.populations,
        route=patient.route,
        weight_kg=patient.weight_kg,
        amounts=patient.amounts,
        age_text=patient.age[0] if patient.age else None,
        age_months=patient.age[1] if patient.age else None,
        clearance_ml_min=patient.clearance_ml_min,
        serum_creatinine=patient.serum_creatinine,
        labs=patient.labs,
        terms=_terms(rest, purpose, corpus, names, bare=bare),
        dose_implied=asked.implied,
        harm=asked.harm,
        allergies=allergies,
        medicines=medicines,
        solutions=solutions,
        asks_effect=asked.effect,
        asks_suitability="suitable" in turns,
        section_overview="overview" in turns,
        context_action=_context_action(set(cue_table("context").meanings(question))),
        depends_on_previous_turn=not drugs and not unknown and not spans,
        options=next((span.drugs for span in spans if len(span.drugs) > 1), ()),
        guessed_names=guessed,
        needs_clarify=unclear[0] if unclear else None,
        quick_replies=unclear[2] if unclear else (),
        standalone_query=text,
        question_words=frozenset(token.text.lower() for token in tokenise(text))
        | _synonym_words(" ".join([rest, *(span.text for span in spans)])),
        raw={
            "understander": "rules",
            "spans": [span.text for span in spans],
            "rest": rest,
            "bare": bare,
            "unclear": unclear[1] if unclear else "",
            "shared": next((span.text for span in spans if len(span.drugs) > 1), ""),
            "taken": [drug.drug_id for drug in of_one(taken)],
            "only_told": sorted(only_told),
            "of_all": of_all,
            "strange": strange_words(rest, corpus),
            "purpose": purpose.condition if purpose else "",
            "asks_for_drugs": asks_for_drugs,
            "seeks_drug": seeks_drug,
            "names": [[name.start, name.stop] for name in names],
        },
    )


def _without_names(rest: str, names: Sequence[range]) -> str:
    """The question with the names of conditions blanked: "sảng rượu cấp" drinks nothing."""
    tokens, parts = tokenise(plain_text(rest)), list(rest)
    for name in names if plain_text(rest) == rest else ():
        start, end = tokens[name.start].start, tokens[name.stop - 1].end
        parts[start:end] = "·" * (end - start)
    return "".join(parts)


def _only_told(spans: Sequence[NameSpan], text: str, rest: str, names: Sequence[range]) -> frozenset[str]:
    """The drugs that a question names only as what the patient takes, took or does not bear; behind the name of a
    condition in any words that tell ("xưa uống", "lâu nay có")."""
    asked, _ = split_taken(allergies_told(list(spans), text, only=True)[0], text)
    tokens = tokenise(plain_text(rest)) if len(plain_text(rest)) == len(text) else []
    ends = [tokens[name.stop - 1].end for name in names if name.stop <= len(tokens)]
    told = [
        span for span in asked if any(_TELLS.search(fold(text[end : span.start])) for end in ends if end < span.start)
    ]
    left = [span for span in asked if span not in told]
    return frozenset(drug.drug_id for drug in of_one(list(spans)) if drug not in of_one(left))


def _terms(
    rest: str, purpose: Purpose | None, corpus: Corpus, names: Sequence[range], *, bare: bool
) -> tuple[Term, ...]:
    """The terms of a question, without the purpose where anything else is named: "đau răng uống giảm đau loại nào"."""
    terms = question_terms(rest, corpus.vocabulary, corpus.accents, bare=bare, names=names)
    stages = [match.span() for match in _STAGES.finditer(fold(rest))]
    terms = _outside(terms, rest, stages)
    beside = _outside(terms, rest, [(purpose.start, purpose.end)]) if purpose is not None else ()
    return beside if any(not term.is_talk for term in beside) else terms


def _outside(terms: Sequence[Term], rest: str, places: Sequence[tuple[int, int]]) -> tuple[Term, ...]:
    """The terms that begin in none of these stretches of the question."""
    covered = {
        at for at, token in enumerate(tokenise(rest)) if any(start <= token.start < end for start, end in places)
    }
    return tuple(term for term in terms if term.place not in covered)


def _synonym_words(rest: str) -> frozenset[str]:
    """The words by which the book calls what the question calls otherwise."""
    return frozenset(word for meaning in cue_table("synonym").meanings(rest) for word in meaning.split(" "))


def _unclear(expanded: Expanded, spans: list[NameSpan]) -> tuple[Reason, str, tuple[str, ...]] | None:
    """(reason, what is unclear, replies) where only the asker can say what was meant."""
    shared = next((span for span in spans if len(span.drugs) > 1), None)
    if shared is not None:
        return Reason.AMBIGUOUS_DRUG, shared.text, tuple(drug.name for drug in shared.drugs)[:_MAX_REPLIES]
    if expanded.ambiguous:
        typed, meanings = expanded.ambiguous[0]
        return Reason.AMBIGUOUS_TERM, typed, meanings
    return None


def _without(question: str, spans: list[NameSpan]) -> str:
    """The question with the drug names blanked, so that no part of a name is read as a cue."""
    parts = list(question)
    for span in spans:
        parts[span.start : span.end] = "·" * (span.end - span.start)
    return "".join(parts)


def _says_more(rest: str) -> bool:
    """Whether anything stands beside the courtesies: a greeting before an emergency is no small talk."""
    hits = cue_table("turn").find(rest)
    covered = {place for hit in hits if hit.meaning == "smalltalk" for place in range(hit.first, hit.last)}
    words = [token.folded for place, token in enumerate(tokenise(normalise(rest))) if place not in covered]
    return any(word not in filler_words() for word in words)


def _context_action(context: set[str]) -> ContextAction:
    if "new" in context:
        return ContextAction.NEW
    return ContextAction.CONTINUE if "continue" in context else ContextAction.NONE
