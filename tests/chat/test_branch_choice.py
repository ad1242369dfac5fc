"""Which branch a question selects, on the sample's own dosage sections."""

from __future__ import annotations

from functools import cache

import pytest

from chat.branch_choice import Ask, select_branch
from chat.branch_replies import MAX_REPLIES, MAX_REPLY_LENGTH, SHOW_ALL, reply_labels
from chat.branches import branches_of, outermost
from chat.decide import decide, decide_frame
from chat.domain import EvidenceBlock, Population, QueryFrame, Reason, Stop
from chat.prior import chosen_label, merge_prior
from chat.selection import Selection
from chat.understand import understand
from monographs.domain import AliasKind, DrugRef, PassageState, SectionKey
from monographs.names import AliasEntry, AliasIndex, Corpus
from monographs.text import fold
from tests.chat.faults import fault
from tests.sample_book import sample_book
from tests.sample_corpus import sample_corpus
from tests.sample_evidence import sample_evidence


@cache
def _blocks(title: str) -> tuple[EvidenceBlock, ...]:
    monograph = next(m for m in sample_book().monographs if m.title == title)
    section = next(s for s in monograph.sections if s.key is SectionKey.LIEU_DUNG)
    drug = DrugRef(title.lower(), title.capitalize(), 1, 1, 1)
    return tuple(
        EvidenceBlock(
            passage_id=order,
            passage_uid=str(order),
            edition_id=1,
            drug=drug,
            section=SectionKey.LIEU_DUNG,
            section_heading=section.heading,
            section_anchor="lieu_dung",
            labels=passage.labels,
            text=passage.text,
            kind=passage.kind,
            state=PassageState.QUARANTINED if passage.quarantined else PassageState.SERVED,
            order=order,
            pdf_page=1,
            printed_page=1,
            printed_page_last=1,
            boxes=passage.boxes,
        )
        for order, passage in enumerate(section.passages)
    )


def _frame(question: str, title: str) -> QueryFrame:
    drug = _blocks(title)[0].drug
    index = AliasIndex([AliasEntry(drug.name, AliasKind.NAME, drug)])
    return understand(question, Corpus(1, "1.0", index, {drug.drug_id: drug}, frozenset({"paracetamol"})))


def _select(title: str, question: str) -> tuple[EvidenceBlock, ...] | Ask:
    return select_branch(_blocks(title), _frame(question, title), question)


@pytest.mark.parametrize(
    ("title", "question", "paths"),
    [
        ("PARACETAMOL", "Liều paracetamol cho người lớn đường uống?", {("Người lớn", "Đường uống")}),
        ("PARACETAMOL", "lieu paracetamol nguoi lon uong", {("Người lớn", "Đường uống")}),
        ("PARACETAMOL", "lieu paracetamol NL po", {("Người lớn", "Đường uống")}),
        ("PARACETAMOL", "paracetamol người lớn đặt trực tràng liều", {("Người lớn", "Đường trực tràng")}),
        ("GENTAMICIN", "liều gentamicin nhỏ mắt", {("Dùng tại chỗ", "Nhỏ mắt")}),
        ("GENTAMICIN", "lieu gentamicin nho tai", {("Dùng tại chỗ", "Nhỏ tai")}),
    ],
)
def test_a_full_question_selects_its_branch_and_nothing_else(
    title: str, question: str, paths: set[tuple[str, ...]]
) -> None:
    selected = _select(title, question)
    assert not isinstance(selected, Ask)
    assert {block.labels for block in selected} == paths


