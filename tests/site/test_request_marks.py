"""Each request can be followed by an id that people can quote, on the page and in the log; nothing typed is in them."""

from __future__ import annotations

import json
import re

import pytest
import structlog
from django.core.exceptions import SuspiciousOperation
from django.db import DatabaseError
from django.test import Client
from pytest_django import DjangoAssertNumQueries
from pytest_django.fixtures import Settings

from duocthu_site.readiness import Check, Readiness
from tests.logged import logged
from tests.tracing import kept_spans, trace_of

pytestmark = pytest.mark.django_db
GIVEN = "HIS-77.a_b"
PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
SECRET = "bà Nguyễn Thị Hoa"


def quoted(page: bytes) -> str:
    """The id that the page tells its reader, "" where it tells none."""
    found = re.search(r"Mã yêu cầu[^<]*<code>([^<]*)</code>", page.decode())
    return found.group(1) if found else ""


def break_chat(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("chat.views.conversation_page", fail)


@pytest.mark.parametrize(
    ("error", "status"),
    [(RuntimeError("x"), 500), (SuspiciousOperation("x"), 400), (PermissionError("x"), 500)],
    ids=["fault", "unreadable", "system"],
)
def test_a_fault_is_logged_under_the_id_that_its_page_tells(
    client: Client,
    monkeypatch: pytest.MonkeyPatch,
    django_assert_num_queries: DjangoAssertNumQueries,
    error: Exception,
    status: int,
) -> None:
    break_chat(monkeypatch, error)
    client.raise_request_exception = False
    with logged() as lines, django_assert_num_queries(0):
        response = client.get("/")
    told = json.loads(lines()[-1])
    assert response.status_code == status
    assert quoted(response.content) == response.headers["X-Correlation-ID"] == told["correlation_id"] != ""


@pytest.mark.parametrize(
    ("given", "kept"), [(GIVEN, True), ("a" * 101, False), ("<b>", False), ("a b", False), ("", False)]
)
def test_the_callers_own_id_is_kept_where_it_can_be(client: Client, given: str, kept: bool) -> None:
    response = client.get("/turns/nothing/", headers={"X-Correlation-ID": given})
    told = quoted(response.content)
    assert response.status_code == 404
    assert (told == given) is kept and re.fullmatch(r"[A-Za-z0-9._-]{1,100}", told)


@pytest.mark.parametrize(("path", "status"), [("/nothing/", 404), ("/ask/", 405)])
def test_a_refusal_is_logged_once_under_its_id(client: Client, path: str, status: int) -> None:
    with logged() as lines:
        response = client.get(path, headers={"X-Correlation-ID": GIVEN})
    told = [json.loads(line) for line in lines()]
    assert response.status_code == status
    assert {line["correlation_id"] for line in told} == {GIVEN}
    assert sum(path in line["event"] for line in told) == 1


def test_two_requests_never_share_an_id(client: Client) -> None:
    assert quoted(client.get("/nothing/").content) != quoted(client.get("/nothing/").content)
    assert structlog.contextvars.get_contextvars() == {}


def test_a_form_that_is_refused_tells_its_id() -> None:
    response = Client(enforce_csrf_checks=True).post("/ask/", {"question": "x"}, headers={"X-Correlation-ID": GIVEN})
    assert (response.status_code, quoted(response.content)) == (403, GIVEN)


@pytest.mark.parametrize(
    ("method", "path", "data"),
    [
        ("get", "/", {"tim": SECRET}),
        ("get", "/", {"a-field-of-tomorrow": SECRET}),
        ("post", "/ask/", {"question": f"liều paracetamol cho {SECRET}"}),
    ],
)
def test_what_was_typed_is_in_no_line_of_the_log(
    client: Client, monkeypatch: pytest.MonkeyPatch, method: str, path: str, data: dict[str, str]
) -> None:
    break_chat(monkeypatch, DatabaseError(f"DETAIL: Failing row contains ({SECRET})."))
    monkeypatch.setattr(
        "chat.pages.dispatch_turn", lambda _turn: (_ for _ in ()).throw(DatabaseError(f"row ({SECRET})"))
    )
    client.raise_request_exception = False
    with logged() as lines:
        assert getattr(client, method)(path, data).status_code == 500
    told = "".join(lines())
    assert "DatabaseError" in told and "Hoa" not in told


def test_a_request_is_a_span_in_the_trace_of_its_caller_with_the_turn_below(client: Client) -> None:
    with kept_spans() as spans:
        client.post("/ask/", {"question": f"liều paracetamol cho {SECRET}"}, headers={"traceparent": PARENT})
    asked = spans.named("POST ask")
    assert asked.parent is not None and f"{asked.parent.span_id:016x}" == "b7ad6b7169203331"
    assert trace_of(asked) == PARENT[3:35] == trace_of(spans.named("turn"))
    assert spans.below("POST ask") == ["turn"]
    assert dict(asked.attributes or {}) == {
        "http.route": "ask/",
        "http.request.method": "POST",
        "http.response.status_code": 302,
    }
    assert "Hoa" not in "".join(made.to_json() for made in spans.finished)


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics"])
def test_what_machines_ask_every_few_seconds_makes_no_span(
    client: Client, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setattr("duocthu_site.gauges._waiting", lambda _queue: 0.0)
    monkeypatch.setattr("duocthu_site.readiness._queue_trouble", lambda: "")
    with kept_spans() as spans:
        client.get(path, headers={"traceparent": PARENT})
    assert [made.name for made in spans.finished] == []


def test_a_site_that_cannot_work_says_so_once_and_not_at_each_probe(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("duocthu_site.health._readiness", Readiness(lambda: (Check("disk", "Đầy."),)))
    with logged() as lines:
        for _ in range(3):
            assert client.get("/readyz").status_code == 503
    assert [json.loads(line)["event"] for line in lines()] == ["readiness_changed failed=disk"]


def test_names_and_addresses_of_who_fails_to_sign_in_are_not_logged(client: Client, settings: Settings) -> None:
    settings.AXES_FAILURE_LIMIT = 2
    with logged() as lines:
        for _ in range(3):
            client.post("/sign-in/", {"username": "nguyen.hoa", "password": "sai-mật-khẩu"}, REMOTE_ADDR="10.9.8.7")
    told = "".join(lines())
    assert "/sign-in/" in told
    assert not [secret for secret in ("nguyen.hoa", "sai-mật-khẩu", "10.9.8.7") if secret in told]
