"""The rules understander: from a question to its frame, by cue tables and the alias index, without a model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from chat.branches import AGE_GROUPS
from chat.cues import cue_table, filler_words, no_drug_words
from chat.domain import ContextAction, Population, QueryFrame, Reason, Term
from chat.expand import Expanded, expand_question
from chat.harm import Harm, told_harm
from chat.medicines import split_taken, unlisted_taken
from chat.mixing import is_diluting, is_mixing, solutions_in, without_solutions
from chat.overdose import tells_overdose
from chat.partners import Partners, find_partners, taken_together
from chat.patient import Patient, patient_of, tells_clearance
from chat.purposes import Purpose, find_purpose
from chat.terms import question_terms
from chat.topics import Topic, find_topics
from chat.turn_type import Signs, turn_type
from monographs.domain import DrugRef, SectionKey
from monographs.names import Corpus, NameSpan, Token, is_syllable, tokenise
from monographs.text import fold, folded_words, normalise

_ALLERGIC = re.compile(
    r"\b(?:di ung|qua man|(?:tien su|tung|da) (?:bi )?(?:soc )?phan ve|(?:phan ve|soc|man cam)(?= voi| do))"
    r"\s+(?:(?:voi|do|thuoc|nhom|nang|khang sinh)\s+)*$"
)
# "tiền sử: uống amoxicilin bị mề đay" tells an allergy as well.
_ONCE = re.compile(r"\b(?:tien su|tung|lan truoc|hoi truoc|truoc day|truoc kia|hoi nho)\b[^.;\n]{0,30}$")
_REACTED = re.compile(
    r"\s*(?:thi |xong |roi |la )?(?:bi |noi )+(?:noi )?(?:me day|may day|man|ban|sung|phu|soc|phan ve|kho tho|di ung)\b"
)
_IS_ALLERGIC = re.compile(r"\b(?:di ung|qua man|phan ve voi|soc voi)\b")
# Sections that a fact about the patient asks for by itself, not only as a topic.
_FACT_SECTIONS = {SectionKey.MANG_THAI: Population.MANG_THAI, SectionKey.CHO_CON_BU: Population.CHO_CON_BU}
_MONITORS = re.compile(r"\b(?:theo doi|xet nghiem|do lai|do tsh|thu lai|kiem tra|nong do (?:day|dinh))\b")
_OF_A_BODY = re.compile(
    r"\b(?:thieu|nhiem|toan|tang|giam|tiet|du|thua|lieu phap|bo sung|nong do|khang)"
    r"(?:\s+(?:hap thu|thai tru|bai tiet))?\s*$"
)
_SAYS_DOSE = re.compile(r"(?<!doi )(?<!thap )(?<!cao )\b(?:lieu|bao nhieu (?:mg|ml|vien|ong)|may (?:mg|ml|vien|ong))\b")
# Sections that are asked of drugs that are taken together.
_OF_TOGETHER = frozenset({SectionKey.LIEU_DUNG, SectionKey.TUONG_TAC, SectionKey.TUONG_KY})
_TAKES = re.compile(r"\b(?:dung|uong|tiem|truyen|chung|cung|duoc|phoi hop|ket hop|them|kem|dang)\b")
# Thirds of a pregnancy: the patient's, and no condition ("3 thang dau" is no pain).
_STAGES = re.compile(
    r"\b(?:3|ba) thang (?:dau|giua|cuoi)\b|"
    r"\btam ca nguyet(?: thu)? (?:nhat|hai|ba|dau|giua|cuoi|[123])\b|\bquy (?:[123]|i{1,3})\b|"
    r"\b(?:co |mang )?thai (?:ky )?(?:thu )?\d{1,2}\+? ?(?:tuan|thang|w|t)(?: (?:dau|giua|cuoi))?\b|"
    r"\b\d{1,2} ?(?:tuan|thang) thai\b|\b\d{1,2} tuan(?! hoan)\b"
)
# Asked of each of several, whatever joins their names.
_BY_MEALS = re.compile(r"\btruoc (?:hay|hoac) sau (?:bua )?an\b|\bluc (?:doi|no) hay\b|\b(?:truoc|sau) an hay\b")
_ASKS_WHEN = re.compile(
    r"\btruoc (?:hay|hoac) sau\b|\b(?:luc|khi) nao\b|\bmay gio\b|\bluc (?:doi|no) (?:hay|hoac)\b|"
    r"\b(?:thuc an|bua an|sua|ca phe|buoi)\b"
)
_RIGHT_DOSE = re.compile(r"\blieu (?:cua )?(?:[2-6]|hai|ba|bon|ca|cac|tung) (?:\w+ )?thuoc\b")
_TOGETHER = re.compile(r"\b(?:chung|cung luc|phoi hop|ket hop|cach nhau|tuong tac|ky nhau)\b")
_RISKS = re.compile(r"\b(?:phoi hop|tuong tac|dung chung|dung cung|uong chung)\b")
_OF_EACH = re.compile(r"\btuong k[yi] (?:cua|tung|moi|rieng)\b(?!.*\b(?:tron|pha|chung|cung|voi nhau)\b)")
# "Có gì cần lưu ý", of several drugs: what they do together, and to this patient.
_ANYTHING = re.compile(
    r"\b(?:co )?(?:gi|dieu gi) (?:can )?(?:luu y|chu y)\b|\b(?:luu y|chu y|van de) (?:gi|nao)\b|\bco van de\b"
)
_SWITCHES = re.compile(
    r"^\W*(?:(?:vay|the|neu|con|thi|nay|gio)\W+)+(?:doi|chuyen|thay) (?:sang|qua|bang)\W+"
    r"(?:thi sao|duoc khong|thi the nao|sao)\W*$"
)
_MAX_REPLIES = 4
_SHORTEST_NAME = 5
# "Xử trí sao?" goes on with the case; a longer question without a drug is about something else.
_BRIEF = 6


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a question asks for: sections, topics of use, what is told of harm; implied: only a patient or a route asks
    for the dose."""

    sections: tuple[SectionKey, ...]
    topics: tuple[Topic, ...]
    harm: Harm
    effect: bool
    implied: bool


