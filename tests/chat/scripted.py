"""What a scripted model says: drafts and verdicts, also read off the very prompt that it is given."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from chat.llm.domain import Prompt, Purpose
from tests.fakes import Answer, ScriptedModel

Payload = dict[str, object]
_SOURCE = re.compile(r"\[(\d+)\]\n<<<DOAN>>>\n(.*?)\n<<</DOAN>>>", re.DOTALL)
_CLAIM = re.compile(r"^Ý (\d+):$", re.MULTILINE)


def said(text: str, *citations: int, drug_id: str | None = None) -> Payload:
    """A claim of a draft; citations are numbers of sources, from 1."""
    return {"text": text, "citations": list(citations), "drug_id": drug_id}


def draft(
    *claims: Mapping[str, object], sufficient: bool = True, ask: str | None = None, replies: Sequence[str] = ()
) -> Payload:
    """A draft payload."""
    return {
        "claims": list(claims),
        "evidence_sufficient": sufficient,
        "clarifying_question": ask,
        "quick_replies": list(replies),
    }


def sources_of(prompt: Prompt) -> dict[int, tuple[str, str]]:
    """(drug_id, text) of every numbered source of a draft prompt."""
    found = {}
    for number, passage in _SOURCE.findall(prompt.user):
        head, _, text = passage.partition("\nnội dung: ")
        drug_id = re.search(r"drug_id: (\S+)", head)
        assert drug_id is not None
        found[int(number)] = (drug_id.group(1), text)
    return found


def copy_all(prompt: Prompt) -> Payload:
    """A draft that copies every source, one claim each."""
    is_list = "Câu trả lời là một danh sách thuốc" in prompt.user
    claims = [
        said(text, number, drug_id=drug_id if is_list else None)
        for number, (drug_id, text) in sources_of(prompt).items()
    ]
    return draft(*claims)


def copy_but(*left_out: int) -> Callable[[Prompt], Payload]:
    """A draft that copies every source but these."""

    def copied(prompt: Prompt) -> Payload:
        claims = copy_all(prompt)["claims"]
        assert isinstance(claims, list)
        return draft(*(claim for claim in claims if claim["citations"][0] not in left_out))

    return copied


def verdicts(prompt: Prompt, *, entailed: bool, missing: Iterable[tuple[str, str]] = ()) -> Payload:
    """One verdict for every claim of a judge prompt; missing: (quote, description) pairs."""
    numbers = [int(number) for number in _CLAIM.findall(prompt.user)]
    return {
        "verdicts": [{"claim": number, "entailed": entailed} for number in numbers],
        "missing": [{"evidence_quote": quote, "description": text} for quote, text in missing],
    }


def says_yes(prompt: Prompt) -> Payload:
    """A judge that finds every claim entailed and nothing missing."""
    return verdicts(prompt, entailed=True)


def says_no(prompt: Prompt) -> Payload:
    """A judge that finds no claim entailed."""
    return verdicts(prompt, entailed=False)


def misses(*missing: tuple[str, str]) -> Callable[[Prompt], Payload]:
    """A judge that finds every claim entailed, and these (quote, description) missing."""
    return lambda prompt: verdicts(prompt, entailed=True, missing=missing)


def writer(
    first: Answer | Iterable[Answer] = copy_all,
    judge: Answer | Iterable[Answer] = says_yes,
    repair: Answer | Iterable[Answer] = copy_all,
    retry: Answer | Iterable[Answer] = copy_all,
) -> ScriptedModel:
    """A model with something to say to each call of the write path."""
    return ScriptedModel({Purpose.DRAFT: first, Purpose.RETRY: retry, Purpose.JUDGE: judge, Purpose.REPAIR: repair})
