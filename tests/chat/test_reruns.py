"""A question asked again: of today's book, after what came before it then, beside the old answer."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from html import unescape

import pytest
from django.test import Client

from chat.contract import Answer
from chat.domain import Decision, Reason
from chat.models import Conversation, Turn, TurnState
from chat.turns import start_rerun
from monographs.domain import PassageState, SectionKey
from monographs.models import Edition, EditionState, Monograph, Passage
from tests.factories import make_conversation, make_edition, make_monograph, make_passage, make_section, make_turn
from tests.markup import open_page
from tests.sample_edition import publish_sample

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}
QUESTION = "Chống chỉ định của paracetamol?"
XSS = "<img src=x onerror=alert(1)>"
OLD, NEW, KEPT = "Suy gan nặng.", "Suy gan nặng; thiếu hụt G6PD.", "Quá mẫn với paracetamol."


@pytest.fixture
def edition() -> Edition:
    made = make_edition(is_sample=True, title="Dược thư mẫu")
    make_section(make_monograph(made, "Paracetamol"), SectionKey.CHONG_CHI_DINH, KEPT, OLD)
    return made


@pytest.fixture
def asked(client: Client, edition: Edition) -> Turn:
    return ask(client, QUESTION)


def ask(client: Client, question: str, conversation: Conversation | None = None) -> Turn:
    client.post("/ask/", {"question": question} | ({"conversation": str(conversation.pk)} if conversation else {}))
    return Turn.objects.latest("created_at")


def again(client: Client, turn: Turn) -> Turn:
    """The turn asked again, by the button beside its answer."""
    assert f"/turns/{turn.pk}/again/" in client.get(f"/c/{turn.conversation_id}/").content.decode()
    response = client.post(f"/turns/{turn.pk}/again/")
    found = Turn.objects.latest("created_at")
    assert response.status_code == 302
    assert response.headers["Location"] == f"/c/{turn.conversation_id}/#luot-{found.pk}"
    return found


def correct(text: str, corrected: str) -> None:
    """A reviewer's correction of a passage."""
    found = Passage.objects.filter(text=text).update(state=PassageState.CORRECTED, corrected_text=corrected)
    assert found == 1
    edition = Edition.objects.get(state=EditionState.PUBLISHED)
    Edition.objects.filter(pk=edition.pk).update(revision=edition.revision + 1)


def claims_of(turn: Turn) -> list[str]:
    return [claim.claim for claim in Answer.model_validate(turn.contract).claims]


def changes_on(client: Client, turn: Turn) -> tuple[str, list[str], list[str]]:
    """What the page of a turn says of what changed: its words, what is new, what is gone."""
    html = client.get(f"/turns/{turn.pk}/").content.decode()
    found = re.search(r'<section class="changes".*?</section>', html, re.DOTALL)
    told = found.group() if found else ""
    new, gone = ([bare(text) for text in re.findall(rf"<{tag}>(.*?)</{tag}>", told)] for tag in ("ins", "del"))
    return bare(told.replace("</p>", " ")), new, gone


def bare(html: str) -> str:
    """What stands between the tags, with every space a plain one."""
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", "", html))).strip()


# --- beside the old answer -------------------------------------------------------------------------------------


def test_rerun_is_a_turn_of_its_own_at_the_end_and_the_old_one_stays_as_it_was(client: Client, asked: Turn) -> None:
    between = ask(client, "xin chào", asked.conversation)
    before = Turn.objects.filter(pk=asked.pk).values().get()
    correct(OLD, NEW)
    new = again(client, asked)
    assert (new.rerun_of, new.question, new.state) == (asked, QUESTION, TurnState.DONE)
    assert claims_of(new) == [KEPT, NEW]
    assert Turn.objects.filter(pk=asked.pk).values().get() == before
    assert claims_of(asked) == [KEPT, OLD]
    html = client.get(f"/c/{asked.conversation_id}/").content.decode()
    assert re.findall(r'<article class="turn" id="luot-([^"]+)"', html) == [
        str(turn.pk) for turn in (asked, between, new)
    ]
    assert re.findall(r'<span class="question-mark">(.*?)</span>', html) == ["Hỏi", "Hỏi", "Tra lại"]
    text = open_page(client, f"/turns/{asked.pk}/").text
    assert OLD in text
    assert NEW not in text


