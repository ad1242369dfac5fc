"""What the views of the chat share: whose things they show, the page of a conversation, the fragment of a turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from django.conf import settings
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from chat.display import Refusal, ShownTurn, show_turn
from chat.forms import AskForm, FeedbackForm
from chat.models import Conversation, FeedbackReason, Turn
from chat.ownership import known_owner
from chat.tasks import dispatch_turn
from chat.turn_sweep import end_overdue
from chat.turns import conversations_of, find_conversations, turns_of
from monographs.corpus import current_edition
from monographs.htmx import HtmxHttpRequest, NotShown

CONVERSATIONS_SHOWN = 40
CORRELATION_HEADER = "X-Correlation-ID"
NOT_YOURS = "Không tìm thấy cuộc hỏi này, hoặc nó thuộc về người khác."
EXAMPLES = (
    "Liều paracetamol cho người lớn đường uống?",
    "Chống chỉ định của ibuprofen?",
    "Bảo quản adrenalin thế nào?",
)


def conversation_page(
    request: HttpRequest,
    *,
    current: Conversation | None = None,
    form: AskForm | None = None,
    refused: ShownTurn | None = None,
    status: int = 200,
) -> HttpResponse:
    """The chat: the opening page, or a conversation with all its turns; one of them with what was refused of it."""
    owner = known_owner(request)
    found_turns = turns_of(owner, current.pk) if current else []
    for found in found_turns:
        end_overdue(found)
    turns: list[ShownTurn] = [show_turn(found) for found in found_turns]
    if refused:
        turns = [refused if shown.turn == refused.turn else shown for shown in turns]
    path = reverse("conversation", args=[current.pk]) if current else ""
    context = {
        "current_edition": current_edition(),
        "area": "chat",
        "conversation": current,
        "turns": turns,
        "refresh": next((refresh(request, path, shown.turn) for shown in turns if not shown.turn.is_final), ""),
        "form": form,
        "examples": EXAMPLES,
        "model_writes": settings.ANSWER_PROVIDER != "disabled",
        "feedback_reasons": FeedbackReason.choices,
        **history_context(request),
    }
    return render(request, "chat/conversation.html" if current else "chat/chat.html", context, status=status)


def history_context(request: HttpRequest) -> dict[str, object]:
    """A page of the asker's earlier conversations, or of those that match what is searched for among them."""
    owner, query = known_owner(request), request.GET.get("tim", "").strip()[:200]
    found: Sequence[Conversation] | QuerySet[Conversation] = ()
    if owner:
        found = find_conversations(owner, query) if query else conversations_of(owner)
    shown = Paginator(found, CONVERSATIONS_SHOWN).get_page(request.GET.get("trang"))
    return {"history_page": shown, "history_query": query, "reading": request.GET.get("dang-doc", "")}


def owned_conversation(request: HttpRequest, conversation_id: UUID) -> Conversation:
    """The asker's conversation. Raises NotShown where it is not theirs, as where it does not exist."""
    owner = known_owner(request)
    found = Conversation.objects.filter(pk=conversation_id, owner=owner).first() if owner else None
    if found is None:
        raise NotShown(NOT_YOURS)
    return found


def owned_turn(request: HttpRequest, turn_id: UUID) -> Turn:
    """The asker's turn with what its page needs. Raises NotShown where it is not theirs."""
    owner = known_owner(request)
    turns = Turn.objects.select_related("conversation", "rerun_of", "feedback")
    found = turns.filter(pk=turn_id, conversation__owner=owner).first() if owner else None
    if found is None:
        raise NotShown(NOT_YOURS)
    end_overdue(found)
    return found


def turn_fragment(request: HttpRequest, shown: ShownTurn) -> HttpResponse:
    """The turn alone, as htmx swaps it in; 422 where something was refused."""
    found = shown.turn
    context = {
        "shown_turn": shown,
        "conversation": found.conversation,
        "announce": found.is_final and not shown.refused,
        "feedback_reasons": FeedbackReason.choices,
    }
    status = 422 if shown.refused else 200
    return echo(render(request, "chat/_turn.html", context, status=status), found.correlation_id)


def opinion_refused(request: HtmxHttpRequest, found: Turn, form: FeedbackForm) -> HttpResponse:
    """The turn, or the conversation with it, and what is wrong with an opinion of it, 422."""
    problem = str(next(iter(form.errors.values()))[0])
    shown = replace(show_turn(found), refused=Refusal(problem, str(form["comment"].value() or "")))
    if request.htmx:
        return turn_fragment(request, shown)
    return conversation_page(request, current=found.conversation, refused=shown, status=422)


def to_turn(found: Turn) -> HttpResponse:
    """The conversation, at this turn."""
    response = redirect("conversation", found.conversation_id)
    response.headers["Location"] += f"#luot-{found.pk}"
    return response


def turn_shown(request: HtmxHttpRequest, turn_id: UUID) -> HttpResponse:
    """A turn after something was done to it: the fragment where htmx asked, else the conversation at it."""
    found = owned_turn(request, turn_id)
    return turn_fragment(request, show_turn(found)) if request.htmx else to_turn(found)


def dispatched(request: HtmxHttpRequest, turn: Turn) -> HttpResponse:
    """Has a new turn answered, and shows it."""
    dispatch_turn(turn)
    return turn_shown(request, turn.pk)


def refresh(request: HttpRequest, path: str, found: Turn) -> str:
    """How a page without scripts looks again: to a new address each time, since one that differs from the
    current one in nothing but its fragment would only scroll; ever more slowly."""
    times = request.GET.get("lan", "")
    done = int(times) if times.isascii() and times.isdigit() and len(times) < 5 else 0
    return f"{min(2 + done // 5, 10)}; url={path}?lan={done + 1}#luot-{found.pk}"


def echo(response: HttpResponse, correlation_id: str) -> HttpResponse:
    """Returns the caller's own id for the request."""
    if correlation_id:
        response.headers[CORRELATION_HEADER] = correlation_id
    return response
