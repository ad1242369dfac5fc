"""What a conversation hands on to its next question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from chat.branch_replies import SHOW_ALL
from chat.branches import facets
from chat.contract import Answer
from chat.domain import ContextAction, Decision, Population, QueryFrame, Reason, Term, TurnType
from chat.list_prior import after_list
from chat.pair_prior import (
    completed_pair,
    exchanged_pair,
    extended_pair,
    goes_on_together,
    joined_pair,
    joined_partner,
    poured_before,
    set_beside,
    spans_of,
)
from chat.plausibility import most_of_child
from chat.selection import BEFORE
from chat.told import with_amounts
from chat.turn_type import Signs, turn_type
from monographs.domain import DrugRef, SectionKey
from monographs.text import fold, words

_MOTHERS = frozenset({Population.MANG_THAI, Population.CHO_CON_BU})
_AGES = frozenset({Population.TRE_SO_SINH, Population.TRE_EM, Population.NGUOI_LON, Population.NGUOI_CAO_TUOI})


def of_edition(prior: QueryFrame | None, drugs: Mapping[str, DrugRef]) -> QueryFrame | None:
    """The case before with its drugs as the edition that is served has them; None where it has not all of them, for
    their passages would be those of another edition.

    drugs: by drug_id.
    """
    if prior is None or any(drug.drug_id not in drugs for drug in (*prior.drugs, *prior.medicines)):
        return None
    options = tuple(drugs[drug.drug_id] for drug in prior.options if drug.drug_id in drugs)
    medicines = tuple(drugs[drug.drug_id] for drug in prior.medicines)
    named = tuple(drugs[drug.drug_id] for drug in prior.drugs)
    return replace(prior, drugs=named, medicines=medicines, options=options)


def merge_prior(frame: QueryFrame, prior: QueryFrame | None, *, after_clarify: bool) -> QueryFrame:
    """The frame with what the case already established.

    Only where the turn goes on with the case or answers a question back, and never across drugs: a different
    drug inherits nothing. That nobody understood a turn is said of that turn alone.
    """
    merged = _merged(frame, prior, after_clarify=after_clarify)
    return _offered(_adult_by_weight(replace(merged, system_error=frame.system_error)), prior)


def _adult_by_weight(frame: QueryFrame) -> QueryFrame:
    """ "Nam 110 kg": of a child that weighs as much it would be asked whether the weight is right. Only where neither
    this question nor one before it tells an age: "80 kg" said of a child is a slip of the comma."""
    untold = frame.age_months is None and not frame.populations & (_AGES | _MOTHERS)
    if not untold or frame.weight_kg is None or frame.weight_kg <= most_of_child():
        return frame
    return replace(frame, populations=frame.populations | {Population.NGUOI_LON})


def _merged(frame: QueryFrame, prior: QueryFrame | None, *, after_clarify: bool) -> QueryFrame:
    if prior is None or frame.context_action is ContextAction.NEW or frame.turn_type is TurnType.SMALLTALK:
        return frame
    settled = completed_pair(frame, prior, after_clarify=after_clarify)
    settled = settled or exchanged_pair(frame, prior) or extended_pair(frame, prior) or joined_pair(frame, prior)
    settled = settled or poured_before(frame, prior) or joined_partner(frame, prior)
    settled = settled or after_list(frame, prior, _merged_populations(frame, prior))
    if settled is not None:
        return settled
    if after_clarify:
        frame = _answering(frame, prior)
    goes_on = frame.context_action is ContextAction.CONTINUE or (
        frame.depends_on_previous_turn and frame.turn_type is not TurnType.OUT_OF_SCOPE
    )
    compared = set_beside(frame, prior)
    agrees = bool(compared) or not frame.drugs or not prior.drugs or set(frame.drugs) == set(prior.drugs)
    if frame.unknown_drugs or not agrees or not (goes_on or after_clarify or compared):
        return frame
    bare = frame.turn_type is TurnType.OUT_OF_SCOPE and not frame.drugs
    drugs = compared or frame.drugs or prior.drugs
    attribute = frame.attribute or (None if frame.topics else _asked_before(frame, prior))
    if compared and not frame.topics:
        attribute = attribute or section_before(prior)
    populations = _merged_populations(frame, prior)
    of_same_age = populations & _AGES == prior.populations & _AGES or not prior.populations & _AGES
    return replace(
        frame,
        turn_type=turn_type(
            drugs,
            attribute,
            populations,
            (_calculates(frame, prior) | _compares(prior)) if not compared else {"comparison"},
            Signs(
                has_topic=bool(frame.topics or prior.topics),
                together=goes_on_together(frame, prior),
                mixes=_mixes(frame, prior, drugs),
                unknown=bool(prior.unknown_drugs),
            ),
        )
        if drugs
        else frame.turn_type,
        drugs=drugs,
        unknown_drugs=prior.unknown_drugs if _compares(prior) else frame.unknown_drugs,
        solutions=frame.solutions or prior.solutions,
        partners=frame.partners or (prior.partners if goes_on_together(frame, prior) else ()),
        attribute=attribute,
        also=frame.also or (() if frame.attribute else prior.also),
        topics=frame.topics or (() if frame.attribute else prior.topics),
        populations=populations,
        route=frame.route or prior.route,
        # An adult asked about next does not weigh what the child did.
        weight_kg=frame.weight_kg or (prior.weight_kg if of_same_age else None),
        age_text=frame.age_text or (prior.age_text if of_same_age else None),
        age_months=frame.age_months or (prior.age_months if of_same_age else None),
        amounts=with_amounts(frame.amounts, prior.amounts if of_same_age else ()),
        clearance_ml_min=frame.clearance_ml_min or prior.clearance_ml_min,
        labs=frame.labs or prior.labs,
        prior_words=prior.question_words | prior.prior_words,
        terms=(*frame.terms, *_still_spoken_of(frame, prior)) if after_clarify or compared else frame.terms,
        dose_implied=frame.dose_implied and prior.attribute is None and not prior.topics,
        # The member of a group that was named goes on being meant.
        raw=frame.raw if frame.drugs and not compared else {**frame.raw, "spans": _names_meant(frame, prior)},
        bare_reply=bare,
    )


def _names_meant(frame: QueryFrame, prior: QueryFrame) -> list[object]:
    return [*spans_of(prior), *(spans_of(frame) if frame.drugs else ())]


def section_before(prior: QueryFrame) -> SectionKey | None:
    """The section that a question asked for, or that tells what it asked."""
    by_kind = {TurnType.INTERACTION: SectionKey.TUONG_TAC, TurnType.INCOMPATIBILITY: SectionKey.TUONG_KY}
    if prior.dose_implied and prior.asks_suitability:
        return SectionKey.CHONG_CHI_DINH
    return by_kind.get(prior.turn_type) or prior.attribute or (SectionKey.ADR if prior.asks_effect else None)


def _offered(merged: QueryFrame, prior: QueryFrame | None) -> QueryFrame:
    """A different drug inherits nothing; where nothing is asked of it, what was asked before is offered first."""
    bare = merged.turn_type is TurnType.DRUG_OVERVIEW and not merged.attribute and not merged.topics
    before = section_before(prior) if prior is not None else None
    return replace(merged, raw={**merged.raw, BEFORE: before.value}) if bare and before else merged


def _calculates(frame: QueryFrame, prior: QueryFrame) -> set[str]:
    """The cue of a calculation that goes on: asked for here, or before and no other section is asked for now."""
    goes_on = prior.turn_type is TurnType.DOSING_CALC and frame.attribute in {None, SectionKey.LIEU_DUNG}
    asked = frame.turn_type is TurnType.DOSING_CALC or (goes_on and not frame.topics)
    return {"dosing_calc"} if asked else set()


def _compares(prior: QueryFrame) -> set[str]:
    """The cue of a comparison that goes on with another section, or with a choice that it asked for."""
    return {"comparison"} if prior.turn_type is TurnType.COMPARISON else set()


def _mixes(frame: QueryFrame, prior: QueryFrame, drugs: tuple[DrugRef, ...]) -> bool:
    """Whether a reply goes on with a question about mixing: with which drug, or with what."""
    of_mixing = prior.turn_type is TurnType.INCOMPATIBILITY or bool(prior.solutions)
    return of_mixing and not frame.attribute and bool(drugs)


def _still_spoken_of(frame: QueryFrame, prior: QueryFrame) -> tuple[Term, ...]:
    """What the question before spoke of, where this answers a question back about its drug."""
    return tuple(term for term in prior.terms if prior.drugs and term not in frame.terms)


def chosen_label(question: str, prior: QueryFrame | None, offered: tuple[str, ...]) -> QueryFrame | None:
    """The frame of the turn before with a label chosen that it offered: the words of a label are the book's, and ask
    for nothing by themselves. None where the question is no such reply."""
    label = next((label for label in offered if fold(label) == fold(question)), None)
    if prior is None or label is None:
        return None
    populations, routes = facets(label)
    return replace(
        prior,
        populations=prior.populations | populations,
        route=next(iter(routes)) if len(routes) == 1 else prior.route,
        question_words=frozenset(words(label)),
        prior_words=prior.question_words | prior.prior_words,
        section_overview=prior.section_overview or label == SHOW_ALL,
        depends_on_previous_turn=True,
        dose_implied=False,
        attribute=prior.attribute or SectionKey.LIEU_DUNG,
        harm="",
    )


def offered_labels(answer: Answer) -> tuple[str, ...]:
    """The replies of an answer that are labels of the book: of a dose asked back, whole or beside an answer."""
    asked = answer.reason in {Reason.NEEDS_BRANCH, Reason.BANDS_DISAGREE} or answer.decision is Decision.ANSWERABLE
    return answer.quick_replies if asked else ()


def _asked_before(frame: QueryFrame, prior: QueryFrame) -> SectionKey | None:
    """The section of the turn before; after its unwanted effects, what to do is asked of their handling."""
    asks_handling = prior.attribute is SectionKey.ADR and bool(frame.harm)
    return SectionKey.XU_TRI_ADR if asks_handling else prior.attribute


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
    kept = prior.populations - _AGES if frame.populations & _AGES else prior.populations
    return frame.populations | kept
