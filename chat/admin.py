"""Conversations, turns and feedback for audit; a turn is a record and is never edited, and its owner never shown."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import timedelta
from uuid import UUID

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import F, Model, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import render
from django.urls import URLPattern, path

from chat import staff_views
from chat.audit import audit_turn, decision_title
from chat.audit_words import DECISION_TITLES
from chat.domain import Decision, Reason
from chat.models import Conversation, Feedback, Turn
from chat.outcomes import OUTCOMES
from monographs.admin import ReadOnlyAdmin
from monographs.corpus import BULK
from monographs.text import fold

SLOW = timedelta(seconds=1)
NO_TURN = "Không tìm thấy lượt hỏi này."
_ACCENTED = {
    "a": "àáảãạăằắẳẵặâầấẩẫậ",
    "e": "èéẻẽẹêềếểễệ",
    "i": "ìíỉĩị",
    "o": "òóỏõọôồốổỗộơờớởỡợ",
    "u": "ùúủũụưừứửữự",
    "y": "ỳýỷỹỵ",
    "d": "đ",
}


@admin.register(Conversation)
class ConversationAdmin(ReadOnlyAdmin):
    """Conversations; whose they are is not shown."""

    list_display = ("title", "clarify_streak", "created_at", "updated_at")
    search_fields = ("title",)
    exclude = ("owner",)


class DecisionFilter(admin.SimpleListFilter):
    """By decision, in words; the choices cost no query."""

    title = "quyết định"
    parameter_name = "decision"

    def lookups(self, request: HttpRequest, model_admin: object) -> Iterable[tuple[str, str]]:
        """Every decision."""
        return [(decision.value, DECISION_TITLES[decision]) for decision in Decision]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Model]) -> QuerySet[Model]:
        """Turns that ended so."""
        return queryset.filter(decision=self.value()) if self.value() else queryset


class ReasonFilter(admin.SimpleListFilter):
    """By reason: its name, as it stands in the contract, under its decision."""

    title = "lý do"
    parameter_name = "reason"

    def lookups(self, request: HttpRequest, model_admin: object) -> Iterable[tuple[str, str]]:
        """The reasons of the decision that is chosen, or all of them."""
        chosen = request.GET.get(DecisionFilter.parameter_name)
        found = [(reason, OUTCOMES[reason].decision) for reason in Reason]
        return [
            (reason.value, f"{DECISION_TITLES[decision]}: {reason.value}")
            for reason, decision in found
            if chosen in {None, "", decision.value}
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Model]) -> QuerySet[Model]:
        """Turns that ended for it."""
        return queryset.filter(reason=self.value()) if self.value() else queryset


class FeedbackFilter(admin.SimpleListFilter):
    """By what the asker said."""

    title = "phản hồi"
    parameter_name = "said"

    def lookups(self, request: HttpRequest, model_admin: object) -> Iterable[tuple[str, str]]:
        """Useful, wrong, anything, nothing."""
        return [("wrong", "báo sai"), ("useful", "hữu ích"), ("any", "có phản hồi"), ("none", "không có phản hồi")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Model]) -> QuerySet[Model]:
        """Turns of which that was said."""
        wanted = {
            "wrong": Q(feedback__useful=False),
            "useful": Q(feedback__useful=True),
            "any": Q(feedback__isnull=False),
            "none": Q(feedback__isnull=True),
        }
        chosen = wanted.get(self.value() or "")
        return queryset.filter(chosen) if chosen else queryset


class SlowFilter(admin.SimpleListFilter):
    """By how long the asker waited, the wait for a worker included."""

    title = "thời gian chờ"
    parameter_name = "slow"

    def lookups(self, request: HttpRequest, model_admin: object) -> Iterable[tuple[str, str]]:
        """Slow ones."""
        return [("1", "từ 1 giây")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Model]) -> QuerySet[Model]:
        """Turns that took so long."""
        return queryset.filter(finished_at__gte=F("created_at") + SLOW) if self.value() else queryset


@admin.register(Turn)
class TurnAdmin(ReadOnlyAdmin):
    """Turns, each with its whole trace."""

    list_display = ("asked", "decided", "reason", "state", "took", "said", "created_at")
    list_filter = ("state", DecisionFilter, FeedbackFilter, SlowFilter, "created_at", ReasonFilter)
    list_select_related = ("feedback",)
    search_fields = ("question",)
    search_help_text = "Từ trong câu hỏi (không cần dấu), mã tra cứu, hoặc mã của hệ thống gọi"
    ordering = ("-created_at",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Model]:
        """Without what no list shows."""
        return super().get_queryset(request).defer("contract", "frame", "trace")

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Model], search_term: str
    ) -> tuple[QuerySet[Model], bool]:
        """By trace id, by correlation id, or by every one of the words, accents aside."""
        term = search_term.strip()
        if not term:
            return queryset, False
        try:
            return queryset.filter(pk=UUID(term)), False
        except ValueError:
            words = Q(*[("question__iregex", _pattern(word)) for word in fold(term).split()])
            return queryset.filter(words | Q(correlation_id=term)), False

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, object] | None = None,
    ) -> HttpResponse:
        """The audit of one turn."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        if request.method not in {"GET", "HEAD"}:
            return HttpResponseNotAllowed(["GET", "HEAD"])
        turn = _turn(object_id)
        context = {
            **self.admin_site.each_context(request),
            "title": "Lượt hỏi",
            "opts": self.opts,
            "audit": audit_turn(turn),
        }
        return render(request, "admin/chat/turn_audit.html", context)

    @admin.display(description="câu hỏi", ordering="question")
    def asked(self, turn: Turn) -> str:
        """The beginning of the question."""
        return turn.question if len(turn.question) <= 120 else f"{turn.question[:119]}…"

    @admin.display(description="quyết định", ordering="decision")
    def decided(self, turn: Turn) -> str:
        """The decision in words."""
        return decision_title(turn.decision)

    @admin.display(description="chờ (ms)")
    def took(self, turn: Turn) -> str:
        """From question to answer."""
        waited = turn.finished_at - turn.created_at if turn.finished_at else None
        return f"{waited / timedelta(milliseconds=1):.0f}" if waited else ""

    @admin.display(description="phản hồi")
    def said(self, turn: Turn) -> str:
        """What the asker thought of it."""
        feedback: Feedback | None = getattr(turn, "feedback", None)
        return str(feedback) if feedback else ""


