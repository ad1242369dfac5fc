"""The asker's own history: conversations with their turns, given another title, deleted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated
from uuid import UUID

from django.db.models import QuerySet
from django.http import HttpRequest
from ninja import Query, Router, Status

from chat.api.bodies import (
    ConversationOut,
    ConversationsOut,
    ConversationTurnsOut,
    Count,
    FewCount,
    Offset,
    TitleIn,
    Words,
)
from chat.api.refusals import refused_field
from chat.api.shown import show_conversation, show_turn
from chat.compose import edition_ref, notice_of
from chat.forms import RenameForm
from chat.models import Conversation
from chat.ownership import known_owner, owner_of
from chat.pages import owned_conversation
from chat.turn_sweep import end_overdue
from chat.turns import conversations_of, delete_conversation, find_conversations, rename_conversation
from monographs.corpus import current_edition

router = Router(tags=["Lịch sử"])
ONE = "conversations/{uuid:conversation_id}"


@router.get("conversations", response=ConversationsOut, operation_id="conversations", url_name="conversations")
def conversations(
    request: HttpRequest, q: Annotated[Words | None, Query()] = None, limit: Count = 20, offset: Offset = 0
) -> ConversationsOut:
    """Các cuộc hỏi của chính người gọi, mới nhất trước; q tìm trong tên và câu hỏi, không phân biệt dấu."""
    owner = known_owner(request)
    found: Sequence[Conversation] | QuerySet[Conversation] = Conversation.objects.none()
    if owner:
        found = find_conversations(owner, q) if q else conversations_of(owner)
    served = current_edition()
    return ConversationsOut(
        conversations=tuple(map(show_conversation, found[offset : offset + limit])),
        total=found.count() if isinstance(found, QuerySet) else len(found),
        disclaimer=notice_of(served),
        edition=edition_ref(served),
    )


@router.get(ONE, response=ConversationTurnsOut, operation_id="conversation", url_name="conversation")
def conversation(
    request: HttpRequest, conversation_id: UUID, limit: FewCount = 20, offset: Offset = 0
) -> ConversationTurnsOut:
    """Một cuộc hỏi với các lượt theo thứ tự; mỗi câu trả lời giữ nguyên như lúc trả lời."""
    found = owned_conversation(request, conversation_id)
    turns = found.turns.select_related("feedback")
    shown = list(turns[offset : offset + limit])
    for turn in shown:
        end_overdue(turn)
    served = current_edition()
    return ConversationTurnsOut(
        conversation=show_conversation(found),
        turns=tuple(show_turn(turn, served) for turn in shown),
        total=turns.count(),
        disclaimer=notice_of(served),
        edition=edition_ref(served),
    )


@router.patch(ONE, response=ConversationOut, operation_id="renameConversation")
def rename(request: HttpRequest, conversation_id: UUID, body: TitleIn) -> ConversationOut:
    """Đổi tên một cuộc hỏi; dữ liệu cá nhân trong tên được che."""
    found = owned_conversation(request, conversation_id)
    form = RenameForm({"title": body.title})
    if not form.is_valid():
        raise refused_field("body.title", str(form.errors["title"][0]))
    rename_conversation(owner_of(request), found.pk, form.cleaned_data["title"])
    return show_conversation(owned_conversation(request, conversation_id))


@router.delete(ONE, response={204: None}, operation_id="deleteConversation")
def delete(request: HttpRequest, conversation_id: UUID) -> Status[None]:
    """Xoá hẳn một cuộc hỏi với mọi lượt của nó."""
    owned_conversation(request, conversation_id)
    delete_conversation(owner_of(request), conversation_id)
    return Status(204, None)
