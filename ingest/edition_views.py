"""The staff pages of editions: the list, one of them, and what is decided about it, with what follows said first."""

from __future__ import annotations

from django.contrib import messages
from django.db import transaction
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern, path
from django.views.decorators.http import require_http_methods, require_safe

from ingest.dashboard import served_facts
from ingest.publish import PublishError
from ingest.staff_log import actions_on
from ingest.staff_pages import OPERATE, SEE_EDITIONS, staff_page, staff_view
from ingest.switching import SWITCHABLE, discard_edition, switch_to
from ingest.tasks import send_indexing
from monographs.corpus import BULK, current_edition
from monographs.models import Edition, EditionState, Monograph

COMPARABLE = (EditionState.READY, EditionState.PUBLISHED, EditionState.SUPERSEDED)


def edition_urls() -> list[URLPattern]:
    """The addresses below /admin/ingest/editions/."""
    return [
        path("", staff_view(show_editions, SEE_EDITIONS, OPERATE), name="ingest_editions"),
        path("<int:edition_id>/", staff_view(show_edition, SEE_EDITIONS, OPERATE), name="ingest_edition"),
        path("<int:edition_id>/publish/", staff_view(publish, OPERATE), name="ingest_edition_publish"),
        path("<int:edition_id>/discard/", staff_view(discard, OPERATE), name="ingest_edition_discard"),
    ]


@require_safe
def show_editions(request: HttpRequest) -> HttpResponse:
    """Every edition, the newest first."""
    # Counted by a query inside: a join would multiply what is beside it.
    drugs = Monograph.objects.filter(edition=OuterRef("pk")).order_by().values("edition").annotate(n=Count("pk"))
    editions = _editions().annotate(monograph_count=Subquery(drugs.values("n"))).order_by("-created_at")
    return staff_page(
        request, "admin/ingest/edition_list.html", "Ấn bản", {"editions": editions, "comparable": COMPARABLE}
    )


@require_safe
def show_edition(request: HttpRequest, edition_id: int) -> HttpResponse:
    """One edition: its state, what it holds, where it came from, who did what."""
    edition = get_object_or_404(_editions(), pk=edition_id)
    others = _editions().filter(state__in=COMPARABLE).exclude(pk=edition.pk).order_by("-created_at")
    context = {
        "edition": edition,
        "facts": served_facts(edition),
        "runs": edition.runs.select_related("requested_by").order_by("-created_at"),
        "log": actions_on(edition),
        "others": others if edition.state in COMPARABLE else (),
        "can_switch": edition.state in SWITCHABLE,
        "can_discard": edition.state == EditionState.READY,
    }
    return staff_page(request, "admin/ingest/edition.html", str(edition), context)


@require_http_methods(["GET", "HEAD", "POST"])
def publish(request: HttpRequest, edition_id: int) -> HttpResponse:
    """Says what is served now and what will be; then serves it."""
    edition = get_object_or_404(_editions(), pk=edition_id)
    served = current_edition()
    if request.method != "POST":
        context = {
            "edition": edition,
            "served": served,
            "facts": served_facts(edition),
            "served_facts": served_facts(served) if served else None,
            "is_back": edition.state == EditionState.SUPERSEDED,
            "possible": edition.state in SWITCHABLE,
        }
        return staff_page(request, "admin/ingest/edition_publish.html", "Công bố ấn bản", context)
    try:
        switch_to(edition_id, seen=_seen(request), by=request.user.pk)
    except PublishError as refused:
        messages.error(request, str(refused))
        return redirect("admin:ingest_edition_publish", edition_id)
    messages.success(request, f"Đang phục vụ {edition.title} ({edition.year}).")
    transaction.on_commit(send_indexing)
    return redirect("admin:ingest_edition", edition_id)


@require_http_methods(["GET", "HEAD", "POST"])
def discard(request: HttpRequest, edition_id: int) -> HttpResponse:
    """Asks first, then throws a built edition away."""
    edition = get_object_or_404(_editions(), pk=edition_id)
    if request.method != "POST":
        context = {"edition": edition, "served": current_edition(), "possible": edition.state == EditionState.READY}
        return staff_page(request, "admin/ingest/edition_discard.html", "Bỏ ấn bản", context)
    try:
        discard_edition(edition_id, by=request.user.pk)
    except PublishError as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, f"Đã bỏ {edition.title} ({edition.year}).")
    return redirect("admin:ingest_edition", edition_id)


def _editions() -> QuerySet[Edition]:
    return Edition.objects.defer(*BULK)


def _seen(request: HttpRequest) -> int | None:
    """The edition that the confirming page showed as being served."""
    said = request.POST.get("seen", "")
    return int(said) if said.isascii() and said.isdigit() and len(said) < 10 else None