def test_htmx_gets_the_new_turn_alone(client: Client, asked: Turn) -> None:
    response = client.post(f"/turns/{asked.pk}/again/", headers=HTMX)
    html = response.content.decode()
    new = Turn.objects.latest("created_at")
    assert response.status_code == 200
    assert re.findall(r'<article class="turn" id="luot-([^"]+)"', html) == [str(new.pk)]
    assert "<html" not in html
    assert "Đã có trả lời." in html


def test_conversation_asked_in_again_comes_to_the_top(client: Client, asked: Turn) -> None:
    ask(client, "xin chào")
    again(client, asked)
    assert Conversation.objects.first() == asked.conversation
    assert Conversation.objects.count() == 2


def test_masked_question_is_asked_again_as_it_was_stored(client: Client, edition: Edition) -> None:
    asked = ask(client, "BN Nguyễn Văn An 0912345678 chống chỉ định của paracetamol?")
    new = again(client, asked)
    assert new.question == asked.question
    assert "0912345678" not in new.question
    assert claims_of(new) == claims_of(asked) == [KEPT, OLD]


def test_what_was_asked_again_can_be_asked_again(client: Client, asked: Turn) -> None:
    second = again(client, asked)
    correct(OLD, NEW)
    third = again(client, second)
    assert third.rerun_of == second
    assert changes_on(client, third)[1:] == ([NEW], [OLD])
    assert [turn.rerun_of for turn in asked.conversation.turns.all()] == [None, asked, second]


# --- what has changed ------------------------------------------------------------------------------------------


def test_nothing_changed_is_said_with_the_time_of_the_first_asking(client: Client, asked: Turn) -> None:
    Turn.objects.filter(pk=asked.pk).update(created_at=datetime(2026, 3, 5, 17, 5, tzinfo=UTC))
    new = again(client, asked)
    said = "Tra lại: câu trả lời không đổi so với lần hỏi 00:05 06/03/2026."
    assert changes_on(client, new) == (said, [], [])
    assert said in open_page(client, f"/c/{asked.conversation_id}/").text
    assert changes_on(client, asked) == ("", [], [])


def test_corrected_passage_is_told_as_new_and_gone(client: Client, asked: Turn) -> None:
    correct(OLD, NEW)
    new = again(client, asked)
    said, told, gone = changes_on(client, new)
    assert said.startswith("So với lần hỏi ")
    assert "dữ liệu của ấn bản đã khác." in said
    assert "Kết luận đã khác" not in said
    assert (told, gone) == ([NEW], [OLD])
    assert said.index("Mới có") < said.index(NEW) < said.index("Không còn") < said.rindex(OLD)
    assert f"/turns/{asked.pk}/" in open_page(client, f"/turns/{new.pk}/").hrefs


def test_correction_elsewhere_is_told_as_other_data_alone(client: Client, asked: Turn) -> None:
    make_section(Monograph.objects.get(), SectionKey.CHI_DINH, "Đau và sốt.")
    correct("Đau và sốt.", "Đau, sốt.")
    said, new, gone = changes_on(client, again(client, asked))
    assert said.endswith(": dữ liệu của ấn bản đã khác.")
    assert (new, gone) == ([], [])


def test_passage_that_is_held_back_since_is_gone(client: Client, asked: Turn) -> None:
    Passage.objects.filter(text=OLD).update(state=PassageState.QUARANTINED)
    Edition.objects.update(revision=1)
    new = again(client, asked)
    said, told, gone = changes_on(client, new)
    assert new.reason == Reason.PARTIAL_QUARANTINED
    assert "Kết luận đã khác." in said
    assert (told, gone) == ([], [OLD])
    assert claims_of(new) == [KEPT]


