"""Asking, reading and following turns: ownership, bad input, escaping, and every way a turn can end."""

from __future__ import annotations

import re
from pathlib import Path
from uuid import uuid4

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.contrib.sessions.models import Session
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries
from pytest_django.fixtures import Settings

from chat.domain import Decision, Reason
from chat.models import Conversation, Feedback, Turn, TurnState
from chat.outcomes import OUTCOMES
from chat.ownership import owner_of
from chat.urls import urlpatterns
from monographs.domain import SectionKey
from monographs.models import Edition, Passage, Section
from tests.factories import (
    make_answer,
    make_conversation,
    make_edition,
    make_held_back,
    make_monograph,
    make_passage,
    make_section,
    make_turn,
    section_link,
)
from tests.markup import PageReader, check_policy, open_page, read

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}
QUESTION = "Chống chỉ định của paracetamol?"
SAFE, POST = frozenset({"get", "head"}), frozenset({"post"})
METHODS = {
    "chat": SAFE,
    "ask": POST,
    "conversation": SAFE,
    "conversation-rename": SAFE | POST,
    "conversation-delete": SAFE | POST,
    "history": SAFE,
    "turn": SAFE,
    "turn-cancel": POST,
    "turn-again": POST,
    "turn-feedback": POST,
    "turn-source": SAFE,
    "turn-pdf": SAFE,
    "turn-text": SAFE,
    "verbatim": SAFE,
    "verbatim-read": POST,
    "help": SAFE,
    "compare": SAFE,
    "compare-interactions": SAFE,
    "compare-sections": SAFE,
}
EVERY_METHOD = SAFE | POST | {"put", "patch", "delete", "options"}
# What each address that takes a form is sent.
FORMS = {
    "ask": {"question": QUESTION},
    "conversation-rename": {"title": "Tên khác"},
    "conversation-delete": {},
    "turn-cancel": {},
    "turn-again": {},
    "turn-feedback": {"useful": "1"},
    "verbatim-read": {"drug": "paracetamol", "section": "lieu-dung"},
}
XSS = "<img src=x onerror=alert(1)>"


@pytest.fixture(autouse=True)
def data_dir(settings: Settings, tmp_path: Path) -> Path:
    settings.DUOCTHU_DATA_DIR = tmp_path
    return tmp_path


@pytest.fixture
def book() -> Edition:
    edition = make_edition(is_sample=True, title="Dược thư mẫu")
    monograph = make_monograph(edition, "Paracetamol", aliases=["Panadol"])
    make_section(monograph, SectionKey.CHONG_CHI_DINH, "Quá mẫn với paracetamol.", "Suy gan nặng.")
    section = make_section(monograph, SectionKey.LIEU_DUNG)
    make_passage(section, "Đường uống: 500 mg - 1 g.", labels=["Người lớn", "Đường uống"])
    make_held_back(section)
    return edition


@pytest.fixture
def owner(client: Client) -> str:
    """The owner that this client's session has once it has asked."""
    request = HttpRequest()
    request.session = client.session
    request.user = AnonymousUser()
    found = owner_of(request)
    request.session.save()
    return found


def address(name: str, turn: Turn | None = None) -> str:
    """An address of the chat about a turn and its conversation; about none that exist without one."""
    (pattern,) = (pattern.pattern for pattern in urlpatterns if pattern.name == name)
    values = {
        "conversation_id": turn.conversation_id if turn else uuid4(),
        "turn_id": turn.pk if turn else uuid4(),
        "number": 1,
    }
    return reverse(name, kwargs={key: values[key] for key in pattern.converters})


def everything_stored() -> list[list[tuple[object, ...]]]:
    """What a form of the chat may change."""
    rows = (Conversation.objects.values_list("pk", "title"), Turn.objects.values_list("pk", "state"))
    return [sorted(found, key=str) for found in (*rows, Feedback.objects.values_list("turn", "useful", "reason"))]


