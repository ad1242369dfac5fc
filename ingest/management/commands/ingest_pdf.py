"""manage.py ingest_pdf FILE: from a PDF to the published edition."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from ingest.models import IngestRun, RunState
from ingest.runs import execute_run, request_run
from ingest.tasks import execute_run_task, index_edition_task
from monographs.models import Edition, EditionState


class Command(BaseCommand):
    """Parses a PDF, builds its edition and publishes it; the edition served before stays until the switch."""

    help = "Nạp một tệp PDF dược thư: đọc, dựng ấn bản và công bố. Ấn bản đang phục vụ giữ nguyên tới lúc chuyển."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The arguments of the usage text."""
        parser.add_argument("file", type=Path, help="tệp PDF")
        parser.add_argument("--title", help="tên ấn bản (mặc định: Dược thư Quốc gia Việt Nam; bản mẫu tự nhận ra)")
        parser.add_argument("--year", type=int, help="năm ấn bản (mặc định: 2018)")
        parser.add_argument("--force", action="store_true", help="nạp lại dù tệp này đã được nạp bằng cùng bộ đọc")
        parser.add_argument("--queue", action="store_true", help="giao cho tiến trình nền rồi trả về ngay")
        parser.add_argument(
            "--no-cross-check", action="store_true", help="bỏ bước đối chiếu số bằng bộ trích xuất thứ hai"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Raises CommandError with a sentence that says what to do."""
        path: Path = options["file"]
        if not path.is_file():
            raise CommandError(f"Không thấy tệp {path}. Kiểm tra lại đường dẫn.")
        try:
            run, existing = request_run(path, title=options["title"], year=options["year"], force=options["force"])
        except OSError as error:
            raise CommandError(f"Không đọc hoặc không chép được tệp {path}: {error.strerror or error}.") from error
        if existing is not None:
            self._say_existing(existing)
        elif run is not None and options["queue"]:
            execute_run_task.delay(run.pk)
            self.stdout.write(f"Lượt nạp {run.pk} đang chờ tiến trình nền.")
        elif run is not None:
            self._say_result(execute_run(run.pk, cross_check=not options["no_cross_check"]))
            index_edition_task.delay()

    def _say_existing(self, edition: Edition) -> None:
        self.stdout.write(
            f"Tệp này đã được nạp: {edition.title} ({edition.year}), {EditionState(edition.state).label}. "
            "Không có gì thay đổi; dùng --force để nạp lại."
        )

    def _say_result(self, run: IngestRun) -> None:
        if run.state != RunState.PUBLISHED:
            raise CommandError(f"Lượt nạp {run.pk} {RunState(run.state).label}: {run.error}")
        counts = run.counts
        self.stdout.write(
            f"Đã công bố {run.title} ({run.year}): {counts['monographs']} chuyên luận, {counts['sections']} mục, "
            f"{counts['passages']} đoạn, trong đó {counts['quarantined']} đoạn chỉ hiển thị ảnh trang."
        )
