"""Settings of providers: what is missing or bad stops the start with a sentence that names it."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.core.exceptions import ImproperlyConfigured

from duocthu_site.environ import Environment
from duocthu_site.provider_settings import ProviderSettings

ANSWER = {
    "ANSWER_PROVIDER": "bedrock",
    "BEDROCK_REGION": "ap-southeast-1",
    "BEDROCK_ANSWER_MODEL": "global.example.answer-v1:0",
}
EMBEDDING = {
    "EMBEDDING_PROVIDER": "bedrock",
    "BEDROCK_REGION": "us-gov-west-1",
    "BEDROCK_EMBEDDING_MODEL": "cohere.embed-v4:0",
}


def read(**variables: str) -> ProviderSettings:
    return ProviderSettings(Environment(variables))


def test_nothing_set_asks_for_no_model() -> None:
    found = read()
    assert found.providers == {
        "ANSWER_PROVIDER": "disabled",
        "UNDERSTANDING_PROVIDER": "rules",
        "SUMMARY_PROVIDER": "disabled",
        "EMBEDDING_PROVIDER": "local",
        "RERANK_PROVIDER": "disabled",
    }
    assert (found.region, set(found.models.values()), found.prices, found.guardrail) == ("", {""}, {}, ("", ""))


def test_what_is_not_named_apart_is_the_answers_model() -> None:
    found = read(**ANSWER, UNDERSTANDING_PROVIDER="bedrock", SUMMARY_PROVIDER="bedrock", BEDROCK_JUDGE_MODEL="judge")
    assert found.models == {
        "answer": "global.example.answer-v1:0",
        "understanding": "global.example.answer-v1:0",
        "judge": "judge",
        "summary": "global.example.answer-v1:0",
        "embedding": "",
        "rerank": "",
    }


@pytest.mark.parametrize(
    ("variables", "sentence"),
    [
        pytest.param(ANSWER | {"BEDROCK_REGION": ""}, "BEDROCK_REGION is not set", id="no-region"),
        pytest.param(ANSWER | {"BEDROCK_REGION": "Singapore"}, "BEDROCK_REGION is 'Singapore'", id="bad-region"),
        pytest.param(
            ANSWER | {"BEDROCK_ANSWER_MODEL": " "},
            "BEDROCK_ANSWER_MODEL is not set, and ANSWER_PROVIDER is 'bedrock'",
            id="no-answer-model",
        ),
        pytest.param(ANSWER | {"BEDROCK_ANSWER_MODEL": "a b"}, "BEDROCK_ANSWER_MODEL is 'a b'", id="bad-model"),
        pytest.param(
            {"UNDERSTANDING_PROVIDER": "bedrock", "BEDROCK_REGION": "eu-west-1"},
            "BEDROCK_UNDERSTANDING_MODEL is not set",
            id="no-understanding-model",
        ),
        pytest.param(
            {"SUMMARY_PROVIDER": "bedrock", "BEDROCK_REGION": "eu-west-1"},
            "BEDROCK_SUMMARY_MODEL is not set",
            id="no-summary-model",
        ),
        pytest.param(ANSWER | {"RERANK_PROVIDER": "bedrock"}, "BEDROCK_RERANK_MODEL is not set", id="no-rerank-model"),
        pytest.param(
            EMBEDDING | {"BEDROCK_EMBEDDING_MODEL": ""}, "BEDROCK_EMBEDDING_MODEL is not set", id="no-embedding-model"
        ),
        pytest.param(
            EMBEDDING | {"BEDROCK_EMBEDDING_MODEL": "cohere.embed-v9"},
            "BEDROCK_EMBEDDING_MODEL is 'cohere.embed-v9', but must be one of: cohere.embed-multilingual-v3",
            id="unknown-embedding-model",
        ),
        pytest.param(
            EMBEDDING | {"BEDROCK_EMBEDDING_DIMENSION": "384"},
            "BEDROCK_EMBEDDING_DIMENSION is '384', but must be one of: 256, 512, 1024, 1536",
            id="dimension",
        ),
        pytest.param({"EMBEDDING_PROVIDER": "abacus"}, "EMBEDDING_PROVIDER is 'abacus'", id="unknown-provider"),
        pytest.param({"UNDERSTANDING_PROVIDER": "disabled"}, "UNDERSTANDING_PROVIDER is 'disabled'", id="other-word"),
        pytest.param({"BEDROCK_PRICES": "3"}, "BEDROCK_PRICES is '3'", id="prices-number"),
        pytest.param({"BEDROCK_PRICES": "{"}, "BEDROCK_PRICES is '{'", id="prices-no-json"),
        pytest.param({"BEDROCK_PRICES": '{"m": {"input": "3"}}'}, "BEDROCK_PRICES is", id="prices-half"),
        pytest.param({"BEDROCK_PRICES": '{"m": {"input": "x", "output": 1}}'}, "BEDROCK_PRICES is", id="prices-word"),
        pytest.param({"BEDROCK_PRICES": '{"m": {"input": -1, "output": 1}}'}, "BEDROCK_PRICES is", id="prices-less"),
        pytest.param({"BEDROCK_PRICES": '{"m": {"input": NaN, "output": 1}}'}, "BEDROCK_PRICES is", id="prices-nan"),
        pytest.param({"BEDROCK_PRICES": '{"m": 3}'}, "BEDROCK_PRICES is", id="prices-flat"),
        pytest.param({"BEDROCK_GUARDRAIL_ID": "abc"}, "BEDROCK_GUARDRAIL_ID and BEDROCK_GUARDRAIL_VERSION", id="half"),
        pytest.param(
            {"BEDROCK_GUARDRAIL_ID": "A b", "BEDROCK_GUARDRAIL_VERSION": "1"}, "BEDROCK_GUARDRAIL_ID is", id="guard-id"
        ),
        pytest.param(
            {"BEDROCK_GUARDRAIL_ID": "abc", "BEDROCK_GUARDRAIL_VERSION": "0"},
            "BEDROCK_GUARDRAIL_VERSION is '0'",
            id="guard-version",
        ),
    ],
)
def test_what_is_missing_or_bad_is_named(variables: dict[str, str], sentence: str) -> None:
    with pytest.raises(ImproperlyConfigured) as caught:
        read(**variables)
    assert str(caught.value).startswith(sentence)


def test_prices_are_exact() -> None:
    prices = read(BEDROCK_PRICES='{"m": {"input": "0.1", "output": 15}}').prices
    assert prices == {"m": (Decimal("0.1"), Decimal(15))}


def test_a_dimension_the_model_makes_is_kept() -> None:
    assert read(**EMBEDDING, BEDROCK_EMBEDDING_DIMENSION="512").dimension == 512


@pytest.mark.parametrize("value", ["bedrock.example", "ftp://host", "https://", "http:///path"])
def test_an_endpoint_that_is_no_address_is_named(value: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="BEDROCK_ENDPOINT_URL"):
        Environment({"BEDROCK_ENDPOINT_URL": value}).http_url("BEDROCK_ENDPOINT_URL")


@pytest.mark.parametrize(("value", "url"), [("", ""), ("http://127.0.0.1:9/", "http://127.0.0.1:9")])
def test_an_endpoint_loses_its_last_slash(value: str, url: str) -> None:
    assert Environment({"X": value}).http_url("X") == url


@pytest.mark.parametrize("value", ["0", "-1", "1.5", "x", "1000001", "٣"])
def test_a_count_outside_its_bounds_is_named(value: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="X is"):
        Environment({"X": value}).count("X", 4)
