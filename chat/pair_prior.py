"""A reply to which drug was meant among several that are taken together: it completes them, and asks nothing alone."""

from __future__ import annotations

import re
from dataclasses import replace

from chat.cues import cue_table
from chat.domain import QueryFrame, Route, TurnType
from chat.mixing import is_mixing, solutions_in
from chat.partners import find_partners
from monographs.domain import DrugRef, SectionKey
from monographs.names import NameSpan
from monographs.text import fold

_WITH = re.compile(r"\b(?:voi|cung|chung)\b")
# "Chạy chung dây với ·": what is joined to the drug named stands in the question before.
_JOINED = re.compile(
    r"\b(?:chung|cung|kem|phoi hop|ket hop|tron|pha|chay|truyen|uong|tiem|dung)\b(?:\s+\w+){0,3}?\s+"
    r"(?:voi|cung|chung)\s+(?:thuoc\s+)?·"
)
# "Bơm chung · vào đó", "dùng thêm ·", "pha · vào chai đó luôn": joined to what was asked of before, without a "với".
_ADDED = re.compile(
    r"\b(?:bom|rut|cho|pha|hoa|tron|chay|truyen|tiem|uong|dung|xai)\b(?: \w+)? (?:chung|cung|kem|them) (?:thuoc )?·|"
    r"\b(?:bom|rut|cho|pha|hoa|tron|do|chay|truyen|tiem)\b(?: \w+)? ·+ (?:vao|vo|zo) (?:\w+ ){0,2}?"
    r"(?:do|day|luon|chung|cung|nua)\b"
)
_POURED = re.compile(r"\b(?:bom|rut|pha|hoa|tron)\b")
_SWALLOWED = re.compile(r"\b(?:uong|ngam|nhai)\b")
# "Đổi qua ·", "thay · bằng ·", "dùng · thay": in the place of one of those asked about before.
_INSTEAD = re.compile(
    r"\b(?:doi|chuyen|thay)(?: the| tu)?(?: ·+)? (?:qua|sang|bang|thanh)\b|\b(?:dung|uong|cho|xai) ·+ thay\b|"
    r"\bthay (?:vao (?:do )?)?(?:la )?·"
)
_OF_EXCHANGE, _OF_DILUTION = frozenset({"conversion"}), frozenset({"diluent", "reconstituted"})
EXCHANGED = "exchanged"
# A strength alone ("còn clopidogrel 75 mg?") joins nothing to the drug before.
_JOINS = re.compile(r"\b(?:voi|cung|chung|kem|them|phoi hop|ket hop)\b")
_COMPARES = frozenset({"comparison", "ranks"})
_INTO_VEIN = frozenset({Route.TIEM_TINH_MACH, Route.TRUYEN_TINH_MACH})
_OF_DRUG = frozenset({TurnType.DRUG_ATTRIBUTE, TurnType.DRUG_OVERVIEW, TurnType.DOSING_CALC})
_MORE = re.compile(r"\b(?:them|nua)\b")


def completed_pair(frame: QueryFrame, prior: QueryFrame, *, after_clarify: bool) -> QueryFrame | None:
    """The turn before with the drug that the reply names; None where it is no such reply."""
    if prior.turn_type is not TurnType.INTERACTION or len(frame.drugs) != 1 or not _is_bare(frame):
        return None
    told = frame.drugs[0]
    if not (told in prior.options or (after_clarify and len(prior.unknown_drugs) == 1)):
        return None
    spans = [*spans_of(prior), *spans_of(frame)]
    return replace(
        prior,
        drugs=tuple(dict.fromkeys((*prior.drugs, told))),
        options=() if told in prior.options else prior.options,
        unknown_drugs=prior.unknown_drugs if told in prior.options else (),
        needs_clarify=None,
        quick_replies=(),
        depends_on_previous_turn=True,
        raw={**prior.raw, "spans": spans, "shared": "", EXCHANGED: ""},
    )


