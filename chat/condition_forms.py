"""The forms in which the book may say a condition: as typed, as it calls it, and with what changes nothing left out."""

from __future__ import annotations

import tomllib
from functools import cache, lru_cache
from itertools import product
from pathlib import Path

from chat.domain import Term
from monographs.names import is_syllable
from monographs.text import fold, has_accents, spelling, words

_KINDS = frozenset({"nấm", "nam", "virus"})
_MOST_FORMS = 16
_FALLS = {"hạ": "giảm", "giảm": "hạ", "ha": "giam", "giam": "ha"}
_ATTACKS = frozenset({"cơn", "con", "lên", "len"})
# How a course is told in two words behind what it is of.
_RUNS_ON = frozenset(
    {("tai", "phat"), ("on", "dinh"), ("chua", "lanh"), ("chua", "khoi"), ("chua", "dut"), ("chua", "on")}
)
_UNTREATED = frozenset({("chua", "dieu", "tri"), ("chua", "kiem", "soat"), ("chua", "on", "dinh")})
# Who has an illness, before its name; and what makes another word of a bare syllable ("lâu ngày", "phòng ngừa").
_HAS_IT = frozenset({"benh", "nam", "nu", "bn", "nhan", "bi", "mac"})
_GOES_ON = frozenset(
    {"ngay", "roi", "nam", "khong", "moi", "lam", "qua", "dai", "ngua", "dieu", "bang", "duoc", "thang"}
)
_COCCUS = "cau"
# How names of what infects end, folded: "tụ cầu", "vi khuẩn", "nấm".
_AGENTS = frozenset({"cau", "khuan", "nam", "amip", "trung", "virus", "lao", "giun", "san"})
_CELLS = frozenset({"bach", "hong", "tieu"})
# How long something has lasted: "viêm tai giữa" is printed of the acute one as well, "viêm tai giữa mạn" is not.
COURSES = frozenset({"cap", "man", "nang", "nhe"})
# How strongly it is felt, which the book says otherwise or not at all.
_FELT = {("du", "doi"), ("am", "i"), ("lien", "tuc"), ("khung", "khiep")}
# A change told behind what changes, and how the book says it before: "tiểu cầu giảm".
_CHANGES = {"giảm": ("giảm",), "thấp": ("giảm", "hạ"), "hạ": ("hạ",), "tăng": ("tăng",), "cao": ("tăng",)}
_DATA = Path(__file__).parent / "data" / "conditions.toml"


@lru_cache(maxsize=512)
def forms_of(run: tuple[Term, ...]) -> tuple[tuple[str, ...], ...]:
    """The ways to say a run of terms: as typed, and as the book does."""
    choices = [tuple(dict.fromkeys((term.typed, *([term.book] if term.book else [])))) for term in run]
    said = [tuple(piece for part in parts for word in part for piece in words(word)) for parts in product(*choices)]
    forms = said[:_MOST_FORMS]
    forms += [turned for form in forms for turned in _turned(form)]
    # "Lên cơn hen cấp": each of both words.
    for _ in range(2):
        forms += [form[1:] for form in forms if len(form) > 1 and form[0] in _ATTACKS and form[1:] not in forms]
    forms += [form[1:] for form in forms if len(form) == 2 and fold(form[0]) == "benh" and fold(form[1]) in _single()]
    forms += [form[:-2] for form in forms if tuple(map(fold, form[-2:])) in _FELT and _is_more_than_felt(form)]
    forms += [(_FALLS[form[0]], *form[1:]) for form in forms if form[0] in _FALLS and fold(form[-1]) == "huyet"]
    forms += [named for form in forms if (named := _by_name_alone(form)) != form]
    forms += [staged for form in forms if (staged := _without_stage(form)) != form]
    wider = [base for widen in (_of_any_course, _of_any_agent) for base in map(widen, forms) if base]
    also = [other for form in (*forms, *wider) for other in _also_called(form)]
    return tuple(dict.fromkeys([*forms, *also, *wider]))


def _is_more_than_felt(form: tuple[str, ...]) -> bool:
    """Whether something is left without how strongly it is felt: "nấc" of "nấc liên tục"."""
    return len(form) > 3 or (len(form) == 3 and fold(form[0]) in _single())


def _by_name_alone(form: tuple[str, ...]) -> tuple[str, ...]:
    """ "viêm màng não nấm Cryptococcus" without the kind of what is named."""
    return tuple(
        word
        for at, word in enumerate(form)
        if not (word in _KINDS and at + 1 < len(form) and not is_syllable(fold(form[at + 1])))
    )


def _without_stage(form: tuple[str, ...]) -> tuple[str, ...]:
    """ "giang mai giai đoạn sớm": "giang mai sớm"."""
    at = next((at for at in range(len(form) - 2) if tuple(map(fold, form[at : at + 2])) == ("giai", "doan")), None)
    return form if at is None else (*form[:at], *form[at + 2 :])


