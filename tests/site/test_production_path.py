"""Production in one piece: Redis, several web processes, two workers, an outside PostgreSQL, a Bedrock that speaks.

What is killed or restarted here costs nobody an answer, and leaves no process behind.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from threading import Event
from urllib.parse import quote

import psycopg
import pytest
from django.conf import settings
from psycopg import sql

from chat.llm.copied_replies import copied_reply
from chat.llm.domain import Purpose
from chat.llm.local_server import LocalBedrock
from chat.llm.local_steps import Payload, Seen
from duocthu_site.embedded import hold_server
from duocthu_site.postmaster import process_arguments
from ingest.library import bundled_sample
from tests.site.processes import Program, child_processes, descendants
from tests.site.production import Production, Redis
from tests.site.visitor import Visitor
from tests.site.waiting import wait_until

pytestmark = [pytest.mark.service, pytest.mark.slow]

LEASE = 3
ANSWERS_IN = 90.0
NAME, PASSWORD = "dược-sĩ-ca-đêm", "mật khẩu đủ dài 2026"
QUESTION = "Chống chỉ định của metformin?"
BY_MODEL = "Câu trả lời do mô hình soạn"


@pytest.fixture(scope="module")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Redis]:
    if not Redis.program():
        message = "no redis-server: the production path was not tried"
        pytest.fail(message) if os.environ.get("CI") else pytest.skip(message)
    server = Redis(tmp_path_factory.mktemp("redis"))
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    """The address of an empty database of a server that these processes do not manage."""
    if settings.EMBEDDED_CLUSTER is None:
        pytest.skip("no PostgreSQL of the tests' own to make a database on")
    hold_server(settings.EMBEDDED_CLUSTER)
    url = settings.EMBEDDED_CLUSTER.url
    # As tests/conftest.py names them, so that one left by a killed session is removed by the next.
    name = f"test_duocthu_{os.getpid()}_production"
    with psycopg.connect(host=url.host, port=url.port, user=url.user, dbname=url.name, autocommit=True) as link:
        link.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        yield f"postgresql://{url.user}@/{name}?host={quote(url.host, safe='')}&port={url.port}"
        link.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.fixture(scope="module")
def bedrock() -> Iterator[LocalBedrock]:
    with LocalBedrock() as server:
        yield server


@pytest.fixture(scope="module")
def installed(
    tmp_path_factory: pytest.TempPathFactory, database: str, redis: Redis, bedrock: LocalBedrock
) -> Production:
    """Set up as docs/operations.md says: migrated, static files collected, a book loaded, an account made."""
    variables = {
        "ANSWER_PROVIDER": "bedrock",
        "BEDROCK_ENDPOINT_URL": bedrock.url,
        "BEDROCK_REGION": "ap-southeast-1",
        "BEDROCK_ANSWER_MODEL": "no-model",
        "EMBEDDING_PROVIDER": "disabled",
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
        "TURN_LEASE_SECONDS": str(LEASE),
    }
    production = Production(tmp_path_factory.mktemp("production"), database, redis.url, variables)
    production.manage("check", "--deploy", "--fail-level", "WARNING")
    production.manage("migrate", "--verbosity", "0")
    production.manage("collectstatic", "--no-input", "--verbosity", "0")
    production.manage("ingest_pdf", str(bundled_sample()))
    make = f"from django.contrib.auth.models import User; User.objects.create_user({NAME!r}, password={PASSWORD!r})"
    production.manage("shell", "--no-imports", "--command", make)
    return production


@pytest.fixture
def production(installed: Production, redis: Redis, bedrock: LocalBedrock) -> Iterator[Production]:
    """Nothing of it runs yet; all of it is ended afterwards."""
    bedrock.script(Purpose.DRAFT)
    bedrock.seen.clear()
    yield installed
    installed.stop()
    installed.running.clear()


def signed_in(production: Production, port: int) -> Visitor:
    visitor = production.visit(port)
    visitor.sign_in(NAME, PASSWORD)
    return visitor


def hold_drafts(bedrock: LocalBedrock) -> Event:
    """Drafts are made only once this is set."""
    goes_on = Event()

    def step(seen: Seen) -> Payload:
        goes_on.wait(ANSWERS_IN)
        return copied_reply(seen)

    bedrock.script(Purpose.DRAFT, step)
    return goes_on


def wait_for_draft(bedrock: LocalBedrock, worker: Program) -> None:
    """Until a worker is in the middle of a turn."""
    wait_until(lambda: bedrock.asked_for(Purpose.DRAFT), timeout=ANSWERS_IN, message=worker.said)


def test_whoever_has_not_signed_in_is_sent_to_the_form_and_plain_http_to_tls(production: Production) -> None:
    _, port = production.start_web()
    page = production.visit(port).get("/")
    assert (page.status, page.location) == (302, "/sign-in/?next=/")
    plain = Visitor(port).get("/")
    assert (plain.status, plain.location) == (301, f"https://127.0.0.1:{port}/")


def test_a_turn_is_answered_by_a_worker_and_followed_through_any_web_process(
    production: Production, bedrock: LocalBedrock
) -> None:
    (first, port), (second, other) = production.start_web(), production.start_web()
    production.start_worker(), production.start_worker("turns")
    for web in (first, second):
        workers = [pid for pid in child_processes(web.process.pid) if "duocthu_site.web" in process_arguments(pid)]
        assert len(workers) >= 2, "several web processes each"
    visitor = signed_in(production, port)
    turn = visitor.ask(QUESTION)
    visitor.port = other
    page = visitor.answer(turn, timeout=ANSWERS_IN)
    assert BY_MODEL in page
    assert len(bedrock.asked_for(Purpose.DRAFT)) == 1
    assert visitor.get("/monographs/").status == 200
    assert (
        "static/" in page and visitor.get(page.partition('rel="stylesheet" href="')[2].partition('"')[0]).status == 200
    )


def test_a_worker_killed_in_the_middle_of_a_turn_costs_no_answer(production: Production, bedrock: LocalBedrock) -> None:
    _, port = production.start_web()
    goes_on = hold_drafts(bedrock)
    doomed, visitor = production.start_worker("turns"), signed_in(production, port)
    turn = visitor.ask(QUESTION)
    wait_for_draft(bedrock, doomed)
    production.start_worker()
    production.kill(doomed)
    goes_on.set()
    assert BY_MODEL in visitor.answer(turn, timeout=ANSWERS_IN)


def test_redis_restarted_between_sending_and_taking_costs_no_answer(
    production: Production, redis: Redis, bedrock: LocalBedrock
) -> None:
    _, port = production.start_web()
    visitor = signed_in(production, port)
    waiting = visitor.ask(QUESTION)
    redis.stop()
    assert visitor.get(waiting).status == 200, "the page of a waiting turn needs no queue"
    while_away = visitor.ask(QUESTION)
    assert visitor.get("/monographs/").status == 200
    redis.start()
    assert not bedrock.asked_for(Purpose.DRAFT)
    worker = production.start_worker()
    # Both messages are lost; the sweep sends both turns again.
    for turn in (waiting, while_away):
        assert BY_MODEL in visitor.answer(turn, timeout=ANSWERS_IN), worker.said


def test_redis_restarted_under_a_worker_costs_no_answer(
    production: Production, redis: Redis, bedrock: LocalBedrock
) -> None:
    _, port = production.start_web()
    goes_on = hold_drafts(bedrock)
    worker, visitor = production.start_worker("turns"), signed_in(production, port)
    under_way = visitor.ask(QUESTION)
    wait_for_draft(bedrock, worker)
    redis.stop()
    redis.start()
    goes_on.set()
    assert BY_MODEL in visitor.answer(under_way, timeout=ANSWERS_IN), worker.said
    assert BY_MODEL in visitor.answer(visitor.ask(QUESTION), timeout=ANSWERS_IN), worker.said
    assert worker.process.poll() is None, "the worker has come back to the queue by itself"


@pytest.mark.parametrize("what", ["web", "worker"])
def test_a_parent_killed_leaves_no_process_behind(production: Production, what: str) -> None:
    parent = production.start_web()[0] if what == "web" else production.start_worker()
    wait_until(lambda: child_processes(parent.process.pid), timeout=30, message=parent.said)
    started = descendants([parent.process.pid])
    assert len(started) > 1
    production.kill(parent)
    wait_until(lambda: not any(map(process_arguments, started)), timeout=20, message=f"left: {started}")
