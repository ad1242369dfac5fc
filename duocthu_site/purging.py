"""What a worker does about old data: now and then it starts `manage.py purge`, which finds out whether it is due."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any, ClassVar

from celery import bootsteps

from duocthu_site.worker_steps import Heartbeat

LOOK_EVERY_SECONDS = 600.0
_MANAGE = Path(__file__).resolve().parents[1] / "manage.py"


class Purge(bootsteps.StartStopStep):
    """Deletes what is too old by a process of its own: it may take long, and a worker must go on showing that it lives.

    Every worker does so; the one that is first makes the others find nothing due.
    """

    requires: ClassVar = {Heartbeat}

    def __init__(self, parent: Any, **options: Any) -> None:
        super().__init__(parent, **options)
        self.entry: Any = None
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, parent: Any) -> None:
        """Begin, unless nothing is ever to be deleted."""
        from django.conf import settings

        if settings.PURGE_HOURS:
            self.entry = parent.timer.call_repeatedly(LOOK_EVERY_SECONDS, self.look)

    def look(self) -> None:
        """Start the command, once the one before has ended."""
        if self.process is None or self.process.poll() is not None:
            command = [sys.executable, str(_MANAGE), "purge", "--delete", "--if-due"]
            self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL)

    def stop(self, parent: Any) -> None:
        """End with the worker; a deletion that is cut off is gone on with next time."""
        if self.entry is not None:
            self.entry.cancel()
        if self.process is not None:
            self.process.terminate()

    terminate = stop
