"""Drugs taken together on the sample: what is named, printed as absent, silent or unread, in both directions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chat.answer import Prior, answer_question
from chat.contract import Answer, PairAssessment
from chat.conversation import ask_in_order
from chat.domain import Decision, PairStatus, QueryFrame, Reason, TurnType
from chat.drug_classes import classes_of
from chat.interaction_route import SILENCE, decide_interaction
from chat.interactions import find_pairs
from chat.pair_subjects import subjects_of
from chat.question import clean_question
from chat.selection import Selection
from ingest.sample import source
from monographs.domain import DrugRef, MonographKind, PassageState, SectionKey
from monographs.models import Edition, EditionState, Passage, Section
from monographs.text import fold, words
from tests.factories import make_alias, make_edition, make_held_back, make_monograph, make_section
from tests.sample_corpus import sample_corpus
from tests.sample_edition import publish_sample
from tests.sample_evidence import sample_evidence

NAMED, ABSENT, SILENT, UNREAD = (
    PairStatus.NAMED,
    PairStatus.PRINTED_ABSENCE,
    PairStatus.SILENT,
    PairStatus.NOT_CHECKED,
)
TAKEN = (  # noqa: SIM905
    "WARFARIN ASPIRIN IBUPROFEN METFORMIN NYSTATIN FLUCONAZOL DIGOXIN AMLODIPIN PARACETAMOL ENALAPRIL SPIRONOLACTON "
    "LOSARTAN METHOTREXAT AMOXICILIN CLARITHROMYCIN FUROSEMID GENTAMICIN OMEPRAZOL SALBUTAMOL DOPAMIN DOBUTAMIN "
    "SILDENAFIL CEFTRIAXON METRONIDAZOL"
).split()
TITLES = (*TAKEN, "AMOXICILIN VÀ CLAVULANAT", "CÁC CHẤT ỨC CHẾ HMG-CoA REDUCTASE", "ISOSORBID DINITRAT", "KALI CLORID")
EIGHT = "warfarin + aspirin + ibuprofen + clarithromycin + digoxin + furosemid + enalapril + spironolacton"
OF_OUR_OWN = re.compile(
    r"an toàn|không (?:có )?tương tác|dùng (?:chung|cùng nhau) được|phối hợp được|yên tâm", re.IGNORECASE
)


@pytest.fixture(scope="module")
def sample(django_db_setup: None, django_db_blocker: pytest.FixtureRequest) -> Iterator[Edition]:
    """One edition for the whole module; every test's own changes are rolled back around it."""
    with django_db_blocker.unblock():  # type: ignore[attr-defined]
        edition = publish_sample(TITLES)
        yield edition
        edition.delete()


def _ask(question: str, prior: Prior | None = None) -> Answer:
    return answer_question(clean_question(question), trace_id="t", prior=prior).answer


def _statuses(answer: Answer) -> dict[str, PairStatus]:
    return {f"{pair.first} – {pair.second}": pair.status for pair in answer.pairs}


