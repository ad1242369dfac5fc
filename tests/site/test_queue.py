"""A task sent is a task done: a real worker process on the real queues."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection
from django.utils import timezone
from psycopg.conninfo import conninfo_to_dict

from duocthu_site.celery import app, ping
from duocthu_site.postmaster import process_arguments
from duocthu_site.queue_options import database_queue_options
from ingest.models import WorkerHeartbeat
from tests.site.processes import Program, child_processes
from tests.site.waiting import wait_until

pytestmark = [pytest.mark.service, pytest.mark.django_db(transaction=True)]


def has_beaten(name: str) -> bool:
    return WorkerHeartbeat.objects.filter(name=name).exists()


def test_a_task_goes_through_the_database_queue_to_a_worker(start_worker: Callable[[], Program]) -> None:
    worker = start_worker()
    ping.delay("qua-hàng-đợi")
    wait_until(lambda: has_beaten("qua-hàng-đợi"), timeout=20, message=worker.said)


def test_a_task_sent_while_no_worker_runs_is_done_later(start_worker: Callable[[], Program]) -> None:
    ping.delay("trước khi có tiến trình")
    assert not has_beaten("trước khi có tiến trình")
    worker = start_worker()
    wait_until(lambda: has_beaten("trước khi có tiến trình"), timeout=20, message=worker.said)


def test_a_worker_leaves_its_heartbeat(start_worker: Callable[[], Program]) -> None:
    start_worker()
    beat = WorkerHeartbeat.objects.get(name__startswith="celery@")
    assert timezone.now() - beat.seen_at < timedelta(seconds=30)


def test_tasks_run_in_place_unless_a_test_asks_for_the_queue() -> None:
    ping.delay("tại chỗ")
    assert has_beaten("tại chỗ")


def test_no_message_names_the_database_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://elsewhere/other")
    options = database_queue_options(settings.DATABASES["default"], visibility_seconds=300)
    said = conninfo_to_dict(options["conn_string"])
    assert said["dbname"] == connection.settings_dict["NAME"]
    assert options["init_extension"] is False


@pytest.fixture
def redis_url(tmp_path: Path) -> Iterator[str]:
    server = shutil.which("redis-server")
    if server is None:
        pytest.skip("no redis-server")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [server, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(tmp_path)]
    with (tmp_path / "redis.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    wait_until(lambda: answers(port))
    yield f"redis://127.0.0.1:{port}/0"
    process.terminate()
    process.wait()


def answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_a_task_goes_through_redis_as_in_production(redis_url: str, start_worker: Callable[..., Program]) -> None:
    worker = start_worker(CELERY_BROKER_URL=redis_url)
    with app.connection_for_write(redis_url, transport_options={}) as broker:
        ping.apply_async(("qua Redis",), connection=broker)
    wait_until(lambda: has_beaten("qua Redis"), timeout=20, message=worker.said)


def test_a_worker_whose_pool_process_was_killed_ends_and_loses_nothing(start_worker: Callable[[], Program]) -> None:
    worker = start_worker()
    (pool_process,) = child_processes(worker.process.pid)
    os.kill(pool_process, signal.SIGKILL)
    wait_until(lambda: not process_arguments(pool_process))
    ping.delay("sau khi thay")
    assert worker.process.wait(20) == 1, worker.said
    assert child_processes(worker.process.pid) == []
    successor = start_worker()
    wait_until(lambda: has_beaten("sau khi thay"), timeout=20, message=successor.said)
