"""Signing in and out, a site that wants it and one that does not, a new password."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django.fixtures import Settings

from chat.models import Conversation
from duocthu_site.roles import RoleKey, give_role
from tests.factories import make_edition, make_monograph, make_section
from tests.markup import open_page, read
from tests.site.staff_addresses import Address, site_addresses

pytestmark = pytest.mark.django_db
NAME, PASSWORD, NEW = "duoc-si", "mat-khau-dai-1", "mat-khau-moi-2"
HTMX = {"HX-Request": "true"}
# What is reached without signing in where everything else wants it. Probes know no sessions; their tests are others.
ALWAYS_OPEN = {"sign-in", "sign-out", "login", "offline", "service-worker"}
PROBES = {"healthz", "readyz", "metrics"}


@pytest.fixture
def user() -> User:
    return User.objects.create_user(NAME, password=PASSWORD)


@pytest.fixture
def closed(settings: Settings) -> Iterator[Settings]:
    settings.LOGIN_REQUIRED = True
    return settings


def sign_in(client: Client, *, password: str = PASSWORD, **form: str) -> int:
    return client.post("/sign-in/", {"username": NAME, "password": password, **form}).status_code


def path_of(address: Address) -> str:
    values: dict[str, object] = dict.fromkeys(address.parameters, "x") | {
        "passage_id": 1,
        "number": 1,
        "form": "csv",
        "content_type_id": 1,
        "id": 1,
    }
    uuid = "00000000-0000-0000-0000-000000000000"
    for name in address.parameters:
        if name.endswith("_id") and name not in {"passage_id", "object_id", "content_type_id", "drug_id"}:
            values[name] = 1 if f"<int:{name}>" in address.route else uuid
    return address.path(values)


def test_open_by_default_and_asked_without_an_account(client: Client) -> None:
    make_section(make_monograph(make_edition()))
    assert client.post("/ask/", {"question": "Liều paracetamol?"}, follow=True).status_code == 200
    assert Conversation.objects.get().owner.startswith("anon:")


def test_closed_everything_wants_a_user_but_what_is_named_here(closed: Settings, client: Client) -> None:
    reached = set()
    for address in [each for each in site_addresses() if each.name not in PROBES]:
        response = client.get(path_of(address))
        refused = response.status_code == 401 or (
            response.status_code == 302 and response.headers["Location"].split("?")[0] in {"/sign-in/", "/admin/login/"}
        )
        reached |= set() if refused else {address.name}
    assert reached - ALWAYS_OPEN == set()
    assert {"sign-in", "login"} <= reached, "the test sees what is open"


def test_closed_the_page_that_was_wanted_comes_after(closed: Settings, client: Client, user: User) -> None:
    asked = client.get("/monographs/?q=para&x=1")
    assert asked.headers["Location"] == "/sign-in/?next=/monographs/%3Fq%3Dpara%26x%3D1"
    page = open_page(client, asked.headers["Location"])
    assert "Trang vừa mở cần đăng nhập." in page.text
    done = client.post("/sign-in/", {"username": NAME, "password": PASSWORD, "next": "/monographs/?q=para&x=1"})
    assert done.headers["Location"] == "/monographs/?q=para&x=1"


def test_closed_a_form_that_was_sent_is_not_sent_again_by_a_link(closed: Settings, client: Client) -> None:
    assert client.post("/ask/", {"question": "Liều?"}).headers["Location"] == "/sign-in/"
    assert Conversation.objects.count() == 0


def test_closed_a_fragment_takes_the_whole_page_along_and_loses_nothing_typed(closed: Settings, client: Client) -> None:
    assert client.get("/history/", headers=HTMX).headers["HX-Redirect"] == "/sign-in/"
    refused = client.post("/ask/", {"question": "Liều?"}, headers=HTMX)
    assert refused.status_code == 403 and "HX-Redirect" not in refused.headers


def test_closed_a_program_is_refused_in_its_own_form(closed: Settings, client: Client) -> None:
    refused = client.get("/api/v1/edition")
    assert refused.status_code == 401
    assert refused.json()["code"] == "unauthenticated"
    assert refused.headers["WWW-Authenticate"].startswith("Bearer")


def test_closed_a_pharmacist_is_no_staff(closed: Settings, client: Client, user: User) -> None:
    give_role(user, RoleKey.PHARMACIST)
    assert sign_in(client) == 302
    assert client.get("/").status_code == 200
    assert client.get("/admin/").headers["Location"].startswith("/admin/login/")


@pytest.mark.parametrize(
    "next_page",
    [
        "https://evil.example/",
        "//evil.example",
        "/\\evil.example",
        "javascript:alert(1)",
        "https:evil.example",
        "http:///evil.example",
        "\thttps://evil.example",
        "/%09/evil.example\n",
    ],
)
@pytest.mark.parametrize("address", ["/sign-in/", "/admin/login/"])
def test_signing_in_leads_to_no_other_site(client: Client, user: User, next_page: str, address: str) -> None:
    give_role(user, RoleKey.ADMIN)
    response = client.post(address, {"username": NAME, "password": PASSWORD, "next": next_page})
    assert response.status_code == 302
    target = response.headers["Location"]
    assert target.startswith("/") and not target.startswith(("//", "/\\")), target
    assert "evil" not in target or "%09" in target


def test_whoever_is_signed_in_is_led_to_no_other_site_either(client: Client, user: User) -> None:
    client.force_login(user)
    assert client.get("/sign-in/?next=//evil.example").headers["Location"] == "/"
    assert client.post("/sign-out/", {"next": "https://evil.example"}).headers["Location"] == "/"


def test_what_is_wrong_does_not_tell_whether_the_name_exists(client: Client, user: User) -> None:
    User.objects.create_user("bi-khoa", password=PASSWORD, is_active=False)
    said = set()
    for name, password in [(NAME, "sai"), ("khong-co", "sai"), ("bi-khoa", PASSWORD)]:
        response = client.post("/sign-in/", {"username": name, "password": password})
        assert response.status_code == 422
        said.add(read(response).text.replace(name, ""))
    assert len(said) == 1
    assert "Tên đăng nhập hoặc mật khẩu không đúng." in said.pop()


def test_the_password_is_not_shown_again_and_the_name_is(client: Client, user: User) -> None:
    page = client.post("/sign-in/", {"username": "<b>ai", "password": "bi-mat-123"}).content.decode()
    assert "bi-mat-123" not in page
    assert "&lt;b&gt;ai" in page and "<b>ai" not in page


def test_every_empty_field_is_told(client: Client) -> None:
    assert read(client.post("/sign-in/", {})).text.count("Hãy điền ô này.") == 2


def test_signing_in_changes_the_session_and_signing_out_ends_it(client: Client, user: User) -> None:
    client.post("/ask/", {"question": "Liều paracetamol?"})
    before = client.cookies["sessionid"].value
    sign_in(client)
    assert client.cookies["sessionid"].value != before
    assert "duoc-si" in open_page(client, "/").text
    client.post("/sign-out/")
    assert "duoc-si" not in open_page(client, "/").text


def test_a_link_signs_nobody_out(client: Client, user: User) -> None:
    client.force_login(user)
    assert client.get("/sign-out/").status_code == 405
    assert client.session["_auth_user_id"] == str(user.pk)


def test_a_new_password_ends_the_other_sessions(client: Client, user: User) -> None:
    other = Client()
    for each in (client, other):
        each.force_login(user)
    form = {"old_password": PASSWORD, "new_password1": NEW, "new_password2": NEW}
    assert client.post("/password/", form).headers["Location"] == "/password/done/"
    assert "Đã đổi mật khẩu" in open_page(client, "/password/done/").text
    assert other.get("/password/").status_code == 302
    assert User.objects.get().check_password(NEW)


@pytest.mark.parametrize(
    ("old", "new", "again"),
    [
        pytest.param("sai", NEW, NEW, id="old-wrong"),
        pytest.param(PASSWORD, NEW, "khac-hoan-toan-3", id="not-the-same"),
        pytest.param(PASSWORD, "ngan-1", "ngan-1", id="short"),
        pytest.param(PASSWORD, "1234567890123", "1234567890123", id="digits"),
        pytest.param(PASSWORD, "password123", "password123", id="common"),
        pytest.param(PASSWORD, "duoc-si-12", "duoc-si-12", id="like-the-name"),
        pytest.param(PASSWORD, "", "", id="empty"),
    ],
)
def test_a_password_that_will_not_do_changes_nothing(
    client: Client, user: User, old: str, new: str, again: str
) -> None:
    client.force_login(user)
    response = client.post("/password/", {"old_password": old, "new_password1": new, "new_password2": again})
    assert response.status_code == 422
    assert 'role="alert"' in response.content.decode()
    assert User.objects.get().check_password(PASSWORD)


def test_a_strangers_password_page_is_the_form(client: Client) -> None:
    assert client.get("/password/").headers["Location"].startswith("/sign-in/?next=")


@pytest.mark.parametrize("address", ["/sign-in/", "/password/"])
def test_no_cache_keeps_these_pages(client: Client, user: User, address: str) -> None:
    if address == "/password/":
        client.force_login(user)
    assert "no-store" in client.get(address).headers["Cache-Control"]