def ask(client: Client, question: str, **more: str) -> str:
    """Asks without JavaScript and gives back the address of the conversation."""
    response = client.post("/ask/", {"question": question, **more})
    assert response.status_code == 302, response.content.decode()
    return str(response.headers["Location"])


def test_empty_page_offers_three_examples(client: Client, book: Edition) -> None:
    page = open_page(client, "/")
    html = client.get("/").content.decode()
    assert html.count('class="example"') == 3
    assert "BẢN MẪU – không dùng cho lâm sàng" in page.text
    assert "không dùng cho lâm sàng. Mọi quyết định" in page.text


def test_works_before_the_first_edition(client: Client) -> None:
    open_page(client, "/")
    page = open_page(client, ask(client, QUESTION))
    assert "Chưa có ấn bản dược thư nào được công bố." in page.text


def test_question_is_posted_answered_and_shown(client: Client, book: Edition) -> None:
    url = ask(client, QUESTION)
    turn = Turn.objects.get()
    assert url == f"/c/{turn.conversation_id}/#luot-{turn.pk}"
    page = open_page(client, url)
    assert "Quá mẫn với paracetamol." in page.text
    assert "Nguyên văn" in page.text
    assert "[1] tr. 101" in page.text
    assert str(turn.pk) in page.text
    assert "Dược thư mẫu, 2026" in page.text
    assert turn.contract["disclaimer"] in page.text
    sources = [f"/turns/{turn.pk}/sources/{number}/" for number in (1, 2)]
    assert [href for href in page.hrefs if "/sources/" in href] == sources
    assert [reverse("turn-source", args=[turn.pk, number]) for number in (1, 2)] == sources


def test_next_question_joins_the_conversation(client: Client, book: Edition) -> None:
    ask(client, QUESTION)
    conversation = Conversation.objects.get()
    ask(client, "Liều paracetamol người lớn?", conversation=str(conversation.pk))
    page = open_page(client, f"/c/{conversation.pk}/")
    assert QUESTION in page.text
    assert "Liều paracetamol người lớn?" in page.text
    assert Conversation.objects.count() == 1


def test_htmx_gets_the_new_turn_alone(client: Client, book: Edition) -> None:
    ask(client, QUESTION)
    conversation = Conversation.objects.get()
    response = client.post("/ask/", {"question": QUESTION, "conversation": str(conversation.pk)}, headers=HTMX)
    html = response.content.decode()
    assert response.status_code == 200
    assert html.count('<article class="turn"') == 1
    assert "<html" not in html
    assert 'id="announcer" hx-swap-oob="innerHTML">Đã có trả lời.' in html


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("", "Chưa có câu hỏi"),
        ("   \n ", "Chưa có câu hỏi"),
        ("?!", "Chưa có câu hỏi"),
        ("a" * 10_000, "dài 10000 ký tự"),
        ("para\x00cetamol", "không phải văn bản"),
        ("\x01\x02\x03 binary", "không phải văn bản"),
        (f"{XSS * 200}", "ký tự, tối đa 4000"),
    ],
    ids=["empty", "blank", "only marks", "10,000 characters", "NUL", "control characters", "long HTML"],
)
@pytest.mark.parametrize("headers", [{}, HTMX], ids=["plain", "htmx"])
def test_bad_question_is_refused_and_kept(
    client: Client, book: Edition, question: str, says: str, headers: dict[str, str]
) -> None:
    response = client.post("/ask/", {"question": question}, headers=headers)
    assert response.status_code == 422
    check_policy(response)
    page = read(response)
    assert says in page.text
    assert XSS not in response.content.decode()
    if question.strip("\x00\x01\x02\x03 \n"):
        assert question.replace("\x00", "")[:200] in page.text.replace("\x00", "")
    assert not Turn.objects.exists()


def test_refused_question_stays_in_its_conversation(client: Client, book: Edition) -> None:
    ask(client, QUESTION)
    conversation = Conversation.objects.get()
    response = client.post("/ask/", {"question": "", "conversation": str(conversation.pk)})
    assert response.status_code == 422
    assert QUESTION in read(response).text
    assert str(conversation.pk) in response.content.decode()


