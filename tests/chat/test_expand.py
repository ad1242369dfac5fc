"""Abbreviations and slips spelled out, and drug names left alone."""

from __future__ import annotations

import pytest

from chat.expand import Expanded, expand_question
from monographs.domain import SECTION_FACTS
from tests.sample_corpus import sample_corpus


def _expand(question: str) -> Expanded:
    corpus = sample_corpus()
    return expand_question(question, corpus.names, corpus.vocabulary)


PLAIN = [
    ("BN", "bệnh nhân"),
    ("PNCT", "phụ nữ có thai"),
    ("TE", "trẻ em"),
    ("NL", "người lớn"),
    ("NCT", "người cao tuổi"),
    ("SS", "sơ sinh"),
    ("CĐ", "chỉ định"),
    ("CCĐ", "chống chỉ định"),
    ("ccd", "chống chỉ định"),
    ("TDP", "tác dụng phụ"),
    ("TDKMM", "tác dụng không mong muốn"),
    ("NKH", "nhiễm khuẩn huyết"),
    ("NKTN", "nhiễm khuẩn tiết niệu"),
    ("THA", "tăng huyết áp"),
    ("HA", "huyết áp"),
    ("ĐTĐ", "đái tháo đường"),
    ("NMCT", "nhồi máu cơ tim"),
    ("RN", "rung nhĩ"),
    ("TBMMN", "đột quỵ"),
    ("VPQ", "viêm phế quản"),
    ("HPQ", "hen phế quản"),
    ("XHTH", "xuất huyết tiêu hóa"),
    ("SXH", "sốt xuất huyết"),
    ("SPV", "sốc phản vệ"),
    ("TKTW", "thần kinh trung ương"),
    ("MLCT", "mức lọc cầu thận"),
    ("ClCr", "độ thanh thải creatinin"),
    ("CrCl", "độ thanh thải creatinin"),
    ("cltt", "độ thanh thải creatinin"),
    ("VGB", "viêm gan B"),
    ("TM", "tĩnh mạch"),
    ("TMC", "tiêm tĩnh mạch chậm"),
    ("TTM", "truyền tĩnh mạch"),
    ("TDD", "tiêm dưới da"),
    ("IV", "tiêm tĩnh mạch"),
    ("iv", "tiêm tĩnh mạch"),
    ("IM", "tiêm bắp"),
    ("im", "tiêm bắp"),
    ("SC", "tiêm dưới da"),
    ("PO", "đường uống"),
    ("đv", "đơn vị"),
    ("IU", "đơn vị"),
    ("UI", "đơn vị"),
    ("mcg", "microgam"),
    ("µg", "microgam"),
    ("KS", "kháng sinh"),
    ("C3G", "cephalosporin thế hệ 3"),
    ("cef3", "cephalosporin thế hệ 3"),
    ("FQ", "quinolon"),
    ("CVKS", "thuốc chống viêm không steroid"),
    ("UCMC", "ức chế men chuyển"),
    ("CTTA", "chẹn thụ thể angiotensin"),
    ("AVK", "kháng vitamin K"),
    ("para", "paracetamol"),
    ("amox", "amoxicilin"),
    ("aug", "amoxicilin và clavulanat"),
    ("genta", "gentamicin"),
    ("vanco", "vancomycin"),
    ("cipro", "ciprofloxacin"),
    ("PNC", "penicilin"),
    ("HCTZ", "hydroclorothiazid"),
    ("NMSL", "natri clorid 0,9 %"),
    ("G5", "glucose 5 %"),
    ("RL", "Ringer lactat"),
    ("k", "không"),
    ("ko", "không"),
    ("dc", "được"),
    ("đc", "được"),
    ("j", "gì"),
    ("vs", "với"),
    ("bid", "2 lần/ngày"),
    ("tid", "3 lần/ngày"),
    ("qd", "1 lần/ngày"),
]


