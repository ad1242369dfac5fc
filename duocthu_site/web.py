"""The web server process: granian with a few workers of a few threads each."""

from __future__ import annotations

import os

from duocthu_site.parent_death import SUPERVISOR_PID, die_with_supervisor

LOOPBACK = "127.0.0.1"
STOP_SECONDS = 8


def main() -> None:
    """Serve until told to stop; a worker that dies is replaced."""
    die_with_supervisor()
    # Its own processes would serve on, and hold the port, where this one was killed.
    os.environ.setdefault(SUPERVISOR_PID, str(os.getpid()))
    from django.conf import settings
    from granian import Granian
    from granian.constants import Interfaces
    from granian.log import LogLevels

    Granian(
        "duocthu_site.wsgi:application",
        address=settings.WEB_ADDRESS,
        port=settings.PORT,
        interface=Interfaces.WSGI,
        workers=settings.WEB_WORKERS,
        blocking_threads=settings.WEB_THREADS,
        respawn_failed_workers=True,
        respawn_interval=1.0,
        workers_kill_timeout=STOP_SECONDS,
        log_level=LogLevels.warning,
    ).serve()


if __name__ == "__main__":
    main()
