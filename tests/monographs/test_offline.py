"""What a device may keep to be read without a network: which pages are marked, for whom, what the worker is told."""

from __future__ import annotations

import json
import re
from urllib.parse import parse_qs

import pytest
from django.contrib.auth.models import User
from django.contrib.staticfiles import finders
from django.db.models import F
from django.test import Client
from pytest_django.fixtures import Settings

from chat.models import Turn
from monographs.domain import SectionKey
from monographs.models import Edition, EditionState
from monographs.offline import KEEP_HEADER, SHELL, kept_for
from tests.factories import make_edition, make_monograph, make_section

pytestmark = pytest.mark.django_db


@pytest.fixture
def book(settings: Settings) -> Edition:
    settings.OFFLINE_MONOGRAPHS = 20
    edition = make_edition(title="Dược thư mẫu")
    make_section(make_monograph(edition, "Paracetamol"), SectionKey.CHI_DINH, "Đau và sốt.")
    make_monograph(edition, "Đồng sulfat", subtitle="uống & bôi", slug="dong-sulfat")
    return edition


def mark(client: Client, path: str) -> dict[str, list[str]]:
    return parse_qs(client.get(path).headers.get(KEEP_HEADER, ""))


def told(client: Client) -> object:
    script = client.get("/service-worker.js").content.decode()
    return json.loads(script.partition("self.TOLD = ")[2].partition(";\n")[0])


def body_of(client: Client, path: str) -> str:
    html = client.get(path).content.decode()
    return html[html.index("<body") :].partition(">")[0].partition("}'")[2]


def test_a_monograph_is_marked_with_its_edition_and_what_it_is_valid_for(client: Client, book: Edition) -> None:
    assert mark(client, "/monographs/paracetamol/") == {
        "for": [kept_for(book, None)],
        "name": ["Paracetamol"],
        "edition": [f"Dược thư mẫu · {book.year}"],
    }
    assert mark(client, "/monographs/dong-sulfat/")["name"] == ["Đồng sulfat (uống & bôi)"]


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/monographs/",
        "/monographs/?q=paracetamol",
        "/monographs/paracetamol/chi-dinh/",
        "/monographs/khong-co/",
        "/help/",
        "/compare/",
        "/sign-in/",
        "/admin/login/",
        "/offline/",
        "/service-worker.js",
        "/api/v1/drugs/paracetamol/sections/",
    ],
)
def test_nothing_else_is_marked(client: Client, book: Edition, path: str) -> None:
    assert KEEP_HEADER not in client.get(path).headers


def test_no_answer_is_marked(client: Client, book: Edition) -> None:
    answer = client.post("/ask/", {"question": "Chỉ định của paracetamol?"}, follow=True)
    (turn,) = Turn.objects.all()
    for response in (answer, client.get(f"/turns/{turn.pk}/"), client.get(f"/turns/{turn.pk}/source/1/")):
        assert KEEP_HEADER not in response.headers
        assert b"data-offline-reading" not in response.content


def test_a_page_of_an_edition_that_is_served_no_more_is_not_marked(client: Client, book: Edition) -> None:
    book.state = EditionState.SUPERSEDED
    book.save()
    path = f"/monographs/paracetamol/?edition={book.pk}"
    assert client.get(path).status_code == 200 and mark(client, path) == {}
    assert "data-offline-for" not in body_of(client, path), "nothing served: the device forgets"
    newer = make_edition(title="Mới")
    assert mark(client, path) == {}
    assert f'data-offline-for="{kept_for(newer, None)}"' in body_of(client, path)
    assert "reading" not in body_of(client, path)


@pytest.mark.parametrize(
    ("path", "reading"),
    [
        ("/monographs/paracetamol/", "/monographs/paracetamol/"),
        ("/monographs/paracetamol/chi-dinh/", "/monographs/paracetamol/"),
        ("/monographs/", ""),
        ("/", ""),
        ("/sign-in/", ""),
        ("/monographs/khong-co/", ""),
    ],
)
def test_every_page_tells_what_kept_pages_are_valid_for_and_what_is_read(
    client: Client, book: Edition, path: str, reading: str
) -> None:
    body = body_of(client, path)
    assert f'data-offline-worker="/service-worker.js" data-offline-for="{kept_for(book, None)}"' in body
    assert (f'data-offline-reading="{reading}"' in body) is bool(reading)