def _own_words(answer: Answer) -> list[str]:
    """What the program says itself, quotes left out."""
    missing = answer.insufficiency
    return [
        answer.message,
        answer.note,
        answer.next_step,
        answer.clarifying_question or "",
        *answer.quick_replies,
        *((*missing.missing_topics, *missing.missing_targets) if missing else ()),
        *(text for pair in answer.pairs for side in pair.sides for text in (*side.unread, side.about)),
    ]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("question", "status"),
    [
        ("warfarin với aspirin uống chung được không", NAMED),
        ("warfarin voi aspirin uong chung dc ko", NAMED),
        ("WARFARIN + ASPIRIN", NAMED),
        ("warfarin+aspirin", NAMED),
        ("tương tác warfarin và aspirin", NAMED),
        ("đang uống warfarin thêm aspirin", NAMED),
        ("warfarin vs aspirin", NAMED),
        ("đang uống enalapril thêm spironolacton", NAMED),
        ("furosemid va gentamicin dung chung duoc khong", NAMED),
        ("amlodipin phối hợp với sildenafil", NAMED),
        ("augmentin với methotrexat", NAMED),
        ("acid acetylsalicylic với ibuprofen", NAMED),
        ("amoxicillin với warfarine", NAMED),
        ("simvastatin với amlodipin", NAMED),
        ("atorvastatin và clarithromycin", NAMED),
        ("sildenafil với isosorbid dinitrat", NAMED),
        ("paracetamol với amlodipin", SILENT),
        ("paracetamol voi amlodipin", SILENT),
        ("nystatin với warfarin", ABSENT),
        ("nystatin với fluconazol", NAMED),
        ("metformin voi thuoc can quang", NAMED),
        ("metformin với thuốc cản quang", NAMED),
        ("warfarin với NSAID", NAMED),
        ("nsaid va warfarin", NAMED),
        ("C3G với warfarin", NAMED),
        ("thuốc chống đông và ibuprofen", NAMED),
        ("sildenafil với nitrat", NAMED),
        ("ceftriaxon với calci", NAMED),
        ("metronidazol với rượu", NAMED),
        ("metronidazol uống với bia được không", NAMED),
        ("ibuprofen uống với bia được không", SILENT),
        ("nước bưởi với amlodipin", NAMED),
        ("clopidogrel với omeprazol", NAMED),
        # A class is named by its members' names too, and its members' own monographs are read.
        ("digoxin với các kháng sinh macrolid", NAMED),
        ("digoxin voi cac khang sinh nhom macrolid", NAMED),
        ("digoxin với kháng sinh", NAMED),
        ("warfarin với kháng sinh quinolon", NAMED),
        ("warfarin với các thuốc kháng nấm azol", NAMED),
        ("kali clorid với thuốc lợi tiểu giữ kali", NAMED),
        ("clarithromycin với kháng sinh macrolid", SILENT),
        ("paracetamol với kháng sinh aminoglycosid", SILENT),
        ("đang colchicin, viêm họng kê clarithromycin", NAMED),
        ("metformin và vildagliptin phối hợp ok không", UNREAD),
        ("metformin với vildagliptin dùng chung được không", UNREAD),
        ("metformin với piperacilin/tazobactam dùng chung được không", UNREAD),
        ("methotrexat dùng cùng sulfamethoxazol/trimethoprim được không", NAMED),
        ("paracetamol với clopidogrel", UNREAD),
        ("warfarin + xyzabol", UNREAD),
        ("tương tác warfarin và xyzabol", UNREAD),
        ("lovenox với aspirin", UNREAD),
    ],
)
def test_what_the_book_says_of_two(sample: Edition, question: str, status: PairStatus) -> None:
    answer = _ask(question)
    assert [pair.status for pair in answer.pairs] == [status], _statuses(answer)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("question", "turn", "decision", "reason"),
    [
        ("warfarin với aspirin", "interaction", Decision.ANSWERABLE, Reason.VERIFIED),
        ("paracetamol với amlodipin", "interaction", Decision.ABSTAIN, Reason.INSUFFICIENT_EVIDENCE),
        ("nystatin với warfarin", "interaction", Decision.ANSWERABLE, Reason.VERIFIED),
        # Pairs are asked for, whatever is asked of each of them.
        (
            "digoxin, clarithromycin, furosemid: cap nao can theo doi",
            "interaction",
            Decision.ANSWERABLE,
            Reason.VERIFIED,
        ),
        ("warfarin + xyzabol", "interaction", Decision.ABSTAIN, Reason.UNKNOWN_DRUG),
        ("dopamin với dobutamim", "interaction", Decision.CLARIFY, Reason.SUGGESTED_DRUG),
        ("salbutamol với digoxin", "interaction", Decision.CLARIFY, Reason.AMBIGUOUS_DRUG),
        ("warfarin, aspirin và xyzabol", "interaction", Decision.ANSWERABLE, Reason.MISSING_REQUESTED_ENTITY),
        ("clopidogrel với omeprazol", "interaction", Decision.ANSWERABLE, Reason.PARTIAL_COMPARISON),
        # Twice the same: what the book says of that, and the question which section where it says nothing.
        ("Panadol với paracetamol uống chung được không", "interaction", Decision.ANSWERABLE, Reason.VERIFIED),
        ("Lasix với furosemid uống chung được không", "interaction", Decision.CLARIFY, Reason.NEEDS_SECTION),
        ("tương tác của warfarin", "drug_attribute", Decision.ANSWERABLE, Reason.VERIFIED),
        ("warfarin tương tác với gì", "drug_attribute", Decision.ANSWERABLE, Reason.VERIFIED),
    ],
)
def test_how_the_turn_ends(sample: Edition, question: str, turn: str, decision: Decision, reason: Reason) -> None:
    answered = answer_question(clean_question(question), trace_id="t")
    frame, answer = answered.frame, answered.answer
    assert frame is not None and frame.turn_type.value == turn
    assert (answer.decision, answer.reason) == (decision, reason)


