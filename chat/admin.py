"""Conversations and turns for audit; a turn is a record and is never edited."""

from __future__ import annotations

from django.contrib import admin

from chat.models import Conversation, Feedback, Turn
from monographs.admin import ReadOnlyAdmin


@admin.register(Conversation)
class ConversationAdmin(ReadOnlyAdmin):
    """Conversations; whose they are is not shown."""

    list_display = ("title", "clarify_streak", "created_at", "updated_at")
    search_fields = ("title",)
    exclude = ("owner",)


@admin.register(Turn)
class TurnAdmin(ReadOnlyAdmin):
    """Turns with the contract they were answered with."""

    list_display = ("__str__", "state", "decision", "reason", "corpus_version", "created_at")
    list_filter = ("state", "decision", "reason")
    search_fields = ("question", "correlation_id", "=id")
    date_hierarchy = "created_at"


@admin.register(Feedback)
class FeedbackAdmin(ReadOnlyAdmin):
    """What readers thought."""

    list_display = ("turn", "useful", "reason", "comment", "created_at")
    list_filter = ("useful", "reason")
    list_select_related = ("turn",)
