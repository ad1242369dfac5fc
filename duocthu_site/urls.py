"""Every address of the site."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path

handler404 = "monographs.views.page_not_found"

urlpatterns = [
    path("admin/", admin.site.urls),
    path("", include("monographs.urls")),
    path("", include("chat.urls")),
]