def understand(question: str, corpus: Corpus) -> QueryFrame:
    """The frame of one question standing alone. question: cleaned and masked text."""
    expanded = expand_question(question, corpus.names, corpus.vocabulary)
    text = expanded.text
    named = corpus.names.resolve(text)
    rest = _without(text, named)
    turns = set(cue_table("turn").meanings(rest)) - ({"smalltalk"} if _says_more(rest) else set())
    purpose = find_purpose(rest)
    turns |= ({"condition_to_drug"} if purpose else set()) | ({"comparison"} if _OF_EACH.search(fold(rest)) else set())
    seeks_drug = bool(turns & {"condition_to_drug", "treats"})
    spans, allergies = _allergies([_told_apart(span, text) for span in named], text, only=seeks_drug)
    solutions = solutions_in(text) if is_diluting(rest) or is_mixing(rest) else ()
    spans = without_solutions(spans, text) if solutions else spans
    asked_about, taken = split_taken(spans, text)
    spans, medicines = (asked_about, _of_one(taken)) if seeks_drug and not asked_about else (spans, ())
    drugs = _of_one(spans)
    unknown, guessed = _unknown_names(rest, corpus, anything=not spans)
    allergies += tuple(name for name in unknown if _ALLERGIC.search(fold(rest[: rest.find(name)]) + " "))
    unknown = tuple(name for name in unknown if name not in allergies)
    patient = patient_of(rest)
    asked = _asked(rest, turns, patient, has_drug=bool(spans), allergic=bool(allergies), several=len(drugs) > 1)
    among = _among(turns) if len(drugs) > 1 else ()
    if among:
        # "thuốc nào gây ho trong đơn này: A, B": of these drugs, side by side.
        asked, turns = replace(asked, sections=among, implied=False), {*turns, "comparison"}
    unclear = _unclear(expanded, spans)
    partners = find_partners(rest, spans, unknown)
    together = _together(rest, spans, asked, partners)
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
                mixes=_mixes(rest, drugs, solutions) or _is_diluted(drugs, asked),
                unknown=bool(unknown) and not guessed,
                together=(together or bool(taken and asked_about)) and not _only_lists(rest, asked),
            ),
        ),
        drugs=drugs,
        unknown_drugs=(*unknown, *partners.lines),
        partners=partners.names if together or len(drugs) > 1 else unlisted_taken(rest) if seeks_drug else (),
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
        terms=_terms(rest, purpose, corpus),
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
            "unclear": unclear[1] if unclear else "",
            "shared": next((span.text for span in spans if len(span.drugs) > 1), ""),
            "taken": [drug.drug_id for drug in _of_one(taken)],
            "purpose": purpose.condition if purpose else "",
        },
    )


def _terms(rest: str, purpose: Purpose | None, corpus: Corpus) -> tuple[Term, ...]:
    """The terms of a question, without the purpose where anything else is named: "đau răng uống giảm đau loại nào"."""
    terms = question_terms(rest, corpus.vocabulary)
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