@pytest.mark.parametrize(
    ("title", "question", "replies"),
    [
        ("PARACETAMOL", "liều paracetamol", ("Người lớn", "Trẻ em", "Người cao tuổi")),
        ("PARACETAMOL", "liều paracetamol người lớn", ("Đường uống", "Đường trực tràng")),
        ("PARACETAMOL", "liều paracetamol cho trẻ em", ("Đường uống theo cân nặng", "Đường uống theo tuổi")),
        ("PARACETAMOL", "liều paracetamol cho trẻ em đường uống", ("Đường uống theo cân nặng", "Đường uống theo tuổi")),
        ("GENTAMICIN", "liều gentamicin người lớn", ("Tiêm bắp hoặc tĩnh mạch",)),
        # "co" of "co giật" and "có" say nothing of "Co cứng cơ".
        ("DIAZEPAM", "trẻ 12kg đang co giật, liều diazepam", ("Trạng thái động kinh",)),
        ("DIAZEPAM", "liều diazepam có dùng cùng lúc được không người lớn", ("Co cứng cơ",)),
    ],
)
def test_an_open_question_is_asked_back_in_the_books_labels(
    title: str, question: str, replies: tuple[str, ...]
) -> None:
    asked = _select(title, question)
    assert isinstance(asked, Ask)
    assert set(replies) <= set(asked.replies)


def test_an_adult_never_gets_a_childs_dose_nor_the_other_way_round() -> None:
    for question, forbidden in [
        ("liều paracetamol người lớn đường uống", "Trẻ em"),
        ("liều paracetamol bé 3 tuổi đường uống", "Người lớn"),
    ]:
        selected = _select("PARACETAMOL", question)
        labels = {} if isinstance(selected, Ask) else {label for block in selected for label in block.labels}
        assert forbidden not in labels


def test_renal_impairment_selects_its_branch_with_what_lies_below() -> None:
    selected = _select("GENTAMICIN", "liều gentamicin suy thận")
    assert not isinstance(selected, Ask)
    paths = {block.labels for block in selected}
    assert ("Người suy thận", "Thẩm phân máu") in paths and not any("Trẻ em" in path for path in paths)
    assert any(block.state is PassageState.QUARANTINED for block in selected), (
        "the renal table comes with it, as a crop"
    )


@pytest.mark.parametrize(
    ("question", "label"),
    [
        # Labels for kidneys that hold the clearance stand before what a dose for adults says of kidneys.
        ("liều enalapril tăng huyết áp người lớn clcr 25", "trên 10 đến 30"),
        ("enalapril nguoi lon clcr 25 chinh lieu sao", "trên 10 đến 30"),
        ("enalapril người lớn tăng huyết áp độ thanh thải creatinin 50 ml/phút", "trên 30 đến 80"),
        ("enalapril nl mlct 70 lieu", "trên 30 đến 80"),
        ("enalapril uống người lớn egfr 8", "từ 10"),
        ("bn 60 tuổi clcr 28 enalapril khởi đầu bao nhiêu", "trên 10 đến 30"),
        # The route that is asked for still selects its own.
        ("enalapril tiêm tĩnh mạch người lớn clcr 25", "Tiêm tĩnh mạch (enalaprilat), đang dùng"),
    ],
)
def test_a_clearance_selects_its_band_beside_a_dose_for_adults(question: str, label: str) -> None:
    selected = _select("ENALAPRIL", question)
    assert not isinstance(selected, Ask)
    own = [block.labels for block in selected if len(block.labels) > 1]
    assert len(own) == 1 and label in own[0][-1], own


@pytest.mark.parametrize(
    "question",
    [
        "enalapril bé 8 tuổi 25kg độ thanh thải creatinin 20 liều",
        "lieu enalapril be 10 tuoi 30 kg mlct 25",
        "trẻ 12 tuổi 40kg egfr 15 enalapril tăng huyết áp liều bao nhiêu",
    ],
)
def test_a_child_with_a_clearance_is_shown_no_renal_dose_of_adults(question: str) -> None:
    selected = _select("ENALAPRIL", question)
    shown = () if isinstance(selected, Ask) else selected
    assert not any("Người suy thận" in label for block in shown for label in block.labels)


def test_a_survey_of_the_section_shows_every_branch() -> None:
    selected = _select("PARACETAMOL", "toàn bộ liều paracetamol")
    assert selected == _blocks("PARACETAMOL")


