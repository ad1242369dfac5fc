"""What a question names beside the drugs of the index, to be taken with them: classes, drinks, unlisted drugs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from chat.cues import no_drug_words
from chat.drug_classes import classes_asked, title_of
from chat.medicines import is_taken
from chat.mixing import is_mixing
from chat.orders import NO_MEDICINE, STRENGTH, first_of_list, is_prescribed, line_marks
from monographs.names import NameSpan, Token, is_syllable, tokenise
from monographs.text import fold

# Words that join two things that are taken together, and those that may stand beside them.
_JOINS = frozenset({"voi", "va", "vs", "cung", "chung", "them", "kem", "plus", "phoi", "ket"})
_WORDS_BESIDE = (
    "ngay tuan thang gio "
    "uong dung tiem truyen thuoc nhom cac loai mot so nhung dang roi tiep nua phoi hop tuong tac giua co duoc phai luc "
    "sau truoc khi vien chat toa don bn benh nhan"
)
_BESIDE = frozenset(_WORDS_BESIDE.split())
_TOGETHER = (_JOINS - {"va"}) | {"sau", "truoc", "cach"}
# Those that join what stands right behind them, whatever was told before; and the forms it may be given in.
_ADDS = frozenset({"voi", "cung", "chung", "them", "kem"})
_GIVEN = frozenset({"nho", "mat", "mui", "tai", "xit", "boi", "hit", "ngam"})
# Through what both run: "chung dây meropenem đang chạy", "cùng bơm tiêm điện với".
_LINE_WORDS = "day duong ven chai tui bich lo kim bom dien xi lanh xilanh syringe chac ba nhanh mot dich ngo"
_LINES = frozenset(_LINE_WORDS.split())
# Words that name no drug alone and do in "acid folic", "magnesi sulfat".
_SALTS = frozenset({"acid", "magnesi", "natri", "kali", "calci", "sulfat", "clorid", "phosphat", "lactat", "vitamin"})
_ACIDS = frozenset(
    {"carbonat", "sulfat", "clorid", "phosphat", "lactat", "gluconat", "fumarat", "citrat", "oxyd", "hydroxyd"}
)
_SIGNS = re.compile(r"[+&,;/]")
_EXCHANGED = re.compile(r"\b(?:thay|doi|chuyen)\b[^.;?]{0,40}?\b(?:bang|sang|qua|thanh) ([a-z]+)")
_PER = re.compile(r"\s*/")
# "x2", "s1v": how often, and when.
_TIMES = re.compile(r"(?:x|s|tr|c|t)\d{1,2}v?")
# What ends a medicine's line, or stands between two: a sign, a number of its own.
_BREAK = re.compile(r"[,;:+&()#]|(?<![^\W_])\d[\d.,]*|(?<=\s)[-–•*](?=\s)")
_AMOUNT = re.compile(r"[\d.,]+(?:mg|g|ml|mcg|v)?|mg|g|ml|mcg|microgam|(?:s|tr|c|t|x)\d{1,2}v?|\d{1,2}v")
_DOSE_WORDS = (
    "mg g ml mcg microgam vien goi ong giot lan ngay sang trua chieu toi uong tiem truyen ngam boi xit nho phut gio an "
    "doi truoc sau khi x v don toa ke gom va voi cung them lieu"
)
_OF_A_DOSE = frozenset(_DOSE_WORDS.split())
_OF_A_PATIENT = frozenset(["tuoi", "creatinin", "clcr", "egfr", "glucose", "albumin", "bilirubin", "uric", "inr"])
_VITAMIN, _LETTER = "vitamin", re.compile(r"[a-zđ]\d{0,2}", re.IGNORECASE)
_ALLERGIC = re.compile(r"\b(?:di ung|qua man|soc|phan ve)(?: (?:voi|thuoc|nhom|nang|cac|khang|sinh))*\s*$")
_TO_BE_GIVEN = re.compile(r"\b(?:tiem|truyen|dung|uong|chup|them|kem)(?: thuoc| co)*\s+$")
# What is to be given, behind what is told to be taken: "đang colchicin, kê ·".
_GIVES = re.compile(r"\b(?:ke|them|cho|chi dinh|dung|uong|tiem|truyen|mua|doi sang|vao)(?: \w+){0,3}?\s*$")
# Behind a drug that is taken, what the patient wants or is to have: "uống ·, muốn dùng thuốc tránh thai".
_SAID_TO_TAKE = re.compile(r"\b(?:uong|dung|xai|tiem|chich|truyen)(?: thuoc)?\s*$")
_WANTS = re.compile(
    r"\b(?:muon|dinh|tinh|can|phai|duoc|gio|nay|sap|hoi|xin|mua|ke|cho|them|ma|roi)\b[^,;.?]{0,20}?"
    r"\b(?:dung|uong|xai|tiem|chich|truyen|dat|chup|mua|ke|them)(?: (?:thuoc|them|vien|co|nhom|giam dau|ha sot))*\s*$"
)
_WHILE = re.compile(
    r"\s*(?:\w+ ){0,2}?(?:khi|luc|ma|cho (?:bn|nguoi|benh nhan)|tren (?:bn|nguoi|benh nhan)|o (?:bn|nguoi|benh nhan))"
    r"(?: \w+){0,2}? (?:dang|da|san)(?: (?:uong|dung|xai|dieu tri|tiem|truyen))?(?: (?:thuoc|bang))?\s*"
)
_WHICH = re.compile(r"\s*(?:\w+ )?(?:nao|gi)\b")
# What runs already, where another is to be mixed with it or run beside it.
_RUNS_BEFORE = re.compile(r"\bdang (?:chay|truyen|bom|nho giot)(?: (?:thuoc|dich|chai|tui|co))*\s*$")
_RUNS_BEHIND = re.compile(r"\s*(?:con |van )?dang (?:chay|truyen|bom|nho giot)\b")
# Two names that a slash or a plus makes one combination: "piperacilin/tazobactam".
_OF_COMBINATION = re.compile(r"\s?[/+]\s?")
# What stands between two names of one drug, and brackets around a name that was blanked.
_BRACKET = re.compile(rf"(?:{STRENGTH.pattern})?\s*\(\s*", re.IGNORECASE)
_EMPTY = re.compile(r"\(\s*\)")
_SHORTEST, _SHORTEST_LISTED = 5, 3
_LONGEST_LINE = 40


@dataclass(frozen=True, slots=True)
class Partners:
    """names: class titles, and other names as typed; lines: those of a prescription in which nothing was recognised;
    joined: whether the question joins anything to a drug, so that both are asked about together; explained: names in no
    index that the question says another name of: "Plavix (clopidogrel)"."""

    names: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    joined: bool = False
    explained: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Item:
    text: str
    start: int
    end: int
    is_drug: bool = False
    is_class: bool = False


def find_partners(rest: str, spans: Sequence[NameSpan], unknown: Sequence[str]) -> Partners:
    """rest: the question with its drugs blanked, at the offsets of spans; unknown: names that are in no index."""
    if not spans:
        return Partners()
    drugs = [_Item(span.text, span.start, span.end, is_drug=True) for span in spans]
    others = _candidates(rest)
    items = sorted([*drugs, *others], key=lambda item: item.start)
    called = _called_otherwise(items, rest, unknown)
    rest = _blanked(rest, called)
    items = [item for item in items if item not in called]
    first, mixing = first_of_list(rest), is_mixing(rest)
    kept = [
        item
        for place, item in enumerate(items)
        if not item.is_drug
        and (
            item.start >= first
            or _is_named(place, items, rest)
            or (len(spans) > 1 and _is_given(item, rest))
            or _is_taken_before(place, items, rest)
            or _is_wanted_beside(place, items, rest)
            or _is_for_who_takes(place, items, rest)
            or (mixing and _is_running(item, rest))
        )
    ]
    recognised = [*drugs, *kept]
    lines = tuple(dict.fromkeys((*_unrecognised_lines(rest, recognised), *_measured(rest, drugs, recognised))))
    names = [title_of(classes_asked(item.text)[0].key) if item.is_class else as_printed(item.text) for item in kept]
    known = tuple(n for n in dict.fromkeys(names) if " + " in n or not any(word in unknown for word in n.split()))
    explained = tuple(item.text for item in called if item.text in unknown)
    return Partners(known, lines, joined=bool(kept or lines), explained=explained)


def _called_otherwise(items: Sequence[_Item], rest: str, unknown: Sequence[str]) -> list[_Item]:
    """Of two names of one drug, the second in brackets, the one that the book does not know, else the second."""
    called = []
    for name, other in pairwise(items):
        both = not (name.is_drug or other.is_drug or name.is_class or other.is_class)
        if both and _BRACKET.fullmatch(rest, name.end, other.start) and rest[other.end :].lstrip().startswith(")"):
            called.append(name if name.text in unknown and other.text not in unknown else other)
    return called


def _blanked(rest: str, items: Sequence[_Item]) -> str:
    """The question without these names and the brackets around them, at the same offsets."""
    parts = list(rest)
    for item in items:
        parts[item.start : item.end] = " " * (item.end - item.start)
    return _EMPTY.sub(lambda match: " " * len(match.group()), "".join(parts))


def as_printed(name: str) -> str:
    """A combination as the book spells it: "piperacilin/tazobactam" as "piperacilin + tazobactam"."""
    parts = _OF_COMBINATION.split(name)
    return " + ".join(parts) if len(parts) > 1 and all(part.isalpha() for part in parts) else name


def exchanged_for(rest: str) -> tuple[str, ...]:
    """A drug without a monograph that is to stand in for another: "thay · bằng clopidogrel"."""
    match = _EXCHANGED.search(fold(rest)) if len(fold(rest)) == len(rest) else None
    name = rest[match.start(1) : match.end(1)] if match else ""
    is_name = len(name) >= _SHORTEST and not is_syllable(fold(name)) and fold(name) not in no_drug_words()
    return (name,) if is_name and not classes_asked(name) else ()


def compared_with(rest: str, partners: Partners, turns: set[str]) -> tuple[str, ...]:
    """Drugs without a monograph that a drug is compared with, though the book may mention them: "so sánh Losec với
    pantoprazol". A name in brackets tells more of the one before it: "Retarpen (benzathin)"."""
    if "comparison" not in turns or "interaction" in turns:
        return ()
    outside = re.sub(r"\([^()]*\)", " ", rest)
    return tuple(name for name in partners.names if name in outside and not classes_asked(name))


