"""Which model the settings ask for, and what it is built of."""

from __future__ import annotations

from decimal import Decimal

import pytest
from pytest_django.fixtures import Settings

from chat.llm.choose import language_model, usages_of
from chat.llm.domain import Budget, Fault, ModelError, Prompt, Purpose
from chat.llm.local_server import LocalBedrock
from monographs.call_metrics import price_of
from monographs.provider_calls import CallKind, ProviderCall
from tests import local_bedrock as server
from tests.site.processes import run_program

# Each call looks at its breaker.
pytestmark = pytest.mark.django_db
ASKED = [
    (Purpose.UNDERSTAND, server.UNDERSTANDING),
    (Purpose.DRAFT, server.ANSWER),
    (Purpose.RETRY, server.ANSWER),
    (Purpose.REPAIR, server.ANSWER),
    (Purpose.JUDGE, server.JUDGE),
    (Purpose.SUMMARY, server.SUMMARY),
]


def test_without_a_provider_there_is_no_model() -> None:
    assert language_model() is None


@pytest.mark.parametrize("name", ["ANSWER_PROVIDER", "UNDERSTANDING_PROVIDER", "SUMMARY_PROVIDER"])
def test_any_part_that_asks_for_bedrock_gets_the_model(
    local_bedrock: LocalBedrock, settings: Settings, name: str
) -> None:
    setattr(settings, name, "bedrock")
    model = language_model()
    assert model is not None and model is language_model(), "built once"


@pytest.mark.parametrize(("purpose", "model_id"), ASKED)
def test_the_model_of_a_purpose_is_the_one_of_its_setting(
    local_bedrock: LocalBedrock, settings: Settings, purpose: Purpose, model_id: str
) -> None:
    settings.ANSWER_PROVIDER = "bedrock"
    local_bedrock.script(purpose, {"a": 1})
    model = language_model()
    assert model is not None
    assert model.ask(Prompt(purpose, "", "s", "u", {}), Budget.of(5)).usage.model_id == model_id
    assert [seen.model_id for seen in local_bedrock.seen] == [model_id]


def test_settings_reach_the_request(local_bedrock: LocalBedrock, settings: Settings) -> None:
    settings.ANSWER_PROVIDER = "bedrock"
    settings.BEDROCK_OUTPUT = "tool"
    settings.BEDROCK_MAX_TOKENS = 77
    settings.BEDROCK_GUARDRAIL_ID, settings.BEDROCK_GUARDRAIL_VERSION = "abc", "DRAFT"
    settings.BEDROCK_PRICES = {server.ANSWER: (Decimal(3), Decimal(15))}
    local_bedrock.script(Purpose.DRAFT, {"a": 1})
    model = language_model()
    assert model is not None
    usage = model.ask(Prompt(Purpose.DRAFT, "", "s", "u", {}), Budget.of(5)).usage
    body = local_bedrock.seen[0].body
    assert body["inferenceConfig"] == {"maxTokens": 77, "temperature": 0.0}
    assert body["guardrailConfig"] == {"guardrailIdentifier": "abc", "guardrailVersion": "DRAFT"}
    assert "toolConfig" in body
    assert usage.cost == price_of(server.ANSWER, usage.input_tokens, usage.output_tokens)


def test_the_breaker_stands_outside_and_keeps_the_provider_alone(
    local_bedrock: LocalBedrock, settings: Settings
) -> None:
    settings.ANSWER_PROVIDER = "bedrock"
    settings.BREAKER_FAULTS = 2
    local_bedrock.script(Purpose.DRAFT, Fault.SERVER_ERROR)
    model = language_model()
    assert model is not None
    faults = []
    for _ in range(4):
        with pytest.raises(ModelError) as caught:
            model.ask(Prompt(Purpose.DRAFT, "", "s", "u", {}), Budget.of(5))
        faults.append(caught.value.fault)
    assert faults == [Fault.SERVER_ERROR] * 2 + [Fault.BREAKER_OPEN] * 2
    assert len(local_bedrock.seen) == 2


def test_calls_of_a_search_are_kept_as_those_of_a_turn(settings: Settings) -> None:
    settings.BEDROCK_PRICES = {"e": (Decimal("0.1"), Decimal(0))}
    embedded = ProviderCall(CallKind.EMBED, "e", tokens=20, ms=3.5, attempts=2)
    ordered = ProviderCall(CallKind.RERANK, "r", trouble="throttled")
    first, second = usages_of([embedded, ordered])
    assert (first.purpose, first.input_tokens, first.ms, first.attempts, first.fault) == (
        Purpose.EMBED,
        20,
        3.5,
        2,
        None,
    )
    assert first.cost == Decimal("0.000002")
    assert (second.purpose, second.fault, second.cost) == (Purpose.RERANK, Fault.THROTTLED, None)


def test_who_uses_no_bedrock_never_loads_boto3() -> None:
    code = (
        "import django, sys; django.setup();"
        "import chat.answer, chat.tasks, chat.views, ingest.tasks, monographs.passage_search;"
        "from chat.llm.choose import language_model; from monographs.embedder import current_embedder;"
        "from monographs.reranking import rerank;"
        "assert language_model() is None and rerank('a', ['b', 'c']) == (0, 1); current_embedder();"
        "print('boto3' in sys.modules, 'botocore' in sys.modules)"
    )
    result = run_program(["-c", code], DJANGO_SETTINGS_MODULE="duocthu_site.settings.test")
    assert result.stdout.strip() == "False False", result.stderr
