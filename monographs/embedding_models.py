"""The models on Bedrock that make vectors: what they are asked, what they answer, and what they take at once."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

# With the prefix of an inference profile, or at the end of an ARN; the name alone says whose vectors they are.
_NAME = re.compile(r"(cohere\.embed-(?:english|multilingual)-v3|cohere\.embed-v4|amazon\.titan-embed-text-v2)(:\d+)?$")


class EmbeddingError(Exception):
    """No vectors could be made. The message is for the log."""


class Role(StrEnum):
    """What a text is, as Cohere's models are told."""

    QUESTION = "search_query"
    PASSAGE = "search_document"


@dataclass(frozen=True, slots=True)
class EmbeddingModel:
    """A family of models. dimensions: those it can make, its own choice first; at_once: texts a call; longest:
    characters of a text (Amazon Bedrock User Guide, "Cohere Embed v3", "Cohere Embed v4", "Amazon Titan Text
    Embeddings")."""

    dimensions: tuple[int, ...]
    at_once: int
    longest: int
    truncate: str = ""
    sends_dimension: bool = True

    def body(self, texts: Sequence[str], role: Role, dimension: int) -> dict[str, object]:
        """What is sent for so many texts, of which Titan takes one."""
        cut = [text[: self.longest] for text in texts]
        if not self.truncate:
            return {"inputText": cut[0], "dimensions": dimension, "normalize": True}
        body: dict[str, object] = {"texts": cut, "input_type": role.value, "truncate": self.truncate}
        body["embedding_types"] = ["float"]
        return body | ({"output_dimension": dimension} if self.sends_dimension else {})


_COHERE_3 = EmbeddingModel((1024,), at_once=96, longest=2048, truncate="END", sends_dimension=False)
_COHERE_4 = EmbeddingModel((1536, 1024, 512, 256), at_once=96, longest=20_000, truncate="RIGHT")
_TITAN_2 = EmbeddingModel((1024, 512, 256), at_once=1, longest=20_000)
KNOWN_MODELS = "cohere.embed-multilingual-v3, cohere.embed-v4:0, amazon.titan-embed-text-v2:0"


def embedding_model(model_id: str) -> EmbeddingModel | None:
    """The family of a model, an inference profile or an ARN; None where its requests are not known."""
    name = model_name(model_id)
    if name.startswith("amazon"):
        return _TITAN_2
    if name.startswith("cohere"):
        return _COHERE_4 if "v4" in name else _COHERE_3
    return None


def model_name(model_id: str) -> str:
    """The model's own name, the same in every region; "" where none is known."""
    found = _NAME.search(model_id)
    return found.group() if found else ""


def vectors_of(payload: object, *, count: int, dimension: int) -> list[list[float]]:
    """The vectors of an answer, in the order of the texts. Raises EmbeddingError where they are not `count` vectors of
    `dimension` numbers."""
    found = _listed(payload)
    vectors = [_vector(each, dimension) for each in found] if isinstance(found, list) else []
    if len(vectors) != count:
        raise EmbeddingError(f"{len(vectors)} vectors for {count} texts")
    return vectors


def _listed(payload: object) -> object:
    """Titan says one under "embedding"; Cohere many, by type where types were asked for."""
    if not isinstance(payload, Mapping):
        return None
    if "embedding" in payload:
        return [payload["embedding"]]
    found = payload.get("embeddings")
    return found.get("float") if isinstance(found, Mapping) else found


def _vector(value: object, dimension: int) -> list[float]:
    if not isinstance(value, list) or len(value) != dimension:
        raise EmbeddingError(f"no vector of {dimension} dimensions")
    if not all(isinstance(each, int | float) and not isinstance(each, bool) and math.isfinite(each) for each in value):
        raise EmbeddingError("a vector with something that is no number")
    return [float(each) for each in value]
