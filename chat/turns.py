"""The life of a turn: started, answered, stored. The pipeline itself writes nothing; this does."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from itertools import takewhile
from uuid import UUID

from django.conf import settings
from django.db import DatabaseError, InterfaceError, OperationalError, connection, transaction
from django.db.models import F, QuerySet
from django.utils import timezone
from pydantic import ValidationError

from chat.answer import Answered, Prior, answer_question, read_verbatim
from chat.compose import TurnContext, compose_stop
from chat.contract import Answer
from chat.domain import Decision, Reason, Stop
from chat.frame import dump_frame, load_frame
from chat.masking import mask_personal_data
from chat.models import Conversation, Feedback, Turn, TurnState
from chat.prior import offered_labels
from chat.trace import Trace, dump_trace
from chat.versions import versions_of
from monographs.corpus import BULK, current_edition
from monographs.text import fold

log = logging.getLogger(__name__)
TITLE_LENGTH = 120
_CUT_OFF = (OperationalError, InterfaceError)
_READ, _OF = "Đọc nguyên văn: ", " – "


@dataclass(frozen=True, slots=True)
class Chosen:
    """A section chosen to be read: drug_id and the section's anchor."""

    drug_id: str
    anchor: str


def start_turn(
    *,
    owner: str,
    question: str,
    conversation_id: UUID | None = None,
    correlation_id: str = "",
    chosen: Chosen | None = None,
) -> Turn:
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
        return Turn.objects.create(
            conversation=conversation,
            question=masked,
            correlation_id=correlation_id,
            verbatim_drug=chosen.drug_id if chosen else "",
            verbatim_section=chosen.anchor if chosen else "",
        )


def start_reading(*, owner: str, chosen: Chosen, called: tuple[str, str], conversation_id: UUID | None = None) -> Turn:
    """A pending turn that shows a section whole; called: the names of its drug and of the section, as printed.

    Raises Conversation.DoesNotExist where the conversation is not this owner's.
    """
    question = f"{_READ}{_OF.join(called)}"
    return start_turn(owner=owner, question=question, conversation_id=conversation_id, chosen=chosen)


def start_rerun(owner: str, turn_id: UUID) -> Turn:
    """The question of a turn again, at the end of its conversation. Raises Turn.DoesNotExist where it is not this
    owner's."""
    original = Turn.objects.select_related("conversation").get(pk=turn_id, conversation__owner=owner)
    with transaction.atomic():
        original.conversation.save(update_fields=["updated_at"])
        return Turn.objects.create(
            conversation=original.conversation,
            question=original.question,
            rerun_of=original,
            verbatim_drug=original.verbatim_drug,
            verbatim_section=original.verbatim_section,
        )


def run_turn(turn: Turn) -> Turn:
    """Answers a turn and stores the result. A turn already taken or final is left as it is."""
    taken = Turn.objects.filter(pk=turn.pk, state=TurnState.PENDING).update(
        state=TurnState.RUNNING, attempts=F("attempts") + 1
    )
    if taken:
        try:
            answered = _answered(turn)
            _store(turn, answered, TurnState.DONE)
        except Exception as error:
            log.exception("turn_failed", extra={"turn": str(turn.pk)})
            if isinstance(error, _CUT_OFF):
                connection.close()
            _store(turn, _failed(turn), TurnState.FAILED)
    turn.refresh_from_db()
    return turn


def _answered(turn: Turn) -> Answered:
    """The answer; asked for once more where the database server was restarted meanwhile."""
    try:
        return _answer(turn)
    except _CUT_OFF:
        log.warning("turn_cut_off", extra={"turn": str(turn.pk)})
        connection.close()
        return _answer(turn)


def _answer(turn: Turn) -> Answered:
    if turn.verbatim_drug:
        name, _, heading = turn.question.removeprefix(_READ).rpartition(_OF)
        return read_verbatim(
            turn.verbatim_drug,
            turn.verbatim_section,
            called=(name, heading),
            trace_id=str(turn.pk),
            correlation_id=turn.correlation_id,
        )
    return answer_question(
        turn.question,
        trace_id=str(turn.pk),
        correlation_id=turn.correlation_id,
        prior=_prior(turn),
        on_stage=_stage_of(turn) if settings.ANSWER_PROVIDER != "disabled" else _no_stage,
    )