@pytest.mark.parametrize("title", ["PARACETAMOL", "GENTAMICIN"])
def test_every_reply_selects_something_when_it_is_clicked(title: str) -> None:
    questions = ["liều", "liều người lớn", "liều trẻ em", "liều người lớn truyền tĩnh mạch"]
    for question in questions:
        asked = _select(title, question)
        if isinstance(asked, Ask):
            assert 1 < len(asked.replies) <= MAX_REPLIES
            for reply in asked.replies:
                assert len(reply) <= MAX_REPLY_LENGTH
                answer = select_branch(_blocks(title), _frame(f"{question} {reply}", title), reply)
                assert answer != asked and answer, (question, reply)


def test_replies_fit_their_limits() -> None:
    branches = outermost(branches_of(_blocks("GENTAMICIN")))
    replies = reply_labels([branch for branch in branches if "Trẻ em" in branch.path])
    assert replies[-1] == SHOW_ALL and len(replies) == MAX_REPLIES
    replies = reply_labels([branch for branch in branches if "Người lớn" in branch.path])
    assert "Viêm nội tâm mạc do liên cầu hoặc…" in replies


DRUGS = {block.drug.drug_id: block.drug for block in sample_evidence()}


@cache
def _evidence(drug_id: str) -> tuple[EvidenceBlock, ...]:
    return tuple(block for block in sample_evidence() if block.drug.drug_id == drug_id)


def _ask(
    question: str, prior: QueryFrame | None = None, *, offered: tuple[str, ...] = (), streak: int = 0
) -> tuple[QueryFrame, Selection | Stop]:
    """One turn, answering back where a turn before it asked and offered replies."""
    frame = chosen_label(question, prior, offered)
    if frame is None:
        frame = merge_prior(understand(question, sample_corpus()), prior, after_clarify=streak > 0)
    stop = decide_frame(frame, sample_corpus())
    if stop is not None:
        return frame, stop
    return frame, decide(frame, _evidence(frame.drugs[0].drug_id), question, clarify_streak=streak)


def _decide(*questions: str) -> Selection | Stop:
    """Where the last question of a case leads; each but the first answers what was asked back."""
    frame, outcome = _ask(questions[0])
    for streak, question in enumerate(questions[1:], start=1):
        asked = _asked_back(outcome)
        assert asked is not None, f"nothing was asked before {question}"
        frame, outcome = _ask(question, frame, offered=asked.quick_replies, streak=streak)
    return outcome


def _asked_back(outcome: Selection | Stop) -> Stop | None:
    stop = outcome if isinstance(outcome, Stop) else outcome.ask
    return stop if stop is not None and stop.reason is Reason.NEEDS_BRANCH else None


def _doses(outcome: Selection | Stop) -> set[tuple[str, ...]]:
    """The paths of the doses shown, also where they must be seen on the page."""
    dosage = (block for block in outcome.evidence if block.section is SectionKey.LIEU_DUNG)
    return {branch.path for branch in branches_of(dosage) if not branch.is_general}


_CEFTRIAXON_ADULT = "Người lớn và trẻ từ 12 tuổi, cân nặng từ 50 kg"
_CEFTRIAXON_CHILD = "Trẻ em dưới 50 kg"


@pytest.mark.parametrize(
    "question",
    [
        "liều ceftriaxon 13 tuổi 40 kg",
        "liều ceftriaxon trẻ 13 tuổi nặng 40 kg",
        "lieu ceftriaxon 13 tuoi 40kg",
        "ceftriaxon bé 13 tuổi 40 kg viêm màng não",
        "ceftriaxon be 11 tuoi 55 kg lieu",
        "ceftriaxon bé 11 tuổi 55 kg liều",
    ],
)
def test_an_age_and_a_weight_that_disagree_are_asked_about(question: str) -> None:
    outcome = _decide(question)
    asked = _asked_back(outcome)
    assert asked is not None and _doses(outcome) == set()
    assert any(reply.startswith("Người lớn và trẻ từ 12 tuổi") for reply in asked.quick_replies)
    assert any(reply.startswith(_CEFTRIAXON_CHILD) for reply in asked.quick_replies)


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("liều ceftriaxon bé 13 tuổi 60 kg", (_CEFTRIAXON_ADULT, "Liều thường dùng")),
        ("liều ceftriaxon bé 6 tuổi 20 kg", (_CEFTRIAXON_CHILD, "Trẻ 15 ngày tuổi đến 12 tuổi, liều thường dùng")),
        ("lieu ceftriaxon be 6 tuoi 20 kg", (_CEFTRIAXON_CHILD, "Trẻ 15 ngày tuổi đến 12 tuổi, liều thường dùng")),
    ],
)
def test_an_age_and_a_weight_that_agree_select_their_branch(question: str, path: tuple[str, ...]) -> None:
    assert _doses(_decide(question)) == {path}


