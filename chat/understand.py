"""The rules understander: from a question to its frame, by cue tables and the alias index, without a model."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise

from chat.bands import LABS, age_in_months
from chat.branches import AGE_GROUPS
from chat.cues import cue_table, filler_words, no_drug_words
from chat.domain import ContextAction, Population, QueryFrame, Reason, Route, TurnType
from chat.expand import Expanded, expand_question
from chat.harm import Harm, told_harm
from chat.numbers import Bound, bound_before
from chat.overdose import tells_overdose
from chat.terms import question_terms
from chat.topics import find_topic
from monographs.domain import DrugRef, SectionKey
from monographs.names import Corpus, NameSpan, Token, is_syllable, tokenise
from monographs.text import fold, normalise

_WEIGHT = re.compile(r"(?<![\d.,])(\d{1,3}(?:[.,]\d{1,2})?)\s*(?:kg|ký|kí|ki|ky|cân)\b(?!\s*/)", re.IGNORECASE)
_AGE = re.compile(
    r"(?<![\d.,])(\d{1,3})\s*(tuổi|tuoi|tháng tuổi|thang tuoi|tuần tuổi|tuan tuoi|ngày tuổi|ngay tuoi|tháng|thang)\b",
    re.IGNORECASE,
)
_CLEARANCE = re.compile(r"(?:thanh thai(?: creatinin)?|muc loc cau than|e?gfr|clcr|crcl)\D{0,12}(\d{1,3}(?:[.,]\d)?)")
_PREGNANT_MONTHS = re.compile(
    r"(?:thai|bau|co bau|mang thai)\D{0,8}\d{1,2}\s*(?:thang|tuan)|(?:thang|tuan) thu \d{1,2}"
)
_DURATION = re.compile(r"(?:trong|moi|sau|cach|them|suot|keo dai)\s+(?:khoang\s+)?(?:\d+\s*-\s*)?$")
_MORE_MONTHS = re.compile(r"\s*(?:và|va)?\s*(\d{1,2})\s*(?:tháng|thang)\b", re.IGNORECASE)
_ALLERGIC = re.compile(r"di ung\s+(?:(?:voi|thuoc|nhom|nang)\s+)*$")
_IS_ALLERGIC = re.compile(r"\b(?:di ung|qua man)\b")
_RANGE_BEFORE, _RANGE_AFTER = re.compile(r"\d\s*(?:-|–|den|toi)\s*$"), re.compile(r"\s*(?:-|–|den|toi)\s*\d")
_MAX_WEIGHT = Decimal(500)
_ADULT_MONTHS, _ELDERLY_MONTHS, _NEWBORN_MONTHS = Decimal(18 * 12), Decimal(65 * 12), Decimal("0.93")
# Sections that a fact about the patient asks for by itself, not only as a topic.
_FACT_SECTIONS = {SectionKey.MANG_THAI: Population.MANG_THAI, SectionKey.CHO_CON_BU: Population.CHO_CON_BU}
_MAX_REPLIES = 4
_SHORTEST_NAME = 5


def understand(question: str, corpus: Corpus) -> QueryFrame:
    """The frame of one question standing alone. question: cleaned and masked text."""
    expanded = expand_question(question, corpus.names, corpus.vocabulary)
    text = expanded.text
    spans = corpus.names.resolve(text)
    rest = _without(text, spans)
    turns = set(cue_table("turn").meanings(rest)) - ({"smalltalk"} if _says_more(rest) else set())
    spans = [_told_apart(span, text) for span in spans]
    spans, allergies = _allergies(spans, text)
    drugs = tuple(dict.fromkeys(drug for span in spans for drug in span.drugs if len(span.drugs) == 1))
    unknown, guessed = _unknown_names(rest, corpus, anything=not spans)
    age = _age(rest)
    populations = _populations(rest, age[1] if age else None)
    attributes = _attributes(rest)
    topic = find_topic(rest)
    harm = told_harm(rest)
    if topic is not None and harm is Harm.AFTER and topic.key == "rate":
        topic = None
    weight, clearance, route = _weight(rest), _clearance(rest), _route(rest)
    if SectionKey.ADR in attributes and "handling" in turns:
        attributes = tuple(SectionKey.XU_TRI_ADR if key is SectionKey.ADR else key for key in attributes)
    if (allergies or _IS_ALLERGIC.search(fold(rest))) and not attributes and topic is None:
        attributes = (SectionKey.CHONG_CHI_DINH,)
    says_clearance = _CLEARANCE.search(fold(rest)) is not None
    asks_dose = says_clearance or ("how_much" in turns and bool(spans)) or _implies_dose(populations, route, weight)
    implied = not attributes and topic is None and asks_dose
    if implied:
        attributes = (SectionKey.LIEU_DUNG,)
    attribute = attributes[0] if attributes else None
    unclear = _unclear(expanded, spans)
    return QueryFrame(
        turn_type=_turn_type(
            drugs, attribute, populations, turns, names_something=bool(unknown or spans), has_topic=topic is not None
        ),
        drugs=drugs,
        unknown_drugs=unknown,
        attribute=attribute,
        also=attributes[1:],
        topic=topic.key if topic else None,
        populations=populations,
        route=route,
        weight_kg=weight,
        age_text=age[0] if age else None,
        age_months=age[1] if age else None,
        clearance_ml_min=clearance,
        labs=_labs(rest),
        terms=question_terms(rest, corpus.vocabulary),
        dose_implied=implied,
        harm=harm,
        allergies=allergies,
        section_overview="overview" in turns,
        context_action=_context_action(set(cue_table("context").meanings(question))),
        depends_on_previous_turn=not drugs and not unknown and not spans,
        options=next((span.drugs for span in spans if len(span.drugs) > 1), ()),
        guessed_names=guessed,
        needs_clarify=unclear[0] if unclear else None,
        quick_replies=unclear[2] if unclear else (),
        standalone_query=text,
        question_words=frozenset(token.folded for token in tokenise(text)) | _synonym_words(" ".join([rest, *(span.text for span in spans)])),
        raw={
            "understander": "rules",
            "spans": [span.text for span in spans],
            "rest": rest,
            "unclear": unclear[1] if unclear else "",
        },
    )


def merge_prior(frame: QueryFrame, prior: QueryFrame | None, *, after_clarify: bool) -> QueryFrame:
    """The frame with what the case already established.

    Only where the turn goes on with the case or answers a question back, and never across drugs: a different
    drug inherits nothing.
    """
    if prior is None or frame.context_action is ContextAction.NEW or frame.turn_type is TurnType.SMALLTALK:
        return frame
    if after_clarify:
        frame = _answering(frame, prior)
    goes_on = frame.context_action is ContextAction.CONTINUE or (
        frame.depends_on_previous_turn and frame.turn_type is not TurnType.OUT_OF_SCOPE
    )
    agrees = not frame.drugs or not prior.drugs or set(frame.drugs) == set(prior.drugs)
    if frame.unknown_drugs or not agrees or not (goes_on or after_clarify):
        return frame
    bare = frame.turn_type is TurnType.OUT_OF_SCOPE and not frame.drugs
    drugs = frame.drugs or prior.drugs
    attribute = frame.attribute or (None if frame.topic else prior.attribute)
    populations = _merged_populations(frame, prior)
    return replace(
        frame,
        turn_type=_turn_type(drugs, attribute, populations, set(), has_topic=bool(frame.topic or prior.topic))
        if drugs
        else frame.turn_type,
        drugs=drugs,
        attribute=attribute,
        also=frame.also or (() if frame.attribute else prior.also),
        topic=frame.topic or (None if frame.attribute else prior.topic),
        populations=populations,
        route=frame.route or prior.route,
        weight_kg=frame.weight_kg or prior.weight_kg,
        age_text=frame.age_text or prior.age_text,
        age_months=frame.age_months or prior.age_months,
        clearance_ml_min=frame.clearance_ml_min or prior.clearance_ml_min,
        labs=frame.labs or prior.labs,
        prior_words=prior.question_words | prior.prior_words,
        bare_reply=bare,
    )


def _answering(frame: QueryFrame, prior: QueryFrame) -> QueryFrame:
    """A reply to a question back: to which namesake was meant, or with a label whose words look like a name."""
    typed = fold(str(frame.raw.get("rest", "")))
    meant = [drug for drug in prior.options if typed and typed in fold(drug.name)]
    if not frame.drugs and len(meant) == 1:
        return replace(frame, drugs=tuple(meant), unknown_drugs=(), needs_clarify=None)
    if frame.guessed_names and prior.drugs:
        return replace(frame, unknown_drugs=(), guessed_names=False, depends_on_previous_turn=True)
    return frame


def _merged_populations(frame: QueryFrame, prior: QueryFrame) -> frozenset[Population]:
    """Added to, not replaced; but another age group takes the place of the one before it."""
    ages = {Population.TRE_SO_SINH, Population.TRE_EM, Population.NGUOI_LON, Population.NGUOI_CAO_TUOI}
    kept = prior.populations - ages if frame.populations & ages else prior.populations
    return frame.populations | kept


def _told_apart(span: NameSpan, text: str) -> NameSpan:
    """Of namesakes the one whose distinction ("Dùng trong sản khoa") the question says."""
    if len(span.drugs) < 2:
        return span
    folded = f" {fold(text)} "
    said = [
        drug
        for drug in span.drugs
        if "(" in drug.name and f" {fold(drug.name.split('(')[1].rstrip(')')).removeprefix('dung trong ')} " in folded
    ]
    return replace(span, drugs=tuple(said)) if len(said) == 1 else span


def _synonym_words(rest: str) -> frozenset[str]:
    """The words by which the book calls what the question calls otherwise."""
    return frozenset(word for meaning in cue_table("synonym").meanings(rest) for word in fold(meaning).split(" "))


def _implies_dose(populations: frozenset[Population], route: Route | None, weight: Decimal | None) -> bool:
    """ "paracetamol người lớn", "vanco tiêm": a patient or a route without any other topic asks for the dose."""
    if populations & {Population.MANG_THAI, Population.CHO_CON_BU}:
        return False
    ages = populations & (AGE_GROUPS - {Population.MANG_THAI})
    return bool(ages) or route is not None or weight is not None


def _allergies(spans: list[NameSpan], text: str) -> tuple[list[NameSpan], tuple[str, ...]]:
    """Beside another drug, one that the patient is allergic to is a fact of the patient and no drug asked about."""
    allergic = [span for span in spans if _ALLERGIC.search(fold(text[: span.start]) + " ")]
    others = [span for span in spans if span not in allergic]
    return (others, tuple(span.text for span in allergic)) if others else (spans, ())


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


def _attributes(rest: str) -> tuple[SectionKey, ...]:
    """The sections asked for, in order; one that a patient's fact names is a topic only where it stands alone."""
    keys = [SectionKey(meaning) for meaning in cue_table("section").meanings(rest)]
    topics = [key for key in keys if key not in _FACT_SECTIONS]
    if SectionKey.QUA_LIEU in topics or tells_overdose(rest):
        # Who took too much is never shown an ordinary dose.
        return (SectionKey.QUA_LIEU,)
    return tuple(dict.fromkeys(topics or keys[:1]))


