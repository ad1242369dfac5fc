"""manage.py restore: a backup brought back into an empty database."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from duocthu_site.backup_manifest import BackupRefused
from duocthu_site.restoring import needs_migration, restore_backup


class Command(BaseCommand):
    """Restores all or nothing."""

    help = (
        "Phục hồi bản sao lưu trong THƯ_MỤC vào một cơ sở dữ liệu rỗng, rồi đối chiếu từng bảng với bản sao lưu. "
        "Chỉ phục hồi bản sao lưu do chính đơn vị tạo ra. Không chạy máy chủ web hay tiến trình nền trong lúc này."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The arguments of the usage text."""
        parser.add_argument("folder", metavar="THƯ_MỤC", type=Path, help="thư mục mà manage.py backup đã tạo")
        parser.add_argument("--pg-bin", type=Path, help="thư mục chứa pg_restore của đúng phiên bản máy chủ PostgreSQL")

    def handle(self, *args: Any, **options: Any) -> None:
        """Raises CommandError with a sentence that says what to do."""
        folder = options["folder"].absolute()
        try:
            manifest = restore_backup(folder, tools_in=options["pg_bin"])
        except BackupRefused as error:
            raise CommandError(str(error)) from error
        except (OSError, DatabaseError) as error:
            raise CommandError(f"Không phục hồi được: {error}") from error
        rows = manifest.database.rows
        self.stdout.write(
            f"Đã phục hồi và đối chiếu bản sao lưu lúc {manifest.made_at:%H:%M %d/%m/%Y} (UTC): "
            f"{rows('monographs_edition')} ấn bản, {rows('chat_turn')} lượt hỏi, "
            f"{rows('ingest_review')} quyết định duyệt."
        )
        if needs_migration(manifest):
            self.stdout.write("Chương trình này mới hơn bản sao lưu: hãy chạy manage.py migrate.")
