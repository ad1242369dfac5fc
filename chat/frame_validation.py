"""What holds of every frame, whoever understood the question; and from a model's payload to such a frame."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from pydantic import ValidationError

from chat.domain import ContextAction, Population, QueryFrame, TurnType
from chat.frame_payload import MAX_WEIGHT_KG, FramePayload, plain_text
from monographs.domain import DrugRef
from monographs.text import slugify

MAX_REPLIES, LONGEST_REPLY = 4, 40
_ASKED_FOR = frozenset({"turn_type", "drugs"})
_DEEPEST, _LONGEST, _LARGEST = 6, 50, 10**15


class MalformedFrame(ValueError):
    """A payload that is not of the shape that was asked for; its message is for the log, never for the reader."""


def valid_frame(frame: QueryFrame) -> QueryFrame:
    """The frame within the bounds that hold for both understanders: a weight in (0, 500] kg or none, at most four
    distinct replies of at most forty characters, each drug and each name once."""
    weight = frame.weight_kg
    return replace(
        frame,
        weight_kg=weight if weight is not None and 0 < weight <= MAX_WEIGHT_KG else None,
        quick_replies=_replies(frame.quick_replies),
        drugs=tuple(dict.fromkeys(frame.drugs)),
        unknown_drugs=tuple(dict.fromkeys(frame.unknown_drugs)),
    )


def read_payload(payload: Mapping[str, object], shown: Mapping[str, DrugRef]) -> QueryFrame:
    """The frame that a model's payload says. shown: the candidates by drug_id; an id beside them is an unknown drug.

    An unknown value of an enum is none; an unknown kind of question is one about a drug where one was resolved, else
    out of scope. Raises MalformedFrame where a list or an object has another shape, or where neither the kind of
    question nor the drugs are given.
    """
    if not _ASKED_FOR & payload.keys():
        raise MalformedFrame("neither turn_type nor drugs")
    try:
        said = FramePayload.model_validate(dict(payload))
    except ValidationError as error:
        raise MalformedFrame("; ".join(".".join(map(str, e["loc"])) for e in error.errors())) from error
    return valid_frame(_frame_of(said, shown))


def _frame_of(said: FramePayload, shown: Mapping[str, DrugRef]) -> QueryFrame:
    found = {typed: shown.get(slugify(typed)) for typed in said.drugs}
    drugs = tuple(drug for drug in found.values() if drug is not None)
    outside = tuple(typed.replace("_", " ") for typed, drug in found.items() if drug is None)
    taken = (shown.get(slugify(name)) for name in said.patient_context.current_medicines)
    pregnant = {Population.MANG_THAI} if said.trimester else set()
    return QueryFrame(
        turn_type=said.turn_type or (TurnType.DRUG_ATTRIBUTE if drugs else TurnType.OUT_OF_SCOPE),
        drugs=drugs,
        unknown_drugs=(*said.unknown_drugs, *outside),
        attribute=said.attribute,
        also=tuple(key for key in said.also if key is not said.attribute),
        populations=frozenset(said.populations) | pregnant,
        route=said.route,
        weight_kg=said.weight_kg,
        age_text=said.age_text or None,
        condition_relation=said.condition_relation,
        allergies=said.patient_context.allergies,
        medicines=tuple(drug for drug in taken if drug is not None),
        context_action=said.context_action or ContextAction.NONE,
        section_overview=said.section_overview,
        standalone_query=said.standalone_query or None,
        depends_on_previous_turn=said.depends_on_previous_turn,
        quick_replies=said.quick_replies,
    )


def storable(value: object, depth: int = 0) -> object:
    """A payload as it is kept for the audit: what JSON and the database can hold, and not without end."""
    if depth > _DEEPEST:
        return "…"
    if isinstance(value, Mapping):
        items = list(value.items())[:_LONGEST]
        return {plain_text(str(key)): storable(item, depth + 1) for key, item in items}
    if isinstance(value, list | tuple):
        return [storable(item, depth + 1) for item in value[:_LONGEST]]
    if isinstance(value, str):
        return plain_text(value)
    return value if _is_plain(value) else "…"


def _is_plain(value: object) -> bool:
    if value is None or isinstance(value, bool):
        return True
    # False for what is no number, and for infinity.
    return isinstance(value, int | float) and abs(value) < _LARGEST


def _replies(replies: Iterable[str]) -> tuple[str, ...]:
    kept = (reply for reply in dict.fromkeys(replies) if reply and len(reply) <= LONGEST_REPLY)
    return tuple(kept)[:MAX_REPLIES]
