"""Monographs read on a device stay readable there without a network: who may keep what, and what the worker is told.

The worker itself is static/js/offline-worker.js; docs/decisions/0020-monographs-kept-on-the-device.md says why.
"""

from __future__ import annotations

import json
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.urls import reverse
from django.utils.crypto import salted_hmac
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from monographs.models import Edition, Monograph

KEEP_HEADER = "X-Keep"
# With a page at hand, a server that says nothing for so long counts as one that cannot be reached.
WAIT_SECONDS = 8
SHELL = (
    "css/duocthu.css",
    "js/theme.js",
    "js/duocthu.js",
    "js/offline.js",
    "django_htmx/htmx-2.min.js",
    "favicon.svg",
    "fonts/BeVietnamPro-Regular.ttf",
    "fonts/BeVietnamPro-Italic.ttf",
    "fonts/BeVietnamPro-SemiBold.ttf",
)
# Where one signs out; the worker forgets everything before the server even answers.
_SIGN_OUT = ("sign-out", "admin:logout")


def kept_for(edition: Edition | None, user_id: int | None) -> str:
    """What kept pages are valid for: this content, and this reader. Another value, and the device forgets them; "":
    nothing may be kept."""
    if edition is None or not settings.OFFLINE_MONOGRAPHS:
        return ""
    reader = salted_hmac("duocthu.offline", str(user_id)).hexdigest()[:16] if user_id else "0"
    return f"{edition.corpus_version}.{reader}"


def allow_keeping(response: HttpResponse, shown: Monograph, edition: Edition, user_id: int | None) -> None:
    """Marks a page as one that may be kept. Without the mark no page ever is."""
    stamp = kept_for(edition, user_id)
    if stamp:
        told = {"for": stamp, "name": shown.display_name, "edition": f"{edition.title} · {edition.year}"}
        response.headers[KEEP_HEADER] = urlencode(told)


@require_safe
@login_not_required
@cache_control(no_cache=True)
def service_worker(_request: HttpRequest) -> HttpResponse:
    """The worker, from the root so that every page is within its reach. Its bytes change with every file it needs."""
    told = json.dumps(_told() if settings.OFFLINE_MONOGRAPHS else None)
    script = json.dumps(static("js/offline-worker.js"))
    return HttpResponse(
        f"self.TOLD = {told};\nimportScripts({script});\n", content_type="text/javascript; charset=utf-8"
    )


@require_safe
@login_not_required
def offline_page(request: HttpRequest) -> HttpResponse:
    """What is shown in place of a page that cannot be reached; it holds nothing of the book or of the asker."""
    return render(request, "monographs/offline.html", {"script": "js/offline.js"})


def _told() -> dict[str, object]:
    return {
        "most": settings.OFFLINE_MONOGRAPHS,
        "waitMilliseconds": 1000 * WAIT_SECONDS,
        "page": reverse("offline"),
        "book": reverse("monograph-list"),
        "signOut": [reverse(name) for name in _SIGN_OUT],
        "shell": [static(path) for path in SHELL],
    }
