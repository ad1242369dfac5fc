"""Work that is held for a while: whoever holds a row renews its lease, and what nobody renews is taken up by others.

The rows of ingest runs and of turns have the same columns for this: attempts, which tells one hold from the next, and
lease_until, which while a row waits says until when its message is left to the queue.
"""

from __future__ import annotations

from datetime import datetime

from django.db import InterfaceError, OperationalError
from django.db.models import Q

# How often work is begun before it is given up.
MAX_ATTEMPTS = 3
DATABASE_GONE = (OperationalError, InterfaceError)


def lease_over(now: datetime) -> Q:
    """Rows whose lease has run out, or that never had one."""
    return Q(lease_until=None) | Q(lease_until__lt=now)