GIARDIA = [
    ("liều metronidazol giardia",),
    ("liều metronidazol Giardia người lớn",),
    ("lieu metronidazol giardia nguoi lon",),
    ("metronidazol giardia liều người lớn uống",),
    ("metronidazol Giardia người lớn 60 kg uống",),
    ("metronidazol trị giardia liều bao nhiêu",),
    ("metronidazol nhiễm giardia uống mấy viên",),
    ("metronidazol nhiễm giardia",),
    ("metronidazol liều giardia trẻ 5 tuổi uống",),
    ("metronidazol giardia cho bé 20 kg",),
    ("metronidazol giardia truyền tĩnh mạch người lớn",),
    ("liều metronidazol giardia", "Người lớn"),
    ("liều metronidazol giardia", "Trẻ em"),
    ("liều metronidazol người lớn giardia", "động vật nguyên sinh và viêm âm đạo"),
]


@pytest.mark.parametrize("questions", GIARDIA, ids=" > ".join)
def test_giardia_is_no_anaerobic_infection(questions: tuple[str, ...]) -> None:
    assert not any("nhiễm khuẩn kỵ khí" in path[0] for path in _doses(_decide(*questions)))


@pytest.mark.parametrize("reply", ["uống", "viên uống", "truyền tĩnh mạch", "đường uống", "duong uong"])
def test_giardia_stays_none_when_a_route_is_replied(reply: str) -> None:
    outcome = _decide("liều metronidazol giardia", "Người lớn", reply)
    assert not any("nhiễm khuẩn kỵ khí" in path[0] for path in _doses(outcome))


@pytest.mark.parametrize(
    ("question", "path"),
    [
        (
            "metronidazol giardia liều người lớn uống",
            ("Người lớn, động vật nguyên sinh và viêm âm đạo", "Bệnh do Giardia, uống"),
        ),
        ("metronidazol liều giardia trẻ 5 tuổi uống", ("Trẻ em, động vật nguyên sinh", "Đường uống theo tuổi")),
        (
            "metronidazol trichomonas liều người lớn uống",
            ("Người lớn, động vật nguyên sinh và viêm âm đạo", "Viêm âm đạo do Trichomonas, uống"),
        ),
        ("metronidazol người lớn nhiễm khuẩn kỵ khí uống liều", ("Người lớn, nhiễm khuẩn kỵ khí", "Đường uống")),
    ],
)
def test_what_it_is_given_for_selects_its_dose(question: str, path: tuple[str, ...]) -> None:
    assert _doses(_decide(question)) == {path} and _doses(_decide(fold(question))) == {path}


@pytest.mark.parametrize(
    "question",
    [
        "cipro ClCr 40 liều",
        "liều cipro người lớn uống ClCr 40",
        "cipro ClCr 40 người lớn đường uống",
        "cipro suy thận liều người lớn uống",
        "ciprofloxacin bệnh thận liều",
        "ciprofloxacin độ thanh thải 40 ml/phút người lớn",
        "lieu ciprofloxacin benh than nguoi lon clcr 25",
        "liều ciprofloxacin bé 5 tuổi 18 kg ClCr 30",
        "liều ciprofloxacin bé 5 tuổi suy thận",
        "liều ciprofloxacin trẻ em suy thận uống",
        "ciprofloxacin bé 5 tuổi bệnh thận uống",
        "lieu ciprofloxacin nguoi lon than yeu",
    ],
)
def test_anthrax_is_no_renal_disease(question: str) -> None:
    assert not any("Bệnh than" in label for path in _doses(_decide(question)) for label in path)


