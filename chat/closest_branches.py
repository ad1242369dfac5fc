"""The branches that come closest to a patient: by age, way of giving and values, but never among cases untold."""

from __future__ import annotations

import re

from chat.bands import BandKind
from chat.branches import (
    AGE_GROUPS,
    Branch,
    facets,
    goes_by,
    is_manner_path,
    measures_of,
    qualifiers_of,
    without_exception,
)
from chat.cues import filler_words
from chat.domain import Population, QueryFrame, Route
from chat.fitting import ELDERLY, values_of
from chat.terms import AskedWords
from monographs.text import fold

LEAST_WORDS = 2
_ADULTS = frozenset({Population.NGUOI_LON, Population.NGUOI_CAO_TUOI})
_CHILDREN = frozenset({Population.TRE_EM, Population.TRE_SO_SINH})
_OF_CHILD = frozenset({BandKind.AGE, BandKind.WEIGHT})
_ANY = "bat ky"
_LABEL_PARTS = re.compile(r",\s|\svà\s|\shoặc\s")
# Folded words of everyday talk ("có", "cùng") and of amounts ("mấy mg một ngày") that alone say no label ("Co cứng cơ",
# "liều trên 40 mg/ngày").
_TALK = "co cung luc duoc khong the nao thi la con va voi cho hay mg ml g kg microgam ngay"
TALK = frozenset(_TALK.split())


def closest_branches(candidates: list[Branch], frame: QueryFrame, words: AskedWords) -> list[Branch]:
    """Where the question states an age, a route or a value and branches name it, only those; but not where that would
    choose among cases ("Viêm khớp, trẻ từ 3 tháng tuổi") of which the question tells none."""
    ages = frame.populations & AGE_GROUPS
    candidates = [b for b in candidates if b.populations & ages or _is_at_clearance(b, frame)] or candidates
    # "Ngừng thuốc › … uống buổi tối" is no dose to swallow.
    by_route = [b for b in candidates if frame.route in b.labelled_routes and not is_of_manner(b, words)]
    # A dose without a route is one to swallow as a rule: "đường uống" behind one case chooses none of the others.
    swallowed = frame.route is Route.UONG
    candidates = _narrowed(candidates, by_route, frame, words) if swallowed else by_route or candidates
    return _narrowed(candidates, _measured(candidates, frame, words), frame, words)


def _measured(candidates: list[Branch], frame: QueryFrame, words: AskedWords) -> list[Branch]:
    """Those whose labels go by what is told of the patient."""
    values = set(values_of(frame))
    measured = [b for b in candidates if any(measures_of(label) & values for label in b.path)]
    # "Theo cân nặng" says that a dose goes by it, "trẻ từ 3 tháng tuổi" only for whom it is.
    going = {_place(b) for b in measured if any(goes_by(label) & values for label in b.path)}
    measured = [b for b in measured if not (_place(b) in going and _is_untold(b, words) and not _goes_by_any(b))]
    measured += [b for b in candidates if measured and b not in measured and _ANY in fold(" ".join(b.path))]
    by_weight = values <= _OF_CHILD and Population.TRE_SO_SINH not in frame.populations
    if frame.route is None and by_weight and measured and not any(map(_may_be_swallowed, measured)):
        # A weight on the label of an infusion chooses no way of giving: the tablet has none on its label.
        measured += [b for b in candidates if b not in measured and Route.UONG in b.labelled_routes]
    return measured


def _place(branch: Branch) -> tuple[tuple[str, ...], frozenset[Route]]:
    return branch.path[:-1], branch.labelled_routes


def _may_be_swallowed(branch: Branch) -> bool:
    return not branch.labelled_routes or Route.UONG in branch.labelled_routes


def _goes_by_any(branch: Branch) -> bool:
    return any(goes_by(label) for label in branch.path)


def _narrowed(candidates: list[Branch], closer: list[Branch], frame: QueryFrame, words: AskedWords) -> list[Branch]:
    """The closer ones, if any; all where each of those is for a case that the question says nothing of, and others
    beside them are for other cases of the same patient."""
    by_patient = set(values_of(frame)) <= _OF_CHILD
    if not closer or not by_patient or not all(_is_untold(b, words) and not _goes_by_any(b) for b in closer):
        return closer or candidates
    own = {case_words(b) for b in closer}
    others = [b for b in candidates if b not in closer and _may_be_patients(b, frame)]
    return candidates if any(case_words(b) not in own for b in others) else closer


def _may_be_patients(branch: Branch, frame: QueryFrame) -> bool:
    """Whether a branch is for no age group but the patient's, as far as its labels say."""
    elderly = branch.ages >= ELDERLY and not frame.populations >= ELDERLY
    return not elderly and not is_for_untold_newborn(branch, frame)


def _is_untold(branch: Branch, words: AskedWords) -> bool:
    """Whether a branch is for a case, and the question says no word of it."""
    case = [word for word in case_words(branch) if fold(word) not in filler_words()]
    return bool(case) and not any(word in words for word in case)


def case_words(branch: Branch) -> tuple[str, ...]:
    """The words of its labels beyond patient, route, weight and age."""
    return tuple(word for label in branch.path for word in branch.qualifiers(label, settled=tuple(BandKind)))


def _is_at_clearance(branch: Branch, frame: QueryFrame) -> bool:
    """Whether labels for kidneys, of no age, hold the very clearance that is told of an adult: "Người suy thận › Clcr
    10 - 30" stands beside what a dose for adults says of kidneys; a child has its own labels."""
    value = frame.clearance_ml_min if frame.populations & _ADULTS and not frame.populations & _CHILDREN else None
    bands = [band for band in branch.bands if band.kind is BandKind.CLEARANCE]
    return value is not None and not branch.ages and any(band.holds(value) for band in bands)


def is_for_untold_newborn(branch: Branch, frame: QueryFrame) -> bool:
    """Whether the innermost label is a newborn's alone, and nothing tells that the child is one."""
    ages = facets(branch.path[-1])[0] & AGE_GROUPS if branch.path else frozenset()
    return ages == {Population.TRE_SO_SINH} and Population.TRE_SO_SINH not in frame.populations


def is_of_manner(branch: Branch, words: AskedWords) -> bool:
    return bool(branch.path) and is_manner_path(branch.path[:1]) and not said_of_label(branch.path[0], words)


def said_of_label(label: str, words: AskedWords) -> int:
    """How many words of a label stand in the question, in those of its parts that are said whole."""
    # Each word once: "co giật" says nothing of "Co cứng cơ" by holding its "co" twice.
    parts = [set(qualifiers_of(part, settled=tuple(BandKind))) for part in _LABEL_PARTS.split(without_exception(label))]
    said = [(part, {word for word in part if word in words}) for part in parts]
    return sum(
        len(found)
        for part, found in said
        if not TALK.issuperset(map(fold, found)) and _enough_said(len(found), len(part))
    )


def _enough_said(said: int, of: int) -> bool:
    """All of a label's words, or two thirds of them and at least two ("hen cấp" for "Cơn hen cấp")."""
    return said == of or (said >= LEAST_WORDS and 3 * said >= 2 * of)
