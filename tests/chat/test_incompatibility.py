"""Mixing: both monographs and the appendix, silence as silence, a general ban as a ban, the unread apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from django.db import transaction
from pytest_django import DjangoAssertNumQueries, DjangoDbBlocker

from chat.contract import Answer
from chat.conversation import ask_in_order
from chat.domain import Decision, EvidenceBlock, PairStatus, Reason, Stop, TurnType
from chat.incompatibility import SILENCE, decide_mixing, heads
from chat.mixing import is_diluting, is_mixing, solution_named, solutions_in
from chat.selection import Selection
from monographs.domain import DrugRef, SectionKey
from monographs.text import fold
from tests.chat.asking import corpus, evidence, frame_of
from tests.sample_edition import publish_sample

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def book(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The whole sample, published once; nothing of it stays in the database."""
    with django_db_blocker.unblock(), transaction.atomic():
        publish_sample(())
        yield
        transaction.set_rollback(True)


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("ceftriaxon pha với Ringer lactat", ("ringer_lactat",)),
        ("pha nước muối sinh lý", ("natri_clorid",)),
        ("pha natri clorid 0,9 %", ("natri_clorid",)),
        ("pha glucose 5 %", ("glucose_5",)),
        ("pha glucose 10 %", ("glucose_10",)),
        ("pha dextrose 5", ("glucose_5",)),
        ("natri bicarbonat", ("natri_bicarbonat",)),
        ("pha nước cất", ("nuoc_cat",)),
        ("uống với nước", ()),
    ],
)
def test_solutions_are_known_by_what_they_are_called(text: str, keys: tuple[str, ...]) -> None:
    assert solutions_in(text) == keys
    assert solutions_in(fold(text)) == keys


@pytest.mark.parametrize(
    ("key", "text", "named"),
    [
        ("glucose_5", "Pha trong glucose 5 % hoặc natri clorid 0,9 %.", True),
        ("glucose_5", "Không pha trong glucose, dextran.", True),
        ("glucose_5", "Tương kỵ với glucose 10 %, Ringer lactat.", False),
        ("glucose_5", "Theo dõi glucose huyết.", False),
        ("glucose_10", "Tương kỵ với glucose 10 %.", True),
        ("natri_clorid", "hòa tan bằng dung dịch chứa muối", True),
        ("ringer_lactat", "dung dịch chứa calci", True),
        ("ringer_lactat", "Dung dịch Hartmann.", True),
        ("ringer_lactat", "Natri clorid 0,9 %.", False),
    ],
)
def test_a_passage_names_a_solution_by_its_own_strength(key: str, text: str, named: bool) -> None:
    solution = solution_named(key)
    assert solution is not None
    assert solution.named_in(text) is named


@pytest.mark.parametrize(
    ("rest", "mixed", "diluted"),
    [
        ("trộn ··· với ··· chung bơm tiêm", True, True),
        ("··· và ··· chung bơm tiêm được không", True, False),
        ("··· pha chung với ···", True, True),
        ("··· pha ringer lactat được không", False, True),
        ("··· truyền chung đường truyền với ···", True, True),
        ("··· uống chung với ···", False, False),
        ("··· dùng cùng ··· được không", False, False),
        ("··· tương kỵ với ···", True, False),
        ("ống ··· bơm vào chai ··· truyền luôn", True, False),
        ("··· truyền qua dây nhựa PVC được không", False, True),
        ("··· cho bé uống vào buổi tối", False, False),
        ("··· truyền cùng dây được không", True, True),
        ("··· vào dây dịch đang chạy", False, False),
        ("cho ··· vào dây dịch có ···", True, False),
        ("··· chạy chung ven với ···", True, True),
        ("··· uống cùng đường", False, False),
    ],
)
def test_mixing_is_told_from_taking_together(rest: str, mixed: bool, diluted: bool) -> None:
    for typed in (rest, fold(rest)):
        assert (is_mixing(typed), is_diluting(typed)) == (mixed, diluted)


