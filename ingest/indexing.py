"""What an edition still lacks to be searched by meaning, filled in small steps after it is published."""

from __future__ import annotations

import time

from monographs.corpus import current_edition
from monographs.embedder import current_embedder
from monographs.passage_index import embed_missing, index_missing, refresh_statistics

_SEARCHED_AT_ONCE = 500


def index_for(seconds: float) -> bool:
    """Works on the published edition for about so long; whether something is left to do.

    Every step is kept as it is done: a process that dies loses its last few texts, and whoever comes next goes on
    from there. Raises EmbeddingError where the embedder fails; what was done before is kept.
    """
    edition, embedder = current_edition(), current_embedder()
    if edition is None:
        return False
    until, worked = time.monotonic() + seconds, False
    while time.monotonic() < until:
        done = index_missing(edition.pk, limit=_SEARCHED_AT_ONCE)
        if not done and embedder is not None:
            done = embed_missing(edition.pk, embedder, limit=embedder.at_once)
        if not done:
            if worked:
                refresh_statistics()
            return False
        worked = True
    return True
