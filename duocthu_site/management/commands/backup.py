"""manage.py backup: everything that cannot be made again, into one folder."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from duocthu_site.backup import make_backup
from duocthu_site.backup_manifest import BackupRefused


class Command(BaseCommand):
    """Backs up while everything runs."""

    help = (
        "Sao lưu cơ sở dữ liệu (ấn bản, lượt hỏi, quyết định duyệt, tài khoản) và các tệp PDF vào THƯ_MỤC, trong khi "
        "mọi thứ vẫn chạy. Bản sao chứa cả khoá bí mật: hãy giữ nó như giữ chính cơ sở dữ liệu."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The arguments of the usage text."""
        parser.add_argument("folder", metavar="THƯ_MỤC", type=Path, help="thư mục mới hoặc rỗng")
        parser.add_argument("--pg-bin", type=Path, help="thư mục chứa pg_dump của đúng phiên bản máy chủ PostgreSQL")

    def handle(self, *args: Any, **options: Any) -> None:
        """Raises CommandError with a sentence that says what to do."""
        folder = options["folder"].absolute()
        try:
            manifest = make_backup(folder, tools_in=options["pg_bin"])
        except BackupRefused as error:
            raise CommandError(str(error)) from error
        except (OSError, DatabaseError) as error:
            raise CommandError(f"Không sao lưu được vào {folder}: {error}") from error
        rows = manifest.database.rows
        self.stdout.write(
            f"Đã sao lưu vào {folder}: {rows('monographs_edition')} ấn bản, {rows('chat_turn')} lượt hỏi, "
            f"{rows('ingest_review')} quyết định duyệt, {len(manifest.pdfs)} tệp PDF, {manifest.size / 1e6:.0f} MB."
        )
        for sha256 in manifest.missing:
            self.stderr.write(f"Không có trong bản sao lưu: tệp PDF {sha256} bị mất hoặc hỏng trước đó.")