@pytest.mark.parametrize(
    "question",
    [
        "ceftriaxon pha với Ringer lactat",
        "ceftriaxon pha rl dc k",
        "trộn gentamicin với ceftriaxon chung bơm tiêm",
        "furosemid pha G5",
        "ceftriaxon pha với gì",
        "isosorbid dinitrat truyền qua dây PVC có sao không",
        "ống clorpromazin bơm vào chai paracetamol 1g được không",
        "furosemid và vancomycin có tương kỵ không",
    ],
)
def test_such_questions_take_the_route_of_mixing(question: str) -> None:
    assert frame_of(question).turn_type is TurnType.INCOMPATIBILITY


@pytest.mark.parametrize(
    "question",
    [
        "warfarin uống chung với aspirin",
        "furosemid với gentamicin dùng chung được không",
        "liều ceftriaxon",
        # A section of each, laid side by side.
        "đối chiếu mục tương kỵ: adrenalin, dopamin, morphin",
        "so sánh tương kỵ furosemid, vancomycin",
        # How one is given, in an order of which the effect on another is asked.
        "y lệnh: salbutamol sản khoa 10mg pha G5, insulin 10 đơn vị; insulin có bị ảnh hưởng không",
    ],
)
def test_others_do_not(question: str) -> None:
    assert frame_of(question).turn_type is not TurnType.INCOMPATIBILITY


@pytest.mark.parametrize(
    ("question", "must", "sections"),
    [
        ("ceftriaxon pha với Ringer lactat", ["Không pha trong dung dịch chứa calci", "vì tạo tủa ceftriaxon"], 2),
        ("ceftriaxon pha ringer lactat dc k", ["Không pha trong dung dịch chứa calci", "Natri clorid 0,9 %"], 2),
        ("furosemid pha glucose 5%", ["không pha trong glucose 5 %", "Glucose 5 % và dung dịch acid khác"], 2),
        ("omeprazol pha RL được không", ["không pha trong Ringer lactat", "không dùng Ringer lactat"], 2),
        ("digoxin pha NMSL được không", ["Pha loãng trong natri clorid 0,9 %"], 2),
        ("vancomycin pha ringer lactat", ["Natri clorid 0,9 %, glucose 5 % hoặc Ringer lactat"], 1),
        ("trộn gentamicin với ceftriaxon chung bơm tiêm", ["Không trộn gentamicin với thuốc khác", "aminoglycosid"], 2),
        ("omeprazol và vancomycin chung dây truyền", ["tương kỵ với vancomycin", "omeprazol"], 2),
        ("ceftriaxon pha với gì", ["Natri clorid 0,9 %, glucose 5 % hoặc glucose 10 %"], 2),
        ("isosorbid dinitrat truyền qua dây PVC", ["Hấp phụ vào PVC và polyurethan", "dây polyethylen"], 2),
        ("diazepam pha trong chai nhựa PVC", ["Hấp phụ vào nhựa PVC", "chai thủy tinh hoặc polyethylen"], 2),
        ("ống clorpromazin bơm vào chai paracetamol", ["tương kỵ vật lý với diazepam và clorpromazin"], 2),
        ("benzathin benzylpenicilin pha nacl 0,9 truyền được không", ["Tiêm tĩnh mạch, tiêm động mạch"], 2),
    ],
)
def test_monograph_and_appendix_are_both_quoted(book: None, question: str, must: list[str], sections: int) -> None:
    for typed in (question, fold(question)):
        answer = ask_in_order([typed])
        text = "\n".join(claim.claim for claim in answer.claims)
        assert answer.decision is Decision.ANSWERABLE
        assert all(part in text for part in must), text
        assert len({citation.drug_id for claim in answer.claims for citation in claim.citations}) >= sections


