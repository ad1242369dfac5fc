"""Spans reach a collector over HTTP, from web and worker in one trace; without an address nothing is even imported."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from chat.llm.local_server import LocalBedrock
from chat.models import Turn
from chat.tasks import answer_turn
from chat.turns import start_turn
from tests.otlp import collector
from tests.sample_edition import publish_sample
from tests.site.processes import Program, run_program
from tests.site.served import served
from tests.site.waiting import wait_until

TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = f"00-{TRACE}-b7ad6b7169203331-01"
SOON = {"OTEL_BSP_SCHEDULE_DELAY": "100"}
IMPORTED = """
import json, sys, duocthu_site.wsgi
import duocthu_site.celery; duocthu_site.celery.app.finalize(); import duocthu_site.urls
found = ("opentelemetry.sdk", "opentelemetry.exporter", "google.protobuf", "boto3")
print(json.dumps([name for name in found if name in sys.modules]))
"""


@pytest.mark.parametrize("endpoint", ["", "http://127.0.0.1:9"])
def test_the_sdk_is_imported_only_where_an_address_is_set(tmp_path: Path, endpoint: str) -> None:
    nowhere = {"DATABASE_URL": "postgresql://nobody@127.0.0.1:9/none", "DUOCTHU_DATA_DIR": str(tmp_path)}
    result = run_program(["-c", IMPORTED], OTEL_EXPORTER_OTLP_ENDPOINT=endpoint, **nowhere)
    assert result.returncode == 0, result.stderr
    found = json.loads(result.stdout.splitlines()[-1])
    assert found == (["opentelemetry.sdk", "opentelemetry.exporter", "google.protobuf"] if endpoint else [])


@pytest.mark.service
@pytest.mark.django_db(transaction=True)
def test_the_web_server_sends_its_spans(tmp_path: Path) -> None:
    with collector() as collected, served(tmp_path, OTEL_EXPORTER_OTLP_ENDPOINT=collected.url, **SOON) as server:
        assert server.get("/api/v1/turns/00000000-0000-0000-0000-000000000007", traceparent=PARENT).status == 404
        (span,) = wait_until(lambda: collected.named("GET api-v1:turn"), timeout=20, message=server.program.said)
    assert (span.trace_id.hex(), span.parent_span_id.hex()) == (TRACE, PARENT[36:52])
    assert collected.services == {"duocthu"}


@pytest.mark.service
@pytest.mark.django_db(transaction=True)
def test_a_worker_goes_on_in_the_trace_that_its_task_brings(start_worker: Callable[..., Program]) -> None:
    publish_sample()
    with collector() as collected, LocalBedrock() as bedrock:
        worker = start_worker(
            OTEL_EXPORTER_OTLP_ENDPOINT=collected.url,
            OTEL_SERVICE_NAME="duocthu-worker",
            ANSWER_PROVIDER="bedrock",
            BEDROCK_ENDPOINT_URL=bedrock.url,
            BEDROCK_REGION="ap-southeast-1",
            BEDROCK_ANSWER_MODEL="no-model",
            AWS_ACCESS_KEY_ID="local",
            AWS_SECRET_ACCESS_KEY="local",
            **SOON,
        )
        turn = start_turn(owner="anon:me", question="chống chỉ định ibuprofen")
        answer_turn.delay(str(turn.pk), {"traceparent": PARENT})
        wait_until(lambda: Turn.objects.get(pk=turn.pk).is_final, timeout=60, message=worker.said)
        (span,) = wait_until(lambda: collected.named("turn"), timeout=20, message=worker.said)
        stages = {made.name for made in collected.spans if made.parent_span_id == span.span_id}
    turn.refresh_from_db()
    assert span.trace_id.hex() == turn.contract["otel_trace_id"] == TRACE
    assert {"turn.understand", "turn.retrieve", "turn.draft", "turn.judge"} <= stages
    assert collected.services == {"duocthu-worker"}


@pytest.mark.service
@pytest.mark.django_db(transaction=True)
def test_a_collector_that_is_away_stops_nobody(tmp_path: Path) -> None:
    away = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9", "OTEL_EXPORTER_OTLP_TIMEOUT": "1"}
    with served(tmp_path, **away, **SOON) as server:
        for _ in range(5):
            assert server.get("/api/v1/turns/00000000-0000-0000-0000-000000000007").status == 404
