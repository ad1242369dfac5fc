"""What holds for every request to the API: ids, form and size of what is sent, other sites, limits, refusals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from chat.api.problems import CONTENT_TYPE, PROBLEMS, ProblemCode
from chat.models import Turn
from duocthu_site.environ import Rate
from tests.site.api_world import QUESTION, Program, World, faults, make_api_world

pytestmark = pytest.mark.django_db
QUERY = "/api/v1/query"
BODY = json.dumps({"question": QUESTION}).encode()
DEEP = b'{"question": ' + b"[" * 30_000


@pytest.fixture
def world(settings: Settings, tmp_path: Path) -> World:
    settings.DUOCTHU_DATA_DIR = tmp_path
    return make_api_world(tmp_path)


# --- ids ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("given", ["a", "ca-truc_7.B", "x" * 100])
def test_callers_id_is_stored_with_the_turn_and_given_back(world: World, given: str) -> None:
    for path, body in (
        (QUERY, {"question": QUESTION}),
        (QUERY, {"response_mode": "monograph", "drug_id": "paracetamol", "section": world.section.anchor}),
        (reverse("api-v1:again", args=[world.turn.pk]), None),
    ):
        response = world.mine.call("post", path, body, X_Correlation_ID=given)
        assert response.headers["X-Correlation-ID"] == given
        turn = Turn.objects.order_by("-created_at")[0]
        assert (turn.correlation_id, turn.contract["correlation_id"]) == (given, given)


@pytest.mark.parametrize("given", ["", "x" * 101, "a b", "mã", "<b>", "a\tb", "a,b"])
def test_id_that_may_not_be_stored_is_replaced(world: World, given: str) -> None:
    response = world.mine.call("post", QUERY, {"question": QUESTION}, X_Correlation_ID=given)
    assert response.status_code == 200
    made = response.headers["X-Correlation-ID"]
    assert made != given
    assert made.isalnum()
    assert Turn.objects.get(pk=response.json()["turn"]["turn_id"]).correlation_id == made


def test_refusal_tells_the_id_too(world: World) -> None:
    response = world.mine.call("get", "/api/v1/none", X_Correlation_ID="ca-7")
    assert (response.status_code, response.headers["X-Correlation-ID"]) == (404, "ca-7")
    assert response.json()["correlation_id"] == "ca-7"


# --- what is sent ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "status", "code"),
    [
        (b"", 422, "invalid"),
        (b"{", 400, "invalid_json"),
        (b'{"question": "\xff\xfe"}', 400, "invalid_json"),
        (b'{"question": "li\xe1u"}', 400, "invalid_json"),
        (b'{"question": "\\ud800"}', 400, "invalid_json"),
        (b'{"\\ud800": 1}', 400, "invalid_json"),
        (b'{"question": NaN}', 400, "invalid_json"),
        (b"\x00", 400, "invalid_json"),
        (BODY + b"\x00", 400, "invalid_json"),
        (BODY.decode().encode("utf-16"), 400, "invalid_json"),
        (b'{"question": ' + b"9" * 5000 + b"}", 400, "invalid_json"),
        (DEEP, 400, "invalid_json"),
        (b'{"question": "a\\u0000b"}', 422, "invalid"),
        (b'{"a\\u0000b": 1}', 422, "invalid"),
        (b'{"' + b"k" * 60_000 + b'": 1}', 422, "invalid"),
        (b'"' + b"a" * 65_536 + b'"', 413, "too_large"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_body_that_cannot_be_read_is_refused_and_nothing_kept(world: World, raw: bytes, status: int, code: str) -> None:
    before = Turn.objects.count()
    response = world.mine.call("post", QUERY, raw=raw)
    assert (response.status_code, response.json()["code"]) == (status, code)
    assert faults("query", response) == []
    assert len(response.content) < 2000
    assert Turn.objects.count() == before


@pytest.mark.parametrize(
    "kind",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/jsonx",
        "x",
        "*",
    ],
)
@pytest.mark.parametrize("path", [QUERY, "again"])
def test_body_that_does_not_call_itself_json_is_refused(world: World, kind: str, path: str) -> None:
    at = QUERY if path == QUERY else reverse("api-v1:again", args=[world.turn.pk])
    response = world.mine.call("post", at, raw=BODY, Content_Type=kind)
    assert (response.status_code, response.json()["code"]) == (415, "unsupported_media_type")


@pytest.mark.parametrize("kind", ["application/json", "application/json; charset=utf-8", "Application/JSON"])
def test_json_is_taken_however_it_is_written(world: World, kind: str) -> None:
    assert world.mine.call("post", QUERY, raw=BODY, Content_Type=kind).status_code == 200


@pytest.mark.parametrize(
    "path", ["/api/v1/turns/x", "/api/v1/", "/api/", "/api/v2/query", "/api/v1/drugs/%FF/sections"]
)
def test_address_that_is_none_is_refused_as_a_problem(path: str) -> None:
    response = Program().call("get", path)
    assert (response.status_code, response.headers["Content-Type"]) == (404, CONTENT_TYPE)
    assert response.json()["code"] == "not_found"


def test_host_that_is_not_ours_is_refused_as_a_problem() -> None:
    for method, origin in (("get", ""), ("post", ""), ("post", "http://evil.example")):
        response = Program().call(method, QUERY, Host="evil.example", Origin=origin)
        assert response.status_code in {400, 403}
        assert response.headers["Content-Type"] == CONTENT_TYPE


# --- other sites -------------------------------------------------------------------------------------------------


@pytest.fixture
def signed_in(world: World) -> Client:
    """A browser with a session, in which Django's own check is on."""
    client = Client(enforce_csrf_checks=True, raise_request_exception=False)
    client.force_login(User.objects.get(username="mai"))
    return client


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "cross-site", "Origin": "http://testserver"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://testserver.evil.example"},
        {"Origin": "http://testserver:81"},
        {"Origin": "http://evil.example/testserver"},
    ],
    ids=str,
)
@pytest.mark.parametrize("name", ["query", "again", "cancel", "delete"])
def test_session_is_of_no_use_to_another_site(
    world: World, signed_in: Client, headers: dict[str, str], name: str
) -> None:
    before = list(Turn.objects.values_list("pk", "state"))
    response = _done(world, signed_in, name, headers)
    assert (response.status_code, response.json()["code"]) == (403, "cross_site")
    assert list(Turn.objects.values_list("pk", "state")) == before