@pytest.mark.parametrize("brand", ["Mixtard 30", "Lantus", "insulin NPH"])
def test_a_member_that_is_not_for_a_vein_is_shown_no_other_members_infusion(book: None, brand: str) -> None:
    answer = ask_in_order([f"{brand} pha nacl 0,9% chạy bơm tiêm điện được không"])
    text = "\n".join(claim.claim for claim in answer.claims)
    assert answer.claims[0].claim.startswith("Tiêm hoặc truyền tĩnh mạch insulin NPH, insulin trộn sẵn")
    assert "đơn vị/kg/giờ" not in text


def test_a_contraindication_of_some_patients_is_no_ban_on_the_vein(book: None) -> None:
    answer = ask_in_order(["phenytoin pha natri clorid 0,9 được không"])
    assert not any("nhịp chậm xoang" in claim.claim for claim in answer.claims)


def test_a_claim_from_the_appendix_is_cited_under_the_appendix(book: None) -> None:
    answer = ask_in_order(["ceftriaxon pha với Ringer lactat"])
    appendix = [claim for claim in answer.claims if claim.target.startswith("Phụ lục 1")]
    assert appendix
    for claim in appendix:
        assert claim.citations[0].section_url.startswith("/monographs/phu_luc_1")
        assert claim.citations[0].regions
    titles = {block.title for block in answer.blocks if block.drug_name.startswith("Phụ lục 1")}
    assert titles <= {"Ceftriaxon", "Nguyên tắc chung"}


def test_which_cephalosporin_is_asked_and_the_solution_kept(book: None) -> None:
    asked = ask_in_order(["cef3 pha ringer lactat dc k"])
    assert (asked.decision, asked.reason) == (Decision.CLARIFY, Reason.AMBIGUOUS_DRUG)
    answer = ask_in_order(["cef3 pha ringer lactat dc k", "Ceftriaxon"])
    assert answer.query_type == "incompatibility"
    assert "Ringer lactat" in "\n".join(claim.claim for claim in answer.claims)


