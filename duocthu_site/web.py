"""The web server process: granian with a few workers of a few threads each."""

from __future__ import annotations

from duocthu_site.parent_death import die_with_supervisor

LOOPBACK = "127.0.0.1"
STOP_SECONDS = 8


def main() -> None:
    """Serve until told to stop; a worker that dies is replaced."""
    die_with_supervisor()
    from django.conf import settings
    from granian import Granian
    from granian.constants import Interfaces
    from granian.log import LogLevels

    Granian(
        "duocthu_site.wsgi:application",
        address=LOOPBACK,
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
