"""The life of a turn: started, answered, stored. The pipeline itself writes nothing; this does."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from chat.answer import Answered, answer_question, read_verbatim
from chat.compose import TurnContext, compose_stop
from chat.domain import Decision, Reason, Stop
from chat.frame import dump_frame
from chat.llm.domain import Usage
from chat.masking import mask_personal_data
from chat.metrics import count_calls, count_cancelled, count_turn
from chat.models import Conversation, Feedback, Turn, TurnState
from chat.trace import Trace, dump_trace
from chat.turn_hold import DELIVERY, Hold, HoldLost, TurnCancelled, beating, take_turn
from chat.turn_marks import marked
from chat.turn_prior import prior_of
from chat.versions import versions_of
from chat.ways import current_ways
from monographs.corpus import BULK, current_edition
from monographs.leases import DATABASE_GONE
from monographs.private_words import keep_private
from monographs.spans import trace_id
from monographs.text import fold

log = logging.getLogger(__name__)
TITLE_LENGTH = 120
_NO_MODEL = frozenset({"disabled", "rules"})
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
    keep_private(question)
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
            lease_until=timezone.now() + DELIVERY,
        )


def start_reading(
    *,
    owner: str,
    chosen: Chosen,
    called: tuple[str, str],
    conversation_id: UUID | None = None,
    correlation_id: str = "",
) -> Turn:
    """A pending turn that shows a section whole; called: the names of its drug and of the section, as printed.

    Raises Conversation.DoesNotExist where the conversation is not this owner's.
    """
    question = f"{_READ}{_OF.join(called)}"
    return start_turn(
        owner=owner,
        question=question,
        conversation_id=conversation_id,
        correlation_id=correlation_id,
        chosen=chosen,
    )


def start_rerun(owner: str, turn_id: UUID, *, correlation_id: str = "") -> Turn:
    """The question of a turn again, at the end of its conversation. Raises Turn.DoesNotExist where it is not this
    owner's."""
    original = Turn.objects.select_related("conversation").get(pk=turn_id, conversation__owner=owner)
    with transaction.atomic():
        original.conversation.save(update_fields=["updated_at"])
        return Turn.objects.create(
            conversation=original.conversation,
            question=original.question,
            correlation_id=correlation_id,
            rerun_of=original,
            verbatim_drug=original.verbatim_drug,
            verbatim_section=original.verbatim_section,
            lease_until=timezone.now() + DELIVERY,
        )


def asks_model(turn: Turn) -> bool:
    """Whether a provider takes part in answering a turn; reading a section never asks one."""
    chosen = (settings.ANSWER_PROVIDER, settings.SUMMARY_PROVIDER, settings.UNDERSTANDING_PROVIDER)
    return not turn.verbatim_drug and any(provider not in _NO_MODEL for provider in chosen)


def run_turn(turn: Turn) -> Turn:
    """Answers a turn and stores the result. A turn that another holds, or that is final, is left as it is."""
    hold = take_turn(turn)
    if hold:
        with marked(turn), beating(hold) if asks_model(turn) else nullcontext():
            _run(turn, hold)
    turn.refresh_from_db()
    return turn


def _run(turn: Turn, hold: Hold) -> None:
    calls: list[Usage] = []
    try:
        _store(turn, hold, _answered(turn, hold, calls), TurnState.DONE)
    except (TurnCancelled, HoldLost) as left:
        log.info("turn_left", extra={"turn": str(turn.pk), "why": type(left).__name__})
        _keep_calls(turn, calls)
    except Exception as error:
        log.exception("turn_failed", extra={"turn": str(turn.pk)})
        if isinstance(error, DATABASE_GONE):
            connection.close()
        fail_turn(turn, hold, calls)
    finally:
        count_calls(calls)


def fail_turn(turn: Turn, hold: Hold, calls: Sequence[Usage] = ()) -> None:
    """Ends a turn that came to nothing, with what is told of it. calls: of models, made for it all the same."""
    _store(turn, hold, _failed(turn, calls), TurnState.FAILED)


