"""A model's frame laid over the rules' frame: what a model may add to what the wording says, field by field.

Numbers, denials, allergies and topics are read, never understood: those fields are the rules' alone, and where harm is
told no model is asked. A model adds what is asked (kind, section, continuity) where the wording leaves it open, and of
the patient only what words of the question bear out. docs/decisions/0013 gives the table with its reasons; ADDED is the
same table as code.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

from chat.domain import ContextAction, Population, QueryFrame, Relation, Route, TurnType
from chat.name_candidates import Candidates
from chat.rewrites import rewrite_frame
from chat.supports import (
    asks_for_all,
    asks_something,
    asks_which,
    places_of_cues,
    refers_back,
    supported_populations,
    supported_relations,
    supported_routes,
)
from chat.terms import terms_of
from monographs.domain import DrugRef, SectionKey
from monographs.names import Corpus, tokenise
from monographs.text import fold, folded_words

_AGES = frozenset({Population.TRE_SO_SINH, Population.TRE_EM, Population.NGUOI_LON, Population.NGUOI_CAO_TUOI})
_MOTHERS = frozenset({Population.MANG_THAI, Population.CHO_CON_BU})
_OPEN_KINDS = frozenset({TurnType.OUT_OF_SCOPE, TurnType.DRUG_OVERVIEW, TurnType.DRUG_ATTRIBUTE})
_LISTS = frozenset({TurnType.CONDITION_TO_DRUG, TurnType.SYMPTOM_TO_DRUG, TurnType.CONDITION_RELATION})
_HARMS = frozenset({Relation.ADVERSE_EFFECT, Relation.CONTRAINDICATION})
# What may only be asked for by the wording itself: a dose beside what forbids the drug, or beside too much of it.
_NEVER_BESIDE = frozenset({SectionKey.LIEU_DUNG, SectionKey.QUA_LIEU})
_MOST_SECTIONS = 3
_LEAST_WORDS = 2


@dataclass(frozen=True, slots=True)
class Overlay:
    """rules: what the wording says; said: what the model says; before: the case before; names: the candidates."""

    rules: QueryFrame
    said: QueryFrame
    before: QueryFrame | None
    names: Candidates
    corpus: Corpus

    @property
    def rest(self) -> str:
        """The question without its drug names."""
        return str(self.rules.raw.get("rest", ""))


def lay_over(overlay: Overlay) -> QueryFrame:
    """The rules' frame with what the model may add."""
    return replace(overlay.rules, **{name: add(overlay) for name, add in ADDED.items()})


def leaves_open(rules: QueryFrame) -> bool:
    """Whether the wording leaves open what is asked: at most one drug, no section but one that only the patient
    implies, and nothing told that decides by itself: an allergy, a topic, an effect, another drug taken."""
    told = rules.topics or rules.allergies or rules.medicines or rules.partners or rules.solutions
    decided = told or rules.asks_effect or rules.asks_suitability
    unsaid = rules.attribute is None or rules.dose_implied
    kind = rewrite_frame(rules).turn_type
    return unsaid and not decided and len(rules.drugs) <= 1 and kind in _OPEN_KINDS


# --- the drugs -------------------------------------------------------------------------------------------------


def _drugs(overlay: Overlay) -> tuple[DrugRef, ...]:
    """Those that the wording names; where it names none and points back, the one of an earlier line that the model
    chose."""
    return overlay.rules.drugs or _from_before(overlay)


def _from_before(overlay: Overlay) -> tuple[DrugRef, ...]:
    rules = overlay.rules
    named = not rules.depends_on_previous_turn or rules.allergies or rules.medicines or rules.options
    asks_list = rewrite_frame(rules).turn_type in _LISTS
    chosen = tuple(drug for drug in overlay.said.drugs if drug in overlay.names.before)
    if named or asks_list or len(chosen) != 1 or not refers_back(overlay.rest):
        return ()
    return chosen


def _unknown_drugs(overlay: Overlay) -> tuple[str, ...]:
    """Those of the wording, and names that the model read in it and that neither an index nor the book knows."""
    known = {fold(name) for name in overlay.rules.unknown_drugs}
    added = [name for name in overlay.said.unknown_drugs if fold(name) not in known and _is_new_name(name, overlay)]
    return (*overlay.rules.unknown_drugs, *added)


