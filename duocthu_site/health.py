"""What machines ask of the site: whether it lives, whether it can work, and what it has counted."""

from __future__ import annotations

import hmac
from ipaddress import ip_address

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import URLPattern, path
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from duocthu_site.metrics import exposition
from duocthu_site.readiness import Readiness, find_checks

REFUSED = "/metrics: machines of this host only; from elsewhere set METRICS_TOKEN. See docs/operations.md.\n"
# Added by any proxy: what comes through one is not from this machine, even where the proxy is on it.
_BY_PROXIES = ("X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "X-Real-IP", "Forwarded", "Via")
_readiness = Readiness(find_checks)


@require_safe
@never_cache
@login_not_required
def alive(_request: HttpRequest) -> HttpResponse:
    """200 while this process answers; asks nothing of anything else."""
    return JsonResponse({"status": "ok", "version": settings.APP_VERSION})


@require_safe
@never_cache
@login_not_required
def ready(_request: HttpRequest) -> HttpResponse:
    """200 where questions can be answered and books loaded, else 503; each check by its name, and what is wrong."""
    checks = _readiness.checks()
    is_ready = all(check.ok for check in checks)
    found = {check.name: {"ok": check.ok} | ({"detail": check.detail} if check.detail else {}) for check in checks}
    body = {"status": "ok" if is_ready else "unavailable", "checks": found}
    return JsonResponse(body, status=200 if is_ready else 503, json_dumps_params={"ensure_ascii": False})


@require_safe
@never_cache
@login_not_required
def metrics(request: HttpRequest) -> HttpResponse:
    """Prometheus text, for whoever has the token; where none is set, for this machine."""
    if settings.METRICS_TOKEN and not _has_token(request):
        return HttpResponse(status=401, headers={"WWW-Authenticate": 'Bearer realm="metrics"'})
    if not settings.METRICS_TOKEN and not _is_of_this_machine(request):
        return HttpResponse(REFUSED, status=403, content_type="text/plain; charset=utf-8")
    body, content_type = exposition(request.headers.get("Accept", ""))
    return HttpResponse(body, content_type=content_type)


def health_urls() -> list[URLPattern]:
    """The addresses, without a slash at their end, as machines know them."""
    return [
        path("healthz", alive, name="healthz"),
        path("readyz", ready, name="readyz"),
        path("metrics", metrics, name="metrics"),
    ]


def _has_token(request: HttpRequest) -> bool:
    scheme, _, given = request.headers.get("Authorization", "").partition(" ")
    same = hmac.compare_digest(given.strip().encode("utf-8", "surrogateescape"), settings.METRICS_TOKEN.encode())
    return scheme.lower() == "bearer" and same


def _is_of_this_machine(request: HttpRequest) -> bool:
    try:
        peer = ip_address(request.META.get("REMOTE_ADDR", ""))
    except ValueError:
        return False
    return peer.is_loopback and not any(name in request.headers for name in _BY_PROXIES)
