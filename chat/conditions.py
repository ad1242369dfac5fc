"""Which condition a question without a drug is about, and what else it tells of the patient."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import pairwise

from chat.bands import BandKind
from chat.branches import AGE_GROUPS
from chat.condition_forms import kinds_of
from chat.condition_names import Condition, names_something
from chat.condition_roles import by_name, first_noted, from_name
from chat.condition_runs import Run
from chat.condition_terms import Said, is_complaint, said_in
from chat.domain import EvidenceBlock, Population, QueryFrame, Term
from chat.patient_facts import names_population
from chat.purposes import names_purpose
from chat.terms import is_name_like, names_in, terms_of
from monographs.text import fold, has_accents

# What stands between a condition and something else that the patient has.
_BESIDE = re.compile(
    r"\b(?:o nguoi|o benh nhan|tren nguoi|tren benh nhan|nguoi benh|benh nhan|benh nen|(?:co|bi|mac) benh|"
    r"tien su|kem|them|nen|ma|lai|"
    r"dang|thi|tung|truoc day|lan truoc|nam ngoai|hoi truoc|cach day|(?:tuan|thang|nam) truoc|"
    r"sau (?:khi )?(?:tiem|truyen|uong|dung)|ecg|dien tim|dien tam do|sieu am|xet nghiem|x quang)\b"
)
_SUBJECT = re.compile(
    r"\b(?:nguoi|benh nhan|bn|nguoi benh|cu|ong|ba|be|tre|chau)(?: \d+ (?:tuoi|t|thang|th))?"
    r"(?: (?:bi|co|mac|mat|tien su|co tien su|benh|bi benh|co benh|mac benh))?$|"
    r"^(?:dang )?(?:bi|mac|co benh|co tien su|tien su)$"
)
_BEFALLS = re.compile(r"^(?:\S+ ){0,2}(?:bi|dang|nay|gio|moi|them|ma|vao vien|nhap vien|den kham)\b")
# "…, cần trì hoãn đẻ non"; "tiền căn" tells what was.
_NEEDS = re.compile(r"(?<!tien )\bcan(?: (?:thuoc|phong|du|tri|de|dieu|ngua|bu))*$")
_ADMITTED = re.compile(r"\b(?:vao|nhap) vien\b|\bden kham\b")
# What befell before, often, or is under treatment is no reason to ask.
_ONCE = re.compile(r"\b(?:tung|tien su|da|truoc|hay|thuong|dang (?:dieu tri|uong|dung|tri|xai|cho|mang|cai))\b")
# What a value of the patient's comes to: (kind, below, above, what it is).
_VALUES = (
    (BandKind.PRESSURE, 90, None, "hạ huyết áp"),
    (BandKind.POTASSIUM, Decimal("3.5"), None, "hạ kali huyết"),
    (BandKind.POTASSIUM, None, 5, "tăng kali huyết"),
    (BandKind.SODIUM, 135, None, "hạ natri huyết"),
)
# What a patient does, or has behind her, is no illness.
_CIRCUMSTANCES = frozenset(
    {("sau", "đẻ"), ("lái", "xe"), ("bỏ", "bữa"), ("uống", "rượu"), ("dự", "định", "có", "thai")}
)
_TOGETHER = frozenset({"kem", "them"})
# Heads that name nothing without what stands behind them.
_NAMELESS = frozenset({"hoi chung", "benh ly", "can benh", "trieu chung", "dau hieu"})
_PAIR = 2
# What befalls an organ, folded.
_CHANGES = frozenset({"thung", "giam", "tang", "hep", "tac", "vo", "suy", "gian", "loet", "to", "sa", "lech", "phu"})
# How what names an infection begins, folded.
_AGENTS = frozenset({"nam", "virus", "lien", "tu", "phe", "amip"})
_PURPOSE_WORDS = {"sot": "sốt", "dau": "đau", "dom": "đờm", "nam": "nấm"}
# Conditions that only populations name.
_ORGANS = {Population.SUY_THAN: ("suy", "thận"), Population.SUY_GAN: ("suy", "gan")}
# The folded words, one of which a passage holds that names a population.
POPULATION_WORDS = {
    Population.MANG_THAI: ("thai", "bau"),
    Population.CHO_CON_BU: ("bu", "sua"),
    Population.TRE_EM: ("tre",),
    Population.TRE_SO_SINH: ("sinh", "non", "thang"),
    Population.NGUOI_CAO_TUOI: ("cao", "gia"),
    Population.NGUOI_LON: ("lon",),
    Population.SUY_THAN: ("than", "creatinin", "clcr"),
    Population.SUY_GAN: ("gan",),
}


@dataclass(frozen=True, slots=True)
class Told:
    """What is asked for, and what else the patient has."""

    condition: Condition
    beside: tuple[Condition, ...] = ()


def told_of(frame: QueryFrame) -> Told:
    """The condition of a question, apart from what else it tells of the patient: "hen ở người loét dạ dày".

    Where nothing but kidneys or liver is named, that is the condition.
    """
    said = said_in(frame)
    if not said.runs:
        if frame.clearance_ml_min is not None:
            # How well a patient's kidneys work is no illness that drugs are asked for.
            return Told(Condition(()))
        organs = [_ORGANS[p] for p in Population if p in frame.populations and p in _ORGANS]
        return Told(Condition(tuple((Term(organ, (), 0),) for organ in organs)))
    # Without accents a stray word may be half of a name.
    every = [
        Condition(tuple(part) if frame.raw.get("bare") else _solid(part))
        for part in _in_parts(said, said.bracketed if frame.allergies else frozenset())
    ]
    conditions = list(filter(names_something, every)) or every
    strays = [one for one in every if one not in conditions]
    if frame.raw.get("asks_for_drugs"):
        noted, *before = from_name(conditions[0], names_in(frame), said)
        conditions = [*first_noted(noted, said), *before, *conditions[1:]]
    conditions = by_name(conditions, names_in(frame), said)
    conditions = _without_purposes(conditions, [token.text for token in said.tokens])
    purpose = str(frame.raw.get("purpose") or "")
    if purpose:
        runs = [run for one in conditions for run in one.runs]
        solid = [run for run in runs if not frame.raw.get("bare") or names_something(Condition((run,)))]
        return _with_measured(_for_purpose(purpose, solid), frame)
    if len(conditions) > 1 and (_is_subject(conditions, said) or _is_premise(conditions, said)):
        # "bệnh nhân hen bị sốt": asked for is what befalls.
        conditions = [conditions[-1], *conditions[:-1]]
    asked = str(conditions[0])
    # Without accents a stray syllable ("dang", "sang") would be met everywhere.
    others = (*_measured(frame), *conditions[1:], *(strays if not frame.raw.get("bare") else ()), *_turned(said))
    beside = [one for other in others for one in _each_of(other) if fold(str(one)) not in _NAMELESS]
    beside += [_named(kind) for one in beside for run in one.runs for kind in kinds_of(run)]
    return Told(conditions[0], tuple(other for other in beside if fold(str(other)) != fold(asked)))


def _with_measured(told: Told, frame: QueryFrame) -> Told:
    """What is told, with what the values of the patient are called."""
    asked = fold(str(told.condition))
    return Told(told.condition, (*told.beside, *(one for one in _measured(frame) if fold(str(one)) != asked)))


def _measured(frame: QueryFrame) -> list[Condition]:
    """What the values told of the patient are called: a potassium of 2,9 is "hạ kali huyết"."""
    values = dict(frame.labs)
    called = [
        name
        for kind, below, above, name in _VALUES
        if (value := values.get(kind.value)) is not None
        and ((below is not None and value < below) or (above is not None and value > above))
    ]
    return [_named(name) for name in called]


def _named(name: str) -> Condition:
    """A condition by the book's own name."""
    return Condition(((Term(tuple(name.split(" ")), (), 0),),))