@pytest.mark.parametrize("conversation", ["abc", "1", "' OR 1=1"])
def test_conversation_that_is_no_id_is_refused(client: Client, book: Edition, conversation: str) -> None:
    response = client.post("/ask/", {"question": QUESTION, "conversation": conversation})
    assert response.status_code == 422
    assert "Biểu mẫu không hợp lệ" in read(response).text


def test_html_in_a_question_is_never_markup(client: Client, book: Edition) -> None:
    url = ask(client, f"{XSS} chống chỉ định paracetamol <b>đậm</b>")
    html = client.get(url).content.decode()
    assert "<img src=x" not in html
    assert "onerror" not in html


def test_stored_text_is_escaped(client: Client, owner: str, book: Edition) -> None:
    section = make_section(make_monograph(book, XSS, slug="xss"), SectionKey.CHI_DINH, heading=XSS)
    passage = make_passage(section, XSS, labels=[XSS, "x"])
    answer = make_answer(
        passages=[passage], message=XSS, next_step=XSS, emergency=XSS, quick_replies=(XSS,), disclaimer=XSS
    )
    conversation = make_conversation(owner, title=XSS)
    make_turn(conversation, answer, question=XSS)
    html = client.get(f"/c/{conversation.pk}/").content.decode()
    assert XSS in open_page(client, f"/c/{conversation.pk}/").text
    assert "<img src=x" not in html


def test_conversation_is_its_owners(client: Client, book: Edition) -> None:
    ask(client, QUESTION)
    turn = Turn.objects.get()
    stranger = Client()
    for url in (f"/c/{turn.conversation_id}/", f"/turns/{turn.pk}/"):
        assert client.get(url).status_code == 200
        page = open_page(stranger, url, status=404)
        assert QUESTION not in page.text
    assert stranger.post(f"/turns/{turn.pk}/cancel/").status_code == 404
    taken = stranger.post("/ask/", {"question": QUESTION, "conversation": str(turn.conversation_id)})
    assert taken.status_code == 404
    assert Turn.objects.count() == 1


def test_signed_in_user_has_a_conversation_of_their_own(client: Client, book: Edition) -> None:
    ask(client, QUESTION)
    conversation = Conversation.objects.get()
    client.force_login(User.objects.create_user("duoc-si"))
    assert client.get(f"/c/{conversation.pk}/").status_code == 404
    ask(client, QUESTION)
    assert Conversation.objects.exclude(pk=conversation.pk).get().owner.startswith("user:")


def test_sidebar_lists_only_this_owners_conversations(client: Client, owner: str, book: Edition) -> None:
    make_conversation(owner, title="Câu của tôi")
    make_conversation("anon:khac", title="Câu của người khác")
    page = open_page(client, "/")
    assert "Câu của tôi" in page.text
    assert "Câu của người khác" not in page.text


@pytest.mark.parametrize("url", [f"/c/{uuid4()}/", f"/turns/{uuid4()}/"])
def test_unknown_address_is_not_found(client: Client, url: str) -> None:
    assert "Không tìm thấy cuộc hỏi này" in open_page(client, url, status=404).text


def test_every_address_of_the_chat_is_in_the_table() -> None:
    assert {pattern.name for pattern in urlpatterns} == set(METHODS)


@pytest.mark.parametrize(
    ("method", "name"),
    [(method, name) for name, allowed in METHODS.items() for method in sorted(EVERY_METHOD - allowed - {"head"})],
)
def test_other_methods_are_refused(client: Client, book: Edition, owner: str, method: str, name: str) -> None:
    turn = make_turn(make_conversation(owner))
    before = everything_stored()
    for found in (turn, None):
        response = client.generic(method.upper(), address(name, found))
        assert response.status_code == 405
        assert set(response.headers["Allow"].lower().split(", ")) | {"head"} == METHODS[name] | {"head"}
    assert everything_stored() == before


