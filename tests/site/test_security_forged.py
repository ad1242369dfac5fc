"""No form of another site is taken: every unsafe method of every address, by everyone who could do something there."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django.fixtures import Settings

from duocthu_site.roles import RoleKey, give_role
from tests.site.staff_addresses import Address, everything_kept, site_addresses
from tests.site.whole_site import UNSAFE_METHODS, Site, make_site, make_waiting_turn, signed_in, undone

pytestmark = pytest.mark.django_db
EVIL = "https://evil.example"
PAGE: dict[str, Any] = {"HTTP_ORIGIN": EVIL, "HTTP_REFERER": f"{EVIL}/"}
FORM = "application/x-www-form-urlencoded"
BODY = json.dumps({"question": "Liều paracetamol?", "title": "Khác", "useful": True})
# How another site's page can have a browser send something, by what the browser says of it.
API_WAYS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "form": (FORM, "question=x", PAGE),
    "plain": ("text/plain", BODY, PAGE),
    "multipart": ("multipart/form-data; boundary=x", "--x--", PAGE),
    "json": ("application/json", BODY, PAGE),
    "json-from-a-sandbox": ("application/json", BODY, {"HTTP_ORIGIN": "null"}),
    "json-new-browser": ("application/json", BODY, {"HTTP_SEC_FETCH_SITE": "cross-site"}),
    "json-sister-site": ("application/json", BODY, {"HTTP_SEC_FETCH_SITE": "same-site"}),
    "nothing": ("", "", PAGE),
}


@pytest.fixture
def site(settings: Settings, tmp_path: Path) -> Site:
    settings.DUOCTHU_DATA_DIR = tmp_path
    made = make_site()
    made.rows["turn"] = make_waiting_turn(made)
    return made


@pytest.fixture
def mighty(site: Site) -> Client:
    """The asker, who may do everything at that: whatever is refused is refused for where it comes from."""
    give_role(site.asker, RoleKey.ADMIN)
    return signed_in(User.objects.get(pk=site.asker.pk), enforce_csrf_checks=True)


def below(root: str, *, inside: bool) -> list[Address]:
    return [address for address in site_addresses() if address.route.startswith(root) is inside]


@pytest.mark.parametrize("method", UNSAFE_METHODS)
def test_no_page_takes_what_has_no_token(site: Site, mighty: Client, method: str) -> None:
    before = everything_kept()
    for address in below("api/", inside=False):
        status = mighty.generic(method, site.path(address), "title=x", content_type=FORM, **PAGE).status_code
        # The upload looks for the token only where a byte would be read.
        refused = 405 if address.name == "ingest_run_upload" and method != "POST" else 403
        assert status == refused, (method, address.route, status)
    assert everything_kept() == before


@pytest.mark.parametrize("way", API_WAYS)
def test_the_api_takes_nothing_from_another_site(site: Site, mighty: Client, way: str) -> None:
    content_type, body, said = API_WAYS[way]
    before = everything_kept()
    for address in below("api/", inside=True):
        for method in UNSAFE_METHODS:
            response = mighty.generic(method, site.path(address), body, content_type=content_type, **said)
            assert response.status_code in {403, 415}, (method, address.route, response.status_code)
            assert "Access-Control-Allow-Origin" not in response.headers
    assert everything_kept() == before


def test_it_is_where_it_comes_from_that_counts(site: Site, mighty: Client) -> None:
    """The same requests from here do something."""
    done = 0
    for address in below("api/", inside=True):
        for method in UNSAFE_METHODS:
            with undone():
                response = mighty.generic(method, site.path(address), BODY, content_type="application/json")
                done += response.status_code < 300
    assert done >= 4


def _tampered(token: str) -> str:
    return token[:-1] + ("a" if token[-1] != "a" else "b")


@pytest.mark.parametrize("change", [lambda _: "", lambda _: "x" * 32, _tampered], ids=["none", "made-up", "tampered"])
def test_a_token_must_be_the_browsers_own(mighty: Client, change: Callable[[str], str]) -> None:
    mighty.get("/")
    token = mighty.cookies["csrftoken"].value
    own = {"csrfmiddlewaretoken": token, "question": "Liều?"}
    with undone():
        assert mighty.post("/ask/", own).status_code == 302
    assert mighty.post("/ask/", own | {"csrfmiddlewaretoken": change(token)}).status_code == 403


def test_somebody_elses_token_is_none(mighty: Client) -> None:
    other = Client()
    other.get("/")
    mighty.get("/")
    form = {"csrfmiddlewaretoken": other.cookies["csrftoken"].value, "question": "Liều?"}
    assert mighty.post("/ask/", form).status_code == 403


def test_no_cookie_is_read_by_scripts_or_sent_along_from_elsewhere(client: Client) -> None:
    client.post("/ask/", {"question": "Liều?"})
    client.get("/")
    for name in ("sessionid", "csrftoken"):
        cookie = client.cookies[name]
        assert cookie["httponly"] and cookie["samesite"] == "Lax", name


def test_no_method_can_be_disguised(site: Site, mighty: Client) -> None:
    """Neither a header nor a field makes a GET something else."""
    before = everything_kept()
    for address in site_addresses():
        if address.name in {"metrics", "readyz", "healthz"}:
            continue
        with undone():
            query = "?_method=DELETE" if not address.route.startswith("admin/") else ""
            said: dict[str, Any] = {"HTTP_X_HTTP_METHOD_OVERRIDE": "DELETE"}
            mighty.get(site.path(address) + query, **said)
            kept = everything_kept()
            for label in ("chat.Conversation", "chat.Turn", "chat.Feedback", "auth.User"):
                assert kept[label] == before[label], (address.route, label)