def _populations(rest: str, age_months: Decimal | None) -> frozenset[Population]:
    found = {Population(meaning) for meaning in cue_table("population").meanings(rest)}
    if age_months is not None and Population.MANG_THAI not in found:
        found.add(_age_group(age_months))
    if Population.TRE_SO_SINH in found:
        found.discard(Population.TRE_EM)
    return frozenset(found)


def _age_group(months: Decimal) -> Population:
    if months < _NEWBORN_MONTHS:
        return Population.TRE_SO_SINH
    if months < _ADULT_MONTHS:
        return Population.TRE_EM
    return Population.NGUOI_CAO_TUOI if months >= _ELDERLY_MONTHS else Population.NGUOI_LON


def _route(rest: str) -> Route | None:
    tokens = tokenise(normalise(rest))
    hits = cue_table("route").find(rest)
    given = [hit for hit in hits if hit.first and tokens[hit.first - 1].folded == "da"]
    # What was given before ("đã tiêm bắp 2 mũi") is not the route asked about, where another one is named.
    routes = list(dict.fromkeys(hit.meaning for hit in hits if hit not in given)) or [hit.meaning for hit in given]
    # "uống mấy lần" asks how often as much as which way: another route named beside it decides.
    named = [route for route in routes if route != Route.UONG] or routes
    return Route(named[0]) if named else None


