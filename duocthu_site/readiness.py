"""Whether the site can do its work now: a few cheap checks, none of which says more than it must."""

from __future__ import annotations

import logging
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

import psycopg
from celery import current_app
from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from duocthu_site.gauges import CONNECT_SECONDS, alive_within
from ingest.models import WorkerHeartbeat
from monographs.models import Edition, EditionState

log = logging.getLogger(__name__)
KEPT_SECONDS = 2.0
_NOT_ASKED = "Chưa kiểm tra được vì cơ sở dữ liệu không trả lời."


@dataclass(frozen=True, slots=True)
class Check:
    """What one check found; detail: a sentence where all is not well, else ""."""

    name: str
    detail: str = ""

    @property
    def ok(self) -> bool:
        """Whether all is well."""
        return not self.detail


class Readiness:
    """The latest findings of this process. They are found anew after two seconds, by one request at a time; the others
    get those from before."""

    def __init__(self, find: Callable[[], tuple[Check, ...]], clock: Callable[[], float] = time.monotonic) -> None:
        self._find, self._clock = find, clock
        self._lock = threading.Lock()
        self._checks: tuple[Check, ...] = ()
        self._found_at = float("-inf")

    def checks(self) -> tuple[Check, ...]:
        """One for each thing that is checked."""
        if self._clock() - self._found_at < KEPT_SECONDS or not self._lock.acquire(blocking=not self._checks):
            return self._checks
        try:
            if self._clock() - self._found_at >= KEPT_SECONDS:
                self._keep(self._find())
        finally:
            self._lock.release()
        return self._checks

    def _keep(self, checks: tuple[Check, ...]) -> None:
        failed = [check.name for check in checks if not check.ok]
        if failed != [check.name for check in self._checks if not check.ok]:
            log.warning("readiness_changed failed=%s", ",".join(failed) or "none")
        self._checks, self._found_at = checks, self._clock()


def find_checks() -> tuple[Check, ...]:
    """Every check, in the order in which one needs the other; the queue may be elsewhere than the database."""
    return (*_in_database(), Check("queue", _queue_trouble()), Check("disk", _disk_trouble()))


def _in_database() -> Iterator[Check]:
    trouble = _database_trouble()
    yield Check("database", trouble)
    for name, find in (("migrations", _migration_trouble), ("edition", _edition_trouble), ("worker", _worker_trouble)):
        try:
            yield Check(name, _NOT_ASKED if trouble else find())
        except DatabaseError:
            yield Check(name, _NOT_ASKED)


def _database_trouble() -> str:
    """Asked beside the pool, which would wait long for a server that is away."""
    options = {**connection.get_connection_params(), "connect_timeout": CONNECT_SECONDS}
    try:
        with psycopg.connect(**options, autocommit=True) as link:
            link.execute("SET statement_timeout = '2s'")
            link.execute("SELECT 1")
    except psycopg.Error:
        return "Không kết nối được cơ sở dữ liệu."
    return ""


def _migration_trouble() -> str:
    applied = MigrationRecorder(connection).applied_migrations()
    return "" if _own_migrations() <= applied.keys() else "Cấu trúc dữ liệu chưa cập nhật: chạy manage.py migrate."


@cache
def _own_migrations() -> frozenset[tuple[str, str]]:
    """All that the program has, which does not change while it runs."""
    loader = MigrationLoader(None, load=False)
    loader.load_disk()
    return frozenset(loader.disk_migrations)


def _edition_trouble() -> str:
    served = Edition.objects.filter(state=EditionState.PUBLISHED).exists()
    return "" if served else "Chưa công bố ấn bản nào."


def _worker_trouble() -> str:
    alive = WorkerHeartbeat.objects.filter(seen_at__gte=timezone.now() - alive_within()).exists()
    return "" if alive else "Không có tiến trình nền nào đang sống."


def _queue_trouble() -> str:
    """Any trouble of any broker's library is the same to whoever reads this; which one it was, the log says."""
    try:
        with current_app.connection_for_write(connect_timeout=CONNECT_SECONDS) as broker:
            broker.ensure_connection(max_retries=1, timeout=CONNECT_SECONDS, interval_start=0)
            broker.channel().close()
    except Exception as error:
        log.info("queue_unreachable error=%s", type(error).__name__)
        return "Không kết nối được hàng đợi."
    return ""


def _disk_trouble() -> str:
    least = settings.DISK_FREE_MEGABYTES
    try:
        free = shutil.disk_usage(settings.DUOCTHU_DATA_DIR).free // 2**20
    except OSError:
        return "Không đọc được thư mục dữ liệu."
    return "" if free >= least else f"Ổ đĩa của thư mục dữ liệu chỉ còn {free} MB trống, cần ít nhất {least} MB."