def test_six_queries_at_most(book: None, django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_max_num_queries(6):
        _: Answer = ask_in_order(["trộn gentamicin với ceftriaxon chung bơm tiêm"])


def _mixed(question: str, blocks: tuple[EvidenceBlock, ...]) -> Selection | Stop:
    return decide_mixing(frame_of(question), corpus(), question, blocks)


def test_both_directions_are_read() -> None:
    found = _mixed("trộn gentamicin với ceftriaxon chung bơm tiêm", evidence())
    assert isinstance(found, Selection)
    (pair,) = found.pairs
    assert [(side.reader.drug_id, side.status) for side in pair.sides] == [
        ("gentamicin", PairStatus.NAMED),
        ("ceftriaxon", PairStatus.NAMED),
    ]
    assert found.note == ""


@pytest.mark.parametrize(
    ("question", "about", "status"),
    [
        (
            "vancomycin với piperacilin/tazobactam chạy cùng đường truyền có tủa không",
            "piperacilin + tazobactam",
            "named",
        ),
        ("vancomycin với piperacilin + tazobactam chung dây truyền được không", "piperacilin + tazobactam", "named"),
        ("vancomycin voi piperacilin/tazobactam tron chung dc ko", "piperacilin + tazobactam", "named"),
        # By a general ban, by its class, by the appendix.
        ("phenytoin rút chung bơm tiêm với midazolam", "midazolam", "named"),
        ("vancomycin với cefotaxim trộn chung được không", "cefotaxim", "named"),
        ("vancomycin với kháng sinh beta-lactam trộn chung được không", "Kháng sinh beta-lactam", "named"),
        ("furosemid trộn chung với midazolam được không", "midazolam", "named"),
        ("vancomycin + heparin chung Y-site có tủa không", "heparin", "named"),
        # What runs already in the line, in whatever order both are told.
        ("chai flagyl truyền chung dây meropenem đang chạy dc k", "meropenem", "named"),
        ("truyen metronidazol chung duong voi meropenem duoc khong", "meropenem", "named"),
        ("đang chạy meropenem, truyền flagyl cùng dây được không", "meropenem", "named"),
        ("meropenem đang truyền, chạy chung chạc ba với metronidazol", "meropenem", "named"),
        ("cho furosemid vào dây dịch có midazolam đang chạy được không", "midazolam", "named"),
        ("chạy ceftriaxon chung dây meropenem đang truyền", "meropenem", "not_checked"),
        # What the monograph does not name may be said in one that is not there: not checked, and never silent.
        ("ceftriaxon và ampicilin/sulbactam chung đường truyền có tủa không", "ampicilin + sulbactam", "not_checked"),
        ("vancomycin với cefepim trộn chung được không", "cefepim", "not_checked"),
        ("ceftriaxon với zolpixantel chạy chung đường truyền", "zolpixantel", "not_checked"),
    ],
)
def test_mixing_with_what_has_no_monograph(question: str, about: str, status: str) -> None:
    found = _mixed(question, evidence())
    (pair,) = found.pairs
    assert (pair.second, pair.status.value) == (about, status)
    assert isinstance(found, Selection) is (status == "named")
    if isinstance(found, Stop):
        assert found.reason is Reason.INSUFFICIENT_EVIDENCE


def test_a_monograph_without_the_section_is_not_checked_and_never_silent() -> None:
    found = _mixed("trộn ibuprofen với losartan chung bơm tiêm", evidence())
    assert isinstance(found, Selection)
    (pair,) = found.pairs
    assert {side.reader.drug_id: side.status for side in pair.sides}["losartan"] is PairStatus.NOT_CHECKED


def test_a_held_back_section_is_not_checked() -> None:
    from monographs.domain import PassageState

    held = tuple(
        replace(b, state=PassageState.QUARANTINED)
        if b.drug.drug_id == "vancomycin" and b.section is SectionKey.TUONG_KY
        else b
        for b in evidence()
    )
    found = _mixed("trộn gentamicin với vancomycin chung bơm tiêm", held)
    assert isinstance(found, Selection)
    (pair,) = found.pairs
    sides = {side.reader.drug_id: side for side in pair.sides}
    assert sides["vancomycin"].status is PairStatus.NOT_CHECKED
    assert sides["vancomycin"].unread


def test_silence_is_shown_as_silence() -> None:
    quiet = tuple(
        replace(b, text="Dung dịch có pH acid.")
        if b.drug.drug_id == "vancomycin" and b.section is SectionKey.TUONG_KY
        else b
        for b in evidence()
    )
    found = _mixed("vancomycin pha ringer lactat", quiet)
    if isinstance(found, Stop):
        assert found.reason is Reason.INSUFFICIENT_EVIDENCE
        assert "Ringer lactat" in found.detail["terms"]
    else:
        assert found.note == SILENCE or found.pairs[0].status is PairStatus.NAMED


def test_where_nothing_was_read_the_missing_section_is_named() -> None:
    found = _mixed("trộn amlodipin với losartan chung bơm tiêm", evidence())
    assert isinstance(found, Stop)
    assert found.reason is Reason.SECTION_NOT_IN_MONOGRAPH


@pytest.mark.parametrize(
    ("heading", "name", "expected"),
    [
        ("Ceftriaxon", "Ceftriaxon", True),
        ("Phytomenadion (vitamin K₁)", "Phytomenadion", True),
        ("Salbutamol", "Salbutamol (Dùng trong hô hấp)", True),
        ("Amoxicilin và clavulanat", "Amoxicilin", False),
        ("Nguyên tắc chung", "Ceftriaxon", False),
    ],
)
def test_an_entry_of_the_appendix_belongs_to_its_drug_alone(heading: str, name: str, expected: bool) -> None:
    assert heads(heading, DrugRef(fold(name), name, 1, 1, 1)) is expected