def extended_pair(frame: QueryFrame, prior: QueryFrame) -> QueryFrame | None:
    """ "còn với ibuprofen?" behind "warfarin với paracetamol": the first drug with another; "thêm digoxin nữa": all of
    them with another; None for anything else."""
    several = len(prior.drugs) + len(prior.partners)
    if prior.turn_type is not TurnType.INTERACTION or not prior.drugs or several < 2 or len(frame.drugs) != 1:
        return None
    named, asked = frame.drugs[0], fold(frame.standalone_query or "")
    adds = _MORE.search(asked) is not None
    if not _is_bare(frame) or named in prior.drugs or not (adds or (_WITH.search(asked) and several == 2)):
        return None
    kept, spans = (prior.drugs, spans_of(prior)) if adds else (prior.drugs[:1], spans_of(prior)[:1])
    return replace(
        prior,
        drugs=(*kept, named),
        partners=prior.partners if adds else (),
        populations=frame.populations | prior.populations,
        depends_on_previous_turn=True,
        standalone_query=frame.standalone_query,
        terms=frame.terms,
        raw={**prior.raw, "spans": [*spans, *spans_of(frame)], "rest": frame.raw.get("rest", ""), EXCHANGED: ""},
    )


def exchanged_pair(frame: QueryFrame, prior: QueryFrame) -> QueryFrame | None:
    """ "đổi qua amoxicilin thì sao" behind "warfarin với clarithromycin": the new drug with each of them, as it is not
    said which one it stands for; "thay clarithromycin bằng amoxicilin": with the other. None for anything else."""
    new = [drug for drug in frame.drugs if drug not in prior.drugs]
    goes_on = prior.turn_type is TurnType.INTERACTION and len(prior.drugs) > 1 and not frame.unknown_drugs
    of_exchange = frame.attribute in {None, SectionKey.TUONG_TAC} and _OF_EXCHANGE.issuperset(frame.topics)
    if not (goes_on and of_exchange and len(new) == 1) or not _INSTEAD.search(fold(str(frame.raw.get("rest", "")))):
        return None
    kept = tuple(drug for drug in prior.drugs if drug not in frame.drugs)
    return replace(
        prior,
        drugs=(*kept, *new),
        partners=(),
        populations=frame.populations | prior.populations,
        depends_on_previous_turn=True,
        standalone_query=frame.standalone_query,
        terms=(),
        raw={**prior.raw, "spans": [drug.name for drug in (*kept, *new)], EXCHANGED: new[0].drug_id},
    )


def joined_pair(frame: QueryFrame, prior: QueryFrame) -> QueryFrame | None:
    """ "Chạy chung dây với insulin được không?" behind a question about dopamin: both, mixed or taken together; None
    where the question names both itself, or joins nothing."""
    rest = str(frame.raw.get("rest", ""))
    alone = len(frame.drugs) == len(prior.drugs) == 1 and frame.drugs != prior.drugs
    # "Uống thêm ·": the way it is taken asks for no dose here.
    of_pairs = frame.attribute in {None, SectionKey.TUONG_TAC, SectionKey.TUONG_KY} or frame.dose_implied
    of_pairs = of_pairs and _OF_DILUTION.issuperset(frame.topics)
    joins = _JOINED.search(fold(rest)) or _ADDED.search(fold(rest)) or _only_takes(frame)
    if not alone or not of_pairs or frame.unknown_drugs or not joins:
        return None
    return replace(
        frame,
        turn_type=TurnType.INCOMPATIBILITY if _mixes(rest, prior) else TurnType.INTERACTION,
        attribute=None if frame.dose_implied else frame.attribute,
        dose_implied=False,
        topics=(),
        drugs=(*prior.drugs, *frame.drugs),
        populations=frame.populations | prior.populations,
        clearance_ml_min=frame.clearance_ml_min or prior.clearance_ml_min,
        depends_on_previous_turn=True,
        raw={**frame.raw, "spans": [*spans_of(prior), *spans_of(frame)]},
    )