def _is_new_name(name: str, overlay: Overlay) -> bool:
    """Whether a name stands in the question, outside every cue, with a word that the book never prints."""
    words, tokens = folded_words(name), [token.folded for token in tokenise(overlay.rest)]
    places = [at for at in range(len(tokens) - len(words) + 1) if words and tokens[at : at + len(words)] == words]
    covered = places_of_cues(overlay.rest)
    foreign = any(word not in overlay.corpus.vocabulary and word.isalpha() for word in words)
    return foreign and any(covered.isdisjoint(range(at, at + len(words))) for at in places)


# --- what is asked ---------------------------------------------------------------------------------------------


def _sections(overlay: Overlay) -> tuple[SectionKey, ...]:
    """Those of the wording. Where it leaves open what is asked, the model's; where the model names a section that the
    wording names too, further ones of the model's behind it, but for a dose."""
    rules = overlay.rules
    own = (rules.attribute, *rules.also) if rules.attribute else ()
    said = _sections_said(overlay.said)
    agrees = not set(own).isdisjoint({overlay.said.attribute, *overlay.said.also})
    if leaves_open(rules):
        return said if said and _asks_section(overlay) else own
    further = [key for key in said if key not in own and key not in _NEVER_BESIDE]
    return (*own, *further) if agrees and _takes_further(rules) else own


def _sections_said(said: QueryFrame) -> tuple[SectionKey, ...]:
    """The model's sections. Who took too much is told of that alone, and no dose stands behind another section."""
    keys = [key for key in (said.attribute, *said.also) if key]
    if SectionKey.QUA_LIEU in keys:
        return (SectionKey.QUA_LIEU,)
    return tuple(dict.fromkeys([*keys[:1], *(key for key in keys[1:] if key not in _NEVER_BESIDE)]))[:_MOST_SECTIONS]


def _asks_section(overlay: Overlay) -> bool:
    """Whether more is said than names, a patient and a route; and without a drug, of the case before."""
    covered = places_of_cues(overlay.rest)
    words = [token for at, token in enumerate(tokenise(overlay.rest)) if at not in covered]
    says_more = len(words) >= _LEAST_WORDS and asks_something(overlay.rest)
    goes_on = overlay.said.depends_on_previous_turn or overlay.said.context_action is ContextAction.CONTINUE
    return says_more and bool(_drugs(overlay) or goes_on or overlay.before is None)


def _takes_further(rules: QueryFrame) -> bool:
    """Whether another section may stand beside those of the wording."""
    of_one = rules.turn_type is TurnType.DRUG_ATTRIBUTE and not rules.dose_implied
    return of_one and not rules.topics and rules.attribute is not SectionKey.QUA_LIEU


def _attribute(overlay: Overlay) -> SectionKey | None:
    return next(iter(_sections(overlay)), None)


def _also(overlay: Overlay) -> tuple[SectionKey, ...]:
    return _sections(overlay)[1:]


def _dose_implied(overlay: Overlay) -> bool:
    return overlay.rules.dose_implied and _attribute(overlay) is overlay.rules.attribute


def _turn_type(overlay: Overlay) -> TurnType:
    """That of the wording, unless it leaves open what is asked and the model's kind fits what is named."""
    rules, kind = overlay.rules, overlay.said.turn_type
    if not leaves_open(rules) or rules.options:
        return rules.turn_type
    fits = _FITS.get(kind)
    return kind if fits is not None and fits(overlay) else _kind_by_default(overlay)


def _kind_by_default(overlay: Overlay) -> TurnType:
    if _attribute(overlay) is not overlay.rules.attribute:
        return TurnType.DRUG_ATTRIBUTE
    named_now = bool(_drugs(overlay)) and not overlay.rules.drugs
    return TurnType.DRUG_OVERVIEW if named_now and not overlay.rules.populations else overlay.rules.turn_type


def _fits_section(overlay: Overlay) -> bool:
    return _attribute(overlay) is not None


def _fits_indications(overlay: Overlay) -> bool:
    return bool(_drugs(overlay)) and _attribute(overlay) is SectionKey.CHI_DINH


def _fits_calculation(overlay: Overlay) -> bool:
    rules = overlay.rules
    told = rules.weight_kg or rules.age_months or rules.amounts
    return bool(_drugs(overlay) and told) and _attribute(overlay) is SectionKey.LIEU_DUNG


def _fits_candidates(overlay: Overlay) -> bool:
    """A condition and no name; and nothing that asks for a harm, which is never looked up among the indications."""
    return _asks_which(overlay) and not supported_relations(overlay.rest)


def _fits_relation(overlay: Overlay) -> bool:
    relation = overlay.said.condition_relation
    return relation in _HARMS & supported_relations(overlay.rest) and _asks_which(overlay)


