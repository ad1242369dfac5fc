"""A condition told without any question, as at the counter: "cơn hen cấp, bn đang uống propranolol"."""

from __future__ import annotations

import re
from collections.abc import Callable

from chat.condition_names import is_set_apart
from chat.condition_terms import is_complaint
from chat.conditions import told_of
from chat.cues import cue_table
from chat.domain import QueryFrame, TurnType
from chat.harm import Harm
from chat.patient_facts import WHOLE_SECTION
from chat.retrieve_lists import indications_name, medicines_tell
from chat.terms import plain_text
from monographs.domain import SectionKey
from monographs.names import Corpus, tokenise
from monographs.text import fold

_NOT_ASKED = frozenset({TurnType.OUT_OF_SCOPE, TurnType.DRUG_ATTRIBUTE, TurnType.DRUG_OVERVIEW, TurnType.INTERACTION})
# What a question ends with.
_ASKS = re.compile(
    r"(?:[?]|\b(?:sao|the nao|gi|nao|khong|ngung|ngua|bao lau|bao nhieu|duoc|vay|ha|chua|khong a|a))\W*$|"
    r"\b(?:ngung|ngua|bao lau|bao nhieu|the nao|duoc khong|co sao|lam sao|doi sang|thay (?:bang|the|doi|thuoc))\b"
)
# "…, cần phòng hạ kali máu": what is needed beside what is taken.
_ASKS_WHICH = re.compile(
    r"\b(?:bang|uong|chon|xai|tiem) (?:gi|nao|j)\b|\bcan (?:thuoc )?(?:du phong|phong ngua|phong|ngua)\b(?! (?:gi|nao))"
)
_FOLLOWED = re.compile(
    r"\b(?:sau(?: khi)?|do|vi|tu khi|vua) (?:uong|dung|tiem|truyen|xit|hit|boi)\b|\bxong\b|\bqua lieu\b"
)
_ONCE = re.compile(r"\b(?:tung|tien su|truoc day|truoc kia|xua|nam ngoai|lan truoc|di ung)\b")
_NOW = re.compile(r"\b(?:dang|moi(?! khi| lan)|vua|tu khi|ke tu|sau khi)\b")
_OF_MOTHER = frozenset({SectionKey.CHI_DINH.value, *(section.value for section in WHOLE_SECTION)})


def ask_for_drugs(frame: QueryFrame, seek: Callable[[], QueryFrame], corpus: Corpus) -> QueryFrame:
    """The frame; or, where it asks nothing of any drug and some indication names what is told, that of a question for
    the drugs.

    seek: reads the question once more as asking for drugs. At most three queries.
    """
    if not _asks_nothing(frame):
        return frame
    sought = seek()
    asks = sought.turn_type is TurnType.CONDITION_TO_DRUG and sought.needs_clarify is None
    which = _ASKS_WHICH.search(fold(frame.standalone_query or "")) is not None
    if frame.drugs and not which and (not _illness_first(sought) or medicines_tell(sought, corpus)):
        return frame
    return sought if asks and indications_name(sought, corpus) else frame


def _illness_first(frame: QueryFrame) -> bool:
    """Whether an illness is told before any drug: a complaint told with a drug may well be what the drug did."""
    condition, rest = told_of(frame).condition, plain_text(str(frame.raw.get("rest", "")))
    taken = _NOW.search(fold(rest)) is not None
    if not condition or (taken and is_complaint(condition.runs[0]) and not is_set_apart(condition.runs[0])):
        return False
    tokens = tokenise(rest)
    place = condition.terms[0].place
    return place < len(tokens) and tokens[place].start < (rest.find("·") if "·" in rest else len(rest))


def _asks_nothing(frame: QueryFrame) -> bool:
    """Whether a question names no drug but what the patient takes, no section, no topic and no harm done."""
    only_told = frame.raw.get("only_told")
    taken = frozenset(only_told) if isinstance(only_told, list) else frozenset()
    together = {"interaction", "comparison"} & set(cue_table("turn").meanings(str(frame.raw.get("rest", ""))))
    if frame.turn_type not in _NOT_ASKED or together or frame.needs_clarify is not None or frame.options:
        return False
    allowed = _OF_MOTHER | {SectionKey.LIEU_DUNG.value if frame.dose_implied else "", SectionKey.CHONG_CHI_DINH.value}
    if not {key.value for key in (frame.attribute, *frame.also) if key} <= allowed:
        return False
    unknown = () if frame.guessed_names else frame.unknown_drugs
    if not {drug.drug_id for drug in frame.drugs} <= taken or not set(unknown) <= set(frame.partners):
        return False
    asked = fold(frame.standalone_query or "")
    mother = bool(frame.populations & set(WHOLE_SECTION.values())) and _NOW.search(asked)
    told_only = not _ASKS.search(asked) and not mother
    if frame.drugs and not (told_only or _ASKS_WHICH.search(asked)):
        # What it asks, it asks about what is taken.
        return False
    sections = set(cue_table("section").meanings(str(frame.raw.get("rest", ""))))
    signs = frame.harm == Harm.SIGN and not _ONCE.search(asked)
    harmed = bool(frame.drugs) and bool(signs or _FOLLOWED.search(asked))
    return sections <= _OF_MOTHER and not (frame.topics or harmed or frame.asks_effect or frame.asks_suitability)
