"""Texts as vectors by a model on Bedrock: Cohere Embed, many texts a call, or Titan, one."""

from __future__ import annotations

import json
import time
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from django.conf import settings

from monographs.bedrock import Backoff, BedrockError, Place, Service, call_bedrock, client_of, current_place
from monographs.embedding_models import EmbeddingError, Role, embedding_model, model_name, vectors_of
from monographs.provider_calls import CallKind, ProviderCall, note_call, time_left

# Titan makes one vector a call; so many calls are made before what they brought is kept.
_FEW = 16
_TOKENS = "x-amzn-bedrock-input-token-count"


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a question and the passages given together may take, in seconds, retries and all."""

    question: float = 2.0
    passages: float = 15.0
    clock: Callable[[], float] = time.monotonic
    backoff: Backoff = Backoff()  # noqa: RUF009 - frozen


class BedrockEmbedder:
    """Asks for vectors over InvokeModel. space: names the model, in whatever region, and the dimension."""

    def __init__(self, client: Any, model_id: str, *, dimension: int = 0, patience: Patience | None = None) -> None:
        family = embedding_model(model_id)
        if family is None:
            raise ValueError(f"no way to ask {model_id} for vectors is known")
        self._client, self._model_id, self._family = client, model_id, family
        self._dimension = dimension or family.dimensions[0]
        self._patience = patience or Patience()
        self.space = f"bedrock-{model_name(model_id)}-{self._dimension}"
        self.at_once = max(family.at_once, _FEW)

    def embed_query(self, text: str) -> list[float]:
        """The vector of a question, within the time that a question may take. Raises EmbeddingError."""
        left = self._until(min(self._patience.question, time_left()))
        return self._embedded([text], Role.QUESTION, left)[0]

    def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        """The vectors of passages, in order. Raises EmbeddingError where any of them is not made in time."""
        left, step = self._until(self._patience.passages), self._family.at_once
        batches = [texts[start : start + step] for start in range(0, len(texts), step)]
        return [vector for batch in batches for vector in self._embedded(batch, Role.PASSAGE, left)]

    def _embedded(self, texts: Sequence[str], role: Role, left: Callable[[], float]) -> list[list[float]]:
        composed = [unicodedata.normalize("NFC", text) for text in texts]
        body = json.dumps(self._family.body(composed, role, self._dimension), ensure_ascii=False)
        begun, call = self._patience.clock(), ProviderCall(CallKind.EMBED, self._model_id)
        try:
            (payload, tokens), attempts = call_bedrock(
                lambda: self._invoke(body), left=left, longest=left(), backoff=self._patience.backoff
            )
            call = replace(call, tokens=tokens, attempts=attempts)
            return vectors_of(payload, count=len(texts), dimension=self._dimension)
        except BedrockError as error:
            call = replace(call, attempts=error.attempts, trouble=error.trouble.value)
            raise EmbeddingError(str(error)) from error
        except EmbeddingError:
            call = replace(call, trouble="malformed")
            raise
        finally:
            note_call(replace(call, ms=round((self._patience.clock() - begun) * 1000, 1)))

    def _invoke(self, body: str) -> tuple[object, int]:
        """What the model returned, and how many tokens it read."""
        answer = self._client.invoke_model(
            modelId=self._model_id, body=body, contentType="application/json", accept="application/json"
        )
        tokens = str(answer["ResponseMetadata"]["HTTPHeaders"].get(_TOKENS, ""))
        return json.loads(answer["body"].read()), int(tokens) if tokens.isdigit() else 0

    def _until(self, seconds: float) -> Callable[[], float]:
        end, clock = self._patience.clock() + seconds, self._patience.clock
        return lambda: max(0.0, end - clock())


def configured_embedder() -> BedrockEmbedder:
    """The embedder that the settings describe; no request is made yet."""
    return _embedder(
        current_place(),
        settings.BEDROCK_EMBEDDING_MODEL,
        settings.BEDROCK_EMBEDDING_DIMENSION,
        settings.BEDROCK_QUESTION_SECONDS,
    )


@cache
def _embedder(place: Place, model_id: str, dimension: int, question_seconds: float) -> BedrockEmbedder:
    client = client_of(Service.RUNTIME, place)
    return BedrockEmbedder(client, model_id, dimension=dimension, patience=Patience(question=question_seconds))
