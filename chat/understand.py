"""The rules understander: from a question to its frame, by cue tables and the alias index, without a model."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal

from chat.cues import cue_table
from chat.domain import ContextAction, Population, QueryFrame, Reason, Route, TurnType
from monographs.domain import DrugRef, SectionKey
from monographs.names import Corpus, NameSpan, is_syllable, tokenise
from monographs.text import fold

_WEIGHT = re.compile(r"(?<![\d.,])(\d{1,3}(?:[.,]\d{1,2})?)\s*(?:kg|ký|kí|cân)\b(?!\s*/)", re.IGNORECASE)
_AGE = re.compile(
    r"(?<![\d.,])(\d{1,3})\s*(tuổi|tuoi|tháng tuổi|thang tuoi|tháng|thang|tuần tuổi|ngày tuổi|t|th)\b", re.IGNORECASE
)
_MAX_WEIGHT = Decimal(500)
_ADULT_AGE, _ELDERLY_AGE = 18, 65
# Sections that a fact about the patient asks for by itself, not only as a topic.
_FACT_SECTIONS = {SectionKey.MANG_THAI: Population.MANG_THAI, SectionKey.CHO_CON_BU: Population.CHO_CON_BU}


def understand(question: str, corpus: Corpus) -> QueryFrame:
    """The frame of one question standing alone. question: cleaned and masked text."""
    spans = corpus.names.resolve(question)
    rest = _without(question, spans)
    turns = set(cue_table("turn").meanings(rest))
    drugs = tuple(dict.fromkeys(drug for span in spans for drug in span.drugs if len(span.drugs) == 1))
    unknown = _unknown_names(rest, corpus)
    populations = _populations(rest)
    attribute = _attribute(rest)
    frame_type = _turn_type(drugs, attribute, populations, turns, names_something=bool(unknown or spans))
    context = set(cue_table("context").meanings(question))
    return QueryFrame(
        turn_type=frame_type,
        drugs=drugs,
        unknown_drugs=unknown,
        attribute=attribute,
        populations=populations,
        route=_route(rest),
        weight_kg=_weight(rest),
        age_text=_age_text(rest),
        section_overview="overview" in turns,
        context_action=_context_action(context),
        depends_on_previous_turn=not drugs and not unknown and not spans,
        needs_clarify=Reason.AMBIGUOUS_DRUG if any(len(span.drugs) > 1 for span in spans) else None,
        quick_replies=_shared_names(spans),
        raw={"understander": "rules", "spans": [span.text for span in spans]},
    )


def merge_prior(frame: QueryFrame, prior: QueryFrame | None, *, after_clarify: bool) -> QueryFrame:
    """The frame with what the case already established.

    Only where the turn goes on with the case or answers a question back, and never across drugs: a different
    drug inherits nothing.
    """
    if prior is None or frame.context_action is ContextAction.NEW:
        return frame
    goes_on = frame.context_action is ContextAction.CONTINUE or frame.depends_on_previous_turn
    agrees = not frame.drugs or not prior.drugs or set(frame.drugs) == set(prior.drugs)
    if not agrees or not (goes_on or after_clarify):
        return frame
    drugs = frame.drugs or prior.drugs
    attribute = frame.attribute or prior.attribute
    return replace(
        frame,
        turn_type=_turn_type(drugs, attribute, frame.populations, set()) if drugs else frame.turn_type,
        drugs=drugs,
        attribute=attribute,
        populations=frame.populations | prior.populations,
        route=frame.route or prior.route,
        weight_kg=frame.weight_kg or prior.weight_kg,
        age_text=frame.age_text or prior.age_text,
    )


def _without(question: str, spans: list[NameSpan]) -> str:
    """The question with the drug names blanked, so that no part of a name is read as a cue."""
    parts = list(question)
    for span in spans:
        parts[span.start : span.end] = "·" * (span.end - span.start)
    return "".join(parts)


def _attribute(rest: str) -> SectionKey | None:
    keys = [SectionKey(meaning) for meaning in cue_table("section").meanings(rest)]
    topics = [key for key in keys if key not in _FACT_SECTIONS]
    return topics[0] if topics else keys[0] if keys else None


def _populations(rest: str) -> frozenset[Population]:
    found = {Population(meaning) for meaning in cue_table("population").meanings(rest)}
    age = _age_years(rest)
    if age is not None:
        found.add(
            Population.TRE_EM
            if age < _ADULT_AGE
            else Population.NGUOI_CAO_TUOI
            if age >= _ELDERLY_AGE
            else Population.NGUOI_LON
        )
    if Population.TRE_SO_SINH in found:
        found.discard(Population.TRE_EM)
    return frozenset(found)


def _route(rest: str) -> Route | None:
    routes = cue_table("route").meanings(rest)
    # "uống mấy lần" asks how often as much as which way: another route named beside it decides.
    named = [route for route in routes if route != Route.UONG] or routes
    return Route(named[0]) if named else None


def _weight(rest: str) -> Decimal | None:
    match = _WEIGHT.search(rest)
    if match is None:
        return None
    weight = Decimal(match.group(1).replace(",", "."))
    return weight if 0 < weight <= _MAX_WEIGHT else None


def _age_text(rest: str) -> str | None:
    match = _AGE.search(rest)
    return match.group() if match else None


def _age_years(rest: str) -> float | None:
    match = _AGE.search(rest)
    if match is None:
        return None
    unit = fold(match.group(2))
    return int(match.group(1)) / (1 if unit in {"tuoi", "t"} else 12 if unit.startswith("th") else 52)


def _unknown_names(rest: str, corpus: Corpus) -> tuple[str, ...]:
    """Words that look like a drug's name and are in no index: no Vietnamese syllable, and not in the book."""
    unknown = [
        token.text
        for token in tokenise(rest)
        if len(token.folded) >= 5
        and token.folded.isalpha()
        and not is_syllable(token.folded)
        and token.folded not in corpus.vocabulary
    ]
    return tuple(dict.fromkeys(unknown))


def _shared_names(spans: list[NameSpan]) -> tuple[str, ...]:
    shared = next((span for span in spans if len(span.drugs) > 1), None)
    return tuple(drug.name for drug in shared.drugs)[:4] if shared else ()


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
) -> TurnType:
    if len(drugs) > 1:
        return TurnType.COMPARISON if "comparison" in turns else TurnType.INTERACTION
    if drugs:
        return TurnType.DRUG_ATTRIBUTE if attribute or populations else TurnType.DRUG_OVERVIEW
    if "smalltalk" in turns and attribute is None and not names_something:
        return TurnType.SMALLTALK
    return TurnType.DRUG_ATTRIBUTE if attribute or names_something or populations else TurnType.OUT_OF_SCOPE