@pytest.mark.parametrize(
    "name",
    [
        *(name for name, allowed in METHODS.items() if allowed == SAFE),
        "conversation-rename",
        "conversation-delete",
    ],
)
def test_page_can_be_asked_for_by_its_head_alone(client: Client, book: Edition, owner: str, name: str) -> None:
    turn = make_turn(make_conversation(owner), make_answer(passages=list(Passage.objects.filter(state="served"))))
    response = client.head(address(name, turn))
    assert response.status_code == client.get(address(name, turn)).status_code == 200
    assert response.content == b""


@pytest.mark.parametrize("name", [name for name, allowed in METHODS.items() if "post" not in allowed])
def test_page_that_takes_no_form_refuses_one_without_a_token_too(book: Edition, name: str) -> None:
    assert Client(enforce_csrf_checks=True).post(address(name)).status_code == 403


def test_form_without_its_token_is_refused_in_vietnamese(book: Edition) -> None:
    response = Client(enforce_csrf_checks=True).post("/ask/", {"question": QUESTION})
    assert response.status_code == 403
    assert "Biểu mẫu đã hết hạn" in read(response).text
    assert not Turn.objects.exists()


@pytest.mark.parametrize("headers", [{}, HTMX], ids=["plain", "htmx"])
@pytest.mark.parametrize(("name", "form"), FORMS.items(), ids=list(FORMS))
def test_every_form_needs_its_token(
    client: Client, book: Edition, owner: str, name: str, form: dict[str, str], headers: dict[str, str]
) -> None:
    turn = make_turn(make_conversation(owner))
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = client.cookies
    strict.get("/")
    before = everything_stored()
    refused = strict.post(address(name, turn), form, headers=headers)
    assert refused.status_code == 403
    assert "Biểu mẫu đã hết hạn" in read(refused).text
    assert everything_stored() == before
    token = strict.cookies["csrftoken"].value
    taken = strict.post(address(name, turn), form | {"csrfmiddlewaretoken": token}, headers=headers)
    assert taken.status_code in {200, 302}
    assert everything_stored() != before


@pytest.mark.parametrize("name", [name for name, allowed in METHODS.items() if "get" in allowed])
def test_every_form_on_a_page_carries_its_token(client: Client, book: Edition, owner: str, name: str) -> None:
    conversation = make_conversation(owner)
    turn = make_turn(conversation, make_answer(passages=list(Passage.objects.filter(state="served"))))
    make_turn(conversation)
    response = client.get(address(name, turn), {"drug": "paracetamol"})
    if not response.headers["Content-Type"].startswith("text/html"):
        return
    html = response.content.decode()
    assert html.count('method="post"') == html.count('name="csrfmiddlewaretoken"')
    assert html.count("hx-post=") <= html.count('method="post"')


def test_visitor_who_only_reads_is_not_remembered(client: Client, book: Edition) -> None:
    for name, allowed in METHODS.items():
        if "get" in allowed:
            client.get(address(name))
    for question in ("", "a" * 10_000):
        client.post("/ask/", {"question": question})
    assert "sessionid" not in client.cookies
    assert not Session.objects.exists()
    assert "Các câu đã hỏi trên máy này sẽ nằm ở đây." in open_page(client, "/").text


def test_visitor_is_remembered_from_the_first_question_on(client: Client, book: Edition) -> None:
    for _ in range(2):
        ask(client, QUESTION)
    (session,) = Session.objects.all()
    owners = set(Conversation.objects.values_list("owner", flat=True))
    assert owners == {f"anon:{session.get_decoded()['chat_owner']}"}
    assert open_page(client, "/").text.count(QUESTION) == 2 * len(("link", "menu"))
    assert QUESTION not in open_page(Client(), "/").text


