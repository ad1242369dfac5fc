"""Names in a question beyond those of the index: told apart, told as an allergy, or known to no index."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path

from chat.cues import NO_CUE, CueTable, cue_table, denying_words, no_drug_words, spelled_out
from monographs.domain import DrugRef
from monographs.names import Corpus, NameSpan, Token, is_syllable, tokenise
from monographs.text import fold, folded_words

_SETTINGS = Path(__file__).parent / "data" / "settings.toml"
_ALLERGIC = re.compile(
    r"\b(?:di ung(?: noi (?:ban|man|me day|may day)(?= vi| do| voi))?|qua man|"
    r"(?:tien su|tung|da) (?:bi )?(?:soc )?phan ve|(?:phan ve|soc|man cam)(?= voi| do| vi)|"
    r"(?:hen|me day|may day|phu mach|ho|sung)(?= do| vi)|"
    r"(?:hen|me day|may day|phu mach|ngua|sung|man)(?: \w+){0,2}? (?:moi khi|moi lan|khi|cu|lan nao) "
    r"(?:uong|dung|tiem))"
    r"\s+(?:(?:voi|do|vi|thuoc|nhom|nang|khang sinh)\s+(?:(?:uong|dung|tiem)\s+)?)*$"
)
# "tiền sử: uống amoxicilin bị mề đay" tells an allergy as well.
_ONCE = re.compile(
    r"\b(?:tien su|tung|lan truoc|hoi truoc|truoc day|truoc kia|hoi nho|xua|truoc|nam ngoai)\b[^.;\n]{0,30}$"
)
_REACTED = re.compile(
    r"\s*(?:thi |xong |roi |la )?(?:(?:bi|noi|len con|len) )+(?:noi )?"
    r"(?:hen|con hen|me day|may day|man|ban|sung|phu|soc|phan ve|kho tho|di ung)\b"
)
_TAKEN_ONCE = re.compile(
    r"\b(?:tung|truoc|lan truoc|hoi truoc|truoc day|truoc kia|hoi nho|nam ngoai|tien su)\b[^.;\n]{0,20}?"
    r"\b(?:uong|tiem|dung|chich|truyen|xai)(?: thuoc)? ([a-z]{5,})(?: \d+ ?mg)? (?:thi |xong |roi )?"
    r"(?:(?:bi|noi|len con) )+"
    r"(?:soc|phan ve|me day|may day|phu|di ung|man|ban|kho tho|hen|viem|dut|vang|sung|ngat|nang|tut)"
)
# "Trước bị đứt gân sau uống levofloxacin": harm told first.
_HARMED_ONCE = re.compile(
    r"\b(?:tung|truoc|lan truoc|hoi truoc|truoc day|truoc kia|hoi nho|nam ngoai|tien su)\b[^.,;\n]{0,40}?"
    r"\b(?:sau(?: khi)?|do|vi) (?:uong|tiem|dung|chich|truyen|xai)(?: thuoc)? ([a-z]{5,})\b"
)
# What names a part of the body, a sign or a disease by whom it is called after: "gân Achilles".
_CALLED_AFTER = frozenset({"gan", "chung", "hieu", "phap", "typ", "dau", "test"})
_DENIED = re.compile(r"\b(?:khong|chua|ko|k|kh)(?: (?:bi|co|thay|tung|he|bao gio|tien su|ghi nhan))*\s*$")
_OF_A_BODY = re.compile(
    r"\b(?:thieu|nhiem|toan|tang|giam|tiet|du|thua|lieu phap|bo sung|nong do|khang)"
    r"(?:\s+(?:hap thu|thai tru|bai tiet))?\s*$"
)
# What an illness is called, and how else: "bị croup nặng", "u tủy thượng thận (pheochromocytoma, …)".
_OF_ILLNESS = re.compile(
    r"\b(?:bi|mac|chan doan|dau that nguc|benh|viem|u)\s+([a-z]{5,})\b(?= (?:nang|nhe|cap|man|tai phat)|[^a-z]*$)|"
    r"(?<!\bthuoc )(?<!\buong )(?<!\bdung )\b[a-z]{1,6} \(([a-z]{5,})(?=[,)])|"
    r"\bdau that nguc ([a-z]{5,})\b"
)
_SHORTEST_NAME = 5


def told_apart(span: NameSpan, text: str) -> NameSpan:
    """Of namesakes the one whose distinction ("Dùng trong sản khoa") the question says, or a setting that only it has
    ("dọa đẻ non"); all where it says several, or none."""
    if len(span.drugs) < 2:
        return span
    folded = f" {' '.join(folded_words(text))} "
    said = [drug for drug in span.drugs if f" {_distinction(drug)} " in folded]
    if not said:
        settings = set(_setting_table().meanings(text))
        said = [drug for drug in span.drugs if _distinction(drug) in settings]
    return replace(span, drugs=tuple(said)) if len(said) == 1 else span


def _distinction(drug: DrugRef) -> str:
    """ "san khoa" of "Salbutamol (Dùng trong sản khoa)"; what no question says where there is none."""
    _, _, told = drug.name.partition("(")
    return fold(told.rstrip(")")).removeprefix("dung trong ") or "("


@cache
def _setting_table() -> CueTable:
    """The settings by which namesakes are told apart, by the folded words that their names have. Data in
    data/settings.toml; a setting that is denied is none."""
    entries = tomllib.loads(_SETTINGS.read_text("utf-8"))
    cues = {fold(key) if key != NO_CUE else key: list(map(str, entry["cues"])) for key, entry in entries.items()}
    spelled = {key: [each for text in texts for each in spelled_out(text)] for key, texts in cues.items()}
    denied = [
        f"{word} {text.strip('/')}" for k, v in spelled.items() if k != NO_CUE for text in v for word in denying_words()
    ]
    return CueTable({**spelled, NO_CUE: [*spelled[NO_CUE], *denied]})


def of_one(spans: list[NameSpan]) -> tuple[DrugRef, ...]:
    """The drugs of names that are not shared."""
    return tuple(dict.fromkeys(drug for span in spans for drug in span.drugs if len(span.drugs) == 1))


def allergies_told(spans: list[NameSpan], text: str, *, only: bool = False) -> tuple[list[NameSpan], tuple[str, ...]]:
    """Beside another drug, one that the patient is allergic to is a fact of the patient and no drug asked about; only:
    also where no other is named."""
    allergic = [
        span
        for span in spans
        if is_allergic_to(text[: span.start])
        or (_ONCE.search(fold(text[: span.start])) and _REACTED.match(fold(text[span.end :])))
    ]
    borne = [span for span in spans if denies_allergy(text[: span.start])]
    others = [span for span in spans if span not in allergic and span not in borne]
    return (others, tuple(span.text for span in allergic)) if others or only else (spans, ())


def unknown_names(rest: str, corpus: Corpus, *, anything: bool) -> tuple[tuple[str, ...], bool]:
    """Words that look like a drug's name and are in no index: no Vietnamese syllable, and not in the book; where the
    question names no drug at all, also one that the book only mentions, and what follows "thuốc" in capitals.

    The second value says that they stand in the book, as words at least.
    """
    tokens = tokenise(rest)
    known = {place for hit in cue_table("synonym").find(rest) for place in range(hit.first, hit.last)}
    foreign = [token for place, token in enumerate(tokens) if place not in known and _looks_like_name(token)]
    foreign = [token for token in foreign if token.folded not in no_drug_words()]
    called = {after.start for before, after in pairwise(tokens) if before.folded in _CALLED_AFTER}
    foreign = [token for token in foreign if token.start not in called or not token.text[0].isupper()]
    illnesses = (
        {match.start(match.lastindex or 0) for match in _OF_ILLNESS.finditer(fold(rest))}
        if len(fold(rest)) == len(rest)
        else set()
    )
    foreign = [token for token in foreign if token.start not in illnesses]
    unknown = [token.text for token in foreign if token.folded not in corpus.vocabulary]
    acids = _acids(rest, tokens) if anything else []
    if acids:
        unknown = [name for name in unknown if not any(name in acid for acid in acids)] + acids
    if unknown or not anything:
        return tuple(dict.fromkeys(unknown)), False
    guessed = [token.text for token in foreign]
    guessed += [
        after.text
        for before, after in pairwise(tokens)
        if before.folded == "thuoc" and after.text.isupper() and len(after.text) > 1 and not is_syllable(after.folded)
    ]
    return tuple(dict.fromkeys(guessed)), bool(guessed)


def strange_words(rest: str, corpus: Corpus) -> list[str]:
    """The folded words of a question that are no Vietnamese syllables and stand nowhere in the book."""
    return sorted({t.folded for t in tokenise(rest) if not is_syllable(t.folded) and t.folded not in corpus.vocabulary})


def _acids(rest: str, tokens: list[Token]) -> list[str]:
    """ "acid salicylic" names a substance, though each word stands somewhere in the book; what a body lacks or has too
    much of is a condition."""
    return [
        rest[before.start : after.end]
        for before, after in pairwise(tokens)
        if before.folded == "acid"
        and after.folded not in no_drug_words()
        and _looks_like_name(after)
        and not _OF_A_BODY.search(fold(rest[: before.start]))
    ]


def _looks_like_name(token: Token) -> bool:
    greeting = bool(cue_table("turn").meanings(token.text))
    long_enough = len(token.folded) >= _SHORTEST_NAME and token.folded.isalpha()
    return long_enough and not is_syllable(token.folded) and not greeting


def is_allergic_to(before: str) -> bool:
    """Whether the words before a name make it what the patient does not tolerate; not where they deny it."""
    match = _ALLERGIC.search(fold(before) + " ")
    return match is not None and not _DENIED.search(fold(before)[: match.start()])


def denies_allergy(before: str) -> bool:
    """Whether the words before a name deny an allergy to it: then it is nothing that is asked about."""
    match = _ALLERGIC.search(fold(before) + " ")
    return match is not None and _DENIED.search(fold(before)[: match.start()]) is not None


def reacted_to(rest: str) -> tuple[str, ...]:
    """Names in no index that the patient once took and did not bear: "trước đây tiêm penicilin bị sốc phản vệ", "trước
    bị đứt gân sau uống levofloxacin"."""
    if len(fold(rest)) != len(rest):
        return ()
    matches = [match for once in (_TAKEN_ONCE, _HARMED_ONCE) for match in once.finditer(fold(rest))]
    found = [match for match in matches if not is_syllable(match.group(1))]
    return tuple(rest[match.start(1) : match.end(1)] for match in found)
