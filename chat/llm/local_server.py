"""A server on the loopback address that speaks as Amazon Bedrock does: Converse, InvokeModel and Rerank, over HTTP.

For tests, which write what it says to each call, and for demonstrations, in which it copies (chat/llm/copied_replies).
No model is behind it.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from types import TracebackType
from typing import Any, Self
from urllib.parse import unquote

from chat.llm.copied_replies import copied_reply
from chat.llm.domain import Fault, Purpose
from chat.llm.local_steps import (
    Answer,
    Dropped,
    Held,
    HttpError,
    Payload,
    RawBody,
    Said,
    Seen,
    Step,
    converse_body,
    trouble_step,
)

LOOPBACK = "127.0.0.1"
_MISSING_SIGNATURE = HttpError(403, "MissingAuthenticationTokenException", "Missing Authentication Token")
_UNKNOWN_PATH = HttpError(404, "UnknownOperationException", "")
_UNREADABLE = HttpError(400, "ValidationException", "The request body is not valid JSON.")


class LocalBedrock:
    """The server; it serves from start() to stop(), or inside a with block.

    seen: every request that was understood, in order; url: for BEDROCK_ENDPOINT_URL.
    """

    def __init__(self, port: int = 0, *, otherwise: Callable[[Seen], Answer] = copied_reply) -> None:
        self.seen: list[Seen] = []
        self._otherwise, self._lock, self._released = otherwise, Lock(), Event()
        self._steps: dict[str, list[Step]] = defaultdict(list)
        self._server = _Server((LOOPBACK, port), _Handler)
        self._server.bedrock = self
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self.url = f"http://{LOOPBACK}:{self._server.server_port}"

    def script(self, whom: Purpose | str, *steps: Step) -> None:
        """What is said to the next calls of a purpose, or of a model by its id: one step each, the last to all that
        follow. Nothing written, or nothing given, is as it was made without a script."""
        with self._lock:
            self._steps[str(whom)] = list(steps)

    def start(self) -> None:
        """Serve in a thread of its own."""
        self._thread.start()

    def release(self) -> None:
        """Let go of every call that is held; those to come are not held either."""
        self._released.set()

    def stop(self) -> None:
        """End; nothing is held any more."""
        self.release()
        self._server.shutdown()
        self._server.server_close()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def asked_for(self, purpose: Purpose) -> list[Seen]:
        """The requests of one purpose, in order."""
        return [seen for seen in self.seen if seen.purpose == purpose]

    def wait_released(self, seconds: float | None = None) -> None:
        """Hold whoever calls until release(), or for so long."""
        self._released.wait(seconds)

    def step_for(self, seen: Seen) -> Answer:
        """Remembers the request and says what comes next for it."""
        with self._lock:
            self.seen.append(seen)
            steps = self._steps.get(seen.model_id) or self._steps.get(seen.purpose)
            step: Step = self._otherwise if not steps else steps.pop(0) if len(steps) > 1 else steps[0]
        if isinstance(step, Fault):
            return trouble_step(step, seen.purpose)
        return step(seen) if callable(step) else step


class _Server(ThreadingHTTPServer):
    """Its threads end with the process; a client that went away is nobody's trouble."""

    daemon_threads = True
    block_on_close = False
    bedrock: LocalBedrock

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Connections that were cut are expected here."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Headers and body go out apart; held back for one another they would cost 40 ms a call.
    disable_nagle_algorithm = True
    server: _Server

    def do_POST(self) -> None:
        """One call."""
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        if not self.headers.get("Authorization"):
            return self._fail(_MISSING_SIGNATURE)
        try:
            seen = _seen(self.path, json.loads(body), {name.lower(): value for name, value in self.headers.items()})
        except ValueError:
            return self._fail(_UNREADABLE)
        return self._fail(_UNKNOWN_PATH) if seen is None else self._answer(seen, self.server.bedrock.step_for(seen))

    def _answer(self, seen: Seen, step: Answer) -> None:
        match step:
            case Held():
                self.server.bedrock.wait_released()
                self.close_connection = True
            case Dropped():
                self.close_connection = True
            case HttpError():
                self._fail(step)
            case RawBody():
                self._send(200, step.body)
            case Said():
                self._send(200, _encoded(converse_body(step, seen)))
            case _:
                self._send(200, _encoded(_shaped(step, seen)), {"x-amzn-bedrock-input-token-count": "7"})

    def _fail(self, error: HttpError) -> None:
        body = error.body or _encoded({"message": error.message})
        self._send(error.status, body, {"x-amzn-errortype": error.code})

    def _send(self, status: int, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the base class
        """Says nothing: what was asked is in LocalBedrock.seen."""


def _seen(path: str, body: dict[str, Any], headers: Mapping[str, str]) -> Seen | None:
    """The request; None where no operation has this path."""
    parts = path.split("/")
    if path == "/rerank":
        ranking = body["rerankingConfiguration"]["bedrockRerankingConfiguration"]
        return Seen(Purpose.RERANK, str(ranking["modelConfiguration"]["modelArn"]), body, headers)
    if len(parts) != 4 or parts[1] != "model" or parts[3] not in {"converse", "invoke"}:
        return None
    purpose = _purpose(body) if parts[3] == "converse" else Purpose.EMBED
    return Seen(purpose, unquote(parts[2]), body, headers)


def _purpose(body: Mapping[str, Any]) -> str:
    """The name of the schema, or of the tool that must be called; "" where there is neither."""
    if "toolConfig" in body:
        return str(body["toolConfig"]["toolChoice"]["tool"]["name"])
    structure = body.get("outputConfig", {}).get("textFormat", {}).get("structure", {})
    return str(structure.get("jsonSchema", {}).get("name", ""))


def _shaped(payload: Payload, seen: Seen) -> Mapping[str, object]:
    """A payload as its operation answers: that of a model's text comes inside a message."""
    if seen.purpose in {Purpose.EMBED, Purpose.RERANK}:
        return payload
    return converse_body(Said(json.dumps(payload, ensure_ascii=False)), seen)


def _encoded(value: Mapping[str, object]) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()