@pytest.mark.parametrize(
    "owner",
    [
        "",
        "anon:",
        "user:",
    ],
)
def test_what_belongs_to_nobody_is_shown_to_nobody(client: Client, book: Edition, owner: str) -> None:
    conversation = make_conversation(owner)
    for url in (f"/c/{conversation.pk}/", f"/turns/{make_turn(conversation).pk}/"):
        assert client.get(url).status_code == 404
    assert conversation.title not in open_page(client, "/history/?tat-ca=1").text


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("ca-truc.7_A", "ca-truc.7_A"),
        ("a" * 100, "a" * 100),
        ("a" * 101, ""),
        ("co dau cach", ""),
        ("<script>", ""),
        ("", ""),
    ],
)
def test_correlation_id_is_passed_on_and_echoed(client: Client, book: Edition, given: str, kept: str) -> None:
    response = client.post("/ask/", {"question": QUESTION}, headers={"X-Correlation-ID": given})
    turn = Turn.objects.get()
    assert turn.correlation_id == kept
    assert turn.contract["correlation_id"] == kept
    assert response.headers.get("X-Correlation-ID", "") == kept
    assert client.get(f"/turns/{turn.pk}/", headers=HTMX).headers.get("X-Correlation-ID", "") == kept


@pytest.mark.parametrize("state", [TurnState.PENDING, TurnState.RUNNING])
def test_unfinished_turn_polls_and_refreshes_itself(client: Client, owner: str, book: Edition, state: str) -> None:
    conversation = make_conversation(owner)
    turn = make_turn(conversation, state=state)
    for url in (f"/c/{conversation.pk}/", f"/turns/{turn.pk}/"):
        html = client.get(url).content.decode()
        assert f'hx-get="/turns/{turn.pk}/" hx-trigger="every 1s"' in html
        assert f'<noscript><meta http-equiv="refresh" content="2; url={url}?lan=1#luot-{turn.pk}"></noscript>' in html
        assert f'content="10; url={url}?lan=71#' in client.get(f"{url}?lan=70").content.decode()
        open_page(client, url)
    fragment = client.get(f"/turns/{turn.pk}/", headers=HTMX).content.decode()
    assert "hx-trigger" in fragment
    assert "announcer" not in fragment


@pytest.mark.parametrize(
    ("stage", "steps"),
    [
        ("scope", ["now", "later", "later", "later"]),
        ("understand", ["now", "later", "later", "later"]),
        ("retrieve", ["done", "now", "later", "later"]),
        ("decide", ["done", "now", "later", "later"]),
        ("draft", ["done", "done", "now", "later"]),
        ("verify", ["done", "done", "done", "now"]),
        ("compose", ["done", "done", "done", "now"]),
        ("", []),
        ("của một bản khác", []),
    ],
)
def test_work_is_shown_step_by_step(client: Client, owner: str, book: Edition, stage: str, steps: list[str]) -> None:
    turn = make_turn(make_conversation(owner), state=TurnState.RUNNING, stage=stage)
    html = client.get(f"/turns/{turn.pk}/", headers=HTMX).content.decode()
    shown = re.findall(r'<li class="step step-(\w+)"( aria-current="step")?>([^<]+)</li>', html)
    titles = ["Hiểu câu hỏi", "Tìm nguồn", "Soạn câu trả lời", "Đối chiếu nguồn"]
    assert [(state, title) for state, _, title in shown] == list(zip(steps, titles, strict=False))
    assert all(bool(current) == (state == "now") for state, current, _ in shown)
    assert ("Đang tra sách…" in html) == (not steps)
    assert "hx-trigger" in html


@pytest.mark.parametrize("state", [TurnState.DONE, TurnState.CANCELLED, TurnState.FAILED])
def test_finished_turn_ends_the_polling(client: Client, owner: str, book: Edition, state: str) -> None:
    conversation = make_conversation(owner)
    answer = make_answer(passages=list(Passage.objects.filter(text__startswith="Quá mẫn")))
    turn = make_turn(conversation, answer if state == TurnState.DONE else None, state=state)
    fragment = client.get(f"/turns/{turn.pk}/", headers=HTMX).content.decode()
    assert "hx-trigger" not in fragment
    assert 'id="announcer"' in fragment
    page = open_page(client, f"/c/{conversation.pk}/")
    assert "http-equiv" not in client.get(f"/c/{conversation.pk}/").content.decode()
    assert "Dược thư mẫu" in page.text


