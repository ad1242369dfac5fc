"""Which condition a question without a drug is about, and what else it tells of the patient."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from chat.branches import AGE_GROUPS
from chat.condition_names import Condition
from chat.domain import EvidenceBlock, Population, QueryFrame, Term
from chat.patient_facts import names_population
from chat.terms import is_name_like, terms_of
from monographs.names import Token, tokenise
from monographs.text import fold, has_accents, normalise, spelling

# What stands between a condition and something else that the patient has.
_BESIDE = re.compile(
    r"\b(?:o nguoi|o benh nhan|tren nguoi|tren benh nhan|nguoi benh|benh nhan|benh nen|tien su|kem|them|nen|ma|lai|"
    r"dang|thi|tung|sau (?:khi )?(?:tiem|truyen|uong|dung))\b"
)
_SUBJECT = re.compile(
    r"\b(?:nguoi|benh nhan|bn|nguoi benh|cu|ong|ba|be|tre|chau)(?: \d+ (?:tuoi|t|thang|th))?(?: (?:bi|co|mac|mat))?$"
)
_BEFALLS = re.compile(r"^(?:\S+ ){0,2}(?:bi|dang|nay|gio|moi|them|ma)\b")
_PARTS = re.compile(r"[,;.]\s")
_APART = re.compile(r"\w+[ -]\w")
# Words of a question for drugs that name no condition.
_NO_CONDITION = frozenset(
    fold(
        "nghi ngờ diệt tiệt trừ khác nữa đặt bôi chích hợp kể tên liệt kê"
        " danh sách nhóm chứa hiệu khỏi hết đỡ nên tốt mạnh trị chọn chẩn đoán từng ef lvef"
    ).split()
)
_QUALITIES = frozenset({"man", "cap", "tinh", "nang", "nhe", "vua", "trung", "binh", "giai", "doan", "cuoi", "do"})
_ALLERGY = frozenset({"di", "ung", "qua", "man"})
# Words that are talk elsewhere, and no part of a condition's name between two of its words; others are: "ung thư phổi".
_PARTING = frozenset(
    spelling(word)
    for words in (
        "bị có ở kèm mà và với đang thì nên hay hoặc là dùng uống thuốc do của người bệnh",
        "nhân khi cho thêm còn trị chữa tiêm truyền em anh chị mấy bữa hôm hoài",
    )
    for word in words.split(" ")
)
# Bare words that are talk as well ("hả"), and part of the name right before it.
_TURNING = frozenset({"ha", "tang", "giam", "thieu", "mat"})
_LONGEST_GAP = 2
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
    terms = _without_lone_qualities([term for term in terms_of(frame) if not _is_no_condition(term, frame)])
    if not terms:
        organs = [_ORGANS[p] for p in Population if p in frame.populations and p in _ORGANS]
        return Told(Condition(tuple((Term(organ, (), 0),) for organ in organs)))
    found = tokenise(normalise(_unmasked(str(frame.raw.get("rest", "")))))
    tokens = [token.folded for token in found]
    terms = [term for term in terms if not _only_after(term, tokens)]
    terms = _with_names(terms, [token.text.lower() for token in found])
    parts: list[list[tuple[Term, ...]]] = []
    end = 0
    text = normalise(_unmasked(str(frame.raw.get("rest", ""))))
    parted = _parted(text, found)
    for run in _runs(terms, parted):
        between = " ".join(tokens[end : run[0].place])
        if not parts or _BESIDE.search(between) or _BEFALLS.search(between):
            parts.append([])
        parts[-1].append(run)
        end = run[-1].place + len(run[-1].typed)
    conditions = [Condition(tuple(part)) for part in parts]
    purpose = str(frame.raw.get("purpose") or "")
    if purpose:
        return _for_purpose(purpose, conditions)
    if len(conditions) > 1 and (_is_subject(conditions, tokens) or _is_premise(conditions, tokens)):
        # "bệnh nhân hen bị sốt": asked for is what befalls.
        conditions = [conditions[-1], *conditions[:-1]]
    asked = str(conditions[0])
    beside = [one for other in conditions[1:] for one in _each_of(other)]
    return Told(conditions[0], tuple(other for other in beside if fold(str(other)) != fold(asked)))


def _each_of(condition: Condition) -> tuple[Condition, ...]:
    """What is told of the patient in one breath, each for itself; of several the stray words are left out."""
    if len(condition.runs) == 1:
        return (condition,)
    named = [run for run in condition.runs if sum(len(term.typed) for term in run) > 1 or is_name_like(run[0])]
    return tuple(Condition((run,)) for run in named)


def _parted(text: str, tokens: Sequence[Token]) -> frozenset[int]:
    """Places before which a comma stands, or a bracket that opens on more than one word."""
    found = set()
    for place, (before, after) in enumerate(pairwise(tokens), start=1):
        gap = text[before.end : after.start]
        if _PARTS.search(gap) or ("(" in gap and _APART.match(text, after.start)):
            found.add(place)
    return frozenset(found)


def _for_purpose(purpose: str, conditions: Sequence[Condition]) -> Told:
    """ "sốt xuất huyết, sốt 39, uống gì hạ sốt": asked for is fever, and all else is the patient's. A pain is asked for
    by its own name ("đau răng"); where none of that is said, what is told is what is to be treated."""
    runs = [run for condition in conditions for run in condition.runs]
    words = purpose.split(" ")
    exact = [run for run in runs if _said_of(run) == words]
    pains = [run for run in runs if words == ["đau"] and _said_of(run)[:1] == words]
    asked = (exact or pains)[:1]
    if not asked and len(runs) == 1 and f" {purpose} " not in f" {' '.join(_said_of(runs[0]))} ":
        return Told(Condition((runs[0],)))
    condition = Condition(tuple(asked)) if asked else Condition(((Term(tuple(words), tuple(words), 0),),))
    return Told(condition, tuple(Condition((run,)) for run in runs if run not in asked))


def _said_of(run: Sequence[Term]) -> list[str]:
    """The words of a run as the book says them, where they are bare with the accents of a purpose put back."""
    spelled = [word for term in run for word in (term.book or term.typed)]
    return [_PURPOSE_WORDS.get(word, word) for word in spelled]


def _only_after(term: Term, tokens: Sequence[str]) -> bool:
    """The "sau" of "sau khi tiêm": when it came; the "mắc" of "người mắc": that it is had."""
    before, behind = tokens[max(term.place - 1, 0) : term.place], tokens[term.place + 1 : term.place + 2]
    if term.typed == ("mắc",) or (
        term.typed == ("mac",) and before in [["bi"], ["nhan"], ["nguoi"], ["dang"], ["khi"]]
    ):
        return True
    return term.typed == ("sau",) and behind in [["khi"], ["tiem"], ["truyen"], ["uong"], ["dung"]]


def _is_premise(conditions: Sequence[Condition], tokens: Sequence[str]) -> bool:
    """ "nghi sốt xuất huyết thì hạ sốt bằng thuốc nào": asked for is what stands behind "thì"."""
    before, last = conditions[-2].terms[-1], conditions[-1].terms[0]
    return "thi" in tokens[before.place + len(before.typed) : last.place]


def _is_subject(conditions: Sequence[Condition], tokens: Sequence[str]) -> bool:
    first, last = conditions[0].terms, conditions[-1].terms[0]
    between = " ".join(tokens[first[-1].place + len(first[-1].typed) : last.place])
    return bool(_SUBJECT.search(" ".join(tokens[: first[0].place])) and _BEFALLS.search(between))


def _unmasked(rest: str) -> str:
    return re.sub(r"\[[^\]]*\]?", lambda match: " " * len(match.group()), rest)


def _is_no_condition(term: Term, frame: QueryFrame) -> bool:
    if term.book:
        return False
    typed = fold(" ".join(term.typed))
    if frame.allergies and (typed in _ALLERGY or any(typed in fold(name).split() for name in frame.allergies)):
        return True
    if typed in {fold(name) for name in frame.partners}:
        return True
    return term.is_talk or typed in _NO_CONDITION


def _without_lone_qualities(terms: Sequence[Term]) -> list[Term]:
    """The terms without those that only tell how bad or how old something else is: the "mạn" of "suy thận mạn"."""
    kept = [run for run in _runs(terms) if not all(fold(" ".join(term.typed)) in _QUALITIES for term in run)]
    return [term for run in kept for term in run]


def _with_names(terms: Sequence[Term], tokens: Sequence[str]) -> list[Term]:
    """The terms with the words between two of them that are talk elsewhere: "ung thư phổi", "viêm phế quản co thắt"."""
    accented = any(map(has_accents, tokens))
    whole: list[Term] = []
    for before, term in pairwise([None, *terms]):
        if term is not None and _turns(tokens, term.place, accented=accented) and not _reaches(before, term.place):
            whole.append(Term((tokens[term.place - 1],), (), term.place - 1))
        if before is not None and term is not None:
            end = before.place + len(before.typed)
            between = tokens[end : term.place]
            if 0 < len(between) <= _LONGEST_GAP and not any(_parts(word, accented=accented) for word in between):
                whole += [Term((word,), (), end + at) for at, word in enumerate(between)]
        if term is not None:
            whole.append(term)
    return whole


def _turns(tokens: Sequence[str], place: int, *, accented: bool) -> bool:
    """Whether the bare word before a place turns what follows round, and is no talk: "ha kali huyet"."""
    return not accented and place > 0 and tokens[place - 1] in _TURNING


def _reaches(before: Term | None, place: int) -> bool:
    """Whether the term before ends right there, and so is that word itself."""
    return before is not None and before.place + len(before.typed) == place


def _parts(word: str, *, accented: bool) -> bool:
    """Whether a word parts two names; a bare one in a question with accents is only itself ("co" is no "có")."""
    if accented:
        return spelling(word) in _PARTING
    return fold(word) in set(map(fold, _PARTING))


def _runs(terms: Sequence[Term], parted: frozenset[int] = frozenset()) -> list[tuple[Term, ...]]:
    """parted: places before which a comma stands."""
    runs: list[list[Term]] = []
    for before, term in pairwise([None, *terms]):
        follows = before is not None and term is not None and term.place == before.place + len(before.typed)
        if follows and term is not None and term.place not in parted:
            runs[-1].append(term)
        elif term is not None:
            runs.append([term])
    return [tuple(run) for run in runs]


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
