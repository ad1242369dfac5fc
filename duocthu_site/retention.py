"""How long data is kept: one run over all of it, counted or deleted, and a record of what was deleted."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from axes.models import AccessAttempt
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import connection
from django.db.models import QuerySet
from django.utils import timezone

from chat.retention import Cutoffs, RemovedTurns, count_of, count_old, remove_of, remove_old
from duocthu_site.models import Removal, UsedRate
from ingest.retention import remove_files, unneeded_pdfs
from monographs.crop_cache import surplus_crops

log = logging.getLogger(__name__)
# Any number that nothing else locks.
_ONE_AT_A_TIME = 7_302_018
COUNTED = {
    "conversations": "cuộc hỏi",
    "turns": "lượt hỏi",
    "feedback": "phản hồi",
    "traces": "dấu vết của lượt hỏi còn giữ",
    "uploads": "tệp PDF không còn cần",
    "upload_bytes": "byte của các tệp đó",
    "crops": "ảnh trang trong bộ nhớ đệm",
    "sessions": "phiên đã hết hạn",
    "sign_in_failures": "lần đăng nhập sai đã cũ",
    "rates": "hạn mức đã hồi",
}


@dataclass(frozen=True, slots=True)
class Rule:
    """Days after which each kind goes; 0: never."""

    turns: int
    feedback: int
    traces: int
    uploads: int
    crop_megabytes: int

    @classmethod
    def of_settings(cls) -> Rule:
        """As configured."""
        return cls(
            settings.RETENTION_DAYS,
            settings.RETENTION_FEEDBACK_DAYS,
            settings.RETENTION_TRACE_DAYS,
            settings.RETENTION_UPLOAD_DAYS,
            settings.CROP_CACHE_MEGABYTES,
        )

    @classmethod
    def of_age(cls, days: int) -> Rule:
        """The same age for all of it."""
        return cls(days, days, days, days, settings.CROP_CACHE_MEGABYTES)


def apply_rule(rule: Rule, *, delete: bool, by: str) -> dict[str, int]:
    """How much goes of each kind in COUNTED; deleted and recorded, or only counted."""
    cutoffs = Cutoffs(_before(rule.turns), _before(rule.feedback), _before(rule.traces))
    turns = remove_old(cutoffs) if delete else count_old(cutoffs)
    uploads = remove_files(unneeded_pdfs(_before(rule.uploads)), delete=delete)
    crops = remove_files(surplus_crops(rule.crop_megabytes * 1024**2), delete=delete)
    passing = {name: _clear(rows, delete=delete) for name, rows in _passing().items()}
    counts = _counts(turns) | {"uploads": uploads.files, "upload_bytes": uploads.size, "crops": crops.files} | passing
    return _recorded(asdict(rule), counts, by) if delete else counts


def forget(owner: str, *, known_as: str, delete: bool, by: str) -> dict[str, int]:
    """All that an owner asked. known_as: how the record names the owner, of whom it may tell nothing else."""
    if not delete:
        return _counts(count_of(owner))
    return _recorded({"owner": known_as}, _counts(remove_of(owner)), by)


def is_due(hours: int) -> bool:
    """Whether the rule was last applied so long ago, or never."""
    since = timezone.now() - timedelta(hours=hours)
    return not Removal.objects.filter(removed_at__gt=since, rule__has_key="turns").exists()


def alone() -> bool:
    """Whether no other process is at it; if so, none will be until this one's connection ends."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [_ONE_AT_A_TIME])
        row = cursor.fetchone()
    return bool(row and row[0])


def _before(days: int) -> datetime | None:
    return timezone.now() - timedelta(days=days) if days else None


def _passing() -> dict[str, QuerySet[Any]]:
    """Rows that count for nothing any more."""
    now = timezone.now()
    return {
        "sessions": Session.objects.filter(expire_date__lt=now),
        "sign_in_failures": AccessAttempt.objects.filter(attempt_time__lt=now - settings.AXES_COOLOFF_TIME),
        "rates": UsedRate.objects.filter(used_until__lt=now),
    }


def _clear(rows: QuerySet[Any], *, delete: bool) -> int:
    return rows.delete()[0] if delete else rows.count()


def _counts(removed: RemovedTurns) -> dict[str, int]:
    return asdict(removed)


def _recorded(rule: Mapping[str, object], counts: dict[str, int], by: str) -> dict[str, int]:
    Removal.objects.create(removed_by=by[:150], rule=dict(rule), counts=counts)
    log.info("data_removed", extra={"by": by, "rule": dict(rule), "counts": counts})
    return counts
