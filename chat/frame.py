"""Frames to and from JSON, as they are kept with a turn."""

from __future__ import annotations

from pydantic import TypeAdapter, ValidationError

from chat.domain import QueryFrame

_FRAME: TypeAdapter[QueryFrame] = TypeAdapter(QueryFrame)


def dump_frame(frame: QueryFrame | None) -> dict[str, object]:
    """The frame as JSON values; {} for none."""
    return _FRAME.dump_python(frame, mode="json") if frame is not None else {}


def load_frame(values: dict[str, object]) -> QueryFrame | None:
    """The inverse; None where there is none or where an older version wrote what is no longer understood."""
    if not values:
        return None
    try:
        return _FRAME.validate_python(values)
    except ValidationError:
        return None
