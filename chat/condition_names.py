"""A condition as it is asked for, and where the book names it: word for word, in one sentence, by whatever name."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from chat.condition_forms import COURSES, forms_of, is_agent, same, single_condition, wider_forms, words_of
from chat.domain import EvidenceBlock, Term
from monographs.names import is_syllable
from monographs.text import fold, has_accents, normalise
from monographs.typography import split_run_in

# Not at a decimal comma.
_CLAUSE = re.compile(r"[.;:,()]\s|[.;:()]$")
_SENTENCE = re.compile(r"[.;]\s")
# Words that the book puts into a name and a question does not.
_LINKS = frozenset({"và", "do", "trong", "khi", "của", "ở", "bị", "vì", "týp", "typ", "bệnh", "tá", "tràng"})
_DENIED = re.compile(r"(?:^|[:,;] )không (?:được )?(?:dùng|chỉ định)(?! được)\b", re.IGNORECASE)
_ONLY_CAUSE = re.compile(r"\b(?:do|vì|gây|kèm|ở (?:người|trẻ)(?: bệnh)?)(?: bị| mắc| có)?$")
_LESSENED = re.compile(r"\b(?:giảm|mất|ức chế|hạ|không|ít)(?: \w+){0,2}$")
_CAME_FROM = re.compile(r"(?!trong |ngay )\S+ .*\b(?:sau|do|vì|kèm)$")
_EXCEPTED = re.compile(r"\btrừ\b|\bkhông có chống chỉ định\b")
# How complaints begin, folded.
_FELT = frozenset({"dau", "sot", "ho", "non", "ngua", "mat", "kho", "phu", "buon", "nac", "nhuc", "chong", "ap"})
# Courses that are none of each other.
_OPPOSITE = {"cap": "man", "man": "cap", "nang": "nhe", "nhe": "nang"}
_AGENT_WORDS = 2
# So much of a condition may ground part of it.
_LEAST_SHARE = 0.6
# What stands before the name of a condition in an item of what forbids or cautions, and how bad it must be.
_ITEM = re.compile(r"[,;.:()]+(?:\s|$)|\s\(|\s(?:và|hoặc|hay)\s")
_ITEM_HEAD = re.compile(
    r"^(?:thận trọng |không dùng )?(?:khi |ở |với |cho )?(?:người |bệnh nhân |trẻ (?:em )?)?(?:có |bị |mắc |đang )?"
    r"(?:nguy cơ |tiền sử |bệnh )?",
    re.IGNORECASE,
)
# What many diseases are called: "Nhiễm khuẩn chưa được kiểm soát" is not said by every infection.
_KINDS_OF_DISEASE = frozenset({"nhiễm khuẩn", "nhiễm nấm", "nhiễm virus", "ung thư", "phẫu thuật", "rối loạn"})
_PLACES = frozenset({"da day", "dai trang", "tuy xuong", "cot song", "am dao", "tu cung", "bang quang", "mui hong"})
_ITEM_TAIL = re.compile(r"(?: (?:nặng|mất bù|giai đoạn cuối|tiến triển|chưa (?:được )?kiểm soát|đang hoạt động))+$")
_DATA = Path(__file__).parent / "data" / "conditions.toml"
Counts = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition as asked: runs of terms that follow one another ("viêm âm đạo"), and as typed."""

    runs: tuple[tuple[Term, ...], ...]

    @property
    def terms(self) -> tuple[Term, ...]:
        """All terms, in order."""
        return tuple(term for run in self.runs for term in run)

    def __str__(self) -> str:
        return " ".join(str(term) for term in self.terms)

    def __bool__(self) -> bool:
        return bool(self.runs)


def speaks_of(
    block: EvidenceBlock, condition: Condition, *, plain: frozenset[str] = frozenset(), counts: Counts | None = None
) -> bool:
    """Whether one sentence of a passage names the condition: each of its runs word for word.

    plain: words of the condition that the book prints just so, and that there mean nothing but themselves; counts:
    whether a place of its first run counts, by the words before it in its clause.
    """
    return bool(sentences_on(block, condition, plain=plain, counts=counts))


