"""Which branch a question selects, on the sample's own dosage sections."""

from __future__ import annotations

from functools import cache

import pytest

from chat.branch_choice import Ask, select_branch
from chat.branch_replies import MAX_REPLIES, MAX_REPLY_LENGTH, SHOW_ALL, reply_labels
from chat.branches import branches_of, outermost
from chat.domain import EvidenceBlock, QueryFrame
from chat.understand import understand
from monographs.domain import AliasKind, DrugRef, PassageState, SectionKey
from monographs.names import AliasEntry, AliasIndex, Corpus
from tests.sample_book import sample_book


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
