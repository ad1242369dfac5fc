"""The OpenAPI document: sound, complete, and kept to by the API whatever is sent."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from django.test import Client
from hypothesis import HealthCheck, given, seed
from hypothesis import settings as hypothesis_settings
from jsonschema import Draft202012Validator
from pytest_django.fixtures import Settings
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from chat.contract_schema import contract_schema
from tests.site.api_world import World, document, make_api_world, operations

pytestmark = pytest.mark.django_db
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    negative_data_rejection,
]
EXAMPLES = 12
POSITIVE, NEGATIVE = GenerationMode.POSITIVE, GenerationMode.NEGATIVE
# What an operation takes beside an id in its address, and whether it takes one.
TAKES_MORE = {"query", "feedback", "conversations", "conversation", "renameConversation"}
TAKES_MORE |= {"drugs", "sections", "sectionText", "crop"}
TAKES_ID = {"turn", "cancel", "again", "feedback", "conversation", "renameConversation", "deleteConversation"}
TAKES_ID |= {"sections", "sectionText", "crop"}
CASES = [
    *((name, POSITIVE, True) for name in sorted(TAKES_MORE | TAKES_ID | {"edition"})),
    *((name, NEGATIVE, True) for name in sorted(TAKES_MORE)),
    *((name, mode, False) for name in sorted(TAKES_ID) for mode in (POSITIVE, NEGATIVE)),
]


@pytest.fixture
def world(settings: Settings, tmp_path: Path) -> World:
    settings.DUOCTHU_DATA_DIR = tmp_path
    return make_api_world(tmp_path)


@pytest.fixture
def quiet() -> Iterator[None]:
    """Hundreds of refusals are what is wanted. The connection stays that of the test, as in Django's own client."""
    logging.disable(logging.CRITICAL)
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)
    logging.disable(logging.NOTSET)


@cache
def loaded() -> Any:
    """The document as schemathesis reads it, to be asked of the whole site as a server would."""
    schema = schemathesis.openapi.from_dict(document())
    schema.app = get_wsgi_application()
    return schema


def test_document_is_sound_as_openapi_and_as_json_schema() -> None:
    loaded().validate()
    for schema in document()["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)
    assert not set(_references(document())) - {
        f"#/components/schemas/{name}" for name in document()["components"]["schemas"]
    }


def test_document_is_served_and_names_who_may_ask(settings: Settings) -> None:
    response = Client().get("/api/v1/openapi.json")
    assert response.status_code == 200
    assert response.json() == document()
    assert document()["security"] == [{"token": []}, {"session": []}, {}]
    settings.LOGIN_REQUIRED = True
    assert Client().get("/api/v1/openapi.json").status_code == 401


def test_document_tells_the_contract_as_it_is_published() -> None:
    published = contract_schema()
    told = document()["components"]["schemas"]
    for name, schema in published["$defs"].items():
        assert set(told[name].get("properties", ())) == set(schema.get("properties", ())), name
        assert told[name].get("enum") == schema.get("enum"), name
    assert set(told["Answer"]["properties"]) == set(published["properties"])
    assert set(told["Answer"]["required"]) == set(published["required"])


def test_every_operation_has_a_summary_an_id_of_its_own_and_its_refusals() -> None:
    for method, path in operations().values():
        told = document()["paths"][path][method]
        assert told["summary"].endswith((".", ";"))
        assert {"400", "401", "429", "500", "503"} <= set(told["responses"])
        for status, response in told["responses"].items():
            assert "X-Correlation-ID" in response["headers"], (path, status)


def test_no_operation_is_lacking_from_the_cases() -> None:
    assert {name for name, _, _ in CASES} == set(operations())


@pytest.mark.parametrize(("name", "mode", "known"), CASES, ids=str)
def test_whatever_is_sent_the_api_keeps_to_its_document(
    world: World,
    quiet: None,
    name: str,
    mode: GenerationMode,
    known: bool,
) -> None:
    method, path = operations()[name]
    operation = loaded()[path][method.upper()]
    wanted = {key: value for key, value in world.arguments.items() if f"{{{key}}}" in path}
    headers = {"Authorization": f"Bearer {world.mine.token}", "Accept-Encoding": "identity"}
    seen: list[int] = []

    @seed(10)
    @hypothesis_settings(max_examples=EXAMPLES, database=None, deadline=None, suppress_health_check=list(HealthCheck))
    @given(operation.as_strategy(generation_mode=mode, path_parameters=wanted if known else None))
    def ask(case: Case[Any]) -> None:
        response = case.call(headers=headers)
        seen.append(response.status_code)
        case.validate_response(response, checks=CHECKS)

    ask()
    assert seen


def _references(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        yield from (found for found in [value.get("$ref")] if isinstance(found, str))
        for inner in value.values():
            yield from _references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _references(inner)
