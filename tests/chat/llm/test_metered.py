"""What is counted of the calls of a turn, however they end."""

from __future__ import annotations

from decimal import Decimal

import pytest

from chat.llm.domain import Budget, Fault, ModelError, Prompt, Purpose, Reply, Usage
from chat.llm.metered import Metered
from tests.fakes import ScriptedModel

PROMPT = Prompt(Purpose.DRAFT, "abc123", "hệ thống", "câu hỏi", {})


class UntoldModel:
    """One that fails without saying what it took."""

    def ask(self, prompt: Prompt, budget: Budget) -> Reply:
        raise ModelError(Fault.BUDGET, "none left")


class PricedModel:
    """One that says what it took."""

    usage = Usage(Purpose.DRAFT, "a", 10, 2, 5.0, 3, Decimal("0.1"))

    def ask(self, prompt: Prompt, budget: Budget) -> Reply:
        return Reply({"x": 1}, self.usage)


def test_a_reply_is_passed_on_and_its_usage_kept_with_the_version_of_its_prompt() -> None:
    metered = Metered(PricedModel())
    assert metered.ask(PROMPT, Budget.of(1)).payload == {"x": 1}
    assert metered.calls == [Usage(Purpose.DRAFT, "a", 10, 2, 5.0, 3, Decimal("0.1"), None, "abc123")]


def test_a_fault_is_passed_on_and_its_usage_kept() -> None:
    metered = Metered(ScriptedModel({Purpose.DRAFT: Fault.TRUNCATED}))
    with pytest.raises(ModelError) as raised:
        metered.ask(PROMPT, Budget.of(1))
    assert raised.value.fault is Fault.TRUNCATED
    (kept,) = metered.calls
    assert (kept.purpose, kept.model_id, kept.prompt) == (Purpose.DRAFT, "scripted", "abc123")


def test_a_fault_that_tells_nothing_is_kept_as_a_call_that_reached_nobody() -> None:
    metered = Metered(UntoldModel())
    with pytest.raises(ModelError):
        metered.ask(PROMPT, Budget.of(1))
    (kept,) = metered.calls
    assert (kept.model_id, kept.attempts, kept.fault, kept.prompt) == ("", 0, Fault.BUDGET, "abc123")


def test_calls_are_kept_in_their_order() -> None:
    calls: list[Usage] = []
    for purpose in (Purpose.DRAFT, Purpose.JUDGE):
        model = ScriptedModel({purpose: {}})
        Metered(model, calls).ask(Prompt(purpose, "v", "", "", {}), Budget.of(1))
    assert [call.purpose for call in calls] == [Purpose.DRAFT, Purpose.JUDGE]
