"""The entailment judge: one pass over all claims, each against only what it cites, by wording and not by medicine.

One pass and not several: the same model at temperature 0 asked again on the same words is no second opinion.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chat.domain import DraftClaim, Reason, Stop
from chat.generation.payloads import JudgePayload, MissingPayload, read_payload
from chat.generation.prompts import judge_prompt
from chat.generation.writing import Writing
from chat.llm.domain import Budget, Fault, LanguageModel, ModelError


@dataclass(frozen=True, slots=True)
class Judged:
    """What the judge said: of each claim in its order whether it is entailed, and what it misses."""

    entailed: tuple[bool, ...]
    missing: tuple[MissingPayload, ...]


def judge_claims(claims: Sequence[DraftClaim], writing: Writing, model: LanguageModel, budget: Budget) -> Judged | Stop:
    """The judge's verdicts; a Stop where there are none, with why it was not asked or not understood.

    A negative verdict is no Stop: that the judge said no and that it could not be asked are never the same.
    """
    try:
        payload = read_payload(JudgePayload, model.ask(judge_prompt(writing, claims), budget).payload)
        return Judged(_verdicts(payload, len(claims)), tuple(payload.missing))
    except ModelError as error:
        return Stop(error.reason)


def refusal(judged: Judged, claims: Sequence[DraftClaim]) -> Stop | None:
    """Why the claims may not be shown: the first that is not entailed; None where all are."""
    refused = [claim for claim, entailed in zip(claims, judged.entailed, strict=True) if not entailed]
    return Stop(Reason.UNSUPPORTED_CLAIM, {"claim": refused[0].text}) if refused else None


def _verdicts(payload: JudgePayload, claims: int) -> tuple[bool, ...]:
    """One for each claim. Raises ModelError where a claim has none, or several."""
    if sorted(verdict.claim for verdict in payload.verdicts) != list(range(1, claims + 1)):
        raise ModelError(Fault.WRONG_SCHEMA, "the verdicts do not cover every claim once")
    said = {verdict.claim: verdict.entailed for verdict in payload.verdicts}
    return tuple(said[number] for number in range(1, claims + 1))
