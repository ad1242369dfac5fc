"""An answer to take along: as a PDF, or as text for a report."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.utils.timezone import localtime
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from chat.contract import Answer
from chat.display import stored_answer
from chat.export_pdf import answer_pdf
from chat.export_text import answer_text
from chat.models import Turn
from chat.pages import owned_turn
from monographs.htmx import NotShown

NO_ANSWER = "Lượt hỏi này không có câu trả lời nên không xuất được."


@require_safe
@never_cache
def turn_pdf(request: HttpRequest, turn_id: UUID) -> HttpResponse:
    """The stored answer with its citations, edition, time and disclaimer, set for printing."""
    turn, answer = _answered(request, turn_id)
    pdf = answer_pdf(question=turn.question, asked_at=turn.created_at, answer=answer)
    return _file(pdf, "application/pdf", turn, "pdf")


@require_safe
@never_cache
def turn_text(request: HttpRequest, turn_id: UUID) -> HttpResponse:
    """The stored answer as plain text with its citations."""
    turn, answer = _answered(request, turn_id)
    text = answer_text(question=turn.question, asked_at=turn.created_at, answer=answer)
    return _file(text.encode(), "text/plain; charset=utf-8", turn, "txt")


def _answered(request: HttpRequest, turn_id: UUID) -> tuple[Turn, Answer]:
    turn = owned_turn(request, turn_id)
    answer = stored_answer(turn)
    if answer is None:
        raise NotShown(NO_ANSWER)
    return turn, answer


def _file(content: bytes, content_type: str, turn: Turn, ending: str) -> HttpResponse:
    name = f"duoc-thu-{localtime(turn.created_at):%Y%m%d-%H%M}-{str(turn.pk)[:8]}.{ending}"
    headers = {"Content-Disposition": f'inline; filename="{name}"'}
    return HttpResponse(content, content_type=content_type, headers=headers)