def _without_purposes(conditions: Sequence[Condition], typed: Sequence[str]) -> list[Condition]:
    """The conditions without what a drug is asked for by, where anything else is told: "… làm loãng đờm"."""
    kept = [Condition(tuple(run for run in one.runs if not names_purpose(typed, _places(run)))) for one in conditions]
    return list(filter(None, kept)) or list(conditions)


def _places(run: Run) -> range:
    return range(run[0].place, run[-1].place + len(run[-1].typed))


def _in_parts(said: Said, brackets: frozenset[int] = frozenset()) -> list[list[Run]]:
    """The runs told in one breath, each such part apart. brackets: places at which what is told only explains."""
    parts: list[list[Run]] = []
    before: Run | None = None
    for run in said.runs:
        between = " ".join(said.between(before, run))
        if (
            before is None
            or said.tells_drug_between(before, run)
            or (_is_beside(between, before, run, bracketed=run[0].place in brackets))
            or (between == "co" and said.is_parted(before, run) and not is_complaint(run))
            or (_NEEDS.search(between) and said.is_parted(before, run))
        ):
            parts.append([])
        if between == "do" and parts[-1] and _is_agent(run):
            parts[-1][-1] += run
        else:
            parts[-1].append(run)
        before = run
    return parts


def _is_beside(between: str, before: Run, run: Run, *, bracketed: bool) -> bool:
    """Whether what is told next is the patient's beside what is asked for; a complaint told with another is not ("sốt
    kèm nổi mề đay")."""
    if between.rsplit(" ", maxsplit=1)[-1] in _TOGETHER and (is_complaint(run) or is_complaint(before)):
        return False
    told = run[0].book in _CIRCUMSTANCES or before[0].book in _CIRCUMSTANCES or bracketed
    return told or bool(_BESIDE.search(between) or _BEFALLS.search(between))


def _solid(part: Sequence[Run]) -> tuple[Run, ...]:
    """What is told in one breath without its stray words."""
    return tuple(run for run in part if names_something(Condition((run,)))) or tuple(part)


