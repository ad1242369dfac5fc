"""What a conversation brings along to its next turn, from what is stored of it."""

from __future__ import annotations

import logging
from itertools import takewhile

from django.db import DatabaseError
from django.db.models import QuerySet
from pydantic import ValidationError

from chat.answer import Prior
from chat.contract import Answer
from chat.domain import Decision
from chat.frame import load_frame
from chat.models import Turn, TurnState
from chat.name_candidates import LINES_KEPT
from chat.prior import offered_labels

log = logging.getLogger(__name__)


def prior_of(turn: Turn, *, with_history: bool) -> Prior:
    """What came before in this conversation, or came before the question that is asked again; a fault here never loses
    the answer. with_history: the questions themselves too, for an understander that reads them."""
    try:
        first = _first_asking(turn)
        before = (
            Turn.objects.filter(
                conversation_id=turn.conversation_id, state=TurnState.DONE, created_at__lt=first.created_at
            )
            .order_by("-created_at")
            .select_related("conversation")
        )
        last = before.first()
        if last is None:
            return Prior()
        streak = last.conversation.clarify_streak if first == turn else _asked_back_in_a_row(before)
        offered = offered_labels(Answer.model_validate(last.contract))
        history = _asked_before(before) if with_history else ()
        return Prior(load_frame(last.frame), last.decision == Decision.CLARIFY, streak, offered, history)
    except (DatabaseError, ValidationError):
        log.exception("history_unreadable", extra={"turn": str(turn.pk)})
        return Prior()


def _asked_before(latest_first: QuerySet[Turn]) -> tuple[str, ...]:
    """The last few questions of the conversation, the oldest first."""
    return tuple(reversed(latest_first.values_list("question", flat=True)[:LINES_KEPT]))


def _first_asking(turn: Turn) -> Turn:
    """The turn itself, or the one that it repeats, however often it was repeated."""
    while turn.rerun_of is not None:
        turn = turn.rerun_of
    return turn


def _asked_back_in_a_row(latest_first: QuerySet[Turn]) -> int:
    decisions = latest_first.values_list("decision", flat=True)
    return sum(1 for _ in takewhile(lambda decision: decision == Decision.CLARIFY, decisions))
