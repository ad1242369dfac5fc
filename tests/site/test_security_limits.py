"""Many guesses at a password are locked out, and many requests are told to wait; nobody else feels it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from ipaddress import ip_network
from typing import Any

import pytest
from axes.models import AccessAttempt
from django.contrib.auth.models import User
from django.db import DatabaseError, connection
from django.db.models import F
from django.test import Client, RequestFactory
from pytest_django.fixtures import Settings

from chat.models import Turn
from duocthu_site import rate_limits
from duocthu_site.client_address import client_address
from duocthu_site.environ import Rate
from duocthu_site.models import UsedRate
from duocthu_site.rate_limits import take
from duocthu_site.tokens import make_token
from tests.factories import make_edition, make_monograph, make_section
from tests.markup import PageReader
from tests.site.whole_site import signed_in

pytestmark = pytest.mark.django_db
NAME, PASSWORD = "duoc-si", "mat-khau-dai-1"
HERE: dict[str, Any] = {"REMOTE_ADDR": "203.0.113.5"}
ELSEWHERE: dict[str, Any] = {"REMOTE_ADDR": "203.0.113.6"}
JSON = "application/json"


@pytest.fixture
def user(settings: Settings) -> User:
    settings.AXES_FAILURE_LIMIT = 3
    return User.objects.create_user(NAME, password=PASSWORD)


@pytest.fixture
def limit(settings: Settings) -> Callable[..., None]:
    """limit(questions=3): so many a minute."""

    def set_limits(**counts: int) -> None:
        settings.RATE_LIMITS = dict.fromkeys(settings.RATE_LIMITS) | {
            name: Rate(count, 60) for name, count in counts.items()
        }

    return set_limits


def try_to_sign_in(where: dict[str, Any], password: str = "sai", *, address: str = "/sign-in/", **more: Any) -> int:
    form = {"username": NAME, "password": password}
    return Client().post(address, form, **where, **more).status_code


def let_time_pass(seconds: float) -> None:
    """Stored times move back instead of the clock, which is the database's, forward."""
    passed = timedelta(seconds=seconds)
    UsedRate.objects.update(used_until=F("used_until") - passed)
    AccessAttempt.objects.update(attempt_time=F("attempt_time") - passed)


# --- guessing ---------------------------------------------------------------------------------------------------


def test_after_some_failures_the_right_password_is_refused_too_and_the_wait_is_told(user: User) -> None:
    assert [try_to_sign_in(HERE) for _ in range(3)] == [422, 422, 429]
    refused = Client().post("/sign-in/", {"username": NAME, "password": PASSWORD}, **HERE)
    assert refused.status_code == 429
    assert refused.headers["Retry-After"] == "900"
    assert "Hãy đợi 15 phút rồi thử lại" in PageReader(refused.content.decode()).text
    assert "_auth_user_id" not in refused.client.session


def test_a_lock_is_of_the_name_at_that_address_alone(user: User) -> None:
    """Else anybody could lock out anybody, or a hospital behind one address."""
    User.objects.create_user("dong-nghiep", password=PASSWORD)
    for _ in range(3):
        try_to_sign_in(HERE)
    assert try_to_sign_in(ELSEWHERE, PASSWORD) == 302
    colleague = Client().post("/sign-in/", {"username": "dong-nghiep", "password": PASSWORD}, **HERE)
    assert colleague.status_code == 302


@pytest.mark.parametrize("address", ["/sign-in/", "/admin/login/"])
def test_every_door_has_the_same_lock(user: User, address: str) -> None:
    user.is_staff = True
    user.save()
    for _ in range(3):
        try_to_sign_in(HERE, address="/admin/login/" if address == "/sign-in/" else "/sign-in/")
    assert try_to_sign_in(HERE, PASSWORD, address=address) == 429


@pytest.mark.parametrize("header", ["HTTP_X_FORWARDED_FOR", "HTTP_X_REAL_IP", "HTTP_FORWARDED", "HTTP_CLIENT_IP"])
def test_another_address_is_not_made_up(user: User, header: str) -> None:
    for number in range(3):
        try_to_sign_in(HERE, **{header: f"198.51.100.{number}"}, HTTP_USER_AGENT=f"b{number}")
    assert try_to_sign_in(HERE, PASSWORD, **{header: "198.51.100.99"}) == 429