def _is_agent(run: Run) -> bool:
    """What an infection is named by: "viêm màng não do nấm Cryptococcus" is one name."""
    return fold(" ".join(run[0].typed)) in _AGENTS or is_name_like(run[0])


def _turned(said: Said) -> list[Condition]:
    """ "màng nhĩ bị thủng": what the book calls "thủng màng nhĩ"."""
    return [
        Condition(((after[0], *before),))
        for before, after in pairwise(said.runs)
        if len(before) > 1 and said.between(before, after) == ("bi",) and fold(after[0].typed[0]) in _CHANGES
    ]


def _each_of(condition: Condition) -> tuple[Condition, ...]:
    """What is told of the patient in one breath, each for itself; of several the stray words are left out."""
    if len(condition.runs) == 1:
        return (condition,)
    named = [run for run in condition.runs if sum(len(term.typed) for term in run) > 1 or is_name_like(run[0])]
    return tuple(Condition((run,)) for run in named)


def _for_purpose(purpose: str, runs: Sequence[Run]) -> Told:
    """ "sốt xuất huyết, sốt 39, uống gì hạ sốt": asked for is fever, and all else is the patient's. A pain is asked for
    by its own name ("đau răng"); where none of that is said, what is told is what is to be treated."""
    words = purpose.split(" ")
    exact = [run for run in runs if _said_of(run) == words]
    pains = [run for run in runs if words == ["đau"] and _said_of(run)[:1] == words]
    # "ĐTĐ typ 2, chọn thuốc hạ đường huyết nào": the purpose is what is told, and no other disease beside it.
    named = [run for run in runs if len(words) > 1 and fold(f" {purpose} ") in fold(f" {' '.join(_said_of(run))} ")]
    asked = (exact or pains or named)[:1]
    if not asked and len(runs) == 1 and f" {purpose} " not in f" {' '.join(_said_of(runs[0]))} ":
        return Told(Condition((runs[0],)))
    condition = Condition(tuple(asked)) if asked else Condition(((Term(tuple(words), tuple(words), 0),),))
    return Told(condition, tuple(Condition((run,)) for run in runs if run not in asked))


def _said_of(run: Sequence[Term]) -> list[str]:
    """The words of a run as the book says them, where they are bare with the accents of a purpose put back."""
    spelled = [word for term in run for word in (term.book or term.typed)]
    return [_PURPOSE_WORDS.get(word, word) for word in spelled]


def _is_premise(conditions: Sequence[Condition], said: Said) -> bool:
    """ "nghi sốt xuất huyết thì hạ sốt bằng thuốc nào": asked for is what stands behind "thì", "cần" or "vào viện"."""
    between = said.between(conditions[-2].runs[-1], conditions[-1].runs[0])
    if _NEEDS.search(" ".join(between)) and said.is_parted(conditions[-2].runs[-1], conditions[-1].runs[0]):
        return True
    return ("thi" in between and "dang" not in between) or _ADMITTED.search(" ".join(between)) is not None


def _is_subject(conditions: Sequence[Condition], said: Said) -> bool:
    first, last = conditions[0].runs[-1], conditions[-1].runs[0]
    between = " ".join(said.between(first, last))
    parted = not said.parted.isdisjoint(range(first[-1].place, last[0].place + 1))
    if not _BEFALLS.search(between) or _ONCE.search(between) or (parted and is_complaint(conditions[0].runs[0])):
        return False
    several = sum(len(one.runs) for one in conditions) > _PAIR
    if several and said.between(conditions[-2].runs[-1], last)[:1] == ("va",):
        # "liệt mặt, có ĐTĐ và đang bị loét dạ dày": the last is one of those that the patient has as well.
        return False
    return _SUBJECT.search(" ".join(said.between(None, conditions[0].runs[0]))) is not None


def tells_more(frame: QueryFrame, told: Told) -> bool:
    """Whether a question says anything beside the condition, understood or not: then what forbids is read for it."""
    return any(term not in told.condition.terms for term in terms_of(frame))


def of_population(block: EvidenceBlock, populations: frozenset[Population]) -> bool:
    """Whether a passage names one of these patients."""
    return any(names_population(block, population) for population in populations)


def asked_populations(frame: QueryFrame) -> frozenset[Population]:
    """The patients that a question without a condition is about."""
    others = frame.populations - {Population.NGUOI_LON}
    return others - AGE_GROUPS or others or frame.populations


def restored(condition: Condition, restore: Callable[[str], str]) -> Condition:
    """The condition with accents put back, where it was typed without any: for the search only."""
    typed = str(condition)
    if not condition or has_accents(typed):
        return condition
    spelled = iter(restore(typed).split())

    def spell(term: Term) -> Term:
        return replace(term, typed=tuple(next(spelled, word) for word in term.typed))

    return Condition(tuple(tuple(map(spell, run)) for run in condition.runs))
