"""manage.py contract_schema: the JSON schema of answers, printed or written where it is published."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from chat.contract_schema import as_text


class Command(BaseCommand):
    """Prints the schema; needs neither database nor edition."""

    help = "In lược đồ JSON của câu trả lời đã lưu; contract_schema --write docs/contract.schema.json để ghi ra tệp."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The arguments of the usage text."""
        parser.add_argument("--write", type=Path, metavar="TEP", help="ghi vào tệp thay vì in ra")

    def handle(self, *args: Any, **options: Any) -> None:
        """Raises CommandError where the file cannot be written."""
        if options["write"] is None:
            self.stdout.write(as_text(), ending="")
            return
        try:
            options["write"].write_text(as_text(), "utf-8")
        except OSError as error:
            raise CommandError(f"Không ghi được {options['write']}: {error}.") from error
