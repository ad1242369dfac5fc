"""Told to wait: a refusal that says for how long, as a page or as the API's problem."""

from __future__ import annotations

import math
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from chat.api.problems import ProblemCode, problem_response
from duocthu_site.api_frame import API_ROOT


@dataclass(frozen=True, slots=True)
class Wait:
    """title, detail: what people read; {wait} in the detail is put in words. seconds: at least 1."""

    code: ProblemCode
    title: str
    detail: str
    seconds: int


def told_to_wait(request: HttpRequest, wait: Wait) -> HttpResponse:
    """429 with Retry-After, as the asker can read it."""
    detail = wait.detail.format(wait=spell_wait(wait.seconds))
    headers = {"Retry-After": str(wait.seconds)}
    if request.path.startswith(API_ROOT):
        return problem_response(request, wait.code, detail=detail, headers=headers)
    response = render(request, "429.html", {"title": wait.title, "detail": detail}, status=429)
    response.headers["Retry-After"] = headers["Retry-After"]
    response.headers["Cache-Control"] = "no-store"
    return response


def spell_wait(seconds: int) -> str:
    """A time to wait, in words."""
    return f"{seconds} giây" if seconds < 120 else f"{math.ceil(seconds / 60)} phút"