def taken_together(rest: str, spans: Sequence[NameSpan]) -> bool:
    """Whether the drugs of a question are joined by more than "và": with each other, or as lines of a prescription."""
    if len(line_marks(rest)) > 1 or is_prescribed(rest, spans):
        return True
    between = [rest[before.end : after.start] for before, after in pairwise(sorted(spans, key=lambda s: s.start))]
    return any(_TOGETHER & {token.folded for token in tokenise(text)} or "+" in text for text in between)


def _candidates(rest: str) -> list[_Item]:
    asked = [m for m in classes_asked(rest) if not _ALLERGIC.search(fold(rest[: m.start]) + " ")]
    classes = [_Item(m.text, m.start, m.end, is_class=True) for m in asked]
    taken = [(item.start, item.end) for item in classes]
    tokens = [t for t in tokenise(rest) if not any(start <= t.start < end for start, end in taken)]
    runs = [part for foreign, run in groupby(tokens, key=_is_foreign) if foreign for part in _apart(list(run), rest)]
    names = [_Item(rest[run[0].start : run[-1].end], run[0].start, run[-1].end) for run in runs if _is_name(run)]
    names = [name for name in names if not _is_salt_of(name, classes, rest)] + _vitamins(tokens, rest)
    return [*classes, *(name for name in names if not _ALLERGIC.search(fold(rest[: name.start]) + " "))]


