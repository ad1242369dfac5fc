"""No line of the log repeats what a person typed, whatever goes wrong; passwords and tokens least of all."""

from __future__ import annotations

import io
import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django.fixtures import Settings

from chat import turns
from chat.models import Turn
from duocthu_site.environ import Rate
from duocthu_site.logs import logging_settings
from duocthu_site.tokens import make_token
from tests.factories import make_edition, make_monograph, make_section

pytestmark = pytest.mark.django_db
PHONE, MAIL, RECORD, PERSON = "0912345678", "lan.nguyen@bv.example", "BN 2024-00917", "Nguyễn Thị Lan"
QUESTION = f"Bệnh nhân {PERSON}, sđt {PHONE}, {MAIL}, mã bệnh án {RECORD}: liều paracetamol cho bé nặng 12 kg?"
PASSWORD, NAME = "mat-khau-rat-bi-mat-9", "ten-go-nham-vao-o"
TYPED = (PHONE, MAIL, "2024-00917", PERSON, "liều paracetamol cho bé", PASSWORD, NAME)
JSON = "application/json"


@pytest.fixture(params=[False, True], ids=["json", "readable"])
def log(request: pytest.FixtureRequest) -> Iterator[io.StringIO]:
    """Everything that any logger says, as this site writes it, from the finest level on."""
    said = io.StringIO()
    configured = logging_settings(readable=request.param)["formatters"]["structured"]
    handler = logging.StreamHandler(said)
    factory = configured.pop("()")
    handler.setFormatter(factory(**configured))
    root = logging.getLogger()
    before = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield said
    root.removeHandler(handler)
    root.setLevel(before)


@pytest.fixture(autouse=True)
def book() -> None:
    make_section(make_monograph(make_edition()))


def fail(*_: object, **__: object) -> Any:
    raise RuntimeError(f"lỗi khi đọc: {QUESTION}")


def ask(client: Client) -> None:
    client.post("/ask/", {"question": QUESTION})


def ask_api(client: Client) -> None:
    client.post("/api/v1/query", {"question": QUESTION}, content_type=JSON)


@pytest.mark.parametrize("way", [ask, ask_api])
def test_a_question_is_not_repeated(log: io.StringIO, client: Client, way: Callable[[Client], None]) -> None:
    way(client)
    assert_silent(log)
    assert PHONE not in Turn.objects.get().question


@pytest.mark.parametrize("way", [ask, ask_api])
def test_not_where_answering_it_fails_with_it_in_the_message(
    log: io.StringIO, client: Client, monkeypatch: pytest.MonkeyPatch, way: Callable[[Client], None]
) -> None:
    monkeypatch.setattr(turns, "answer_question", fail)
    way(client)
    assert "RuntimeError" in log.getvalue(), "the fault itself is told"
    assert_silent(log)


@pytest.mark.parametrize("path", ["/ask/", "/sign-in/", "/api/v1/query"])
def test_not_where_it_is_refused(log: io.StringIO, settings: Settings, path: str) -> None:
    """For its token, for its limit, for its length."""
    content_type: dict[str, Any] = {"content_type": JSON} if path.startswith("/api/") else {}
    form = {"question": QUESTION, "username": NAME, "password": PASSWORD}
    Client(enforce_csrf_checks=True).post(path, form, **content_type)
    Client().post(path, form | {"question": QUESTION * 100}, **content_type)
    settings.RATE_LIMITS = {name: Rate(1, 3600) for name in settings.RATE_LIMITS}
    for _ in range(2):
        Client().post(path, form, **content_type)
    assert_silent(log)


def test_no_name_password_or_token_is_written(log: io.StringIO, client: Client, settings: Settings) -> None:
    settings.AXES_FAILURE_LIMIT = 2
    user = User.objects.create_user("duoc-si", password=PASSWORD)
    for _ in range(3):
        client.post("/sign-in/", {"username": NAME, "password": PASSWORD})
    client.post("/sign-in/", {"username": "duoc-si", "password": PASSWORD})
    client.post("/password/", {"old_password": PASSWORD, "new_password1": NAME, "new_password2": NAME})
    _, token = make_token(user, "x")
    for given in (token, token[:-1]):
        client.get("/api/v1/edition", headers={"Authorization": f"Bearer {given}"})
    assert_silent(log)
    assert token[:-1] not in log.getvalue() and "duoc-si" not in log.getvalue()


def test_words_of_an_opinion_and_of_a_title_are_not_repeated(log: io.StringIO, client: Client) -> None:
    ask(client)
    turn = Turn.objects.get()
    client.post(f"/turns/{turn.pk}/feedback/", {"useful": "0", "comment": QUESTION})
    client.post(f"/c/{turn.conversation_id}/rename/", {"title": PERSON})
    turn.refresh_from_db()
    assert PHONE not in turn.feedback.comment and MAIL not in turn.feedback.comment
    assert_silent(log)


def test_the_test_reads_what_is_written(log: io.StringIO) -> None:
    logging.getLogger("x").warning("%s", PHONE)
    assert PHONE in log.getvalue()


def assert_silent(log: io.StringIO) -> None:
    """Nothing typed stands in what was written; the text of SQL statements, which only DEBUG writes, is left out."""
    said = "\n".join(line for line in log.getvalue().splitlines() if "django.db.backends" not in line)
    assert [typed for typed in TYPED if typed in said] == []