def _asked(
    rest: str, turns: set[str], patient: Patient, *, has_drug: bool, allergic: bool, several: bool = False
) -> _Asked:
    harm, effect = told_harm(rest), "effect" in turns
    sections = () if several and _ANYTHING.search(fold(rest)) else _sections(rest)
    topics = tuple(topic for topic in find_topics(rest) if not _is_circumstance(topic, sections, harm))
    if several and not _ASKS_WHEN.search(fold(rest)):
        # "Losec trước ăn" on a prescription is how it is taken.
        topics = tuple(topic for topic in topics if topic.key != "food")
    if _SWITCHES.match(fold(rest)):
        # "vậy đổi sang X thì sao" asks of X what was asked before, and for no conversion.
        topics = tuple(topic for topic in topics if topic.key != "conversion")
    handling = "handling" in turns
    if SectionKey.ADR in sections and handling:
        sections = tuple(SectionKey.XU_TRI_ADR if key is SectionKey.ADR else key for key in sections)
    if not sections and handling and not has_drug and len(tokenise(rest)) <= _BRIEF:
        sections = (SectionKey.XU_TRI_ADR,)
    if sections or topics:
        return _Asked(sections, topics, harm, effect, implied=False)
    if allergic or _IS_ALLERGIC.search(fold(rest)):
        return _Asked((SectionKey.CHONG_CHI_DINH,), (), harm, effect, implied=False)
    how_much = "how_much" in turns
    if how_much and _is_given(patient) and not (effect or harm):
        return _Asked((SectionKey.LIEU_DUNG,), (), harm, effect, implied=False)
    implied = not effect and ((how_much and has_drug) or _implies_dose(patient) or tells_clearance(rest))
    return _Asked((SectionKey.LIEU_DUNG,) if implied else (), (), harm, effect, implied=implied)


def _together(rest: str, spans: list[NameSpan], asked: _Asked, partners: Partners) -> bool:
    """Whether what is named is asked about as taken together, and not as a circumstance of something else asked."""
    several = {drug for span in spans for drug in span.drugs}
    twice = len(several) == 1 and len({fold(span.text) for span in spans}) > 1 and asked.implied | (not asked.sections)
    if (len(several) > 1 or twice) and taken_together(rest, spans):
        return True
    other = set(asked.sections) - {SectionKey.TUONG_TAC, SectionKey.THAN_TRONG} if not asked.implied else set()
    of_use = {topic.key for topic in asked.topics} - {"food", "alcohol"}
    return partners.joined and not (other or of_use or asked.harm not in {Harm.NONE, Harm.SIGN} or asked.effect)


def _among(turns: set[str]) -> tuple[SectionKey, ...]:
    """The sections in which it is looked up which of several drugs causes something, or is forbidden."""
    if "causes" in turns:
        return (SectionKey.ADR,)
    return (SectionKey.CHONG_CHI_DINH, SectionKey.THAN_TRONG) if "forbidden_in" in turns else ()


def _is_circumstance(topic: Topic, sections: tuple[SectionKey, ...], harm: Harm) -> bool:
    """Whether a topic only tells how harm came about: too much taken, "với rượu"; "truyền nhanh quá"."""
    if SectionKey.QUA_LIEU in sections:
        return topic.key != "missed"
    return harm is Harm.AFTER and topic.key == "rate"


def _is_given(patient: Patient) -> bool:
    return patient.route is not None or patient.weight_kg is not None or patient.age is not None


def _told_apart(span: NameSpan, text: str) -> NameSpan:
    """Of namesakes the one whose distinction ("Dùng trong sản khoa") the question says."""
    if len(span.drugs) < 2:
        return span
    folded = f" {' '.join(folded_words(text))} "
    said = [
        drug
        for drug in span.drugs
        if "(" in drug.name and f" {fold(drug.name.split('(')[1].rstrip(')')).removeprefix('dung trong ')} " in folded
    ]
    return replace(span, drugs=tuple(said)) if len(said) == 1 else span


def _synonym_words(rest: str) -> frozenset[str]:
    """The words by which the book calls what the question calls otherwise."""
    return frozenset(word for meaning in cue_table("synonym").meanings(rest) for word in meaning.split(" "))


def _implies_dose(patient: Patient) -> bool:
    """ "paracetamol người lớn", "vanco tiêm": a patient or a route without any other topic asks for the dose."""
    if patient.populations & {Population.MANG_THAI, Population.CHO_CON_BU}:
        return False
    ages = patient.populations & (AGE_GROUPS - {Population.MANG_THAI})
    return bool(ages) or patient.route is not None or patient.weight_kg is not None


def _of_one(spans: list[NameSpan]) -> tuple[DrugRef, ...]:
    """The drugs of names that are not shared."""
    return tuple(dict.fromkeys(drug for span in spans for drug in span.drugs if len(span.drugs) == 1))


def _is_diluted(drugs: tuple[DrugRef, ...], asked: _Asked) -> bool:
    """Whether it is asked what one drug is dissolved in: its monograph and the appendix tell."""
    return len(drugs) == 1 and [topic.key for topic in asked.topics] == ["diluent"] and not asked.sections


