"""Reaching Amazon Bedrock: clients, what can go wrong with a call, and calls that end when their time is over.

Nothing is connected at import. botocore's own retries are off, since what a call may take is decided here.
"""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import ContextVar
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from threading import Thread
from typing import Any, TypeVar
from urllib.parse import urlsplit

import boto3
import botocore.session
from botocore import exceptions
from botocore.config import Config
from botocore.loaders import create_loader
from django.conf import settings

log = logging.getLogger(__name__)
_Result = TypeVar("_Result")


class Service(StrEnum):
    """The services of Bedrock that are called, by their names in boto3."""

    RUNTIME = "bedrock-runtime"
    AGENT_RUNTIME = "bedrock-agent-runtime"


class Trouble(StrEnum):
    """Why a call brought nothing; the same words as the faults of a language model (chat/llm/domain.py)."""

    TIMEOUT = "timeout"
    THROTTLED = "throttled"
    REFUSED = "refused"
    SERVER_ERROR = "server_error"
    UNREACHABLE = "unreachable"
    MALFORMED = "malformed"


class BedrockError(Exception):
    """A call that brought nothing. attempts: how often it was tried; allowed: seconds that the last of them had;
    detail: for the log, never for the reader."""

    def __init__(self, trouble: Trouble, detail: str = "", *, attempts: int = 1, allowed: float = 0.0) -> None:
        super().__init__(f"{trouble}: {detail}" if detail else str(trouble))
        self.trouble = trouble
        self.detail = detail
        self.attempts = attempts
        self.allowed = allowed


# --- clients ---------------------------------------------------------------------------------------------------

# The longest that the call being made by this thread may wait for bytes; None: as long as its client waits.
_READ_SECONDS: ContextVar[float | None] = ContextVar("bedrock_read_seconds", default=None)
_LOOPBACK = {"127.0.0.1", "localhost", "::1"}


@dataclass(frozen=True, slots=True)
class Place:
    """Where Bedrock is and how long to wait for it, in seconds. endpoint_url: "" for the region's own."""

    region: str
    endpoint_url: str = ""
    connect_seconds: float = 3.0
    read_seconds: float = 20.0
    pool: int = 10
    user_agent: str = "duocthu"


def current_place() -> Place:
    """As the settings say."""
    return Place(
        region=settings.BEDROCK_REGION,
        endpoint_url=settings.BEDROCK_ENDPOINT_URL,
        connect_seconds=settings.BEDROCK_CONNECT_SECONDS,
        read_seconds=settings.BEDROCK_CALL_SECONDS,
        user_agent=f"duocthu/{settings.APP_VERSION}",
    )


@cache
def _descriptions() -> Any:
    """What boto3 knows of the services, read once for all clients."""
    return create_loader()


@cache
def client_of(service: Service, place: Place) -> Any:
    """The client of a service, one per process: it is safe to use from several threads. Takes about 0.1 s once."""
    session = botocore.session.get_session()
    session.register_component("data_loader", _descriptions())
    client = boto3.session.Session(botocore_session=session).client(
        service.value,
        region_name=place.region,
        endpoint_url=place.endpoint_url or None,
        config=Config(
            connect_timeout=place.connect_seconds,
            read_timeout=place.read_seconds,
            retries={"total_max_attempts": 1, "mode": "standard"},
            max_pool_connections=place.pool,
            user_agent_extra=place.user_agent,
            # No proxy stands between this machine and itself, whatever the environment says.
            proxies={} if urlsplit(place.endpoint_url).hostname in _LOOPBACK else None,
        ),
    )
    client.meta.events.register("before-call", _cut_read_timeout)
    return client


def _cut_read_timeout(context: dict[str, Any], **_: object) -> None:
    seconds = _READ_SECONDS.get()
    if seconds is not None:
        context["read_timeout"] = seconds


# --- troubles --------------------------------------------------------------------------------------------------

