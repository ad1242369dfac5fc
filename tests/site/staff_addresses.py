"""Every address of the staff pages, as the resolver knows them, and one record of each kind for them to be about."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.contrib.auth.models import Group, User
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.models import Session
from django.db.models import Model
from django.urls import URLPattern, get_resolver

from chat.models import Feedback
from ingest.domain import FindingKind
from ingest.models import Finding, IngestRun, Review, RunState, WorkerHeartbeat
from monographs.domain import SectionKey
from monographs.models import EditionState, Passage, Section
from tests.factories import (
    make_answer,
    make_conversation,
    make_edition,
    make_held_back,
    make_monograph,
    make_section,
    make_turn,
)

MISSING_UUID = "00000000-0000-0000-0000-000000000000"


@dataclass(frozen=True, slots=True)
class Address:
    """name: of the pattern, or its route where it has none; parameters: what the route wants."""

    name: str
    route: str
    parameters: tuple[str, ...]

    @property
    def model(self) -> str:
        """The model whose pages it is one of."""
        return self.route.split("/")[2] if self.route.count("/") > 2 else ""

    def path(self, arguments: dict[str, object]) -> str:
        """The address with these values."""
        found = self.route
        for parameter in self.parameters:
            start, end = _place(found, parameter)
            found = found[:start] + str(arguments[parameter]) + found[end:]
        return f"/{found}"


def staff_addresses() -> list[Address]:
    """Everything below /admin/ but its last resort for what is not found."""
    found = [_address(route, pattern) for route, pattern in _walk(get_resolver().url_patterns, "")]
    return [address for address in found if address.route.startswith("admin/") and "(?P<url>" not in address.route]


def site_addresses() -> list[Address]:
    """Everything the site answers; an address is known by its route, since names come again below /api/."""
    found = [_address(route, pattern) for route, pattern in _walk(get_resolver().url_patterns, "")]
    return [address for address in found if "(?P<url>" not in address.route]


def make_world() -> dict[str, Model]:
    """A record of each kind, by its model's name; built is an edition that could be published, run one that runs."""
    edition = make_edition(title="Dược thư đang dùng")
    monograph = make_monograph(edition, aliases=["Panadol"])
    section = make_section(monograph, SectionKey.LIEU_DUNG, "Người lớn: 500 mg.")
    passage = make_held_back(section)
    built = make_edition(state=EditionState.READY, title="Dược thư mới", sha256=edition.sha256, parser_version="new")
    make_section(make_monograph(built), SectionKey.CHI_DINH, "Đau; sốt.")
    reviewed = Passage.objects.filter(section=section).exclude(pk=passage.pk)[0]
    user = User.objects.create_user("nguoi-dung", password="mat-khau-dai-1")
    conversation = make_conversation()
    turn = make_turn(conversation, make_answer(passages=[reviewed]), edition=edition)
    return {
        "edition": edition,
        "built": built,
        "monograph": monograph,
        "section": section,
        "passage": passage,
        "alias": monograph.aliases.all()[0],
        "ingestrun": IngestRun.objects.create(
            file_name="a.pdf", sha256="1" * 64, title="Bản mới", year=2026, state=RunState.RUNNING
        ),
        "finding": Finding.objects.create(
            edition=edition, passage=passage, kind=FindingKind.TABLE, quarantines=True, pdf_page=1
        ),
        "review": Review.objects.create(
            sha256=edition.sha256,
            passage_uid=reviewed.uid,
            slug=monograph.slug,
            anchor=section.anchor,
            kind=reviewed.kind,
            pdf_page=1,
            original_text=reviewed.text,
            decision="served",
            reviewer=user,
        ),
        "workerheartbeat": WorkerHeartbeat.objects.create(name="celery@a"),
        "conversation": conversation,
        "turn": turn,
        "feedback": Feedback.objects.create(turn=turn, useful=False, reason="other"),
        "user": user,
        "group": Group.objects.get_or_create(name="Nhóm khác")[0],
    }


def arguments_of(address: Address, world: dict[str, Model]) -> dict[str, object]:
    """What the address is about. Raises KeyError where it wants something that the world lacks."""
    values: dict[str, object] = {
        "edition_id": world["built"].pk,
        "run_id": world["ingestrun"].pk,
        "passage_id": world["passage"].pk,
        "review_id": world["review"].pk,
        "feedback_id": world["feedback"].pk,
        "id": world["user"].pk,
        "form": "csv",
        "app_label": "chat",
        "content_type_id": ContentType.objects.get_for_model(User).pk,
    }
    if "object_id" in address.parameters:
        values["object_id"] = world["user" if address.name == "view_on_site" else address.model].pk
    return {name: values[name] for name in address.parameters}


def missing_arguments(address: Address) -> dict[str, object]:
    """Well-formed values that no record has."""
    values: dict[str, object] = {"form": "csv", "app_label": "chat", "content_type_id": 999_999}
    object_id = MISSING_UUID if address.model in {"turn", "conversation"} else 999_999
    return {name: values.get(name, object_id) for name in address.parameters}


def everything_kept() -> dict[str, list[tuple[Any, ...]]]:
    """Every row of the database but sessions, to see whether something changed."""
    from django.apps import apps

    models = [model for model in apps.get_models() if model is not Session]
    return {model._meta.label: sorted(model._default_manager.values_list(), key=str) for model in models}


def write_pdf_of(section: Section, folder: Path) -> None:
    """Puts a page where the edition's PDF is looked for, for the pages that show pictures of it."""
    from tests.browser.conftest import _write_pdf

    _write_pdf(folder / "editions" / f"{section.monograph.edition.sha256}.pdf")


def _walk(patterns: Sequence[Any], before: str) -> Iterator[tuple[str, URLPattern]]:
    for pattern in patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            yield route, pattern
        else:
            yield from _walk(pattern.url_patterns, route)


def _address(route: str, pattern: URLPattern) -> Address:
    if pattern.name == "app_list":
        return Address("app_list", "admin/<app_label>/", ("app_label",))
    return Address(pattern.name or route, route, tuple(pattern.pattern.converters))


def _place(route: str, parameter: str) -> tuple[int, int]:
    found = re.search(rf"<(?:\w+:)?{parameter}>", route)
    assert found is not None
    return found.span()
