"""Passages put in order by a model on Bedrock that reads them together with the question."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from django.conf import settings

from monographs.bedrock import (
    Backoff,
    BedrockError,
    Place,
    Service,
    Trouble,
    call_bedrock,
    client_of,
    current_place,
)
from monographs.provider_calls import CallKind, ProviderCall, note_call, time_left

# A document of the service is at most 32,000 characters (botocore's service model); a passage needs far less.
_LONGEST_TEXT = 4000


class BedrockReranker:
    """Asks over Rerank. seconds: that one question may take, retries and all."""

    def __init__(
        self,
        client: Any,
        model_arn: str,
        *,
        seconds: float = 3.0,
        backoff: Backoff | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._client, self._model_arn, self._seconds = client, model_arn, seconds
        self._backoff, self._clock = backoff or Backoff(), clock

    def order(self, question: str, texts: Sequence[str]) -> tuple[int, ...]:
        """Places of the texts, the best first, each once. Raises BedrockError."""
        request, begun = self._request(question, texts), self._clock()
        until, call = begun + min(self._seconds, time_left()), ProviderCall(CallKind.RERANK, self._model_arn)
        try:
            answer, attempts = call_bedrock(
                lambda: self._client.rerank(**request),
                left=lambda: max(0.0, until - self._clock()),
                longest=self._seconds,
                backoff=self._backoff,
            )
            call = replace(call, attempts=attempts)
            return _places(answer.get("results"), len(texts))
        except BedrockError as error:
            call = replace(call, attempts=error.attempts, trouble=error.trouble.value)
            raise
        finally:
            note_call(replace(call, ms=round((self._clock() - begun) * 1000, 1)))

    def _request(self, question: str, texts: Sequence[str]) -> dict[str, object]:
        documents = [{"type": "TEXT", "textDocument": {"text": text[:_LONGEST_TEXT] or " "}} for text in texts]
        ranking = {"modelConfiguration": {"modelArn": self._model_arn}, "numberOfResults": len(texts)}
        return {
            "queries": [{"type": "TEXT", "textQuery": {"text": question[:_LONGEST_TEXT]}}],
            "sources": [{"type": "INLINE", "inlineDocumentSource": document} for document in documents],
            "rerankingConfiguration": {
                "type": "BEDROCK_RERANKING_MODEL",
                "bedrockRerankingConfiguration": ranking,
            },
        }


def _places(results: object, count: int) -> tuple[int, ...]:
    """The places in the order of the answer, and after them those that it left out. Raises BedrockError where one is
    outside the texts, or comes twice."""
    found = [result.get("index") for result in results if isinstance(result, dict)] if isinstance(results, list) else []
    places = [place for place in found if isinstance(place, int) and 0 <= place < count]
    if not places or len(places) != len(found) or len(set(places)) != len(places):
        raise BedrockError(Trouble.MALFORMED, "places that are none of the texts, or none at all")
    return (*places, *(place for place in range(count) if place not in places))


def configured_reranker() -> BedrockReranker:
    """The reranker that the settings describe; no request is made yet."""
    return _reranker(current_place(), settings.BEDROCK_RERANK_MODEL)


@cache
def _reranker(place: Place, model_id: str) -> BedrockReranker:
    arn = model_id if model_id.startswith("arn:") else f"arn:aws:bedrock:{place.region}::foundation-model/{model_id}"
    return BedrockReranker(client_of(Service.AGENT_RUNTIME, place), arn)
