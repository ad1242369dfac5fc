"""manage.py ingest_pdf FILE: from a PDF to the published edition."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from ingest.models import IngestRun, RunState
from ingest.run_control import take_back_abandoned
from ingest.runs import RunOptions, execute_run, request_run
from ingest.tasks import index_edition_task, send_run
from monographs.models import Edition, EditionState

_WAIT_SECONDS = 5.0


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
        wanted = RunOptions(title=options["title"], year=options["year"], force=options["force"])
        try:
            asked = request_run(path, wanted)
        except OSError as error:
            raise CommandError(f"Không đọc hoặc không chép được tệp {path}: {error.strerror or error}.") from error
        if asked.edition is not None:
            self._say_existing(asked.edition)
        elif asked.run is not None and options["queue"]:
            send_run(asked.run.pk)
            self.stdout.write(f"Lượt nạp {asked.run.pk} đang chờ tiến trình nền.")
        elif asked.run is not None:
            self._say_result(self._finish(asked.run, cross_check=not options["no_cross_check"]))
            index_edition_task.delay()

    def _finish(self, run: IngestRun, *, cross_check: bool) -> IngestRun:
        """The run at its end. One that is under way already is waited for, and taken up where its worker died."""
        while not (run := execute_run(run.pk, cross_check=cross_check)).is_settled:
            self.stdout.write(f"Tệp này đang được nạp (lượt {run.pk}); chờ lượt đó xong…")
            time.sleep(_WAIT_SECONDS)
            take_back_abandoned()
        return run

    def _say_existing(self, edition: Edition) -> None:
        self.stdout.write(
            f"Tệp này đã được nạp: {edition.title} ({edition.year}), {EditionState(edition.state).label}. "
            "Không có gì thay đổi; dùng --force để nạp lại."
        )

    def _say_result(self, run: IngestRun) -> None:
        if run.state == RunState.BUILT:
            self.stdout.write(
                f"Đã dựng ấn bản {run.edition_id}, chưa công bố. {run.error} "
                f"Công bố bằng: manage.py publish_edition {run.edition_id}"
            )
            return
        if run.state != RunState.PUBLISHED:
            raise CommandError(f"Lượt nạp {run.pk} {RunState(run.state).label}: {run.error}")
        counts = run.counts
        self.stdout.write(
            f"Đã công bố {run.title} ({run.year}): {counts['monographs']} chuyên luận, {counts['sections']} mục, "
            f"{counts['passages']} đoạn, trong đó {counts['quarantined']} đoạn chỉ hiển thị ảnh trang."
        )