@pytest.mark.parametrize(("short", "meaning"), PLAIN, ids=[short for short, _ in PLAIN])
def test_an_abbreviation_is_spelled_out(short: str, meaning: str) -> None:
    expanded = _expand(f"hỏi {short} ạ")
    assert expanded == Expanded(f"hỏi {meaning} ạ")


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("uống 3l/ngày", "uống 3 lần/ngày"),
        ("uống 3 L/ngay", "uống 3 lần/ngày"),
        ("truyền 0,5 l/ngày", "truyền 0,5 l/ngày"),
        ("tiêm q8h", "tiêm mỗi 8 giờ"),
        ("tiêm Q12h", "tiêm mỗi 12 giờ"),
        ("bé 3th", "bé 3 tháng tuổi"),
        ("bé 10 thg", "bé 10 tháng tuổi"),
        ("bé 3 th tuổi", "bé 3 th tuổi"),
        ("bn 60t", "bệnh nhân 60 tuổi"),
        ("bé 15t", "bé 15 tuổi"),
        ("bé 3t 14 kg", "bé 3 tuổi 14 kg"),
        ("bé 3t 6 kg", "bé 3 tháng tuổi 6 kg"),
        ("levothyroxin 50 µg", "levothyroxin 50 microgam"),
        ("levothyroxin 50 μg", "levothyroxin 50 microgam"),
        ("uống 2v", "uống 2 viên"),
        ("uống 2 v/lần", "uống 2 viên/lần"),
        ("bệnh nhân 70t.", "bệnh nhân 70 tuổi."),
        ("bé 12k", "bé 12 kg"),
    ],
)
def test_patterns_with_numbers(question: str, text: str) -> None:
    assert _expand(question) == Expanded(text)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("mẹ CCB dùng ibuprofen", "mẹ cho con bú dùng ibuprofen"),
        ("CCB sau sinh", "cho con bú sau sinh"),
        ("nhóm CCB gồm gì", "nhóm thuốc chẹn kênh calci gồm gì"),
        ("amlodipin thuộc nhóm CCB", "amlodipin thuộc nhóm thuốc chẹn kênh calci"),
        ("STM chỉnh liều", "suy thận mạn chỉnh liều"),
        ("STM NYHA 3", "suy tim mạn NYHA 3"),
        ("gentamicin đường TB", "gentamicin đường tiêm bắp"),
        ("gentamicin TB 1 lọ", "gentamicin tiêm bắp 1 lọ"),
        ("nitrat SL", "nitrat ngậm dưới lưỡi"),
        ("SL 10 viên", "số lượng 10 viên"),
        ("CN 12 kg", "cân nặng 12 kg"),
        ("CN gan kém", "chức năng gan kém"),
        ("bé, CN 12kg", "bé, cân nặng 12kg"),
        ("CN 12kg", "cân nặng 12kg"),
        ("CCB cho mẹ?", "cho con bú cho mẹ?"),
        ("CCB cho người tăng huyết áp", "thuốc chẹn kênh calci cho người tăng huyết áp"),
    ],
)
def test_context_settles_an_ambiguous_abbreviation(question: str, text: str) -> None:
    assert _expand(question) == Expanded(text)


@pytest.mark.parametrize(
    ("short", "meanings"),
    [
        ("CCB", ("cho con bú", "thuốc chẹn kênh calci")),
        ("STM", ("suy thận mạn", "suy tim mạn")),
        ("TB", ("tiêm bắp", "trung bình")),
        ("SL", ("ngậm dưới lưỡi", "số lượng")),
        ("CN", ("cân nặng", "chức năng")),
        ("3t", ("3 tuổi", "3 tháng tuổi")),
        ("9T", ("9 tuổi", "9 tháng tuổi")),
    ],
)
def test_without_context_it_is_asked_and_left_as_typed(short: str, meanings: tuple[str, ...]) -> None:
    assert _expand(f"hỏi {short} ạ") == Expanded(f"hỏi {short} ạ", ((short, meanings),))


@pytest.mark.parametrize(
    "question",
    [
        "liều paracetamol người lớn",
        "thuoc ha sot cho tre em",
        "the nao la te bao",
        "tha thu",
        "ACC 200 mg",
        "Humulin R",
        "Omez 20 mg",
        "vitamin K₁",
        "Aspirin pH8",
        "Konakion MM tiêm",
        "MST Continus",
        "warfarin, metformin, amlodipin",
        "10kg",
        "100 mg/kg/ngày",
    ],
)
def test_words_and_drug_names_are_left_alone(question: str) -> None:
    assert _expand(question) == Expanded(question)


@pytest.mark.parametrize("name", sorted(set(sample_corpus().names._exact)))
def test_no_alias_of_the_sample_is_touched(name: str) -> None:
    shown = next(entry.text for entry in sample_corpus().names._names[name])
    expanded = _expand(f"thuốc {shown} 500mg")
    assert expanded == Expanded(f"thuốc {shown} 500mg")


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("lieeuf paracetamol", "liều paracetamol"),
        ("lie62u paracetamol", "liều paracetamol"),
        ("paracetamol nguwowif lowns", "paracetamol người lớn"),
        ("thuoocs paracetamol", "thuốc paracetamol"),
        ("chống chir ddinhj aspirin", "chống chỉ định aspirin"),
        ("nguoiwf lowns", "người lớn"),
    ],
)
def test_typing_slips_are_decoded(question: str, text: str) -> None:
    assert _expand(question).text == text


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("liều paracetamol TE", "liều paracetamol trẻ em"),
        ("te bao gan", "te bao gan"),
        ("đo HA trước", "đo huyết áp trước"),
        ("thuốc ha sot", "thuốc ha sot"),
        ("LIEU PARACETAMOL HA SOT", "LIEU PARACETAMOL HA SOT"),
        ("LIỀU PARACETAMOL CHO BN", "LIỀU PARACETAMOL CHO bệnh nhân"),
        ("bn THA", "bệnh nhân tăng huyết áp"),
        ("BN tha thu", "bệnh nhân tha thu"),
    ],
)
def test_what_could_be_a_syllable_counts_only_in_capitals(question: str, text: str) -> None:
    assert _expand(question).text == text


def test_several_slips_at_once() -> None:
    expanded = _expand("para k dc uong vs j, BN THA 70t")
    assert expanded == Expanded("paracetamol không được uong với gì, bệnh nhân tăng huyết áp 70 tuổi")


def test_titles_of_sections_stay() -> None:
    for facts in SECTION_FACTS.values():
        assert _expand(f"xem {facts.title}").text == f"xem {facts.title}"