@pytest.mark.django_db
def test_a_class_is_read_in_the_monographs_of_its_members(sample: Edition) -> None:
    answer = _ask("digoxin với các kháng sinh macrolid")
    (pair,) = answer.pairs
    assert [(side.about, side.status) for side in pair.sides] == [("Kháng sinh macrolid", NAMED), ("Digoxin", NAMED)]
    assert {"digoxin", "clarithromycin"} <= {c.drug_id for claim in answer.claims for c in claim.citations}
    assert "Đọc thêm chuyên luận của thuốc trong nhóm: Clarithromycin." in answer.note


@pytest.mark.django_db
def test_comparison_asked_in_so_many_words_stays_one(sample: Edition) -> None:
    frame = answer_question("so sánh losartan với enalapril", trace_id="t").frame
    assert frame is not None and frame.turn_type is TurnType.COMPARISON


@pytest.mark.django_db
@pytest.mark.parametrize(
    "question",
    [
        "paracetamol với amlodipin",
        "nystatin với warfarin",
        "warfarin với aspirin",
        "warfarin + xyzabol",
        "ibuprofen với rượu",
        "1. Warfarin 5mg 2. Amlodipin 5mg 3. Panadol 500mg 4. Zolpixantel 10mg",
        "warfarin, aspirin, ibuprofen, clarithromycin, digoxin, furosemid, enalapril, spironolacton",
    ],
)
def test_no_pair_is_called_safe_in_words_of_our_own(sample: Edition, question: str) -> None:
    answer = _ask(question)
    assert answer.pairs
    assert not [text for text in _own_words(answer) if OF_OUR_OWN.search(text.replace(SILENCE, ""))]
    assert SILENCE in answer.note


@pytest.mark.django_db
def test_silence_alone_answers_nothing_and_is_shown_with_what_was_read(sample: Edition) -> None:
    answer = _ask("paracetamol với amlodipin")
    assert answer.decision is Decision.ABSTAIN and not answer.claims
    assert [[side.status for side in pair.sides] for pair in answer.pairs] == [[SILENT, SILENT]]
    for section in ("Tương tác thuốc", "Chống chỉ định", "Thận trọng", "Liều lượng và cách dùng"):
        assert section in answer.note


@pytest.mark.django_db
def test_opening_denial_never_stands_without_what_another_section_says(sample: Edition) -> None:
    answer = _ask("nystatin với fluconazol")
    said = [(claim.citations[0].section, claim.claim) for claim in answer.claims]
    assert [section for section, _ in said] == [SectionKey.TUONG_TAC, SectionKey.THAN_TRONG]
    assert "Chưa có tương tác" in said[0][1] and "fluconazol" in said[1][1]


@pytest.mark.django_db
def test_what_forbids_comes_first(sample: Edition) -> None:
    answer = _ask("clarithromycin với simvastatin")
    sections = [block.section for block in answer.blocks]
    assert sections[0] is SectionKey.CHONG_CHI_DINH
    assert any("simvastatin" in answer.claims[index].claim for index in answer.blocks[0].claims)


@pytest.mark.django_db
def test_contrast_medium_brings_interaction_contraindication_and_caution(sample: Edition) -> None:
    sections = {block.section for block in _ask("metformin voi thuoc can quang").blocks}
    assert sections == {SectionKey.CHONG_CHI_DINH, SectionKey.TUONG_TAC, SectionKey.THAN_TRONG}


@pytest.mark.django_db
def test_members_own_names_do_not_stand_for_another_member(sample: Edition) -> None:
    named = {side.reader_name: side for pair in _ask("pravastatin với amlodipin").pairs for side in pair.sides}
    assert named["Amlodipin"].status is SILENT
    named = {side.reader_name: side for pair in _ask("simvastatin với amlodipin").pairs for side in pair.sides}
    assert named["Amlodipin"].status is NAMED


@pytest.mark.django_db
def test_reader_is_told_by_which_words_a_drug_is_named(sample: Edition) -> None:
    side = _ask("warfarin với ibuprofen").pairs[0].sides[0]
    assert {word.lower() for word in side.by} >= {"ibuprofen", "thuốc chống viêm không steroid"}


@pytest.mark.django_db
@pytest.mark.parametrize("question", ["aspirin với ibuprofen", "amoxicilin với ceftriaxon"])
def test_allergy_to_a_class_is_no_reason_about_taking_both(sample: Edition, question: str) -> None:
    claims = [claim.claim for claim in _ask(question).claims]
    assert not [claim for claim in claims if claim.startswith("Quá mẫn")]


