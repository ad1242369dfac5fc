"""Every kind of question has a route, or is one of those that a fixed text answers."""

from __future__ import annotations

import pytest

from chat.decide import decide_frame
from chat.domain import QueryFrame, Reason, Stop, TurnType
from chat.routes import PATHS, path_of
from tests.sample_corpus import sample_corpus

FIXED = {TurnType.SMALLTALK: Reason.SMALLTALK, TurnType.OUT_OF_SCOPE: Reason.OUT_OF_SCOPE}


@pytest.mark.parametrize("turn_type", list(TurnType))
def test_each_kind_of_question_has_a_route_or_a_fixed_text(turn_type: TurnType) -> None:
    assert (turn_type in PATHS) != (turn_type in FIXED)


@pytest.mark.parametrize("turn_type", FIXED, ids=str)
def test_a_fixed_text_ends_the_turn_before_any_route(turn_type: TurnType) -> None:
    frame = QueryFrame(turn_type)
    stop = decide_frame(frame, sample_corpus())
    assert path_of(frame) is None
    assert isinstance(stop, Stop)
    assert stop.reason is FIXED[turn_type]
