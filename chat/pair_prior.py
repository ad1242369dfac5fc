"""A reply to which drug was meant among several that are taken together: it completes them, and asks nothing alone."""

from __future__ import annotations

import re
from dataclasses import replace

from chat.domain import QueryFrame, TurnType
from monographs.text import fold

_WITH = re.compile(r"\b(?:voi|cung|chung)\b")
_MORE = re.compile(r"\b(?:them|nua)\b")


def completed_pair(frame: QueryFrame, prior: QueryFrame, *, after_clarify: bool) -> QueryFrame | None:
    """The turn before with the drug that the reply names; None where it is no such reply."""
    if prior.turn_type is not TurnType.INTERACTION or len(frame.drugs) != 1 or not _is_bare(frame):
        return None
    told = frame.drugs[0]
    if not (told in prior.options or (after_clarify and len(prior.unknown_drugs) == 1)):
        return None
    spans = [*_spans(prior), *_spans(frame)]
    return replace(
        prior,
        drugs=tuple(dict.fromkeys((*prior.drugs, told))),
        options=() if told in prior.options else prior.options,
        unknown_drugs=prior.unknown_drugs if told in prior.options else (),
        needs_clarify=None,
        quick_replies=(),
        depends_on_previous_turn=True,
        raw={**prior.raw, "spans": spans, "shared": ""},
    )


def extended_pair(frame: QueryFrame, prior: QueryFrame) -> QueryFrame | None:
    """ "còn với ibuprofen?" behind "warfarin với paracetamol": the first drug with another; "thêm digoxin nữa": all of
    them with another; None for anything else."""
    if prior.turn_type is not TurnType.INTERACTION or len(prior.drugs) < 2 or len(frame.drugs) != 1:
        return None
    named, asked = frame.drugs[0], fold(frame.standalone_query or "")
    adds = _MORE.search(asked) is not None
    if not _is_bare(frame) or named in prior.drugs or not (adds or (_WITH.search(asked) and len(prior.drugs) == 2)):
        return None
    kept, spans = (prior.drugs, _spans(prior)) if adds else (prior.drugs[:1], _spans(prior)[:1])
    return replace(
        prior,
        drugs=(*kept, named),
        partners=(),
        populations=frame.populations | prior.populations,
        depends_on_previous_turn=True,
        standalone_query=frame.standalone_query,
        terms=frame.terms,
        raw={**prior.raw, "spans": [*spans, *_spans(frame)], "rest": frame.raw.get("rest", "")},
    )


def goes_on_together(frame: QueryFrame, prior: QueryFrame) -> bool:
    """Whether drugs taken together go on being asked about so: "thế suy thận?" behind "warfarin với aspirin"."""
    if frame.turn_type is TurnType.INTERACTION:
        return True
    return prior.turn_type is TurnType.INTERACTION and not (frame.drugs or frame.attribute or frame.topics)


def _is_bare(frame: QueryFrame) -> bool:
    return frame.attribute is None and not frame.topics and not frame.unknown_drugs


def _spans(frame: QueryFrame) -> list[object]:
    spans = frame.raw.get("spans")
    return spans if isinstance(spans, list) else []