@pytest.mark.parametrize(
    "question",
    [
        "liều ciprofloxacin người lớn thận yếu",
        "liều ciprofloxacin người lớn bị sỏi thận",
        fault("liều metronidazol trẻ sơ sinh", reason="labels cut to the same forty characters are one reply"),
        "liều phenytoin tiêm tĩnh mạch người lớn trạng thái động kinh",
    ],
)
def test_what_is_asked_back_is_a_choice(question: str) -> None:
    asked = _asked_back(_decide(question))
    assert asked is None or len(asked.quick_replies) > 1


@pytest.mark.parametrize(
    "question",
    ["liều ciprofloxacin bệnh than người lớn uống", "ciprofloxacin bệnh than", "ciprofloxacin phòng bệnh than, liều"],
)
def test_a_question_about_anthrax_is_none_about_kidneys(question: str) -> None:
    frame, outcome = _ask(question)
    assert Population.SUY_THAN not in frame.populations
    assert not any("suy thận" in label for path in _doses(outcome) for label in path)


_MR = "Người lớn, viên phóng thích kéo dài 30 mg, 60 mg"


@pytest.mark.parametrize(
    "question",
    [
        "diamicron mr mới bắt đầu",
        "diamicron MR moi bat dau",
        "liều diamicron mr mới bắt đầu",
        "diamicron mr mới bắt đầu uống mấy viên",
        "diamicron mr mới bắt đầu người lớn",
        "liều diamicron mr người lớn khởi đầu",
        "liều gliclazid phóng thích kéo dài người lớn bắt đầu",
    ],
)
def test_who_begins_is_never_shown_what_goes_on(question: str) -> None:
    doses = _doses(_decide(question))
    assert doses and not any("Duy trì" in label for path in doses for label in path)
    assert not any("80 mg" in label for path in doses for label in path)


@pytest.mark.parametrize(
    ("question", "step"),
    [
        ("diamicron mr mới bắt đầu người lớn", "Khởi đầu"),
        ("diamicron mr moi bat dau uong may vien", "Khởi đầu"),
        ("liều diamicron mr người lớn duy trì", "Duy trì"),
        ("lieu diamicron mr nguoi lon duy tri", "Duy trì"),
    ],
)
def test_the_step_that_is_named_is_shown(question: str, step: str) -> None:
    assert _doses(_decide(question)) == {(_MR, step)}


@pytest.mark.parametrize("question", ["liều diamicron mr mới bắt đầu", "liều diamicron mr duy trì"])
def test_who_is_not_said_to_be_old_is_not_shown_the_dose_for_the_elderly_alone(question: str) -> None:
    doses = _doses(_decide(question))
    assert not doses or any(path[0].startswith("Người lớn") for path in doses)


_ON_WARFARIN = "Người lớn đang dùng warfarin"


@pytest.mark.parametrize(
    ("question", "label"),
    [
        ("vitamin K1 liều INR 9,5 không chảy máu", "Không chảy máu, INR trên 8"),
        ("vit k1 inr 9,5 ko chay mau lieu", "Không chảy máu, INR trên 8"),
        ("phytomenadion INR 9,5 chưa chảy máu liều", "Không chảy máu, INR trên 8"),
        ("phytomenadion INR 9,5 không xuất huyết liều", "Không chảy máu, INR trên 8"),
        ("vitamin K1 liều người lớn INR 9,5 không chảy máu", "Không chảy máu, INR trên 8"),
        ("phytomenadion liều INR 8 không chảy máu", "Không chảy máu, INR 5 - 8"),
        ("phytomenadion INR 6 không chảy máu liều", "Không chảy máu, INR 5 - 8"),
        ("phytomenadion INR 9 chảy máu nhẹ liều", "Chảy máu nhẹ, INR trên 8"),
        ("phytomenadion INR 6 chảy máu nhẹ liều", "Chảy máu nhẹ, INR 5 - 8"),
        fault(
            "phytomenadion chảy máu nặng INR 9 liều",
            "Chảy máu nặng, INR bất kỳ",
            reason="only branches with a band of INR are left: severe bleeding is not even among the replies",
        ),
    ],
)
def test_a_laboratory_value_selects_its_band_beside_what_is_said(question: str, label: str) -> None:
    assert _doses(_decide(question)) == {(_ON_WARFARIN, label)}


