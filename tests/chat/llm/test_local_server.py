"""The local server: it tells calls apart, says what was written for each, and holds, drops and copies as told."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import pytest

from chat.llm.copied_replies import copied_reply
from chat.llm.domain import Fault, Purpose
from chat.llm.local_server import LocalBedrock
from chat.llm.local_steps import HttpError, Seen, trouble_step
from monographs.bedrock import Service, client_of, current_place
from tests.conftest import wait_until

MADE_BY_PROVIDERS = [fault for fault in Fault if fault not in {Fault.BREAKER_OPEN, Fault.BUDGET}]
SIGNED = {"Authorization": "AWS4-HMAC-SHA256 Credential=a"}


def post(server: LocalBedrock, path: str, body: bytes, headers: Mapping[str, str] = SIGNED) -> tuple[int, str, bytes]:
    """(status, error type, body) of a request that boto3 would not make."""
    connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=20)
    try:
        connection.request("POST", path, body, dict(headers))
        answer = connection.getresponse()
        return answer.status, answer.headers.get("x-amzn-errortype", ""), answer.read()
    finally:
        connection.close()


def converse_body(purpose: str, schema: object = None, text: str = "") -> dict[str, Any]:
    named = {"name": purpose, "schema": json.dumps(schema or {"type": "object"})}
    return {
        "messages": [{"role": "user", "content": [{"text": text}]}],
        "outputConfig": {"textFormat": {"type": "json_schema", "structure": {"jsonSchema": named}}},
    }


def ask(server: LocalBedrock, purpose: str = "draft", model_id: str = "example.answer") -> Any:
    """What Converse says, as boto3 reads it."""
    return client_of(Service.RUNTIME, current_place()).converse(modelId=model_id, **converse_body(purpose))


def text_of(answer: Any) -> str:
    return str(answer["output"]["message"]["content"][0]["text"])


def test_each_call_of_a_purpose_gets_its_own_step_and_the_last_is_said_again(local_bedrock: LocalBedrock) -> None:
    local_bedrock.script(Purpose.DRAFT, {"call": 1}, {"call": 2})
    local_bedrock.script(Purpose.JUDGE, {"judge": True})
    said = [text_of(ask(local_bedrock, purpose)) for purpose in ("draft", "judge", "draft", "draft")]
    assert [json.loads(text) for text in said] == [{"call": 1}, {"judge": True}, {"call": 2}, {"call": 2}]
    assert [seen.purpose for seen in local_bedrock.seen] == ["draft", "judge", "draft", "draft"]


def test_a_model_may_have_a_script_of_its_own(local_bedrock: LocalBedrock) -> None:
    local_bedrock.script("example.judge", {"of": "model"})
    local_bedrock.script(Purpose.DRAFT, {"of": "purpose"})
    assert json.loads(text_of(ask(local_bedrock, model_id="example.judge"))) == {"of": "model"}
    assert json.loads(text_of(ask(local_bedrock))) == {"of": "purpose"}


def test_a_step_may_be_made_from_the_request(local_bedrock: LocalBedrock) -> None:
    local_bedrock.script(Purpose.DRAFT, lambda seen: {"asked": seen.model_id})
    assert json.loads(text_of(ask(local_bedrock))) == {"asked": "example.answer"}


def test_a_held_call_ends_when_it_is_released(local_bedrock: LocalBedrock) -> None:
    local_bedrock.script(Purpose.DRAFT, Fault.TIMEOUT)
    ended = threading.Event()

    def call() -> None:
        with pytest.raises((http.client.HTTPException, OSError)):
            post(local_bedrock, "/model/a/converse", json.dumps(converse_body("draft")).encode())
        ended.set()

    waiting = threading.Thread(target=call)
    waiting.start()
    wait_until(lambda: local_bedrock.seen)
    assert not ended.is_set()
    local_bedrock.release()
    waiting.join(20)
    assert ended.is_set()


def test_a_held_call_keeps_no_other_waiting(local_bedrock: LocalBedrock) -> None:
    local_bedrock.script(Purpose.DRAFT, Fault.TIMEOUT)
    local_bedrock.script(Purpose.JUDGE, {"judge": True})
    body = json.dumps(converse_body("draft")).encode()
    held = threading.Thread(target=lambda: _suppressed(local_bedrock, body))
    held.start()
    wait_until(lambda: local_bedrock.seen)
    assert text_of(ask(local_bedrock, "judge"))
    local_bedrock.release()
    held.join(20)


def _suppressed(server: LocalBedrock, body: bytes) -> None:
    with pytest.raises((http.client.HTTPException, OSError)):
        post(server, "/model/a/converse", body)


def test_errors_are_shaped_as_the_service_shapes_them(local_bedrock: LocalBedrock) -> None:
    local_bedrock.script(Purpose.DRAFT, HttpError(429, "ThrottlingException", "Slow down."))
    status, kind, body = post(local_bedrock, "/model/a/converse", json.dumps(converse_body("draft")).encode())
    assert (status, kind, json.loads(body)) == (429, "ThrottlingException", {"message": "Slow down."})


@pytest.mark.parametrize(
    ("path", "body", "headers", "kind"),
    [
        pytest.param("/model/a/converse", b"{}", {}, "MissingAuthenticationTokenException", id="unsigned"),
        pytest.param("/model/a/converse", b"{", SIGNED, "ValidationException", id="no-json"),
        pytest.param("/model/a/delete", b"{}", SIGNED, "UnknownOperationException", id="unknown-operation"),
        pytest.param("/", b"{}", SIGNED, "UnknownOperationException", id="root"),
    ],
)
def test_what_is_no_call_is_refused(
    local_bedrock: LocalBedrock, path: str, body: bytes, headers: Mapping[str, str], kind: str
) -> None:
    status, said, _ = post(local_bedrock, path, body, headers)
    assert 400 <= status < 500 and said == kind
    assert local_bedrock.seen == []


@pytest.mark.parametrize("purpose", list(Purpose))
@pytest.mark.parametrize("fault", MADE_BY_PROVIDERS)
def test_every_fault_of_a_provider_has_a_step_for_every_purpose(fault: Fault, purpose: Purpose) -> None:
    assert trouble_step(fault, purpose) is not None


@pytest.mark.parametrize("fault", [Fault.BREAKER_OPEN, Fault.BUDGET])
def test_a_fault_that_no_provider_makes_is_refused(fault: Fault) -> None:
    with pytest.raises(ValueError, match="no provider"):
        trouble_step(fault, Purpose.DRAFT)


def test_it_listens_on_the_loopback_address_alone() -> None:
    with LocalBedrock() as server:
        assert server.url.startswith("http://127.0.0.1:")


# --- copied replies --------------------------------------------------------------------------------------------

SOURCES = """BẰNG CHỨNG
[1]
<<<DOAN>>>
drug_id: paracetamol
thuốc: Paracetamol
mục: Liều dùng
nhãn: Người lớn › uống
nội dung: Uống 0,4 - 0,8 g/lần,
5 - 7 giờ một lần.
<<</DOAN>>>
[2]
<<<DOAN>>>
drug_id: metformin
thuốc: Metformin
mục: Chỉ định
nội dung: Đái tháo đường. [3] không phải nguồn.
<<</DOAN>>>
CÂU HỎI
<<<CAU_HOI>>>
[9] nội dung: bịa
<<</CAU_HOI>>>"""


def _copied(purpose: Purpose, schema: object, text: str) -> Mapping[str, object]:
    return copied_reply(Seen(purpose, "m", converse_body(purpose, schema, text)))


def _draft_schema(drug_id: object) -> dict[str, object]:
    return {"$defs": {"ClaimPayload": {"properties": {"drug_id": drug_id}}}}


def test_a_copied_draft_holds_the_passages_of_the_prompt_and_nothing_else() -> None:
    draft = _copied(Purpose.DRAFT, _draft_schema({"anyOf": [{"type": "string"}, {"type": "null"}]}), SOURCES)
    assert draft["claims"] == [
        {"text": "Paracetamol: Uống 0,4 - 0,8 g/lần, 5 - 7 giờ một lần.", "citations": [1], "drug_id": None},
        {"text": "Metformin: Đái tháo đường. [3] không phải nguồn.", "citations": [2], "drug_id": None},
    ]
    assert draft["evidence_sufficient"] is True


def test_a_copied_list_names_the_drug_of_each_passage() -> None:
    draft: Any = _copied(Purpose.DRAFT, _draft_schema({"type": "string"}), SOURCES)
    assert [claim["drug_id"] for claim in draft["claims"]] == ["paracetamol", "metformin"]


def test_a_copied_draft_without_evidence_says_it_is_insufficient() -> None:
    draft = _copied(Purpose.DRAFT, _draft_schema({}), "CÂU HỎI")
    assert (draft["claims"], draft["evidence_sufficient"]) == ([], False)


def test_the_copying_judge_says_yes_to_every_claim() -> None:
    asked = "\n".join(f"Ý {number}:\n<<<Y>>>\nÝ 9:\n<<</Y>>>" for number in (1, 2, 3))
    verdicts = [{"claim": number, "entailed": True} for number in (1, 2, 3)]
    assert _copied(Purpose.JUDGE, {}, asked) == {"verdicts": verdicts, "missing": []}


def test_a_copied_understanding_says_as_little_as_its_schema_allows() -> None:
    schema = {
        "$defs": {"Part": {"type": "object", "properties": {"kind": {"enum": ["a", "b"]}}}},
        "type": "object",
        "properties": {
            "part": {"$ref": "#/$defs/Part"},
            "weight": {"anyOf": [{"type": "number"}, {"type": "null"}]},
            "drugs": {"type": "array"},
            "sure": {"type": "boolean"},
        },
    }
    assert _copied(Purpose.UNDERSTAND, schema, "") == {
        "part": {"kind": "a"},
        "weight": None,
        "drugs": [],
        "sure": False,
    }


def test_the_vector_of_a_text_lies_nearest_to_texts_of_its_words(local_bedrock: LocalBedrock) -> None:
    texts = ["hạ sốt", "hạ sốt, giảm đau", "đái tháo đường"]
    vectors: Any = copied_reply(Seen(Purpose.EMBED, "m", {"texts": texts}))["embeddings"]
    first, near, far = vectors["float"]
    assert _product(first, near) > _product(first, far)
    assert _product(first, first) == pytest.approx(1.0)


def _product(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))
