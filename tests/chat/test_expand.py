"""Abbreviations and slips spelled out, and drug names left alone."""

from __future__ import annotations

import pytest

from chat.expand import Expanded, expand_question
from monographs.domain import SECTION_FACTS
from tests.chat.faults import fault
from tests.sample_corpus import sample_corpus


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("liều amoxicilin/clavulanat người lớn", "liều amoxicilin và clavulanat người lớn"),
        ("lieu amoxicilin + clavulanat nguoi lon", "lieu amoxicilin và clavulanat nguoi lon"),
        ("amoxicilin-clavulanat bé 15kg", "amoxicilin và clavulanat bé 15kg"),
        ("amoxicilin/acid clavulanic uống", "amoxicilin và clavulanat uống"),
        ("Amoxicillin + Clavulanic acid 625", "Amoxicillin và Clavulanat 625"),
        # Where the book has no drug by both names they stay two.
        ("warfarin + aspirin", "warfarin + aspirin"),
        ("paracetamol/ibuprofen", "paracetamol/ibuprofen"),
        ("dopamin - dobutamin", "dopamin - dobutamin"),
        ("piperacilin/tazobactam", "piperacilin/tazobactam"),
    ],
)
def test_a_combination_is_called_as_the_book_calls_it(question: str, text: str) -> None:
    assert _expand(question).text == text


def _expand(question: str) -> Expanded:
    corpus = sample_corpus()
    return expand_question(question, corpus.names, corpus.vocabulary)


PLAIN = [
    ("ibu", "ibuprofen"),
    ("amlo", "amlodipin"),
    ("nife", "nifedipin"),
    ("losar", "losartan"),
    ("furo", "furosemid"),
    ("spiro", "spironolacton"),
    ("simva", "simvastatin"),
    ("glicla", "gliclazid"),
    ("panto", "pantoprazol"),
    ("clarithro", "clarithromycin"),
    ("salbu", "salbutamol"),
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
    ("VKDT", "viêm khớp dạng thấp"),
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
        ("kh viêm họng bán thuốc gì", "khách viêm họng bán thuốc gì"),
        ("có kh đau đầu", "có khách đau đầu"),
        ("uống được kh", "uống được không"),
        ("suy tim NYHA IV", "suy tim NYHA 4"),
        ("suy tim độ iv", "suy tim độ 4"),
        ("tiêm iv", "tiêm tiêm tĩnh mạch"),
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
        ("TB", ("trung bình", "tiêm bắp")),
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


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("paracetamol bn mg", "paracetamol bao nhiêu mg"),
        ("uống bn mg một lần", "uống bao nhiêu mg một lần"),
        ("uống BN mg", "uống bao nhiêu mg"),
        ("mỗi lần bn ml", "mỗi lần bao nhiêu ml"),
        ("clcr 40 ml/ph", "độ thanh thải creatinin 40 ml/phút"),
        ("GFR 40ml/min", "GFR 40ml/phút"),
        ("uong bn vien", "uong bao nhiêu vien"),
        ("ngày uống bn viên", "ngày uống bao nhiêu viên"),
        ("ngày bn lần", "ngày bao nhiêu lần"),
        ("tiêm bn đv", "tiêm bao nhiêu đơn vị"),
        ("truyền bn giọt", "truyền bao nhiêu giọt"),
        ("dùng bn ngày", "dùng bao nhiêu ngày"),
        ("liều bn?", "liều bao nhiêu?"),
        ("liều bn", "liều bao nhiêu"),
        ("lieu bn ?", "lieu bao nhiêu ?"),
        ("liều là bn", "liều là bao nhiêu"),
        ("bn suy thận liều bn?", "bệnh nhân suy thận liều bao nhiêu?"),
        ("cho bn uống bn mg?", "cho bệnh nhân uống bao nhiêu mg?"),
        ("BN 60t", "bệnh nhân 60 tuổi"),
        ("bn nam 60t", "bệnh nhân nam 60 tuổi"),
        ("bn uống 2 viên", "bệnh nhân uống 2 viên"),
        ("bn đang dùng warfarin", "bệnh nhân đang dùng warfarin"),
        ("bn g6pd", "bệnh nhân g6pd"),
        ("thuốc cho bn", "thuốc cho bệnh nhân"),
        fault("liều bn là đủ", "liều bao nhiêu là đủ", reason="`bn` behind what is counted asks only at the end"),
        fault("bn ngày uống 2 viên", "bệnh nhân ngày uống 2 viên", reason="`bn` that begins the question is a patient"),
    ],
)
def test_two_letters_ask_how_much_or_stand_for_a_patient(question: str, text: str) -> None:
    assert _expand(question).text == text


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("hapacol150", "hapacol 150"),
        ("hapacol150 bé 2 tuổi", "hapacol 150 bé 2 tuổi"),
        ("paracetamol500 uống", "paracetamol 500 uống"),
        ("augmentin625", "augmentin 625"),
        ("metformin850", "metformin 850"),
        ("type2", "typ 2"),
        ("nyha3", "nyha 3"),
        ("cđ+ccđ", "chỉ định + chống chỉ định"),
        ("CĐ+CCĐ", "chỉ định + chống chỉ định"),
        ("cđ + ccđ", "chỉ định + chống chỉ định"),
        ("cđ+ccđ+tdp", "chỉ định + chống chỉ định + tác dụng phụ"),
        ("liều+cđ", "liều + chỉ định"),
        ("tdp+ccd của aspirin", "tác dụng phụ + chống chỉ định của aspirin"),
        fault("hapacol150mg", "hapacol 150mg", reason="a strength with its unit is not parted from the name"),
        fault("typ2", "typ 2", reason="`typ2` is decoded as a VNI slip: `tỳp`"),
    ],
)
def test_what_is_written_together_is_pulled_apart(question: str, text: str) -> None:
    assert _expand(question).text == text


