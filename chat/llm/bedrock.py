"""A language model on Amazon Bedrock, asked over Converse."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from chat.llm.domain import Budget, Fault, ModelError, Prompt, Purpose, Reply, Usage
from chat.llm.schemas import accepted_schema, read_object
from monographs.bedrock import Backoff, BedrockError, Trouble, call_bedrock

_MILLION = Decimal(1_000_000)
# Stop reasons of Converse (botocore's service model) after which there is no whole answer.
_STOPS: dict[str, Fault] = {
    "max_tokens": Fault.TRUNCATED,
    "model_context_window_exceeded": Fault.TRUNCATED,
    "guardrail_intervened": Fault.GUARDRAIL,
    "content_filtered": Fault.REFUSED,
    "malformed_model_output": Fault.MALFORMED,
    "malformed_tool_use": Fault.MALFORMED,
}
_ENDINGS = frozenset({"end_turn", "stop_sequence", "tool_use"})


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens."""

    read: Decimal
    written: Decimal

    def of(self, tokens_read: int, tokens_written: int) -> Decimal:
        """US dollars."""
        return (self.read * tokens_read + self.written * tokens_written) / _MILLION


@dataclass(frozen=True, slots=True)
class Guardrail:
    """A guardrail of the account that reads what goes out and comes back."""

    guardrail_id: str
    version: str


@dataclass(frozen=True, slots=True)
class Options:
    """How models are asked. models: by purpose; longest: seconds for one attempt of a call; by_tool: the answer comes
    as the input of a tool that must be called, for models without structured output."""

    models: Mapping[Purpose, str]
    max_tokens: int = 4096
    longest: float = 20.0
    by_tool: bool = False
    guardrail: Guardrail | None = None
    prices: Mapping[str, Price] = field(default_factory=dict)
    backoff: Backoff = field(default_factory=Backoff)


class BedrockModel:
    """chat.llm.domain.LanguageModel over a bedrock-runtime client; which model is asked follows from the purpose."""

    def __init__(self, client: Any, options: Options) -> None:
        self._client, self._options = client, options

    def ask(self, prompt: Prompt, budget: Budget) -> Reply:
        """One call within the budget, tried again only where it was throttled. Raises ModelError, with its usage."""
        options, model_id = self._options, self._options.models[prompt.purpose]
        budget.need()
        request, begun, usage = _request(prompt, model_id, options), budget.clock(), Usage(prompt.purpose, model_id)

        def took() -> float:
            return round((budget.clock() - begun) * 1000, 1)

        try:
            answer, attempts = call_bedrock(
                lambda: self._client.converse(**request),
                left=budget.left,
                longest=options.longest,
                backoff=options.backoff,
            )
        except BedrockError as error:
            fault = _fault_of(error, options.longest)
            usage = replace(usage, ms=took(), attempts=error.attempts, fault=fault)
            raise ModelError(fault, error.detail, usage) from error
        usage = replace(self._counted(usage, answer), ms=took(), attempts=attempts)
        try:
            return Reply(_payload(answer, by_tool=options.by_tool), usage)
        except ModelError as error:
            raise ModelError(error.fault, error.detail, replace(usage, fault=error.fault)) from error

    def _counted(self, usage: Usage, answer: Mapping[str, Any]) -> Usage:
        """With the tokens that the answer tells, and what they cost."""
        told = answer.get("usage") or {}
        read, written = int(told.get("inputTokens", 0)), int(told.get("outputTokens", 0))
        price = self._options.prices.get(usage.model_id)
        return replace(usage, input_tokens=read, output_tokens=written, cost=price.of(read, written) if price else None)


def _fault_of(error: BedrockError, longest: float) -> Fault:
    """A call that had less than its time because the turn had no more left says nothing about the provider."""
    is_cut_short = error.trouble is Trouble.TIMEOUT and error.allowed < longest
    return Fault.BUDGET if is_cut_short else Fault(error.trouble.value)


# --- what is sent ----------------------------------------------------------------------------------------------


def _request(prompt: Prompt, model_id: str, options: Options) -> dict[str, object]:
    """The parameters of Converse."""
    request: dict[str, object] = {
        "modelId": model_id,
        "messages": [{"role": "user", "content": [{"text": prompt.user}]}],
        "system": [{"text": prompt.system}],
        "inferenceConfig": {"maxTokens": options.max_tokens, "temperature": 0.0},
    }
    if options.guardrail:
        request["guardrailConfig"] = {
            "guardrailIdentifier": options.guardrail.guardrail_id,
            "guardrailVersion": options.guardrail.version,
        }
    return request | (_as_tool(prompt) if options.by_tool else _as_text(prompt))


def _as_text(prompt: Prompt) -> dict[str, object]:
    """The schema goes as a string, unlike that of a tool; its name is the purpose."""
    schema = json.dumps(accepted_schema(prompt.schema), ensure_ascii=False)
    structure = {"jsonSchema": {"name": prompt.purpose.value, "schema": schema}}
    return {"outputConfig": {"textFormat": {"type": "json_schema", "structure": structure}}}


def _as_tool(prompt: Prompt) -> dict[str, object]:
    name, schema = prompt.purpose.value, accepted_schema(prompt.schema)
    specification = {"name": name, "description": name, "inputSchema": {"json": schema}}
    return {"toolConfig": {"tools": [{"toolSpec": specification}], "toolChoice": {"tool": {"name": name}}}}


# --- what came back --------------------------------------------------------------------------------------------


def _payload(answer: Mapping[str, Any], *, by_tool: bool) -> Mapping[str, object]:
    """The JSON object of an answer. Raises ModelError."""
    stop = answer.get("stopReason", "")
    if stop not in _ENDINGS:
        raise ModelError(_STOPS.get(stop, Fault.MALFORMED), f"stop reason {stop!r}")
    content = ((answer.get("output") or {}).get("message") or {}).get("content") or []
    return _tool_input(content) if by_tool else _text_object(content)


def _text_object(content: list[dict[str, Any]]) -> Mapping[str, object]:
    text = "".join(str(block.get("text", "")) for block in content)
    if not text.strip():
        raise ModelError(Fault.EMPTY, "no text")
    return read_object(text)


def _tool_input(content: list[dict[str, Any]]) -> Mapping[str, object]:
    """The input of the one call of the tool; more than one leave open which is meant."""
    calls = [block["toolUse"] for block in content if "toolUse" in block]
    if not calls:
        raise ModelError(Fault.EMPTY, "the tool was not called")
    given = calls[0].get("input")
    if len(calls) > 1 or not isinstance(given, dict):
        raise ModelError(Fault.MALFORMED, f"{len(calls)} calls of the tool")
    return given
