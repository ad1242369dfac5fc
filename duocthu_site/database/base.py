"""The database backend of the embedded mode."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db.backends.postgresql import base

from duocthu_site.embedded import hold_server


class DatabaseWrapper(base.DatabaseWrapper):
    """PostgreSQL whose server is started, and held while this process lives, on the first connection."""

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """A connection, once the server is there."""
        hold_server(settings.EMBEDDED_CLUSTER)
        return super().get_new_connection(conn_params)