def _no_stage(_name: str) -> None:
    """Without a model a turn is over before a stage could be read."""


def _stage_of(turn: Turn) -> Callable[[str], None]:
    return lambda name: _show_stage(turn, name)


def _show_stage(turn: Turn, name: str) -> None:
    Turn.objects.filter(pk=turn.pk, state=TurnState.RUNNING).update(stage=name)


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
    return list(
        conversation.turns.select_related("edition", "rerun_of", "feedback").defer(
            *(f"edition__{name}" for name in BULK)
        )
    )


def rename_conversation(owner: str, conversation_id: UUID, title: str) -> None:
    """A title of the owner's own, masked as a question is. Raises Conversation.DoesNotExist where it is not theirs."""
    conversation = Conversation.objects.get(pk=conversation_id, owner=owner)
    Conversation.objects.filter(pk=conversation.pk).update(title=mask_personal_data(title)[:TITLE_LENGTH])


def delete_conversation(owner: str, conversation_id: UUID) -> None:
    """A conversation with all its turns, for good. Raises Conversation.DoesNotExist where it is not this owner's."""
    Conversation.objects.get(pk=conversation_id, owner=owner).delete()


def find_conversations(owner: str, query: str) -> list[Conversation]:
    """This owner's conversations with the words in their title or in a question, accents aside, the latest first."""
    folded = fold(query)
    asked: dict[UUID, list[str]] = defaultdict(list)
    for key, question in Turn.objects.filter(conversation__owner=owner).values_list("conversation_id", "question"):
        asked[key].append(question)
    return [
        conversation
        for conversation in conversations_of(owner)
        if any(folded in fold(text) for text in (conversation.title, *asked[conversation.pk]))
    ]


def give_feedback(owner: str, turn_id: UUID, *, useful: bool, reason: str = "", comment: str = "") -> None:
    """Keeps what the owner thought of a turn. Raises Turn.DoesNotExist where it is not this owner's."""
    turn = Turn.objects.get(pk=turn_id, conversation__owner=owner)
    said = {"useful": useful, "reason": "" if useful else reason, "comment": mask_personal_data(comment)}
    # What is said anew is open again, whatever became of what was said before.
    said |= {"handled_at": None, "handled_by": None}
    Feedback.objects.update_or_create(turn=turn, defaults=said)


def _prior(turn: Turn) -> Prior:
    """What came before in this conversation, or came before the question that is asked again; a fault here never loses
    the answer."""
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
        return Prior(load_frame(last.frame), last.decision == Decision.CLARIFY, streak, offered)
    except (DatabaseError, ValidationError):
        log.exception("history_unreadable", extra={"turn": str(turn.pk)})
        return Prior()


def _first_asking(turn: Turn) -> Turn:
    """The turn itself, or the one that it repeats, however often it was repeated."""
    while turn.rerun_of is not None:
        turn = turn.rerun_of
    return turn


def _asked_back_in_a_row(latest_first: QuerySet[Turn]) -> int:
    decisions = latest_first.values_list("decision", flat=True)
    return sum(1 for _ in takewhile(lambda decision: decision == Decision.CLARIFY, decisions))


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
            trace=dump_trace(answered.trace),
            finished_at=timezone.now(),
        )
        if stored:
            Conversation.objects.filter(pk=turn.conversation_id).update(
                clarify_streak=F("clarify_streak") + 1 if clarified else 0
            )


def _failed(turn: Turn) -> Answered:
    edition = current_edition()
    context = TurnContext(edition, str(turn.pk), turn.correlation_id)
    answer = compose_stop(context, None, Stop(Reason.INTERNAL_ERROR))
    return Answered(answer, None, {}, Trace(versions=versions_of(edition, None)))
