"""Who did what to runs and editions, kept where the admin keeps such things."""

from __future__ import annotations

from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db.models import Model


def log_action(user_id: int | None, on: Model, message: str) -> None:
    """Records a sentence about a run or an edition; what nobody asked for by name is not recorded."""
    if user_id is None:
        return
    LogEntry.objects.create(
        user_id=user_id,
        content_type=ContentType.objects.get_for_model(on),
        object_id=str(on.pk),
        object_repr=str(on)[:200],
        action_flag=CHANGE,
        change_message=message,
    )


def actions_on(on: Model) -> list[LogEntry]:
    """What was done to it, the newest first."""
    return list(
        LogEntry.objects.filter(content_type=ContentType.objects.get_for_model(on), object_id=str(on.pk))
        .select_related("user")
        .order_by("-action_time")[:50]
    )
