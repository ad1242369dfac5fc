"""Addresses of the API, and what holds for all its operations."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from django.http import HttpRequest
from django.urls import URLPattern, URLResolver
from ninja.parser import Parser
from ninja.renderers import JSONRenderer
from pydantic_core import from_json

from chat.api import asking, book, conversations
from chat.api.openapi import DocumentedApi
from chat.api.refusals import tell_problems


class StrictParser(Parser):
    """JSON as RFC 8259 has it: UTF-8 without lone surrogates, no NaN, nested no deeper than can be read."""

    def parse_body(self, request: HttpRequest) -> Any:
        """The body as values. Raises ValueError."""
        return from_json(request.body, allow_inf_nan=False)


class PlainRenderer(JSONRenderer):
    """Vietnamese letters as they are: escaped, an answer is half as large again."""

    json_dumps_params: Mapping[str, Any] = MappingProxyType({"ensure_ascii": False})


@cache
def api_urls() -> list[URLPattern | URLResolver]:
    """Every address, to be included below the root of this version as "api-v1"."""
    api = DocumentedApi(parser=StrictParser(), renderer=PlainRenderer())
    for router in (asking.router, conversations.router, book.router):
        api.add_router("", router)
    tell_problems(api)
    return api.urls[0]
