"""An objection of the judge counts only where the evidence bears it and no claim says it already."""

from __future__ import annotations

import pytest

from chat.alignment import without_own_label
from chat.domain import DraftClaim
from chat.generation.completeness import Objection, find_objections
from chat.generation.payloads import MissingPayload
from tests.chat.generation.tasks import ADULT, CHILD, STORAGE, TABLE, task

SAID = "Bảo quản ở nhiệt độ dưới 30 độ C."


@pytest.mark.parametrize(
    ("quote", "description", "claim", "holds"),
    [
        ("tránh ánh sáng và ẩm", "thiếu tránh ánh sáng và ẩm", SAID, True),
        ("tránh ánh sáng  và ẩm.", "chưa nêu việc tránh ánh sáng", SAID, True),
        ("“tránh ánh sáng và ẩm”", "tránh ánh sáng", SAID, True),
        # Not verbatim.
        ("tránh ánh nắng và ẩm", "tránh ánh nắng", SAID, False),
        ("ánh sáng tránh và ẩm", "tránh ánh sáng", SAID, False),
        ("độ ẩm dưới 70 %", "thiếu độ ẩm", SAID, False),
        # The description is about something else.
        ("tránh ánh sáng và ẩm", "thiếu liều tối đa cho trẻ em", SAID, False),
        ("tránh ánh sáng và ẩm", "thiếu", SAID, False),
        ("tránh ánh sáng và ẩm", "tránh ánh sáng trong 24 giờ", SAID, False),
        ("nhiệt độ dưới 30 độ C", "nhiệt độ dưới 30 độ C", "Tránh ẩm.", True),
        ("nhiệt độ dưới 30 độ C", "nhiệt độ dưới 25 độ C", "Tránh ẩm.", False),
        # Said already, in whatever order.
        ("tránh ánh sáng và ẩm", "tránh ánh sáng và ẩm", STORAGE.text, False),
        ("tránh ánh sáng và ẩm", "tránh ánh sáng và ẩm", "Ẩm và ánh sáng: tránh.", False),
        ("Tránh Ánh Sáng", "tránh ánh sáng", SAID, False),
        (" . ", "tránh ánh sáng", SAID, False),
    ],
)
def test_an_objection_is_a_statement_and_is_checked_like_one(
    quote: str, description: str, claim: str, holds: bool
) -> None:
    missing = [MissingPayload(evidence_quote=quote, description=description)]
    found = find_objections(missing, [DraftClaim(claim, (0,))], task(STORAGE))
    assert bool(found) is holds
    assert not found or found[0].quote in STORAGE.text


def test_a_quote_may_not_be_put_together_from_two_passages() -> None:
    quote = f"{ADULT.text[-10:]} {CHILD.text[:10]}"
    missing = [MissingPayload(evidence_quote=quote, description=quote)]
    claims = [DraftClaim(ADULT.text, (0,)), DraftClaim(CHILD.text, (1,))]
    assert find_objections(missing, claims, task(ADULT, CHILD)) == ()


def test_what_is_held_back_cannot_be_missing() -> None:
    missing = [MissingPayload(evidence_quote="bảng", description="bảng")]
    assert find_objections(missing, [DraftClaim(STORAGE.text, (0,))], task(STORAGE, TABLE)) == ()


def test_the_floor_needs_no_judge() -> None:
    found = find_objections([], [DraftClaim("0,5 - 1 g/lần, cách 4 - 6 giờ một lần", (0,))], task(ADULT))
    assert [objection.index for objection in found] == [0]
    assert found == (Objection(0, without_own_label(ADULT)),)
