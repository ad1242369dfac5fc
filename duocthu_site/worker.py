"""The worker process: Celery with one pool process at a time, which a time limit can end."""

from __future__ import annotations

import os
import warnings

from duocthu_site.parent_death import SUPERVISOR_PID, die_with_supervisor

OPTIONS = ("--pool", "prefork", "--loglevel", "INFO", "--without-gossip", "--without-mingle", "--without-heartbeat")


def main() -> None:
    """Take tasks until told to stop."""
    die_with_supervisor()
    from celery.platforms import SecurityWarning

    from duocthu_site.celery import app

    if os.environ.get(SUPERVISOR_PID):
        # On one machine the worker runs as whoever ran the program; tasks are JSON, never pickled code.
        warnings.filterwarnings("ignore", category=SecurityWarning)
    app.worker_main(["--quiet", "worker", *OPTIONS])


if __name__ == "__main__":
    main()
