"""Every address of the staff pages, for everyone, by GET and by POST: one table, in which no address may be lacking."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models import Model
from django.http import HttpResponseBase
from django.test import Client
from pytest_django.fixtures import Settings

from duocthu_site.roles import RoleKey, give_role
from tests.site.staff_addresses import (
    Address,
    arguments_of,
    everything_kept,
    make_world,
    missing_arguments,
    staff_addresses,
    write_pdf_of,
)

pytestmark = pytest.mark.django_db
ANONYMOUS = "anonymous"
PEOPLE = (ANONYMOUS, *RoleKey)
LOGIN, SESSION = "/admin/login/", "sessionid"
WRITES = re.compile(
    r"\s*(?:INSERT|UPDATE|DELETE|TRUNCATE|WITH\b.*\b(?:INSERT|UPDATE|DELETE)\b)", re.IGNORECASE | re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Row:
    """What an address answers by GET and by POST with an empty form, one letter for each of PEOPLE; missing: the
    status for an administrator where it is about a record that does not exist.

    L: to the sign-in page; o: 200; d: 204; r: elsewhere; x: 403; n: 404; m: 405; e: 422; c: 409; b: 400.
    """

    get: str
    post: str
    missing: int = 404


LETTERS = {200: "o", 204: "d", 302: "r", 403: "x", 404: "n", 405: "m", 422: "e", 409: "c", 400: "b"}
# Of a page that is only looked at, by who may see it.
EVERYBODY, REVIEWERS, OPERATORS, ADMINS = "LLooo", "LLoxo", "LLxoo", "LLxxo"
NOBODY, NO_POST, NO_GET = "LLxxx", "LLmmm", "LLmmm"
NO_GET_OPERATORS, NO_GET_REVIEWERS = "LLxmm", "LLmxm"
# Who sees the records of a model.
VIEWERS = {
    "auth_user": ADMINS,
    "auth_group": ADMINS,
    "monographs_edition": EVERYBODY,
    "monographs_monograph": EVERYBODY,
    "monographs_section": EVERYBODY,
    "monographs_passage": EVERYBODY,
    "monographs_alias": EVERYBODY,
    "ingest_ingestrun": EVERYBODY,
    "ingest_finding": EVERYBODY,
    "ingest_review": EVERYBODY,
    "ingest_workerheartbeat": OPERATORS,
    "chat_conversation": OPERATORS,
    "chat_turn": OPERATORS,
    "chat_feedback": EVERYBODY,
}
EDITED = {"auth_user", "auth_group"}
OWN = {
    "index": Row(EVERYBODY, EVERYBODY),
    "login": Row("oorrr", "ooooo"),
    "logout": Row("rrmmm", "rrooo"),
    "password_change": Row(EVERYBODY, EVERYBODY),
    "password_change_done": Row(EVERYBODY, NO_POST),
    "autocomplete": Row("LLxxx", NO_POST),
    "jsi18n": Row(EVERYBODY, NO_POST),
    "view_on_site": Row("LLnnn", "LLnnn"),
    "app_list": Row(EVERYBODY, EVERYBODY),
    "auth_user_password_change": Row(ADMINS, ADMINS),
    "ingest_dashboard": Row(EVERYBODY, NO_POST),
    "ingest_coverage": Row(EVERYBODY, NO_POST),
    "ingest_coverage_csv": Row(EVERYBODY, NO_POST),
    "ingest_compare": Row(EVERYBODY, NO_POST),
    "ingest_editions": Row(EVERYBODY, NO_POST),
    "ingest_edition": Row(EVERYBODY, NO_POST),
    "ingest_edition_publish": Row(OPERATORS, "LLxrr"),
    "ingest_edition_discard": Row(OPERATORS, "LLxrr"),
    "ingest_run_upload": Row(OPERATORS, "LLxee"),
    "ingest_run_repeat": Row(NO_GET_OPERATORS, "LLxrr"),
    "ingest_run": Row(EVERYBODY, NO_POST),
    "ingest_run_progress": Row(EVERYBODY, NO_POST),
    "ingest_run_cancel": Row(NO_GET_OPERATORS, "LLxrr"),
    "ingest_run_resume": Row(NO_GET_OPERATORS, "LLxrr"),
    "ingest_run_again": Row(NO_GET_OPERATORS, "LLxrr"),
    "ingest_review_queue": Row(REVIEWERS, "LLmxm"),
    "ingest_review_next": Row(NO_GET_REVIEWERS, "LLrxr"),
    "ingest_review_item": Row(REVIEWERS, "LLmxm"),
    "ingest_review_crop": Row(REVIEWERS, "LLmxm"),
    "ingest_review_decide": Row(NO_GET_REVIEWERS, "LLrxr"),
    "ingest_review_claim": Row(NO_GET_REVIEWERS, "LLoxo"),
    # To let go of what is not there is no mistake; to undo it is told on the queue.
    "ingest_review_release": Row(NO_GET_REVIEWERS, "LLdxd", 204),
    "ingest_review_undo": Row(NO_GET_REVIEWERS, "LLrxr", 302),
    "ingest_review_export": Row(REVIEWERS, "LLmxm"),
    "chat_feedback_inbox": Row(EVERYBODY, NO_POST),
    "chat_feedback_export": Row(EVERYBODY, NO_POST),
    "chat_feedback_handle": Row(NO_GET, "LLrxr"),
    "chat_feedback_reopen": Row(NO_GET, "LLrxr"),
}


# What a request brings along where an empty one would be refused.
QUERIES = {"ingest_review_crop": "?page=1"}
FORMS = {"ingest_review_decide": {"decision": "rejected", "reason": "Không đọc được"}}


def stock_rows(model: str) -> dict[str, Row]:
    """The five pages that the admin has for every model, and the old address of a record."""
    app, _, name = model.partition("_")
    seen = VIEWERS[model]
    moved = Row("LLrrr", "LLrrr", 302)
    if model in EDITED:
        pages = {page: Row(seen, seen, 302) for page in ("add", "change", "delete", "history")}
    else:
        pages = {
            "add": Row(NOBODY, NOBODY),
            "change": Row(seen, "LLxmm" if model == "chat_turn" else NOBODY),
            "delete": Row(NOBODY, NOBODY),
            "history": Row(seen, seen),
        }
    if model == "ingest_ingestrun":
        # A run has a page of its own, where its record would be.
        moved = OWN["ingest_run"]
        pages["change"] = Row(seen, NO_POST)
    return {
        f"{model}_changelist": Row(seen, seen),
        **{f"{model}_{page}": row for page, row in pages.items()},
        f"admin/{app}/{name}/<path:object_id>/": moved,
    }


def table() -> dict[str, Row]:
    rows = dict(OWN)
    for model in admin.site._registry:
        rows |= stock_rows(model._meta.label_lower.replace(".", "_"))
    return rows


@pytest.fixture
def world(settings: Settings, tmp_path: Path) -> dict[str, Model]:
    settings.DUOCTHU_DATA_DIR = tmp_path
    made: dict[str, Any] = make_world()
    write_pdf_of(made["section"], tmp_path)
    return made


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Hundreds of refusals are meant."""
    logging.getLogger("django.request").setLevel(logging.CRITICAL)
    yield
    logging.getLogger("django.request").setLevel(logging.NOTSET)


