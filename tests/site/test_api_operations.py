"""Every operation of the API, for its owner, another user and strangers: one table that none may be lacking from."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.urls import resolve, reverse
from jsonschema import Draft202012Validator
from pytest_django.fixtures import Settings

from chat.api.urls import api_urls
from chat.models import Conversation, Turn, TurnState
from monographs.disclaimer import disclaimer
from tests.paths import ROOT
from tests.site.api_world import MISSING, QUESTION, Program, World, faults, make_api_world, operations

pytestmark = pytest.mark.django_db


@dataclass(frozen=True, slots=True)
class Row:
    """mine, other, stranger: what the owner's program is answered, another user's, one without a token.

    missing: where the arguments name nothing; None: it has none.
    """

    mine: int
    other: int
    stranger: int
    missing: int | None
    body: dict[str, object] | None = None
    carries: bool = True


OPERATIONS = {
    "query": Row(200, 200, 200, None, {"question": QUESTION}),
    "turn": Row(200, 404, 404, 404),
    "cancel": Row(200, 404, 404, 404),
    "again": Row(200, 404, 404, 404),
    "feedback": Row(200, 404, 404, 404, {"useful": True}, carries=False),
    "conversations": Row(200, 200, 200, None),
    "conversation": Row(200, 404, 404, 404),
    "renameConversation": Row(200, 404, 404, 404, {"title": "Tên mới"}, carries=False),
    "deleteConversation": Row(204, 404, 404, 404, carries=False),
    "edition": Row(200, 200, 200, None),
    "drugs": Row(200, 200, 200, None),
    "sections": Row(200, 200, 200, 404),
    "sectionText": Row(200, 200, 200, 404),
    "crop": Row(200, 200, 200, 404, carries=False),
}
PLAIN = {
    "Phải từ 0 trở lên.",
    "Phải từ 1 trở lên.",
    "Không được quá 50.",
    "Không được quá 100.",
    "Không được quá 2147483647.",
    "Phải là số nguyên.",
    "Số quá lớn.",
    "Dài quá 200 ký tự.",
    "Có ký tự không dùng được.",
    "Phải là một trong: 'lines', 'page'.",
}
METHODS = {"get", "post", "put", "patch", "delete", "head", "options"}
NOTHING = {
    "turn_id": MISSING,
    "conversation_id": MISSING,
    "drug_id": "khong-co",
    "section": "khong-co",
    "passage_id": "999999999",
}


@pytest.fixture
def world(settings: Settings, tmp_path: Path) -> World:
    settings.DUOCTHU_DATA_DIR = tmp_path
    return make_api_world(tmp_path)


def asked(program: Program, name: str, arguments: dict[str, str]) -> Any:
    method, path = operations()[name]
    return program.call(method, path.format(**arguments), OPERATIONS[name].body)


def test_no_operation_and_no_address_is_lacking_from_the_table() -> None:
    assert set(operations()) == set(OPERATIONS)
    paths = {path for _, path in operations().values()}
    served = {resolve(path.format(**NOTHING)).route for path in paths}
    patterns = {f"api/v1/{pattern.pattern}" for pattern in api_urls()}
    assert patterns - served == {"api/v1/openapi.json", "api/v1/"}


@pytest.mark.parametrize("name", OPERATIONS)
def test_owner_is_answered_and_as_the_document_says(world: World, name: str) -> None:
    response = asked(world.mine, name, world.arguments)
    assert response.status_code == OPERATIONS[name].mine, response.content
    assert faults(name, response) == []


@pytest.mark.parametrize("name", OPERATIONS)
def test_another_user_is_answered_as_if_it_did_not_exist(world: World, name: str) -> None:
    before = _kept()
    response = asked(world.other, name, world.arguments)
    assert response.status_code == OPERATIONS[name].other
    assert faults(name, response) == []
    if response.status_code == 404:
        missing = asked(world.other, name, NOTHING)
        told = [dict(found.json(), correlation_id="") for found in (response, missing)]
        assert told[0] == told[1]
        assert _kept() == before


@pytest.mark.parametrize("name", OPERATIONS)
def test_stranger_is_answered_what_is_everybodys(world: World, name: str) -> None:
    response = asked(Program(), name, world.arguments)
    assert response.status_code == OPERATIONS[name].stranger
    assert faults(name, response) == []


@pytest.mark.parametrize("name", OPERATIONS)
def test_stranger_is_refused_where_everyone_has_to_sign_in(world: World, name: str, settings: Settings) -> None:
    settings.LOGIN_REQUIRED = True
    before = _kept()
    response = asked(Program(), name, world.arguments)
    assert response.status_code == 401
    assert response.json()["code"] == "unauthenticated"
    assert response.headers["WWW-Authenticate"].startswith("Bearer")
    assert faults(name, response) == []
    assert _kept() == before
    assert asked(world.mine, name, world.arguments).status_code == OPERATIONS[name].mine


@pytest.mark.parametrize("name", [name for name, row in OPERATIONS.items() if row.missing])
def test_what_does_not_exist_is_not_found(world: World, name: str) -> None:
    response = asked(world.mine, name, NOTHING)
    assert response.status_code == OPERATIONS[name].missing
    assert response.json()["code"] == "not_found"
    assert faults(name, response) == []


@pytest.mark.parametrize("name", [name for name, row in OPERATIONS.items() if row.carries])
def test_what_speaks_of_the_book_carries_its_disclaimer_and_edition(world: World, name: str) -> None:
    told = asked(world.mine, name, world.arguments).json()
    assert told["disclaimer"] == disclaimer(edition_title="Dược thư mẫu (2026)", is_sample=True)
    assert told["edition"]["id"] == world.edition.pk


@pytest.mark.parametrize("name", ["query", "turn", "again", "feedback", "conversation", "drugs", "crop"])
def test_method_that_is_not_offered_is_refused_with_those_that_are(world: World, name: str) -> None:
    path = operations()[name][1]
    offered = {method for method, at in operations().values() if at == path}
    for method in METHODS - offered:
        response = world.mine.call(method, path.format(**world.arguments))
        assert response.status_code == 405, method
        assert {found.strip().lower() for found in response.headers["Allow"].split(",")} == offered


def test_stored_answer_is_the_published_contract(world: World) -> None:
    told = world.mine.call("get", reverse("api-v1:turn", args=[world.turn.pk])).json()
    schema = json.loads((ROOT / "docs" / "contract.schema.json").read_text("utf-8"))
    assert list(Draft202012Validator(schema).iter_errors(told["answer"])) == []
    assert told["answer"] == Turn.objects.get(pk=world.turn.pk).contract
    assert told["answer"]["claims"]


def test_turn_that_waits_says_where_and_when_to_look_again(world: World) -> None:
    response = world.mine.call("get", reverse("api-v1:turn", args=[world.pending.pk]))
    assert response.status_code == 200
    assert response.headers["Location"] == reverse("api-v1:turn", args=[world.pending.pk])
    assert response.headers["Retry-After"] == "1"
    assert response.json()["answer"] is None


@pytest.mark.parametrize("name", ["query", "again"])
def test_question_that_a_model_answers_is_accepted_and_then_followed(
    world: World, name: str, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.SUMMARY_PROVIDER = "bedrock"
    sent: list[object] = []
    monkeypatch.setattr("chat.tasks.send_turn", sent.append)
    response = asked(world.mine, name, world.arguments)
    assert response.status_code == 202
    assert faults(name, response) == []
    followed = world.mine.call("get", response.headers["Location"])
    assert followed.status_code == 200
    assert followed.json()["state"] == TurnState.PENDING
    assert [str(turn) for turn in sent] == [followed.json()["turn_id"]]


def test_turn_that_waits_can_be_cancelled_and_then_stays_so(world: World) -> None:
    path = reverse("api-v1:cancel", args=[world.pending.pk])
    assert [world.mine.call("post", path).json()["state"] for _ in range(2)] == ["cancelled", "cancelled"]


def test_question_goes_on_in_its_conversation_and_in_nobody_elses(world: World) -> None:
    body = {"question": "Còn ibuprofen?", "conversation_id": str(world.conversation.pk)}
    told = world.mine.call("post", reverse("api-v1:query"), body).json()
    assert told["turn"]["conversation_id"] == str(world.conversation.pk)
    before = _kept()
    assert world.other.call("post", reverse("api-v1:query"), body).status_code == 404
    reading = body | {"response_mode": "monograph", "drug_id": "paracetamol", "section": world.section.anchor}
    assert world.other.call("post", reverse("api-v1:query"), reading).status_code == 404
    assert _kept() == before


def test_reading_gives_the_section_whole_and_offers_what_the_question_names(world: World) -> None:
    path, mode = reverse("api-v1:query"), {"response_mode": "monograph"}
    offered = world.mine.call("post", path, mode | {"question": "panadol chống chỉ định"}).json()
    assert offered["turn"] is None
    assert [found["drug"]["drug_id"] for found in offered["monographs"]] == ["paracetamol"]
    chosen = {"drug_id": "paracetamol", "section": offered["monographs"][0]["sections"][0]["section"]}
    read = world.mine.call("post", path, mode | chosen).json()
    assert [claim["claim"] for claim in read["turn"]["answer"]["claims"]] == [
        "Quá mẫn với paracetamol.",
        "Suy gan nặng.",
    ]


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({"response_mode": "monograph", "drug_id": "paracetamol"}, 422, "body.section"),
        ({"response_mode": "monograph", "section": "chong-chi-dinh"}, 422, "body.section"),
        ({"question": "x", "drug_id": "paracetamol", "section": "chong-chi-dinh"}, 422, "body.drug_id"),
        ({"response_mode": "monograph", "drug_id": "paracetamol", "section": "khong-co"}, 404, ""),
        ({"response_mode": "monograph", "question": "aspirinolol zzz"}, 404, ""),
        ({"response_mode": "monograph"}, 422, "body.question"),
        ({}, 422, "body.question"),
        ({"question": " \t\u200b "}, 422, "body.question"),
        ({"question": "a\x00b"}, 422, "body.question"),
        ({"question": "á" * 4001}, 422, "body.question"),
        ({"question": 5}, 422, "body.question"),
        ({"question": None}, 422, "body.question"),
        ({"question": "x", "response_mode": "poem"}, 422, "body.response_mode"),
        ({"question": "x", "conversation_id": "1"}, 422, "body.conversation_id"),
        ({"question": "x", "owner": "user:1"}, 422, "body.owner"),
        ({"response_mode": "monograph", "drug_id": "../x", "section": "a"}, 422, "body.drug_id"),
        (["x"], 422, "body"),
        ("x", 422, "body"),
        (None, 422, "body"),
    ],
    ids=str,
)
def test_query_that_cannot_be_taken_is_refused_by_its_field(
    world: World, body: object, status: int, field: str
) -> None:
    before = _kept()
    response = world.mine.call("post", reverse("api-v1:query"), raw=json.dumps(body).encode())
    assert response.status_code == status, response.content
    assert [error["field"] for error in response.json()["errors"]] == ([field] if field else [])
    assert faults("query", response) == []
    assert _kept() == before


@pytest.mark.parametrize(
    ("name", "query", "field"),
    [
        ("conversations", "limit=0", "query.limit"),
        ("conversations", "limit=101", "query.limit"),
        ("conversations", "limit=x", "query.limit"),
        ("conversations", "offset=-1", "query.offset"),
        ("conversations", f"offset={'9' * 5000}", "query.offset"),
        ("conversations", "q=%00", "query.q"),
        ("drugs", f"q={'a' * 201}", "query.q"),
        ("sections", "edition=0", "query.edition"),
        ("sections", "edition=99999999999", "query.edition"),
        ("crop", "view=both", "query.view"),
        ("crop", "page=0", "query.page"),
        ("conversation", "limit=51", "query.limit"),
    ],
)
def test_query_string_that_cannot_be_taken_is_refused_by_its_field(
    world: World, name: str, query: str, field: str
) -> None:
    response = world.mine.call("get", f"{operations()[name][1].format(**world.arguments)}?{query}")
    assert response.status_code == 422
    assert [error["field"] for error in response.json()["errors"]] == [field]
    assert response.json()["errors"][0]["message"] in PLAIN


@pytest.mark.parametrize("name", ["query", "drugs", "sections", "edition", "conversations"])
def test_site_without_an_edition_answers_what_it_can(name: str) -> None:
    program = Program()
    response = asked(program, name, NOTHING)
    assert response.status_code == (404 if name in {"drugs", "sections"} else 200)
    assert faults(name, response) == []


def _kept() -> tuple[list[Any], list[Any]]:
    turns = Turn.objects.order_by("pk").values_list("pk", "state", "question", "feedback__useful")
    return list(turns), list(Conversation.objects.order_by("pk").values_list("pk", "owner", "title"))
