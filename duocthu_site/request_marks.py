"""What lets one request be followed: an id that whoever sent it can quote, its trace, and what was typed kept out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import cast

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.log import log_response
from opentelemetry.trace import Span, SpanKind
from prometheus_client import Counter
from structlog.contextvars import bound_contextvars

from duocthu_site.api_frame import CORRELATION_HEADER, correlation_of
from monographs.metric_files import counting, use_files
from monographs.private_words import keep_private, keeping_private
from monographs.spans import continued, span, trace_id

use_files()
RESPONSES = Counter("duocthu_http_responses", "Answers to requests, by the class of their status.", ["status"])
# Asked by machines every few seconds.
PROBES = frozenset({"/healthz", "/readyz", "/metrics"})
# Where addresses hold what was typed; elsewhere what has a blank in it is.
_TYPED = frozenset({"q", "tim"})


class RequestMarks:
    """Outermost: whatever is logged of a request, its refusals too, belongs to it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """A page that was refused tells the id in a header and, for people, in its words."""
        correlation_id = correlation_of(request)
        request.correlation_id = correlation_id  # type: ignore[attr-defined]
        if request.path in PROBES:
            return _unlogged(self.get_response(request))
        with _marked(request, correlation_id), span("request", kind=SpanKind.SERVER) as made:
            with bound_contextvars(**_traced()):
                response = self.get_response(request)
                _log(request, response)
            _tell(made, request, response)
        _count(response)
        if response.status_code >= 400:
            response.headers.setdefault(CORRELATION_HEADER, correlation_id)
        return response


@contextmanager
def _marked(request: HttpRequest, correlation_id: str) -> Iterator[None]:
    with keeping_private(), bound_contextvars(correlation_id=correlation_id), continued(request.headers):
        for name, given in request.GET.lists():
            for text in given:
                if name in _TYPED or len(text.split()) > 1:
                    keep_private(text)
        yield


def _tell(made: Span, request: HttpRequest, response: HttpResponseBase) -> None:
    """Names as OpenTelemetry has them; of the address only its pattern, which holds nothing that was typed."""
    match = request.resolver_match
    if match is not None:
        made.update_name(f"{request.method} {match.view_name}")
        made.set_attribute("http.route", match.route)
    made.set_attribute("http.request.method", str(request.method))
    made.set_attribute("http.response.status_code", response.status_code)


def _traced() -> dict[str, str]:
    return {"otel_trace_id": trace_id()} if trace_id() else {}


def _log(request: HttpRequest, response: HttpResponseBase) -> None:
    """Said here and not by Django, which would say it after all ids are gone."""
    if response.status_code >= 400:
        told = cast(HttpResponse, response)  # it reads nothing but the status, of a stream too
        log_response("%s: %s", told.reason_phrase, request.path, response=told, request=request)


def _unlogged(response: HttpResponseBase) -> HttpResponseBase:
    """An address that is asked every few seconds says once that all is not well (readiness_changed)."""
    response._has_been_logged = True  # type: ignore[attr-defined]  # noqa: SLF001 - Django's mark for log_response
    return response


def _count(response: HttpResponseBase) -> None:
    with counting():
        RESPONSES.labels(f"{response.status_code // 100}xx").inc()
