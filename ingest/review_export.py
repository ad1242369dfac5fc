"""Every decision with who, when, why, its words and its place: as CSV for a spreadsheet, as JSON lines for programs."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from django.utils import timezone

from ingest.models import Review

# What a spreadsheet would run as a formula, at the head of a cell or behind white space.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
_BOM = "\ufeff"
_COLUMNS: dict[str, str] = {
    "id": "Mã",
    "sha256": "SHA-256 của PDF",
    "slug": "Chuyên luận",
    "anchor": "Mục",
    "kind": "Loại đoạn",
    "pdf_page": "Trang PDF",
    "boxes": "Khung [trang, x0, y0, x1, y1]",
    "passage_uid": "Khoá đoạn",
    "decision": "Quyết định",
    "decision_title": "Quyết định (tên)",
    "state_before": "Trạng thái trước",
    "original_text": "Nguyên văn lúc duyệt",
    "corrected_text": "Bản sửa",
    "reason": "Lý do",
    "reviewer": "Người duyệt",
    "decided_at": "Lúc",
    "undone_at": "Hoàn tác lúc",
    "undone_by": "Người hoàn tác",
    "undone_reason": "Lý do hoàn tác",
}


def all_reviews() -> Iterator[dict[str, Any]]:
    """Every decision, undone ones too, in the order they were made; moments with their offset from UTC."""
    reviews = Review.objects.select_related("reviewer", "undone_by").order_by("decided_at", "pk")
    return map(_values, reviews.iterator(chunk_size=500))


def csv_lines(rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    """UTF-8 with a byte order mark, by which Excel knows it. A cell that a spreadsheet would run begins with an
    apostrophe; JSON lines keep every text as it is."""
    written: Any = csv.writer(_Line(), lineterminator="\r\n")
    yield _BOM + written.writerow(_COLUMNS.values())
    for row in rows:
        yield written.writerow([_cell(row[name]) for name in _COLUMNS])


def json_lines(rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    """One object on each line."""
    for row in rows:
        yield json.dumps(row, ensure_ascii=False) + "\n"


FORMATS: dict[str, Callable[[Iterable[dict[str, Any]]], Iterator[str]]] = {"csv": csv_lines, "jsonl": json_lines}


class _Line:
    """What csv.writer writes to: hands each line back instead of keeping it."""

    def write(self, line: str) -> str:
        """The line itself."""
        return line


def _values(review: Review) -> dict[str, Any]:
    moments = {
        name: timezone.localtime(moment).isoformat(timespec="seconds") if moment else ""
        for name, moment in (("decided_at", review.decided_at), ("undone_at", review.undone_at))
    }
    plain = {name: getattr(review, name) for name in _COLUMNS if name in _PLAIN}
    people = {
        "reviewer": review.reviewer.get_username(),
        "undone_by": review.undone_by.get_username() if review.undone_by else "",
    }
    values = plain | moments | people | {"decision_title": review.get_decision_display()}
    return {name: values[name] for name in _COLUMNS}


_PLAIN = frozenset(_COLUMNS) - {"decided_at", "undone_at", "reviewer", "undone_by", "decision_title"}


def _cell(value: object) -> str:
    text = json.dumps(value) if isinstance(value, list) else str(value)
    return f"'{text}" if text.startswith(_FORMULA) or text.lstrip().startswith(_FORMULA) else text
