"""The local server behind the settings, so that code under test reaches it as it would reach Amazon Bedrock."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytest_django.fixtures import Settings

from chat.llm.local_server import LocalBedrock

REGION = "ap-southeast-1"
ANSWER, UNDERSTANDING, JUDGE, SUMMARY = "example.answer", "example.understanding", "example.judge", "example.summary"
EMBEDDING, RERANK = "cohere.embed-multilingual-v3", "cohere.rerank-v3-5:0"


@pytest.fixture
def local_bedrock(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalBedrock]:
    """A server that is running and named in the settings; which parts use it, a test says itself."""
    for name, value in {"AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local"}.items():
        monkeypatch.setenv(name, value)
    for name in ("AWS_BEARER_TOKEN_BEDROCK", "AWS_SESSION_TOKEN", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    with LocalBedrock() as server:
        settings.BEDROCK_REGION = REGION
        settings.BEDROCK_ENDPOINT_URL = server.url
        settings.BEDROCK_ANSWER_MODEL = ANSWER
        settings.BEDROCK_UNDERSTANDING_MODEL = UNDERSTANDING
        settings.BEDROCK_JUDGE_MODEL = JUDGE
        settings.BEDROCK_SUMMARY_MODEL = SUMMARY
        settings.BEDROCK_EMBEDDING_MODEL = EMBEDDING
        settings.BEDROCK_RERANK_MODEL = RERANK
        yield server
