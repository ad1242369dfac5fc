"""The runs of words in a question that may name a condition: what is talk, a patient or a treatment is left out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from chat.condition_forms import is_illness_of, is_short, single_condition, word_list
from chat.condition_runs import Run, bracketed_in, called_twice, measured_in, name_by_name
from chat.domain import QueryFrame, Term, TurnType
from chat.terms import is_name_like, names_in, terms_of
from monographs.names import Token, tokenise
from monographs.text import fold, has_accents, normalise, spelling

_PARTS = re.compile(r"[,;.]\s|[+&]|\s[/–-]\s|->|=>")
# What denies a complaint told by itself: ", không khó thở".
_DENYING = frozenset({"khong", "chua"})
# Words of a question for drugs that name no condition.
_NO_CONDITION = (
    "nghi ngờ diệt tiệt trừ khác nữa đặt bôi chích hợp kể tên kê danh sách nhóm chứa hiệu khỏi hết đỡ nên tốt mạnh trị",
    "chọn chẩn đoán từng ef lvef trước lần muốn làm ghi mm cm nghề",
)
_NO_CONDITION_SPELLED = frozenset(spelling(word) for words in _NO_CONDITION for word in words.split(" "))
_NO_CONDITION_BARE = frozenset(fold(word) for words in _NO_CONDITION for word in words.split(" "))
# Those that other words fold to ("ho", "vị") only with their accents.
_NO_CONDITION_ACCENTED = frozenset(
    map(
        spelling,
        (
            "hỗ",
            "trợ",
            "vừa",
            "vì",
            "cách",
            "năm",
            "nằm",
            "nhờ",
            "hút",
            "khỏe",
            "sách",
            "dạo",
            "chịu",
            "nền",
            "gồm",
            "nhưng",
        ),
    )
)
_COURSES = frozenset({"bien chung", "tai phat", "huyet ap"})
# Of them those that are bare halves of names as well: "vay nen", "tri".
_NAMES_TOO = frozenset({"nen", "tri", "het", "khoi"})
_QUALITIES = frozenset({"man", "cap", "tinh", "nang", "nhe", "vua", "trung", "binh", "giai", "doan", "cuoi", "do"})
_ALLERGY = frozenset({"di", "ung", "qua", "man"})
# Words that are talk elsewhere, and no part of a condition's name between two of its words; others are: "ung thư phổi".
_PARTING = frozenset(
    spelling(word)
    for words in (
        "bị có ở kèm mà và với đang thì nên hay hoặc là dùng uống thuốc do của người bệnh",
        "nhân khi cho thêm còn trị chữa tiêm truyền em anh chị mấy bữa hôm hoài muốn giờ",
        "mới bằng trên nền vì từng trước đây rồi hồi năm ngoái mỗi bs ds nói bảo kêu xong cần vừa",
        "lắm chịu cả quá làm nhưng nghi ngờ bảo",
    )
    for word in words.split(" ")
)
# Bare words that are talk as well ("hả"), and part of the name right before it.
_TURNING = frozenset({"ha", "tang", "giam", "thieu", "mat"})
# Complaints that are told behind a disease, and what stands before one that is to be treated.
_FURTHER = frozenset({"sốt", "ngứa", "sưng", "đau", "sot", "ngua"})
_AGAINST = frozenset({"du", "con", "dau"})
# Words that name nothing before these, and behind those.
_TOLD_BEFORE = {
    "cat": {"con"},
    "liet": {"ke"},
    "mang": {"van"},
    "du": {"doi"},
    "on": {"dinh"},
    "tu": {"nho"},
    "sau": {"khi", "tiem", "truyen", "uong", "dung"},
}
# What a drug does, before what it does; "gãy xương" is a condition.
_DOES = re.compile(r"(?:gay|lam)(?! (?:xuong|tay|chan|rang|co)\b)")
_TOLD_BEHIND = {
    "mac": {"", "bi", "nhan", "nguoi", "dang", "khi"},
    "vien": {"vao", "nhap", "nam", "ra"},
    "cam": {"nao", "gi"},
    "tranh": {"phai", "nen", "can"},
    "doi": {"du"},
    "nho": {"tu"},
    "day": {"truoc", "gan", "lau"},
}
# Where fungi grow, folded, behind the "nam" with which a question begins.
_OF_FUNGI = frozenset(
    {
        "da",
        "mieng",
        "luoi",
        "hong",
        "am",
        "mong",
        "toc",
        "ke",
        "ben",
        "candida",
        "tai",
        "chan",
        "tay",
        "than",
        "phoi",
        "o",
    }
)
# "Vừa đau vừa sốt".
_BOTH = "vua"
_LONGEST_GAP = 2
# How complaints begin that are told together, folded.
_COMPLAINTS = frozenset({"dau", "nhuc", "sot", "ho", "ngua", "noi", "non", "buon", "ia", "tieu", "chong", "mat", "may"})


@dataclass(frozen=True, slots=True)
class Said:
    """A question without its drugs (text, as "·"), its words, the places before which a comma or a bracket stands, the
    runs of terms in it, and the places within brackets that explain something else than the run before them."""

    text: str
    tokens: tuple[Token, ...]
    parted: frozenset[int]
    runs: tuple[Run, ...]
    bracketed: frozenset[int] = frozenset()

    def between(self, first: Run | None, second: Run) -> tuple[str, ...]:
        """The folded words between two runs; from the beginning where first is None."""
        start = first[-1].place + len(first[-1].typed) if first else 0
        return tuple(token.folded for token in self.tokens[start : second[0].place])

    def is_parted(self, first: Run | None, second: Run) -> bool:
        """Whether a comma or a bracket stands between two runs."""
        start = first[-1].place + len(first[-1].typed) if first else 0
        return not self.parted.isdisjoint(range(start, second[0].place + 1))

    def tells_drug_between(self, first: Run, second: Run) -> bool:
        """Whether a drug stands between two runs."""
        end, start = first[-1].place + len(first[-1].typed) - 1, second[0].place
        inside = 0 <= end < start < len(self.tokens)
        return inside and "·" in self.text[self.tokens[end].end : self.tokens[start].start]


def said_in(frame: QueryFrame) -> Said:
    """The runs of a question that may name conditions, in order."""
    text = normalise(_unmasked(str(frame.raw.get("rest", ""))))
    tokens = tuple(tokenise(text))
    folded = [token.folded for token in tokens]
    names = names_in(frame)
    parted = _parted(text, tokens) - {place for name in names for place in name[1:]}
    # What the book lists as an effect or a contraindication is one to its last word.
    listed = frame.turn_type is TurnType.CONDITION_RELATION
    sure = {place for name in names for place in (name if listed else name[-1:])}
    kept = [
        term
        for term in terms_of(frame)
        if term.place in sure or not _is_no_condition(term, frame) or _is_illness(term, folded)
    ]
    terms = _without_lone_qualities(kept, parted)
    measured = measured_in(text, tokens)
    typed = [token.text.lower() for token in tokens]
    accented = any(map(has_accents, typed)) and not frame.raw.get("bare")
    in_name = {place for name in names for place in name}
    men = {t.place for t in terms if t.place not in in_name and _is_man(t, folded, accented=accented)}
    terms = [term for term in terms if not _only_tells(term, folded) and term.place not in men]
    terms = [term for term in terms if term.place not in measured]
    within = frozenset(place for name in names for place in name[1:]) if listed else frozenset()
    terms = _with_names(terms, typed, within, bare=bool(frame.raw.get("bare")))
    told = [part for run in _runs(terms, parted, within) for part in name_by_name(_without_then(run), names)]
    runs = [_with_head(_accented(run), tokens) for run in told]
    runs = [run for run in runs if not (_is_denied(run, folded, parted) or _is_only_done(run))]
    strange = frame.raw.get("strange")
    called = called_twice(runs, text, tokens, frozenset(strange if isinstance(strange, list) else ()))
    return Said(text, tokens, parted, tuple(called), bracketed_in(text, tokens, runs))


def _is_only_done(run: Run) -> bool:
    """ "Kiểm soát tần số" says what is to be done about something else."""
    said = [fold(word) for term in run for word in term.typed]
    return len(said) > _LONGEST_GAP and word_list("done_about").issuperset(said)


def _without_then(run: Run) -> Run:
    """ "dong kinh thi" without what goes on with the sentence."""
    return run[:-1] if len(run) > 1 and run[-1].typed == ("thi",) else run


def _is_illness(term: Term, tokens: Sequence[str]) -> bool:
    """ "benh tri" names one, whatever "tri" is elsewhere."""
    if len(term.typed) > 1 or not 0 < term.place < len(tokens):
        return False
    behind = next(iter(tokens[term.place + 1 : term.place + 2]), "")
    return is_illness_of(tokens[term.place - 1], term.typed[0], behind)


def _is_denied(run: Run, tokens: Sequence[str], parted: frozenset[int]) -> bool:
    """Whether a complaint is told not to be there; "lậu không biến chứng" is."""
    before = run[0].place - 1
    if fold(run[0].typed[0]) in _DENYING:
        return run[0].place in parted
    denied = 0 <= before < len(tokens) and tokens[before] in _DENYING
    return denied and (before in parted or is_complaint(run))


def _parted(text: str, tokens: Sequence[Token]) -> frozenset[int]:
    """Places before which a comma stands or a bracket opens."""
    found = set()
    for place, (before, after) in enumerate(pairwise(tokens), start=1):
        gap = text[before.end : after.start]
        if _PARTS.search(gap) or "(" in gap:
            found.add(place)
    return frozenset(found)


def _accented(run: Run) -> Run:
    """A condition of one bare syllable with its accents: "phu" is oedema, and no "phụ"."""
    if len(run) > 1 or run[0].book or len(run[0].typed) > 1:
        return run
    return (replace(run[0], typed=(single_condition(run[0].typed[0]) or run[0].typed[0],)),)


def _with_head(run: Run, tokens: Sequence[Token]) -> Run:
    """The "bệnh" of "bệnh tim", without which one syllable names nothing."""
    place = run[0].place - 1
    alone = len(run) == 1 and len(run[0].typed) == 1 and not run[0].book
    if not alone or not 0 <= place < len(tokens) or tokens[place].folded != "benh":
        return run
    return (Term((tokens[place].text.lower(),), (), place), *run)


def _only_tells(term: Term, tokens: Sequence[str]) -> bool:
    """Whether a word beside its neighbour only tells when, how or what to do: the "sau" of "sau khi tiêm", the "mắc" of
    "người mắc", the "cắt" of "cắt cơn", the "viện" of "vào viện"."""
    typed = fold(" ".join(term.typed))
    before, behind = (
        " ".join(tokens[max(term.place - 1, 0) : term.place]),
        " ".join(tokens[term.place + 1 : term.place + 2]),
    )
    if term.typed == ("mắc",) or (term.typed == ("kem",) and not term.is_named):
        return True
    if typed == _BOTH:
        return tokens.count(_BOTH) > 1
    if term.typed in {("gây",), ("gay",)}:
        return _DOES.match(f"{typed} {behind}") is not None
    return before in _TOLD_BEHIND.get(typed, ()) or behind in _TOLD_BEFORE.get(typed, ())


def _is_man(term: Term, tokens: Sequence[str], *, accented: bool) -> bool:
    """The bare "nam" of "benh nhan nam 45 tuoi", or of a question with accents: no fungus; nor where a question begins
    with it and goes on with no place of the body."""
    if term.typed != ("nam",):
        return False
    if accented or (term.place == 0 and not _OF_FUNGI.issuperset(tokens[1:2])):
        return True
    before, behind = tokens[max(term.place - 1, 0) : term.place], tokens[term.place + 1 : term.place + 2]
    counted = bool(behind) and (behind[0][0].isdigit() or behind[0] in {"gioi", "nay", "ngoai", "truoc", "nao"})
    return counted or (bool(before) and before[0] in {"nhan", "bn", "khach", "ong"})


def _unmasked(rest: str) -> str:
    return re.sub(r"\[[^\]]*\]?", lambda match: " " * len(match.group()), rest)


def _is_no_condition(term: Term, frame: QueryFrame) -> bool:
    typed = fold(" ".join(term.typed))
    if term.book or (term.is_named and typed in _NAMES_TOO):
        return False
    if frame.allergies and (typed in _ALLERGY or any(typed in fold(name).split() for name in frame.allergies)):
        return True
    if typed in {fold(name) for name in frame.partners}:
        return True
    said = spelling(" ".join(term.typed))
    names_none = said in _NO_CONDITION_SPELLED if has_accents(said) else typed in _NO_CONDITION_BARE
    return term.is_talk or names_none or said in _NO_CONDITION_ACCENTED


def _without_lone_qualities(terms: Sequence[Term], parted: frozenset[int]) -> list[Term]:
    """The terms without those that only tell how bad or how old something else is: the "mạn" of "suy thận mạn"."""
    kept = [run for run in _runs(terms, parted) if not _is_quality([fold(" ".join(term.typed)) for term in run])]
    return [term for run in kept for term in run]


def _is_quality(said: Sequence[str]) -> bool:
    return " ".join(said) in _COURSES or all(word in _QUALITIES for word in said)


def _with_names(terms: Sequence[Term], tokens: Sequence[str], within: frozenset[int], *, bare: bool) -> list[Term]:
    """The terms with the words between two of them that are talk elsewhere: "ung thư phổi", "viêm phế quản co thắt".
    within: places inside a name, before which nothing parts it."""
    accented = not bare and any(map(has_accents, tokens))
    whole: list[Term] = []
    for before, term in pairwise([None, *terms]):
        if term is not None and _turns(tokens, term.place, accented=accented) and not _reaches(before, term.place):
            whole.append(Term((tokens[term.place - 1],), (), term.place - 1))
        if before is not None and term is not None:
            end = before.place + len(before.typed)
            between = list(tokens[end : term.place])
            joins = not any(_parts(word, accented=accented) or word[0].isdigit() for word in between)
            joins = joins and not (between == ["ra"] and is_name_like(term))
            joins = joins or within.issuperset(range(end, term.place + 1))
            if 0 < len(between) <= _LONGEST_GAP and joins:
                whole += [Term((word,), (), end + at) for at, word in enumerate(between)]
        if term is not None:
            whole.append(term)
    # A word may stand between two terms and turn the next one round: it is there once.
    return list({term.place: term for term in whole}.values())


def _turns(tokens: Sequence[str], place: int, *, accented: bool) -> bool:
    """Whether the bare word before a place turns what follows round, and is no talk: "ha kali huyet"."""
    return not accented and 0 < place <= len(tokens) and tokens[place - 1] in _TURNING


def _reaches(before: Term | None, place: int) -> bool:
    """Whether the term before ends right there, and so is that word itself."""
    return before is not None and before.place + len(before.typed) == place


def _parts(word: str, *, accented: bool) -> bool:
    """Whether a word parts two names; a bare one in a question with accents is only itself ("co" is no "có")."""
    if accented:
        return spelling(word) in _PARTING
    return fold(word) in set(map(fold, _PARTING))


def _runs(
    terms: Sequence[Term], parted: frozenset[int] = frozenset(), within: frozenset[int] = frozenset()
) -> list[Run]:
    """parted: places before which a comma stands; within: those inside a name, which goes on there."""
    runs: list[list[Term]] = []
    for before, term in pairwise([None, *terms]):
        follows = before is not None and term is not None and term.place == before.place + len(before.typed)
        goes_on = term is not None and term.place in within
        follows = follows and not (term and runs and not goes_on and _is_next_complaint(runs[-1], term))
        follows = follows and not (before is not None and term is not None and (is_short(before) or is_short(term)))
        if follows and term is not None and term.place not in parted:
            runs[-1].append(term)
        elif term is not None:
            runs.append([term])
    return [tuple(run) for run in runs]


def _is_next_complaint(run: Sequence[Term], term: Term) -> bool:
    """ "viêm âm đạo ngứa", "nổi mề đay ngứa", "sốt đau đầu": a name, and another complaint behind it."""
    if run[-1].book:
        return is_complaint((term,))
    named = len(run) > 1 or bool(single_condition(fold(run[0].typed[0])))
    return named and term.typed[0] in _FURTHER and fold(run[0].typed[0]) not in _AGAINST


def is_complaint(run: Sequence[Term]) -> bool:
    """Whether a run begins as a complaint does ("nổi mày đay", "đau")."""
    return fold(run[0].typed[0].split(" ")[0]) in _COMPLAINTS
