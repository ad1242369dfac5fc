"""The worker process: Celery with a pool process for each task at a time, which a time limit can end.

It takes every kind of task; as "turns" it takes only questions, so that nobody waits for an answer behind an ingest.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence

from duocthu_site.parent_death import SUPERVISOR_PID, die_with_supervisor

OPTIONS = ("--pool", "prefork", "--loglevel", "INFO", "--without-gossip", "--without-mingle", "--without-heartbeat")
TURNS = "turns"


def options_for(kind: str) -> tuple[str, ...]:
    """The options of a worker of all tasks (""), or of one of turns, which wait for a provider most of their time."""
    from django.conf import settings

    queues = (settings.CELERY_TASK_DEFAULT_QUEUE, settings.TURNS_QUEUE)
    if kind != TURNS:
        return (*OPTIONS, "--queues", ",".join(queues))
    return (*OPTIONS, "--queues", settings.TURNS_QUEUE, "--concurrency", str(settings.TURN_WORKERS), "-n", "turns@%h")


def main(arguments: Sequence[str] = ()) -> None:
    """Take tasks until told to stop. arguments: "turns" for a worker of turns alone."""
    die_with_supervisor()
    from celery.platforms import SecurityWarning

    from duocthu_site.celery import app
    from duocthu_site.shared_counts import share_counts

    share_counts()

    if os.environ.get(SUPERVISOR_PID):
        # On one machine the worker runs as whoever ran the program; tasks are JSON, never pickled code.
        warnings.filterwarnings("ignore", category=SecurityWarning)
    app.worker_main(["--quiet", "worker", *options_for("".join(arguments))])


if __name__ == "__main__":
    main(sys.argv[1:])