@pytest.mark.django_db
def test_harm_that_came_from_a_class_does_not_name_it(sample: Edition) -> None:
    """ "Suy thận do thuốc độc thận" forbids nobody to take gentamicin."""
    claims = [claim.claim for claim in _ask("furosemid với gentamicin").claims]
    assert claims and not [claim for claim in claims if claim.startswith("Vô niệu")]


@pytest.mark.django_db
def test_patient_facts_come_before_the_pair(sample: Edition) -> None:
    answer = _ask("phụ nữ có thai dùng enalapril với losartan được không")
    order = [(block.drug_name, block.section) for block in answer.blocks]
    assert order[:2] == [("Enalapril", SectionKey.CHONG_CHI_DINH), ("Enalapril", SectionKey.MANG_THAI)]
    assert ("Losartan", SectionKey.TUONG_TAC) in order


@pytest.mark.django_db
@pytest.mark.parametrize(
    "question",
    [
        "BN dị ứng penicilin, dùng amoxicilin với warfarin được không",
        "bn di ung penicilin dung amoxicilin voi warfarin dc k",
    ],
)
def test_allergy_brings_its_contraindication_and_is_no_drug_of_the_pair(sample: Edition, question: str) -> None:
    answer = _ask(question)
    assert list(_statuses(answer)) == ["Amoxicilin – Warfarin"]
    assert answer.claims[0].claim == "Quá mẫn với penicilin."


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("question", "must"),
    [
        ("BN phản vệ penicillin. Toa: Curam 1g x 14 viên, Efferalgan 500 x 10v", "Quá mẫn với penicilin hoặc acid"),
        ("BN dị ứng cefalexin, đơn có Augmentin, paracetamol", "beta-lactam khác"),
        ("dị ứng diclofenac, đơn có ibuprofen 400, omeprazol 20", "thuốc chống viêm không steroid khác"),
        ("BN dị ứng penicillin, đơn: ceftriaxon 1g, paracetamol 500mg", "nặng với penicilin hoặc beta-lactam"),
    ],
)
def test_an_allergy_is_found_however_it_is_spelled_and_by_its_class(sample: Edition, question: str, must: str) -> None:
    assert must in _ask(question).claims[0].claim


PRESCRIPTION = """1. Warfarin 5mg 1v sáng
2. Amlodipin 5mg 1 viên sáng
3. Panadol 500mg 2v khi đau
4. Zolpixantel 10mg tối"""


@pytest.mark.django_db
def test_pasted_prescription_is_read_pair_by_pair(sample: Edition) -> None:
    statuses = _statuses(_ask(PRESCRIPTION))
    assert statuses["Warfarin – Paracetamol"] is NAMED
    assert statuses["Warfarin – Amlodipin"] is SILENT
    assert [name for name, status in statuses.items() if status is UNREAD] == [
        "Warfarin – Zolpixantel",
        "Amlodipin – Zolpixantel",
        "Paracetamol – Zolpixantel",
    ]


@pytest.mark.django_db
def test_line_without_any_known_name_is_listed(sample: Edition) -> None:
    answer = _ask("1. Warfarin 5mg 2. Hoạt huyết dưỡng não 2v 3. Aspirin 81mg 4. Clopidogrel 75mg")
    assert answer.insufficiency is not None
    assert set(answer.insufficiency.missing_targets) == {"Hoạt huyết dưỡng não", "Clopidogrel"}
    assert _statuses(answer)["Warfarin – Clopidogrel"] is NAMED


@pytest.mark.django_db
def test_two_names_of_one_drug_are_told(sample: Edition) -> None:
    answer = _ask("1. Panadol 500mg 2. Hapacol 250mg 3. Warfarin 5mg")
    assert "Panadol và Hapacol cùng là Paracetamol." in answer.note
    assert list(_statuses(answer)) == ["Paracetamol – Warfarin"]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("question", "must"),
    [
        ("Revatio 20mg, thêm Viagra 50mg + fluconazol 150mg", "Không dùng hai chế phẩm chứa sildenafil cùng lúc"),
        ("Viagra và Caverta uống chung được không", "Không dùng hai chế phẩm chứa sildenafil cùng lúc"),
        ("Panadol với Hapacol uống chung được không", "phải tính tổng liều từ mọi nguồn"),
        ("1. Panadol 500mg 2. Hapacol 250mg 3. Warfarin 5mg", "phải tính tổng liều từ mọi nguồn"),
    ],
)
def test_what_is_said_of_the_same_drug_twice_is_shown(sample: Edition, question: str, must: str) -> None:
    assert any(must in claim.claim for claim in _ask(question).claims)


