"""Addresses of the chat."""

from __future__ import annotations

from django.urls import path

from chat import views

urlpatterns = [
    path("", views.chat, name="chat"),
    path("ask/", views.ask, name="ask"),
    path("c/<uuid:conversation_id>/", views.conversation, name="conversation"),
    path("turns/<uuid:turn_id>/", views.turn, name="turn"),
    path("turns/<uuid:turn_id>/cancel/", views.turn_cancel, name="turn-cancel"),
]
