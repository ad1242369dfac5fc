"""Every address of the site."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path

from chat.api.urls import api_urls
from duocthu_site.health import health_urls
from duocthu_site.sign_in import account_urls
from ingest.staff_urls import staff_urls

# Every page of ours has its own links at the top; what it shows needs the width.
admin.site.enable_nav_sidebar = False
admin.site.site_header = admin.site.site_title = "Dược thư – quản trị"
admin.site.index_title = "Quản trị"

handler404 = "monographs.views.page_not_found"
handler400 = "duocthu_site.error_pages.bad_request"
handler500 = "duocthu_site.error_pages.server_error"

urlpatterns = [
    path("admin/", ([*staff_urls(), *admin.site.get_urls()], "admin", admin.site.name)),
    path("api/v1/", include((api_urls(), "api-v1"))),
    *account_urls(),
    *health_urls(),
    path("", include("monographs.urls")),
    path("", include("chat.urls")),
]
