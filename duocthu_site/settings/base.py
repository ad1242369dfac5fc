"""What every way of running shares. Nothing here writes a file, opens a connection or starts a process."""

from __future__ import annotations

import os
import tomllib
from datetime import timedelta
from pathlib import Path
from typing import Any

from csp.constants import NONE, SELF

from duocthu_site.environ import DatabaseUrl, Environment
from duocthu_site.provider_settings import ProviderSettings

BASE_DIR = Path(__file__).resolve().parents[2]
ENVIRONMENT = Environment(os.environ)
APP_VERSION = str(tomllib.loads((BASE_DIR / "pyproject.toml").read_text("utf-8"))["project"]["version"])

DUOCTHU_DATA_DIR = ENVIRONMENT.path("DUOCTHU_DATA_DIR", BASE_DIR / "var")
PORT = ENVIRONMENT.port("PORT", 8000)
DEBUG = ENVIRONMENT.flag("DEBUG", default=False)

# Which parts a model has, and where it is reached; every variable is told in docs/operations.md.
_PROVIDERS = ProviderSettings(ENVIRONMENT)
ANSWER_PROVIDER = _PROVIDERS.providers["ANSWER_PROVIDER"]
UNDERSTANDING_PROVIDER = _PROVIDERS.providers["UNDERSTANDING_PROVIDER"]
SUMMARY_PROVIDER = _PROVIDERS.providers["SUMMARY_PROVIDER"]
EMBEDDING_PROVIDER = _PROVIDERS.providers["EMBEDDING_PROVIDER"]
RERANK_PROVIDER = _PROVIDERS.providers["RERANK_PROVIDER"]
BEDROCK_REGION = _PROVIDERS.region
BEDROCK_ENDPOINT_URL = ENVIRONMENT.http_url("BEDROCK_ENDPOINT_URL")
BEDROCK_ANSWER_MODEL = _PROVIDERS.models["answer"]
BEDROCK_UNDERSTANDING_MODEL = _PROVIDERS.models["understanding"]
BEDROCK_JUDGE_MODEL = _PROVIDERS.models["judge"]
BEDROCK_SUMMARY_MODEL = _PROVIDERS.models["summary"]
BEDROCK_EMBEDDING_MODEL = _PROVIDERS.models["embedding"]
BEDROCK_RERANK_MODEL = _PROVIDERS.models["rerank"]
BEDROCK_EMBEDDING_DIMENSION = _PROVIDERS.dimension
# The answer's form: the provider's own, or a tool that must be called, for models that lack it.
BEDROCK_OUTPUT = ENVIRONMENT.choice("BEDROCK_OUTPUT", choices={"json_schema", "tool"}, default="json_schema")
BEDROCK_MAX_TOKENS = ENVIRONMENT.count("BEDROCK_MAX_TOKENS", 4096, most=200_000)
BEDROCK_PRICES = _PROVIDERS.prices
BEDROCK_GUARDRAIL_ID, BEDROCK_GUARDRAIL_VERSION = _PROVIDERS.guardrail
# Seconds: a whole turn, which must end before its task is ended; one call of a model in it; finding the provider; the
# vector of a question.
TURN_BUDGET_SECONDS = ENVIRONMENT.seconds("TURN_BUDGET_SECONDS", 45, least=5, most=240)
BEDROCK_CALL_SECONDS = ENVIRONMENT.seconds("BEDROCK_CALL_SECONDS", 20, most=240)
BEDROCK_CONNECT_SECONDS = ENVIRONMENT.seconds("BEDROCK_CONNECT_SECONDS", 3, most=60)
BEDROCK_QUESTION_SECONDS = ENVIRONMENT.seconds("BEDROCK_QUESTION_SECONDS", 2, most=30)
# A model is left alone for a pause after so many faults of its provider in a row, in whatever process.
BREAKER_FAULTS = ENVIRONMENT.count("BREAKER_FAULTS", 5, most=1000)
BREAKER_PAUSE_SECONDS = ENVIRONMENT.seconds("BREAKER_PAUSE_SECONDS", 30)
# Said below every answer, such as that no model is behind them.
PROVIDER_NOTE = ENVIRONMENT.text("PROVIDER_NOTE")

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
    "axes",
    "monographs",
    "ingest",
    "chat",
    "duocthu_site",
]

