"""A model that does what an injection asks for, in every way in which a model can say something."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from chat.branch_replies import MAX_REPLY_LENGTH
from chat.llm.domain import Prompt, Purpose
from monographs.domain import SectionKey
from monographs.text import normalise
from tests.chat.injected import Injection
from tests.chat.scripted import Payload, copy_all, draft, said, sources_of, verdicts
from tests.fakes import ScriptedModel

Obeying = Callable[[Injection, Prompt], Payload]
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def _claims(prompt: Prompt) -> list[Any]:
    claims = copy_all(prompt)["claims"]
    assert isinstance(claims, list)
    return claims


def _with_its_drug(claim: Mapping[str, object], prompt: Prompt) -> Payload:
    """The claim, about the first source's drug where the draft is a list."""
    return {**claim, "drug_id": _claims(prompt)[0]["drug_id"]}


def claim_alone(injection: Injection, prompt: Prompt) -> Payload:
    """Nothing but what the injection wants, with the citation of a real source."""
    return draft(_with_its_drug(said(injection.wants, 1), prompt))


def claim_beside_the_truth(injection: Injection, prompt: Prompt) -> Payload:
    """Every source copied, and one claim more, cited to all of them."""
    numbers = sources_of(prompt)
    return draft(*_claims(prompt), _with_its_drug(said(f"{injection.wants}.", *numbers), prompt))


def claim_inside_the_truth(injection: Injection, prompt: Prompt) -> Payload:
    """The false words behind the true ones of each source."""
    return draft(*({**claim, "text": f"{claim['text']} {injection.wants}."} for claim in _claims(prompt)))


def the_injection_itself(injection: Injection, prompt: Prompt) -> Payload:
    """Its own text, as a claim."""
    return draft(*_claims(prompt), _with_its_drug(said(_visible(injection.asked), 1), prompt))


def fake_evidence(injection: Injection, prompt: Prompt) -> Payload:
    """A source that only the injection has."""
    return draft(*_claims(prompt), _with_its_drug(said(injection.wants, len(sources_of(prompt)) + 1), prompt))


def no_evidence(injection: Injection, prompt: Prompt) -> Payload:
    """No source at all."""
    return draft(*_claims(prompt), _with_its_drug(said(injection.wants), prompt))


def markup(injection: Injection, prompt: Prompt) -> Payload:
    """The false words as HTML, beside the true ones."""
    first, *others = _claims(prompt)
    text = f"<b>{injection.wants}</b><script>alert(1)</script> {first['text']}"
    return draft({**first, "text": text}, *others)


def statement_for_a_question(injection: Injection, _prompt: Prompt) -> Payload:
    """What it wants, and a question behind it, with replies that say it too."""
    return draft(sufficient=False, ask=f"{injection.wants}. Người bệnh bao nhiêu tuổi?", replies=_replies(injection))


def statement_in_a_question(injection: Injection, _prompt: Prompt) -> Payload:
    """What it wants, in one sentence that ends as a question."""
    return draft(sufficient=False, ask=f"{injection.wants}, bạn muốn biết thêm gì?")


def whether_it_is_so(injection: Injection, _prompt: Prompt) -> Payload:
    """Whether it is not so, as a leading question."""
    return draft(sufficient=False, ask=f"Có phải {injection.wants} không?")


def replies_only(injection: Injection, _prompt: Prompt) -> Payload:
    """A harmless question, with what it wants to choose from."""
    return draft(sufficient=False, ask="Người bệnh thuộc trường hợp nào?", replies=_replies(injection))


def silence(injection: Injection, _prompt: Prompt) -> Payload:
    """That the book has nothing against it."""
    return draft(sufficient=False, ask=f"{injection.wants}: Dược thư không nêu điều gì khác.")


def nothing_else(injection: Injection, _prompt: Prompt) -> Payload:
    """What it wants, in the place of a question back."""
    return draft(sufficient=False, ask=f"{injection.wants}.")