def _turned(form: tuple[str, ...]) -> list[tuple[str, ...]]:
    """ "tiểu cầu giảm": "giảm tiểu cầu"."""
    if len(form) < 3:
        return []
    return [(change, *form[:-1]) for said, changes in _CHANGES.items() if same(form[-1], said) for change in changes]


@lru_cache(maxsize=512)
def wider_forms(run: tuple[Term, ...]) -> tuple[frozenset[tuple[str, ...]], frozenset[tuple[str, ...]]]:
    """(forms of a run that leave its course out, forms that leave its agent out)."""
    forms = forms_of(run)
    return frozenset(map(_of_any_course, forms)), frozenset(map(_of_any_agent, forms))


def _of_any_agent(form: tuple[str, ...]) -> tuple[str, ...]:
    """ "viêm họng" of "viêm họng liên cầu": where the book prints that alone, it means every one."""
    return form[:-2] if len(form) > 3 and fold(form[-1]) == _COCCUS else ()


def _of_any_course(form: tuple[str, ...]) -> tuple[str, ...]:
    """ "viêm tai giữa" of "viêm tai giữa cấp"; nothing where no course is told, or little else."""
    if len(form) > 3 and tuple(map(fold, form[-2:])) in _RUNS_ON:
        return form[:-2]
    if len(form) > 4 and tuple(map(fold, form[-3:])) in _UNTREATED:
        return form[:-3]
    end = len(form) - (2 if fold(form[-1]) == "tinh" else 1)
    named = end > 1 or (end == 1 and fold(form[0]) in _single())
    return form[:end] if named and fold(form[end]) in COURSES else ()


def _also_called(form: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Other names of a condition, by its words as typed: with the accents of the table, or without any."""
    return [
        tuple(words(name))
        for key, names in _also().items()
        if len(parts := key.split(" ")) == len(form) and all(map(same, form, parts))
        for name in names
    ]


def is_short(term: Term) -> bool:
    """Whether a term is the short name of a condition by itself: "HP"."""
    word = term.typed[0]
    return len(term.typed) == 1 and not is_syllable(fold(word)) and word in _also() and " " not in word


def is_agent(run: tuple[Term, ...]) -> bool:
    """Whether terms name what infects: "liên cầu", "vi khuẩn"; blood cells are none."""
    said = [fold(word) for term in run for word in term.typed]
    return not is_syllable(said[-1]) or (said[-1] in _AGENTS and _CELLS.isdisjoint(said))


def single_condition(bare: str) -> str:
    """The one-word condition that a bare syllable is; "" for any other, which may be half of a name."""
    return _single().get(bare, "")


def is_illness_of(before: str, word: str, behind: str) -> bool:
    """Whether a bare syllable that is talk elsewhere ("lau", "tri") is an illness by what stands around it; folded."""
    return before in _HAS_IT and bool(single_condition(word)) and behind not in _GOES_ON


def kinds_of(run: tuple[Term, ...]) -> tuple[str, ...]:
    """The wider kinds that a run of terms is of, by how it begins: "bệnh tim" of "hẹp van hai lá từ trước"."""
    return tuple(
        kind
        for kind, names in _kinds().items()
        if any(len(f) >= len(p) and all(map(same, f, p)) for f in forms_of(run) for p in (n.split(" ") for n in names))
    )


@cache
def _kinds() -> dict[str, list[str]]:
    table: dict[str, list[str]] = tomllib.loads(_DATA.read_text("utf-8"))["kind"]
    return table


@cache
def word_list(name: str) -> frozenset[str]:
    """A list of words of the data, by its name."""
    lists: dict[str, list[str]] = tomllib.loads(_DATA.read_text("utf-8"))["words"]
    return frozenset(lists[name])


@cache
def _single() -> dict[str, str]:
    words_of: list[str] = tomllib.loads(_DATA.read_text("utf-8"))["single"]["words"]
    return {fold(word): word for word in words_of}


def also_called() -> tuple[str, ...]:
    """Every name of the table of other names."""
    return tuple(dict.fromkeys(name for key, names in _also().items() for name in (key, *names)))


def called_otherwise() -> tuple[str, ...]:
    """The names of conditions that the book calls otherwise."""
    return tuple(_also())


@cache
def _also() -> dict[str, list[str]]:
    table: dict[str, list[str]] = tomllib.loads(_DATA.read_text("utf-8"))["also"]
    return table


@lru_cache(maxsize=8192)
def words_of(text: str) -> list[str]:
    """The words of a text; kept, not to be changed."""
    return words(text)


@lru_cache(maxsize=65536)
def same(asked: str, printed: str) -> bool:
    """Whether a word of a question is a printed one: a bare word is every one that folds to it."""
    return spelling(asked) == spelling(printed) if has_accents(asked) else fold(printed) == asked.lower()
