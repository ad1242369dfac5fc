"""What a model returns, read strictly: one malformed entry rejects the whole payload."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Annotated, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError, model_validator

from chat.branch_replies import MAX_REPLIES, MAX_REPLY_LENGTH
from chat.llm.domain import Fault, ModelError
from monographs.text import fold, normalise


def _plain(text: str) -> str:
    """One line of visible characters. Raises ValueError for none, and for characters that are not seen."""
    plain = normalise(text)
    if not plain:
        raise ValueError("empty text")
    if any(unicodedata.category(character).startswith("C") for character in plain):
        raise ValueError("characters that are not seen")
    return plain


def _short(text: str) -> str:
    if len(text) > MAX_REPLY_LENGTH:
        raise ValueError(f"longer than {MAX_REPLY_LENGTH} characters")
    return text


_FEWEST = 8
Said = Annotated[str, AfterValidator(_plain)]
Reply = Annotated[Said, AfterValidator(_short)]


class _Payload(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class ClaimPayload(_Payload):
    """One claim: citations are numbers of sources, from 1."""

    text: Said
    citations: list[int]
    drug_id: str | None


class DraftPayload(_Payload):
    """A draft: claims, or a question back."""

    claims: list[ClaimPayload]
    evidence_sufficient: bool
    clarifying_question: Said | None
    quick_replies: list[Reply]

    @model_validator(mode="after")
    def _has_few_distinct_replies(self) -> DraftPayload:
        if len({fold(reply) for reply in self.quick_replies}) < len(self.quick_replies):
            raise ValueError("quick replies that are alike")
        if len(self.quick_replies) > MAX_REPLIES:
            raise ValueError(f"more than {MAX_REPLIES} quick replies")
        return self


class VerdictPayload(_Payload):
    """Whether a claim, by its number from 1, says no more than what it cites."""

    claim: int
    entailed: bool


class MissingPayload(_Payload):
    """What the claims leave out: the words of the evidence, and what they are about."""

    evidence_quote: Said
    description: Said


class JudgePayload(_Payload):
    """A verdict for every claim, and what is missing."""

    verdicts: list[VerdictPayload]
    missing: list[MissingPayload]


_AnyPayload = TypeVar("_AnyPayload", bound=_Payload)


def read_payload(model: type[_AnyPayload], payload: Mapping[str, object]) -> _AnyPayload:
    """The payload as values. Raises ModelError(WRONG_SCHEMA) where any entry of it is malformed."""
    try:
        return model.model_validate(payload)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        raise ModelError(Fault.WRONG_SCHEMA, f"{first['loc']}: {first['msg']}") from error


def draft_schema(sources: int, *, is_list: bool) -> dict[str, object]:
    """The JSON schema of a draft: which sources may be cited, and that in a list a drug is named."""
    schema = DraftPayload.model_json_schema()
    claim = schema["$defs"]["ClaimPayload"]["properties"]
    claim["citations"]["items"] = _numbered(sources)
    if is_list:
        claim["drug_id"] = {"type": "string"}
    return schema


def judge_schema(claims: int) -> dict[str, object]:
    """The JSON schema of a judge's answer over so many claims."""
    schema = JudgePayload.model_json_schema()
    schema["$defs"]["VerdictPayload"]["properties"]["claim"] = _numbered(claims)
    return schema


def _numbered(last: int) -> dict[str, object]:
    """From 1 to at least the last: a provider compiles every schema that it has not seen today, which may take longer
    than a call may. So there are only a few of them, and a number or a name beyond the task is left to the gates."""
    end = _FEWEST
    while end < last:
        end *= 2
    return {"type": "integer", "enum": list(range(1, end + 1))}
