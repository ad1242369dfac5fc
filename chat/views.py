"""Pages of the chat: ask, read the conversation, follow a turn until it is done, cancel it."""

from __future__ import annotations

import re
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from chat.display import ShownTurn, show_turn
from chat.forms import AskForm
from chat.models import Conversation, Turn
from chat.ownership import owner_of
from chat.tasks import dispatch_turn
from chat.turns import cancel_turn, conversations_of, start_turn, turns_of
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
_CORRELATION_ID = re.compile(r"[A-Za-z0-9._-]{1,100}")


@require_safe
@never_cache
def chat(request: HttpRequest) -> HttpResponse:
    """The question box, with examples."""
    return _page(request, owner=owner_of(request))


@require_POST
@never_cache
def ask(request: HtmxHttpRequest) -> HttpResponse:
    """Stores the question and has it answered; then the conversation, or the new turn where htmx asked."""
    owner = owner_of(request)
    form = AskForm(request.POST)
    if not form.is_valid():
        return _refuse(request, form, owner=owner)
    correlation_id = _correlation_id(request)
    try:
        turn = start_turn(
            owner=owner,
            question=form.cleaned_data["question"],
            conversation_id=form.cleaned_data["conversation"],
            correlation_id=correlation_id,
        )
    except Conversation.DoesNotExist as error:
        raise NotShown(NOT_YOURS) from error
    dispatch_turn(turn)
    response = _turn_fragment(request, turn) if request.htmx else _to_turn(turn)
    return _echo(response, correlation_id)


@require_safe
@never_cache
def conversation(request: HttpRequest, conversation_id: UUID) -> HttpResponse:
    """A conversation with all its turns."""
    owner = owner_of(request)
    return _page(request, owner=owner, current=_owned(owner, conversation_id))


@require_safe
@never_cache
@vary_on_headers("HX-Request")
def turn(request: HtmxHttpRequest, turn_id: UUID) -> HttpResponse:
    """One turn: the fragment that a pending one polls, a page of its own otherwise."""
    found = _owned_turn(owner_of(request), turn_id)
    if request.htmx:
        return _turn_fragment(request, found)
    shown = show_turn(found)
    refresh = "" if found.is_final else _refresh(request, request.path, found)
    context = {"shown_turn": shown, "conversation": found.conversation, "refresh": refresh, "area": "chat"}
    return _echo(render(request, "chat/turn.html", context), found.correlation_id)


@require_POST
@never_cache
def turn_cancel(request: HtmxHttpRequest, turn_id: UUID) -> HttpResponse:
    """Gives up a turn that is not done."""
    owner = owner_of(request)
    _owned_turn(owner, turn_id)
    cancel_turn(owner, turn_id)
    found = _owned_turn(owner, turn_id)
    return _turn_fragment(request, found) if request.htmx else _to_turn(found)


def _page(
    request: HttpRequest,
    *,
    owner: str,
    current: Conversation | None = None,
    form: AskForm | None = None,
    status: int = 200,
) -> HttpResponse:
    turns: list[ShownTurn] = [show_turn(found) for found in turns_of(owner, current.pk)] if current else []
    path = reverse("conversation", args=[current.pk]) if current else ""
    context = {
        "current_edition": current_edition(),
        "area": "chat",
        "conversation": current,
        "conversations": conversations_of(owner)[:CONVERSATIONS_SHOWN],
        "turns": turns,
        "refresh": next((_refresh(request, path, shown.turn) for shown in turns if not shown.turn.is_final), ""),
        "form": form,
        "examples": EXAMPLES,
    }
    return render(request, "chat/conversation.html" if current else "chat/chat.html", context, status=status)


def _refuse(request: HtmxHttpRequest, form: AskForm, *, owner: str) -> HttpResponse:
    """422 with what was typed still in the box."""
    asked_in = form.cleaned_data.get("conversation")
    current = _owned(owner, asked_in) if asked_in else None
    if request.htmx:
        response = render(request, "chat/_composer.html", {"form": form, "conversation": current}, status=422)
        response.headers["HX-Retarget"] = "#composer"
        response.headers["HX-Reswap"] = "outerHTML"
        return response
    return _page(request, owner=owner, current=current, form=form, status=422)


def _owned(owner: str, conversation_id: UUID) -> Conversation:
    found = Conversation.objects.filter(pk=conversation_id, owner=owner).first()
    if found is None:
        raise NotShown(NOT_YOURS)
    return found


def _owned_turn(owner: str, turn_id: UUID) -> Turn:
    found = Turn.objects.select_related("conversation").filter(pk=turn_id, conversation__owner=owner).first()
    if found is None:
        raise NotShown(NOT_YOURS)
    return found


def _turn_fragment(request: HttpRequest, found: Turn) -> HttpResponse:
    context = {"shown_turn": show_turn(found), "conversation": found.conversation, "announce": found.is_final}
    return _echo(render(request, "chat/_turn.html", context), found.correlation_id)


def _to_turn(found: Turn) -> HttpResponse:
    response = redirect("conversation", found.conversation_id)
    response.headers["Location"] += f"#luot-{found.pk}"
    return response


def _refresh(request: HttpRequest, path: str, found: Turn) -> str:
    """How a page without scripts looks again: to a new address each time, since one that differs from the
    current one in nothing but its fragment would only scroll; ever more slowly."""
    times = request.GET.get("lan", "")
    done = int(times) if times.isascii() and times.isdigit() and len(times) < 5 else 0
    return f"{min(2 + done // 5, 10)}; url={path}?lan={done + 1}#luot-{found.pk}"


def _correlation_id(request: HttpRequest) -> str:
    """The caller's own id for this request, where it is one that may be stored and echoed."""
    given = request.headers.get(CORRELATION_HEADER, "")
    return given if _CORRELATION_ID.fullmatch(given) else ""


def _echo(response: HttpResponse, correlation_id: str) -> HttpResponse:
    if correlation_id:
        response.headers[CORRELATION_HEADER] = correlation_id
    return response
