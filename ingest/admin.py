"""Ingest runs, findings and reviews in the admin: records of what happened, read only."""

from __future__ import annotations

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db import models
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import URLPattern

from ingest.models import Finding, IngestRun, Review, WorkerHeartbeat
from ingest.review_views import review_urls
from ingest.run_progress import watch
from ingest.run_views import run_urls, show_run
from ingest.staff_pages import OPERATE, SEE_RUNS, may
from monographs.admin import ReadOnlyAdmin

MOST_DIGITS = 18


@admin.register(IngestRun)
class IngestRunAdmin(ReadOnlyAdmin):
    """Runs; the pages to send one in and to watch it are mounted here."""

    change_list_template = "admin/ingest/run_list.html"
    list_display = ("__str__", "year", "file_name", "far", "lasted", "asked_by", "created_at")
    list_filter = ("state", "is_sample", "created_at")
    list_select_related = ("requested_by",)
    search_fields = ("title", "file_name", "sha256", "error")
    date_hierarchy = "created_at"

    def get_urls(self) -> list[URLPattern]:
        """The pages of runs before the records: what follows takes any address."""
        return [*run_urls(), *super().get_urls()]

    def has_view_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        """Operators see what they operate."""
        return super().has_view_permission(request, obj) or request.user.has_perm(OPERATE)

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, object] | None = None,
    ) -> HttpResponse:
        """The page on which a run is watched."""
        if not object_id.isdigit() or len(object_id) > MOST_DIGITS:
            raise Http404
        if not may(request.user, SEE_RUNS, OPERATE):
            raise PermissionDenied
        return show_run(request, int(object_id))

    @admin.display(description="tiến độ")
    def far(self, run: IngestRun) -> str:
        """How far the stage is that is worked on."""
        current = watch(run).current
        return f"{current.title}: {current.percent} %" if current else ""

    @admin.display(description="người yêu cầu", ordering="requested_by")
    def asked_by(self, run: IngestRun) -> str:
        """Nobody by name where it was asked for on the command line."""
        return str(run.requested_by or "")

    @admin.display(description="đã mất")
    def lasted(self, run: IngestRun) -> str:
        """From the request to the end, or until now."""
        return str(watch(run).elapsed)


@admin.register(Finding)
class FindingAdmin(ReadOnlyAdmin):
    """Findings."""

    list_display = ("kind", "quarantines", "pdf_page", "place", "edition", "detail")
    list_filter = ("quarantines", "kind", "edition")
    list_select_related = ("edition", "passage__section__monograph")
    search_fields = ("detail", "passage__section__monograph__name", "=pdf_page")
    ordering = ("edition", "pdf_page", "pk")
    raw_id_fields = ("edition", "passage")

    @admin.display(description="chỗ trong sách")
    def place(self, finding: Finding) -> str:
        """The monograph and section of the passage it touches."""
        if finding.passage is None:
            return ""
        section = finding.passage.section
        return f"{section.monograph.display_name}, {section.heading}"


@admin.register(Review)
class ReviewAdmin(ReadOnlyAdmin):
    """Decisions as records; they are made in the review pages mounted here."""

    list_display = ("place", "decision", "reviewer", "decided_at", "undone_at", "undone_by", "reason")
    list_filter = ("decision", ("undone_at", admin.EmptyFieldListFilter), "reviewer", "kind")
    list_select_related = ("reviewer", "undone_by")
    search_fields = ("slug", "passage_uid", "reason", "original_text", "corrected_text")
    date_hierarchy = "decided_at"

    def get_urls(self) -> list[URLPattern]:
        """The review pages before the records: what follows takes any address."""
        return [*review_urls(), *super().get_urls()]

    @admin.display(description="đoạn", ordering="slug")
    def place(self, review: Review) -> str:
        """Where the passage stood."""
        return f"{review.slug} / {review.anchor}, trang PDF {review.pdf_page}"


@admin.register(WorkerHeartbeat)
class WorkerHeartbeatAdmin(ReadOnlyAdmin):
    """Worker processes."""

    list_display = ("name", "seen_at")