@pytest.mark.parametrize(
    "question",
    [
        "Humalog Mix25",
        "humalog mix25",
        "Aspirin pH8",
        "vitamin B12",
        "vitamin k1",
        "HbA1c",
        "ft4",
        "D5",
        "5 mg/kg",
        "ibuprofen+codein",
        "paracetamol+ibuprofen",
        "a+b",
        "bé 12kg",
        "100mg",
        fault("CO2 máu cao", reason="`CO2` is decoded as a VNI slip: `CÒ`"),
        fault("Ca2+ máu thấp", reason="`Ca2+` is decoded as a VNI slip: `Cà+`"),
    ],
)
def test_names_and_codes_with_a_number_stay_together(question: str) -> None:
    assert _expand(question) == Expanded(question)


@pytest.mark.parametrize(
    ("question", "text"), [("q8h", "mỗi 8 giờ"), ("Q12h", "mỗi 12 giờ"), ("tiêm q6h", "tiêm mỗi 6 giờ")]
)
def test_an_interval_is_spelled_out_and_not_pulled_apart(question: str, text: str) -> None:
    assert _expand(question) == Expanded(text)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("RL cương dương", "rối loạn cương dương"),
        ("rl cuong duong", "rối loạn cuong duong"),
        ("RL tiêu hóa", "rối loạn tiêu hóa"),
        ("RL giấc ngủ", "rối loạn giấc ngủ"),
        ("RL nhịp tim", "rối loạn nhịp tim"),
        ("RL lipid máu", "rối loạn lipid máu"),
        ("rl mỡ máu", "rối loạn mỡ máu"),
        ("RL tâm thần", "rối loạn tâm thần"),
        ("RL điện giải", "rối loạn điện giải"),
        ("rl kinh nguyệt", "rối loạn kinh nguyệt"),
        ("rl lo âu", "rối loạn lo âu"),
        ("pha RL", "pha Ringer lactat"),
        ("pha rl", "pha Ringer lactat"),
        ("truyền RL được không", "truyền Ringer lactat được không"),
        ("pha RL hay NMSL", "pha Ringer lactat hay natri clorid 0,9 %"),
        fault("RL đông máu", "rối loạn đông máu", reason="a disorder that is not in the list: Ringer lactat is read"),
        fault("RL cảm xúc", "rối loạn cảm xúc", reason="a disorder that is not in the list: Ringer lactat is read"),
    ],
)
def test_a_disorder_is_no_infusion_fluid(question: str, text: str) -> None:
    assert _expand(question).text == text


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("vit k1", "vitamin k1"),
        ("Vit K1 tiêm", "vitamin K1 tiêm"),
        ("vit.k1", "vitamin k1"),
        ("vit b6", "vitamin b6"),
        ("VIT C", "vitamin C"),
        ("vit pp", "vitamin pp"),
        ("con vit", "con vit"),
        ("vit lon", "vit lon"),
    ],
)
def test_a_vitamin_is_spelled_out(question: str, text: str) -> None:
    assert _expand(question).text == text


def test_vitamin_k1_is_found_by_its_short_form() -> None:
    (span,) = sample_corpus().names.resolve(_expand("liều vit k1").text)
    assert [drug.drug_id for drug in span.drugs] == ["phytomenadion"]


@pytest.mark.parametrize(
    "question",
    [
        "K máu 5,8",
        "k máu 2,9",
        "K+ 5,8",
    ],
)
def test_potassium_is_no_denial(question: str) -> None:
    assert "không" not in _expand(question).text