# Error codes of both services (botocore's service models), where the HTTP status alone would say something else.
_CODES = {
    "ThrottlingException": Trouble.THROTTLED,
    "TooManyRequestsException": Trouble.THROTTLED,
    "ServiceQuotaExceededException": Trouble.THROTTLED,
    "ModelTimeoutException": Trouble.TIMEOUT,
    "ModelNotReadyException": Trouble.SERVER_ERROR,
    "ModelErrorException": Trouble.SERVER_ERROR,
    "DependencyFailedException": Trouble.SERVER_ERROR,
    "ConflictException": Trouble.SERVER_ERROR,
}
_STATUSES = {408: Trouble.TIMEOUT, 424: Trouble.SERVER_ERROR, 429: Trouble.THROTTLED}
_TOO_LONG = (TimeoutError, exceptions.ReadTimeoutError, exceptions.ConnectTimeoutError)
_LONGEST_DETAIL = 300
_NOT_REACHED = (exceptions.HTTPClientError, exceptions.ConnectionError, exceptions.IncompleteReadError)


def trouble_of(error: Exception) -> Trouble:
    """What an exception of a call means. What is none of boto3's own comes of an answer that could not be read."""
    if isinstance(error, exceptions.ClientError):
        return _trouble_told(error)
    if isinstance(error, _TOO_LONG):
        return Trouble.TIMEOUT
    if isinstance(error, _NOT_REACHED):
        return Trouble.UNREACHABLE
    return Trouble.REFUSED if isinstance(error, exceptions.BotoCoreError) else Trouble.MALFORMED


def _trouble_told(error: exceptions.ClientError) -> Trouble:
    status = int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
    by_status = _STATUSES.get(status, Trouble.SERVER_ERROR if status >= 500 else Trouble.REFUSED)
    return _CODES.get(str(error.response.get("Error", {}).get("Code", "")), by_status)


def _detail_of(error: Exception) -> str:
    """What the service said of it; of other errors their kind alone, since their words may repeat what was sent."""
    if not isinstance(error, exceptions.ClientError):
        return type(error).__name__
    said = error.response.get("Error", {})
    return f"{said.get('Code', '')}: {said.get('Message', '')}"[:_LONGEST_DETAIL]


# --- calls -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Backoff:
    """How a throttled call is tried again: after a random part of a pause that doubles ("full jitter", AWS
    Architecture Blog 2015). attempts: in all; first, most: seconds."""

    attempts: int = 4
    first: float = 0.5
    most: float = 8.0
    sleep: Callable[[float], None] = field(default=time.sleep, compare=False)
    between: Callable[[float, float], float] = field(default=random.uniform, compare=False)

    def pause(self, attempt: int) -> float:
        """Seconds before the try that follows this attempt, the first being 1."""
        return self.between(0.0, min(self.most, self.first * 2 ** (attempt - 1)))


def call_bedrock(
    operation: Callable[[], _Result], *, left: Callable[[], float], longest: float, backoff: Backoff
) -> tuple[_Result, int]:
    """What the operation returned, and at which attempt: it is tried again only where it was throttled, and never past
    the time that is left.

    left: seconds that may still be used, asked before each attempt; longest: seconds for one attempt.
    Raises BedrockError.
    """
    attempt = 0
    while True:
        attempt += 1
        seconds = min(longest, left())
        try:
            return within(seconds, operation), attempt
        except Exception as error:
            trouble, pause = trouble_of(error), backoff.pause(attempt)
            if trouble is Trouble.MALFORMED:
                log.warning("bedrock_answer_unreadable error=%s", _detail_of(error))
            if trouble is not Trouble.THROTTLED or attempt >= backoff.attempts or pause >= left():
                raise BedrockError(trouble, _detail_of(error), attempts=attempt, allowed=seconds) from error
        log.info("bedrock_throttled attempt=%s pause=%.2f", attempt, pause)
        backoff.sleep(pause)


def within(seconds: float, operation: Callable[[], _Result]) -> _Result:
    """The operation's result, or TimeoutError once the seconds are over, whatever holds it up: a name that is looked
    up, a signature that is fetched, bytes that trickle in. A late one ends in a thread of its own, unheard."""
    if seconds <= 0:
        raise TimeoutError
    outcome: Future[_Result] = Future()

    def work() -> None:
        _READ_SECONDS.set(seconds)
        try:
            outcome.set_result(operation())
        except Exception as error:
            outcome.set_exception(error)

    Thread(target=work, name="bedrock-call", daemon=True).start()
    return outcome.result(seconds)
