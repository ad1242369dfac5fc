"""The JSON schema of the stored answer, as it is published for whoever reads contracts: docs/contract.schema.json."""

from __future__ import annotations

import json
from typing import Any

from chat.contract import SCHEMA_VERSION, Answer

DIALECT = "https://json-schema.org/draft/2020-12/schema"
TITLE = f"Dược thư: the stored answer, schema_version {SCHEMA_VERSION}"


def contract_schema() -> dict[str, Any]:
    """The schema of an answer as it is written: every field present.

    It is open: a field that a later version adds keeps schema_version, and breaks nobody who validates.
    """
    schema = _opened(Answer.model_json_schema(mode="serialization"))
    return {"$schema": DIALECT, **schema, "title": TITLE}


def as_text() -> str:
    """The published file."""
    return json.dumps(contract_schema(), ensure_ascii=False, indent=2) + "\n"


def _opened(value: Any) -> Any:
    """The schema without what forbids further fields."""
    if isinstance(value, dict):
        return {key: _opened(inner) for key, inner in value.items() if (key, inner) != ("additionalProperties", False)}
    return [_opened(inner) for inner in value] if isinstance(value, list) else value
