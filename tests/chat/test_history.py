"""Earlier conversations: found again, renamed, deleted, and never anyone else's."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from chat.models import Conversation, Feedback, Turn
from chat.pages import CONVERSATIONS_SHOWN
from monographs.domain import SectionKey
from monographs.models import Edition
from tests.factories import (
    make_answer,
    make_conversation,
    make_edition,
    make_monograph,
    make_passage,
    make_section,
    make_turn,
)
from tests.markup import check_policy, open_page, read

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}
XSS = "<img src=x onerror=alert(1)>"
NOT_YOURS = "Không tìm thấy cuộc hỏi này, hoặc nó thuộc về người khác."


@pytest.fixture(autouse=True)
def edition() -> Edition:
    return make_edition(is_sample=True, title="Dược thư mẫu")


@pytest.fixture
def owner(client: Client) -> str:
    """The owner of what this client, a signed-in user, asks."""
    user = User.objects.create_user("duoc-si")
    client.force_login(user)
    return f"user:{user.pk}"


def titles(client: Client, query: str = "", **headers: str) -> list[str]:
    """The titles listed, in order."""
    html = client.get(f"/history/{query}", headers=headers).content.decode()
    return re.findall(r'<span class="history-title">([^<]*)</span>', html)


def older(conversation: Conversation, days: int) -> Conversation:
    """The conversation as if it had been left alone for so long."""
    Conversation.objects.filter(pk=conversation.pk).update(updated_at=timezone.now() - timedelta(days=days))
    return conversation


def make_asked(owner: str, title: str, *questions: str) -> Conversation:
    conversation = make_conversation(owner, title=title)
    for question in questions:
        make_turn(conversation, question=question)
    return conversation


# --- search ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("liều", ["Liều paracetamol?"]),
        ("lieu", ["Liều paracetamol?"]),
        ("LIEU PARA", ["Liều paracetamol?"]),
        ("  lieu   para ", ["Liều paracetamol?"]),
        ("Li\u0065\u0302\u0300u", ["Liều paracetamol?"]),
        ("đường uống", ["Ca trực thứ bảy"]),
        ("duong uong", ["Ca trực thứ bảy"]),
        ("Đường truyền", ["Ca trực thứ bảy"]),
        ("ca truc", ["Ca trực thứ bảy"]),
        ("amoxicilin", ["Ca trực thứ bảy", "Liều paracetamol?"]),
        ("warfarin", []),
        ("%", []),
        ("_", []),
        ("\0", []),
        ("a" * 300, []),
    ],
)
@pytest.mark.parametrize("headers", [{}, HTMX], ids=["plain", "htmx"])
def test_words_are_found_in_titles_and_questions_accents_aside(
    client: Client, owner: str, query: str, found: list[str], headers: dict[str, str]
) -> None:
    older(make_asked(owner, "Liều paracetamol?", "Liều paracetamol?", "còn amoxicilin?"), 1)
    make_asked(owner, "Ca trực thứ bảy", "amoxicilin đường uống", "rồi ĐƯỜNG TRUYỀN tĩnh mạch")
    make_asked("anon:khac", "Liều warfarin, amoxicilin đường uống", "ca trực")
    response = client.get("/history/", {"tim": query}, headers=headers)
    html = response.content.decode()
    assert re.findall(r'<span class="history-title">([^<]*)</span>', html) == found
    assert ("Không có câu nào đã hỏi khớp với" in html) == (not found)
    assert ("<html" in html) == (not headers)
    assert "HX-Request" in response.headers["Vary"]


@pytest.mark.parametrize(
    ("title", "questions", "query"),
    [
        ("paracetamol", ["Liều ibuprofen?"], "paracetamol liều"),
        ("còn", ["x ibu", "profen y"], "ibu profen"),
    ],
)
def test_what_only_stands_in_two_questions_is_not_found(
    client: Client, owner: str, title: str, questions: list[str], query: str
) -> None:
    make_asked(owner, title, *questions)
    assert titles(client, f"?tim={query}") == []


@pytest.mark.parametrize("url", ["/", "/history/", "/read/"])
def test_every_list_can_be_searched(client: Client, owner: str, url: str) -> None:
    make_asked(owner, "Liều paracetamol?")
    make_asked(owner, "Bảo quản insulin")
    text = open_page(client, f"{url}?tim=bao+quan").text
    assert "Bảo quản insulin" in text
    assert "Liều paracetamol?" not in text


def test_what_is_searched_for_stays_in_the_box_and_is_never_markup(client: Client, owner: str) -> None:
    make_asked(owner, XSS, XSS)
    for query in (XSS, "khong-co<b>"):
        html = client.get("/history/", {"tim": query}).content.decode()
        assert "<img src=x" not in html
        assert "<b>" not in html
        assert f'value="{query.replace("<", "&lt;").replace(">", "&gt;")}"' in html
    assert XSS in open_page(client, "/history/?tim=onerror").text


def test_list_says_so_where_nothing_was_asked(client: Client) -> None:
    assert "Các câu đã hỏi trên máy này sẽ nằm ở đây." in open_page(client, "/history/").text
    assert "Không có câu nào đã hỏi khớp" in open_page(client, "/history/?tim=lieu").text


@pytest.mark.parametrize(
    ("query", "listed", "links"),
    [
        ("", range(40), ["?trang=2"]),
        ("?trang=1", range(40), ["?trang=2"]),
        ("?trang=2", range(40, 80), ["?trang=1", "?trang=3"]),
        ("?trang=3", range(80, 82), ["?trang=2"]),
        ("?trang=99", range(80, 82), ["?trang=2"]),
        ("?trang=-1", range(80, 82), ["?trang=2"]),
        ("?trang=hai", range(40), ["?trang=2"]),
        ("?tim=cau+", range(40), ["?tim=cau&trang=2"]),
        ("?tim=cau+&trang=2", range(40, 80), ["?tim=cau&trang=1", "?tim=cau&trang=3"]),
        ("?tim=cau+41", range(41, 42), []),
    ],
)
@pytest.mark.parametrize("headers", [{}, HTMX], ids=["plain", "htmx"])
def test_long_list_is_shown_page_by_page(
    client: Client, owner: str, query: str, listed: range, links: list[str], headers: dict[str, str]
) -> None:
    assert CONVERSATIONS_SHOWN == 40
    for number in range(82):
        older(make_conversation(owner, title=f"Câu {number}"), number)
    assert titles(client, query, **headers) == [f"Câu {number}" for number in listed]
    html = client.get(f"/history/{query}", headers=headers).content.decode().replace("&amp;", "&")
    assert re.findall(r'"/history/(\?[^"]*trang[^"]*)"', html) == links


def test_list_that_just_fits_offers_no_more(client: Client, owner: str) -> None:
    for number in range(CONVERSATIONS_SHOWN):
        make_conversation(owner, title=f"Câu {number}")
    assert len(titles(client)) == CONVERSATIONS_SHOWN
    assert "trang=" not in client.get("/history/").content.decode()


def test_words_searched_for_stay_whole_in_the_way_to_the_next_page(client: Client, owner: str) -> None:
    for number in range(CONVERSATIONS_SHOWN + 1):
        make_conversation(owner, title=f"a&b=c “{number}”")
    page = open_page(client, "/history/?tim=a%26b%3Dc")
    (link,) = (href for href in page.hrefs if "trang=2" in href)
    assert titles(client, link.removeprefix("/history/")) == ["a&amp;b=c “0”"]


def test_conversation_that_is_open_stays_marked_while_others_are_searched_for(client: Client, owner: str) -> None:
    conversation = make_conversation(owner)
    make_conversation(owner)
    opened = client.get(f"/c/{conversation.pk}/").content.decode()
    (sent,) = re.findall(r"hx-vals='([^']*)'", opened)
    html = client.get("/history/", {"tim": "lieu", **json.loads(sent)}, headers=HTMX).content.decode()
    assert html.count('aria-current="page"') == 1
    assert f'href="/c/{conversation.pk}/" aria-current="page"' in html
    assert "hx-vals" not in client.get("/").content.decode()


def test_search_takes_few_queries(
    client: Client, owner: str, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(30):
        make_asked(owner, f"Câu {number}", "Liều?", "Chống chỉ định?")
    with django_assert_max_num_queries(5):
        client.get("/history/?tim=chong")


# --- rename ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("Ca ngày 3", "Ca ngày 3"),
        ("  Ca ngày 3 \n", "Ca ngày 3"),
        ("a" * 120, "a" * 120),
        ("Gọi lại 0912345678", "Gọi lại [số điện thoại]"),
        ("Gọi lại 0912 345 678 chiều nay", "Gọi lại [số điện thoại] chiều nay"),
        ("BN Nguyễn Văn An", "BN [họ tên]"),
        (f"{'a' * 109} 0912345678", f"{'a' * 109} [số điện t"),
        (XSS, XSS),
    ],
    ids=["plain", "spaces", "as long as can be", "phone", "phone with gaps", "name", "masked and cut", "HTML"],
)
def test_conversation_is_renamed_and_the_title_masked(client: Client, owner: str, given: str, kept: str) -> None:
    conversation = make_asked(owner, "Liều paracetamol?", "Liều paracetamol?")
    url = reverse("conversation-rename", args=[conversation.pk])
    assert 'value="Liều paracetamol?"' in client.get(url).content.decode()
    open_page(client, url)
    response = client.post(url, {"title": given})
    assert (response.status_code, response.headers["Location"]) == (302, f"/c/{conversation.pk}/")
    conversation.refresh_from_db()
    assert conversation.title == kept
    assert kept in open_page(client, f"/c/{conversation.pk}/").text
    assert Turn.objects.get().question == "Liều paracetamol?"


@pytest.mark.parametrize(
    ("form", "says"),
    [
        ({"title": ""}, "Tên không được để trống."),
        ({"title": " \t\n "}, "Tên không được để trống."),
        ({}, "Tên không được để trống."),
        ({"title": "a" * 121}, "Tên dài quá 120 ký tự."),
        ({"title": XSS * 10}, "Tên dài quá 120 ký tự."),
        ({"title": "a\0b"}, "ký tự"),
        ({"title": "\u200b\u2060"}, "Tên không được để trống."),
    ],
)
def test_title_that_cannot_be_is_refused_in_a_sentence_and_kept(
    client: Client, owner: str, form: dict[str, str], says: str
) -> None:
    conversation = make_conversation(owner)
    response = client.post(reverse("conversation-rename", args=[conversation.pk]), form)
    assert response.status_code == 422
    check_policy(response)
    html = response.content.decode()
    assert says in read(response).text
    assert 'aria-invalid="true" aria-describedby="loi-ten"' in html
    assert form.get("title", "").strip()[:121].replace("<", "&lt;").replace(">", "&gt;") in html
    assert "<img src=x" not in html
    conversation.refresh_from_db()
    assert conversation.title == "Liều paracetamol?"


def test_new_title_leaves_the_list_in_its_order(client: Client, owner: str) -> None:
    old = older(make_conversation(owner, title="Cũ"), 2)
    older(make_conversation(owner, title="Mới"), 1)
    client.post(reverse("conversation-rename", args=[old.pk]), {"title": "Cũ, tên khác"})
    assert titles(client) == ["Mới", "Cũ, tên khác"]


def test_question_asked_in_it_keeps_the_title_and_brings_it_to_the_top(client: Client, owner: str) -> None:
    old = older(make_conversation(owner, title="Cũ"), 2)
    older(make_conversation(owner, title="Mới"), 1)
    client.post("/ask/", {"question": "Liều amoxicilin?", "conversation": str(old.pk)})
    assert titles(client) == ["Cũ", "Mới"]


# --- delete ----------------------------------------------------------------------------------------------------


def test_deleting_asks_first_and_then_removes_the_turns(client: Client, owner: str, edition: Edition) -> None:
    passage = make_passage(make_section(make_monograph(edition), SectionKey.CHI_DINH), "Đau và sốt.")
    conversation = make_conversation(owner, title="Liều paracetamol?")
    asked = make_turn(conversation, make_answer(passages=[passage]))
    Feedback.objects.create(turn=asked, useful=True)
    make_turn(conversation, make_answer(passages=[passage]), rerun_of=asked)
    other = make_turn(make_conversation(owner, title="Câu khác"))
    url = reverse("conversation-delete", args=[conversation.pk])
    page = open_page(client, url)
    assert "“Liều paracetamol?”, 2 lượt hỏi. Xoá rồi không lấy lại được." in page.text
    assert f"/c/{conversation.pk}/" in page.hrefs
    assert Turn.objects.count() == 3
    response = client.post(url)
    assert (response.status_code, response.headers["Location"]) == (302, "/")
    assert list(Turn.objects.all()) == [other]
    assert list(Conversation.objects.all()) == [other.conversation]
    assert not Feedback.objects.exists()
    for gone in (f"/c/{conversation.pk}/", f"/turns/{asked.pk}/", url):
        assert NOT_YOURS in open_page(client, gone, status=404).text
    assert client.post(url).status_code == 404
    assert titles(client) == ["Câu khác"]


def test_title_is_never_markup_where_it_is_asked_about(client: Client, owner: str) -> None:
    conversation = make_asked(owner, XSS)
    for name in ("conversation-rename", "conversation-delete"):
        html = client.get(reverse(name, args=[conversation.pk])).content.decode()
        assert "<img src=x" not in html
    assert XSS in open_page(client, reverse("conversation-delete", args=[conversation.pk])).text


def test_conversation_without_a_title_is_spoken_of_all_the_same(client: Client, owner: str) -> None:
    conversation = make_conversation(owner, title="")
    assert titles(client) == ["(không có tiêu đề)"]
    assert "“(không có tiêu đề)”" in open_page(client, reverse("conversation-delete", args=[conversation.pk])).text
    open_page(client, reverse("conversation-rename", args=[conversation.pk]))


def test_every_conversation_of_the_list_can_be_renamed_and_deleted(client: Client, owner: str) -> None:
    conversation = make_conversation(owner)
    for url in ("/", "/history/", f"/c/{conversation.pk}/"):
        page = open_page(client, url)
        for name in ("conversation", "conversation-rename", "conversation-delete"):
            assert reverse(name, args=[conversation.pk]) in page.hrefs
    assert 'aria-current="page"><span class="history-title">' in client.get(f"/c/{conversation.pk}/").content.decode()


# --- whose -----------------------------------------------------------------------------------------------------

CONVERSATION = ("conversation", "conversation-rename", "conversation-delete")
ASKED_FOR = [
    ("get", "conversation", {}),
    ("head", "conversation", {}),
    ("get", "conversation-rename", {}),
    ("post", "conversation-rename", {"title": "Của tôi"}),
    ("post", "conversation-rename", {"title": ""}),
    ("get", "conversation-delete", {}),
    ("post", "conversation-delete", {}),
    ("get", "turn", {}),
    ("post", "turn-cancel", {}),
    ("post", "turn-again", {}),
    ("post", "turn-feedback", {"useful": "1"}),
    ("post", "turn-feedback", {"useful": "?"}),
    ("get", "turn-source", {}),
    ("get", "turn-pdf", {}),
    ("get", "turn-text", {}),
]
IDS = [
    f"{method} {name}{' bad' if '' in form.values() or '?' in form.values() else ''}"
    for method, name, form in ASKED_FOR
]


def url_of(name: str, turn: Turn | None) -> str:
    if name in CONVERSATION:
        return reverse(name, args=[turn.conversation_id if turn else uuid4()])
    return reverse(name, args=[turn.pk if turn else uuid4(), *([1] if name == "turn-source" else [])])


@pytest.mark.parametrize("headers", [{}, HTMX], ids=["plain", "htmx"])
@pytest.mark.parametrize("signed_in", [False, True], ids=["visitor", "user"])
@pytest.mark.parametrize(("method", "name", "form"), ASKED_FOR, ids=IDS)
def test_what_another_asked_cannot_be_told_from_what_nobody_did(
    edition: Edition, method: str, name: str, form: dict[str, str], signed_in: bool, headers: dict[str, str]
) -> None:
    passage = make_passage(make_section(make_monograph(edition), SectionKey.CHI_DINH), "Đau và sốt.")
    turn = make_turn(
        make_conversation("user:999999", title="Bí mật"), make_answer(passages=[passage]), question="Bí mật"
    )
    stranger = Client()
    if signed_in:
        stranger.force_login(User.objects.create_user("nguoi-khac"))
    else:
        stranger.post("/ask/", {"question": "Liều amoxicilin?"})
    before = Turn.objects.count()
    # A page quotes the id of its request.
    sent = {**headers, "X-Correlation-ID": "0" * 32}
    theirs, nobodys = (getattr(stranger, method)(url_of(name, found), form, headers=sent) for found in (turn, None))
    assert (theirs.status_code, nobodys.status_code) == (404, 404)
    if method != "head":
        assert NOT_YOURS in theirs.content.decode()
        assert read(theirs).text == read(nobodys).text
        assert "Bí mật" not in theirs.content.decode()
        assert "Đau và sốt" not in theirs.content.decode()
    assert Conversation.objects.get(owner="user:999999").title == "Bí mật"
    assert Turn.objects.get(pk=turn.pk).state == turn.state
    assert Turn.objects.count() == before
    assert not Feedback.objects.exists()


def test_table_asks_for_every_address_that_names_a_conversation_or_a_turn() -> None:
    from chat.urls import urlpatterns

    assert {name for _, name, _ in ASKED_FOR} == {
        pattern.name for pattern in urlpatterns if {"conversation_id", "turn_id"} & set(pattern.pattern.converters)
    }


@pytest.mark.parametrize(
    ("url", "form"),
    [
        ("/ask/", {"question": "Liều amoxicilin?"}),
        ("/ask/", {"question": ""}),
        ("/read/section/", {"drug": "paracetamol", "section": "chi-dinh"}),
    ],
    ids=["question", "no question", "section"],
)
@pytest.mark.parametrize("headers", [{}, HTMX], ids=["plain", "htmx"])
def test_nothing_is_added_to_what_another_asked(
    client: Client, owner: str, edition: Edition, url: str, form: dict[str, str], headers: dict[str, str]
) -> None:
    make_section(make_monograph(edition), SectionKey.CHI_DINH, "Đau và sốt.")
    conversation = make_conversation("user:999999", title="Bí mật")
    for taken in (conversation.pk, uuid4()):
        response = client.post(url, form | {"conversation": str(taken)}, headers=headers)
        assert response.status_code == 404
        assert NOT_YOURS in read(response).text
    assert not Turn.objects.exists()
    assert Conversation.objects.count() == 1
