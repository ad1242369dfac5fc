"""manage.py cancel_run ID: stops an ingest run."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from ingest.models import IngestRun
from ingest.run_control import RunRefused, cancel_run


class Command(BaseCommand):
    """Cancels a run that waits or runs; nothing of it is published."""

    help = "Huỷ một lượt nạp đang chờ hoặc đang chạy."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The arguments of the usage text."""
        parser.add_argument("run", type=int, help="mã lượt nạp")

    def handle(self, *args: Any, **options: Any) -> None:
        """Raises CommandError with the reason where it cannot be cancelled."""
        try:
            run = cancel_run(options["run"])
        except IngestRun.DoesNotExist as error:
            raise CommandError(f"Không có lượt nạp {options['run']}.") from error
        except RunRefused as refused:
            raise CommandError(str(refused)) from refused
        self.stdout.write(
            f"Đã huỷ lượt nạp {run.pk}."
            if run.is_final
            else f"Đã yêu cầu huỷ lượt nạp {run.pk}; nó dừng trong vài giây."
        )