def test_behind_a_known_proxy_it_is_the_client_that_is_locked(user: User, settings: Settings) -> None:
    settings.TRUSTED_PROXIES = (ip_network("10.0.0.0/8"),)
    proxy: dict[str, Any] = {"REMOTE_ADDR": "10.0.0.1"}
    for _ in range(3):
        try_to_sign_in(proxy, HTTP_X_FORWARDED_FOR="203.0.113.5")
    assert try_to_sign_in(proxy, PASSWORD, HTTP_X_FORWARDED_FOR="203.0.113.5") == 429
    assert try_to_sign_in(proxy, PASSWORD, HTTP_X_FORWARDED_FOR="1.1.1.1, 203.0.113.5") == 429, "made up before"
    assert try_to_sign_in(proxy, PASSWORD, HTTP_X_FORWARDED_FOR="203.0.113.6") == 302


def test_the_lock_opens_by_itself_and_trying_does_not_prolong_it(user: User) -> None:
    for _ in range(3):
        try_to_sign_in(HERE)
    let_time_pass(800)
    assert try_to_sign_in(HERE, PASSWORD) == 429
    let_time_pass(101)
    assert try_to_sign_in(HERE, PASSWORD) == 302


@pytest.mark.parametrize("name", ["a" * 151, "ỹ" * 300, "x" * 5000, "a\0b", "", " "])
@pytest.mark.parametrize("address", ["/sign-in/", "/admin/login/"])
def test_a_name_that_is_none_is_refused_and_counted(user: User, name: str, address: str) -> None:
    statuses = [Client().post(address, {"username": name, "password": "x"}, **HERE).status_code for _ in range(4)]
    assert set(statuses) <= {200, 422, 429}
    assert statuses[-1] == 429 or not name.strip("\0 ") or "\0" in name


def test_success_forgets_the_failures(user: User) -> None:
    for password in ("sai", "sai", PASSWORD, "sai", "sai"):
        assert try_to_sign_in(HERE, password) != 429
    assert try_to_sign_in(HERE, PASSWORD) == 302


def test_tokens_tried_at_random_are_refused_and_lock_out_no_token_that_is_right(user: User) -> None:
    _, token = make_token(user, "chương trình")
    for number in range(5):
        headers = {"Authorization": f"Bearer dt_{number}"}
        assert Client().get("/api/v1/edition", headers=headers, **HERE).status_code in {401, 429}
    make_edition()
    assert Client().get("/api/v1/edition", headers={"Authorization": f"Bearer {token}"}, **HERE).status_code == 200
    assert try_to_sign_in(HERE, PASSWORD) == 302


# --- addresses --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("peer", "forwarded", "expected"),
    [
        pytest.param("203.0.113.5", "", "203.0.113.5", id="direct"),
        pytest.param("203.0.113.5", "1.1.1.1", "203.0.113.5", id="a-stranger-says"),
        pytest.param("10.0.0.1", "203.0.113.5", "203.0.113.5", id="proxy"),
        pytest.param("10.0.0.1", "1.1.1.1, 203.0.113.5", "203.0.113.5", id="made-up-first"),
        pytest.param("10.0.0.1", "203.0.113.5, 10.0.0.2", "203.0.113.5", id="two-proxies"),
        pytest.param("10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3", id="all-inside"),
        pytest.param("10.0.0.1", "", "10.0.0.1", id="proxy-that-says-nothing"),
        pytest.param("10.0.0.1", "rác, 203.0.113.5", "203.0.113.5", id="rubbish-first"),
        pytest.param("10.0.0.1", "203.0.113.5, rác", "10.0.0.1", id="rubbish-last"),
        pytest.param("10.0.0.1", "203.0.113.5:4711", "203.0.113.5", id="with-a-port"),
        pytest.param("10.0.0.1", "[2001:db8::1]:4711", "2001:db8::1", id="six-with-a-port"),
        pytest.param("::ffff:10.0.0.1", "203.0.113.5", "203.0.113.5", id="four-in-six"),
        pytest.param("", "203.0.113.5", None, id="no-peer"),
    ],
)
def test_the_client_is_the_last_that_no_known_proxy_is(
    settings: Settings, peer: str, forwarded: str, expected: str | None
) -> None:
    settings.TRUSTED_PROXIES = (ip_network("10.0.0.0/8"),)
    request = RequestFactory().get("/", REMOTE_ADDR=peer, HTTP_X_FORWARDED_FOR=forwarded)
    assert client_address(request) == expected


# --- rates ------------------------------------------------------------------------------------------------------


