"""A model on Bedrock, asked through boto3 over real HTTP: what is sent, what comes back, and every way to fail."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

import pytest

from chat.llm.bedrock import BedrockModel, Guardrail, Options, Price
from chat.llm.domain import Budget, Fault, ModelError, Prompt, Purpose, Reply
from chat.llm.local_server import LocalBedrock
from chat.llm.local_steps import HttpError, RawBody, Said, Step
from chat.llm.schemas import accepted_schema, read_object
from monographs.bedrock import Backoff, Place, Service, client_of, within

SCHEMA: dict[str, object] = {
    "type": "object",
    "title": "Draft",
    "properties": {"title": {"type": "string", "maxLength": 3}},
    "required": ["title"],
}
PROMPT = Prompt(Purpose.DRAFT, "v1", "Chỉ dùng bằng chứng.", "Liều của paracetamol?", SCHEMA)
MODELS = dict.fromkeys(Purpose, "example.answer") | {Purpose.JUDGE: "arn:aws:bedrock:eu-west-1:1:inference-profile/j"}


@dataclass(slots=True)
class Clock:
    """A clock that only moves when someone sleeps by it."""

    now: float = 0.0
    slept: list[float] = field(default_factory=list)

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@dataclass(frozen=True, slots=True)
class Asking:
    """A model on the local server, and a clock of its own."""

    server: LocalBedrock
    clock: Clock
    options: Options

    def ask(self, prompt: Prompt = PROMPT, *, seconds: float = 45.0, **options: Any) -> Reply:
        place = Place("ap-southeast-1", self.server.url, connect_seconds=1, read_seconds=30)
        model = BedrockModel(client_of(Service.RUNTIME, place), replace(self.options, **options))
        return model.ask(prompt, Budget.of(seconds, self.clock))

    def fails(self, *steps: Step, **asked: Any) -> ModelError:
        self.server.script(Purpose.DRAFT, *steps)
        with pytest.raises(ModelError) as caught:
            self.ask(**asked)
        return caught.value


@pytest.fixture
def asking(local_bedrock: LocalBedrock) -> Asking:
    clock = Clock()
    # The longest pause each time: what is random is measured apart.
    backoff = Backoff(sleep=clock.sleep, between=lambda _least, most: most)
    options = Options(MODELS, longest=5.0, backoff=backoff, prices={"example.answer": Price(Decimal(3), Decimal(15))})
    return Asking(local_bedrock, clock, options)


# --- what is sent ----------------------------------------------------------------------------------------------


def test_a_prompt_arrives_as_converse_wants_it(asking: Asking) -> None:
    asking.server.script(Purpose.DRAFT, {"title": "một"})
    assert asking.ask().payload == {"title": "một"}
    (seen,) = asking.server.seen
    assert seen.model_id == "example.answer"
    assert seen.body["system"] == [{"text": PROMPT.system}]
    assert seen.body["messages"] == [{"role": "user", "content": [{"text": PROMPT.user}]}]
    assert seen.body["inferenceConfig"] == {"maxTokens": 4096, "temperature": 0.0}
    assert "toolConfig" not in seen.body and "guardrailConfig" not in seen.body


def test_the_schema_goes_as_a_string_named_for_the_purpose(asking: Asking) -> None:
    asking.server.script(Purpose.DRAFT, {"title": "một"})
    asking.ask()
    output: Any = asking.server.seen[0].body["outputConfig"]
    assert output["textFormat"]["type"] == "json_schema"
    named = output["textFormat"]["structure"]["jsonSchema"]
    assert named["name"] == "draft"
    assert json.loads(named["schema"]) == accepted_schema(SCHEMA)


def test_every_request_is_signed(asking: Asking) -> None:
    asking.server.script(Purpose.DRAFT, {"title": "một"})
    asking.ask()
    headers = asking.server.seen[0].headers
    assert headers["authorization"].startswith("AWS4-HMAC-SHA256 Credential=local/")
    assert "ap-southeast-1/bedrock/aws4_request" in headers["authorization"]
    assert "duocthu" in headers["user-agent"]


def test_the_model_follows_from_the_purpose_and_an_arn_arrives_whole(asking: Asking) -> None:
    asking.server.script(Purpose.JUDGE, {"title": "một"})
    reply = asking.ask(replace(PROMPT, purpose=Purpose.JUDGE))
    assert asking.server.seen[0].model_id == MODELS[Purpose.JUDGE] == reply.usage.model_id


def test_a_tool_that_must_be_called_stands_in_for_structured_output(asking: Asking) -> None:
    asking.server.script(Purpose.DRAFT, {"title": "một"})
    assert asking.ask(by_tool=True).payload == {"title": "một"}
    body = asking.server.seen[0].body
    tools: Any = body["toolConfig"]
    assert "outputConfig" not in body
    assert tools["toolChoice"] == {"tool": {"name": "draft"}}
    assert tools["tools"][0]["toolSpec"]["inputSchema"]["json"] == accepted_schema(SCHEMA)


def test_a_guardrail_is_named(asking: Asking) -> None:
    asking.server.script(Purpose.DRAFT, {"title": "một"})
    asking.ask(guardrail=Guardrail("abc123", "4"))
    guardrail = asking.server.seen[0].body["guardrailConfig"]
    assert guardrail == {"guardrailIdentifier": "abc123", "guardrailVersion": "4"}


# --- every way to fail -----------------------------------------------------------------------------------------

ERRORS = [
    (403, "AccessDeniedException", Fault.REFUSED),
    (400, "ValidationException", Fault.REFUSED),
    (404, "ResourceNotFoundException", Fault.REFUSED),
    (403, "UnrecognizedClientException", Fault.REFUSED),
    (403, "ExpiredTokenException", Fault.REFUSED),
    (429, "ThrottlingException", Fault.THROTTLED),
    (429, "TooManyRequestsException", Fault.THROTTLED),
    (400, "ServiceQuotaExceededException", Fault.THROTTLED),
    (400, "ThrottlingException", Fault.THROTTLED),
    (408, "ModelTimeoutException", Fault.TIMEOUT),
    (424, "ModelErrorException", Fault.SERVER_ERROR),
    (429, "ModelNotReadyException", Fault.SERVER_ERROR),
    (500, "InternalServerException", Fault.SERVER_ERROR),
    (503, "ServiceUnavailableException", Fault.SERVER_ERROR),
    (502, "", Fault.SERVER_ERROR),
    (599, "SomethingNewException", Fault.SERVER_ERROR),
    (418, "SomethingNewException", Fault.REFUSED),
]


@pytest.mark.parametrize(("status", "code", "fault"), ERRORS)
def test_every_error_of_the_service_has_its_fault(asking: Asking, status: int, code: str, fault: Fault) -> None:
    error = asking.fails(HttpError(status, code))
    assert error.fault is fault
    assert error.usage is not None and error.usage.fault is fault
    assert len(asking.server.seen) == error.usage.attempts == (4 if fault is Fault.THROTTLED else 1)


ANSWERS = [
    pytest.param(Said("Xin chào."), Fault.MALFORMED, id="prose"),
    pytest.param(Said('```json\n{"title": "a"}\n```'), Fault.MALFORMED, id="markdown"),
    pytest.param(Said('{"title": "a"} và thêm'), Fault.MALFORMED, id="text-behind"),
    pytest.param(Said('[{"title": "a"}]'), Fault.MALFORMED, id="list"),
    pytest.param(Said('"a"'), Fault.MALFORMED, id="string"),
    pytest.param(Said("null"), Fault.MALFORMED, id="null"),
    pytest.param(Said('{"title": NaN}'), Fault.MALFORMED, id="no-number"),
    pytest.param(Said('{"title": "0,5", "title": "5"}'), Fault.MALFORMED, id="twice"),
    pytest.param(Said("[" * 100_000), Fault.MALFORMED, id="deep"),
    pytest.param(Said('{"title": "a"}', "malformed_model_output"), Fault.MALFORMED, id="malformed-output"),
    pytest.param(Said('{"title": "a"}', "malformed_tool_use"), Fault.MALFORMED, id="malformed-tool"),
    pytest.param(Said('{"title": "a"}', "something_new"), Fault.MALFORMED, id="unknown-stop"),
    pytest.param(Said('{"title": "a"}', "max_tokens"), Fault.TRUNCATED, id="truncated-yet-whole"),
    pytest.param(Said("", "model_context_window_exceeded"), Fault.TRUNCATED, id="window"),
    pytest.param(Said('{"title": "a"}', "guardrail_intervened"), Fault.GUARDRAIL, id="guardrail"),
    pytest.param(Said('{"title": "a"}', "content_filtered"), Fault.REFUSED, id="filtered"),
    pytest.param(Said(""), Fault.EMPTY, id="no-content"),
    pytest.param(Said(" \n"), Fault.EMPTY, id="blank"),
    pytest.param(RawBody(b"<html>proxy</html>"), Fault.MALFORMED, id="html"),
    pytest.param(RawBody(b""), Fault.MALFORMED, id="no-body"),
    pytest.param(RawBody(b"[1]"), Fault.MALFORMED, id="body-is-a-list"),
    pytest.param(RawBody(b"\xff\xfe"), Fault.MALFORMED, id="no-utf8"),
    pytest.param(RawBody(b'{"stopReason": "end_turn"}'), Fault.EMPTY, id="no-message"),
    pytest.param(RawBody(b'{"stopReason": "end_turn", "output": null}'), Fault.EMPTY, id="null-message"),
    pytest.param(RawBody(b'{"output": 3, "stopReason": "end_turn"}'), Fault.MALFORMED, id="other-shape"),
    pytest.param(HttpError(500, "", body=b"<html>"), Fault.SERVER_ERROR, id="html-error"),
]


@pytest.mark.parametrize(("step", "fault"), ANSWERS)
def test_an_answer_that_is_no_whole_object_has_its_fault(asking: Asking, step: Step, fault: Fault) -> None:
    error = asking.fails(step)
    assert error.fault is fault
    assert error.usage is not None and error.usage.attempts == 1


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        pytest.param([{"text": "không gọi"}], Fault.EMPTY, id="not-called"),
        pytest.param([], Fault.EMPTY, id="nothing"),
        pytest.param([{"toolUse": {"toolUseId": "a", "name": "draft", "input": [1]}}], Fault.MALFORMED, id="list"),
        pytest.param(
            [{"toolUse": {"toolUseId": each, "name": "draft", "input": {}}} for each in "ab"],
            Fault.MALFORMED,
            id="twice",
        ),
    ],
)
def test_a_tool_that_was_not_called_once_is_a_fault(asking: Asking, content: list[object], fault: Fault) -> None:
    answer = {"output": {"message": {"role": "assistant", "content": content}}, "stopReason": "tool_use"}
    assert asking.fails(RawBody(json.dumps(answer).encode()), by_tool=True).fault is fault


def test_thoughts_of_a_model_are_passed_over(asking: Asking) -> None:
    content = [{"reasoningContent": {"reasoningText": {"text": "hừm"}}}, {"text": '{"title":'}, {"text": ' "a"}'}]
    answer = {"output": {"message": {"role": "assistant", "content": content}}, "stopReason": "end_turn"}
    asking.server.script(Purpose.DRAFT, RawBody(json.dumps(answer).encode()))
    reply = asking.ask()
    assert reply.payload == {"title": "a"}
    assert (reply.usage.input_tokens, reply.usage.cost) == (0, Decimal(0))


def test_a_provider_that_is_not_there_is_unreachable(local_bedrock: LocalBedrock) -> None:
    nowhere = Place("ap-southeast-1", "http://127.0.0.1:9", connect_seconds=1)
    with pytest.raises(ModelError) as caught:
        BedrockModel(client_of(Service.RUNTIME, nowhere), Options(MODELS)).ask(PROMPT, Budget.of(5))
    assert caught.value.fault is Fault.UNREACHABLE


def test_a_connection_that_is_cut_is_unreachable(asking: Asking) -> None:
    assert asking.fails(Fault.UNREACHABLE).fault is Fault.UNREACHABLE


def test_no_credentials_are_a_refusal(asking: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nonexistent")
    error = asking.fails({"title": "a"})
    assert (error.fault, error.detail) == (Fault.REFUSED, "NoCredentialsError")
    assert asking.server.seen == []


def test_what_was_asked_never_stands_in_the_detail_of_an_error(asking: Asking) -> None:
    """boto3 repeats a parameter that it refuses."""
    error = asking.fails({"title": "a"}, prompt=replace(PROMPT, user=""), max_tokens=0)
    assert error.fault is Fault.REFUSED
    assert error.detail == "ParamValidationError"


# --- time ------------------------------------------------------------------------------------------------------


def test_a_call_that_is_held_ends_at_its_own_limit(asking: Asking) -> None:
    begun = time.monotonic()
    error = asking.fails(Fault.TIMEOUT, longest=0.3)
    assert error.fault is Fault.TIMEOUT
    assert 0.25 < time.monotonic() - begun < 3


def test_a_call_cut_short_by_the_turn_says_so(asking: Asking) -> None:
    begun = time.monotonic()
    error = asking.fails(Fault.TIMEOUT, seconds=0.3)
    assert error.fault is Fault.BUDGET
    assert time.monotonic() - begun < 3


def test_bytes_that_trickle_in_do_not_outlast_the_limit(local_bedrock: LocalBedrock) -> None:
    """A socket's timeout begins anew with every byte; the limit does not."""
    begun = time.monotonic()
    ticks = iter(range(1000))

    def trickle() -> None:
        while time.monotonic() - begun < 5 and next(ticks) < 1000:
            local_bedrock.wait_released(0.05)

    with pytest.raises(TimeoutError):
        within(0.3, trickle)
    assert time.monotonic() - begun < 2


