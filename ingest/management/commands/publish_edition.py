"""manage.py publish_edition ID: serves a built edition, or one that was served before."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from ingest.publish import PublishError
from ingest.switching import switch_to
from ingest.tasks import send_indexing
from monographs.corpus import current_edition


class Command(BaseCommand):
    """Switches to an edition at once; the one served before stays readable for old citations."""

    help = "Công bố một ấn bản đã dựng xong, hoặc chuyển về một ấn bản cũ."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The arguments of the usage text."""
        parser.add_argument("edition", type=int, help="mã ấn bản")

    def handle(self, *args: Any, **options: Any) -> None:
        """Raises CommandError with the reason where it cannot be served."""
        served = current_edition()
        try:
            edition = switch_to(options["edition"], seen=served.pk if served else None, by=None)
        except PublishError as refused:
            raise CommandError(str(refused)) from refused
        send_indexing()
        self.stdout.write(f"Đang phục vụ {edition.title} ({edition.year}), ấn bản {edition.pk}.")
