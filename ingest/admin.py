"""Ingest runs, findings and reviews in the admin: records of what happened, read only."""

from __future__ import annotations

from django.contrib import admin

from ingest.models import Finding, IngestRun, Review, WorkerHeartbeat
from monographs.admin import ReadOnlyAdmin


@admin.register(IngestRun)
class IngestRunAdmin(ReadOnlyAdmin):
    """Runs."""

    list_display = ("title", "year", "file_name", "state", "stage", "created_at", "finished_at")
    list_filter = ("state", "is_sample")
    search_fields = ("file_name", "sha256")


@admin.register(Finding)
class FindingAdmin(ReadOnlyAdmin):
    """Findings."""

    list_display = ("kind", "quarantines", "pdf_page", "edition", "detail")
    list_filter = ("edition", "quarantines", "kind")
    list_select_related = ("edition",)


@admin.register(Review)
class ReviewAdmin(ReadOnlyAdmin):
    """Reviews."""

    list_display = ("passage_uid", "decision", "reviewer", "decided_at", "undone_at")
    list_filter = ("decision",)
    list_select_related = ("reviewer",)
    search_fields = ("passage_uid",)


@admin.register(WorkerHeartbeat)
class WorkerHeartbeatAdmin(ReadOnlyAdmin):
    """Worker processes."""

    list_display = ("name", "seen_at")
