"""Abbreviations and typing slips spelled out, so that the cue tables see words. Names of drugs are never touched."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from monographs.names import AliasIndex, Token, is_syllable, tokenise
from monographs.telex import decode_slip
from monographs.text import fold

_DATA = Path(__file__).parent / "data" / "abbreviations.toml"
_TIMES_PER_DAY = re.compile(r"(?<![\w.,])(\d{1,2})\s?[lL]\s?/\s?(ngày|ngay|d|ng)\b")
_EVERY_HOURS = re.compile(r"(?<!\w)[qQ]\s?(\d{1,2})\s?[hH]\b")
_MONTHS = re.compile(r"(?<![\w.,])(\d{1,2})\s?(?:th|thg)\b(?!\s?tu)", re.IGNORECASE)
_WEEKS = re.compile(r"(?<![\w.,])(\d{1,2})\s?[wW](?:k|ks)?\b")
_YEARS_OR_MONTHS = re.compile(r"(?<![\w.,/])(\d{1,3})\s?t\b(?!\s?/|\s?\.\w)", re.IGNORECASE)
_KILOGRAMS = re.compile(
    r"(?<!typ )(?<!type )(?<!týp )(?<!tip )(?<![\w.,/])(\d{1,3}(?:[.,]\d{1,2})?)\s?k\b(?!\s?[/.]\w)", re.IGNORECASE
)
_TABLETS = re.compile(r"(?<![\w.,/])(\d{1,2}|½)\s?v\b(?!\s?\.\w)", re.IGNORECASE)
# "bn" before a unit, or at the end behind what is counted, asks how much; anywhere else it is a patient.
_COUNTED = (
    "mg|ml|mcg|microgam|g|viên|vien|v|gói|goi|ống|ong|giọt|giot|lần|lan|ngày|ngay|giờ|gio|phút|phut|đv|ui|iu|lọ|lo"
)
_HOW_MUCH = re.compile(
    rf"(?<!\w)bn(?=\s*(?:{_COUNTED})\b)|(?<=là |ều |eu |la |ng |ai )bn(?=\s*(?:[?!.,;]|$))", re.IGNORECASE
)
# "RL" is Ringer lactat, unless what is disordered follows.
_DISORDERED = (
    "cương|cuong|tiêu hóa|tieu hoa|giấc|giac|nhịp|nhip|lo âu|lo au|tâm|tam than|kinh ng|mỡ|mo mau|lipid|chuyển|chuyen|"
    "điện|dien giai"
)
_DISORDER = re.compile(rf"(?<!\w)rl\s+(?=(?:{_DISORDERED})\w*)", re.IGNORECASE)
# "CĐ: THA" on a prescription is its diagnosis.
_DIAGNOSIS = re.compile(r"(?<!\w)c[đd]\s*:(?=[^:]*(?:\s|^)(?:\d{1,2}\s?[.)/]|[-–•*+])\s+\w)", re.IGNORECASE)
# "6 thuốc tim mạch: A, B": what they are said to be is no topic.
# A code of a diagnosis: "G70.0 Nhược cơ", "(I10)".
_ICD = re.compile(r"\b[A-Z]\d{2}\.\d{1,2}\b|(?<=\()[A-Z]\d{2}(?=\))")
_LIST_OF = re.compile(r"\b(\d+|hai|ba|bốn|năm|sáu|các|mấy) (thuốc|thuoc) [^:,?]{3,30}:", re.IGNORECASE)
_VITAMIN = re.compile(r"(?<!\w)vit\.?\s*(?=(?:[abcdek]|pp)\d{0,2}\b)", re.IGNORECASE)
_GLUED = re.compile(r"(?<![\w.,/-])([^\W\d_]{3,})(\d{1,4})(?![\w/-])")
# "K máu 5,8" and "K+ 5,8" are potassium; "k máu" without a value may be a cancer of the blood.
_POTASSIUM = re.compile(
    r"(?<![\w/])k\+?\s+(?:máu|mau|huyết|huyet)(?=\D{0,12}\d)|(?<![\w/])K\+(?=\D{0,8}\d)", re.IGNORECASE
)
# The fourth degree, and no vein.
_FOURTH = re.compile(r"\b(nyha|độ|do|giai đoạn|giai doan|ckd)\s+iv\b", re.IGNORECASE)
_CUSTOMER = re.compile(r"^(\s*(?:(?:co|có|1|một|mot)\s)?)kh\b\.?(?=\s)", re.IGNORECASE)
# "amoxicilin/clavulanat", "amoxicilin + acid clavulanic": one drug, where the book has one by both names.
_COMBINED = re.compile(
    r"(?<![^\W_])([^\W\d_]{4,})\s?[/+–-]\s?(?:(?:acid|axit)\s)?([^\W\d_]{4,})(?:\sacid)?(?![^\W_])", re.IGNORECASE
)
_OF_ACID = re.compile(r"ic$", re.IGNORECASE)
_PEOPLE = re.compile(r"(?<!\w)ng\.?\s+(?=(?:lớn|lon|già|gia|bệnh|benh|nhà|nha|ta)\b)", re.IGNORECASE)
_PER_MINUTE = re.compile(r"(?<=ml)\s?/\s?(?:ph|min|p)\b", re.IGNORECASE)
# A level is one of the blood: "tăng nồng độ · trong máu".
_IN_BLOOD = re.compile(
    r"(\b(?:nồng độ|nong do)\b[^.;?,]{0,40}?) trong (?:máu|mau|huyết tương|huyet tuong|huyết thanh|huyet thanh)\b",
    re.IGNORECASE,
)
# How strongly something is denied or forbidden changes nothing: "tuyệt đối không được dùng".
_EMPHASIS = re.compile(
    r"\b(?:tuyệt đối|tuyet doi|hoàn toàn|hoan toan|nhất thiết|nhat thiet|nhất định|nhat dinh) "
    r"(?=(?:không|khong|ko|cấm|cam|chống|chong|tránh|tranh|phải|phai|kiêng|kieng)\b)",
    re.IGNORECASE,
)
# Two letters at the end of a syllable typed the wrong way round: "uốgn", "bệhn".
_SWAPPED = re.compile(r"(?<![^\W_])([^\W\d_]{2,5})(gn|hn)(?![^\W_])", re.IGNORECASE)
_WORDS = re.compile(r"[^\W\d_]+")
_OLDEST_IN_MONTHS = 24
# Weights that settle whether "3t" is months or years: a child of so many years weighs at least about this.
_LEAST_KG_AT_YEARS = {1: 7.5, 2: 9.5, 3: 11.0, 4: 12.5, 5: 14.0}


@dataclass(frozen=True, slots=True)
class Expanded:
    """text: the question spelled out; ambiguous: (as typed, meanings) that only the asker can settle."""

    text: str
    ambiguous: tuple[tuple[str, tuple[str, ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class _Contextual:
    meanings: tuple[str, ...]
    cues: tuple[tuple[str, ...], ...]


def expand_question(question: str, names: AliasIndex, vocabulary: frozenset[str]) -> Expanded:
    """The question with abbreviations spelled out and Telex or VNI slips decoded, outside every drug name."""
    text = _as_combinations(_pull_apart(_spell_patterns(question), names), names)
    covered = [(span.start, span.end) for span in names.resolve(text)]
    ambiguous: list[tuple[str, tuple[str, ...]]] = []
    pieces: list[str] = []
    at = 0
    tokens = tokenise(text)
    shouting = text.isupper()
    for token in tokens:
        if any(start <= token.start < end for start, end in covered):
            continue
        meaning = _meaning(token, text, ambiguous, vocabulary, shouting=shouting)
        if meaning is not None:
            pieces += [text[at : token.start], meaning]
            at = token.end
    spelled = "".join([*pieces, text[at:]])
    spelled, age = _settle_age(spelled)
    return Expanded(spelled, (*ambiguous, *age))


def _pull_apart(text: str, names: AliasIndex) -> str:
    """ "hapacol150" and "typ2" as two words, "cđ+ccđ" as two abbreviations; a name that is written so stays."""
    covered = [(span.start, span.end) for span in names.resolve(text)]

    def apart(match: re.Match[str]) -> str:
        named = any(start <= match.start() < end for start, end in covered)
        known = named or match.group().lower() in _plain() or decode_slip(match.group())
        return match.group() if known else f"{match.group(1)} {match.group(2)}"

    text = _GLUED.sub(apart, text)
    words = text.split(" ")
    return " ".join(" + ".join(w.split("+")) if _are_short_forms(w.split("+")) else w for w in words)


def _as_combinations(text: str, names: AliasIndex) -> str:
    """Two names with a sign between them as the book calls the drug that holds both: never one of the two alone."""

    def called(match: re.Match[str]) -> str:
        first, second = match.groups()
        told = (f"{first} và {name}" for name in (second, _OF_ACID.sub("at", second)))
        return next((name for name in told if [span.text for span in names.resolve(name)] == [name]), match.group())

    return _COMBINED.sub(called, text)


def _are_short_forms(parts: list[str]) -> bool:
    return len(parts) > 1 and any(part.lower() in _plain() for part in parts) and all(parts)


def _turned_round(match: re.Match[str]) -> str:
    """ "uống" for "uốgn", where that is a syllable."""
    word = match.group(1) + match.group(2)[::-1]
    return word if is_syllable(fold(word)) else match.group()


def _spell_patterns(text: str) -> str:
    text = _SWAPPED.sub(_turned_round, _IN_BLOOD.sub(r"\1", _EMPHASIS.sub("", text)))
    text = _TIMES_PER_DAY.sub(r"\1 lần/ngày", _POTASSIUM.sub("kali máu", text))
    text = _PER_MINUTE.sub("/phút", _EVERY_HOURS.sub(r"mỗi \1 giờ", text))
    text = _HOW_MUCH.sub("bao nhiêu", re.sub(r"\s*=\s*", " bằng ", text))
    text = _VITAMIN.sub("vitamin ", _PEOPLE.sub("người ", _CUSTOMER.sub(r"\1khách", text)))
    text = _FOURTH.sub(r"\1 4", _ICD.sub("", text))
    text = _LIST_OF.sub(r"\1 \2:", text)
    text = _DIAGNOSIS.sub("chẩn đoán:", _DISORDER.sub("rối loạn ", text))
    text = text.replace("µg", "microgam").replace("μg", "microgam")
    text = _KILOGRAMS.sub(r"\1 kg", _TABLETS.sub(r"\1 viên", text))
    return _WEEKS.sub(r"\1 tuần", _MONTHS.sub(r"\1 tháng tuổi", text))


def _meaning(
    token: Token,
    text: str,
    ambiguous: list[tuple[str, tuple[str, ...]]],
    vocabulary: frozenset[str],
    *,
    shouting: bool,
) -> str | None:
    short = token.text.lower()
    in_capitals = token.text.isupper() and not shouting
    if is_syllable(token.folded) and not in_capitals and short not in _TYPED_PLAINLY:
        return None if token.folded in vocabulary else decode_slip(token.text)
    if short in _contextual():
        return _by_context(token, text, ambiguous)
    plain = _plain().get(short)
    if plain is not None:
        return plain
    return None if token.folded in vocabulary or len(token.text) < 3 else decode_slip(token.text)


def _by_context(token: Token, text: str, ambiguous: list[tuple[str, tuple[str, ...]]]) -> str | None:
    entry = _contextual()[token.text.lower()]
    folded = f" {' '.join(_WORDS.findall(fold(text)))} "
    for meaning, cues in zip(entry.meanings, entry.cues, strict=True):
        if any(f" {fold(cue)} " in folded for cue in cues):
            return meaning
    ambiguous.append((token.text, entry.meanings))
    return None


def _settle_age(text: str) -> tuple[str, list[tuple[str, tuple[str, ...]]]]:
    """ "60t" is years; "3t" is what the weight beside it allows, else asked."""
    match = _YEARS_OR_MONTHS.search(text)
    if match is None:
        return text, []
    number = int(match.group(1))
    weight = re.search(r"(\d{1,3}(?:[.,]\d+)?)\s?(?:kg|ký|kí)\b", text, re.IGNORECASE)
    unit = _unit_of_age(number, float(weight.group(1).replace(",", ".")) if weight else None)
    if unit is None:
        return text, [(match.group(), (f"{number} tuổi", f"{number} tháng tuổi"))]
    return text[: match.start()] + f"{number} {unit}" + text[match.end() :], []


def _unit_of_age(number: int, weight_kg: float | None) -> str | None:
    if number > _OLDEST_IN_MONTHS:
        return "tuổi"
    if weight_kg is None:
        return "tuổi" if number > 12 else None
    least = _LEAST_KG_AT_YEARS.get(number, 14.0)
    return "tuổi" if weight_kg >= least else "tháng tuổi"


# Short forms that look like syllables and are typed in small letters all the same.
_TYPED_PLAINLY = frozenset(
    {"chích", "chich", "td", "k", "ko", "dc", "đc", "dk", "j", "para", "amox", "aug", "bid", "tid", "vs", "im", "po"}
)


@cache
def _plain() -> dict[str, str]:
    return {short.lower(): meaning for short, meaning in _data()["plain"].items()}


@cache
def _contextual() -> dict[str, _Contextual]:
    entries: list[dict[str, Any]] = _data()["context"]
    return {
        str(entry["short"]): _Contextual(tuple(entry["meanings"]), tuple(tuple(cues) for cues in entry["cues"]))
        for entry in entries
    }


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads(_DATA.read_text("utf-8"))
