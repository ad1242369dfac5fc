"""manage.py index_edition: finishes the search index of the published edition."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from ingest.indexing import index_for
from ingest.tasks import index_edition_task
from monographs.embedder import current_embedder
from monographs.embedding_models import EmbeddingError


class Command(BaseCommand):
    """Goes on where an earlier attempt ended; does nothing where nothing is left."""

    help = "Dựng tiếp chỉ mục tìm theo nghĩa của ấn bản đang phục vụ."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The arguments of the usage text."""
        parser.add_argument("--queue", action="store_true", help="giao cho tiến trình nền rồi trả về ngay")

    def handle(self, *args: Any, **options: Any) -> None:
        """Says how passages will be found."""
        if options["queue"]:
            index_edition_task.delay()
            return
        try:
            while index_for(60.0):
                self.stdout.write("Đang dựng chỉ mục…")
        except EmbeddingError as error:
            raise CommandError(
                f"Mô hình vectơ không trả lời ({error}): phần đã xong được giữ lại; hãy chạy lại lệnh này để làm tiếp."
            ) from error
        embedder = current_embedder()
        self.stdout.write(
            f"Chỉ mục đã đủ: tìm theo từ và theo nghĩa ({embedder.space})."
            if embedder
            else "Chỉ mục đã đủ: chỉ tìm theo từ, vì không có mô hình vectơ."
        )
