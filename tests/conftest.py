"""What every test can ask for: the database, a browser, an accessibility check, waiting for a real condition."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import kombu.pools
import psycopg
import pytest
from axe_playwright_python.sync_playwright import Axe
from django.conf import settings
from django.db import connection
from django.utils import timezone
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from playwright.sync_api import Browser, Page, sync_playwright
from psycopg import sql
from pytest_django.live_server_helper import LiveServer

from duocthu_site.celery import app
from duocthu_site.embedded import hold_server
from duocthu_site.postmaster import process_arguments
from duocthu_site.queue_options import database_queue_options
from ingest.models import WorkerHeartbeat
from tests import chromium
from tests.local_bedrock import local_bedrock
from tests.site.processes import Program, start_program
from tests.site.waiting import wait_until

__all__ = ["local_bedrock", "wait_until"]

TEST_DATABASE = "test_duocthu_"
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

hypothesis_settings.register_profile(
    "suite", max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
hypothesis_settings.register_profile("thorough", parent=hypothesis_settings.get_profile("suite"), max_examples=1000)
hypothesis_settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix: None) -> None:
    """Before the test database is made: remove those of earlier sessions that were killed."""
    if settings.EMBEDDED_CLUSTER is None:
        return
    hold_server(settings.EMBEDDED_CLUSTER)
    database = settings.DATABASES["default"]
    with psycopg.connect(
        host=database["HOST"], port=database["PORT"], user=database["USER"], dbname=database["NAME"], autocommit=True
    ) as link:
        rows = link.execute("SELECT datname FROM pg_database WHERE starts_with(datname, %s)", [TEST_DATABASE])
        for (name,) in rows.fetchall():
            owner = name.removeprefix(TEST_DATABASE).partition("_")[0]
            if owner.isdigit() and not process_arguments(int(owner)):
                link.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A Chromium; without one the test is skipped, and where CI is set it fails."""
    # Playwright runs an event loop in this thread, which Django would take for asynchronous code.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    with sync_playwright() as playwright:
        executable = chromium.find(playwright)
        if executable is None:
            message = "no Chromium: the browser tests did not run"
            pytest.fail(message) if os.environ.get("CI") else pytest.skip(message)
        arguments = ["--disable-dev-shm-usage", "--disable-gpu"] + (["--no-sandbox"] if os.geteuid() == 0 else [])
        launched = playwright.chromium.launch(executable_path=executable, args=arguments)
        yield launched
        launched.close()


@pytest.fixture
def page(browser: Browser, live_server: LiveServer) -> Iterator[Page]:
    """A fresh page on the live server (page.goto("/") works); scripts that fail or break the CSP fail the test."""
    context = browser.new_context(base_url=live_server.url, locale="vi-VN", timezone_id="Asia/Ho_Chi_Minh")
    context.set_default_timeout(10_000)
    troubles: list[str] = []
    opened = context.new_page()
    opened.on("pageerror", lambda error: troubles.append(str(error)))
    opened.on("console", lambda said: troubles.append(said.text) if "Content Security Policy" in said.text else None)
    yield opened
    context.close()
    assert troubles == []


@pytest.fixture
def real_queue(transactional_db: None) -> Iterator[None]:
    """Tasks go to the queue in the test database instead of running in place."""
    options = database_queue_options(connection.settings_dict, visibility_seconds=settings.TASK_VISIBILITY_SECONDS)
    wanted = {"task_always_eager": False, "broker_transport_options": options}
    before = {name: app.conf[name] for name in wanted}
    app.conf.update(wanted)
    app._after_fork()
    yield
    kombu.pools.reset()  # type: ignore[no-untyped-call]
    app.conf.update(before)
    app._after_fork()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pgmq.drop_queue(queue_name) FROM pgmq.meta")


@pytest.fixture
def start_worker(real_queue: None, tmp_path: Path) -> Iterator[Callable[..., Program]]:
    """start_worker(**environment) starts a real worker process on the test database and waits for its heartbeat."""
    workers: list[Program] = []

    def start(**variables: str) -> Program:
        database = quote(str(connection.settings_dict["NAME"]))
        host = quote(str(connection.settings_dict["HOST"]), safe="")
        url = f"postgresql://{connection.settings_dict['USER']}@/{database}?host={host}"
        variables = {"DATABASE_URL": url, "DUOCTHU_DATA_DIR": str(tmp_path / "data")} | variables
        worker = start_program(["-m", "duocthu_site.worker"], tmp_path / "worker.log", **variables)
        workers.append(worker)
        begun = timezone.now()
        alive = WorkerHeartbeat.objects.filter(name__startswith="celery@", seen_at__gte=begun)
        wait_until(lambda: alive.exists() or worker.process.poll() is not None, timeout=30)
        assert worker.process.poll() is None, worker.said
        return worker

    yield start
    for worker in workers:
        worker.kill()


class AccessibilityCheck:
    """axe on the page as it is now."""

    def __init__(self) -> None:
        self._axe = Axe()

    def __call__(self, page: Page) -> None:
        """Fail with axe's own report where it finds any violation."""
        results = self._axe.run(page, options={"runOnly": WCAG})
        assert results.violations_count == 0, results.generate_report()


@pytest.fixture(scope="session")
def check_accessibility() -> AccessibilityCheck:
    """check_accessibility(page) fails where axe finds a violation of WCAG 2.2 AA or of good practice."""
    return AccessibilityCheck()