def _keep_calls(turn: Turn, calls: Sequence[Usage]) -> None:
    """What a turn cost that the asker gave up."""
    if calls:
        trace = dump_trace(Trace(versions=versions_of(current_edition(), None), calls=tuple(calls)))
        Turn.objects.filter(pk=turn.pk, state=TurnState.CANCELLED, trace={}).update(trace=trace)


def _answered(turn: Turn, hold: Hold, calls: list[Usage]) -> Answered:
    """The answer; asked for once more where the database server was restarted meanwhile. calls: filled with those of
    models as they are made."""
    try:
        return _answer(turn, hold, calls)
    except DATABASE_GONE:
        log.warning("turn_cut_off", extra={"turn": str(turn.pk)})
        connection.close()
        return _answer(turn, hold, calls)


def _answer(turn: Turn, hold: Hold, calls: list[Usage]) -> Answered:
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
        prior=prior_of(turn, with_history=asks_model(turn)),
        ways=current_ways().metered(calls),
        on_stage=hold.show_stage if asks_model(turn) else _no_stage,
    )


def _no_stage(_name: str) -> None:
    """Without a model a turn is over before a stage could be read."""


def cancel_turn(owner: str, turn_id: UUID) -> Turn:
    """Cancels a turn that is not final yet. Raises Turn.DoesNotExist where it is not this owner's."""
    turn = Turn.objects.get(pk=turn_id, conversation__owner=owner)
    waiting = Turn.objects.filter(pk=turn.pk, state__in=[TurnState.PENDING, TurnState.RUNNING])
    if waiting.update(state=TurnState.CANCELLED, finished_at=timezone.now()):
        count_cancelled()
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
    keep_private(title)
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
    keep_private(comment)
    turn = Turn.objects.get(pk=turn_id, conversation__owner=owner)
    said = {"useful": useful, "reason": "" if useful else reason, "comment": mask_personal_data(comment)}
    # What is said anew is open again, whatever became of what was said before.
    said |= {"handled_at": None, "handled_by": None}
    Feedback.objects.update_or_create(turn=turn, defaults=said)


def _store(turn: Turn, hold: Hold, answered: Answered, state: TurnState) -> None:
    answer = answered.answer
    clarified = answer.decision is Decision.CLARIFY
    with transaction.atomic():
        # A turn cancelled meanwhile stays cancelled; one that was begun anew is the later attempt's.
        stored = hold.end(
            state=state,
            decision=answer.decision,
            reason=answer.reason,
            frame=dump_frame(answered.frame),
            contract=answer.model_copy(update={"otel_trace_id": trace_id()}).model_dump(mode="json"),
            edition_id=answer.edition.id if answer.edition else None,
            corpus_version=answer.edition.corpus_version if answer.edition else "",
            timings=answered.timings,
            trace=dump_trace(answered.trace),
        )
        if stored:
            Conversation.objects.filter(pk=turn.conversation_id).update(
                clarify_streak=F("clarify_streak") + 1 if clarified else 0
            )
            transaction.on_commit(partial(_count, turn, answered), robust=True)


def _count(turn: Turn, answered: Answered) -> None:
    seconds = (timezone.now() - turn.created_at).total_seconds()
    answer = answered.answer
    told = {"turn": str(turn.pk)}
    log.info("turn_done decision=%s reason=%s seconds=%.3f", answer.decision, answer.reason, seconds, extra=told)
    count_turn(answered.answer, answered.trace, answered.timings, seconds=seconds, is_reading=bool(turn.verbatim_drug))


def _failed(turn: Turn, calls: Sequence[Usage]) -> Answered:
    edition = current_edition()
    context = TurnContext(edition, str(turn.pk), turn.correlation_id)
    answer = compose_stop(context, None, Stop(Reason.INTERNAL_ERROR))
    return Answered(answer, None, {}, Trace(versions=versions_of(edition, None), calls=tuple(calls)))
