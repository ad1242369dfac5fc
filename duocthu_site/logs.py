"""Logging: JSON lines in production, readable lines elsewhere; never a question's text, never local variables."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

import structlog

from monographs.private_words import hide_private

SHARED_PROCESSORS: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.ExtraAdder(allow=("turn", "run", "why")),
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]


def logging_settings(*, readable: bool) -> dict[str, Any]:
    """Django's LOGGING; as a side effect structlog's own loggers are sent the same way."""
    structlog.configure(
        processors=[*SHARED_PROCESSORS, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"structured": _formatter(readable=readable)},
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "structured"}},
        "root": {"handlers": ["console"], "level": "INFO"},
        "loggers": {
            "django": {"handlers": [], "level": "INFO", "propagate": True},
            "django.server": {"handlers": [], "level": "INFO", "propagate": True},
            "django.db.backends": {"level": "WARNING"},
            "pgmq": {"level": "WARNING"},
            "botocore": {"level": "WARNING"},
            # One line where spans cannot be sent, and no traceback of the library's retries.
            "urllib3": {"level": "ERROR"},
            "axes": {"level": "WARNING"},
        },
    }


def _formatter(*, readable: bool) -> dict[str, Any]:
    # Tracebacks are rendered plainly: the richer renderings print local variables, and with them questions.
    renderer: Any = (
        structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback)
        if readable
        else structlog.processors.JSONRenderer(ensure_ascii=False)
    )
    return {
        "()": structlog.stdlib.ProcessorFormatter,
        "foreign_pre_chain": SHARED_PROCESSORS,
        "processors": [
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.format_exc_info,
            without_what_was_typed,
            renderer,
        ],
    }


def without_what_was_typed(_logger: object, _method: str, line: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """A processor: an error's message may quote a question, as the database does with a row that it refuses."""
    return {name: hide_private(value) if isinstance(value, str) else value for name, value in line.items()}