@pytest.mark.parametrize("headers", [{}, HTMX], ids=["plain", "htmx"])
def test_pending_turn_can_be_cancelled(client: Client, owner: str, book: Edition, headers: dict[str, str]) -> None:
    turn = make_turn(make_conversation(owner))
    response = client.post(f"/turns/{turn.pk}/cancel/", headers=headers)
    assert response.status_code == (200 if headers else 302)
    turn.refresh_from_db()
    assert turn.state == TurnState.CANCELLED
    assert "đã huỷ" in open_page(client, f"/c/{turn.conversation_id}/").text


@pytest.mark.parametrize("reason", list(Reason))
def test_every_outcome_has_a_page_with_its_words(client: Client, owner: str, book: Edition, reason: Reason) -> None:
    facts = OUTCOMES[reason]
    passages = list(Passage.objects.filter(text__startswith="Quá mẫn")) if facts.decision is Decision.ANSWERABLE else []
    if facts.decision is Decision.VERIFY_PDF:
        passages = list(Passage.objects.filter(state="quarantined"))
    section = Section.objects.first()
    assert section is not None
    answer = make_answer(reason, passages, related_sections=(section_link(section),))
    conversation = make_conversation(owner)
    make_turn(conversation, answer)
    page = open_page(client, f"/c/{conversation.pk}/")
    assert answer.message in page.text
    assert answer.next_step in page.text
    assert answer.disclaimer in page.text
    assert answer.trace_id in page.text
    assert section_link(section).url in page.hrefs


def test_clarification_offers_its_replies_as_forms(client: Client, owner: str, book: Edition) -> None:
    conversation = make_conversation(owner)
    answer = make_answer(
        Reason.NEEDS_BRANCH, quick_replies=("Người lớn", "Trẻ em"), clarifying_question="Cần trường hợp nào?"
    )
    make_turn(conversation, answer)
    html = client.get(f"/c/{conversation.pk}/").content.decode()
    assert "Cần trường hợp nào?" in html
    forms = re.findall(r'<input type="hidden" name="question" value="([^"]+)">', html)
    assert forms == ["Người lớn", "Trẻ em"]
    assert html.count(f'name="conversation" value="{conversation.pk}"') == 3


def test_picture_stands_in_for_text_that_may_not_be_shown(client: Client, owner: str, book: Edition) -> None:
    passage = Passage.objects.get(state="quarantined")
    conversation = make_conversation(owner)
    make_turn(conversation, make_answer(Reason.SOURCE_QUARANTINED, [passage]))
    html = client.get(f"/c/{conversation.pk}/").content.decode()
    assert f'src="/passages/{passage.pk}/crop.png?page=1&amp;part=0"' in html
    assert "<rect" in html
    assert "Độ thanh thải" not in html
    assert "Bảng: ảnh trang in" in html


def test_emergency_comes_before_everything_else(client: Client, owner: str, book: Edition) -> None:
    conversation = make_conversation(owner)
    passages = list(Passage.objects.filter(text__startswith="Quá mẫn"))
    make_turn(conversation, make_answer(passages=passages, emergency="Gọi 115 ngay."))
    text = open_page(client, f"/c/{conversation.pk}/").text
    assert text.index("Gọi 115 ngay.") < text.index("Trích nguyên văn") < text.index("Quá mẫn")


def test_labels_from_further_up_stand_above_the_claim(client: Client, owner: str, book: Edition) -> None:
    conversation = make_conversation(owner)
    make_turn(conversation, make_answer(passages=list(Passage.objects.filter(text__startswith="Đường uống"))))
    html = client.get(f"/c/{conversation.pk}/").content.decode()
    assert '<p class="label-path"><span class="path-step">Người lớn</span></p>' in html
    assert '<span class="run-in">Đường uống:</span> <span class="nowrap">500 mg</span>' in html


def test_words_of_a_model_are_labelled_as_such(client: Client, owner: str, book: Edition) -> None:
    conversation = make_conversation(owner)
    passages = list(Passage.objects.filter(text__startswith="Quá mẫn"))
    make_turn(conversation, make_answer(passages=passages, verbatim=False))
    text = open_page(client, f"/c/{conversation.pk}/").text
    assert "Mô hình diễn đạt" in text
    assert "Nguyên văn" not in text