def client_of(person: str, **options: Any) -> Client:
    client = Client(**options)
    if person != ANONYMOUS:
        user = User.objects.create_user(person, password="mat-khau-dai-1")
        give_role(user, RoleKey(person))
        client.force_login(user)
    return client


def answers(client: Client, method: str, paths: dict[str, str]) -> Iterator[tuple[str, HttpResponseBase]]:
    """The response of each address; whatever a request changes is undone before the next."""
    session = client.cookies.get(SESSION)
    for name, path in paths.items():
        if session:
            client.cookies[SESSION] = session.value
        with transaction.atomic():
            response = getattr(client, method)(path, FORMS.get(name) if method == "post" else None)
            read_whole(response)
            transaction.set_rollback(True)
        yield name, response


def read_whole(response: HttpResponseBase) -> None:
    """What is streamed is made only when it is read."""
    if response.streaming:
        b"".join(getattr(response, "streaming_content"))  # noqa: B009 - no type has it


def letter(response: HttpResponseBase) -> str:
    if response.headers.get("Location", "").startswith(LOGIN):
        return "L"
    return LETTERS.get(response.status_code, str(response.status_code))


def _differences(found: dict[str, Any], expected: dict[str, Any]) -> str:
    wrong = [name for name, value in expected.items() if found.get(name) != value]
    return "\n".join(f"{name}: {found.get(name)}, not {expected[name]}" for name in wrong)


def paths_in(world: dict[str, Model]) -> dict[str, str]:
    return {
        address.name: address.path(arguments_of(address, world)) + QUERIES.get(address.name, "")
        for address in staff_addresses()
    }


def about_records() -> list[Address]:
    return [address for address in staff_addresses() if set(address.parameters) - {"app_label", "form"}]


def test_every_address_stands_in_the_table_and_no_other() -> None:
    assert {address.name for address in staff_addresses()} == set(table())


@pytest.mark.parametrize("person", PEOPLE)
@pytest.mark.parametrize("method", ["get", "post"])
def test_everyone_is_answered_as_the_table_says(world: dict[str, Model], person: str, method: str) -> None:
    place = PEOPLE.index(person)
    expected = {name: getattr(row, method)[place] for name, row in table().items()}
    found = {name: letter(response) for name, response in answers(client_of(person), method, paths_in(world))}
    assert _differences(found, expected) == ""


@pytest.mark.parametrize("person", PEOPLE)
def test_looking_writes_nothing(world: dict[str, Model], person: str) -> None:
    client, written = client_of(person), []

    def watch(execute: Any, sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        if WRITES.match(sql) and '"django_session"' not in sql:
            written.append(sql)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(watch):
        for name, _ in answers(client, "get", paths_in(world)):
            assert written == [], name


def test_what_does_not_exist_is_not_found(world: dict[str, Model]) -> None:
    rows, client = table(), client_of(RoleKey.ADMIN)
    paths = {address.name: address.path(missing_arguments(address)) for address in about_records()}
    found, expected = {}, {}
    for method in ("get", "post"):
        for name, response in answers(client, method, paths):
            if getattr(rows[name], method)[-1] not in "mx":
                found[f"{method} {name}"], expected[f"{method} {name}"] = response.status_code, rows[name].missing
    assert _differences(found, expected) == ""


def test_no_form_is_taken_without_its_token(world: dict[str, Model]) -> None:
    client = client_of(RoleKey.ADMIN, enforce_csrf_checks=True)
    before = everything_kept()
    found = {name: response.status_code for name, response in answers(client, "post", paths_in(world))}
    assert _differences(found, dict.fromkeys(found, 403)) == ""
    assert everything_kept() == before


def test_the_table_can_fail(world: dict[str, Model]) -> None:
    """A pharmacist who is let into the staff pages is noticed."""
    client = client_of(RoleKey.PHARMACIST)
    User.objects.update(is_staff=True)
    found = dict(answers(client, "get", {"index": "/admin/"}))
    assert letter(found["index"]) != OWN["index"].get[PEOPLE.index(RoleKey.PHARMACIST)]
