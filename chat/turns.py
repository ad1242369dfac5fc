"""The life of a turn: started, answered, stored. The pipeline itself writes nothing; this does."""

from __future__ import annotations

import logging
from uuid import UUID

from django.db import DatabaseError, transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from chat.answer import Answered, Prior, answer_question
from chat.compose import TurnContext, compose_stop
from chat.domain import Decision, Reason, Stop
from chat.frame import dump_frame, load_frame
from chat.masking import mask_personal_data
from chat.models import Conversation, Turn, TurnState
from monographs.corpus import BULK, current_edition

log = logging.getLogger(__name__)
TITLE_LENGTH = 120


def start_turn(*, owner: str, question: str, conversation_id: UUID | None = None, correlation_id: str = "") -> Turn:
    """A pending turn, its question masked, in the owner's conversation (a new one where none is named).

    Raises Conversation.DoesNotExist where the conversation is not this owner's.
    """
    masked = mask_personal_data(question)
    with transaction.atomic():
        if conversation_id is None:
            conversation = Conversation.objects.create(owner=owner, title=masked[:TITLE_LENGTH])
        else:
            conversation = Conversation.objects.get(pk=conversation_id, owner=owner)
            conversation.save(update_fields=["updated_at"])
        return Turn.objects.create(conversation=conversation, question=masked, correlation_id=correlation_id)


def run_turn(turn: Turn) -> Turn:
    """Answers a turn and stores the result. A turn already taken or final is left as it is."""
    taken = Turn.objects.filter(pk=turn.pk, state=TurnState.PENDING).update(
        state=TurnState.RUNNING, attempts=F("attempts") + 1
    )
    if taken:
        try:
            answered = answer_question(
                turn.question, trace_id=str(turn.pk), correlation_id=turn.correlation_id, prior=_prior(turn)
            )
            _store(turn, answered, TurnState.DONE)
        except Exception:
            log.exception("turn_failed", extra={"turn": str(turn.pk)})
            _store(turn, _failed(turn), TurnState.FAILED)
    turn.refresh_from_db()
    return turn


def cancel_turn(owner: str, turn_id: UUID) -> Turn:
    """Cancels a turn that is not final yet. Raises Turn.DoesNotExist where it is not this owner's."""
    turn = Turn.objects.get(pk=turn_id, conversation__owner=owner)
    Turn.objects.filter(pk=turn.pk, state__in=[TurnState.PENDING, TurnState.RUNNING]).update(
        state=TurnState.CANCELLED, finished_at=timezone.now()
    )
    turn.refresh_from_db()
    return turn


def conversations_of(owner: str) -> QuerySet[Conversation]:
    """This owner's conversations, the latest first."""
    return Conversation.objects.filter(owner=owner)


def turns_of(owner: str, conversation_id: UUID) -> list[Turn]:
    """The turns of a conversation, in order. Raises Conversation.DoesNotExist where it is not this owner's."""
    conversation = Conversation.objects.get(pk=conversation_id, owner=owner)
    return list(conversation.turns.select_related("edition").defer(*(f"edition__{name}" for name in BULK)))


def _prior(turn: Turn) -> Prior:
    """What came before in this conversation; a fault here never loses the answer."""
    try:
        last = (
            Turn.objects.filter(
                conversation_id=turn.conversation_id, state=TurnState.DONE, created_at__lt=turn.created_at
            )
            .order_by("-created_at")
            .select_related("conversation")
            .first()
        )
        if last is None:
            return Prior()
        streak = last.conversation.clarify_streak
        return Prior(load_frame(last.frame), last.decision == Decision.CLARIFY, streak)
    except DatabaseError:
        log.exception("history_unreadable", extra={"turn": str(turn.pk)})
        return Prior()


def _store(turn: Turn, answered: Answered, state: TurnState) -> None:
    answer = answered.answer
    clarified = answer.decision is Decision.CLARIFY
    with transaction.atomic():
        # A turn cancelled meanwhile stays cancelled.
        stored = Turn.objects.filter(pk=turn.pk, state=TurnState.RUNNING).update(
            state=state,
            decision=answer.decision,
            reason=answer.reason,
            frame=dump_frame(answered.frame),
            contract=answer.model_dump(mode="json"),
            edition_id=answer.edition.id if answer.edition else None,
            corpus_version=answer.edition.corpus_version if answer.edition else "",
            timings=answered.timings,
            finished_at=timezone.now(),
        )
        if stored:
            Conversation.objects.filter(pk=turn.conversation_id).update(
                clarify_streak=F("clarify_streak") + 1 if clarified else 0
            )


def _failed(turn: Turn) -> Answered:
    context = TurnContext(current_edition(), str(turn.pk), turn.correlation_id)
    return Answered(compose_stop(context, None, Stop(Reason.INTERNAL_ERROR)), None, {})