def _weight(rest: str) -> Decimal | None:
    """A patient's weight; "trên 50 kg" and "12 - 15 kg" are bands, not weights."""
    for match in _WEIGHT.finditer(rest):
        weight = Decimal(match.group(1).replace(",", "."))
        if 0 < weight <= _MAX_WEIGHT and _is_value(rest[: match.start()]):
            return weight
    return None


def _is_value(before: str, after: str = "") -> bool:
    """Whether a number is a value of the patient: neither bounded nor an end of a range."""
    ranged = _RANGE_BEFORE.search(fold(before[-12:])) or _RANGE_AFTER.match(fold(after[:12]))
    return not ranged and bound_before(before) is Bound.NONE


def _age(rest: str) -> tuple[str, Decimal] | None:
    """(as typed, months). Months or weeks of a pregnancy or of a treatment are no age."""
    match = next((m for m in _AGE.finditer(rest) if _is_age(m, rest[: m.start()])), None)
    if match is None or (_PREGNANT_MONTHS.search(fold(rest)) and "tu" not in fold(match.group(2)).split()[-1]):
        return None
    age = age_in_months(match.group(1), fold(match.group(2)))
    more = _MORE_MONTHS.match(rest, match.end()) if fold(match.group(2)) == "tuoi" else None
    if more is None:
        return match.group(), age
    return rest[match.start() : more.end()], age + age_in_months(more.group(1), "thang")