def sentences_on(
    block: EvidenceBlock, condition: Condition, *, plain: frozenset[str] = frozenset(), counts: Counts | None = None
) -> tuple[str, ...]:
    """The sentences of a passage that name the condition; a label stands before each."""
    label = f"{block.labels[-1]}: " if block.labels and not block.text.startswith(block.labels[-1]) else ""
    return tuple(
        sentence
        for sentence in _SENTENCE.split(label + block.text)
        if all(
            any(counts is None or place > 0 or counts(b) for b in _before(sentence, run, plain))
            for place, run in enumerate(condition.runs)
        )
    )


def is_treated(condition: Condition) -> Counts:
    """Whether what a drug is indicated for is the condition itself: in "co giật do sốt" fever is not. What an infection
    is named by stands behind "do" as well, and is."""
    first, words_said = condition.terms[0].typed[0], [fold(word) for term in condition.terms for word in term.typed]
    agent = not is_syllable(fold(first)) or is_agent(condition.terms)
    disease = len(words_said) > 1 and (words_said[0] not in _FELT or is_set_apart(condition.terms))
    return lambda before: agent or not _ONLY_CAUSE.search(before) or (disease and _is_felt(before))


def _is_felt(before: str) -> bool:
    """Whether what a disease causes is what is felt of it: "khó thở do phù phổi cấp"."""
    felt = before.rpartition(" , ")[2]
    return felt.endswith(" do") and not _FELT.isdisjoint(map(fold, felt.split(" ")[-3:-1]))


def is_caused(before: str) -> bool:
    """Whether an unwanted effect is the condition itself: "giảm phản xạ ho" is no cough."""
    return not _LESSENED.search(before)


def is_forbidden(before: str) -> bool:
    """Whether a contraindication holds for the condition: not behind "trừ", nor where none is said to be, nor where it
    is only what another came from ("suy tim sau nhồi máu cơ tim")."""
    return not _EXCEPTED.search(before) and not _CAME_FROM.match(before.rpartition(" , ")[2])


def denies(sentence: str) -> bool:
    """Whether a sentence of an indication says what the drug is not for."""
    return _DENIED.search(sentence) is not None


def printed_plainly(blocks: Iterable[EvidenceBlock], condition: Condition) -> frozenset[str]:
    """The bare one-word runs of a condition that some passage prints just so: "ho" is then no "hô"."""
    bare = {run[0].typed[0] for run in condition.runs if len(run) == 1 and len(run[0].typed) == 1}
    bare = {word for word in bare if not has_accents(word)}
    printed = {word for block in blocks for word in words_of(block.text)} if bare else set()
    return frozenset(bare & printed)


def agent_apart(condition: Condition) -> Condition | None:
    """A condition with what causes it apart, which a sentence may put elsewhere: "viêm nội tâm mạc nhiễm khuẩn do liên
    cầu"; None where no agent is told."""
    if len(condition.runs) != 1 or len(condition.terms) <= _AGENT_WORDS + 1 or not is_agent(condition.terms):
        return None
    (run,) = condition.runs
    named = 1 if not is_syllable(fold(run[-1].typed[-1])) else _AGENT_WORDS
    return Condition((run[:-named], run[-named:]))


def halves_of(condition: Condition) -> tuple[Condition, ...]:
    """A condition of one run as two that are told in one sentence ("rung nhĩ đáp ứng thất nhanh" of "rung nhĩ, cuồng
    nhĩ đáp ứng thất nhanh"), each of two words or more."""
    if len(condition.runs) != 1:
        return ()
    (run,) = condition.runs
    cuts = range(len(run) - 1, 0, -1)
    halves = [(run[:at], run[at:]) for at in cuts]
    return tuple(Condition(two) for two in halves if all(sum(len(t.typed) for t in half) > 1 for half in two))


def longest_part(block: EvidenceBlock, condition: Condition) -> tuple[Term, ...]:
    """The longest phrase of a condition, of two terms or more or of one that is a name by itself ("mày đay"), that a
    passage prints; none where it prints none."""
    for run in sorted(condition.runs, key=len, reverse=True):
        for length in range(len(run), 0, -1):
            for first in range(len(run) - length + 1):
                part = run[first : first + length]
                if _is_more_than_a_place(part) and sentences_on(block, Condition((part,))):
                    return part
    return ()