def test_without_time_left_nobody_is_asked(asking: Asking) -> None:
    assert asking.fails({"title": "a"}, seconds=0.0).fault is Fault.BUDGET
    assert asking.server.seen == []


def test_throttled_calls_are_tried_again_after_longer_pauses(asking: Asking) -> None:
    asking.server.script(Purpose.DRAFT, Fault.THROTTLED, Fault.THROTTLED, {"title": "a"})
    reply = asking.ask()
    assert reply.usage.attempts == 3
    assert asking.clock.slept == [0.5, 1.0]
    assert reply.usage.ms == 1500.0


@pytest.mark.parametrize("seconds", [0.4, 1.4, 3.4, 45.0])
def test_no_pause_outlasts_the_budget(asking: Asking, seconds: float) -> None:
    error = asking.fails(Fault.THROTTLED, seconds=seconds)
    assert error.fault is Fault.THROTTLED
    assert asking.clock.now < seconds
    assert error.usage is not None and error.usage.attempts == len(asking.server.seen) <= 4


def test_the_pause_is_a_random_part_of_a_bound_that_doubles() -> None:
    asked: list[tuple[float, float]] = []

    def between(least: float, most: float) -> float:
        asked.append((least, most))
        return least

    backoff = Backoff(first=0.5, most=3.0, between=between)
    assert [backoff.pause(attempt) for attempt in (1, 2, 3, 4)] == [0.0] * 4
    assert asked == [(0.0, 0.5), (0.0, 1.0), (0.0, 2.0), (0.0, 3.0)]