def _apart(run: Sequence[Token], rest: str) -> list[list[Token]]:
    """A run of foreign words, cut where a bracket opens: "clopidogrel (Plavix)" is one drug under two names."""
    cuts = [0, *(at for at in range(1, len(run)) if "(" in rest[run[at - 1].end : run[at].start]), len(run)]
    return [list(run[first:last]) for first, last in pairwise(cuts)]


def _is_salt_of(name: _Item, classes: Sequence[_Item], rest: str) -> bool:
    """The "carbonat" right behind a "calci" that is named as a class."""
    return fold(name.text) in _ACIDS and any(not rest[each.end : name.start].strip() for each in classes)


def _vitamins(tokens: Sequence[Token], rest: str) -> list[_Item]:
    """ "vitamin C", "vitamin B12"."""
    return [
        _Item(rest[word.start : letter.end], word.start, letter.end)
        for word, letter in pairwise(tokens)
        if word.folded == _VITAMIN and _LETTER.fullmatch(letter.folded)
    ]


def _is_foreign(token: Token) -> bool:
    return len(token.folded) >= _SHORTEST_LISTED and token.folded.isalpha() and not is_syllable(token.folded)


def _is_name(run: Sequence[Token]) -> bool:
    plain = {token.folded for token in run} & no_drug_words()
    return not plain or (len(run) > 1 and plain <= _SALTS)


def _is_given(item: _Item, rest: str) -> bool:
    """Whether a class is given as well: "chụp có tiêm cản quang; đang uống Glucophage, Cozaar"."""
    return item.is_class and _TO_BE_GIVEN.search(fold(rest[: item.start])) is not None


def _is_named(place: int, items: Sequence[_Item], rest: str) -> bool:
    """Whether something is joined to what stands before or behind it, or has a strength as a drug in a list has."""
    item = items[place]
    if not item.is_class and STRENGTH.match(rest, item.end):
        return True
    before = place > 0 and _joins(rest[items[place - 1].end : item.start])
    after = place + 1 < len(items) and _joins(rest[item.end : items[place + 1].start])
    # A short word ("ibu") is one of a list only between two others.
    return (before or after) if item.is_class or len(item.text) >= _SHORTEST else (before and after)


