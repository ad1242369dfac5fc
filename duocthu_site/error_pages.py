"""Pages of faults that Django would render without the request: with the id that its sender can quote."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """400: nothing of the request is repeated, as it cannot be trusted to be readable."""
    return _page("400.html", request, 400)


def server_error(request: HttpRequest) -> HttpResponse:
    """500: neither the database nor a context processor is asked, which may be what failed."""
    return _page("500.html", request, 500)


def _page(template: str, request: HttpRequest, status: int) -> HttpResponse:
    context = {"correlation_id": getattr(request, "correlation_id", "")}
    return HttpResponse(render_to_string(template, context), status=status)