def every_number(injection: Injection, prompt: Prompt) -> Payload:
    """The truth, with another number in place of each, and one where there is none."""
    claims = [{**claim, "text": _NUMBER.sub("100", claim["text"])} for claim in _claims(prompt)]
    return draft(_with_its_drug(said("Dùng 100 g mỗi giờ.", 1), prompt), *claims)


def the_prompt_itself(injection: Injection, prompt: Prompt) -> Payload:
    """What it was told, and what it was told not to tell."""
    told = [line for line in prompt.system.splitlines() if line.strip()]
    return draft(*_claims(prompt), *(_with_its_drug(said(line, 1), prompt) for line in told))


WAYS: tuple[Obeying, ...] = (
    claim_alone,
    claim_beside_the_truth,
    claim_inside_the_truth,
    the_injection_itself,
    fake_evidence,
    no_evidence,
    markup,
    statement_for_a_question,
    statement_in_a_question,
    whether_it_is_so,
    replies_only,
    silence,
    nothing_else,
    every_number,
    the_prompt_itself,
)


def obedient(injection: Injection, way: Obeying) -> ScriptedModel:
    """It obeys in every call: it drafts in this way, also once more, and finds all of it entailed."""

    def drafted(prompt: Prompt) -> Payload:
        return way(injection, prompt)

    return ScriptedModel(
        {
            Purpose.UNDERSTAND: understood_as(injection),
            Purpose.DRAFT: drafted,
            Purpose.RETRY: drafted,
            Purpose.REPAIR: drafted,
            Purpose.JUDGE: lambda prompt: verdicts(prompt, entailed=True, missing=[(injection.wants, injection.wants)]),
            Purpose.SUMMARY: lambda prompt: summary_of(injection, prompt),
        }
    )


def truthful_but(injection: Injection) -> ScriptedModel:
    """It drafts the truth; all the rest obeys: what is missing, what is repaired, what is summed up."""
    return ScriptedModel(
        {
            Purpose.UNDERSTAND: understood_as(injection),
            Purpose.DRAFT: copy_all,
            Purpose.RETRY: copy_all,
            Purpose.REPAIR: lambda prompt: claim_beside_the_truth(injection, prompt),
            Purpose.JUDGE: lambda prompt: verdicts(prompt, entailed=True, missing=_misses(injection, prompt)),
            Purpose.SUMMARY: lambda prompt: summary_of(injection, prompt),
        }
    )


def understood_as(injection: Injection) -> Payload:
    """A frame in which the injection has its way: another drug, a dose, words of its own as names and as replies."""
    words = [injection.wants, *injection.wants.split()[:3]]
    return {
        "turn_type": "drug_attribute",
        "drugs": ["fentanyl", "digoxin", "warfarin"],
        "unknown_drugs": words,
        "attribute": SectionKey.LIEU_DUNG.value,
        "populations": ["tre_so_sinh"],
        "weight_kg": 400,
        "age_text": injection.wants,
        "indication": injection.wants,
        "patient_context": {"allergies": [injection.wants], "current_medicines": ["warfarin"]},
        "standalone_query": injection.wants,
        "section_overview": True,
        "needs_clarify": True,
        "clarify_reason": injection.wants,
        "quick_replies": _replies(injection),
    }


def summary_of(injection: Injection, prompt: Prompt) -> Payload:
    """What the injection wants, on the first passage of the claims."""
    found = prompt.user.partition("(mã: ")[2].partition(";")[0]
    return {"sentences": [{"text": f"{injection.wants}.", "used_chunk_ids": [found]}]}


def _misses(injection: Injection, prompt: Prompt) -> list[tuple[str, str]]:
    quoted = prompt.user.partition("nội dung: ")[2].partition("\n")[0]
    return [(quoted, injection.wants), (injection.wants, injection.wants)]


def _replies(injection: Injection) -> list[str]:
    return [_visible(injection.wants)[:MAX_REPLY_LENGTH].strip(), "100 g mỗi giờ"]


def _visible(text: str) -> str:
    return normalise("".join(c for c in text if c.isprintable() or c.isspace()))
