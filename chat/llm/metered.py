"""A model whose calls are counted: what a turn took is known however the turn ends."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace

from chat.llm.domain import Budget, LanguageModel, ModelError, Prompt, Reply, Usage

NO_MODEL = ""


@dataclass(slots=True)
class Metered:
    """Passes every call on, and keeps its usage with the version of its prompt. calls: in order, failed ones too."""

    model: LanguageModel
    calls: list[Usage] = field(default_factory=list)

    def ask(self, prompt: Prompt, budget: Budget) -> Reply:
        """The model's reply, asked for only where there is time left. Raises ModelError as the model does."""
        begun = time.perf_counter()
        try:
            budget.need()
            reply = self.model.ask(prompt, budget)
        except ModelError as error:
            self._keep(replace(error.usage or _untold(prompt, begun), fault=error.fault), prompt)
            raise
        self._keep(reply.usage, prompt)
        return reply

    def _keep(self, usage: Usage, prompt: Prompt) -> None:
        self.calls.append(replace(usage, prompt=prompt.version))


def _untold(prompt: Prompt, begun: float) -> Usage:
    """The usage of a call that failed before it reached a model: its time."""
    took = round((time.perf_counter() - begun) * 1000, 1)
    return Usage(prompt.purpose, NO_MODEL, ms=took, attempts=0)
