"""Addresses of the chat."""

from __future__ import annotations

from django.urls import path

from chat import compare_sections, compare_views, exports, history, verbatim, views

urlpatterns = [
    path("", views.chat, name="chat"),
    path("ask/", views.ask, name="ask"),
    path("c/<uuid:conversation_id>/", views.conversation, name="conversation"),
    path("c/<uuid:conversation_id>/rename/", history.rename, name="conversation-rename"),
    path("c/<uuid:conversation_id>/delete/", history.delete, name="conversation-delete"),
    path("history/", history.search, name="history"),
    path("turns/<uuid:turn_id>/", views.turn, name="turn"),
    path("turns/<uuid:turn_id>/cancel/", views.turn_cancel, name="turn-cancel"),
    path("turns/<uuid:turn_id>/again/", views.turn_again, name="turn-again"),
    path("turns/<uuid:turn_id>/feedback/", views.turn_feedback, name="turn-feedback"),
    path("turns/<uuid:turn_id>/sources/<int:number>/", views.turn_source, name="turn-source"),
    path("turns/<uuid:turn_id>/answer.pdf", exports.turn_pdf, name="turn-pdf"),
    path("turns/<uuid:turn_id>/answer.txt", exports.turn_text, name="turn-text"),
    path("read/", verbatim.choose, name="verbatim"),
    path("read/section/", verbatim.read, name="verbatim-read"),
    path("compare/", compare_views.compare, name="compare"),
    path("compare/sections/", compare_sections.sections, name="compare-sections"),
    path("compare/interactions/", compare_views.interactions, name="compare-interactions"),
    path("help/", views.help_page, name="help"),
]
