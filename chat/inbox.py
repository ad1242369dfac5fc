"""The inbox of what askers said of their answers: filtered, counted, handled, opened again, exported."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from django.contrib.auth.models import User
from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from chat.audit import decision_title
from chat.contract import Answer
from chat.display import stored_answer
from chat.export_text import local_time
from chat.masking import mask_personal_data
from chat.models import Feedback, FeedbackReason

VERDICTS = {"": "Mọi đánh giá", "sai": "Báo sai", "huu-ich": "Hữu ích"}
REASONS = {"": "Mọi lý do", **{str(value): str(title) for value, title in FeedbackReason.choices}}
PLACES = {"": "Chờ xử lý", "xong": "Đã xử lý", "tat-ca": "Tất cả"}
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


@dataclass(frozen=True, slots=True)
class InboxFilter:
    """What is looked for, by the keys of VERDICTS, REASONS and PLACES; what is none of them counts as ""."""

    verdict: str = ""
    reason: str = ""
    place: str = ""

    @classmethod
    def read(cls, query: Mapping[str, str]) -> InboxFilter:
        """From the address: danh-gia, ly-do, xu-ly."""
        return cls(
            _one_of(query.get("danh-gia", ""), VERDICTS),
            _one_of(query.get("ly-do", ""), REASONS),
            _one_of(query.get("xu-ly", ""), PLACES),
        )

    @property
    def query(self) -> str:
        """The address's query string again, without a page."""
        values = {"danh-gia": self.verdict, "ly-do": self.reason, "xu-ly": self.place}
        return urlencode({name: value for name, value in values.items() if value})

    def rows(self) -> QuerySet[Feedback]:
        """What it lets through, the newest first, with what a row shows."""
        found = Feedback.objects.select_related("turn", "handled_by").defer("turn__frame", "turn__trace")
        if self.verdict:
            found = found.filter(useful=self.verdict == "huu-ich")
        if self.reason:
            found = found.filter(reason=self.reason)
        if self.place != "tat-ca":
            found = found.filter(handled_at__isnull=not self.place)
        return found.order_by("-created_at", "-pk")


@dataclass(frozen=True, slots=True)
class ShownFeedback:
    """An opinion beside the answer that it is about; answer is None where it no longer reads."""

    feedback: Feedback
    reason: str
    decision: str
    answer: Answer | None


def show_feedback(feedback: Feedback) -> ShownFeedback:
    """With its words for the page. No query where the turn was fetched with it."""
    turn = feedback.turn
    reason = REASONS[feedback.reason] if feedback.reason else ""
    return ShownFeedback(feedback, reason, decision_title(turn.decision), stored_answer(turn))


def inbox_counts() -> dict[str, int]:
    """How many wait, how many of them say that something is wrong, and how many are done. One query."""
    waiting = Q(handled_at=None)
    return Feedback.objects.aggregate(
        waiting=Count("pk", filter=waiting),
        wrong=Count("pk", filter=waiting & Q(useful=False)),
        done=Count("pk", filter=~waiting),
    )


def handle_feedback(feedback_id: int, by: User, note: str) -> bool:
    """Marks an opinion as dealt with, the note masked; False where someone else already has.

    Raises Feedback.DoesNotExist. Not through save(), which would make the opinion look new.
    """
    values = {"handled_at": timezone.now(), "handled_by": by, "handled_note": mask_personal_data(note.strip())}
    return _changed(feedback_id, Q(handled_at=None), values)


def reopen_feedback(feedback_id: int) -> bool:
    """Lets an opinion wait again, with the note that was left; False where it waits already.

    Raises Feedback.DoesNotExist.
    """
    return _changed(feedback_id, ~Q(handled_at=None), {"handled_at": None, "handled_by": None})


def _changed(feedback_id: int, while_it: Q, values: dict[str, object]) -> bool:
    if Feedback.objects.filter(while_it, pk=feedback_id).update(**values):
        return True
    Feedback.objects.only("pk").get(pk=feedback_id)
    return False


HEADINGS = (
    "Lúc",
    "Đánh giá",
    "Lý do",
    "Nhận xét",
    "Câu hỏi",
    "Quyết định",
    "Kết luận",
    "Mã tra cứu",
    "Dữ liệu",
    "Xử lý lúc",
    "Người xử lý",
    "Ghi chú",
)


def export_rows(rows: QuerySet[Feedback]) -> Iterator[tuple[str, ...]]:
    """The headings, then a row for each opinion; no cell begins what a spreadsheet would take for a formula."""
    yield HEADINGS
    for feedback in rows.defer("turn__frame", "turn__trace", "turn__contract").iterator(chunk_size=500):
        yield tuple(without_formula(cell) for cell in _cells(feedback))


def without_formula(cell: str) -> str:
    """The text with an apostrophe before it where a spreadsheet would compute it."""
    return f"'{cell}" if cell.lstrip(" ").startswith(_FORMULA) else cell


def _cells(feedback: Feedback) -> tuple[str, ...]:
    turn, handled = feedback.turn, feedback.handled_at
    return (
        f"{local_time(feedback.created_at):%d/%m/%Y %H:%M}",
        "hữu ích" if feedback.useful else "sai",
        REASONS[feedback.reason] if feedback.reason else "",
        feedback.comment,
        turn.question,
        decision_title(turn.decision),
        turn.reason,
        str(turn.pk),
        turn.corpus_version,
        f"{local_time(handled):%d/%m/%Y %H:%M}" if handled else "",
        feedback.handled_by.get_username() if feedback.handled_by else "",
        feedback.handled_note,
    )


def _one_of(value: str, known: Mapping[str, str]) -> str:
    return value if value in known else ""