def test_answer_that_can_no_longer_be_given_is_told(client: Client, asked: Turn) -> None:
    Passage.objects.update(state=PassageState.QUARANTINED)
    Edition.objects.update(revision=1)
    new = again(client, asked)
    assert new.decision == Decision.VERIFY_PDF
    said, told, gone = changes_on(client, new)
    assert "Kết luận đã khác." in said
    assert (told, gone) == ([], [KEPT, OLD])


@pytest.mark.parametrize(
    ("texts", "new", "gone"),
    [
        ((KEPT, OLD), [], []),
        ((OLD, KEPT), [], []),
        ((KEPT, NEW), [NEW], [OLD]),
        ((KEPT,), [], [OLD]),
        ((KEPT, OLD, "Nghiện rượu."), ["Nghiện rượu."], []),
        ((KEPT, "0,5 g - 1 g."), ["0,5 g - 1 g."], [OLD]),
    ],
    ids=["same words", "another order", "other words", "one less", "one more", "numbers"],
)
def test_another_edition_is_told_with_what_is_new_and_gone(
    client: Client, asked: Turn, texts: tuple[str, ...], new: list[str], gone: list[str]
) -> None:
    old = asked.edition
    Edition.objects.update(state=EditionState.SUPERSEDED)
    now = make_edition(title="Dược thư 2027", year=2027)
    make_section(make_monograph(now, "Paracetamol"), SectionKey.CHONG_CHI_DINH, *texts)
    later = again(client, asked)
    said, told_new, told_gone = changes_on(client, later)
    assert "dữ liệu của ấn bản đã khác." in said
    assert (told_new, told_gone) == (new, gone)
    asked.refresh_from_db()
    assert (asked.edition, later.edition) == (old, now)
    assert "Dược thư mẫu, 2026" in open_page(client, f"/turns/{asked.pk}/").text
    assert "Dược thư 2027, 2027" in open_page(client, f"/turns/{later.pk}/").text


def test_words_of_the_book_are_never_markup_where_they_changed(client: Client, asked: Turn) -> None:
    correct(OLD, XSS)
    new = again(client, asked)
    assert changes_on(client, new)[1:] == ([XSS], [OLD])
    assert "<img src=x" not in client.get(f"/turns/{new.pk}/").content.decode()
    open_page(client, f"/turns/{new.pk}/")


@pytest.mark.parametrize(
    ("state", "contract"),
    [
        (TurnState.CANCELLED, {}),
        (TurnState.PENDING, {}),
        (TurnState.FAILED, {}),
        (TurnState.DONE, {"schema_version": 1}),
    ],
    ids=["cancelled", "pending", "failed", "no longer readable"],
)
def test_turn_without_an_answer_is_answered_and_compared_with_nothing(
    client: Client, asked: Turn, state: str, contract: dict[str, object]
) -> None:
    bare = make_turn(asked.conversation, question=QUESTION, state=state, contract=contract)
    if bare.is_final:
        assert f"/turns/{bare.pk}/again/" in client.get(f"/turns/{bare.pk}/").content.decode()
    client.post(f"/turns/{bare.pk}/again/")
    new = Turn.objects.latest("created_at")
    assert new.rerun_of == bare
    assert claims_of(new) == [KEPT, OLD]
    assert changes_on(client, new) == ("", [], [])
    bare.refresh_from_db()
    assert (bare.state, bare.contract) == (state, contract)


# --- what came before ------------------------------------------------------------------------------------------

REPLY = "Đường trực tràng"
ASKED_BACK = "liều paracetamol người lớn"


@pytest.fixture
def reply(client: Client) -> Turn:
    """A reply that means something only after the question it answers; then another drug was asked about."""
    publish_sample()
    first = ask(client, ASKED_BACK)
    assert first.decision == Decision.CLARIFY
    found = ask(client, REPLY, first.conversation)
    assert found.decision == Decision.ANSWERABLE
    other = ask(client, "chống chỉ định warfarin", first.conversation)
    assert other.decision == Decision.ANSWERABLE
    return found


def test_what_came_before_the_first_asking_comes_before_it_again(client: Client, reply: Turn) -> None:
    new = again(client, reply)
    assert claims_of(new) == claims_of(reply)
    assert changes_on(client, new)[0].startswith("Tra lại: câu trả lời không đổi")


