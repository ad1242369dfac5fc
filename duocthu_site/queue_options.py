"""How Celery reaches its broker: the database itself, or Redis, Valkey or RabbitMQ."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from psycopg.conninfo import make_conninfo

DATABASE_QUEUE = "pgmq://localhost"
BROKER_SCHEMES = ("redis://", "rediss://", "amqp://", "amqps://")


def database_queue_options(database: Mapping[str, Any], *, visibility_seconds: int) -> dict[str, Any]:
    """Transport options for a queue that lives in this database (Django's description of it).

    The connection string is always given: without it the transport would take DATABASE_URL from the
    environment, whatever the settings say. Its schema comes with a migration, not with an extension.
    """
    return {
        "conn_string": make_conninfo(
            host=database["HOST"] or None,
            port=database["PORT"] or None,
            dbname=database["NAME"],
            user=database["USER"] or None,
            password=database["PASSWORD"] or None,
        ),
        "init_extension": False,
        "visibility_timeout": visibility_seconds,
        "wait_time_seconds": 0,
        "polling_interval": 0.1,
        "pool_size": 2,
        "pool_timeout": 5,
    }
