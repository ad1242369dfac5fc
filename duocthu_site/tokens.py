"""Tokens of the API: made, told once, known again, and taken for their user."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable
from datetime import timedelta

from django.contrib.auth import authenticate
from django.contrib.auth.models import User
from django.db.models import Q
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone

from chat.api.problems import ProblemCode, problem_response
from duocthu_site.api_frame import API_ROOT
from duocthu_site.models import ApiToken

MARK = "dt_"
HINT_LENGTH = 10
# The time of use is written at most this often.
USE_NOTED_EVERY = timedelta(minutes=1)
REFUSED = {"WWW-Authenticate": 'Bearer realm="duocthu", error="invalid_token"'}


def make_token(user: User, name: str) -> tuple[ApiToken, str]:
    """A token of a user, saved, and the text of it, which nothing can tell again."""
    row = ApiToken(user=user, name=name)
    text = fill_token(row)
    row.full_clean()
    row.save()
    return row, text


def fill_token(row: ApiToken) -> str:
    """Gives a new row its secret; the text of it."""
    text = MARK + secrets.token_urlsafe(32)
    row.digest, row.hint = digest_of(text), text[:HINT_LENGTH]
    return text


def digest_of(text: str) -> str:
    """What is kept of a token: it holds 256 random bits, so that no slow or salted hash is needed."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def revoke(row: ApiToken) -> None:
    """Ends a token for good; one that is ended stays as it is."""
    ApiToken.objects.filter(pk=row.pk, revoked_at=None).update(revoked_at=timezone.now())


class TokenBackend:
    """Knows a user by a token."""

    def authenticate(self, request: HttpRequest | None, *, api_token: str) -> User | None:
        """The user of a token that is not revoked, while the account is active."""
        tokens = ApiToken.objects.select_related("user").filter(revoked_at=None, user__is_active=True)
        found = tokens.filter(digest=digest_of(api_token)).first()
        if found is None:
            return None
        now = timezone.now()
        seldom = Q(last_used_at=None) | Q(last_used_at__lt=now - USE_NOTED_EVERY)
        ApiToken.objects.filter(seldom, pk=found.pk).update(last_used_at=now)
        return found.user


class TokenUser:
    """Takes a request to the API with a token for its user; a wrong token is refused, also where none is needed."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """A token counts before a session."""
        given = request.headers.get("Authorization", "")
        if not given or not request.path.startswith(API_ROOT):
            return self.get_response(request)
        scheme, _, token = given.partition(" ")
        user = authenticate(request, api_token=token.strip()) if scheme.lower() == "bearer" else None
        if user is None:
            return problem_response(request, ProblemCode.UNAUTHENTICATED, headers=REFUSED)
        request.user = user
        return self.get_response(request)