def _is_age(match: re.Match[str], before: str) -> bool:
    lasts = not fold(match.group(2)).endswith("tuoi") and _DURATION.search(fold(before) + " ")
    return not lasts and _is_value(before)


def _clearance(rest: str) -> Decimal | None:
    folded = fold(rest)
    match = _CLEARANCE.search(folded)
    if match is None or not _is_value(folded[: match.start(1)], folded[match.end(1) :]):
        return None
    return Decimal(match.group(1).replace(",", "."))


def _labs(rest: str) -> tuple[tuple[str, Decimal], ...]:
    """Values of the patient's: "INR 9,5", "kali máu 5,8"."""
    return tuple(
        (kind.value, Decimal(match.group(1).replace(",", ".")))
        for kind, name in LABS.items()
        if (match := re.search(rf"\b{name}\s+(?:(?:len|la|bang|con|hien)\s+)*(\d{{1,2}}(?:[.,]\d+)?)(?![\d.,])", fold(rest)))
        and _is_value(fold(rest)[: match.start(1)], fold(rest)[match.end(1) :])
    )


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
    if unknown or not anything:
        return tuple(dict.fromkeys(unknown)), False
    guessed = [token.text for token in foreign]
    guessed += [
        after.text
        for before, after in pairwise(tokens)
        if before.folded == "thuoc" and after.text.isupper() and len(after.text) > 1 and not is_syllable(after.folded)
    ]
    return tuple(dict.fromkeys(guessed)), bool(guessed)


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


def _turn_type(
    drugs: tuple[DrugRef, ...],
    attribute: SectionKey | None,
    populations: frozenset[Population],
    turns: set[str],
    *,
    names_something: bool = False,
    has_topic: bool = False,
) -> TurnType:
    asks = attribute is not None or bool(populations) or has_topic
    if len(drugs) > 1:
        return TurnType.COMPARISON if "comparison" in turns else TurnType.INTERACTION
    if drugs:
        return TurnType.DRUG_ATTRIBUTE if asks else TurnType.DRUG_OVERVIEW
    if "smalltalk" in turns and attribute is None and not names_something:
        return TurnType.SMALLTALK
    if "condition_to_drug" in turns and not names_something:
        return TurnType.CONDITION_TO_DRUG
    return TurnType.DRUG_ATTRIBUTE if asks else TurnType.OUT_OF_SCOPE
