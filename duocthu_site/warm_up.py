"""What a web worker reads before its first question, so that the first asker does not wait for it."""

from __future__ import annotations

import gc
import logging
from threading import Thread

log = logging.getLogger(__name__)


def warm_up() -> None:
    """Reads names and models of the served edition; what cannot be read now is read when it is needed.

    What was read stays for good, so the garbage collector need not look at it again while someone waits.
    """
    from django.db import DatabaseError, connection

    from monographs.corpus import corpus_of, current_edition
    from monographs.embedder import current_embedder
    from monographs.name_search import names_of

    try:
        edition = current_edition()
        if edition is not None:
            corpus_of(edition)
            names_of(edition)
        current_embedder()
    except DatabaseError as error:
        log.info("warm_up_skipped error=%s", error)
    finally:
        connection.close()
    gc.collect()
    gc.freeze()


def warm_up_beside() -> None:
    """The same in a thread of its own: the worker serves meanwhile."""
    Thread(target=warm_up, name="warm-up", daemon=True).start()