@pytest.mark.django_db
@pytest.mark.parametrize("ask", ["liều này ổn không", "lieu nay on ko", "liều đó đúng chưa"])
def test_dose_of_a_prescription_is_never_approved(sample: Edition, ask: str) -> None:
    answer = _ask(f"1. Warfarin 5mg 1v sáng 2. Paracetamol 500mg 2v. {ask}")
    assert answer.insufficiency is not None
    topics = " ".join(answer.insufficiency.missing_topics)
    assert "Warfarin" in topics and "Paracetamol" in topics
    assert set(answer.quick_replies) == {"Liều Warfarin", "Liều Paracetamol"}
    assert not [text for text in _own_words(answer) if re.search(r"\bổn\b|đúng liều|phù hợp", text)]


@pytest.mark.django_db
@pytest.mark.parametrize(
    "question",
    [
        "lieu va ccd ibuprofen, uong voi losartan dc k",
        "Liều và chống chỉ định của ibuprofen, uống với losartan được không?",
        "liều và chống chỉ định ibuprofen uống với losartan được không",
    ],
)
def test_every_part_is_answered_or_listed(sample: Edition, question: str) -> None:
    answer = _ask(question)
    assert _statuses(answer) == {"Ibuprofen – Losartan": NAMED}
    assert ("Ibuprofen", SectionKey.CHONG_CHI_DINH) in [(b.drug_name, b.section) for b in answer.blocks]
    assert ("Losartan", SectionKey.CHONG_CHI_DINH) not in [(b.drug_name, b.section) for b in answer.blocks]
    assert answer.insufficiency is not None and "Ibuprofen" in answer.insufficiency.missing_topics[0]
    assert answer.quick_replies == ("Liều Ibuprofen",)


@pytest.mark.django_db
def test_dose_that_the_question_selects_stands_beside_the_pair(sample: Edition) -> None:
    answer = _ask("liều paracetamol đường uống cho người lớn, đang dùng với warfarin")
    assert ("Paracetamol", SectionKey.LIEU_DUNG) in [(b.drug_name, b.section) for b in answer.blocks]
    assert _statuses(answer) == {"Paracetamol – Warfarin": NAMED}


@pytest.mark.django_db
def test_too_much_of_two_drugs_brings_the_overdose_of_both_first(sample: Edition) -> None:
    answer = _ask("uống nhầm warfarin với aspirin")
    told = [block.drug_name for block in answer.blocks if block.section is SectionKey.QUA_LIEU]
    assert told == ["Warfarin", "Aspirin"] and answer.blocks[0].section is SectionKey.QUA_LIEU
    assert not [block for block in answer.blocks if block.section is SectionKey.LIEU_DUNG] and answer.emergency


@pytest.mark.django_db
def test_eight_drugs_are_laid_side_by_side_and_nine_are_not(sample: Edition) -> None:
    answer = _ask(EIGHT)
    assert len(answer.pairs) == 28 and answer.decision is Decision.ANSWERABLE
    refused = _ask(f"{EIGHT} + losartan")
    assert refused.reason is Reason.TOO_MANY_DRUGS and not refused.pairs


@pytest.mark.django_db
def test_pair_needs_few_queries(sample: Edition, django_assert_max_num_queries: object) -> None:
    _ask("warfarin với aspirin")
    with django_assert_max_num_queries(6):  # type: ignore[operator]
        _ask(EIGHT)


@pytest.mark.django_db
def test_reply_to_which_namesake_completes_the_pair(sample: Edition) -> None:
    first = answer_question("salbutamol với digoxin", trace_id="t")
    prior = Prior(first.frame, after_clarify=True)
    answer = _ask(first.answer.quick_replies[0], prior)
    assert _statuses(answer) == {"Digoxin – Salbutamol (Dùng trong hô hấp)": NAMED}


@pytest.mark.django_db
def test_reply_to_a_name_nearly_typed_completes_the_pair(sample: Edition) -> None:
    first = answer_question("dopamin với dobutamim", trace_id="t")
    assert "Dobutamin" in first.answer.quick_replies
    assert list(_statuses(_ask("Dobutamin", Prior(first.frame, after_clarify=True)))) == ["Dopamin – Dobutamin"]


@pytest.mark.django_db
def test_pair_goes_on_with_a_fact_of_the_patient(sample: Edition) -> None:
    first = answer_question("warfarin với aspirin", trace_id="t")
    answer = _ask("thế suy thận?", Prior(first.frame))
    assert list(_statuses(answer)) == ["Warfarin – Aspirin"]
    assert ("Aspirin", SectionKey.CHONG_CHI_DINH) in [(b.drug_name, b.section) for b in answer.blocks]


