"""manage.py export_reviews OUT.csv: every decision of the reviewers."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from ingest.review_export import FORMATS, all_reviews


class Command(BaseCommand):
    """Writes CSV or JSON lines, by the file's name or as told."""

    help = "Xuất mọi quyết định duyệt ra một tệp CSV hoặc JSON từng dòng (.jsonl)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The arguments of the usage text."""
        parser.add_argument("out", type=Path, help="tệp sẽ ghi, tên kết thúc bằng .csv hoặc .jsonl")
        parser.add_argument("--format", choices=sorted(FORMATS), help="dạng tệp (mặc định: theo tên tệp)")

    def handle(self, *args: Any, **options: Any) -> None:
        """Raises CommandError where the format is not told or the file cannot be written."""
        path: Path = options["out"]
        lines = FORMATS.get(options["format"] or path.suffix.removeprefix("."))
        if lines is None:
            raise CommandError("Không rõ dạng tệp: hãy đặt tên tệp .csv hoặc .jsonl, hoặc thêm --format.")
        try:
            with path.open("w", encoding="utf-8", newline="") as file:
                file.writelines(lines(all_reviews()))
        except OSError as error:
            raise CommandError(f"Không ghi được {path}: {error.strerror or error}.") from error
        self.stdout.write(f"Đã ghi {path}.")
