"""manage.py create_staff: an account with a role."""

from __future__ import annotations

import secrets
from argparse import ArgumentParser
from getpass import getpass
from typing import Any

from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from duocthu_site.roles import ROLES, RoleKey, give_role

_TITLES = {key: role.group or "quản trị" for key, role in ROLES.items()}


class Command(BaseCommand):
    """Makes an account, or gives one that exists another role and leaves its password alone."""

    help = (
        "Tạo tài khoản với một vai trò, hoặc đổi vai trò của tài khoản đã có: create_staff TÊN --role VAI_TRÒ. "
        "Không có --ask-password thì mật khẩu được tạo ngẫu nhiên và chỉ in ra một lần."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The arguments of the usage text."""
        parser.add_argument("name", help="tên đăng nhập")
        parser.add_argument(
            "--role",
            required=True,
            choices=[key.value for key in RoleKey],
            help="; ".join(f"{key}: {title}" for key, title in _TITLES.items()),
        )
        parser.add_argument("--ask-password", action="store_true", help="hỏi mật khẩu thay vì tạo ngẫu nhiên")

    @transaction.atomic
    def handle(self, *args: Any, **options: Any) -> None:
        """Raises CommandError with a sentence that says what to do."""
        key, name = RoleKey(options["role"]), str(options["name"])
        user = User.objects.filter(username=name).first()
        if user is not None:
            give_role(user, key)
            self.stdout.write(f"Tài khoản {name} nay có vai trò: {_TITLES[key]}. Mật khẩu không đổi.")
            return
        user = User(username=name)
        password = _asked(user) if options["ask_password"] else secrets.token_urlsafe(15)
        user.set_password(password)
        _check(user)
        user.save()
        give_role(user, key)
        self.stdout.write(f"Đã tạo tài khoản {name}, vai trò: {_TITLES[key]}.")
        if not options["ask_password"]:
            self.stdout.write(f"Mật khẩu (chỉ hiện lần này): {password}")


def _check(user: User) -> None:
    try:
        user.full_clean()
    except ValidationError as error:
        raise CommandError(f"Tên đăng nhập không dùng được: {' '.join(error.messages)}") from error


def _asked(user: User) -> str:
    password = getpass("Mật khẩu: ")
    if password != getpass("Nhập lại: "):
        raise CommandError("Hai lần nhập mật khẩu không giống nhau; hãy chạy lại lệnh.")
    try:
        validate_password(password, user)
    except ValidationError as error:
        raise CommandError(" ".join(error.messages)) from error
    return password