@admin.register(Feedback)
class FeedbackAdmin(ReadOnlyAdmin):
    """What readers thought, as records; the inbox is where it is dealt with."""

    list_display = ("turn", "useful", "reason", "comment", "handled_at", "created_at")
    list_filter = ("useful", "reason")
    list_select_related = ("turn",)

    def get_urls(self) -> list[URLPattern]:
        """The inbox beside the records."""
        view = self.admin_site.admin_view
        own = [
            path("inbox/", view(staff_views.inbox), name="chat_feedback_inbox"),
            path("inbox/export.csv", view(staff_views.export), name="chat_feedback_export"),
            path("<int:feedback_id>/handle/", view(staff_views.handle), name="chat_feedback_handle"),
            path("<int:feedback_id>/reopen/", view(staff_views.reopen), name="chat_feedback_reopen"),
        ]
        return [*own, *super().get_urls()]


def _turn(object_id: str) -> Turn:
    """The turn with what its audit shows. Raises Http404."""
    related = ("edition", "conversation", "rerun_of", "feedback__handled_by")
    turns = Turn.objects.select_related(*related).defer(*(f"edition__{name}" for name in BULK), "conversation__owner")
    try:
        return turns.get(pk=UUID(object_id))
    except (ValueError, Turn.DoesNotExist) as error:
        raise Http404(NO_TURN) from error


def _pattern(word: str) -> str:
    """A regular expression for the word with any accents: "lieu" finds "liều"."""
    return "".join(f"[{letter}{_ACCENTED[letter]}]" if letter in _ACCENTED else re.escape(letter) for letter in word)