def test_question_that_opened_the_conversation_is_asked_again_without_any_before_it(
    client: Client, reply: Turn
) -> None:
    first = reply.conversation.turns.all()[0]
    new = again(client, first)
    assert (new.decision, new.reason) == (first.decision, first.reason)
    assert Answer.model_validate(new.contract).quick_replies == Answer.model_validate(first.contract).quick_replies
    assert changes_on(client, new)[0].startswith("Tra lại: câu trả lời không đổi")


@pytest.mark.parametrize(
    "times",
    [
        "1",
        "2",
    ],
)
def test_what_came_before_the_first_asking_comes_before_every_later_one(
    client: Client, reply: Turn, times: str
) -> None:
    new = reply
    for _ in range(int(times)):
        new = again(client, new)
    assert claims_of(new) == claims_of(reply)
    assert (new.decision, new.reason) == (reply.decision, reply.reason)


@pytest.mark.parametrize(
    "times",
    ["1", "2"],
)
def test_question_asked_back_then_is_asked_back_again_where_the_book_is_the_same(client: Client, times: str) -> None:
    publish_sample()
    turns = [ask(client, "liều paracetamol")]
    for _ in range(2):
        turns.append(ask(client, "liều paracetamol", turns[0].conversation))
    assert [turn.decision for turn in turns] == [Decision.CLARIFY] * 3
    new = again(client, turns[int(times) - 1])
    assert new.decision == Decision.CLARIFY
    assert changes_on(client, new)[0].startswith("Tra lại: câu trả lời không đổi")


def test_next_question_goes_on_with_what_was_asked_again_last(client: Client, reply: Turn) -> None:
    again(client, reply)
    following = ask(client, "còn chống chỉ định?", reply.conversation)
    cited = {claim.citations[0].drug_id for claim in Answer.model_validate(following.contract).claims}
    assert cited == {"paracetamol"}


def test_rerun_goes_with_its_conversation_and_not_with_its_original(edition: Edition) -> None:
    turn = make_turn(make_conversation("anon:me"), question=QUESTION)
    new = start_rerun("anon:me", turn.pk)
    turn.delete()
    new.refresh_from_db()
    assert new.rerun_of is None
    Conversation.objects.all().delete()
    assert not Turn.objects.exists()


@pytest.mark.parametrize(
    ("how", "question"),
    [
        ("asked again", "chỉ định của paracetamol?"),
        ("asked next", "chỉ định của paracetamol?"),
        ("asked again", "còn chỉ định?"),
        ("asked next", "còn chỉ định?"),
        ("asked again", "Trẻ em"),
        ("asked next", "Trẻ em"),
    ],
)
def test_drug_that_came_before_is_looked_up_in_the_edition_served_now(client: Client, how: str, question: str) -> None:
    make_book("cũ")
    first = ask(client, "liều paracetamol?")
    assert first.decision == Decision.CLARIFY
    following = ask(client, question, first.conversation)
    assert claims_of(following)
    if how == "asked next":
        following = ask(client, "liều paracetamol?", first.conversation)
    Edition.objects.update(state=EditionState.SUPERSEDED)
    now = make_book("mới")
    new = again(client, following) if how == "asked again" else ask(client, question, first.conversation)
    assert new.edition == now
    assert all("mới" in claim for claim in claims_of(new))
    for claim in Answer.model_validate(new.contract).claims:
        passage = Passage.objects.get(pk=claim.citations[0].passage_id)
        assert passage.section.monograph.edition == now


def make_book(which: str) -> Edition:
    """An edition in which every passage says which it is."""
    edition = make_edition(title=f"Dược thư {which}")
    monograph = make_monograph(edition, "Paracetamol")
    make_section(monograph, SectionKey.CHI_DINH, f"Đau và sốt, bản {which}.")
    dosage = make_section(monograph, SectionKey.LIEU_DUNG)
    for label in ("Người lớn", "Trẻ em"):
        make_passage(dosage, f"Uống 500 mg, {label}, bản {which}.", labels=[label])
    return edition
