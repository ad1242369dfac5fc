"""Which parts a model has, and what is needed for it: read once at the start, which a missing or bad value stops."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation

from django.core.exceptions import ImproperlyConfigured

from duocthu_site.environ import Environment, bad_value
from monographs.embedding_models import KNOWN_MODELS, embedding_model

BEDROCK = "bedrock"
# Parts that a model may have, with the choices beside Bedrock, the first being the default.
_PARTS = {
    "ANSWER_PROVIDER": ("disabled",),
    "UNDERSTANDING_PROVIDER": ("rules",),
    "SUMMARY_PROVIDER": ("disabled",),
    "EMBEDDING_PROVIDER": ("local", "disabled"),
    "RERANK_PROVIDER": ("disabled",),
}
_REGION = re.compile(r"[a-z]{2}(-[a-z]+)+-\d")
# As botocore's service model of bedrock-runtime has them, without the forms that nobody writes by hand.
_MODEL_ID = re.compile(r"[A-Za-z0-9:./_-]{1,2048}")
_GUARDRAIL_ID = re.compile(r"[a-z0-9]+|arn:aws(-[^:]+)?:bedrock:[a-z0-9-]{1,20}:[0-9]{12}:guardrail/[a-z0-9]+")
_GUARDRAIL_VERSION = re.compile(r"[1-9][0-9]{0,7}|DRAFT")
_PRICES_EXPECTED = 'JSON such as {"model id": {"input": "3", "output": "15"}}, in US dollars per million tokens'


class ProviderSettings:
    """The settings of providers, as attributes named as in Django's settings.

    Raises ImproperlyConfigured, with a sentence a person can act on, where a part asks for Bedrock and something that
    it needs is missing.
    """

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self.providers = {name: self._provider(name, choices) for name, choices in _PARTS.items()}
        self.region = self._region()
        self.models = self._models()
        self.dimension = self._dimension()
        self.prices = read_prices(environment)
        self.guardrail = self._guardrail()

    def _provider(self, name: str, choices: tuple[str, ...]) -> str:
        return self._environment.choice(name, choices={*choices, BEDROCK}, default=choices[0])

    def _region(self) -> str:
        region = self._environment.text("BEDROCK_REGION")
        asking = [name for name, value in self.providers.items() if value == BEDROCK]
        if asking and not region:
            raise _missing("BEDROCK_REGION", "an AWS region such as ap-southeast-1", asking[0])
        if region and not _REGION.fullmatch(region):
            raise bad_value("BEDROCK_REGION", region, "an AWS region such as ap-southeast-1")
        return region

    def _models(self) -> dict[str, str]:
        """Model ids by purpose; those that need not be named apart are the answer's."""
        answer = self._model("ANSWER", "ANSWER_PROVIDER")
        return {
            "answer": answer,
            "understanding": self._model("UNDERSTANDING", "UNDERSTANDING_PROVIDER", answer),
            "judge": self._model("JUDGE", "", answer),
            "summary": self._model("SUMMARY", "SUMMARY_PROVIDER", answer),
            "embedding": self._model("EMBEDDING", "EMBEDDING_PROVIDER"),
            "rerank": self._model("RERANK", "RERANK_PROVIDER"),
        }

    def _model(self, part: str, asking: str, default: str = "") -> str:
        name = f"BEDROCK_{part}_MODEL"
        value = self._environment.text(name, default)
        if not value and self.providers.get(asking) == BEDROCK:
            raise _missing(name, "the id of a model or of an inference profile", asking)
        if value and not _MODEL_ID.fullmatch(value):
            raise bad_value(name, value, "the id of a model or of an inference profile, or its ARN")
        return value

    def _dimension(self) -> int:
        """Of the vectors; 0: the model's own choice."""
        chosen = self._environment.count("BEDROCK_EMBEDDING_DIMENSION", 0, least=0, most=4096)
        model_id = self.models["embedding"]
        if self.providers["EMBEDDING_PROVIDER"] != BEDROCK:
            return chosen
        model = embedding_model(model_id)
        if model is None:
            raise bad_value("BEDROCK_EMBEDDING_MODEL", model_id, f"one of: {KNOWN_MODELS}")
        if chosen and chosen not in model.dimensions:
            expected = "one of: " + ", ".join(map(str, sorted(model.dimensions)))
            raise bad_value("BEDROCK_EMBEDDING_DIMENSION", str(chosen), expected)
        return chosen

    def _guardrail(self) -> tuple[str, str]:
        """Id and version, both "" for none."""
        found = self._environment.text("BEDROCK_GUARDRAIL_ID"), self._environment.text("BEDROCK_GUARDRAIL_VERSION")
        if any(found) and not all(found):
            raise ImproperlyConfigured("BEDROCK_GUARDRAIL_ID and BEDROCK_GUARDRAIL_VERSION go together: set both.")
        if found[0] and not _GUARDRAIL_ID.fullmatch(found[0]):
            raise bad_value("BEDROCK_GUARDRAIL_ID", found[0], "the id or the ARN of a guardrail")
        if found[1] and not _GUARDRAIL_VERSION.fullmatch(found[1]):
            raise bad_value("BEDROCK_GUARDRAIL_VERSION", found[1], "a version number or DRAFT")
        return found


def read_prices(environment: Environment) -> dict[str, tuple[Decimal, Decimal]]:
    """US dollars per million tokens read and written, by model id; {} where none is set."""
    text = environment.text("BEDROCK_PRICES", "{}")
    try:
        found = json.loads(text)
        return {model: (_price(prices, "input"), _price(prices, "output")) for model, prices in found.items()}
    except (ValueError, TypeError, KeyError, AttributeError, InvalidOperation) as error:
        raise bad_value("BEDROCK_PRICES", text, _PRICES_EXPECTED) from error


def _price(prices: Mapping[str, object], key: str) -> Decimal:
    price = Decimal(str(prices[key]))
    if not price.is_finite() or price < 0:
        raise ValueError(key)
    return price


def _missing(name: str, purpose: str, asking: str) -> ImproperlyConfigured:
    return ImproperlyConfigured(
        f"{name} is not set, and {asking} is {BEDROCK!r}: set {name} to {purpose}, or unset {asking}."
    )
