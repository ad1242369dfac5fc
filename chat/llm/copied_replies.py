"""Replies without a model: a draft copies the evidence of its own prompt, a judge finds every copy supported.

They show the way an answer takes through the gates, for demonstrations without an account; nothing in them is thought.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from zlib import crc32

from chat.llm.domain import Purpose
from chat.llm.local_steps import Payload, Seen
from monographs.text import folded_words

# As chat/generation/prompts.py and chat/summarise.py write them.
_SOURCE = re.compile(r"\[(\d+)\]\n<<<DOAN>>>\n(.*?)\n<<</DOAN>>>", re.DOTALL)
_CLAIM = re.compile(r"^Ý (\d+):\n<<<Y>>>$", re.MULTILINE)
_FENCED = re.compile(r"<<<DOAN>>>\n(.*?)\n<<</DOAN>>>", re.DOTALL)
_HEAD = re.compile(r"^\(mã: ([^;]+);.*\)$", re.MULTILINE)
_CONTENT = "\nnội dung: "
_DRUG_ID, _DRUG = re.compile(r"^drug_id: (.+)$", re.MULTILINE), re.compile(r"^thuốc: (.+)$", re.MULTILINE)


def copied_reply(seen: Seen) -> Payload:
    """What the local server says where nothing was written for a call: made from the request alone."""
    return _REPLIES[Purpose(seen.purpose)](seen)


def _draft(seen: Seen) -> Payload:
    """Every source whole, one claim each, behind the name of its drug: so it is no quotation any more, and is shown as
    what it stands for, the text of a model."""
    claim = _definition(schema_of(seen.body), "ClaimPayload")
    is_list = claim.get("drug_id", {}).get("type") == "string"
    claims = [
        {"text": text, "citations": [number], "drug_id": drug_id if is_list else None}
        for number, drug_id, text in _sources(prompt_of(seen.body))
    ]
    return {
        "claims": claims,
        "evidence_sufficient": bool(claims),
        "clarifying_question": None,
        "quick_replies": [],
    }


def _judge(seen: Seen) -> Payload:
    """Yes to every claim, and nothing is missing."""
    numbers = _CLAIM.findall(prompt_of(seen.body))
    return {"verdicts": [{"claim": int(number), "entailed": True} for number in numbers], "missing": []}


def _summary(seen: Seen) -> Payload:
    """Every claim once more, with the passages it names."""
    told = [match.group(1) for match in _FENCED.finditer(prompt_of(seen.body))]
    sentences = [{"text": _HEAD.sub("", text).strip(), "used_chunk_ids": _HEAD.findall(text)} for text in told]
    return {"sentences": sentences}


def _understand(seen: Seen) -> Payload:
    """The emptiest value of the schema: what the rules understood stands."""
    schema = schema_of(seen.body)
    found = _emptiest(schema, schema.get("$defs", {}))
    return found if isinstance(found, dict) else {}


def _embed(seen: Seen) -> Payload:
    """Each text as the words it holds, hashed into so many dimensions: alike texts lie near each other."""
    texts = seen.body.get("texts")
    if not isinstance(texts, list):
        dimension = _whole(seen.body.get("dimensions"), 1024)
        return {"embedding": _hashed(str(seen.body.get("inputText", "")), dimension), "inputTextTokenCount": 1}
    dimension = _whole(seen.body.get("output_dimension"), 1024)
    vectors = [_hashed(str(text), dimension) for text in texts]
    return {"embeddings": {"float": vectors}, "response_type": "embeddings_by_type"}


def _rerank(seen: Seen) -> Payload:
    """By how many of the question's words a text holds."""
    body: Any = seen.body
    asked = set(folded_words(body["queries"][0]["textQuery"]["text"]))
    texts = [source["inlineDocumentSource"]["textDocument"]["text"] for source in body["sources"]]
    shares = [len(asked & set(folded_words(text))) / max(1, len(asked)) for text in texts]
    order = sorted(range(len(texts)), key=lambda place: -shares[place])
    return {"results": [{"index": place, "relevanceScore": shares[place]} for place in order]}


_REPLIES: dict[Purpose, Callable[[Seen], Payload]] = {
    Purpose.UNDERSTAND: _understand,
    Purpose.DRAFT: _draft,
    Purpose.RETRY: _draft,
    Purpose.REPAIR: _draft,
    Purpose.JUDGE: _judge,
    Purpose.SUMMARY: _summary,
    Purpose.EMBED: _embed,
    Purpose.RERANK: _rerank,
}


# --- reading a request -----------------------------------------------------------------------------------------


def prompt_of(body: Mapping[str, Any]) -> str:
    """What the user's message of a Converse request says."""
    return "".join(part.get("text", "") for message in body.get("messages", ()) for part in message["content"])


def schema_of(body: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON schema that a Converse request asks for, as text or as the input of a tool."""
    if "toolConfig" in body:
        return dict(body["toolConfig"]["tools"][0]["toolSpec"]["inputSchema"]["json"])
    return dict(json.loads(body["outputConfig"]["textFormat"]["structure"]["jsonSchema"]["schema"]))


def _sources(prompt: str) -> list[tuple[int, str, str]]:
    """(number, drug id, "name of the drug: text" on one line) of every numbered passage that has a text."""
    found = []
    for number, passage in _SOURCE.findall(prompt):
        head, _, text = passage.partition(_CONTENT)
        if text.strip():
            found.append((int(number), _line(_DRUG_ID, head), f"{_line(_DRUG, head)}: {' '.join(text.split())}"))
    return found


def _line(pattern: re.Pattern[str], head: str) -> str:
    match = pattern.search(head)
    return match.group(1).strip() if match else ""


def _definition(schema: Mapping[str, Any], name: str) -> dict[str, Any]:
    return dict(schema.get("$defs", {}).get(name, {}).get("properties", {}))


def _emptiest(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> object:
    """A value of the schema that says as little as one can."""
    if "$ref" in schema:
        return _emptiest(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    choices: Sequence[Mapping[str, Any]] = schema.get("anyOf", ())
    if choices:
        return None if {"type": "null"} in choices else _emptiest(choices[0], definitions)
    if "enum" in schema:
        return schema["enum"][0]
    if schema.get("type") == "object":
        return {name: _emptiest(each, definitions) for name, each in schema.get("properties", {}).items()}
    return {"array": [], "string": "", "boolean": False, "integer": 0, "number": 0}.get(schema.get("type", ""))


def _hashed(text: str, dimension: int) -> list[float]:
    vector = [0.0] * dimension
    for word in folded_words(text):
        vector[crc32(word.encode()) % dimension] += 1.0
    length = math.sqrt(sum(value * value for value in vector))
    return [value / length for value in vector] if length else [1.0, *vector[1:]]


def _whole(value: object, otherwise: int) -> int:
    return value if isinstance(value, int) else otherwise
