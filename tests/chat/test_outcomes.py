"""The table of outcomes: nothing forgotten, nothing that claims more than was checked."""

import pytest

from chat.domain import POPULATION_TITLES, ROUTE_TITLES, Decision, Population, Reason, Route
from chat.outcomes import OUTCOMES, Status, StatusCode, render
from monographs.domain import SECTION_FACTS, SectionKey


@pytest.mark.parametrize("reason", list(Reason))
def test_every_reason_has_its_row(reason: Reason) -> None:
    facts = OUTCOMES[reason]
    assert facts.text.endswith((".", "?", "”"))
    assert render(facts.text, {}) and "{" not in render(facts.text, {"drug": "x"})


@pytest.mark.parametrize("reason", list(Reason))
def test_status_follows_the_decision(reason: Reason) -> None:
    facts = OUTCOMES[reason]
    if facts.decision is Decision.ANSWERABLE:
        assert facts.status in {Status.SUPPORTED, Status.PARTIAL}
    else:
        assert facts.status is Status.INSUFFICIENT
        assert facts.code not in {StatusCode.VERIFIED, StatusCode.PARTIAL_COMPARISON}


@pytest.mark.parametrize(
    "reason", [r for r in Reason if OUTCOMES[r].decision in {Decision.ABSTAIN, Decision.VERIFY_PDF}]
)
def test_an_abstention_says_what_to_do_next(reason: Reason) -> None:
    assert OUTCOMES[reason].next_step


def test_every_enum_member_has_its_vietnamese_text() -> None:
    assert set(POPULATION_TITLES) == set(Population)
    assert set(ROUTE_TITLES) == set(Route)
    assert set(SECTION_FACTS) == set(SectionKey)


def test_the_documentation_prints_the_table_as_it_is() -> None:
    from chat.outcomes_table import as_markdown
    from tests.paths import ROOT

    assert (ROOT / "docs" / "outcomes.md").read_text("utf-8") == as_markdown()
