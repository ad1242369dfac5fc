"""A book, two users with a token each, and what one of them has asked: what the tests of the API are about."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.urls import resolve, reverse
from jsonschema import Draft202012Validator

from chat.compose import notice_of
from chat.models import Conversation, Turn, TurnState
from duocthu_site.tokens import make_token
from monographs.domain import PassageState, SectionKey
from monographs.models import Edition, Passage, Section
from tests.factories import (
    make_answer,
    make_conversation,
    make_edition,
    make_held_back,
    make_monograph,
    make_section,
    make_turn,
)
from tests.site.staff_addresses import write_pdf_of

MISSING = "00000000-0000-0000-0000-000000000000"
QUESTION = "Chống chỉ định của paracetamol?"


@dataclass(slots=True)
class Program:
    """A caller with a token, or none."""

    token: str = ""
    client: Client = field(default_factory=lambda: Client(raise_request_exception=False))

    def call(self, method: str, path: str, body: object = None, *, raw: bytes | None = None, **headers: str) -> Any:
        """A request as a program sends it: JSON with its token. Keywords are headers, _ for -."""
        sent = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        content = raw if raw is not None else b"" if body is None else json.dumps(body).encode()
        kind = sent.pop("Content-Type", "application/json") if content else ""
        return self.client.generic(method.upper(), path, content, content_type=kind, headers=sent)


@dataclass(frozen=True, slots=True)
class World:
    """mine, other: programs of two users; conversation, turn: of mine."""

    edition: Edition
    section: Section
    mine: Program
    other: Program
    conversation: Conversation
    turn: Turn
    pending: Turn

    @property
    def passage(self) -> Passage:
        """The first one of the section."""
        return Passage.objects.filter(section=self.section).order_by("pk")[0]

    @property
    def arguments(self) -> dict[str, str]:
        """What the addresses want, of mine."""
        return {
            "turn_id": str(self.turn.pk),
            "conversation_id": str(self.conversation.pk),
            "drug_id": "paracetamol",
            "section": self.section.anchor,
            "passage_id": str(self.passage.pk),
        }


def make_api_world(data_dir: Path) -> World:
    """The book has a PDF in data_dir, of which pictures can be made."""
    edition = make_edition(is_sample=True, title="Dược thư mẫu")
    monograph = make_monograph(edition, "Paracetamol", aliases=["Panadol"], atc_codes=["N02BE01"])
    make_section(make_monograph(edition, "Ibuprofen"), SectionKey.CHONG_CHI_DINH, "Loét dạ dày.")
    section = make_section(monograph, SectionKey.CHONG_CHI_DINH, "Quá mẫn với paracetamol.", "Suy gan nặng.")
    make_held_back(section)
    write_pdf_of(section, data_dir)
    users = [User.objects.create_user(name, password="mat-khau-dai-1") for name in ("mai", "khoa")]
    mine, other = (Program(make_token(user, "máy thử")[1]) for user in users)
    conversation = make_conversation(f"user:{users[0].pk}", title=QUESTION)
    quoted = list(Passage.objects.filter(section=section, state=PassageState.SERVED).order_by("pk"))
    turn = make_turn(
        conversation, make_answer(passages=quoted, disclaimer=notice_of(edition)), question=QUESTION, edition=edition
    )
    pending = make_turn(conversation, state=TurnState.PENDING)
    return World(edition, section, mine, other, conversation, turn, pending)


@cache
def document() -> dict[str, Any]:
    """The OpenAPI document as its view makes it."""
    path = reverse("api-v1:openapi-json")
    found: dict[str, Any] = json.loads(resolve(path).func(RequestFactory().get(path)).content)
    return found


@cache
def operations() -> dict[str, tuple[str, str]]:
    """Every operation of the document: its method and its path, by its id."""
    paths = document()["paths"].items()
    return {told["operationId"]: (method, path) for path, at in paths for method, told in at.items()}


def faults(operation: str, response: HttpResponse) -> list[str]:
    """What in a response the document does not say of this operation."""
    method, path = operations()[operation]
    told = document()["paths"][path][method]["responses"].get(str(response.status_code))
    if told is None:
        return [f"{response.status_code} is not told"]
    missing = [name for name, header in told["headers"].items() if header.get("required") and name not in response]
    kind = response.headers.get("Content-Type", "").partition(";")[0] if response.content else ""
    if kind not in told.get("content", {"": None}):
        return [f"{kind} is not told", *missing]
    if not kind.endswith("json"):
        return missing
    schema = {**told["content"][kind]["schema"], "components": document()["components"]}
    return missing + [error.message for error in Draft202012Validator(schema).iter_errors(json.loads(response.content))]
