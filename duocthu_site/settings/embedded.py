"""The default: one machine, nothing to configure; everything written lies under DUOCTHU_DATA_DIR."""

from __future__ import annotations

from duocthu_site.cluster import EmbeddedCluster
from duocthu_site.logs import logging_settings
from duocthu_site.queue_options import BROKER_SCHEMES, DATABASE_QUEUE, database_queue_options
from duocthu_site.secret_key import kept_secret_key
from duocthu_site.settings.base import *  # noqa: F403
from duocthu_site.settings.base import (
    DUOCTHU_DATA_DIR,
    ENVIRONMENT,
    TASK_VISIBILITY_SECONDS,
    database_settings,
)

SECRET_KEY = ENVIRONMENT.text("SECRET_KEY") or kept_secret_key(DUOCTHU_DATA_DIR / "secret_key")
ALLOWED_HOSTS = ENVIRONMENT.names("ALLOWED_HOSTS", ["localhost", "127.0.0.1", "[::1]"])

_given_database = ENVIRONMENT.database_url("DATABASE_URL")
EMBEDDED_CLUSTER = None if _given_database else EmbeddedCluster(data_dir=DUOCTHU_DATA_DIR)
DATABASES = {
    "default": database_settings(_given_database)
    if _given_database
    else database_settings(EmbeddedCluster(data_dir=DUOCTHU_DATA_DIR).url, engine="duocthu_site.database")
}

CELERY_BROKER_URL = ENVIRONMENT.broker_url("CELERY_BROKER_URL", BROKER_SCHEMES, default=DATABASE_QUEUE)
CELERY_BROKER_TRANSPORT_OPTIONS = (
    database_queue_options(DATABASES["default"], visibility_seconds=TASK_VISIBILITY_SECONDS)
    if CELERY_BROKER_URL == DATABASE_QUEUE
    else {"visibility_timeout": TASK_VISIBILITY_SECONDS}
)

STATIC_ROOT = DUOCTHU_DATA_DIR / "static"
LOGGING = logging_settings(readable=True)
