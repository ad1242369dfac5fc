"""manage.py export_edition OUT.json: an edition in the exchange format."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from ingest.edition_export import export_edition
from monographs.corpus import current_edition
from monographs.models import Edition


class Command(BaseCommand):
    """Writes the published edition, or another one, as JSON."""

    help = "Xuất ấn bản đang phục vụ (hoặc --edition ID) ra một tệp JSON."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The arguments of the usage text."""
        parser.add_argument("out", type=Path, help="tệp JSON sẽ ghi")
        parser.add_argument("--edition", type=int, help="mã ấn bản (mặc định: ấn bản đang phục vụ)")

    def handle(self, *args: Any, **options: Any) -> None:
        """Raises CommandError where there is no such edition or the file cannot be written."""
        wanted = options["edition"]
        edition = Edition.objects.filter(pk=wanted).first() if wanted else current_edition()
        if edition is None:
            raise CommandError(
                "Không có ấn bản này." if wanted else "Chưa có ấn bản nào được công bố. Nạp một tệp PDF trước."
            )
        text = json.dumps(export_edition(edition), ensure_ascii=False, indent=1)
        try:
            options["out"].write_text(text + "\n", "utf-8")
        except OSError as error:
            raise CommandError(f"Không ghi được {options['out']}: {error.strerror or error}.") from error
        self.stdout.write(f"Đã ghi {options['out']}.")
