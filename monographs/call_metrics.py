"""What calls of a provider took, added up over all processes, whoever made them."""

from __future__ import annotations

from decimal import Decimal

from django.conf import settings
from prometheus_client import Counter

from monographs.metric_files import counting, use_files

use_files()
_OF = ["purpose", "model"]
CALLS = Counter(
    "duocthu_provider_calls", "Calls of a provider; fault is empty where one brought something.", [*_OF, "fault"]
)
TOKENS = Counter("duocthu_provider_tokens", "Tokens of those calls.", [*_OF, "direction"])
COST = Counter("duocthu_provider_cost_usd", "US dollars for those calls, where prices are set.", _OF)
SECONDS = Counter("duocthu_provider_seconds", "Wall clock of those calls, retries included.", _OF)


def count_call(
    *,
    purpose: str,
    model: str,
    fault: str = "",
    tokens: tuple[int, int] = (0, 0),
    ms: float = 0.0,
    cost: Decimal | None = None,
) -> None:
    """Adds one call. tokens: read and written; ms: wall clock; cost: US dollars, None where no price is set."""
    with counting():
        CALLS.labels(purpose, model, fault).inc()
        SECONDS.labels(purpose, model).inc(ms / 1000)
        for direction, number in zip(("input", "output"), tokens, strict=True):
            if number:
                TOKENS.labels(purpose, model, direction).inc(number)
        if cost is not None:
            COST.labels(purpose, model).inc(float(cost))


def price_of(model_id: str, read: int, written: int) -> Decimal | None:
    """US dollars for so many tokens, None where no price is set for the model."""
    prices = settings.BEDROCK_PRICES.get(model_id)
    return (prices[0] * read + prices[1] * written) / Decimal(1_000_000) if prices else None