def test_without_bleeding_being_said_the_bands_of_the_value_are_asked_about() -> None:
    asked = _asked_back(_decide("phytomenadion liều INR 9,5"))
    assert asked is not None
    assert set(asked.quick_replies) == {"Chảy máu nhẹ, INR trên 8", "Không chảy máu, INR trên 8"}


def test_a_value_in_no_band_selects_no_childs_dose() -> None:
    assert not any("Trẻ em" in path[0] for path in _doses(_decide("phytomenadion liều INR 4,5 không chảy máu")))


@pytest.mark.parametrize(
    ("question", "label"),
    [
        ("kali clorid liều kali máu 3 truyền tĩnh mạch người lớn", "kali huyết từ 2,5 mmol/lít"),
        ("kali clorid lieu kali mau 3 truyen tinh mach nguoi lon", "kali huyết từ 2,5 mmol/lít"),
        ("kali clorid liều kali huyết 2,3 truyền tĩnh mạch người lớn", "kali huyết dưới 2,5 mmol/lít"),
    ],
)
def test_potassium_selects_its_band(question: str, label: str) -> None:
    (path,) = _doses(_decide(question))
    assert label in path[-1]


@pytest.mark.parametrize(
    ("questions", "paths"),
    [
        (("liều warfarin khởi đầu", "Người lớn – Khởi đầu"), {("Người lớn", "Khởi đầu")}),
        (
            ("lieu ceftriaxon viem mang nao", "Người lớn và trẻ từ 12 tuổi"),
            {(_CEFTRIAXON_ADULT, "Viêm màng não, viêm nội tâm mạc")},
        ),
        (
            ("liều ceftriaxon viêm màng não", "Người lớn và trẻ từ 12 tuổi"),
            {(_CEFTRIAXON_ADULT, "Viêm màng não, viêm nội tâm mạc")},
        ),
        (
            ("liều ceftriaxon trẻ 13 tuổi 40 kg viêm màng não", "Người lớn và trẻ từ 12 tuổi"),
            {(_CEFTRIAXON_ADULT, "Viêm màng não, viêm nội tâm mạc")},
        ),
        (("liều adrenalin phản vệ", "người lớn tiêm bắp"), {("Phản vệ, tiêm bắp", "Người lớn")}),
        (("liều adrenalin phản vệ", "tiêm bắp – Người lớn"), {("Phản vệ, tiêm bắp", "Người lớn")}),
        (("liều adrenalin phản vệ", "Phản vệ, tiêm bắp", "Người lớn"), {("Phản vệ, tiêm bắp", "Người lớn")}),
        (
            ("liều amoxicilin viêm phổi", "Người lớn, đường uống"),
            {("Người lớn, đường uống", "Viêm phổi mắc phải ở cộng đồng")},
        ),
        fault(
            ("liều metronidazol người lớn giardia", "động vật nguyên sinh và viêm âm đạo"),
            {("Người lớn, động vật nguyên sinh và viêm âm đạo", "Bệnh do Giardia, uống")},
            reason="routes that differ below the label replied are asked about, though `giardia` was said",
        ),
        (("liều adrenalin phản vệ", "Người lớn", "tiêm bắp"), {("Phản vệ, tiêm bắp", "Người lớn")}),
    ],
    ids=lambda value: " > ".join(value) if isinstance(value, tuple) else "",
)
def test_a_reply_keeps_the_words_of_the_question_before_it(
    questions: tuple[str, ...], paths: set[tuple[str, ...]]
) -> None:
    assert _doses(_decide(*questions)) == paths


