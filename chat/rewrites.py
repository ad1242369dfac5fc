"""Four rewrites of a frame, whoever understood the question: fixed wordings whose meaning no understander may turn
round. They know no medicine: only cues, and whether a drug was named."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from chat.cues import cue_table
from chat.domain import QueryFrame, Relation, TurnType
from chat.purposes import names_purpose
from chat.terms import terms_of
from monographs.domain import SectionKey
from monographs.text import fold

Rewrite = Callable[[QueryFrame], QueryFrame]
_TOLD = re.compile(
    r"\b(?:dang|uong|dung|xai|co nen|tac dung|gay|anh huong)\b.*\bthuoc (?:tri|chua|dieu tri)\b|"
    r"\bthuoc (?:tri|chua|dieu tri)\b.*\b(?:dung|uong) (?:chung|cung)\b|\bthuoc (?:tri|chua|dieu tri)\b.*\bgay\b"
)
_WHICH = re.compile(r"\bthuoc (?:tri|chua|dieu tri)\b[^.;]* (?:gi|nao|j)\b(?! bo\b)")
_ASKS_WHICH = re.compile(r"\b(?:thuoc|ks|khang sinh|loai|mon)(?: \w+){0,2}? (?:nao|gi)\b")
_OF_SECTION = re.compile(r"\W*(?:thuoc )?(?:bi )?(?:chong chi dinh|cam|kieng) (?:trong|o|voi|cho|khi)\b")
_BY_DRUGS = re.compile(r"\bdo thuoc\b\W*(?:$|(?:ke|liet ke|gom|la|nhung|cac|may|nao|gi)\b)")
# "thuốc nào uống lâu gây phì đại lợi": a few words between; "thuốc nào không gây buồn ngủ" asks for another thing.
_CAUSING = re.compile(
    r"\bthuoc (?:nao|gi)\b(?: (?!khong\b|ko\b|it\b|do\b|tri\b|chua\b)\w+){1,4}? (?:gay|lam)(?: ra)? \w+"
)
_RELATION_OF = {SectionKey.ADR: Relation.ADVERSE_EFFECT, SectionKey.CHONG_CHI_DINH: Relation.CONTRAINDICATION}
_RELATIONS = {
    "causes": Relation.ADVERSE_EFFECT,
    "forbidden_in": Relation.CONTRAINDICATION,
    "cautioned_in": Relation.CAUTION,
}


def rewrite_frame(frame: QueryFrame) -> QueryFrame:
    """All four, in order."""
    for rewrite in REWRITES:
        frame = rewrite(frame)
    return frame


def condition_candidate(frame: QueryFrame) -> QueryFrame:
    """ "viêm âm đạo dùng thuốc gì": a condition and a question for candidates asks for drugs by indication."""
    asks = "condition_to_drug" in _turns(frame) or bool(frame.raw.get("asks_for_drugs"))
    return _to_condition(frame) if asks and _speaks_of_condition(frame) else frame


def broad_condition(frame: QueryFrame) -> QueryFrame:
    """ "thuốc trị tăng huyết áp": what treats a condition, without a drug."""
    asks = "treats" in _turns(frame) and not _only_tells(frame)
    return _to_condition(frame) if asks and _speaks_of_condition(frame) else frame


def reverse_relation(frame: QueryFrame) -> QueryFrame:
    """ "thuốc nào gây ho", "thuốc nào chống chỉ định ở người hen": the relation named, never an indication."""
    turns, rest = _turns(frame), fold(str(frame.raw.get("rest", "")))
    relation = relation_asked(turns, rest)
    if frame.raw.get("of_all"):
        # "thuốc nào tương tác với rượu", whatever else its words are cues of.
        relation = Relation.INTERACTION
    if relation is None and frame.attribute and _asks_of_section(frame, turns, rest):
        relation = _RELATION_OF.get(frame.attribute)
    if relation is Relation.ADVERSE_EFFECT and _tells_purpose(rest):
        # "thuốc gì làm loãng đờm": what it is for.
        return _to_condition(frame) if _speaks_of_condition(frame) else frame
    named = frame.drugs or (frame.unknown_drugs and not frame.guessed_names)
    if relation is None or named or (relation is Relation.CONTRAINDICATION and _asks_both(frame)):
        return frame
    return replace(
        frame,
        turn_type=TurnType.CONDITION_RELATION,
        condition_relation=relation,
        unknown_drugs=(),
        guessed_names=False,
    )


def relation_asked(turns: Sequence[str], rest: str) -> Relation | None:
    """The relation that a question asks drugs by, whatever it names. turns: its cues; rest: folded, without drugs."""
    relation = next((_RELATIONS[turn] for turn in turns if turn in _RELATIONS), None)
    if relation is None and (_BY_DRUGS.search(rest) or _CAUSING.search(rest)):
        return Relation.ADVERSE_EFFECT
    both = "condition_to_drug" in turns and len(_ASKS_WHICH.findall(rest)) > 1
    return None if both and relation is Relation.CONTRAINDICATION else relation


def _asks_of_section(frame: QueryFrame, turns: Sequence[str], rest: str) -> bool:
    """Whether drugs are asked for by a section: "thuốc nào có tác dụng phụ liệt dương", "ccđ trong rối loạn chuyển hóa
    porphyrin"."""
    named = frame.attribute is not None and frame.attribute in cue_table("section").meanings(rest)
    if "condition_to_drug" in turns and not frame.allergies:
        # An allergy alone only looks into the contraindications: "dị ứng thời tiết dùng thuốc gì".
        return named
    return not turns and _OF_SECTION.match(rest) is not None


