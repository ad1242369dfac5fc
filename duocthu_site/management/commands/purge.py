"""manage.py purge: deletes what is older than it may become, or all that one person asked."""

from __future__ import annotations

import getpass
from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError

from chat.models import Turn
from chat.retention import asker_of
from duocthu_site.models import Removal
from duocthu_site.retention import COUNTED, Rule, alone, apply_rule, forget, is_due

MOST_DAYS = 36_500
MOST_LISTED = 50


class Command(BaseCommand):
    """Counts only, unless it is told to delete."""

    help = (
        "Xoá dữ liệu cũ hơn thời hạn giữ (RETENTION_DAYS và các biến cùng nhóm), hoặc mọi câu hỏi của một người. "
        "Không có --delete thì chỉ đếm, không xoá gì. Mỗi lần xoá được ghi lại; xem bằng --log."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The arguments of the usage text."""
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--older-than", type=int, metavar="NGÀY", help="thay cho thời hạn trong cấu hình")
        what.add_argument("--user", metavar="TÊN", help="mọi câu hỏi của tài khoản này")
        what.add_argument(
            "--asker-of", type=UUID, metavar="MÃ", help="mọi câu hỏi của người đã hỏi lượt có mã đối chiếu này"
        )
        what.add_argument("--log", action="store_true", help="những lần xoá gần đây")
        parser.add_argument("--delete", action="store_true", help="xoá thật")
        parser.add_argument("--if-due", action="store_true", help="chỉ khi lần trước đã quá PURGE_HOURS giờ")

    def handle(self, *args: Any, **options: Any) -> None:
        """Raises CommandError with a sentence that says what to do."""
        if options["log"]:
            self._list()
            return
        if options["if_due"] and not is_due(settings.PURGE_HOURS):
            return
        if options["delete"] and not alone():
            raise CommandError("Một lệnh purge khác đang chạy; hãy đợi nó xong.")
        self._tell(_counted(options), deleted=options["delete"])

    def _tell(self, counts: dict[str, int], *, deleted: bool) -> None:
        self.stdout.write("Đã xoá:" if deleted else "Sẽ xoá nếu chạy với --delete:")
        for name, count in counts.items():
            self.stdout.write(f"  {count:>12}  {COUNTED[name]}")

    def _list(self) -> None:
        for removal in Removal.objects.all()[:MOST_LISTED]:
            counts = ", ".join(f"{COUNTED.get(name, name)}: {count}" for name, count in removal.counts.items() if count)
            self.stdout.write(f"{removal}: {removal.rule}: {counts or 'không có gì'}")


def _counted(options: dict[str, Any]) -> dict[str, int]:
    doing: dict[str, Any] = {"delete": options["delete"], "by": f"purge ({_whoever()})"}
    if options["user"] is not None:
        user = _user(options["user"])
        return forget(f"user:{user.pk}", known_as=f"user:{user.pk}", **doing)
    if options["asker_of"] is not None:
        return forget(_asker(options["asker_of"]), known_as=f"turn:{options['asker_of']}", **doing)
    days = options["older_than"]
    if days is not None and not 1 <= days <= MOST_DAYS:
        raise CommandError(f"--older-than phải từ 1 đến {MOST_DAYS} ngày.")
    return apply_rule(Rule.of_age(days) if days else Rule.of_settings(), **doing)


def _user(name: str) -> User:
    try:
        return User.objects.get(username=name)
    except User.DoesNotExist as error:
        raise CommandError(f"Không có tài khoản {name}.") from error


def _asker(turn_id: UUID) -> str:
    try:
        return asker_of(turn_id)
    except Turn.DoesNotExist as error:
        raise CommandError(f"Không có lượt hỏi {turn_id}.") from error


def _whoever() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "?"