@pytest.mark.django_db
def test_a_drug_in_the_place_of_another_is_shown_with_each_of_them_and_their_own_pair_is_not(sample: Edition) -> None:
    answer = ask_in_order(["Marevan uống cùng Klacid có sao không", "doi qua Ospamox thi sao"])
    assert [(pair.first, pair.second) for pair in answer.pairs] == [
        ("Warfarin", "Amoxicilin"),
        ("Clarithromycin", "Amoxicilin"),
    ]
    assert any("theo dõi INR khi bắt đầu và khi ngừng amoxicilin" in claim.claim for claim in answer.claims)


@pytest.mark.django_db
def test_another_drug_inherits_no_pair(sample: Edition) -> None:
    first = answer_question("warfarin với aspirin", trace_id="t")
    assert not _ask("chống chỉ định metformin", Prior(first.frame)).pairs


# Sections that are missing, held back or unreadable.


def _two(*, reading: str = "Dùng thận trọng.") -> tuple[Section, Section]:
    """Two small monographs, all sections read; the interactions of each."""
    Edition.objects.update(state=EditionState.SUPERSEDED)
    edition = make_edition()
    found = []
    for name in ("Alphadin", "Betadinol"):
        monograph = make_monograph(edition, name)
        make_section(monograph, SectionKey.TEN_CHUNG_QUOC_TE, f"{name}.")
        make_section(monograph, SectionKey.LOAI_THUOC, "Thuốc thử.")
        for key in (SectionKey.CHONG_CHI_DINH, SectionKey.THAN_TRONG, SectionKey.LIEU_DUNG):
            make_section(monograph, key, reading)
        found.append(make_section(monograph, SectionKey.TUONG_TAC, reading))
    return found[0], found[1]


def _pair_of_two() -> PairAssessment:
    return _ask("alphadin với betadinol").pairs[0]


@pytest.mark.django_db
def test_pair_is_silent_only_where_all_was_read() -> None:
    _two()
    assert _pair_of_two().status is SILENT


@pytest.mark.django_db
@pytest.mark.parametrize(
    "key", [SectionKey.TUONG_TAC, SectionKey.CHONG_CHI_DINH, SectionKey.THAN_TRONG, SectionKey.LIEU_DUNG]
)
def test_section_that_is_not_there_was_not_read(key: SectionKey) -> None:
    first, _ = _two()
    Section.objects.filter(monograph=first.monograph, key=key).delete()
    pair = _pair_of_two()
    assert pair.status is UNREAD
    assert [(side.status, bool(side.unread)) for side in pair.sides] == [(UNREAD, True), (SILENT, False)]


@pytest.mark.django_db
@pytest.mark.parametrize("key", [SectionKey.TUONG_TAC, SectionKey.CHONG_CHI_DINH, SectionKey.THAN_TRONG])
def test_section_with_a_part_held_back_was_not_read(key: SectionKey) -> None:
    first, _ = _two()
    make_held_back(Section.objects.get(monograph=first.monograph, key=key))
    assert _pair_of_two().status is UNREAD


@pytest.mark.django_db
def test_table_of_doses_hides_no_name() -> None:
    first, _ = _two()
    make_held_back(Section.objects.get(monograph=first.monograph, key=SectionKey.LIEU_DUNG))
    assert _pair_of_two().status is SILENT


@pytest.mark.django_db
def test_named_in_a_passage_held_back_is_shown_as_a_picture() -> None:
    first, _ = _two()
    Passage.objects.filter(section=first).update(text="Betadinol: tránh.", state=PassageState.QUARANTINED)
    answer = _ask("alphadin với betadinol")
    assert answer.reason is Reason.SOURCE_QUARANTINED and not answer.claims
    assert answer.pairs[0].status is NAMED and answer.pairs[0].sides[0].held_back
    assert all(item.text == "" for item in answer.evidence)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("Chưa có tương tác thuốc nào được biết đến.", ABSENT),
        ("Không có tương tác với betadinol.", ABSENT),
        ("Không thấy tương tác với betadinol. Betadinol: theo dõi.", NAMED),
        ("Betadinol: tăng nồng độ.", NAMED),
        ("Chưa có nghiên cứu về tương tác thuốc.", SILENT),
        ("Không dùng cùng thuốc khác.", SILENT),
        ("Quá mẫn với betadinol.", SILENT),
        ("Betadinolon: tránh.", SILENT),
        ("Thường gặp hơn so với betadinol.", SILENT),
        ("BETADINOL: tránh.", NAMED),
        ("Chế phẩm chứa Betanol: tránh.", NAMED),
    ],
)
def test_what_a_sentence_says_of_the_other(text: str, status: PairStatus) -> None:
    first, second = _two()
    make_alias(second.monograph, "Betanol")
    Passage.objects.filter(section=first).update(text=text)
    assert _pair_of_two().sides[0].status is status


