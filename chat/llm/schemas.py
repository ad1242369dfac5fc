"""JSON schemas as Bedrock takes them, and the JSON that comes back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from chat.llm.domain import Fault, ModelError

# Structured output takes a subset of JSON Schema and refuses the rest (Amazon Bedrock User Guide, "Get validated JSON
# results from models"); what is left out here is checked by whoever asked, as everything else is.
_LEFT_OUT = frozenset(
    {
        "default", "exclusiveMaximum", "exclusiveMinimum", "maxItems", "maxLength", "maxProperties", "maximum",
        "minItems", "minLength", "minProperties", "minimum", "multipleOf", "pattern", "title", "uniqueItems",
    }
)  # fmt: skip
_NAMED = ("properties", "$defs", "definitions")


def accepted_schema(schema: Mapping[str, object]) -> dict[str, object]:
    """The schema without what Bedrock refuses, and with every object closed, which it insists on."""
    kept = {key: _accepted(key, value) for key, value in schema.items() if key not in _LEFT_OUT}
    return kept | {"additionalProperties": False} if kept.get("type") == "object" else kept


def _accepted(key: str, value: object) -> object:
    """What stands under a keyword; under some it is schemas by names of our own, which are no keywords."""
    if key in _NAMED and isinstance(value, Mapping):
        return {name: _accepted("", each) for name, each in value.items()}
    if isinstance(value, Mapping):
        return accepted_schema(value)
    if isinstance(value, list | tuple) and key not in {"enum", "required"}:
        return [_accepted("", each) for each in value]
    return value


def read_object(text: str) -> dict[str, object]:
    """The one JSON object that the text is. Raises ModelError(MALFORMED): nothing is repaired."""
    try:
        value = json.loads(text, parse_constant=_refuse, object_pairs_hook=_without_doubles)
    except (ValueError, RecursionError) as error:
        raise ModelError(Fault.MALFORMED, f"no JSON: {type(error).__name__}") from error
    if not isinstance(value, dict):
        raise ModelError(Fault.MALFORMED, f"JSON, but no object: {type(value).__name__}")
    return value


def _refuse(constant: str) -> object:
    raise ValueError(constant)


def _without_doubles(pairs: Iterable[tuple[str, object]]) -> dict[str, object]:
    """Of two values under one name nobody can say which is meant."""
    found = list(pairs)
    if len(dict(found)) != len(found):
        raise ValueError("a name twice")
    return dict(found)
