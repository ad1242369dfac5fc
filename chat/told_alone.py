"""A condition told without any question, as at the counter: "cơn hen cấp, bn đang uống propranolol"."""

from __future__ import annotations

import re
from collections.abc import Callable

from chat.cues import cue_table
from chat.domain import QueryFrame, TurnType
from chat.harm import Harm
from chat.patient_facts import WHOLE_SECTION
from chat.retrieve_lists import indications_name
from monographs.names import Corpus
from monographs.text import fold

_OF_ONE_DRUG = frozenset({TurnType.OUT_OF_SCOPE, TurnType.DRUG_ATTRIBUTE, TurnType.DRUG_OVERVIEW})
_ASKS = re.compile(r"[?]|\b(?:sao|the nao|gi|nao|khong|ko|k|ngung|ngua|bao lau|bao nhieu|duoc|dc)\b")
_ASKS_WHICH = re.compile(r"\b(?:bang|uong|chon|xai|tiem) (?:gi|nao|j)\b")
_FOLLOWED = re.compile(
    r"\b(?:sau(?: khi)?|do|vi|tu khi|vua) (?:uong|dung|tiem|truyen|xit|hit|boi)\b|\bxong\b|\bqua lieu\b"
)
_OF_MOTHER = frozenset(section.value for section in WHOLE_SECTION)


def ask_for_drugs(frame: QueryFrame, seek: Callable[[], QueryFrame], corpus: Corpus) -> QueryFrame:
    """The frame; or, where it asks nothing of any drug and some indication names what is told, that of a question for
    the drugs.

    seek: reads the question once more as asking for drugs. At most two queries.
    """
    if not _asks_nothing(frame):
        return frame
    sought = seek()
    asks = sought.turn_type is TurnType.CONDITION_TO_DRUG and sought.needs_clarify is None
    return sought if asks and indications_name(sought, corpus) else frame


def _asks_nothing(frame: QueryFrame) -> bool:
    """Whether a question names no drug but what the patient takes, no section, no topic and no harm done."""
    taken = set(frame.raw.get("taken", ()))
    if frame.turn_type not in _OF_ONE_DRUG or frame.needs_clarify is not None or frame.options:
        return False
    unknown = () if frame.guessed_names else frame.unknown_drugs
    if not {drug.drug_id for drug in frame.drugs} <= taken or not set(unknown) <= set(frame.partners):
        return False
    asked = fold(frame.standalone_query)
    told_only = not _ASKS.search(asked) and not frame.populations & set(WHOLE_SECTION.values())
    if frame.drugs and not (told_only or _ASKS_WHICH.search(asked)):
        # What it asks, it asks about what is taken.
        return False
    sections = set(cue_table("section").meanings(str(frame.raw.get("rest", ""))))
    harmed = frame.harm == Harm.SIGN or _FOLLOWED.search(asked)
    return sections <= _OF_MOTHER and not (frame.topics or harmed or frame.asks_effect or frame.asks_suitability)
