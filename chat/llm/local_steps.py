"""What the local server says to a call: a payload, or trouble in the very shape that Amazon Bedrock gives it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from chat.llm.domain import Fault, Purpose


@dataclass(frozen=True, slots=True)
class Seen:
    """A request as it came in. model_id: of the path, or the ARN of a reranker; headers: by lower-case name."""

    purpose: str
    model_id: str
    body: Mapping[str, object]
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Said:
    """Text of a model, with the stop reason of Converse; also the input of a tool where that is what was asked for."""

    text: str
    stop_reason: str = "end_turn"


@dataclass(frozen=True, slots=True)
class HttpError:
    """An error of the service. code: as the header x-amzn-errortype names it; body: instead of the usual message."""

    status: int
    code: str
    message: str = "scripted"
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class RawBody:
    """A successful answer with these bytes, whatever they are."""

    body: bytes


@dataclass(frozen=True, slots=True)
class Held:
    """No answer until the server lets go."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """The connection is closed without an answer."""


Payload = Mapping[str, object]
Answer = Payload | Said | HttpError | RawBody | Held | Dropped
Step = Answer | Fault | Callable[[Seen], Answer]

# The same for every call.
_TROUBLES: dict[Fault, Answer] = {
    Fault.TIMEOUT: Held(),
    Fault.THROTTLED: HttpError(429, "ThrottlingException", "Too many requests, please wait before trying again."),
    Fault.REFUSED: HttpError(403, "AccessDeniedException", "You don't have access to the model."),
    Fault.SERVER_ERROR: HttpError(500, "InternalServerException", "The system encountered an unexpected error."),
    Fault.UNREACHABLE: Dropped(),
}
_OF_CONVERSE: dict[Fault, Answer] = {
    Fault.MALFORMED: Said("Không có đối tượng JSON nào ở đây."),
    Fault.TRUNCATED: Said('{"claims": [{"text": "', "max_tokens"),
    Fault.WRONG_SCHEMA: {"unexpected": True},
    Fault.EMPTY: Said(""),
    Fault.GUARDRAIL: Said("Blocked.", "guardrail_intervened"),
}
_OF_OTHERS: dict[Fault, Answer] = {
    Fault.MALFORMED: RawBody(b"<html>no JSON</html>"),
    Fault.TRUNCATED: RawBody(b'{"embeddings": [[0.1, 0.'),
    Fault.WRONG_SCHEMA: {"unexpected": True},
    Fault.EMPTY: {"embeddings": [], "results": []},
    Fault.GUARDRAIL: HttpError(400, "ValidationException", "The request was blocked."),
}


def trouble_step(fault: Fault, purpose: str) -> Answer:
    """How a fault looks to whoever made a call. Raises ValueError for one that no provider makes."""
    others = _OF_OTHERS if purpose in {Purpose.EMBED, Purpose.RERANK} else _OF_CONVERSE
    found = _TROUBLES.get(fault) or others.get(fault)
    if found is None:
        raise ValueError(f"no provider makes the fault {fault}")
    return found


# --- the shapes of answers -------------------------------------------------------------------------------------


def converse_body(said: Said, seen: Seen) -> dict[str, object]:
    """An answer of Converse: text, or the input of the tool that was to be called where the text is an object."""
    tokens_read = _tokens(json.dumps(seen.body, ensure_ascii=False))
    usage = {"inputTokens": tokens_read, "outputTokens": _tokens(said.text)}
    content, stop_reason = [{"text": said.text}] if said.text else [], said.stop_reason
    if "toolConfig" in seen.body and said.text.startswith("{") and stop_reason == "end_turn":
        call = {"toolUseId": "tooluse_local", "name": seen.purpose, "input": json.loads(said.text)}
        content, stop_reason = [{"toolUse": call}], "tool_use"  # type: ignore[dict-item]
    return {
        "output": {"message": {"role": "assistant", "content": content}},
        "stopReason": stop_reason,
        "usage": usage | {"totalTokens": sum(usage.values())},
        "metrics": {"latencyMs": 1},
    }


def _tokens(text: str) -> int:
    """About four characters make a token."""
    return -(-len(text) // 4)