@pytest.mark.xfail(strict=True, reason="after `Người lớn` the use, said before, is asked about again")
def test_what_was_said_is_not_asked_again() -> None:
    asked = _asked_back(_decide("liều adrenalin phản vệ", "Người lớn"))
    assert asked is None or "Ngừng tuần hoàn" not in asked.quick_replies


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("liều ciprofloxacin tiêm tĩnh mạch người lớn", ("Người lớn, truyền tĩnh mạch", "Liều thường dùng")),
        ("liều ciprofloxacin IV người lớn", ("Người lớn, truyền tĩnh mạch", "Liều thường dùng")),
        ("lieu ciprofloxacin tiem tinh mach nguoi lon", ("Người lớn, truyền tĩnh mạch", "Liều thường dùng")),
        (
            "liều metronidazol tiêm tĩnh mạch người lớn nhiễm khuẩn kỵ khí",
            ("Người lớn, nhiễm khuẩn kỵ khí", "Truyền tĩnh mạch"),
        ),
        (
            "liều digoxin tiêm tĩnh mạch người lớn rung nhĩ",
            ("Người lớn, rung nhĩ", "Tải cấp cứu, truyền tĩnh mạch"),
        ),
        ("liều paracetamol tiêm tĩnh mạch người lớn 60 kg", ("Người lớn", "Truyền tĩnh mạch, cân nặng trên 50 kg")),
        (
            "liều enalapril truyền tĩnh mạch người lớn",
            ("Người lớn", "Tiêm tĩnh mạch (enalaprilat), tăng huyết áp"),
        ),
        (
            "liều phenytoin tiêm tĩnh mạch người lớn trạng thái động kinh",
            ("Người lớn", "Truyền tĩnh mạch, trạng thái động kinh"),
        ),
        (
            "be 10 thang 8,5 kg trang thai dong kinh lieu phenytoin tiem tinh mach",
            ("Trẻ em", "Truyền tĩnh mạch, trạng thái động kinh, trẻ sơ sinh và trẻ đến 11 tuổi"),
        ),
    ],
)
def test_injection_and_infusion_stand_for_each_other_where_the_book_labels_one(
    question: str, path: tuple[str, ...]
) -> None:
    assert _doses(_decide(question)) == {path}


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("liều salbutamol trong hô hấp truyền tĩnh mạch người lớn", ("Người lớn", "Truyền tĩnh mạch")),
        ("liều salbutamol trong hô hấp tiêm tĩnh mạch người lớn", ("Người lớn", "Tiêm tĩnh mạch")),
        ("lieu salbutamol trong ho hap tiem tinh mach nguoi lon", ("Người lớn", "Tiêm tĩnh mạch")),
        ("liều furosemid tiêm tĩnh mạch người lớn phù", ("Người lớn", "Tiêm tĩnh mạch, phù")),
        ("liều gentamicin truyền tĩnh mạch người lớn", ("Người lớn", "Truyền tĩnh mạch, chế độ một lần/ngày")),
        (
            "liều gentamicin tiêm tĩnh mạch người lớn",
            ("Người lớn", "Tiêm bắp hoặc tĩnh mạch, chế độ nhiều lần/ngày"),
        ),
        (
            "liều adrenalin tiêm tĩnh mạch người lớn ngừng tuần hoàn",
            ("Ngừng tuần hoàn", "Người lớn, tĩnh mạch hoặc trong xương"),
        ),
    ],
)
def test_where_it_labels_both_only_the_one_asked_for_is_shown(question: str, path: tuple[str, ...]) -> None:
    assert _doses(_decide(question)) == {path}


@pytest.mark.parametrize("question", ["liều morphin truyền tĩnh mạch người lớn", "morphin TTM người lớn đau cấp liều"])
def test_an_infusion_under_the_skin_is_none_into_a_vein(question: str) -> None:
    assert not any("dưới da" in path[-1] for path in _doses(_decide(question)))


