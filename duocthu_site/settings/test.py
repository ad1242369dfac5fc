"""Tests: a real PostgreSQL that gives up durability for speed, tasks run in place, plain static files."""

from __future__ import annotations

import os

from duocthu_site.cluster import EmbeddedCluster
from duocthu_site.logs import logging_settings
from duocthu_site.queue_options import DATABASE_QUEUE, database_queue_options
from duocthu_site.settings.base import *  # noqa: F403
from duocthu_site.settings.base import (
    BASE_DIR,
    ENVIRONMENT,
    RATE_LIMITS,
    STORAGES,
    TASK_VISIBILITY_SECONDS,
    database_settings,
)

SECRET_KEY = "only-for-tests-" + "x" * 40
DEBUG = False
ALLOWED_HOSTS = ["testserver", "localhost", "127.0.0.1"]

DUOCTHU_DATA_DIR = ENVIRONMENT.path("DUOCTHU_TEST_DATA_DIR", BASE_DIR / "var" / "test")
MEDIA_ROOT = DUOCTHU_DATA_DIR / "media"
STATIC_ROOT = DUOCTHU_DATA_DIR / "static"

_given_database = ENVIRONMENT.database_url("DATABASE_URL")
EMBEDDED_CLUSTER = None if _given_database else EmbeddedCluster(data_dir=DUOCTHU_DATA_DIR, durable=False)
DATABASES = {
    "default": database_settings(_given_database)
    if _given_database
    else database_settings(
        EmbeddedCluster(data_dir=DUOCTHU_DATA_DIR, durable=False).url, engine="duocthu_site.database"
    )
}
# Sessions of pytest that run side by side share the server, each with a database of its own.
DATABASES["default"]["TEST"] = {"NAME": f"test_duocthu_{os.getpid()}"}
DATABASES["default"]["OPTIONS"].pop("pool")

CELERY_TASK_ALWAYS_EAGER = True
CELERY_TASK_EAGER_PROPAGATES = True
CELERY_BROKER_URL = DATABASE_QUEUE
CELERY_BROKER_TRANSPORT_OPTIONS = database_queue_options(
    DATABASES["default"], visibility_seconds=TASK_VISIBILITY_SECONDS
)

# Vectors take seconds to make; the tests about them ask for the embedder themselves.
EMBEDDING_PROVIDER = "disabled"

# The tests about limits set their own.
RATE_LIMITS = dict.fromkeys(RATE_LIMITS)
# So do those about reading without a network: a worker would stand between the other tests and the server.
OFFLINE_MONOGRAPHS = 0

METRICS_TOKEN = OTEL_EXPORTER_OTLP_ENDPOINT = ""
DISK_FREE_MEGABYTES = 0

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = STORAGES | {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
WHITENOISE_AUTOREFRESH = True
WHITENOISE_USE_FINDERS = True
LOGGING = logging_settings(readable=True)