@pytest.mark.django_db
def test_brand_of_two_drugs_names_neither() -> None:
    first, second = _two()
    for monograph in (first.monograph, second.monograph):
        make_alias(monograph, "Gammadrin")
    make_section(make_monograph(first.monograph.edition, "Deltacin"), SectionKey.TUONG_TAC, "Gammadrin: tránh.")
    sides = {side.reader_name: side.status for side in _ask("deltacin với alphadin").pairs[0].sides}
    assert sides["Deltacin"] is not SILENT


@pytest.mark.django_db
def test_drug_whose_class_is_not_known_was_not_wholly_looked_for() -> None:
    _, second = _two()
    Section.objects.filter(monograph=second.monograph, key=SectionKey.LOAI_THUOC).delete()
    side = _pair_of_two().sides[0]
    assert side.status is UNREAD and side.unread == ("Loại thuốc (Betadinol)",)


@pytest.mark.django_db
def test_passage_without_a_printed_page_is_not_cited() -> None:
    first, _ = _two()
    Passage.objects.filter(section=first).update(text="Betadinol: tránh.", printed_page=None)
    assert _ask("alphadin với betadinol").reason is Reason.MISSING_PRINTED_PAGE


# Recall on the whole sample, reckoned from its sources another way: what "Tương tác thuốc" prints of each other drug.

# By which words a passage of another names these, beside their own name; written down from the sources.
_CALLED = {
    "warfarin": ["thuốc chống đông kháng vitamin k", "thuốc chống đông"],
    "aspirin": ["thuốc chống viêm không steroid", "thuốc chống kết tập tiểu cầu"],
    "ibuprofen": ["thuốc chống viêm không steroid"],
    "enalapril": ["thuốc ức chế enzym chuyển"],
    "losartan": ["thuốc chẹn thụ thể angiotensin"],
    "furosemid": ["thuốc lợi tiểu quai"],
    "spironolacton": ["thuốc lợi tiểu giữ kali"],
    "amlodipin": ["thuốc chẹn kênh calci"],
    "nifedipin": ["thuốc chẹn kênh calci"],
    "clarithromycin": ["macrolid"],
    "ciprofloxacin": ["quinolon", "fluoroquinolon"],
    "gentamicin": ["aminoglycosid"],
    "ceftriaxon": ["cephalosporin"],
    "diazepam": ["benzodiazepin"],
    "morphin": ["opioid"],
    "clorpromazin": ["thuốc chống loạn thần"],
    "clorpheniramin": ["thuốc kháng histamin"],
    "prednisolon": ["corticosteroid"],
    "gliclazid": ["sulfonylurê"],
    "omeprazol": ["thuốc ức chế bơm proton"],
    "adrenalin": ["thuốc cường giao cảm"],
    "isosorbid_dinitrat": ["nitrat"],
    "metformin": ["thuốc chống đái tháo đường"],
    "insulin": ["thuốc chống đái tháo đường"],
}


_NO_PAIRS = ({"salbutamol_ho_hap", "salbutamol_san_khoa"}, {"amoxicilin_clavulanat", "amoxicilin"})


@cache
def _printed_interactions() -> dict[str, str]:
    """The text of Tương tác thuốc of each drug, by its file's name, in small letters, between spaces."""
    edition = source.load_edition()
    found = {}
    for monograph in edition.monographs:
        section = monograph.section(SectionKey.TUONG_TAC) if monograph.kind is MonographKind.DRUG else None
        if section is not None:
            found[monograph.slug.replace("-", "_")] = f" {' '.join(words(section.text))} "
    return found


def _own_name(slug: str) -> str:
    return {"kali_clorid": "kali clorid", "calci_gluconat": "calci gluconat"}.get(slug, slug.replace("_", " "))


def _owed_pairs() -> Iterator[tuple[str, str]]:
    """(reader, about): the reader's interactions print the name of the other, or a word for its class."""
    printed = _printed_interactions()
    for reader, text in printed.items():
        for about in printed:
            # Namesakes are one drug, and a combination that prints its own component names no other.
            if about == reader or {about, reader} in _NO_PAIRS:
                continue
            called = [_own_name(about).split(" ho hap")[0].split(" san khoa")[0], *_CALLED.get(about, [])]
            if any(f" {' '.join(words(word))} " in text for word in called):
                yield reader, about


