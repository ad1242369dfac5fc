"""manage.py resume_run ID: sends a run whose worker died to a worker again."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from ingest.models import IngestRun
from ingest.run_control import RunRefused, resume_run
from ingest.tasks import send_run


class Command(BaseCommand):
    """Sends a run that nobody works on to a worker."""

    help = "Cho chạy tiếp một lượt nạp mà tiến trình nền đã dừng giữa chừng."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The arguments of the usage text."""
        parser.add_argument("run", type=int, help="mã lượt nạp")

    def handle(self, *args: Any, **options: Any) -> None:
        """Raises CommandError with the reason where it cannot be resumed."""
        try:
            run = resume_run(options["run"])
        except IngestRun.DoesNotExist as error:
            raise CommandError(f"Không có lượt nạp {options['run']}.") from error
        except RunRefused as refused:
            raise CommandError(str(refused)) from refused
        send_run(run.pk)
        self.stdout.write(f"Lượt nạp {run.pk} đang chờ tiến trình nền.")