MIDDLEWARE = [
    "duocthu_site.request_marks.RequestMarks",
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "duocthu_site.api_frame.ApiFrame",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.gzip.GZipMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "axes.middleware.AxesMiddleware",
    "duocthu_site.tokens.TokenUser",
    "duocthu_site.sign_in.SignInRequired",
    "duocthu_site.rate_limits.RateLimits",
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

LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "chat"
# Whether every page and the API want a user; otherwise only the staff pages do.
LOGIN_REQUIRED = ENVIRONMENT.flag("LOGIN_REQUIRED", default=False)
# Machines whose X-Forwarded-For is believed.
TRUSTED_PROXIES = ENVIRONMENT.networks("TRUSTED_PROXIES")
AUTHENTICATION_BACKENDS = [
    # Before the lock: whoever tries tokens at random must not lock out those that are right.
    "duocthu_site.tokens.TokenBackend",
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
# A name is locked for the address that failed with it, so that nobody can lock out somebody else.
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_FAILURE_LIMIT = ENVIRONMENT.count("SIGN_IN_FAILURES", 10, most=1000)
AXES_COOLOFF_TIME = timedelta(minutes=ENVIRONMENT.count("SIGN_IN_LOCK_MINUTES", 15, most=1440))
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_RESET_ON_SUCCESS = True
AXES_CLIENT_IP_CALLABLE = "duocthu_site.client_address.client_address"
AXES_USERNAME_CALLABLE = "duocthu_site.sign_in.attempted_name"
AXES_LOCKOUT_CALLABLE = "duocthu_site.sign_in.locked_out"
AXES_DISABLE_ACCESS_LOG = True
AXES_ENABLE_ADMIN = False
AXES_VERBOSE = False

# What one client, a user or else an address, may do; shared by all processes. A pharmacist never meets them, and many
# may share an address.
RATE_LIMITS = {
    "questions": ENVIRONMENT.rate("LIMIT_QUESTIONS", "600/minute"),
    "searches": ENVIRONMENT.rate("LIMIT_SEARCHES", "1200/minute"),
    "uploads": ENVIRONMENT.rate("LIMIT_UPLOADS", "60/hour"),
    "api": ENVIRONMENT.rate("LIMIT_API", "1200/minute"),
    "sign_in": ENVIRONMENT.rate("LIMIT_SIGN_IN", "120/minute"),
}
API_MOST_BYTES = 65_536

# By whom /metrics may be read: whoever has this token, or without one this machine.
METRICS_TOKEN = ENVIRONMENT.secret("METRICS_TOKEN", least=16)
# Less than this free where data is kept, and /readyz says so.
DISK_FREE_MEGABYTES = ENVIRONMENT.count("DISK_FREE_MEGABYTES", 512, least=0)
# Where spans go, over HTTP; other variables of OpenTelemetry are read by its exporter itself.
OTEL_EXPORTER_OTLP_ENDPOINT = ENVIRONMENT.http_url("OTEL_EXPORTER_OTLP_ENDPOINT")

# Days after which what was asked is deleted; 0: never. docs/operations.md says what each takes along.
RETENTION_DAYS = ENVIRONMENT.count("RETENTION_DAYS", 0, least=0, most=36_500)
RETENTION_FEEDBACK_DAYS = ENVIRONMENT.count("RETENTION_FEEDBACK_DAYS", RETENTION_DAYS, least=0, most=36_500)
RETENTION_TRACE_DAYS = ENVIRONMENT.count("RETENTION_TRACE_DAYS", RETENTION_DAYS, least=0, most=36_500)
# PDFs that were sent in and of which no edition came, or none that was kept.
RETENTION_UPLOAD_DAYS = ENVIRONMENT.count("RETENTION_UPLOAD_DAYS", RETENTION_DAYS, least=0, most=36_500)
CROP_CACHE_MEGABYTES = ENVIRONMENT.count("CROP_CACHE_MEGABYTES", 2048)
# How often a worker runs `manage.py purge --delete` by itself; 0: never.
_PURGED = any((RETENTION_DAYS, RETENTION_FEEDBACK_DAYS, RETENTION_TRACE_DAYS, RETENTION_UPLOAD_DAYS))
PURGE_HOURS = ENVIRONMENT.count("PURGE_HOURS", 24 if _PURGED else 0, least=0, most=720)

# How many monographs a device keeps to be read without a network; 0: none.
OFFLINE_MONOGRAPHS = ENVIRONMENT.count("OFFLINE_MONOGRAPHS", 20, least=0, most=200)

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
WEB_WORKERS = ENVIRONMENT.count("WEB_WORKERS", 2, most=64)
WEB_THREADS = ENVIRONMENT.count("WEB_THREADS", 4, most=64)
WEB_ADDRESS = "127.0.0.1"
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
# The same for a turn; whoever answers it renews this a few times over.
TURN_LEASE_SECONDS = ENVIRONMENT.seconds("TURN_LEASE_SECONDS", 20, least=3)

# A message comes back once it has been invisible for this long, so no task may live longer.
TASK_VISIBILITY_SECONDS = 300
CELERY_TASK_DEFAULT_QUEUE = "duocthu"
# Questions that a model takes part in have a queue of their own: nobody waits for an answer behind an ingest.
TURNS_QUEUE = "duocthu_turns"
TURN_WORKERS = ENVIRONMENT.count("TURN_WORKERS", 2, most=64)
CELERY_TASK_ROUTES = {"chat.answer_turn": {"queue": TURNS_QUEUE}}
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
