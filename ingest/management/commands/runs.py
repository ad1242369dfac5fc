"""manage.py runs: the latest ingest runs."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.utils.timezone import localtime

from ingest.models import IngestRun


class Command(BaseCommand):
    """Lists runs, the newest first."""

    help = "Liệt kê các lượt nạp gần nhất."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The arguments of the usage text."""
        parser.add_argument("--most", type=int, default=20, help="số lượt tối đa (mặc định: 20)")

    def handle(self, *args: Any, **options: Any) -> None:
        """One line a run."""
        for run in IngestRun.objects.order_by("-created_at")[: max(0, options["most"])]:
            self.stdout.write(_line(run))


def _line(run: IngestRun) -> str:
    progress = run.progress or {}
    far = (
        f" {run.stage} {progress.get('done', 0)}/{progress.get('total', 0)}" if not run.is_settled and run.stage else ""
    )
    edition = f", ấn bản {run.edition_id}" if run.edition_id else ""
    error = f" – {run.error}" if run.error else ""
    when = f"{localtime(run.created_at):%d/%m/%Y %H:%M}"
    return (
        f"{run.pk}  {when}  {run.get_state_display()}{far}  {run.title} ({run.year}){edition}  {run.file_name}{error}"
    )
