"""Who may do what: the one table of roles, and the groups that hold them in the database."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from django.contrib.auth.models import Group, Permission, User

if TYPE_CHECKING:
    from django.apps.registry import Apps

APPS = ("monographs", "ingest", "chat")


class RoleKey(StrEnum):
    """A role by the name the command line knows it under."""

    PHARMACIST = "pharmacist"
    REVIEWER = "reviewer"
    OPERATOR = "operator"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class Role:
    """group: its name in the database, "" for the one that may do everything; permissions: "app.codename"."""

    group: str
    is_staff: bool
    permissions: frozenset[str] = frozenset()


_BOOK = {f"monographs.view_{model}" for model in ("edition", "monograph", "section", "passage", "alias")}
_INGEST = {f"ingest.view_{model}" for model in ("ingestrun", "finding", "review")}

ROLES: dict[RoleKey, Role] = {
    RoleKey.PHARMACIST: Role("Dược sĩ", is_staff=False),
    RoleKey.REVIEWER: Role(
        "Người duyệt",
        is_staff=True,
        permissions=frozenset(
            _BOOK | _INGEST | {"ingest.review_passages", "chat.view_feedback", "chat.handle_feedback"}
        ),
    ),
    RoleKey.OPERATOR: Role(
        "Người vận hành",
        is_staff=True,
        permissions=frozenset(
            _BOOK
            | _INGEST
            | {f"chat.view_{model}" for model in ("conversation", "turn", "feedback")}
            | {"ingest.view_workerheartbeat", "ingest.operate_runs"}
        ),
    ),
    RoleKey.ADMIN: Role("", is_staff=True),
}


def write_groups(apps: Apps | None = None) -> None:
    """Makes each role's group and gives it exactly the role's permissions; said again, it changes nothing.

    apps: the models of a migration, whose permissions are made first where they are still to come. A permission that
    does not exist yet is left out, for a later migration to add.
    """
    group_model: Any = apps.get_model("auth", "Group") if apps else Group
    if apps is not None:
        _make_permissions(apps)
    for role in ROLES.values():
        if role.group:
            group, _ = group_model.objects.get_or_create(name=role.group)
            group.permissions.set(_permissions(role.permissions, apps))


def give_role(user: User, key: RoleKey) -> None:
    """Makes this the one role of a user: the group, whether the staff pages open, whether everything is allowed."""
    role = ROLES[key]
    write_groups()
    user.is_staff = role.is_staff
    user.is_superuser = key == RoleKey.ADMIN
    user.save(update_fields=["is_staff", "is_superuser"])
    held = Group.objects.filter(name__in=[each.group for each in ROLES.values()])
    user.groups.remove(*held)
    user.groups.add(*held.filter(name=role.group))


def _permissions(names: Iterable[str], apps: Apps | None) -> list[Any]:
    model: Any = apps.get_model("auth", "Permission") if apps else Permission
    wanted = {tuple(name.split(".", 1)) for name in names}
    found = model.objects.filter(content_type__app_label__in=APPS).select_related("content_type")
    return [each for each in found if (each.content_type.app_label, each.codename) in wanted]


def _make_permissions(apps: Apps) -> None:
    """Django makes permissions once all migrations are over, which is too late for a group made by one."""
    from django.contrib.auth.management import create_permissions

    for label in APPS:
        config: Any = apps.get_app_config(label)
        # A migration's app has none, and Django would pass it over.
        before = getattr(config, "models_module", None)
        config.models_module = True
        create_permissions(config, verbosity=0, apps=apps)
        config.models_module = before
