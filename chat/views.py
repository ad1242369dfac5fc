"""Pages of the chat: ask, read the conversation, follow a turn until it is done, ask it again, say what was wrong."""

from __future__ import annotations

import re
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from chat.display import show_turn, source_of_turn
from chat.forms import AskForm, FeedbackForm
from chat.models import Conversation, FeedbackReason
from chat.ownership import owner_of
from chat.pages import (
    CORRELATION_HEADER,
    NOT_YOURS,
    conversation_page,
    dispatched,
    echo,
    opinion_refused,
    owned_conversation,
    owned_turn,
    refresh,
    turn_fragment,
    turn_shown,
)
from chat.shortcuts import SHORTCUTS
from chat.turns import cancel_turn, give_feedback, start_rerun, start_turn
from monographs.htmx import HtmxHttpRequest, NotShown

NO_SOURCE = "Không tìm thấy nguồn này trong câu trả lời."
_CORRELATION_ID = re.compile(r"[A-Za-z0-9._-]{1,100}")


@require_safe
@never_cache
def chat(request: HttpRequest) -> HttpResponse:
    """The question box, with examples."""
    return conversation_page(request)


@require_POST
@never_cache
def ask(request: HtmxHttpRequest) -> HttpResponse:
    """Stores the question and has it answered; then the conversation, or the new turn where htmx asked."""
    form = AskForm(request.POST)
    if not form.is_valid():
        return _refuse(request, form)
    correlation_id = _correlation_id(request)
    try:
        turn = start_turn(
            owner=owner_of(request),
            question=form.cleaned_data["question"],
            conversation_id=form.cleaned_data["conversation"],
            correlation_id=correlation_id,
        )
    except Conversation.DoesNotExist as error:
        raise NotShown(NOT_YOURS) from error
    return echo(dispatched(request, turn), correlation_id)


@require_safe
@never_cache
def conversation(request: HttpRequest, conversation_id: UUID) -> HttpResponse:
    """A conversation with all its turns."""
    return conversation_page(request, current=owned_conversation(request, conversation_id))


@require_safe
@never_cache
@vary_on_headers("HX-Request")
def turn(request: HtmxHttpRequest, turn_id: UUID) -> HttpResponse:
    """One turn: the fragment that a pending one polls, a page of its own otherwise."""
    found = owned_turn(request, turn_id)
    if request.htmx:
        return turn_fragment(request, show_turn(found))
    context = {
        "shown_turn": show_turn(found),
        "conversation": found.conversation,
        "refresh": "" if found.is_final else refresh(request, request.path, found),
        "area": "chat",
        "feedback_reasons": FeedbackReason.choices,
    }
    return echo(render(request, "chat/turn.html", context), found.correlation_id)


@require_POST
@never_cache
def turn_cancel(request: HtmxHttpRequest, turn_id: UUID) -> HttpResponse:
    """Gives up a turn that is not done."""
    owned_turn(request, turn_id)
    cancel_turn(owner_of(request), turn_id)
    return turn_shown(request, turn_id)


@require_POST
@never_cache
def turn_again(request: HtmxHttpRequest, turn_id: UUID) -> HttpResponse:
    """Asks a question again, of the edition that is served now."""
    owned_turn(request, turn_id)
    return dispatched(request, start_rerun(owner_of(request), turn_id))


@require_POST
@never_cache
def turn_feedback(request: HtmxHttpRequest, turn_id: UUID) -> HttpResponse:
    """Keeps what the asker thought of a turn; said again, it replaces what was said."""
    owned_turn(request, turn_id)
    form = FeedbackForm(request.POST)
    if not form.is_valid():
        return opinion_refused(request, owned_turn(request, turn_id), form)
    give_feedback(owner_of(request), turn_id, **form.cleaned_data)
    return turn_shown(request, turn_id)


@require_safe
@never_cache
@vary_on_headers("HX-Request")
def turn_source(request: HtmxHttpRequest, turn_id: UUID, number: int) -> HttpResponse:
    """A source as the stored answer cites it: its lines, its words of that time, its edition."""
    source = source_of_turn(owned_turn(request, turn_id), number)
    if source is None:
        raise NotShown(NO_SOURCE)
    whole_page = request.GET.get("view") == "page"
    context = {
        "cited": source,
        "cited_regions": source.pages if whole_page else source.regions,
        "whole_page": whole_page,
        "turn_id": turn_id,
        "area": "chat",
    }
    return render(request, "chat/_source.html" if request.htmx else "chat/source.html", context)


@require_safe
@vary_on_headers("HX-Request")
def help_page(request: HtmxHttpRequest) -> HttpResponse:
    """How to ask, and the keys: a page, or the sheet that is laid over one."""
    template = "chat/_help_sheet.html" if request.htmx else "chat/help.html"
    return render(request, template, {"shortcuts": SHORTCUTS, "area": "help"})


def _refuse(request: HtmxHttpRequest, form: AskForm) -> HttpResponse:
    """422 with what was typed still in the box."""
    asked_in = form.cleaned_data.get("conversation")
    current = owned_conversation(request, asked_in) if asked_in else None
    if request.htmx:
        response = render(request, "chat/_composer.html", {"form": form, "conversation": current}, status=422)
        response.headers["HX-Retarget"] = "#composer"
        response.headers["HX-Reswap"] = "outerHTML"
        return response
    return conversation_page(request, current=current, form=form, status=422)


def _correlation_id(request: HttpRequest) -> str:
    """The caller's own id for this request, where it is one that may be stored and echoed."""
    given = request.headers.get(CORRELATION_HEADER, "")
    return given if _CORRELATION_ID.fullmatch(given) else ""
