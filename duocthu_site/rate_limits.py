"""How much one client may do: counted in the database, so that all processes share the count."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import ResolverMatch

from chat.api.problems import ProblemCode
from duocthu_site.api_frame import API_ROOT
from duocthu_site.client_address import client_address
from duocthu_site.environ import Rate
from duocthu_site.waiting import Wait, told_to_wait

log = logging.getLogger(__name__)
TOO_MANY = "Quá nhiều yêu cầu trong thời gian ngắn. Hãy đợi {wait} rồi thử lại."

# Which addresses count for what, beside all those of the API: those that answer, that search as one types, that take a
# file, and that take a password. A search is one only where words are given.
ANSWERING = frozenset(
    {"ask", "turn-again", "verbatim-read", "compare-interactions", "compare-sections", "api-v1:query", "api-v1:again"}
)
SEARCHING = {"monograph-list": "q", "verbatim": "q", "history": "tim", "chat": "tim", "conversation": "tim"}
API_SEARCHING = frozenset({"api-v1:drugs", "api-v1:conversations"})
UPLOADING = frozenset({"admin:ingest_run_upload"})
SIGNING_IN = frozenset({"sign-in", "admin:login", "password"})

# A bucket that leaks evenly: what is used of it reaches from now to used_until, one use is a part of the period, and a
# use that would reach beyond a whole period is refused. One statement, so that two clients at once wait for each other.
_TAKE = """
INSERT INTO duocthu_site_usedrate AS used (key, used_until)
VALUES (%(key)s, clock_timestamp() + make_interval(secs => %(one)s))
ON CONFLICT (key) DO UPDATE
SET used_until = greatest(used.used_until, clock_timestamp()) + make_interval(secs => %(one)s)
WHERE used.used_until <= clock_timestamp() + make_interval(secs => %(rest)s)
RETURNING true
"""
_WAIT = """
SELECT extract(epoch FROM used_until - clock_timestamp() - make_interval(secs => %(rest)s))
FROM duocthu_site_usedrate WHERE key = %(key)s
"""


def take(key: str, rate: Rate) -> float:
    """Uses up one of a rate; 0.0, or the seconds to wait where it is used up, and then nothing is used."""
    one = rate.seconds / rate.count
    values: dict[str, str | float] = {"key": key, "one": one, "rest": rate.seconds - one}
    with connection.cursor() as cursor:
        cursor.execute(_TAKE, values)
        if cursor.fetchone():
            return 0.0
        cursor.execute(_WAIT, values)
        row = cursor.fetchone()
    return max(1.0, float(row[0])) if row else 1.0


class RateLimits:
    """Refuses what goes beyond a limit, before the view or its forms read anything."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Nothing is known yet of what is asked for."""
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, _view: object, _args: list[Any], _kwargs: dict[str, Any]
    ) -> HttpResponse | None:
        """The refusal, where one of the limits that count here is used up."""
        match = request.resolver_match
        limits = limits_of(request, match) if match else ()
        wait = max((_waiting(request, name) for name in limits), default=0.0)
        return too_many(request, math.ceil(wait)) if wait else None


def limits_of(request: HttpRequest, match: ResolverMatch) -> tuple[str, ...]:
    """The limits that a request counts for."""
    name, posted = match.view_name, request.method == "POST"
    searched = name in API_SEARCHING or (name in SEARCHING and bool(request.GET.get(SEARCHING[name])))
    found = {
        "api": request.path.startswith(API_ROOT),
        "questions": name in ANSWERING and (posted or bool(request.GET)),
        "searches": searched,
        "uploads": name in UPLOADING and posted,
        "sign_in": name in SIGNING_IN and posted,
    }
    return tuple(limit for limit, counts in found.items() if counts)


def client_of(request: HttpRequest) -> str:
    """Whom a request counts for: the user, or else the address."""
    return f"user:{request.user.pk}" if request.user.is_authenticated else f"at:{client_address(request)}"


def too_many(request: HttpRequest, seconds: int) -> HttpResponse:
    """429 with what to do, as the asker can read it."""
    return told_to_wait(request, Wait(ProblemCode.RATE_LIMITED, "Quá nhiều yêu cầu", TOO_MANY, seconds))


def _waiting(request: HttpRequest, name: str) -> float:
    rate: Rate | None = settings.RATE_LIMITS[name]
    if rate is None:
        return 0.0
    try:
        return take(f"{name}:{client_of(request)}", rate)
    except DatabaseError:
        # What cannot be counted is let through: the view will say what the database cannot do.
        log.warning("rate_not_counted limit=%s", name, exc_info=True)
        return 0.0
