"""manage.py ask: a question from the shell, or a file of them."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from chat.contract import Answer
from chat.conversation import ask_in_order
from chat.display_lists import status_lines
from chat.model_text import SUMMARY_NOTE, SUMMARY_TAG, VERBATIM_TAG, block_tag
from chat.question import QuestionError


class Command(BaseCommand):
    """Answers without storing anything: the same pipeline as the page, for the shell and for batches."""

    help = (
        'Hỏi từ dòng lệnh: ask "câu hỏi" [--json], hoặc ask --batch VÀO.jsonl RA.jsonl '
        "(mỗi dòng vào: id, question, history tuỳ chọn; mỗi dòng ra: id và câu trả lời)."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The arguments of the usage text."""
        parser.add_argument("question", nargs="?", help="câu hỏi")
        parser.add_argument("--json", action="store_true", help="in câu trả lời đầy đủ dạng JSON")
        parser.add_argument("--batch", nargs=2, type=Path, metavar=("VAO", "RA"), help="hỏi cả tệp JSON Lines")

    def handle(self, *args: Any, **options: Any) -> None:
        """Raises CommandError with a sentence that says what to do."""
        if options["batch"]:
            self._batch(*options["batch"])
        elif options["question"] is None:
            raise CommandError('Thiếu câu hỏi. Ví dụ: ask "liều paracetamol người lớn đường uống"')
        else:
            try:
                answer = ask_in_order([options["question"]])
            except QuestionError as error:
                raise CommandError(str(error)) from error
            self.stdout.write(answer.model_dump_json(indent=1) if options["json"] else _as_text(answer))

    def _batch(self, source: Path, target: Path) -> None:
        try:
            with source.open(encoding="utf-8") as lines, target.open("w", encoding="utf-8") as out:
                count = 0
                for row in _rows(lines):
                    out.write(json.dumps(_answer_row(row), ensure_ascii=False) + "\n")
                    count += 1
        except OSError as error:
            raise CommandError(f"Không đọc hoặc ghi được tệp: {error}.") from error
        except UnicodeDecodeError as error:
            raise CommandError(f"{source} không phải tệp văn bản UTF-8.") from error
        self.stdout.write(f"Đã trả lời {count} câu vào {target}.")


def _rows(lines: Iterator[str]) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                row = json.loads(line)
                if not isinstance(row, dict) or not isinstance(row["question"], str):
                    raise TypeError
            except (ValueError, KeyError, TypeError) as error:
                raise CommandError(f"Dòng {number} không phải đối tượng JSON có id và question.") from error
            yield row


def _answer_row(row: dict[str, Any]) -> dict[str, Any]:
    try:
        answer = ask_in_order([*map(str, row.get("history") or ()), row["question"]])
    except QuestionError as error:
        return {"id": row.get("id"), "error": str(error)}
    return {"id": row.get("id"), **answer.model_dump(mode="json")}


def _as_text(answer: Answer) -> str:
    lines = [answer.emergency] if answer.emergency else []
    lines += [f"[{answer.decision.value}: {answer.reason.value}] {answer.message}"]
    lines += [line for line in (answer.note, *status_lines(answer)) if line]
    if answer.summary_status and answer.summary_status.used:
        lines += [f"\n{SUMMARY_TAG}:", *(f"  {line}" for line in answer.summary.splitlines()), SUMMARY_NOTE]
    for block in answer.blocks:
        tag = block_tag(tuple(answer.claims[index].verbatim for index in block.claims))
        lines.append(f"\n{block.drug_name} – {block.title}{'' if tag == VERBATIM_TAG else f' ({tag})'}")
        for index in block.claims:
            claim = answer.claims[index]
            pages = ", ".join(f"tr. {citation.page_span[0]}" for citation in claim.citations)
            path = " › ".join(claim.citations[0].labels)
            lines.append(f"  {path + ': ' if path else ''}{claim.claim} [{pages}]")
    if answer.calculation:
        found = answer.calculation
        lines += ["\nPhép tính từ liều trong sách", *(f"  {name}: {value}" for name, value in found.inputs)]
        lines += [f"  {line}" for line in (*found.steps, f"Kết quả phép tính: {found.result}", found.maximum)]
        lines += [f"  {found.rounding}"] if found.rounding else []
    lines += [f"  → {reply}" for reply in answer.quick_replies]
    lines += [answer.next_step] if answer.next_step else []
    return "\n".join([*lines, "", answer.disclaimer])
