"""Who a conversation belongs to."""

from __future__ import annotations

import secrets

from django.http import HttpRequest

_SESSION_KEY = "chat_owner"


def owner_of(request: HttpRequest) -> str:
    """The owner of what this request asks: the user, or a random token kept in the session (made when needed)."""
    if request.user.is_authenticated:
        return f"user:{request.user.pk}"
    token = request.session.get(_SESSION_KEY)
    if not isinstance(token, str):
        token = secrets.token_urlsafe(24)
        request.session[_SESSION_KEY] = token
    return f"anon:{token}"


def known_owner(request: HttpRequest) -> str:
    """The owner where there is one yet; "" for a visitor who has asked nothing, of whom nothing is kept."""
    if request.user.is_authenticated or isinstance(request.session.get(_SESSION_KEY), str):
        return owner_of(request)
    return ""