@pytest.mark.parametrize("headers", [{"Sec-Fetch-Site": "same-origin"}, {"Origin": "http://testserver"}], ids=str)
@pytest.mark.parametrize("name", ["query", "again", "cancel", "delete"])
def test_session_serves_the_site_itself(world: World, signed_in: Client, headers: dict[str, str], name: str) -> None:
    assert _done(world, signed_in, name, headers).status_code in {200, 204}


def test_form_of_another_site_is_refused_by_its_type_alone(world: World, signed_in: Client) -> None:
    before = Turn.objects.count()
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
        assert signed_in.generic("POST", QUERY, BODY, content_type=kind).status_code == 415
    assert Turn.objects.count() == before


def test_no_leave_is_given_to_other_sites(world: World) -> None:
    for method in ("options", "get"):
        response = world.mine.call(
            method, "/api/v1/edition", Origin="https://evil.example", Access_Control_Request_Method="GET"
        )
        assert not [name for name in response.headers if name.startswith("Access-Control")]


def _done(world: World, client: Client, name: str, headers: dict[str, str]) -> Any:
    if name == "query":
        return client.generic("POST", QUERY, BODY, content_type="application/json", headers=headers)
    if name == "delete":
        return client.delete(reverse("api-v1:conversation", args=[world.conversation.pk]), headers=headers)
    return client.generic("POST", reverse(f"api-v1:{name}", args=[world.turn.pk]), headers=headers, content_type="")


# --- limits and faults -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limit", "path"), [("questions", QUERY), ("searches", "/api/v1/drugs"), ("api", "/api/v1/edition")]
)
def test_limit_is_told_with_the_time_to_wait_and_is_each_clients_own(
    world: World, settings: Settings, limit: str, path: str
) -> None:
    settings.RATE_LIMITS = settings.RATE_LIMITS | {limit: Rate(2, 3600)}
    method, body = ("post", {"question": QUESTION}) if path == QUERY else ("get", None)
    statuses = [world.mine.call(method, path, body).status_code for _ in range(3)]
    assert statuses == [200, 200, 429]
    refused = world.mine.call(method, path, body)
    assert (refused.json()["code"], refused.headers["Content-Type"]) == ("rate_limited", CONTENT_TYPE)
    assert 1 <= int(refused.headers["Retry-After"]) <= 1800
    assert world.other.call(method, path, body).status_code == 200


def test_fault_of_ours_is_told_as_a_problem_without_its_words(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_args: object) -> None:
        raise RuntimeError("bí mật")

    monkeypatch.setattr("chat.api.book.current_edition", fail)
    response = world.mine.call("get", "/api/v1/edition", X_Correlation_ID="ca-7")
    assert (response.status_code, response.json()["code"]) == (500, "internal")
    assert response.headers["X-Correlation-ID"] == "ca-7"
    assert "bí mật" not in response.content.decode()
    assert faults("edition", response) == []


def test_database_that_is_away_is_told_with_the_time_to_wait(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_args: object) -> None:
        raise OperationalError("the connection is closed")

    monkeypatch.setattr("chat.api.book.current_edition", fail)
    response = world.mine.call("get", "/api/v1/edition")
    assert (response.status_code, response.json()["code"]) == (503, "unavailable")
    assert response.headers["Retry-After"] == "5"
    assert faults("edition", response) == []


def test_answers_of_the_api_are_not_kept_by_caches(world: World) -> None:
    assert "no-store" in world.mine.call("get", "/api/v1/edition").headers["Cache-Control"]


@pytest.mark.parametrize("code", ProblemCode)
def test_every_problem_has_its_words(code: ProblemCode) -> None:
    facts = PROBLEMS[code]
    assert 400 <= facts.status < 600
    assert facts.title
    assert facts.detail.endswith((".", "!"))
