"""The request type of a view that answers htmx with a fragment."""

from __future__ import annotations

from django.http import Http404, HttpRequest
from django_htmx.middleware import HtmxDetails


class HtmxHttpRequest(HttpRequest):
    """A request that has passed django-htmx's middleware."""

    htmx: HtmxDetails


class NotShown(Http404):
    """Nothing can be shown at this address; the message is written for the reader, in Vietnamese."""
