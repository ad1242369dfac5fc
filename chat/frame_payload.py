"""What a model is asked to say of a question: the JSON schema, and the payload read leniently where a value is unknown
and strictly where its shape is wrong."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from enum import StrEnum
from functools import cache
from typing import Annotated, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from chat.domain import ContextAction, Population, Relation, Route, TurnType
from monographs.domain import SectionKey
from monographs.text import normalise, slugify

MAX_WEIGHT_KG = 500
_LONGEST_TEXT, _LONGEST_LIST, _LONGEST_KEY = 400, 12, 80
Member = TypeVar("Member", bound=StrEnum)


def plain_text(value: object) -> str:
    """A text on one line without control characters or half characters, cut at 400; "" for what is no text."""
    if not isinstance(value, str):
        return ""
    kept = "".join(c for c in value[: 4 * _LONGEST_TEXT] if c.isprintable() or c.isspace())
    return normalise(kept)[:_LONGEST_TEXT].strip()


def _texts(value: object) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
        raise ValueError("no list of texts")
    return tuple(dict.fromkeys(filter(None, map(plain_text, value))))[:_LONGEST_LIST]


def _member_of(kind: type[Member]) -> Callable[[object], Member | None]:
    """Reads a value of an enum, with underscores or spaces; None for what it does not know."""
    members = {member.value: member for member in kind}
    return lambda value: members.get(slugify(value[:_LONGEST_KEY])) if isinstance(value, str) else None


def _members_of(kind: type[Member]) -> Callable[[object], tuple[Member, ...]]:
    """Reads a list of them, each once; what it does not know is left out."""
    read = _member_of(kind)

    def read_all(value: object) -> tuple[Member, ...]:
        if value is None:
            return ()
        if not isinstance(value, list | tuple):
            raise ValueError("no list")  # noqa: TRY004 -- of a validator, pydantic reports only a ValueError
        return tuple(dict.fromkeys(member for item in value if (member := read(item)) is not None))

    return read_all


def _kilograms(value: object) -> Decimal | None:
    """A weight in (0, 500] kg; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return Decimal(str(value)) if 0 < value <= MAX_WEIGHT_KG else None


def _third(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 3 else None


def _flag(value: object) -> bool:
    return value is True


def _or_empty(value: object) -> object:
    return {} if value is None else value


def _schema(**keywords: object) -> WithJsonSchema:
    return WithJsonSchema(dict(keywords))


_NULL = {"type": "null"}
Text = Annotated[str, BeforeValidator(plain_text)]
Texts = Annotated[tuple[str, ...], BeforeValidator(_texts)]
Flag = Annotated[bool, BeforeValidator(_flag)]
_Kind = Annotated[
    TurnType | None,
    BeforeValidator(_member_of(TurnType)),
    _schema(type="string", enum=[kind.value for kind in TurnType]),
]
_Section = Annotated[SectionKey | None, BeforeValidator(_member_of(SectionKey))]
_Sections = Annotated[tuple[SectionKey, ...], BeforeValidator(_members_of(SectionKey))]
_Populations = Annotated[tuple[Population, ...], BeforeValidator(_members_of(Population))]
_Route = Annotated[Route | None, BeforeValidator(_member_of(Route))]
_Relation = Annotated[Relation | None, BeforeValidator(_member_of(Relation))]
_Action = Annotated[
    ContextAction | None,
    BeforeValidator(_member_of(ContextAction)),
    _schema(type="string", enum=[action.value for action in ContextAction]),
]
_Weight = Annotated[Decimal | None, BeforeValidator(_kilograms), _schema(anyOf=[{"type": "number"}, _NULL])]
_Trimester = Annotated[
    int | None, BeforeValidator(_third), _schema(anyOf=[{"type": "integer", "enum": [1, 2, 3]}, _NULL])
]


class _Value(BaseModel):
    model_config = ConfigDict(
        frozen=True,
        extra="ignore",
        json_schema_serialization_defaults_required=True,
        json_schema_extra={"additionalProperties": False},
    )


class ConditionSaid(_Value):
    """A condition: as the question says it, as the book may call it, its kind, and whether that is unsure."""

    typed: Text = ""
    normalised: Text = ""
    subtype: Text = ""
    is_ambiguous: Flag = False


class PatientSaid(_Value):
    """What is told of the patient, in the question's own words."""

    comorbidities: Texts = ()
    allergies: Texts = ()
    adverse_reactions: Texts = ()
    current_medicines: Texts = ()
    renal: Text = ""
    hepatic: Text = ""
    pregnancy: Text = ""
    labs: Texts = ()


class FramePayload(_Value):
    """Everything a model may say of a question; texts that are not told are "". also: further sections that the same
    question asks for."""

    turn_type: _Kind = None
    drugs: Texts = ()
    unknown_drugs: Texts = ()
    attribute: _Section = None
    also: _Sections = ()
    populations: _Populations = ()
    trimester: _Trimester = None
    weight_kg: _Weight = None
    age_text: Text = ""
    indication: Text = ""
    condition: Annotated[ConditionSaid, BeforeValidator(_or_empty)] = Field(default_factory=ConditionSaid)
    condition_relation: _Relation = None
    patient_context: Annotated[PatientSaid, BeforeValidator(_or_empty)] = Field(default_factory=PatientSaid)
    context_action: _Action = None
    route: _Route = None
    section_overview: Flag = False
    standalone_query: Text = ""
    depends_on_previous_turn: Flag = False
    needs_clarify: Flag = False
    clarify_reason: Text = ""
    quick_replies: Texts = ()


@cache
def frame_schema() -> dict[str, object]:
    """The JSON schema of a payload: every key required, none beside them, no bound that a provider may not know.

    It is the same for every question, so that a provider compiles it once; and the drugs are no enum in it: a model
    that is held to the candidates would have to spell "aspirinol" as one of them.
    """
    return FramePayload.model_json_schema(mode="serialization")
