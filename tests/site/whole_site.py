"""Every address of the site with something for it to be about: an asker's conversation, a book, what staff work on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Model
from django.http import HttpResponseBase
from django.test import Client

from chat.models import Conversation, Turn, TurnState
from duocthu_site.roles import RoleKey, give_role
from tests.factories import make_turn
from tests.site.staff_addresses import Address, arguments_of, make_world

UNSAFE_METHODS = ("POST", "PUT", "PATCH", "DELETE")
PASSWORD = "mat-khau-dai-1"


@dataclass(frozen=True, slots=True)
class Site:
    """asker: whose conversation and turns it holds; rows: a record of each kind, as in make_world."""

    asker: User
    rows: dict[str, Any]

    @property
    def conversation(self) -> Conversation:
        """The asker's."""
        found: Conversation = self.rows["conversation"]
        return found

    def arguments(self, address: Address) -> dict[str, object]:
        """What an address is about here."""
        if address.route.startswith("admin/"):
            return arguments_of(address, self.rows)
        values: dict[str, object] = {
            "conversation_id": self.conversation.pk,
            "turn_id": self.rows["turn"].pk,
            "number": 1,
            "slug": "paracetamol",
            "drug_id": "paracetamol",
            "anchor": "lieu-dung",
            "section": "lieu-dung",
            "passage_id": self.rows["passage"].pk,
        }
        return {name: values[name] for name in address.parameters}

    def path(self, address: Address) -> str:
        """Its path here."""
        return address.path(self.arguments(address))


def make_site() -> Site:
    """One of everything."""
    rows: dict[str, Model] = make_world()
    asker = User.objects.create_user("nguoi-hoi", password=PASSWORD)
    Conversation.objects.update(owner=f"user:{asker.pk}", title="Câu hỏi riêng")
    rows["conversation"].refresh_from_db()
    return Site(asker, rows)


def make_waiting_turn(site: Site) -> Turn:
    """A turn of the asker's that could be cancelled."""
    return make_turn(site.conversation, state=TurnState.PENDING)


def signed_in(user: User, **options: Any) -> Client:
    """A browser of a user."""
    client = Client(**options)
    client.force_login(user)
    return client


def with_role(key: RoleKey, **options: Any) -> Client:
    """A browser of somebody new with a role."""
    user = User.objects.create_user(f"ai-{key}", password=PASSWORD)
    give_role(user, key)
    return signed_in(user, **options)


@contextmanager
def undone() -> Iterator[None]:
    """What happens inside is taken back."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def body_of(response: HttpResponseBase) -> str:
    """All that a response says, streamed or not; letters that JSON writes as numbers are letters again."""
    parts: Any = getattr(response, "streaming_content" if response.streaming else "content")
    text = (b"".join(parts) if response.streaming else parts).decode("utf-8", "replace")
    if not text or "json" not in response.headers.get("Content-Type", ""):
        return text
    return json.dumps(json.loads(text), ensure_ascii=False)
