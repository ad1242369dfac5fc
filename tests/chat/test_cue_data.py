"""The data files of the understander: complete, of one mind, and read as they are meant."""

from __future__ import annotations

import tomllib
from collections import defaultdict
from typing import Any

import pytest

from chat.bands import BandKind
from chat.branches import measures_of
from chat.cues import NO_CUE, CueTable, cue_data, cue_table, denials, filler_words, no_drug_words
from chat.domain import POPULATION_TITLES, ROUTE_TITLES, Population, Route
from chat.expand import expand_question
from monographs.domain import SECTION_FACTS, SectionKey
from monographs.text import fold, normalise
from tests.paths import ROOT
from tests.sample_corpus import sample_corpus

_DATA = ROOT / "chat" / "data"
_EXPECTED = {
    "section": {key.value for key in SectionKey},
    "population": {population.value for population in Population},
    "route": {route.value for route in Route},
    "turn": {
        "interaction",
        "comparison",
        "dosing_calc",
        "condition_to_drug",
        "overview",
        "smalltalk",
        "handling",
        "effect",
        "how_much",
        "suitable",
        "treats",
        "causes",
        "ranks",
        "forbidden_in",
        "cautioned_in",
    },
    "denied": {"patient"},
    "context": {"continue", "new"},
    "scope": {"non_human", "bite", "red_flag"},
    "label": {"general"},
}


def _load(name: str) -> dict[str, Any]:
    return tomllib.loads((_DATA / f"{name}.toml").read_text("utf-8"))


CUES, TOPICS, ABBREVIATIONS = {**cue_data(), "denied": denials()}, _load("topics"), _load("abbreviations")
PHRASES = [
    (kind, meaning, phrase)
    for kind in _EXPECTED
    for meaning, phrases in CUES[kind].items()
    if meaning != NO_CUE
    for phrase in phrases
] + [("topic", meaning, phrase) for meaning, entry in TOPICS.items() for phrase in entry["cues"]]


@pytest.mark.parametrize("kind", _EXPECTED)
def test_every_meaning_has_a_cue_and_no_cue_stands_for_nothing(kind: str) -> None:
    assert set(CUES[kind]) - {NO_CUE} == _EXPECTED[kind]
    assert all(phrases for phrases in CUES[kind].values())


@pytest.mark.parametrize("kind", [*_EXPECTED, "topic"])
def test_no_cue_stands_under_two_meanings_of_one_table(kind: str) -> None:
    meanings: dict[tuple[str, bool], set[str]] = defaultdict(set)
    for table, meaning, phrase in PHRASES:
        if table == kind:
            meanings[fold(phrase.strip("/")), phrase.startswith("/")].add(meaning)
    assert {cue: found for cue, found in meanings.items() if len(found) > 1} == {}


@pytest.mark.parametrize("kind", [*_EXPECTED, "topic"])
def test_every_cue_is_read_as_its_own_meaning(kind: str) -> None:
    """Alone, as written and (but for those that need their accents) bare."""
    table = CueTable({key: entry["cues"] for key, entry in TOPICS.items()}) if kind == "topic" else cue_table(kind)
    wrong = []
    for name, meaning, phrase in PHRASES:
        if name == kind:
            typed = phrase.strip("/")
            forms = {typed, typed.upper()} | (set() if phrase.startswith("/") else {fold(typed)})
            wrong += [form for form in forms if table.meanings(form) != [meaning]]
    assert wrong == []


def test_cues_are_written_clean() -> None:
    assert [
        phrase
        for _, _, phrase in PHRASES
        if phrase != normalise(phrase) or phrase != phrase.lower() or phrase.startswith("/") != phrase.endswith("/")
    ] == []


@pytest.mark.parametrize("key", SectionKey)
def test_a_section_is_asked_for_by_its_title(key: SectionKey) -> None:
    title = SECTION_FACTS[key].title
    assert cue_table("section").meanings(title)[:1] == [key.value]
    assert cue_table("section").meanings(fold(title))[:1] == [key.value]


@pytest.mark.parametrize("population", Population)
def test_a_population_is_named_by_its_title(population: Population) -> None:
    assert cue_table("population").meanings(POPULATION_TITLES[population]) == [population.value]


@pytest.mark.parametrize("route", Route)
def test_a_route_is_named_by_its_title(route: Route) -> None:
    assert cue_table("route").meanings(ROUTE_TITLES[route]) == [route.value]


@pytest.mark.parametrize(
    ("kind", "text", "meanings"),
    [
        ("section", "chống chỉ định", ["chong_chi_dinh"]),
        ("section", "chong chi dinh", ["chong_chi_dinh"]),
        ("section", "chỉ định và chống chỉ định", ["chi_dinh", "chong_chi_dinh"]),
        ("section", "xử trí tác dụng phụ", ["xu_tri_adr"]),
        ("section", "cho con bú", ["cho_con_bu"]),
        ("population", "người lớn tuổi", ["nguoi_cao_tuoi"]),
        ("population", "người lớn", ["nguoi_lon"]),
        ("population", "trẻ sơ sinh và trẻ em", ["tre_so_sinh", "tre_em"]),
        ("population", "tre nho", ["tre_em"]),
        ("route", "tiêm truyền tĩnh mạch", ["truyen_tinh_mach"]),
        ("route", "tiem duoi da", ["tiem_duoi_da"]),
        ("route", "đặt dưới lưỡi", ["duoi_luoi"]),
        ("route", "khi dùng", []),
        ("route", "khí dung", ["khi_dung"]),
        ("scope", "cho bé", []),
        ("scope", "cho chó", ["non_human"]),
        ("scope", "bị chó cắn", ["bite"]),
        ("section", "chong chỉ định", ["chong_chi_dinh"]),
        ("population", "be", ["tre_em"]),
        ("population", "bể", []),
        ("turn", "hi", ["smalltalk"]),
        ("turn", "hít", []),
    ],
)
def test_the_longest_cue_wins_and_accents_decide(kind: str, text: str, meanings: list[str]) -> None:
    assert cue_table(kind).meanings(text) == meanings