def _drug(slug: str) -> DrugRef:
    corpus = sample_corpus()
    by_hand = {
        "salbutamol_ho_hap": "Salbutamol (Dùng trong hô hấp)",
        "salbutamol_san_khoa": "Salbutamol (Dùng trong sản khoa)",
        "amoxicilin_clavulanat": "Amoxicilin và clavulanat",
    }
    return next(
        drug
        for drug in corpus.drugs.values()
        if drug.drug_id == slug or drug.name == by_hand.get(slug) or fold(drug.name).replace(" ", "_") == slug
    )


@cache
def _all_sides() -> dict[tuple[str, str], PairStatus]:
    """What every monograph of the sample says of every other, read by the program."""
    corpus, evidence = sample_corpus(), sample_evidence()
    drugs = tuple(corpus.drugs.values())
    frame = QueryFrame(TurnType.INTERACTION, drugs=drugs)
    pairs = find_pairs(subjects_of(frame, evidence, corpus), evidence, corpus.names)
    return {(side.reader.name, side.about): side.status for pair in pairs for side in pair.sides}


def test_every_pair_that_the_sources_name_is_found() -> None:
    owed = list(_owed_pairs())
    assert len(owed) > 250
    sides = _all_sides()
    missed = [
        (reader, about)
        for reader, about in owed
        if (_drug(reader).name, _drug(about).name) in sides
        and sides[_drug(reader).name, _drug(about).name] is not NAMED
    ]
    asked = [pair for pair in owed if (_drug(pair[0]).name, _drug(pair[1]).name) in sides]
    assert len(asked) == len(owed)
    assert missed == []


def test_every_pair_of_the_sample_has_a_status_in_both_directions() -> None:
    names = [drug.name for drug in sample_corpus().drugs.values()]
    sides = _all_sides()
    for first, second in combinations(names, 2):
        if first.split(" (")[0] != second.split(" (")[0]:
            assert (first, second) in sides and (second, first) in sides


@given(drugs=st.lists(st.sampled_from(sorted(sample_corpus().drugs)), min_size=2, max_size=8, unique=True))
@settings(max_examples=40)
def test_any_drugs_have_every_pair_read_and_none_called_safe(drugs: list[str]) -> None:
    corpus = sample_corpus()
    frame = QueryFrame(TurnType.INTERACTION, drugs=tuple(corpus.drugs[drug] for drug in drugs))
    decided = decide_interaction(frame, corpus, sample_evidence())
    bare = [corpus.drugs[drug].name.split(" (")[0] for drug in drugs]
    assert len(decided.pairs) == sum(first != second for first, second in combinations(bare, 2))
    for pair in decided.pairs:
        assert len(pair.sides) == 2
        for side in pair.sides:
            assert bool(side.by) == (side.status is NAMED)
            assert (side.status is SILENT) <= (not side.evidence and not side.unread)
    missing = decided.missing if isinstance(decided, Selection) else tuple(decided.detail.values())
    said = [*missing, decided.note.replace(SILENCE, "")]
    assert not [text for text in said if OF_OUR_OWN.search(text)]


@pytest.mark.parametrize(
    ("kind", "names", "has", "lacks"),
    [
        ("Thuốc chống đông kháng vitamin K.", ["Warfarin"], {"chong_dong", "khang_vitamin_k"}, {"vitamin_k"}),
        ("Thuốc cầm máu, thuốc giải độc thuốc chống đông kháng vitamin K.", ["X"], set(), {"chong_dong"}),
        ("Thuốc lợi tiểu quai.", ["X"], {"loi_tieu_quai", "loi_tieu", "giam_kali"}, {"thiazid", "loi_tieu_giu_kali"}),
        ("Thuốc lợi tiểu giữ kali, đối kháng aldosteron.", ["X"], {"loi_tieu_giu_kali", "loi_tieu"}, {"giam_kali"}),
        ("Glucocorticoid; thuốc chống viêm và ức chế miễn dịch.", ["X"], {"corticosteroid"}, {"nsaid"}),
        ("Thuốc giảm đau, hạ sốt không opioid.", ["Paracetamol"], set(), {"opioid", "nsaid"}),
        ("", ["celecoxib"], {"cox2", "nsaid"}, set()),
        ("", ["Zolpixantel"], set(), {"nsaid"}),
    ],
)
def test_classes_of_a_drug(kind: str, names: list[str], has: set[str], lacks: set[str]) -> None:
    found = classes_of(kind, names)
    assert has <= found and not lacks & found