def test_one_source_cited_twice_has_one_number(client: Client, owner: str, book: Edition) -> None:
    first, second = Passage.objects.filter(section__key=SectionKey.CHONG_CHI_DINH).order_by("order")
    conversation = make_conversation(owner)
    make_turn(conversation, make_answer(passages=[first, second, first]))
    numbers = re.findall(r'class="chip-number">\[(\d+)\]', client.get(f"/c/{conversation.pk}/").content.decode())
    assert numbers == ["1", "2", "1"]


def test_what_is_missing_is_listed(client: Client, owner: str, book: Edition) -> None:
    conversation = make_conversation(owner)
    passages = list(Passage.objects.filter(text__startswith="Quá mẫn"))
    answer = make_answer(
        Reason.MISSING_REQUESTED_ENTITY, passages, insufficiency={"missing_targets": ("Aspirinol",), "reasons": ()}
    )
    make_turn(conversation, answer)
    text = open_page(client, f"/c/{conversation.pk}/").text
    assert "Phần chưa có trong câu trả lời này" in text
    assert "Aspirinol" in text


def test_stored_answer_that_no_longer_reads_costs_only_itself(client: Client, owner: str, book: Edition) -> None:
    conversation = make_conversation(owner)
    make_turn(conversation, make_answer(passages=list(Passage.objects.filter(text__startswith="Quá mẫn"))))
    make_turn(conversation, state=TurnState.DONE, contract={"schema_version": 1})
    text = open_page(client, f"/c/{conversation.pk}/").text
    assert "Quá mẫn với paracetamol." in text
    assert "Câu trả lời đã lưu không còn đọc được" in text


def test_long_conversation_takes_few_queries(
    client: Client, owner: str, book: Edition, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    conversation = make_conversation(owner)
    for _ in range(12):
        make_turn(conversation, make_answer(passages=list(Passage.objects.filter(text__startswith="Quá mẫn"))))
    for number in range(20):
        make_conversation(owner, title=f"Câu {number}")
    with django_assert_max_num_queries(7):
        client.get(f"/c/{conversation.pk}/")
    with django_assert_max_num_queries(5):
        client.get("/")


def test_answers_are_not_kept_by_browsers_or_proxies(client: Client, book: Edition) -> None:
    url = ask(client, QUESTION)
    assert "no-store" in client.get(url).headers["Cache-Control"]


def test_admin_shows_turns_and_changes_nothing(client: Client, book: Edition) -> None:
    ask(client, QUESTION)
    turn = Turn.objects.get()
    client.force_login(User.objects.create_superuser("quan-tri"))
    for name in ("turn", "conversation", "feedback"):
        assert client.get(reverse(f"admin:chat_{name}_changelist")).status_code == 200
        assert client.get(reverse(f"admin:chat_{name}_add")).status_code == 403
    url = reverse("admin:chat_turn_change", args=[turn.pk])
    assert client.get(url).status_code == 200
    assert client.post(url, {"question": "x"}).status_code == 405
    for name in ("ingestrun", "finding", "review", "workerheartbeat"):
        assert client.get(reverse(f"admin:ingest_{name}_changelist")).status_code == 200


@pytest.mark.parametrize("name", ["400.html", "403.html", "403_csrf.html", "500.html"])
def test_error_pages_need_no_request(name: str, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_num_queries(0):
        page = PageReader(render_to_string(name))
    assert page.inline == page.broken == []
    assert page.headings == [1]
    assert "/" in page.hrefs


def test_server_error_page_needs_no_database_and_is_vietnamese(
    client: Client,
    book: Edition,
    monkeypatch: pytest.MonkeyPatch,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr("chat.views.conversation_page", fail)
    client.raise_request_exception = False
    response = client.get("/")
    assert response.status_code == 500
    assert "Máy chủ gặp lỗi" in read(response).text
    assert "boom" not in response.content.decode()