def _is_more_than_a_place(part: Sequence[Term]) -> bool:
    """Whether part of a condition may ground it: of several words, and not only where in the body it is."""
    said = " ".join(fold(word) for term in part for word in term.typed)
    return (len(part) > 1 or is_phrase(part[0])) and said not in _PLACES


def items_within(text: str, condition: Condition) -> list[str]:
    """The items of a text that are said by what is told of the patient, or by part of it: "Nguy cơ glôcôm góc đóng" of
    "mắt bị glôcôm góc đóng"; never one word of several."""
    told = [form for run in condition.runs for form in forms_of(run)]
    phrases = {term.book for term in condition.terms if len(term.book) > 1}
    items = [item.strip(" .*_") for item in _ITEM.split(text)]
    return [item for item in items if _is_said(_core(item), told, phrases)]


def _core(item: str) -> list[str]:
    return words_of(_ITEM_TAIL.sub("", _ITEM_HEAD.sub("", item)))


def _is_said(core: Sequence[str], told: Iterable[Sequence[str]], phrases: Iterable[Sequence[str]]) -> bool:
    if len(core) < 2 or " ".join(core) in _KINDS_OF_DISEASE:
        return False
    return any(
        len(form) >= at + len(core) and all(map(same, form[at:], core))
        for form in (*told, *phrases)
        for at in range(len(form))
    )


def is_phrase(term: Term) -> bool:
    """Whether one term is a name of several words."""
    return max(len(term.typed), len(term.book)) > 1


def prints_as_item(block: EvidenceBlock, condition: Condition) -> tuple[Term, ...]:
    """The beginning of a condition that a passage prints as a whole item of its list: "Ho." for "ho khan"."""
    items = [words_of(clause) for clause in _CLAUSE.split(block.text)]
    run = condition.runs[0]
    for length in range(len(run) - 1, 0, -1):
        forms = forms_of(run[:length])
        if any(len(item) == len(form) and all(map(same, form, item)) for item in items for form in forms):
            return run[:length]
    return ()


def prints_item(block: EvidenceBlock, condition: Condition) -> bool:
    """Whether a passage prints a condition of one run as a whole item of its list, and not only as its label."""
    items = [words_of(clause) for clause in _CLAUSE.split(split_run_in(block.text, block.labels)[1])]
    forms = forms_of(condition.runs[0])
    return any(len(item) == len(form) and all(map(same, form, item)) for item in items for form in forms)


def is_enough(part: Sequence[Term], condition: Condition) -> bool:
    """Whether a phrase is so much of a condition that it may ground part of it."""
    if len(part) >= least_part(condition):
        return True
    words_of = sum(len(term.typed) for term in condition.terms)
    return any(map(is_phrase, part)) and sum(len(term.typed) for term in part) >= _LEAST_SHARE * words_of


def least_part(condition: Condition) -> int:
    """How many terms that follow one another may ground part of a condition."""
    return max(2, math.ceil(_LEAST_SHARE * len(condition.terms)))


def narrower(blocks: Iterable[tuple[EvidenceBlock, str]], condition: Condition, *, most: int) -> tuple[str, ...]:
    """What the book says more exactly than the question: the items that begin with the condition and go on."""
    counted: dict[str, set[str]] = {}
    for block, sentence in blocks:
        for clause in _CLAUSE.split(sentence):
            item = normalise(clause).strip(" .")
            if len(item) <= most and any(_begins(item, run) for run in condition.runs):
                counted.setdefault(item.lower(), set()).add(block.drug.drug_id)
    return tuple(sorted(counted, key=lambda item: (-len(counted[item]), item)))


def _begins(item: str, run: Sequence[Term]) -> bool:
    said = words_of(item)
    return any(len(said) > len(form) and all(map(same, form, said)) for form in forms_of(run))


def names_something(condition: Condition) -> bool:
    """Whether a condition is more than a stray syllable ("giảm", "trước")."""
    return any(
        len(run) > 1
        or run[0].book
        or len(run[0].typed) > 1
        or not is_syllable(word := fold(run[0].typed[0]))
        or single_condition(word)
        for run in condition.runs
    )