def joined_partner(frame: QueryFrame, prior: QueryFrame) -> QueryFrame | None:
    """ "Uống chung viên sắt được không?" behind a question about a drug: that drug with what has no monograph of its
    own; None where the question names a drug, or joins nothing."""
    rest = str(frame.raw.get("rest", ""))
    of_pairs = frame.attribute in {None, SectionKey.TUONG_TAC} or frame.dose_implied
    if len(prior.drugs) != 1 or frame.drugs or frame.topics or not of_pairs or is_mixing(rest):
        return None
    if not _JOINS.search(fold(rest)):
        return None
    # As if the drug had been named before what is joined to it.
    drug = NameSpan("·", 0, 1, prior.drugs)
    partners = find_partners(f"· {rest}", [drug], frame.unknown_drugs)
    if not partners.names or frame.turn_type is TurnType.CONDITION_TO_DRUG:
        return None
    return replace(
        frame,
        turn_type=TurnType.INTERACTION,
        attribute=None,
        dose_implied=False,
        drugs=prior.drugs,
        partners=partners.names,
        populations=frame.populations | prior.populations,
        clearance_ml_min=frame.clearance_ml_min or prior.clearance_ml_min,
        depends_on_previous_turn=True,
        raw={**frame.raw, "spans": spans_of(prior)},
    )


def poured_before(frame: QueryFrame, prior: QueryFrame) -> QueryFrame | None:
    """ "Ringer lactat được không?" behind a question of a drug that is diluted or given into a vein; None for anything
    else."""
    solutions = solutions_in(frame.standalone_query or "")
    diluted = prior.turn_type is TurnType.INCOMPATIBILITY or prior.route in _INTO_VEIN or "diluent" in prior.topics
    goes_on = diluted and len(prior.drugs) > 0 and not frame.drugs
    if not goes_on or not solutions or frame.unknown_drugs or not _OF_DILUTION.issuperset(frame.topics):
        return None
    return replace(
        frame,
        turn_type=TurnType.INCOMPATIBILITY,
        attribute=None,
        dose_implied=False,
        drugs=prior.drugs,
        solutions=solutions,
        populations=frame.populations | prior.populations,
        depends_on_previous_turn=True,
        raw={**frame.raw, "spans": spans_of(prior)},
    )


def set_beside(frame: QueryFrame, prior: QueryFrame) -> tuple[DrugRef, ...]:
    """ "So với amlodipin?" names one drug only, and so compares it with those talked of: all of them; else ()."""
    compares = _COMPARES & set(cue_table("turn").meanings(str(frame.raw.get("rest", ""))))
    of_one = prior.turn_type in _OF_DRUG or prior.turn_type is TurnType.COMPARISON
    if not compares or not of_one or len(frame.drugs) != 1 or frame.unknown_drugs or frame.drugs[0] in prior.drugs:
        return ()
    return (*prior.drugs, *frame.drugs) if prior.drugs else ()


def _only_takes(frame: QueryFrame) -> bool:
    """ "Bn đang uống clarithromycin": what the patient takes is told, and nothing of it asked."""
    taken = frame.raw.get("taken")
    told = isinstance(taken, list) and bool(frame.drugs) and all(drug.drug_id in taken for drug in frame.drugs)
    return told and (frame.attribute is None or frame.dose_implied)


def _mixes(rest: str, prior: QueryFrame) -> bool:
    """Whether what is joined is mixed: said so, or joined to what was asked to be diluted and not swallowed."""
    poured = prior.turn_type is TurnType.INCOMPATIBILITY or _POURED.search(fold(rest)) is not None
    return is_mixing(rest) or (poured and not _SWALLOWED.search(fold(rest)))


def goes_on_together(frame: QueryFrame, prior: QueryFrame) -> bool:
    """Whether drugs taken together go on being asked about so: "thế suy thận?" behind "warfarin với aspirin"."""
    if frame.turn_type is TurnType.INTERACTION:
        return True
    return prior.turn_type is TurnType.INTERACTION and not (frame.drugs or frame.attribute or frame.topics)


def _is_bare(frame: QueryFrame) -> bool:
    return frame.attribute is None and not frame.topics and not frame.unknown_drugs


def spans_of(frame: QueryFrame) -> list[object]:
    spans = frame.raw.get("spans")
    return spans if isinstance(spans, list) else []