def _asks_which(overlay: Overlay) -> bool:
    """Whether it is asked which drug, of a condition, with none named; a reply, or a fact told of a case, asks that of
    nothing."""
    rules, said = overlay.rules, overlay.said
    named = _drugs(overlay) or (rules.unknown_drugs and not rules.guessed_names) or rules.options
    goes_on = ContextAction.CONTINUE in {rules.context_action, said.context_action} or said.depends_on_previous_turn
    of_case = overlay.before is not None and bool(overlay.before.drugs) and goes_on
    return asks_which(overlay.rest) and bool(terms_of(rules)) and not (named or of_case)


def _fits_smalltalk(overlay: Overlay) -> bool:
    """Nothing of a patient or of a name, and no case to which it could be a reply."""
    rules, before = overlay.rules, overlay.before
    plain = rules.turn_type is TurnType.OUT_OF_SCOPE and not (rules.populations or rules.route or rules.unknown_drugs)
    return plain and (before is None or before.turn_type is TurnType.SMALLTALK)


# Kinds that a model may choose, and when; of several drugs, and of what is out of scope, only the wording decides.
_FITS: dict[TurnType, Callable[[Overlay], bool]] = {
    TurnType.DRUG_ATTRIBUTE: _fits_section,
    TurnType.DRUG_TO_CONDITION: _fits_indications,
    TurnType.DOSING_CALC: _fits_calculation,
    TurnType.CONDITION_TO_DRUG: _fits_candidates,
    TurnType.SYMPTOM_TO_DRUG: _fits_candidates,
    TurnType.CONDITION_RELATION: _fits_relation,
    TurnType.SMALLTALK: _fits_smalltalk,
}


def _condition_relation(overlay: Overlay) -> Relation | None:
    kind = _turn_type(overlay)
    if kind is overlay.rules.turn_type or kind not in _LISTS:
        return overlay.rules.condition_relation
    return overlay.said.condition_relation if kind is TurnType.CONDITION_RELATION else Relation.INDICATION


def _section_overview(overlay: Overlay) -> bool:
    """Asked for by the wording; or by the model and a word that bears it out, where no patient is told for whom one
    branch would be owed."""
    rules = overlay.rules
    told = rules.populations or rules.weight_kg or rules.age_months or rules.clearance_ml_min or rules.labs
    return rules.section_overview or (overlay.said.section_overview and asks_for_all(overlay.rest) and not told)


# --- the patient -----------------------------------------------------------------------------------------------


def _populations(overlay: Overlay) -> frozenset[Population]:
    """Those of the wording, and those of the model's that its words bear out; never a second age group."""
    rules = overlay.rules
    added = (overlay.said.populations & supported_populations(overlay.rest)) - rules.populations
    ages = added & _AGES
    if len(ages) > 1 or rules.populations & (_AGES | _MOTHERS) or rules.age_months is not None:
        added -= ages
    return rules.populations | added


def _route(overlay: Overlay) -> Route | None:
    rules, said = overlay.rules, overlay.said.route
    return rules.route or (said if said in supported_routes(overlay.rest) else None)


# --- the case --------------------------------------------------------------------------------------------------


def _context_action(overlay: Overlay) -> ContextAction:
    """That of the wording; else the model's, but a new case never drops what is known while its drug is the same, or
    still asked for."""
    rules, said, before = overlay.rules, overlay.said.context_action, overlay.before
    if rules.context_action is not ContextAction.NONE:
        return rules.context_action
    if said is ContextAction.CONTINUE and rewrite_frame(rules).turn_type in _LISTS:
        return ContextAction.NONE
    same = before is not None and bool(rules.drugs) and set(before.drugs) <= set(rules.drugs)
    return ContextAction.NONE if said is ContextAction.NEW and same else said


def _depends(overlay: Overlay) -> bool:
    return overlay.rules.depends_on_previous_turn or overlay.said.depends_on_previous_turn


# The fields that a model may add to; every other one is the rules' alone.
ADDED: dict[str, Callable[[Overlay], Any]] = {
    "turn_type": _turn_type,
    "drugs": _drugs,
    "unknown_drugs": _unknown_drugs,
    "attribute": _attribute,
    "also": _also,
    "dose_implied": _dose_implied,
    "condition_relation": _condition_relation,
    "populations": _populations,
    "route": _route,
    "section_overview": _section_overview,
    "context_action": _context_action,
    "depends_on_previous_turn": _depends,
}
KEPT = frozenset(field.name for field in fields(QueryFrame)) - ADDED.keys()
