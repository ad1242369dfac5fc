"""Which of the conditions told is asked for, where the book's own names tell: the others are the patient's."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from chat.condition_forms import is_short, word_list
from chat.condition_names import Condition, names_something
from chat.condition_runs import Run
from chat.condition_terms import Said, is_complaint
from monographs.text import fold, has_accents, spelling

_FALLS_ILL = re.compile(r"(?:(?:dang|moi|vua|hay|thuong|lai) )*(?:bi|mac|duoc chan doan)")
# "nhiễm C. difficile sau đợt kháng sinh": what went before, and no part of the name.
_AFTER_MEDICINE = re.compile(r"sau (?:\w+ ){0,2}?(?:khang sinh|thuoc)\b")
# Words that only go on with the sentence behind a name: "sốc tim có"; "cơ" is none.
_GOES_ON = frozenset(map(spelling, ("có", "bị", "mà", "thì", "kèm", "là", "và", "với", "ở", "vì", "do")))
_DIAGNOSED = re.compile(r"\b(?:bac si|bs)(?: \w+)? (?:noi|bao|ghi|nghi|chan doan)\b|\bchan doan\b|\bkham ra\b")


def from_name(condition: Condition, names: Sequence[range], said: Said) -> list[Condition]:
    """What is noted, from the run for which something is said to be needed, where a name stands in it; what is told
    before it is beside that: "nhổ răng cần dự phòng viêm nội tâm mạc"."""
    runs = condition.runs
    needed = (at for at in range(1, len(runs)) if "can" in said.between(runs[at - 1], runs[at]))
    first = next((at for at in needed if _within(runs[at], names, said)), 0)
    return [Condition(runs[first:]), *(Condition((run,)) for run in runs[:first])]


def first_noted(condition: Condition, said: Said) -> list[Condition]:
    """What is noted without a question, "vảy nến nặng, nghiện rượu, men gan cao": the first is what is to be treated,
    with the complaints that go with it; every other is the patient's."""
    first, *others = condition.runs
    if not others:
        return [condition]
    kept = [first]
    for run in others:
        if said.is_parted(kept[-1], run) and not (is_complaint(run) and is_complaint(first)):
            break
        kept.append(run)
    rest = others[len(kept) - 1 :]
    return [Condition(tuple(kept)), *(Condition((run,)) for run in rest)]


def by_name(conditions: Sequence[Condition], names: Sequence[range], said: Said) -> list[Condition]:
    """The conditions with the one that is asked for first, where the book's names tell which: what no name stands in
    is not told in one breath with it ("nấc dai dẳng, các biện pháp khác không ăn thua"), and is no illness of whom
    "bị" one ("tài xế xe tải bị viêm mũi dị ứng")."""
    first, *others = conditions
    if any(_within(run, names, said) for run in first.runs):
        strays = tuple(
            run
            for before, run in pairwise([None, *first.runs])
            if run and said.is_parted(before, run) and not (_within(run, names, said) or _is_known(run))
        )
        kept = tuple(
            _within(run, names, said) or run
            for run in first.runs
            if run not in strays and (_within(run, names, said) or names_something(Condition((run,))))
        )
        return [Condition(kept), *([Condition(strays)] if strays else []), *others]
    if others and any(_within(run, names, said) for run in others[0].runs):
        between = " ".join(said.between(first.runs[-1], others[0].runs[0]))
        if _FALLS_ILL.fullmatch(between) or _DIAGNOSED.search(between):
            return [others[0], first, *others[1:]]
    return [first, *others]


def _is_known(run: Run) -> bool:
    """Whether a run names a condition or a complaint that need not stand in the book's indications."""
    return bool(run[0].book) or is_short(run[0]) or is_complaint(run) or names_something(Condition((run[:1],)))


def _within(run: Run, names: Sequence[range], said: Said) -> Run:
    """A run that holds a name, without what is done about it and where in the body it is; none that holds none."""
    places = {place for term in run for place in range(term.place, term.place + len(term.typed))}
    # "Tiêu chảy do C. difficile" is held without its "do".
    joints = {at for at, token in enumerate(said.tokens) if token.folded in word_list("joining")}
    held = [n for n in names if n.start in places and n.stop - 1 in places and (places | joints).issuperset(n)]
    if not held:
        return ()
    before = [fold(word) for term in run if term.place < held[0].start for word in term.typed]
    start = held[0].start if word_list("done_about").issuperset(before) else run[0].place
    behind = [fold(word) for term in run if term.place >= held[-1].stop for word in term.typed]
    ends = bool(behind) and (behind[0] in word_list("where") or " ".join(behind) in word_list("extent"))
    ends = ends or _AFTER_MEDICINE.match(" ".join(behind)) is not None or _only_goes_on(run, held[-1].stop)
    end = held[-1].stop if ends else max(places) + 1
    return tuple(term for term in run if start <= term.place < end)


def _only_goes_on(run: Run, place: int) -> bool:
    """Whether nothing but such words stands in a run from a place on; typed bare, as they are."""
    behind = [word for term in run if term.place >= place for word in term.typed]
    bare = frozenset(map(fold, _GOES_ON))
    return all(spelling(word) in _GOES_ON if has_accents(word) else word in bare for word in behind)
