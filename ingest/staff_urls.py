"""The staff pages that belong to no one kind of record; the site mounts them below /admin/ingest/."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, include, path

from ingest.edition_views import edition_urls
from ingest.report_views import report_urls


def staff_urls() -> list[URLPattern | URLResolver]:
    """Their addresses."""
    return [path("ingest/editions/", include(edition_urls())), path("ingest/", include(report_urls()))]
