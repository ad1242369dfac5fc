"""What holds for every request to the API and its answer: an id of its own, limits of size and form, JSON refusals."""

from __future__ import annotations

import re
from collections.abc import Callable
from uuid import uuid4

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from chat.api.problems import CONTENT_TYPE, PROBLEMS, ProblemCode, code_of_status, problem_response

API_ROOT = "/api/"
CORRELATION_HEADER = "X-Correlation-ID"
_CORRELATION_ID = re.compile(r"[A-Za-z0-9._-]{1,100}")
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
_KEPT_HEADERS = ("Allow", "Retry-After", "WWW-Authenticate")


class ApiFrame:
    """Stands outside of whatever may refuse a request, so that every refusal has one form."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """A request to the API in its frame; any other as it is."""
        if not request.path.startswith(API_ROOT):
            return self.get_response(request)
        correlation_id = correlation_of(request)
        request.correlation_id = correlation_id  # type: ignore[attr-defined]
        refused = _refusal(request)
        response = problem_response(request, refused) if refused else self.get_response(request)
        response = _as_problem(request, response)
        response.headers[CORRELATION_HEADER] = correlation_id
        response.headers.setdefault("Cache-Control", "no-store")
        return response


def correlation_of(request: HttpRequest) -> str:
    """The id that was given to this request already, the caller's own where it may be stored and echoed, or a new
    one."""
    known = getattr(request, "correlation_id", "")
    given = str(known or request.headers.get(CORRELATION_HEADER, ""))
    return given if _CORRELATION_ID.fullmatch(given) else uuid4().hex


def _refusal(request: HttpRequest) -> ProblemCode | None:
    """What is wrong with a request before anything of it is read."""
    length = request.headers.get("Content-Length", "") or "0"
    if not (length.isascii() and length.isdigit()):
        return ProblemCode.BAD_REQUEST
    if int(length) > settings.API_MOST_BYTES:
        return ProblemCode.TOO_LARGE
    if request.method in _SAFE_METHODS:
        return None
    if length == "0" and "chunked" in request.headers.get("Transfer-Encoding", ""):
        return ProblemCode.LENGTH_REQUIRED
    if length != "0" and request.content_type != "application/json":
        return ProblemCode.UNSUPPORTED_MEDIA_TYPE
    return ProblemCode.CROSS_SITE if _is_cross_site(request) else None


def _is_cross_site(request: HttpRequest) -> bool:
    """Whether a browser sent it from another site, with cookies that are not that site's to use.

    A token is no cookie: whoever sends it has it. Forms are refused by their content type, and everything else needs
    a leave to cross sites that is never given; this is for browsers' bugs and for what comes without content.
    """
    if request.headers.get("Authorization"):
        return False
    fetched_from = request.headers.get("Sec-Fetch-Site", "")
    if fetched_from:
        return fetched_from not in {"same-origin", "none"}
    origin = request.headers.get("Origin", "")
    return bool(origin) and origin.partition("://")[2] != _host_of(request)


def _host_of(request: HttpRequest) -> str | None:
    """The host that was asked for; None where it is none of ours, which no origin equals."""
    try:
        return request.get_host()
    except DisallowedHost:
        return None


def _as_problem(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """A refusal that was not made for the API, in the API's form."""
    if response.status_code < 400 or response.headers.get("Content-Type", "").startswith(CONTENT_TYPE):
        return response
    code = code_of_status(response.status_code)
    problem: HttpResponse = problem_response(request, code)
    if PROBLEMS[code].status != response.status_code:
        problem.status_code = response.status_code
    for name in _KEPT_HEADERS:
        if name in response.headers:
            problem.headers[name] = response.headers[name]
    problem.cookies = response.cookies
    return problem
