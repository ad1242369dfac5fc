"""What the staff pages of this app share: who may open them, and the frame they stand in."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from django.contrib import admin
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render

OPERATE = "ingest.operate_runs"
SEE_RUNS = "ingest.view_ingestrun"
SEE_EDITIONS = "monographs.view_edition"


def staff_view(view: Callable[..., HttpResponseBase], *permissions: str) -> Callable[..., HttpResponseBase]:
    """The view inside the admin, for staff who have any one of the permissions; others get 403."""

    def guarded(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        if not may(request.user, *permissions):
            raise PermissionDenied
        return view(request, *args, **kwargs)

    # The admin looks at this mark before it adds its own check.
    guarded.csrf_exempt = getattr(view, "csrf_exempt", False)  # type: ignore[attr-defined]
    return admin.site.admin_view(guarded)


def may(user: AbstractBaseUser | AnonymousUser, *permissions: str) -> bool:
    """Whether the user has any one of the permissions."""
    return any(user.has_perm(permission) for permission in permissions)  # type: ignore[union-attr]


def staff_page(
    request: HttpRequest, template: str, title: str, context: Mapping[str, object], status: int = 200
) -> HttpResponse:
    """A page in the admin's frame."""
    frame = admin.site.each_context(request)
    shared = {"title": title, "may_operate": may(request.user, OPERATE)}
    return render(request, template, {**frame, **shared, **context}, status=status)
