"""The language model that the settings ask for, built once per process."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING

from django.conf import settings

from chat.llm.breaker import BreakerRule, WithBreaker
from chat.llm.domain import Fault, LanguageModel, Purpose, Usage
from monographs.call_metrics import price_of
from monographs.provider_calls import ProviderCall

if TYPE_CHECKING:
    from monographs.bedrock import Place

_PROVIDERS = ("ANSWER_PROVIDER", "UNDERSTANDING_PROVIDER", "SUMMARY_PROVIDER")
# Which setting names the model of a purpose.
_MODELS = {
    Purpose.UNDERSTAND: "BEDROCK_UNDERSTANDING_MODEL",
    Purpose.DRAFT: "BEDROCK_ANSWER_MODEL",
    Purpose.RETRY: "BEDROCK_ANSWER_MODEL",
    Purpose.REPAIR: "BEDROCK_ANSWER_MODEL",
    Purpose.JUDGE: "BEDROCK_JUDGE_MODEL",
    Purpose.SUMMARY: "BEDROCK_SUMMARY_MODEL",
}


@dataclass(frozen=True, slots=True)
class _Chosen:
    """Settings of the model that a process builds once; where a test changes them, another is built."""

    models: tuple[tuple[Purpose, str], ...]
    max_tokens: int
    seconds: float
    by_tool: bool
    guardrail: tuple[str, str]
    prices: tuple[tuple[str, tuple[Decimal, Decimal]], ...]
    breaker: tuple[int, int, int]


def language_model() -> LanguageModel | None:
    """The model behind its breaker, for every purpose; None where no part of a turn asks for one.

    Whether a stage may ask it is the stage's own setting.
    """
    if all(getattr(settings, name) != "bedrock" for name in _PROVIDERS):
        return None
    from monographs.bedrock import current_place  # noqa: PLC0415 - who uses no Bedrock need not wait for boto3

    return _built(_chosen(), current_place())


def usages_of(calls: Iterable[ProviderCall]) -> tuple[Usage, ...]:
    """Calls made while passages were searched (monographs.provider_calls.collect_calls), as a turn keeps them."""
    return tuple(
        Usage(
            Purpose(call.kind.value),
            call.model_id,
            input_tokens=call.tokens,
            ms=call.ms,
            attempts=call.attempts,
            cost=price_of(call.model_id, call.tokens, 0),
            fault=Fault(call.trouble) if call.trouble else None,
        )
        for call in calls
    )


def _chosen() -> _Chosen:
    return _Chosen(
        models=tuple((purpose, getattr(settings, name)) for purpose, name in _MODELS.items()),
        max_tokens=settings.BEDROCK_MAX_TOKENS,
        seconds=settings.BEDROCK_CALL_SECONDS,
        by_tool=settings.BEDROCK_OUTPUT == "tool",
        guardrail=(settings.BEDROCK_GUARDRAIL_ID, settings.BEDROCK_GUARDRAIL_VERSION),
        prices=tuple(sorted(settings.BEDROCK_PRICES.items())),
        breaker=(settings.BREAKER_FAULTS, settings.BREAKER_PAUSE_SECONDS, settings.TURN_BUDGET_SECONDS),
    )


@cache
def _built(chosen: _Chosen, place: Place) -> LanguageModel:
    from chat.llm.bedrock import BedrockModel, Guardrail, Options, Price  # noqa: PLC0415
    from monographs.bedrock import Service, client_of  # noqa: PLC0415

    models = dict(chosen.models)
    options = Options(
        models=models,
        max_tokens=chosen.max_tokens,
        longest=chosen.seconds,
        by_tool=chosen.by_tool,
        guardrail=Guardrail(*chosen.guardrail) if all(chosen.guardrail) else None,
        prices={model_id: Price(*price) for model_id, price in chosen.prices},
    )
    faults, pause, longest_turn = chosen.breaker
    rule = BreakerRule(faults, timedelta(seconds=pause), timedelta(seconds=longest_turn))
    model = BedrockModel(client_of(Service.RUNTIME, place), options)
    return WithBreaker(model, name_of=lambda prompt: models[prompt.purpose], rule=rule)