class TestWhatKeptPagesAreValidFor:
    """Another value, and the device forgets them."""

    def test_it_changes_with_the_reader(self, book: Edition) -> None:
        assert len({kept_for(book, None), kept_for(book, 1), kept_for(book, 11)}) == 3

    def test_it_changes_with_the_edition_and_with_every_correction(self, book: Edition) -> None:
        before = kept_for(book, 1)
        Edition.objects.update(revision=F("revision") + 1)
        book.refresh_from_db()
        assert kept_for(book, 1) != before
        book.state = EditionState.SUPERSEDED
        book.save()
        assert kept_for(make_edition(), 1) not in {before, kept_for(book, 1)}

    def test_it_does_not_tell_who_the_reader_is(self, book: Edition, settings: Settings) -> None:
        here = kept_for(book, 1)
        settings.SECRET_KEY = "another" * 10
        assert kept_for(book, 1) != here

    def test_a_user_and_nobody_differ_on_the_page_too(self, client: Client, book: Edition) -> None:
        user = User.objects.create_user("duoc-si")
        nobody = mark(client, "/monographs/paracetamol/")["for"]
        client.force_login(user)
        assert mark(client, "/monographs/paracetamol/")["for"] == [kept_for(book, user.pk)] != nobody
        assert kept_for(book, user.pk) in body_of(client, "/")


class TestTheWorker:
    """The script that the browser looks for again at every visit."""

    def test_it_is_a_script_that_is_asked_for_anew_and_reaches_every_page(self, client: Client, book: Edition) -> None:
        response = client.get("/service-worker.js")
        assert response.headers["Content-Type"] == "text/javascript; charset=utf-8"
        assert response.headers["Cache-Control"] == "no-cache"
        assert "Set-Cookie" not in response.headers and not response.cookies
        policy = response.headers["Content-Security-Policy"]
        assert "script-src 'self'" in policy and "connect-src 'self'" in policy and "unsafe" not in policy

    def test_it_is_told_what_to_keep_and_when_to_forget(self, client: Client, book: Edition) -> None:
        found = told(client)
        assert isinstance(found, dict)
        assert found["most"] == 20 and found["page"] == "/offline/" and found["book"] == "/monographs/"
        assert found["signOut"] == ["/sign-out/", "/admin/logout/"]
        assert found["shell"] == [f"/static/{path}" for path in SHELL]

    def test_its_shell_has_every_file_that_a_page_of_the_book_needs(self, client: Client, book: Edition) -> None:
        html = client.get("/monographs/paracetamol/").content.decode()
        needed = set(re.findall(r'(?:href|src)="/static/([^"]+)"', html))
        assert "css/duocthu.css" in needed and needed <= set(SHELL)
        assert all(finders.find(path) for path in SHELL)

    def test_switched_off_it_clears_up_after_itself(self, client: Client, book: Edition, settings: Settings) -> None:
        settings.OFFLINE_MONOGRAPHS = 0
        assert told(client) is None
        assert mark(client, "/monographs/paracetamol/") == {}
        assert "offline" not in body_of(client, "/monographs/paracetamol/")


class TestWhereEveryoneMustSignIn:
    """The worker and its page are reached all the same: they hold nothing, and a worker may not be sent on."""

    @pytest.fixture(autouse=True)
    def required(self, settings: Settings) -> None:
        settings.LOGIN_REQUIRED = True

    @pytest.mark.parametrize("path", ["/service-worker.js", "/offline/"])
    def test_reached(self, client: Client, book: Edition, path: str) -> None:
        response = client.get(path)
        assert response.status_code == 200
        assert b"Paracetamol" not in response.content and b"csrf" not in response.content.lower()

    def test_a_monograph_is_not(self, client: Client, book: Edition) -> None:
        assert client.get("/monographs/paracetamol/").status_code == 302
        assert mark(client, "/monographs/paracetamol/") == {}


@pytest.mark.parametrize("path", ["/offline/", "/service-worker.js"])
def test_only_reading_is_allowed(client: Client, book: Edition, path: str) -> None:
    assert client.post(path).status_code == 405