def ask(client: Client, **more: Any) -> Any:
    return client.post("/ask/", {"question": "Liều aspirinol?"}, **more)


def test_beyond_the_limit_nothing_is_asked_and_the_wait_is_told(limit: Callable[..., None]) -> None:
    limit(questions=3)
    client = Client()
    assert [ask(client, **HERE).status_code for _ in range(3)] == [302] * 3
    refused = ask(client, **HERE)
    assert refused.status_code == 429
    assert 1 <= int(refused.headers["Retry-After"]) <= 20
    assert f"Hãy đợi {refused.headers['Retry-After']} giây rồi thử lại." in PageReader(refused.content.decode()).text
    assert Turn.objects.count() == 3


def test_the_api_says_so_in_its_own_form(limit: Callable[..., None]) -> None:
    limit(api=2)
    make_edition()
    for _ in range(2):
        assert Client().get("/api/v1/edition", **HERE).status_code == 200
    refused = Client().get("/api/v1/edition", **HERE)
    assert refused.status_code == 429
    assert refused.headers["Content-Type"].startswith("application/problem+json")
    assert refused.json()["code"] == "rate_limited"
    assert f"Hãy đợi {refused.headers['Retry-After']} giây" in refused.json()["detail"]


def test_pages_and_api_share_the_count_of_questions(limit: Callable[..., None]) -> None:
    limit(questions=1)
    ask(Client(), **HERE)
    body = {"question": "Liều aspirinol?"}
    assert Client().post("/api/v1/query", body, content_type=JSON, **HERE).status_code == 429


def test_clients_do_not_feel_each_other(limit: Callable[..., None]) -> None:
    """An address, a user at it, and the same user at another address."""
    limit(questions=1)
    user, other = (User.objects.create_user(name) for name in ("a", "b"))
    assert [ask(Client(), **HERE).status_code, ask(Client(), **HERE).status_code] == [302, 429]
    assert ask(Client(), **ELSEWHERE).status_code == 302
    assert ask(signed_in(user), **HERE).status_code == 302
    assert ask(signed_in(user), **ELSEWHERE).status_code == 429
    assert ask(signed_in(other), **HERE).status_code == 302


def test_it_comes_back_evenly(limit: Callable[..., None]) -> None:
    limit(questions=3)
    client = Client()
    assert [ask(client).status_code for _ in range(4)] == [302, 302, 302, 429]
    let_time_pass(20)
    assert [ask(client).status_code for _ in range(2)] == [302, 429]
    let_time_pass(3600)
    assert [ask(client).status_code for _ in range(4)] == [302, 302, 302, 429], "no more is saved up than a period's"


@pytest.mark.parametrize("path", ["/", "/monographs/", "/help/", "/compare/", "/history/", "/read/"])
def test_reading_counts_for_nothing(limit: Callable[..., None], path: str) -> None:
    limit(questions=1, searches=1, uploads=1, sign_in=1)
    for _ in range(3):
        assert Client().get(path).status_code == 200


@pytest.mark.parametrize("path", ["/monographs/?q=a", "/read/?q=a", "/history/?tim=a", "/?tim=a"])
def test_searching_counts(limit: Callable[..., None], path: str) -> None:
    make_section(make_monograph(make_edition()))
    limit(searches=1)
    assert [Client().get(path).status_code for _ in range(2)] == [200, 429]


def test_passwords_are_counted_whatever_the_name(limit: Callable[..., None]) -> None:
    """Many names at one address are guessed as well as one."""
    limit(sign_in=2)
    found = [Client().post("/sign-in/", {"username": f"a{n}", "password": "x"}, **HERE).status_code for n in range(3)]
    assert found == [422, 422, 429]


def test_what_cannot_be_counted_is_let_through(limit: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: object) -> float:
        raise DatabaseError("away")

    limit(questions=1)
    monkeypatch.setattr(rate_limits, "take", away)
    assert [ask(Client()).status_code for _ in range(2)] == [302, 302]


@pytest.mark.django_db(transaction=True)
def test_of_many_at_once_exactly_as_many_as_allowed_pass() -> None:
    def once(_: int) -> bool:
        try:
            return take("questions:at:203.0.113.5", Rate(10, 3600)) == 0.0
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as threads:
        passed = list(threads.map(once, range(40)))
    assert sum(passed) == 10
    assert take("questions:at:203.0.113.6", Rate(10, 3600)) == 0.0
