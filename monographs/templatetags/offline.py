"""What a page tells the script that keeps monographs on the device."""

from __future__ import annotations

from django import template
from django.conf import settings
from django.template.context import Context
from django.urls import reverse
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from monographs.models import Edition, Monograph
from monographs.offline import kept_for

register = template.Library()


@register.simple_tag(takes_context=True)
def offline_attributes(context: Context, served: Edition | None) -> SafeString:
    """Attributes of the page's body: where the worker is, what kept pages are valid for, which monograph is read."""
    if not settings.OFFLINE_MONOGRAPHS:
        return SafeString("")
    user = context.get("user")
    told = {
        "worker": reverse("service-worker"),
        "for": kept_for(served, user.pk if user else None),
        "reading": _reading(context, served),
    }
    return format_html_join("", ' data-offline-{}="{}"', ((name, value) for name, value in told.items() if value))


def _reading(context: Context, served: Edition | None) -> str:
    """The page of the monograph being read, where it is of the edition being served."""
    shown, edition = context.get("monograph"), context.get("edition")
    if not isinstance(shown, Monograph) or served is None or edition != served or "current_edition" not in context:
        return ""
    return reverse("monograph", args=[shown.slug])
