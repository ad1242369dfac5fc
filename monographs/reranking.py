"""Passages put in order once more, by a model that reads them with the question: off unless it is asked for.

It decides the order and nothing else; where it fails, the order stays as it was.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

from django.conf import settings

log = logging.getLogger(__name__)
# What lies further down was ranked so low that no order of it matters.
MOST_READ = 50


def rerank(question: str, texts: Sequence[str]) -> tuple[int, ...]:
    """Places of the texts, the best first, each once; as they came where no reranker is configured, or where it
    fails."""
    places = tuple(range(len(texts)))
    if settings.RERANK_PROVIDER != "bedrock" or len(texts) < 2 or not question.strip():
        return places
    from monographs.bedrock import BedrockError  # noqa: PLC0415 - whoever uses no Bedrock need not wait for boto3
    from monographs.bedrock_reranker import configured_reranker  # noqa: PLC0415

    try:
        return configured_reranker().order(question, texts[:MOST_READ]) + places[MOST_READ:]
    except BedrockError as error:
        log.warning("rerank_failed error=%s: the order stays as it was", error)
        return places