def solid_part(blocks: Sequence[EvidenceBlock], condition: Condition) -> Condition:
    """The runs of a condition that name one by themselves: of several words, or one that the book begins an item with,
    or calls otherwise. A stray word ("nội", "cao") names none, nor does a bare one that may be several."""
    return Condition(tuple(run for run in condition.runs if _is_solid(run, blocks)))


def _is_solid(run: Sequence[Term], blocks: Sequence[EvidenceBlock]) -> bool:
    if len(run) > 1 or run[0].book or len(run[0].typed) > 1 or not is_syllable(fold(run[0].typed[0])):
        return True
    word = run[0].typed[0]
    items = [said for block in blocks for clause in _CLAUSE.split(block.text) if (said := words_of(clause))]
    if single_condition(fold(word)):
        return True
    return [word] in items


def _before(sentence: str, run: tuple[Term, ...], plain: frozenset[str]) -> list[str]:
    """The words that stand before each place where a clause of a sentence names a run of terms; a comma between
    clauses."""
    alike: Callable[[str, str], bool] = _same_plainly if len(run) == 1 and run[0].typed[0] in plain else same
    found: list[str] = []
    courses, agents = wider_forms(run)
    passed = ""
    for clause in _CLAUSE.split(sentence):
        for said in _readings(words_of(clause)):
            places = [
                at
                for form in forms_of(run)
                for at in range(len(said))
                if _follows(form, said[at:], alike)
                and not _is_another(form, said[at + len(form) :])
                and not (form in courses and _is_of_other_course(said[at + len(form) :], run))
                and not (form in agents and len(said) > len(form))
            ]
            found += [passed + " ".join(said[:at]) for at in places]
        passed += f"{' '.join(words_of(clause))} , "
    return found


def _is_of_other_course(behind: Sequence[str], run: Sequence[Term]) -> bool:
    """Whether what stands behind a condition is another course of it than is asked for, and not each of them: "cấp hoặc
    tái phát"."""
    asked = {fold(word) for term in run for word in term.typed} & COURSES
    other = {_OPPOSITE[course] for course in asked}
    if behind[:3] == ["không", "ổn", "định"]:
        return True
    return bool(behind) and fold(behind[0]) in other and behind[1:2] not in (["hoặc"], ["và"])


def _readings(said: list[str]) -> list[list[str]]:
    """A clause, and what its first half says with the cause or the place of both: "viêm họng và viêm amidan do liên
    cầu", "vú to và đau vú ở nam"."""
    joint = said.index("và") if "và" in said else len(said)
    ends = [said.index(word, joint) for word in ("do", "ở") if word in said[joint:]]
    return [said, *(said[:joint] + said[end:] for end in ends)]


def _is_another(form: tuple[str, ...], behind: Sequence[str]) -> bool:
    """Whether a word behind a condition makes it another: "phù mạch" is no oedema, "đau bụng kinh" no other pain."""
    return bool(behind) and behind[0] in _apart().get(" ".join(form), [])


def is_set_apart(run: Sequence[Term]) -> bool:
    """Whether a run begins as a complaint does and is another thing: "ho gà", "sốt rét", "đau thắt ngực"."""
    said = [fold(word) for term in run for word in term.typed]
    if said[:3] == ["dau", "that", "nguc"]:
        return True
    return len(said) > 1 and said[1] in map(fold, _apart().get(said[0], []))


def _follows(form: tuple[str, ...], said: Sequence[str], same: Callable[[str, str], bool]) -> bool:
    place = 0
    for word in form:
        while 0 < place < len(said) and said[place] in _LINKS and not same(word, said[place]):
            place += 1
        if place >= len(said) or not same(word, said[place]):
            return False
        place += 1
    return True


@cache
def _apart() -> dict[str, list[str]]:
    table: dict[str, list[str]] = tomllib.loads(_DATA.read_text("utf-8"))["apart"]
    return {**table, **{fold(word): behind for word, behind in table.items()}}


def _same_plainly(asked: str, printed: str) -> bool:
    return asked == printed
