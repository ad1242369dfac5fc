"""manage.py api_tokens: tokens of the API, issued, listed, revoked."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError

from chat.export_text import local_time
from duocthu_site.models import ApiToken
from duocthu_site.tokens import digest_of, make_token, revoke


class Command(BaseCommand):
    """Issues a token, which is told once, lists those that are known, or ends one."""

    help = (
        "Mã truy cập API: api_tokens issue TÀI_KHOẢN TÊN; api_tokens list [TÀI_KHOẢN]; api_tokens revoke MỞ_ĐẦU. "
        "Mã chỉ hiện một lần, lúc cấp; cơ sở dữ liệu chỉ giữ giá trị băm."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The arguments of the usage text."""
        actions = parser.add_subparsers(dest="action", required=True)
        issue = actions.add_parser("issue", help="cấp một mã mới")
        issue.add_argument("user", help="tên đăng nhập của tài khoản mà chương trình làm việc thay")
        issue.add_argument("name", help="chương trình nào dùng mã này")
        listed = actions.add_parser("list", help="các mã đã cấp")
        listed.add_argument("user", nargs="?", help="chỉ của tài khoản này")
        ended = actions.add_parser("revoke", help="thu hồi một mã")
        ended.add_argument("hint", help="phần mở đầu của mã, như api_tokens list hiện ra")

    def handle(self, *args: Any, **options: Any) -> None:
        """Raises CommandError with a sentence that says what to do."""
        match options["action"]:
            case "issue":
                self._issue(_user(options["user"]), options["name"])
            case "list":
                self._list(_user(options["user"]) if options["user"] else None)
            case "revoke":
                self._revoke(options["hint"])

    def _issue(self, user: User, name: str) -> None:
        try:
            row, text = make_token(user, name)
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from error
        self.stdout.write(f"Đã cấp mã truy cập “{row.name}” cho tài khoản {user.get_username()}.")
        self.stdout.write(f"Mã (chỉ hiện lần này): {text}")

    def _list(self, user: User | None) -> None:
        rows = ApiToken.objects.select_related("user").order_by("created_at", "pk")
        shown = [_line(row) for row in (rows.filter(user=user) if user else rows)]
        self.stdout.write("\n".join(shown) or "Chưa cấp mã nào.")

    def _revoke(self, hint: str) -> None:
        """The whole token does too: whoever finds one that leaked has it at hand."""
        found = [row for row in ApiToken.objects.filter(revoked_at=None) if hint and _fits(row, hint)]
        if len(found) != 1:
            reason = (
                f"{len(found)} mã còn hiệu lực bắt đầu như vậy" if found else "không có mã nào còn hiệu lực như vậy"
            )
            raise CommandError(f"Không thu hồi gì: {reason}. Xem api_tokens list.")
        revoke(found[0])
        self.stdout.write(f"Đã thu hồi mã “{found[0]}” của tài khoản {found[0].user.get_username()}.")


def _user(name: str) -> User:
    try:
        return User.objects.get(username=name)
    except User.DoesNotExist as error:
        raise CommandError(f"Không có tài khoản {name}. Tạo bằng create_staff trước.") from error


def _line(row: ApiToken) -> str:
    used = f"dùng gần nhất {local_time(row.last_used_at):%d/%m/%Y %H:%M}" if row.last_used_at else "chưa dùng"
    ended = f", đã thu hồi {local_time(row.revoked_at):%d/%m/%Y %H:%M}" if row.revoked_at else ""
    created = f"{local_time(row.created_at):%d/%m/%Y %H:%M}"
    return f"{row.hint}…  {row.user.get_username()}  {row.name}  cấp {created}, {used}{ended}"


def _fits(row: ApiToken, hint: str) -> bool:
    return row.hint.startswith(hint) or (len(hint) > len(row.hint) and row.digest == digest_of(hint))
