"""What was asked, deleted once it is old enough, or because whoever asked it wants it gone."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from chat.models import Conversation, Feedback, Turn
from chat.turns import TITLE_LENGTH

# Of one transaction, so that askers never wait long for a lock.
_AT_ONCE = 500
_NONE = Q(pk__in=())


@dataclass(frozen=True, slots=True)
class Cutoffs:
    """What was made before goes; None: it stays.

    A turn that somebody gave an opinion of stays as long as the opinion, which says nothing without it.
    """

    turns: datetime | None = None
    feedback: datetime | None = None
    traces: datetime | None = None


@dataclass(frozen=True, slots=True)
class RemovedTurns:
    """How many rows go; traces: of turns that stay, without what was considered for them."""

    conversations: int = 0
    turns: int = 0
    feedback: int = 0
    traces: int = 0


def count_old(cutoffs: Cutoffs) -> RemovedTurns:
    """What remove_old would remove now."""
    turns = Turn.objects.filter(_old_turns(cutoffs))
    staying = Turn.objects.exclude(pk__in=turns.values("pk")).filter(conversation=OuterRef("pk"))
    return RemovedTurns(
        conversations=_old_conversations(cutoffs, staying).count(),
        turns=turns.count(),
        feedback=Feedback.objects.filter(_old_feedback(cutoffs)).count(),
        traces=_old_traces(cutoffs).exclude(pk__in=turns.values("pk")).count(),
    )


def remove_old(cutoffs: Cutoffs) -> RemovedTurns:
    """Removes turns, conversations of which none is left, opinions, and the traces of turns that stay."""
    removed: Counter[str] = Counter()
    for pks in _batches(Turn.objects.filter(_old_turns(cutoffs))):
        removed += _remove_turns(pks)
    left = Turn.objects.filter(conversation=OuterRef("pk"))
    for pks in _batches(_old_conversations(cutoffs, left)):
        removed += _rows(Conversation.objects.filter(pk__in=pks).delete())
    for pks in _batches(Feedback.objects.filter(_old_feedback(cutoffs))):
        removed += _rows(Feedback.objects.filter(pk__in=pks).delete())
    traces = sum(Turn.objects.filter(pk__in=pks).update(trace={}) for pks in _batches(_old_traces(cutoffs)))
    return _removed(removed, traces)


def count_of(owner: str) -> RemovedTurns:
    """What remove_of would remove now."""
    return RemovedTurns(
        conversations=Conversation.objects.filter(owner=owner).count(),
        turns=Turn.objects.filter(conversation__owner=owner).count(),
        feedback=Feedback.objects.filter(turn__conversation__owner=owner).count(),
    )


def remove_of(owner: str) -> RemovedTurns:
    """Removes all that an owner ever asked, whatever is to stay of others."""
    with transaction.atomic():
        return _removed(_rows(Conversation.objects.filter(owner=owner).delete()))


def asker_of(turn_id: UUID) -> str:
    """The owner of the conversation that a turn is in. Raises Turn.DoesNotExist."""
    return Turn.objects.select_related("conversation").get(pk=turn_id).conversation.owner


def _old_turns(cutoffs: Cutoffs) -> Q:
    if cutoffs.turns is None:
        return _NONE
    unjudged = Q(feedback=None)
    let_go = unjudged | Q(feedback__created_at__lt=cutoffs.feedback) if cutoffs.feedback else unjudged
    return Q(created_at__lt=cutoffs.turns) & let_go


def _old_conversations(cutoffs: Cutoffs, turns: QuerySet[Turn]) -> QuerySet[Conversation]:
    """Those without any of the turns; one that was begun just now is about to get its first."""
    if cutoffs.turns is None:
        return Conversation.objects.none()
    return Conversation.objects.filter(~Exists(turns), created_at__lt=cutoffs.turns)


def _old_feedback(cutoffs: Cutoffs) -> Q:
    return Q(created_at__lt=cutoffs.feedback) if cutoffs.feedback else _NONE


def _old_traces(cutoffs: Cutoffs) -> QuerySet[Turn]:
    if cutoffs.traces is None:
        return Turn.objects.none()
    return Turn.objects.filter(created_at__lt=cutoffs.traces).exclude(trace={})


def _batches(rows: QuerySet[Any]) -> Iterator[list[Any]]:
    """The keys of rows that go, until none is left."""
    while pks := list(rows.order_by("pk").values_list("pk", flat=True)[:_AT_ONCE]):
        yield pks


def _remove_turns(pks: Collection[UUID]) -> Counter[str]:
    """A title that was a question goes with the question."""
    turns = Turn.objects.filter(pk__in=pks)
    titles: dict[UUID, set[str]] = defaultdict(set)
    with transaction.atomic():
        for conversation_id, question in turns.values_list("conversation_id", "question"):
            titles[conversation_id].add(question[:TITLE_LENGTH])
        removed = _rows(turns.delete())
        for conversation in Conversation.objects.filter(pk__in=titles):
            if conversation.title in titles[conversation.pk]:
                _name_again(conversation)
    return removed


def _name_again(conversation: Conversation) -> None:
    first = conversation.turns.first()
    title = first.question[:TITLE_LENGTH] if first else ""
    Conversation.objects.filter(pk=conversation.pk).update(title=title)


def _rows(deleted: tuple[int, dict[str, int]]) -> Counter[str]:
    return Counter(deleted[1])


def _removed(rows: Counter[str], traces: int = 0) -> RemovedTurns:
    return RemovedTurns(rows["chat.Conversation"], rows["chat.Turn"], rows["chat.Feedback"], traces)