# --- what it took ----------------------------------------------------------------------------------------------


def test_tokens_and_cost_are_counted(asking: Asking) -> None:
    asking.server.script(Purpose.DRAFT, {"title": "một"})
    usage = asking.ask().usage
    assert usage.input_tokens > 50 and usage.output_tokens > 0
    assert usage.cost == (3 * Decimal(usage.input_tokens) + 15 * Decimal(usage.output_tokens)) / 1_000_000
    assert usage.fault is None


def test_a_model_without_a_price_has_no_cost(asking: Asking) -> None:
    asking.server.script(Purpose.DRAFT, {"title": "một"})
    assert asking.ask(prices={}).usage.cost is None


def test_a_failed_answer_is_paid_for_too(asking: Asking) -> None:
    usage = asking.fails(Fault.TRUNCATED).usage
    assert usage is not None and usage.fault is Fault.TRUNCATED
    assert usage.input_tokens > 50 and usage.cost is not None and usage.cost > 0


# --- schemas ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        pytest.param({"type": "string", "maxLength": 3, "pattern": "a"}, {"type": "string"}, id="bounds"),
        pytest.param(
            {"type": "integer", "enum": [1, 2], "minimum": 1}, {"type": "integer", "enum": [1, 2]}, id="enum-stays"
        ),
        pytest.param(
            {"type": "object", "properties": {"default": {"type": "string", "default": "a"}}},
            {"type": "object", "properties": {"default": {"type": "string"}}, "additionalProperties": False},
            id="a-name-that-is-a-keyword-stays",
        ),
        pytest.param(
            {
                "$defs": {"Title": {"type": "object", "title": "T"}},
                "anyOf": [{"$ref": "#/$defs/Title"}, {"type": "null"}],
            },
            {
                "$defs": {"Title": {"type": "object", "additionalProperties": False}},
                "anyOf": [{"$ref": "#/$defs/Title"}, {"type": "null"}],
            },
            id="definitions",
        ),
        pytest.param(
            {"type": "array", "items": {"type": "object", "additionalProperties": True}, "minItems": 2},
            {"type": "array", "items": {"type": "object", "additionalProperties": False}},
            id="open-object-is-closed",
        ),
    ],
)
def test_a_schema_is_cut_to_what_bedrock_takes(schema: Mapping[str, object], expected: Mapping[str, object]) -> None:
    assert accepted_schema(schema) == expected


@pytest.mark.parametrize("text", ['{"a": {"b": 1, "b": 2}}', '{"a": Infinity}', "{", "", "1", "{'a': 1}"])
def test_json_is_never_repaired(text: str) -> None:
    with pytest.raises(ModelError):
        read_object(text)


def test_an_object_is_read_as_it_is() -> None:
    assert read_object(' {"a": [1, 0.5, null, "1,0"]} ') == {"a": [1, 0.5, None, "1,0"]}
