"""/healthz and /readyz: the first asks nothing of anything, the second says what is missing."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries
from pytest_django.fixtures import Settings

from duocthu_site import health, readiness
from duocthu_site.celery import app
from duocthu_site.readiness import Check, Readiness, find_checks
from ingest.models import WorkerHeartbeat
from monographs.models import Edition, EditionState
from tests.factories import make_edition
from tests.site.served import served
from tests.site.waiting import wait_until

ALL = ("database", "migrations", "edition", "worker", "queue", "disk")


@pytest.fixture(autouse=True)
def asked_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was found is kept for two seconds; each test finds for itself."""
    monkeypatch.setattr(health, "_readiness", Readiness(find_checks))


@pytest.fixture
def sound(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """All is well; the queue is asked only where a test is about it."""
    monkeypatch.setattr(readiness, "_queue_trouble", lambda: "")
    make_edition()
    WorkerHeartbeat.objects.create(name="celery@here", seen_at=timezone.now())


def readyz(client: Client) -> tuple[int, dict[str, Any]]:
    response = client.get("/readyz")
    assert "no-store" in response.headers["Cache-Control"]
    return response.status_code, json.loads(response.content)


def failed(client: Client) -> list[str]:
    status, told = readyz(client)
    found = [name for name, check in told["checks"].items() if not check["ok"]]
    assert status == (503 if found else 200)
    assert told["status"] == ("unavailable" if found else "ok")
    assert all(told["checks"][name]["detail"].endswith(".") for name in found)
    return found


# --- /healthz --------------------------------------------------------------------------------------------------


def test_a_process_that_lives_says_so_without_the_database(
    client: Client, db: None, settings: Settings, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    settings.LOGIN_REQUIRED = True
    with django_assert_num_queries(0):
        response = client.get("/healthz")
    assert (response.status_code, response.json()["status"]) == (200, "ok")
    assert not response.cookies


@pytest.mark.service
def test_it_lives_where_there_is_no_database_at_all_and_says_what_is_missing(tmp_path: Path) -> None:
    nowhere = "postgresql://nobody@127.0.0.1:9/none"
    with served(tmp_path, DATABASE_URL=nowhere, CELERY_BROKER_URL="redis://127.0.0.1:9/0") as server:
        assert server.get("/healthz").status == 200
        reply = server.get("/readyz")
        found = json.loads(reply.text)["checks"]
        assert reply.status == 503
        assert [name for name, check in found.items() if not check["ok"]] == [*ALL[:5]]
        assert "nobody" not in reply.text and "127.0.0.1" not in reply.text
        told = server.get("/metrics")
        assert told.status == 200 and "duocthu_database_up 0.0" in told.text and "duocthu_queue_up 0.0" in told.text


# --- /readyz ---------------------------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_where_all_is_well_every_check_says_so(client: Client, real_queue: None, settings: Settings) -> None:
    make_edition()
    WorkerHeartbeat.objects.create(name="celery@here", seen_at=timezone.now())
    settings.LOGIN_REQUIRED = True
    status, told = readyz(client)
    assert (status, told) == (200, {"status": "ok", "checks": {name: {"ok": True} for name in ALL}})


def test_an_edition_must_be_served(client: Client, sound: None) -> None:
    Edition.objects.update(state=EditionState.SUPERSEDED)
    assert failed(client) == ["edition"]


@pytest.mark.parametrize(("seconds", "missing"), [(0, []), (29, []), (31, ["worker"])])
def test_a_worker_must_have_been_alive_of_late(client: Client, sound: None, seconds: int, missing: list[str]) -> None:
    WorkerHeartbeat.objects.update(seen_at=timezone.now() - timedelta(seconds=seconds))
    assert failed(client) == missing


def test_every_migration_must_be_applied(client: Client, sound: None) -> None:
    MigrationRecorder(connection).record_unapplied("chat", "0004_provider_breaker")
    assert failed(client) == ["migrations"]


def test_migrations_of_a_later_version_do_no_harm(client: Client, sound: None) -> None:
    MigrationRecorder(connection).record_applied("chat", "0999_of_tomorrow")
    assert failed(client) == []


@pytest.mark.parametrize("address", ["redis://127.0.0.1:9/0", "amqp://127.0.0.1:9//"])
def test_a_queue_that_is_away_is_told(client: Client, db: None, monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setattr(app, "connection_for_write", lambda **_: app.connection(address))
    assert "queue" in failed(client)


@pytest.mark.parametrize("least", [10**9, 0])
def test_a_disk_that_is_nearly_full_is_told_with_what_is_left(
    client: Client, sound: None, settings: Settings, least: int
) -> None:
    settings.DISK_FREE_MEGABYTES = least
    assert failed(client) == (["disk"] if least else [])


def test_a_data_directory_that_is_gone_is_told(client: Client, sound: None, settings: Settings, tmp_path: Path) -> None:
    settings.DUOCTHU_DATA_DIR = tmp_path / "gone"
    assert failed(client) == ["disk"]


def test_without_a_database_nothing_more_is_asked_of_it(
    client: Client, sound: None, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    monkeypatch.setattr(readiness, "_database_trouble", lambda: "Không kết nối được cơ sở dữ liệu.")
    with django_assert_num_queries(0):
        assert failed(client) == ["database", "migrations", "edition", "worker"]


# --- how often -------------------------------------------------------------------------------------------------


class Finder:
    """Finds what it is told to, and counts how often it is asked."""

    def __init__(self, *checks: Check) -> None:
        self.checks, self.asked, self.now = checks, 0, 100.0

    def find(self) -> tuple[Check, ...]:
        self.asked += 1
        return self.checks


def test_what_was_found_is_kept_for_two_seconds() -> None:
    finder = Finder(Check("database"))
    found = Readiness(finder.find, lambda: finder.now)
    for now, asked in ((100.0, 1), (101.9, 1), (102.1, 2), (102.2, 2)):
        finder.now = now
        assert (found.checks(), finder.asked) == ((Check("database"),), asked)


def test_a_check_that_fails_to_end_is_made_by_one_and_the_others_get_what_was_found_before(
    run_beside: Callable[[Callable[[], object]], None],
) -> None:
    import threading

    going, told = threading.Event(), threading.Event()
    before, finder = Check("database"), Finder(Check("database"))
    found = Readiness(finder.find, lambda: finder.now)
    found.checks()
    finder.now += 10

    def hang() -> tuple[Check, ...]:
        told.set()
        assert going.wait(10)
        return (Check("database", "Mất."),)

    found._find = hang
    run_beside(found.checks)
    assert told.wait(10)
    assert found.checks() == (before,)
    going.set()
    wait_until(lambda: found.checks() == (Check("database", "Mất."),))


@pytest.fixture
def run_beside() -> Any:
    import threading

    threads: list[threading.Thread] = []

    def run(work: Callable[[], object]) -> None:
        threads.append(threading.Thread(target=work))
        threads[-1].start()

    yield run
    for thread in threads:
        thread.join(20)
