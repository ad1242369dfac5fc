"""With which models a turn is answered, as the settings choose; without any in the default."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from django.conf import settings

from chat.llm.choose import language_model
from chat.llm.domain import LanguageModel, Usage
from chat.llm.metered import Metered
from chat.summarise import Summariser

BEDROCK = "bedrock"


@dataclass(frozen=True, slots=True)
class Ways:
    """The models that the stages of a turn ask; a stage without one does without. seconds: wall clock for all calls of
    a turn together."""

    understander: LanguageModel | None = None
    writer: LanguageModel | None = None
    summariser: Summariser = field(default_factory=Summariser)
    seconds: float = 45.0

    def metered(self, calls: list[Usage]) -> Ways:
        """The same, with the usage of every call kept in calls, failed ones too."""
        models = {name: Metered(model, calls) for name, model in self.summariser.models.items()}
        return replace(
            self,
            understander=_metered(self.understander, calls),
            writer=_metered(self.writer, calls),
            summariser=replace(self.summariser, models=models),
        )


def current_ways() -> Ways:
    """The ways that the settings ask for."""
    model = language_model()
    return Ways(
        understander=model if settings.UNDERSTANDING_PROVIDER == BEDROCK else None,
        writer=model if settings.ANSWER_PROVIDER == BEDROCK else None,
        summariser=Summariser(settings.SUMMARY_PROVIDER, {BEDROCK: model} if model else {}),
        seconds=settings.TURN_BUDGET_SECONDS,
    )


def _metered(model: LanguageModel | None, calls: list[Usage]) -> LanguageModel | None:
    return Metered(model, calls) if model else None
