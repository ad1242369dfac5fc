"""No process of ours outlives the one that started it, even where that one was killed."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import time

from duocthu_site.postmaster import process_arguments

SUPERVISOR_PID = "DUOCTHU_SUPERVISOR_PID"
SET_PARENT_DEATH_SIGNAL = 1
POLL_SECONDS = 1.0


def die_with_supervisor() -> None:
    """Tie this process to its parent where the supervisor started it; otherwise do nothing.

    The supervisor itself is looked at too, in case the parent died before the tie was made.
    """
    supervisor = os.environ.get(SUPERVISOR_PID)
    if not supervisor:
        return
    die_with_parent()
    if not process_arguments(int(supervisor)):
        _end_now()


def die_with_parent() -> None:
    """Have the kernel kill this process when its parent dies; elsewhere than on Linux a thread looks after it."""
    parent = os.getppid()
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None, use_errno=True).prctl(SET_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            _end_now()
    else:
        threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(POLL_SECONDS)
    _end_now()


def _end_now() -> None:
    os.kill(os.getpid(), signal.SIGKILL)