@pytest.mark.parametrize("given", ["tiêm", "truyền"])
def test_potassium_into_a_vein_comes_with_the_warning_against_injecting_it(given: str) -> None:
    outcome = _decide(f"liều kali clorid {given} tĩnh mạch người lớn kali huyết 3")
    assert any("KHÔNG tiêm tĩnh mạch trực tiếp" in block.text for block in outcome.evidence)


OTHER_BRANCH = {
    ("gliclazid", "Viên giải phóng ngay"): "both tablets for the elderly are shown, though one is named",
    ("gliclazid", "Viên phóng thích kéo dài"): "both tablets for the elderly are shown, though one is named",
}


@pytest.mark.parametrize("drug_id", DRUGS)
def test_a_label_path_that_is_asked_for_word_for_word_shows_no_other_dose(drug_id: str) -> None:
    section = [block for block in _evidence(drug_id) if block.section is SectionKey.LIEU_DUNG]
    branches = [branch for branch in branches_of(section) if not branch.is_general]
    assert branches
    wrong = [
        (branch.path, others)
        for branch in branches
        if (drug_id, branch.path[-1]) not in OTHER_BRANCH and (others := _others_shown(drug_id, branch.path))
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("label", "drug_id"),
    [fault(label, drug_id, reason=reason) for (drug_id, label), reason in OTHER_BRANCH.items()],
)
def test_the_same_of_labels_that_lead_to_another_dose_today(label: str, drug_id: str) -> None:
    paths = {block.labels for block in _evidence(drug_id) if block.labels and block.labels[-1] == label}
    assert paths and not any(_others_shown(drug_id, path) for path in paths)


def _others_shown(drug_id: str, path: tuple[str, ...]) -> set[tuple[str, ...]]:
    """The doses of other branches, but for those that forbid the drug."""
    shown: set[tuple[str, ...]] = set()
    question = f"liều {DRUGS[drug_id].name} {', '.join(path)}"
    for typed in (question, fold(question)):
        outcome = _decide(typed)
        if isinstance(outcome, Selection):
            forbidding = {block.labels for block in outcome.evidence if "không dùng" in block.text.lower()}
            shown |= _doses(outcome) - forbidding
    return {other for other in shown if other[: len(path)] != path and path[: len(other)] != other}


FORMS = ("liều {}", "liều {} người lớn", "liều {} trẻ em", "liều {} người lớn truyền tĩnh mạch")
_SAME = "the same replies are offered again"
# What is offered today and leads astray: the reply, and the drug it is offered for.
ASTRAY = {
    ("phytomenadion", "Người lớn"): _SAME,
}


def _leads_on(question: str, reply: str) -> bool:
    """Whether a reply, clicked, shows a dose or asks for less than before."""
    frame, outcome = _ask(question)
    asked = _asked_back(outcome)
    assert asked is not None
    _, answer = _ask(reply, frame, offered=asked.quick_replies, streak=1)
    again = _asked_back(answer)
    if any(block.section is SectionKey.LIEU_DUNG for block in answer.evidence):
        return True
    return again is not None and again.quick_replies != asked.quick_replies


def _offered(drug_id: str) -> list[tuple[str, str]]:
    questions = [form.format(DRUGS[drug_id].name) for form in FORMS]
    asked = [(question, _asked_back(_decide(question))) for question in questions]
    return [(question, reply) for question, stop in asked if stop is not None for reply in stop.quick_replies]


@pytest.mark.parametrize("drug_id", DRUGS)
def test_every_reply_of_every_drug_leads_on_when_it_is_clicked(drug_id: str) -> None:
    offered = [(question, reply) for question, reply in _offered(drug_id) if (drug_id, reply) not in ASTRAY]
    assert [(question, reply) for question, reply in offered if not _leads_on(question, reply)] == []


@pytest.mark.parametrize(
    ("reply", "drug_id"), [fault(reply, drug_id, reason=reason) for (drug_id, reply), reason in ASTRAY.items()]
)
def test_the_same_of_replies_that_lead_astray_today(reply: str, drug_id: str) -> None:
    questions = [question for question, offered in _offered(drug_id) if offered == reply]
    assert all(_leads_on(question, reply) for question in questions)