def _is_taken_before(place: int, items: Sequence[_Item], rest: str) -> bool:
    """Whether it is told of the patient to be taken, and a drug is to be given now: "đang colchicin, kê ·"."""
    item = items[place]
    before = fold(rest[: item.start]) + " "
    told = is_taken(before)
    given = (other for other in items[place + 1 :] if other.is_drug)
    long_enough = item.is_class or len(item.text) >= _SHORTEST
    return told and long_enough and any(_GIVES.search(fold(rest[item.end : drug.start])) for drug in given)


def _is_wanted_beside(place: int, items: Sequence[_Item], rest: str) -> bool:
    """Whether a class is to be taken by who is told to take a drug; which one of it to take asks for no pair."""
    item = items[place]
    if not item.is_class or _WHICH.match(fold(rest[item.end :])):
        return False
    taken = (d for d in items[:place] if d.is_drug and _is_told(fold(rest[: d.start]) + " "))
    return any(_WANTS.search(fold(rest[drug.end : item.start])) for drug in taken)


def _is_for_who_takes(place: int, items: Sequence[_Item], rest: str) -> bool:
    """Whether a class is asked about for who takes a drug: "kháng sinh macrolid khi đang uống ·"."""
    item = items[place]
    behind = next((other for other in items[place + 1 :] if other.is_drug), None)
    return item.is_class and behind is not None and _WHILE.fullmatch(fold(rest[item.end : behind.start])) is not None


def _is_told(before: str) -> bool:
    return is_taken(before) or _SAID_TO_TAKE.search(before) is not None


def _is_running(item: _Item, rest: str) -> bool:
    """Whether it is told to run already: "vào dây dịch có midazolam đang chạy"."""
    before, behind = _RUNS_BEFORE.search(fold(rest[: item.start])), _RUNS_BEHIND.match(fold(rest[item.end :]))
    return len(item.text) >= _SHORTEST and bool(before or behind)


def _joins(between: str) -> bool:
    """ " uống chung với thuốc " joins; anything that says more does not."""
    # The strength of the drug before stands there as well: "aspirin 81, clopidogrel 75".
    said = [token.folded for token in tokenise(between) if not _AMOUNT.fullmatch(token.folded)]
    signs = bool(_SIGNS.search(between))
    if (signs or _JOINS & set(said)) and all(word in _JOINS | _BESIDE for word in said):
        return True
    last = max((place for place, word in enumerate(said) if word in _ADDS), default=None)
    return last is not None and all(word in _BESIDE | _GIVEN | _LINES for word in said[last + 1 :])


def _unrecognised_lines(rest: str, items: Sequence[_Item]) -> tuple[str, ...]:
    """The lines of a numbered list with neither a drug nor a name in them."""
    marks = line_marks(rest)
    if len(marks) < 2:
        return ()
    ends = [mark.start() for mark in marks[1:]] + [len(rest)]
    bare = [
        rest[mark.end() : end]
        for mark, end in zip(marks, ends, strict=True)
        if not any(mark.start() <= item.start < end for item in items)
    ]
    heads = [re.split(r"\d|[,;(]", line)[0].strip(" .:-")[:_LONGEST_LINE] for line in bare]
    return tuple(head for head in heads if any(map(str.isalpha, head)))


def _measured(rest: str, drugs: Sequence[_Item], items: Sequence[_Item]) -> tuple[str, ...]:
    """What has a strength, as the drugs of a prescription have, and is in no index: "Hoạt huyết dưỡng não 150 mg"."""
    if sum(bool(STRENGTH.match(rest, drug.end)) for drug in drugs) < 2 and len(line_marks(rest)) < 2:
        return ()
    found = []
    for strength in STRENGTH.finditer(rest):
        start = max((match.end() for match in _BREAK.finditer(rest, 0, strength.start())), default=0)
        named = any(start <= item.start < strength.start() for item in items)
        if not named and not _PER.match(rest, strength.end()):
            found.append(_behind_the_dose(rest[start : strength.start()]))
    return tuple(text for text in found if len(text.split()) > 1 or (text.isalpha() and not is_syllable(fold(text))))


def _behind_the_dose(line: str) -> str:
    """ "lần/ngày men vi sinh": "men vi sinh"; empty where it says who or what is measured."""
    tokens = tokenise(line)
    dosing = [t.end for t in tokens if t.folded in _OF_A_DOSE or _TIMES.fullmatch(t.folded)]
    last = max(dosing, default=0)
    kept = line[last:].strip(" .-–/")
    measured = any(token.folded in _OF_A_PATIENT for token in tokens)
    return "" if measured or NO_MEDICINE.match(fold(kept)) else kept[:_LONGEST_LINE]
