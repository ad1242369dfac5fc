"""The book in the admin: read only, since every row is made by an ingest; reviews change it, nothing else does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import admin
from django.db import models
from django.http import Http404, HttpRequest, HttpResponse

from monographs.corpus import BULK
from monographs.models import Alias, Edition, Monograph, Passage, Section

NO_RECORD = "Không tìm thấy bản ghi này."

if TYPE_CHECKING:
    _ModelAdmin = admin.ModelAdmin[models.Model]
else:
    _ModelAdmin = admin.ModelAdmin


class ReadOnlyAdmin(_ModelAdmin):
    """Rows are looked at, never typed in: no adding, no changing, no deleting."""

    list_per_page = 50
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Never."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        """Never; the permission to view is the user's own."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        """Never."""
        return False

    def _get_obj_does_not_exist_redirect(self, request: HttpRequest, opts: object, object_id: str) -> HttpResponse:
        """404 for a record that does not exist, where the stock admin goes back to its first page."""
        raise Http404(NO_RECORD)


@admin.register(Edition)
class EditionAdmin(ReadOnlyAdmin):
    """Editions."""

    list_display = ("title", "year", "state", "is_sample", "revision", "published_at", "created_at")
    list_filter = ("state", "is_sample")
    exclude = BULK


@admin.register(Monograph)
class MonographAdmin(ReadOnlyAdmin):
    """Monographs."""

    list_display = ("name", "subtitle", "inn", "edition", "kind", "printed_page", "pdf_page")
    list_filter = ("edition", "kind")
    list_select_related = ("edition",)
    search_fields = ("name", "inn", "slug")


@admin.register(Section)
class SectionAdmin(ReadOnlyAdmin):
    """Sections."""

    list_display = ("heading", "key", "monograph", "printed_page")
    list_filter = ("monograph__edition", "key")
    list_select_related = ("monograph",)
    search_fields = ("monograph__name", "heading")


@admin.register(Passage)
class PassageAdmin(ReadOnlyAdmin):
    """Passages."""

    list_display = ("__str__", "kind", "state", "section", "printed_page", "pdf_page")
    list_filter = ("state", "kind", "section__monograph__edition")
    list_select_related = ("section",)
    search_fields = ("uid", "section__monograph__name")


@admin.register(Alias)
class AliasAdmin(ReadOnlyAdmin):
    """Aliases."""

    list_display = ("text", "kind", "monograph", "edition", "printed_page")
    list_filter = ("edition", "kind")
    list_select_related = ("monograph", "edition")
    search_fields = ("text", "folded")