def _only_lists(rest: str, asked: _Asked) -> bool:
    """Whether sections of several drugs are asked for, and nothing is said to be taken: "CCĐ losartan vs enalapril"."""
    folded = fold(rest)
    if _BY_MEALS.search(folded) or (asked.sections == (SectionKey.LIEU_DUNG,) and _RIGHT_DOSE.search(folded)):
        return not asked.implied and not _TOGETHER.search(folded)
    listed = bool(asked.sections) and _OF_TOGETHER.isdisjoint(asked.sections)
    return listed and not asked.implied and not _TAKES.search(folded)


def _mixes(rest: str, drugs: tuple[DrugRef, ...], solutions: tuple[str, ...]) -> bool:
    """Whether it is asked what a drug may be mixed with: another drug, or a solution; "tương kỵ của A, B và C" asks for
    one section of each."""
    if len(drugs) > 1 and (_OF_EACH.search(fold(rest)) or (_RISKS.search(fold(rest)) and not is_mixing(rest))):
        return False
    return (len(drugs) > 1 and is_mixing(rest)) or (bool(drugs) and bool(solutions))


def _allergies(spans: list[NameSpan], text: str, *, only: bool = False) -> tuple[list[NameSpan], tuple[str, ...]]:
    """Beside another drug, one that the patient is allergic to is a fact of the patient and no drug asked about; only:
    also where no other is named."""
    allergic = [
        span
        for span in spans
        if _ALLERGIC.search(fold(text[: span.start]) + " ")
        or (_ONCE.search(fold(text[: span.start])) and _REACTED.match(fold(text[span.end :])))
    ]
    others = [span for span in spans if span not in allergic]
    return (others, tuple(span.text for span in allergic)) if others or only else (spans, ())


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


def _sections(rest: str) -> tuple[SectionKey, ...]:
    """The sections asked for, in order; one that a patient's fact names is a topic only where it stands alone."""
    keys = _as_monitoring([SectionKey(hit) for hit in cue_table("section").meanings(rest)], rest)
    topics = [key for key in keys if key not in _FACT_SECTIONS]
    if SectionKey.QUA_LIEU in topics or tells_overdose(rest):
        # Who took too much is never shown an ordinary dose.
        return (SectionKey.QUA_LIEU,)
    return tuple(dict.fromkeys(topics or keys[:1]))


def _as_monitoring(keys: list[SectionKey], rest: str) -> list[SectionKey]:
    """ "theo dõi INR bao lâu 1 lần" asks how often something is watched, and for no dose."""
    if not _MONITORS.search(fold(rest)) or SectionKey.LIEU_DUNG not in keys or _SAYS_DOSE.search(fold(rest)):
        return keys
    return [SectionKey.THAN_TRONG if key is SectionKey.LIEU_DUNG else key for key in keys]


def _unknown_names(rest: str, corpus: Corpus, *, anything: bool) -> tuple[tuple[str, ...], bool]:
    """Words that look like a drug's name and are in no index: no Vietnamese syllable, and not in the book; where the
    question names no drug at all, also one that the book only mentions, and what follows "thuốc" in capitals.

    The second value says that they stand in the book, as words at least.
    """
    tokens = tokenise(rest)
    known = {place for hit in cue_table("synonym").find(rest) for place in range(hit.first, hit.last)}
    foreign = [token for place, token in enumerate(tokens) if place not in known and _looks_like_name(token)]
    foreign = [token for token in foreign if token.folded not in no_drug_words()]
    unknown = [token.text for token in foreign if token.folded not in corpus.vocabulary]
    acids = _acids(rest, tokens) if anything else []
    if acids:
        unknown = [name for name in unknown if not any(name in acid for acid in acids)] + acids
    if unknown or not anything:
        return tuple(dict.fromkeys(unknown)), False
    guessed = [token.text for token in foreign]
    guessed += [
        after.text
        for before, after in pairwise(tokens)
        if before.folded == "thuoc" and after.text.isupper() and len(after.text) > 1 and not is_syllable(after.folded)
    ]
    return tuple(dict.fromkeys(guessed)), bool(guessed)


def _acids(rest: str, tokens: list[Token]) -> list[str]:
    """ "acid salicylic" names a substance, though each word stands somewhere in the book; what a body lacks or has too
    much of is a condition."""
    return [
        rest[before.start : after.end]
        for before, after in pairwise(tokens)
        if before.folded == "acid"
        and after.folded not in no_drug_words()
        and _looks_like_name(after)
        and not _OF_A_BODY.search(fold(rest[: before.start]))
    ]


def _looks_like_name(token: Token) -> bool:
    greeting = bool(cue_table("turn").meanings(token.text))
    long_enough = len(token.folded) >= _SHORTEST_NAME and token.folded.isalpha()
    return long_enough and not is_syllable(token.folded) and not greeting


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
