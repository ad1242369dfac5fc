"""/metrics over real HTTP: several processes counted as one, the dead among them, for whom it is meant."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import pytest
from django.db import OperationalError
from django.test import Client
from django.utils import timezone
from prometheus_client.openmetrics.parser import text_string_to_metric_families as open_metrics
from prometheus_client.parser import text_string_to_metric_families
from pytest_django.fixtures import Settings

from chat.models import ProviderBreaker, TurnState
from duocthu_site import gauges
from duocthu_site.celery import ping
from ingest.models import IngestRun, RunState, WorkerHeartbeat
from tests.factories import make_conversation, make_turn
from tests.site.processes import Program, child_processes
from tests.site.served import Served, metric_in, served
from tests.site.waiting import wait_until

NOBODYS = f"/api/v1/turns/{UUID(int=7)}"
TOKEN = "một-mã-đủ-dài-để-đoán-không-ra"


@pytest.fixture(autouse=True)
def empty_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    """The queue is asked only where a test is about it."""
    monkeypatch.setattr(gauges, "_waiting", lambda _queue: 0.0)


@pytest.fixture
def scraped(client: Client, db: None) -> Callable[..., float]:
    """scraped(name, **labels): a sample, as this process tells it."""
    return lambda name, **labels: metric_in(client.get("/metrics").content.decode(), name, labels)


WAITING = gauges._waiting


# --- several processes -----------------------------------------------------------------------------------------


@pytest.fixture
def server(transactional_db: None, tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path) as found:
        yield found


def refusals(server: Served) -> float:
    return server.metric("duocthu_http_responses_total", status="4xx")


def serving(server: Served) -> float:
    """How many web processes there are; 0 where the question itself reached one that was killed."""
    try:
        return server.metric("duocthu_processes", kind="web")
    except OSError:
        return 0.0


def refusing_processes(server: Served) -> int:
    """How many processes have refused anything."""
    files = (server.data_dir / "metrics").glob("counter_*")
    return sum(b'"status": "4xx"' in path.read_bytes() for path in files)


def web_processes(server: Served) -> list[int]:
    """Those that serve; beside them multiprocessing has one that watches."""
    counting = {int(path.stem.rpartition("-")[2]) for path in (server.data_dir / "metrics").glob("gauge_*.db")}
    return [pid for pid in child_processes(server.program.process.pid) if pid in counting]


@pytest.mark.service
def test_all_processes_are_counted_as_one_and_a_killed_one_is_not_forgotten(server: Served) -> None:
    wait_until(lambda: server.metric("duocthu_processes", kind="web") == 2, timeout=30)
    sent = 0
    while sent < 24 or refusing_processes(server) < 2:
        assert server.get(NOBODYS).status == 404
        sent += 1
        assert sent < 2_000, "only one of them ever serves"
    before = refusals(server)
    assert before == sent
    assert refusals(server) == before, "whichever process is asked, and asking is not counted"

    killed = web_processes(server)[0]
    os.kill(killed, signal.SIGKILL)
    wait_until(lambda: killed not in web_processes(server) and serving(server) == 2)
    assert refusals(server) == before
    assert not list((server.data_dir / "metrics").glob(f"*-{killed}.db"))


@pytest.mark.service
def test_a_worker_counts_together_with_the_web(
    start_worker: Callable[..., Program], server: Served, tmp_path: Path
) -> None:
    start_worker(DUOCTHU_DATA_DIR=str(server.data_dir))
    ping.delay("x")
    wait_until(lambda: WorkerHeartbeat.objects.filter(name="x").exists(), timeout=20)
    assert server.metric("duocthu_processes", kind="worker") == 1
    assert server.metric("duocthu_workers", kind="all") == 2, "the ping left a sign of life of its own"
    assert server.metric("duocthu_queue_up") == 1


@pytest.mark.service
def test_a_directory_that_cannot_be_written_stops_nobody(transactional_db: None, tmp_path: Path) -> None:
    with served(tmp_path, PROMETHEUS_MULTIPROC_DIR="/proc/none") as server:
        assert server.get(NOBODYS).status == 404
        assert server.metric("duocthu_processes", kind="web") == 1, "each process tells of itself alone"
        assert "metrics_" in server.program.said


# --- for whom --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("peer", "headers", "status"),
    [
        pytest.param("127.0.0.1", {}, 200, id="here"),
        pytest.param("127.8.8.8", {}, 200, id="here too"),
        pytest.param("::1", {}, 200, id="here by IPv6"),
        pytest.param("10.0.0.5", {}, 403, id="elsewhere"),
        pytest.param("::ffff:10.0.0.5", {}, 403, id="elsewhere, mapped"),
        pytest.param("", {}, 403, id="unknown"),
        pytest.param("127.0.0.1", {"X-Forwarded-For": "127.0.0.1"}, 403, id="through a proxy, forged"),
        pytest.param("127.0.0.1", {"X-Forwarded-Proto": "https"}, 403, id="through a proxy that tells no address"),
        pytest.param("127.0.0.1", {"Forwarded": "for=_x"}, 403, id="through a proxy, by the standard"),
        pytest.param("127.0.0.1", {"Via": "1.1 x"}, 403, id="through a proxy, by name"),
        pytest.param("10.0.0.5", {"X-Forwarded-For": "127.0.0.1"}, 403, id="elsewhere, forged"),
    ],
)
def test_without_a_token_only_this_machine_reads_it(
    client: Client, db: None, peer: str, headers: dict[str, str], status: int
) -> None:
    response = client.get("/metrics", REMOTE_ADDR=peer, headers=headers)
    assert response.status_code == status
    assert (b"duocthu_turns_total" in response.content) is (status == 200)


@pytest.mark.parametrize(
    ("given", "status"),
    [
        (f"Bearer {TOKEN}", 200),
        (f"bearer {TOKEN} ", 200),
        (f"Bearer {TOKEN}x", 401),
        (f"Bearer {TOKEN[:-1]}", 401),
        (f"Basic {TOKEN}", 401),
        ("Bearer", 401),
        ("Bearer ", 401),
        ("", 401),
    ],
)
@pytest.mark.parametrize("peer", ["127.0.0.1", "10.0.0.5"])
def test_with_a_token_only_who_has_it_reads_it(
    client: Client, db: None, settings: Settings, peer: str, given: str, status: int
) -> None:
    settings.METRICS_TOKEN = TOKEN
    response = client.get("/metrics", REMOTE_ADDR=peer, headers={"Authorization": given})
    assert response.status_code == status


def test_where_everyone_signs_in_machines_need_not(client: Client, db: None, settings: Settings) -> None:
    settings.LOGIN_REQUIRED = True
    assert client.get("/metrics").status_code == 200
    assert client.get("/").status_code == 302


@pytest.mark.parametrize("method", ["post", "put", "delete"])
def test_it_is_only_read(client: Client, db: None, method: str) -> None:
    assert getattr(client, method)("/metrics").status_code == 405


# --- what ------------------------------------------------------------------------------------------------------


def test_it_is_prometheus_text_and_open_metrics_where_asked_for(client: Client, db: None) -> None:
    plain = client.get("/metrics")
    assert plain.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    assert "no-store" in plain.headers["Cache-Control"]
    names = {family.name for family in text_string_to_metric_families(plain.content.decode())}
    asked = client.get("/metrics", headers={"Accept": "application/openmetrics-text; version=1.0.0"})
    assert asked.headers["Content-Type"].startswith("application/openmetrics-text; version=1.0.0")
    read = open_metrics(asked.content.decode())  # type: ignore[no-untyped-call]
    assert {family.name for family in read} >= {"duocthu_turns", "duocthu_answer_extractive"}
    assert names >= {
        *("duocthu_turns", "duocthu_turn_seconds", "duocthu_turn_stage_seconds", "duocthu_turns_unfinished"),
        *("duocthu_answer_extractive", "duocthu_answer_generated", "duocthu_gate_rejections", "duocthu_ingest_runs"),
        *("duocthu_provider_calls", "duocthu_provider_tokens", "duocthu_provider_cost_usd", "duocthu_queue_messages"),
    }


def test_turns_that_wait_and_how_long_are_told(scraped: Callable[..., float]) -> None:
    assert scraped("duocthu_turns_oldest_seconds") == 0
    conversation = make_conversation("anon:me")
    for state in (TurnState.PENDING, TurnState.PENDING, TurnState.RUNNING, TurnState.DONE, TurnState.FAILED):
        make_turn(conversation, state=state)
    conversation.turns.update(created_at=timezone.now() - timedelta(seconds=90))
    assert scraped("duocthu_turns_unfinished", state="pending") == 2
    assert scraped("duocthu_turns_unfinished", state="running") == 1
    assert 90 <= scraped("duocthu_turns_oldest_seconds") < 120


def test_runs_are_told_by_state_and_breakers_by_model(scraped: Callable[..., float]) -> None:
    for state in (RunState.QUEUED, RunState.FAILED, RunState.FAILED):
        IngestRun.objects.create(state=state, sha256="0" * 64, title="x", year=2018, file_name="x.pdf")
    ProviderBreaker.objects.create(name="a", opened_at=timezone.now())
    ProviderBreaker.objects.create(name="b")
    assert [scraped("duocthu_ingest_runs", state=state) for state in ("queued", "failed", "running")] == [1, 2, 0]
    assert [scraped("duocthu_provider_breaker_open", model=name) for name in "ab"] == [1, 0]


@pytest.mark.parametrize(
    ("name", "seconds", "kind", "alive"),
    [("celery@a", 0, "all", 1), ("celery@a", 31, "all", 0), ("turns@a", 29, "turns", 1), ("turns@a", 29, "all", 0)],
)
def test_a_worker_counts_while_it_gives_signs_of_life(
    scraped: Callable[..., float], name: str, seconds: int, kind: str, alive: int
) -> None:
    WorkerHeartbeat.objects.create(name=name, seen_at=timezone.now() - timedelta(seconds=seconds))
    assert scraped("duocthu_workers", kind=kind) == alive


@pytest.mark.django_db(transaction=True)
def test_tasks_that_wait_are_told_by_queue(real_queue: None, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gauges, "_waiting", WAITING)
    for _ in range(3):
        ping.delay("x")
    told = client.get("/metrics").content.decode()
    assert metric_in(told, "duocthu_queue_messages", {"queue": "duocthu"}) == 3
    assert metric_in(told, "duocthu_queue_messages", {"queue": "duocthu_turns"}) == 0
    assert metric_in(told, "duocthu_queue_up", {}) == 1


def test_a_database_or_a_queue_that_is_away_leaves_the_counts(
    client: Client, db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: object, **__: object) -> None:
        raise OperationalError("gone")

    monkeypatch.setattr("duocthu_site.gauges._runs", gone)
    monkeypatch.setattr("duocthu_site.gauges._waiting", gone)
    told = client.get("/metrics").content.decode()
    assert [metric_in(told, f"duocthu_{name}_up", {}) for name in ("database", "queue")] == [0, 0]
    assert "duocthu_turns_unfinished" not in told and "duocthu_turns_total" in told