@pytest.mark.parametrize("key", TOPICS)
def test_a_topic_is_complete(key: str) -> None:
    entry = TOPICS[key]
    assert set(entry) == {"title", "cues", "sections", "words"} and all(entry.values())
    assert [SectionKey(section) for section in entry["sections"]]
    assert len(set(entry["sections"])) == len(entry["sections"]) and len(set(entry["words"])) == len(entry["words"])


@pytest.mark.parametrize("short", [*ABBREVIATIONS["plain"], *(entry["short"] for entry in ABBREVIATIONS["context"])])
def test_an_abbreviation_is_written_once_and_is_no_drug_of_the_sample(short: str) -> None:
    assert short == short.lower() and short == normalise(short) and " " not in short
    contextual = [entry["short"] for entry in ABBREVIATIONS["context"]]
    assert [short in ABBREVIATIONS["plain"], short in contextual].count(True) == 1
    names = sample_corpus().names
    known = {"augmentin", "omez"}  # brands of the sample that stand for their own drug
    assert short in known or not names.resolve(f"thuốc {short} 500 mg")


@pytest.mark.parametrize("entry", ABBREVIATIONS["context"], ids=[e["short"] for e in ABBREVIATIONS["context"]])
def test_an_ambiguous_abbreviation_has_cues_for_each_of_its_meanings(entry: dict[str, Any]) -> None:
    assert set(entry) == {"short", "meanings", "cues"}
    assert len(entry["meanings"]) == len(entry["cues"]) > 1 and all(entry["cues"])
    folded = [fold(cue) for cues in entry["cues"] for cue in cues]
    assert len(set(folded)) == len(folded)
    assert all(len(meaning) <= 40 for meaning in entry["meanings"])


@pytest.mark.parametrize(
    ("short", "kind", "meaning"),
    [
        ("PNCT", "population", "mang_thai"),
        ("TE", "population", "tre_em"),
        ("NL", "population", "nguoi_lon"),
        ("NCT", "population", "nguoi_cao_tuoi"),
        ("SS", "population", "tre_so_sinh"),
        ("CrCl", "population", "suy_than"),
        ("CĐ", "section", "chi_dinh"),
        ("CCĐ", "section", "chong_chi_dinh"),
        ("TDP", "section", "adr"),
        ("TDKMM", "section", "adr"),
        ("TM", "route", "tiem_tinh_mach"),
        ("TMC", "route", "tiem_tinh_mach"),
        ("IV", "route", "tiem_tinh_mach"),
        ("TTM", "route", "truyen_tinh_mach"),
        ("TDD", "route", "tiem_duoi_da"),
        ("SC", "route", "tiem_duoi_da"),
        ("IM", "route", "tiem_bap"),
        ("PO", "route", "uong"),
    ],
)
def test_what_an_abbreviation_stands_for_is_a_cue(short: str, kind: str, meaning: str) -> None:
    corpus = sample_corpus()
    text = expand_question(f"hỏi {short} ạ", corpus.names, corpus.vocabulary).text
    assert cue_table(kind).meanings(text) == [meaning]


@pytest.mark.parametrize(
    ("short", "drug"),
    [
        ("para", "paracetamol"),
        ("amox", "amoxicilin"),
        ("aug", "amoxicilin_va_clavulanat"),
        ("genta", "gentamicin"),
        ("vanco", "vancomycin"),
        ("cipro", "ciprofloxacin"),
        ("metro", "metronidazol"),
        ("omez", "omeprazol"),
        ("dobu", "dobutamin"),
        ("dopa", "dopamin"),
        ("adre", "adrenalin"),
        ("levo", ""),
    ],
)
def test_a_short_name_is_its_drug(short: str, drug: str) -> None:
    corpus = sample_corpus()
    text = expand_question(f"liều {short}", corpus.names, corpus.vocabulary).text
    assert [found.drug_id for span in corpus.names.resolve(text) for found in span.drugs] == drug.split()


def test_fillers_and_foreign_words_are_no_drugs() -> None:
    names = sample_corpus().names
    known = {"acc"}  # a brand, and what clerks call one another
    assert [word for word in filler_words() | no_drug_words() if names.resolve(word) and word not in known] == []


@pytest.mark.parametrize(
    ("label", "measures"),
    [
        ("Đường uống theo cân nặng", {BandKind.WEIGHT}),
        ("Đường uống theo tuổi", {BandKind.AGE}),
        ("Trẻ em 10 - 17 tuổi, 20 - 30 kg", {BandKind.AGE, BandKind.WEIGHT}),
        ("Người lớn", set()),
    ],
)
def test_what_a_label_goes_by(label: str, measures: set[BandKind]) -> None:
    assert measures_of(label) == measures
