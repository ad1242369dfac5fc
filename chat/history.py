"""The list of earlier conversations: search, rename, delete."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe
from django.views.decorators.vary import vary_on_headers

from chat.forms import RenameForm
from chat.ownership import owner_of
from chat.pages import history_context, owned_conversation
from chat.turns import delete_conversation, rename_conversation
from monographs.htmx import HtmxHttpRequest


@require_safe
@never_cache
@vary_on_headers("HX-Request")
def search(request: HtmxHttpRequest) -> HttpResponse:
    """The asker's conversations: a page, or the list alone where htmx asked."""
    context = {**history_context(request), "area": "chat", "whole_page": True}
    return render(request, "chat/_history_list.html" if request.htmx else "chat/history.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def rename(request: HttpRequest, conversation_id: UUID) -> HttpResponse:
    """A form with the title, and what it is changed to."""
    found = owned_conversation(request, conversation_id)
    form = RenameForm(request.POST if request.method == "POST" else None, initial={"title": found.title})
    if request.method == "POST" and form.is_valid():
        rename_conversation(owner_of(request), found.pk, form.cleaned_data["title"])
        return redirect("conversation", found.pk)
    status = 422 if form.errors else 200
    context = {"conversation": found, "form": form, "area": "chat"}
    return render(request, "chat/rename.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def delete(request: HttpRequest, conversation_id: UUID) -> HttpResponse:
    """Asks once, then deletes a conversation for good."""
    found = owned_conversation(request, conversation_id)
    if request.method == "POST":
        delete_conversation(owner_of(request), found.pk)
        return redirect("chat")
    return render(request, "chat/delete.html", {"conversation": found, "turns": found.turns.count(), "area": "chat"})
