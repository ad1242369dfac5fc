"""manage.py eval: the golden sets on the sample edition."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from chat.conversation import ask_in_order
from chat.evaluation import Tally, add_verdict, judge, load_golden, report
from monographs.corpus import current_edition


class Command(BaseCommand):
    """Asks every golden question and reports wrong answers and wrong refusals apart."""

    help = "Hỏi các câu hỏi chuẩn trên ấn bản mẫu đang phục vụ, báo cáo trả lời sai và từ chối sai riêng."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The arguments of the usage text."""
        parser.add_argument("sets", nargs="*", type=Path, help="tệp JSON Lines (mặc định: tests/golden/*.jsonl)")
        parser.add_argument("--failures", action="store_true", help="in từng câu chưa đạt")

    def handle(self, *args: Any, **options: Any) -> None:
        """Raises CommandError where the served edition is no sample or a set cannot be read."""
        edition = current_edition()
        if edition is None or not edition.is_sample:
            raise CommandError("Câu hỏi chuẩn viết cho bản mẫu: hãy nạp và công bố bản mẫu trước.")
        for path in options["sets"] or sorted(Path("tests/golden").glob("*.jsonl")):
            try:
                questions = load_golden(path)
            except (OSError, ValueError) as error:
                raise CommandError(f"Không đọc được {path}: {error}") from error
            tally = Tally()
            for question in questions:
                answer = ask_in_order([*question.history, question.question])
                verdict = judge(question, answer)
                add_verdict(tally, verdict, answer)
                if options["failures"] and verdict in tally.failures:
                    self.stdout.write(
                        f"{question.id} [{question.category}] {' | '.join([*question.history, question.question])}\n"
                        f"    owed {question.decision} {list(question.reason)}, got {answer.decision} {answer.reason}"
                        f" {list(answer.quick_replies)} {'; '.join(verdict.faults)}"
                    )
            self.stdout.write(report(path.stem, tally))
