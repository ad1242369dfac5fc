"""What kidneys and liver change: doses for who is dialysed, what is forbidden, what stands beside every other dose."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal

from chat.bands import BandKind, bands_of
from chat.branches import ORGANS, Branch, facets
from chat.domain import QueryFrame
from chat.fitting import fits, values_of
from monographs.text import fold

# ml/minute: below it dialysis is near (KDIGO's stage G5).
_DIALYSED_BELOW = Decimal(15)
_DIALYSIS = r"\b(?:tham phan|tham tach|loc mau|chay than|loc than)\b"
_UNDIALYSED = re.compile(rf"\b(?:khong|chua)(?: \S+)? {_DIALYSIS}")
_OF_PATIENT = frozenset({BandKind.AGE, BandKind.WEIGHT})
_SENTENCE = re.compile(r"[.;]\s+")


def for_others_only(branches: list[Branch], frame: QueryFrame) -> bool:
    """Whether the doses for the patient's kidneys or liver are all for other patients: then none is for this one."""
    by_condition = [[b for b in branches if condition in b.populations] for condition in frame.populations & ORGANS]
    unmeasured = replace(frame, clearance_ml_min=None)
    return any(said and not any(fits(branch, unmeasured) for branch in said) for said in by_condition)


def adjusted(branches: list[Branch], chosen: list[Branch], frame: QueryFrame) -> list[Branch]:
    """What is said for the patient's kidneys or liver as such, also where none of its bands holds the value told: no
    other dose stands without it."""
    beside: list[Branch] = []
    for condition in frame.populations & ORGANS:
        if any(condition in branch.populations for branch in chosen):
            continue
        said = [b for b in branches if condition in b.populations and not any(map(_indication_of(b), b.path))]
        fitting = [branch for branch in said if fits(branch, frame)]
        beside += fitting or [branch for branch in said if fits(branch, replace(frame, clearance_ml_min=None))]
    return beside


def _indication_of(branch: Branch) -> Callable[[str], tuple[str, ...]]:
    return lambda label: branch.qualifiers(label, settled=tuple(BandKind))


def as_dialysed(branches: Sequence[Branch], frame: QueryFrame) -> list[Branch]:
    """Without the doses for who is dialysed where the patient is not, and the other way round. Of whom only a clearance
    is told that needs no dialysis, none is assumed."""
    folded = fold(str(frame.raw.get("rest", "")))
    is_told = re.search(_DIALYSIS, folded) is not None
    if not is_told and (frame.clearance_ml_min is None or frame.clearance_ml_min < _DIALYSED_BELOW):
        return list(branches)
    is_dialysed = is_told and not _UNDIALYSED.search(folded)
    named = {branch.path: fold(" ; ".join(branch.path)) for branch in branches}
    return [
        branch
        for branch in branches
        if not re.search(_DIALYSIS, named[branch.path])
        or is_dialysed is not bool(_UNDIALYSED.search(named[branch.path]))
    ]


def are_for_organs(chosen: list[Branch], frame: QueryFrame) -> bool:
    """Whether what is chosen is said for the patient's kidneys or liver: that holds whatever the drug is given for."""
    return any(branch.populations & frame.populations & ORGANS for branch in chosen)


def forbids(branch: Branch, frame: QueryFrame) -> bool:
    """Whether a sentence of the branch forbids the drug to this patient: by age or weight, or for kidneys or liver."""
    values = values_of(frame)
    sentences = [s for block in branch.blocks for s in _SENTENCE.split(block.text) if "không dùng" in s.lower()]
    bands = [band for sentence in sentences for band in bands_of(sentence)]
    named = {population for sentence in sentences for population in facets(sentence)[0]}
    if not branch.populations & ORGANS and not bands and named & frame.populations & ORGANS:
        return True
    return any(band.kind in _OF_PATIENT and band.kind in values and band.holds(values[band.kind]) for band in bands)
