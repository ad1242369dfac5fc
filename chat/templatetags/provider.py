"""What is said of the provider below every answer."""

from __future__ import annotations

from django import template
from django.conf import settings

register = template.Library()


@register.simple_tag
def provider_note() -> str:
    """The sentence that the settings ask for, such as that no model is behind the answers; "" for none."""
    return str(settings.PROVIDER_NOTE)
