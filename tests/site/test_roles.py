"""The table of roles, the groups that the migration makes of it, and the command that gives a role."""

from __future__ import annotations

import importlib
import io
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import Group, Permission, User
from django.core.management import CommandError, call_command
from django.test import Client

from duocthu_site.management.commands import create_staff
from duocthu_site.roles import APPS, ROLES, RoleKey, give_role, write_groups

pytestmark = pytest.mark.django_db
STAFF = [key for key, role in ROLES.items() if role.group]


def created(*arguments: str) -> str:
    out = io.StringIO()
    call_command("create_staff", *arguments, stdout=out)
    return out.getvalue()


def test_every_permission_of_our_own_belongs_to_a_role() -> None:
    given = {name for role in ROLES.values() for name in role.permissions}
    own = {
        f"{model._meta.app_label}.{codename}"
        for label in APPS
        for model in apps.get_app_config(label).get_models()
        for codename, _ in model._meta.permissions
    }
    assert own == {"ingest.operate_runs", "ingest.review_passages", "chat.handle_feedback"}
    assert own <= given


def test_every_permission_of_a_role_exists() -> None:
    known = {f"{each.content_type.app_label}.{each.codename}" for each in Permission.objects.select_related()}
    assert {name for role in ROLES.values() for name in role.permissions} <= known


def test_no_role_may_write_records_or_accounts() -> None:
    for role in ROLES.values():
        assert not {n for n in role.permissions if n.split(".")[1].split("_")[0] in {"add", "change", "delete"}}
        assert not {n for n in role.permissions if n.startswith("auth.")}


def test_the_migration_makes_the_groups_and_makes_them_once() -> None:
    Group.objects.all().delete()
    Permission.objects.filter(codename__in=["operate_runs", "view_turn"]).delete()
    migration: Any = importlib.import_module("duocthu_site.migrations.0001_roles")
    for _ in range(2):
        migration.make_groups(apps, None)
        assert held() == {ROLES[key].group: ROLES[key].permissions for key in STAFF}
        assert all(apps.get_app_config(label).models_module for label in APPS)


def test_a_group_that_was_changed_by_hand_is_put_right() -> None:
    write_groups()
    group = Group.objects.get(name=ROLES[RoleKey.PHARMACIST].group)
    group.permissions.set(Permission.objects.filter(codename="delete_turn"))
    write_groups()
    assert not group.permissions.exists()


@pytest.mark.parametrize("key", RoleKey)
def test_a_role_is_the_only_one_of_a_user(key: RoleKey) -> None:
    user = User.objects.create_user("an")
    other = Group.objects.create(name="Nhóm khác")
    user.groups.add(other)
    for before in RoleKey:
        give_role(user, before)
    give_role(user, key)
    user = User.objects.get(pk=user.pk)
    role = ROLES[key]
    assert (user.is_staff, user.is_superuser) == (role.is_staff, key is RoleKey.ADMIN)
    assert {group.name for group in user.groups.all()} == {other.name} | ({role.group} if role.group else set())
    if key is not RoleKey.ADMIN:
        assert user.get_all_permissions() == role.permissions


def test_a_pharmacist_may_ask_and_sees_no_staff_page(client: Client) -> None:
    user = User.objects.create_user("an")
    give_role(user, RoleKey.PHARMACIST)
    client.force_login(user)
    assert client.get("/").status_code == 200
    assert client.get("/admin/").headers["Location"].startswith("/admin/login/")


def test_the_command_makes_an_account_whose_password_is_told_once(client: Client) -> None:
    said = created("an", "--role", "reviewer")
    password = said.split(": ")[-1].strip()
    assert "Người duyệt" in said and len(password) >= 20
    assert client.post("/sign-in/", {"username": "an", "password": password}).status_code == 302
    assert client.get("/admin/").status_code == 200


def test_the_command_gives_an_account_another_role_and_keeps_its_password() -> None:
    User.objects.create_user("an", password="mat-khau-dai-1")
    said = created("an", "--role", "operator")
    user = User.objects.get()
    assert user.check_password("mat-khau-dai-1") and user.has_perm("ingest.operate_runs")
    assert "Mật khẩu không đổi" in said and "chỉ hiện" not in said


@pytest.mark.parametrize(
    ("name", "typed", "problem"),
    [
        ("a b", None, "Tên đăng nhập không dùng được"),
        ("an", ("mat-khau-dai-1", "mat-khau-dai-2"), "không giống nhau"),
        ("an", ("ngan", "ngan"), "quá ngắn"),
    ],
)
def test_what_cannot_be_used_is_refused_and_nothing_is_made(
    monkeypatch: pytest.MonkeyPatch, name: str, typed: tuple[str, ...] | None, problem: str
) -> None:
    answers = iter(typed or ())
    monkeypatch.setattr(create_staff, "getpass", lambda _prompt: next(answers))
    with pytest.raises(CommandError, match=problem):
        created(name, "--role", "reviewer", *(["--ask-password"] if typed else []))
    assert not User.objects.exists()


def test_a_password_can_be_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(create_staff, "getpass", lambda _prompt: "mat-khau-dai-1")
    said = created("an", "--role", "admin", "--ask-password")
    assert User.objects.get().check_password("mat-khau-dai-1") and "mat-khau" not in said


def held() -> dict[str, frozenset[str]]:
    return {
        group.name: frozenset(f"{each.content_type.app_label}.{each.codename}" for each in group.permissions.all())
        for group in Group.objects.all()
    }