def named_drug(frame: QueryFrame) -> QueryFrame:
    """ "metformin có tác dụng gì": one drug and what it is for; with a section it stays a question about that."""
    if len(frame.drugs) != 1 or frame.turn_type not in {TurnType.CONDITION_TO_DRUG, TurnType.CONDITION_RELATION}:
        return frame
    turn_type = TurnType.DRUG_TO_CONDITION if frame.attribute is SectionKey.CHI_DINH else TurnType.DRUG_ATTRIBUTE
    return replace(frame, turn_type=turn_type, condition_relation=None)


REWRITES: tuple[Rewrite, ...] = (condition_candidate, broad_condition, reverse_relation, named_drug)


def _tells_purpose(rest: str) -> bool:
    """Whether what a drug "làm" is what it is asked for by."""
    said = rest.split()
    return any(
        word == "lam" and any(names_purpose(said, range(at + 1, at + 1 + length)) for length in (2, 3))
        for at, word in enumerate(said)
    )


def _turns(frame: QueryFrame) -> list[str]:
    return cue_table("turn").meanings(str(frame.raw.get("rest", "")))


def _asks_both(frame: QueryFrame) -> bool:
    """ "thuốc nào có chỉ định, thuốc nào cấm": each candidate's status answers both."""
    return _seeks_drugs(frame) and len(_ASKS_WHICH.findall(fold(str(frame.raw.get("rest", ""))))) > 1


def _seeks_drugs(frame: QueryFrame) -> bool:
    return "condition_to_drug" in _turns(frame) or bool(frame.raw.get("seeks_drug"))


def _only_tells(frame: QueryFrame) -> bool:
    """ "đang uống thuốc điều trị lâu dài, phải làm gì" tells of a treatment, and asks for none."""
    rest = fold(str(frame.raw.get("rest", "")))
    return _TOLD.search(rest) is not None and _WHICH.search(rest) is None


def _speaks_of_condition(frame: QueryFrame) -> bool:
    # A word of the book that only looks like a name ("giardia") is what the condition is called.
    named = frame.drugs or (frame.unknown_drugs and not frame.guessed_names) or frame.options
    return not named and bool(terms_of(frame))


def _to_condition(frame: QueryFrame) -> QueryFrame:
    return replace(
        frame,
        turn_type=TurnType.CONDITION_TO_DRUG,
        condition_relation=Relation.INDICATION,
        unknown_drugs=(),
        guessed_names=False,
    )
