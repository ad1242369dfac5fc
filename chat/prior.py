"""What a conversation hands on to its next question."""

from __future__ import annotations

from dataclasses import replace

from chat.domain import ContextAction, Population, QueryFrame, TurnType
from chat.turn_type import turn_type
from monographs.domain import SectionKey
from monographs.text import fold

_AGES = frozenset({Population.TRE_SO_SINH, Population.TRE_EM, Population.NGUOI_LON, Population.NGUOI_CAO_TUOI})


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
    attribute = frame.attribute or (None if frame.topics else _asked_before(frame, prior))
    populations = _merged_populations(frame, prior)
    of_same_age = populations & _AGES == prior.populations & _AGES or not prior.populations & _AGES
    return replace(
        frame,
        turn_type=turn_type(drugs, attribute, populations, set(), has_topic=bool(frame.topics or prior.topics))
        if drugs
        else frame.turn_type,
        drugs=drugs,
        attribute=attribute,
        also=frame.also or (() if frame.attribute else prior.also),
        topics=frame.topics or (() if frame.attribute else prior.topics),
        populations=populations,
        route=frame.route or prior.route,
        # An adult asked about next does not weigh what the child did.
        weight_kg=frame.weight_kg or (prior.weight_kg if of_same_age else None),
        age_text=frame.age_text or (prior.age_text if of_same_age else None),
        age_months=frame.age_months or (prior.age_months if of_same_age else None),
        clearance_ml_min=frame.clearance_ml_min or prior.clearance_ml_min,
        labs=frame.labs or prior.labs,
        prior_words=prior.question_words | prior.prior_words,
        # The member of a group that was named goes on being meant.
        raw=frame.raw if frame.drugs else {**frame.raw, "spans": prior.raw.get("spans", [])},
        bare_reply=bare,
    )


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
