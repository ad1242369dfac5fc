"""Production: every service is given from outside, and a missing or unsafe value stops the start."""

from __future__ import annotations

from django.core.exceptions import ImproperlyConfigured

from duocthu_site.environ import bad_value
from duocthu_site.logs import logging_settings
from duocthu_site.queue_options import BROKER_SCHEMES
from duocthu_site.settings.base import *  # noqa: F403
from duocthu_site.settings.base import (
    BASE_DIR,
    DEBUG,
    ENVIRONMENT,
    TASK_VISIBILITY_SECONDS,
    database_settings,
)

MINIMUM_SECRET_LENGTH = 50

if DEBUG:
    raise ImproperlyConfigured("DEBUG is on: production shows no debug pages; unset DEBUG.")

SECRET_KEY = ENVIRONMENT.required("SECRET_KEY", f"at least {MINIMUM_SECRET_LENGTH} random characters")
if len(SECRET_KEY) < MINIMUM_SECRET_LENGTH:
    raise ImproperlyConfigured(
        f"SECRET_KEY has {len(SECRET_KEY)} characters, but must have at least {MINIMUM_SECRET_LENGTH} random ones."
    )
# Keys from before, while what they signed still counts.
SECRET_KEY_FALLBACKS = ENVIRONMENT.names("SECRET_KEY_FALLBACKS")

ENVIRONMENT.required("ALLOWED_HOSTS", "the host names people use, separated by commas")
ALLOWED_HOSTS = ENVIRONMENT.names("ALLOWED_HOSTS")
if "*" in ALLOWED_HOSTS:
    raise bad_value("ALLOWED_HOSTS", "*", "the host names people use, separated by commas")

ENVIRONMENT.required("DATABASE_URL", "the address of a PostgreSQL database that has the extension vector")
_database_url = ENVIRONMENT.database_url("DATABASE_URL")
assert _database_url is not None
DATABASES = {"default": database_settings(_database_url)}
EMBEDDED_CLUSTER = None

ENVIRONMENT.required("CELERY_BROKER_URL", "the address of Redis, Valkey (redis://…) or RabbitMQ (amqp://…)")
CELERY_BROKER_URL = ENVIRONMENT.broker_url("CELERY_BROKER_URL", BROKER_SCHEMES, default="")
CELERY_BROKER_TRANSPORT_OPTIONS = (
    {"visibility_timeout": TASK_VISIBILITY_SECONDS} if CELERY_BROKER_URL.startswith("redis") else {}
)

# A leading dot stands for every host below a domain, which origins write as a star.
CSRF_TRUSTED_ORIGINS = [f"https://{'*' if host.startswith('.') else ''}{host}" for host in ALLOWED_HOSTS]
SESSION_COOKIE_SECURE = True
CSRF_COOKIE_SECURE = True
SECURE_SSL_REDIRECT = True
# What machines ask, from beside the proxy that ends TLS.
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$"]
SECURE_HSTS_SECONDS = 31_536_000
# What other names below these hosts are served with is not ours to promise, nor to have built into browsers.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
if ENVIRONMENT.flag("BEHIND_TLS_PROXY", default=True):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    TRUSTED_PROXIES = ENVIRONMENT.networks("TRUSTED_PROXIES", ["127.0.0.0/8", "::1"])
LOGIN_REQUIRED = ENVIRONMENT.flag("LOGIN_REQUIRED", default=True)

# A container's proxy is not on its loopback address.
WEB_ADDRESS = ENVIRONMENT.address("WEB_ADDRESS", "127.0.0.1")
STATIC_ROOT = ENVIRONMENT.path("STATIC_ROOT", BASE_DIR / "staticfiles")
LOGGING = logging_settings(readable=False)
