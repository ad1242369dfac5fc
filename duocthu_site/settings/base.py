"""What every way of running shares. Nothing here writes a file, opens a connection or starts a process."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from duocthu_site.environ import DatabaseUrl, Environment

BASE_DIR = Path(__file__).resolve().parents[2]
ENVIRONMENT = Environment(os.environ)
APP_VERSION = str(tomllib.loads((BASE_DIR / "pyproject.toml").read_text("utf-8"))["project"]["version"])

DUOCTHU_DATA_DIR = ENVIRONMENT.path("DUOCTHU_DATA_DIR", BASE_DIR / "var")
PORT = ENVIRONMENT.port("PORT", 8000)
DEBUG = ENVIRONMENT.flag("DEBUG", default=False)

PROVIDERS_TO_COME = {"bedrock"}


def read_provider(name: str, *, choices: set[str], default: str) -> str:
    """The provider asked for; one that does not exist yet is refused rather than ignored."""
    value = ENVIRONMENT.choice(name, choices=choices | PROVIDERS_TO_COME, default=default)
    if value in PROVIDERS_TO_COME:
        raise ImproperlyConfigured(
            f"{name} is {value!r}, which is not available yet: unset it or set it to {default!r}."
        )
    return value


ANSWER_PROVIDER = read_provider("ANSWER_PROVIDER", choices={"disabled"}, default="disabled")
EMBEDDING_PROVIDER = read_provider("EMBEDDING_PROVIDER", choices={"disabled", "local"}, default="local")

INSTALLED_APPS = [
    "whitenoise.runserver_nostatic",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_htmx",
    "heroicons",
    "csp",
    "monographs",
    "ingest",
    "chat",
    "duocthu_site",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.gzip.GZipMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]

ROOT_URLCONF = "duocthu_site.urls"
WSGI_APPLICATION = "duocthu_site.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "builtins": ["heroicons.templatetags.heroicons"],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    }
]

# Only staff sign in; whoever asks need not.
LOGIN_URL = "admin:login"

LANGUAGE_CODE = "vi"
# Before Django's own Vietnamese, which lacks some of what the admin says.
LOCALE_PATHS = [BASE_DIR / "duocthu_site" / "locale"]
TIME_ZONE = "Asia/Ho_Chi_Minh"
USE_I18N = True
USE_TZ = True

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]

# One pool per process, as large as the threads that can ask for a connection at once.
WEB_WORKERS = 2
WEB_THREADS = 4
POOL_OPTIONS = {"min_size": 1, "max_size": WEB_THREADS, "timeout": 10}


def database_settings(url: DatabaseUrl, *, engine: str = "django.db.backends.postgresql") -> dict[str, Any]:
    """Django's description of a PostgreSQL database reached through a pool."""
    return {
        "ENGINE": engine,
        "NAME": url.name,
        "USER": url.user,
        "PASSWORD": url.password,
        "HOST": url.host,
        "PORT": url.port,
        "CONN_MAX_AGE": 0,
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": {**url.options, "pool": dict(POOL_OPTIONS)},
    }


STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
    "duocthu_site.fonts.FontFinder",
]
STORAGES: dict[str, Any] = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
MEDIA_ROOT = DUOCTHU_DATA_DIR / "media"

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "font-src": [SELF],
        "connect-src": [SELF],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}
X_FRAME_OPTIONS = "DENY"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_HTTPONLY = True
CSRF_COOKIE_SAMESITE = "Lax"

# How long an ingest run stays with a worker that gives no sign of life; the next one then takes it up.
INGEST_LEASE_SECONDS = ENVIRONMENT.seconds("INGEST_LEASE_SECONDS", 60, least=10)

# A message comes back once it has been invisible for this long, so no task may live longer.
TASK_VISIBILITY_SECONDS = 300
CELERY_TASK_DEFAULT_QUEUE = "duocthu"
CELERY_TASK_SOFT_TIME_LIMIT = TASK_VISIBILITY_SECONDS - 20
CELERY_TASK_TIME_LIMIT = TASK_VISIBILITY_SECONDS - 10
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_CONCURRENCY = 1
CELERY_WORKER_LOST_WAIT = 2.0
# Remote control would need broadcast queues, which the database queue has no use for: cancelling is a column.
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_WORKER_SEND_TASK_EVENTS = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_POOL_LIMIT = 2
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TIMEZONE = TIME_ZONE
WORKER_HEARTBEAT_SECONDS = 10.0
