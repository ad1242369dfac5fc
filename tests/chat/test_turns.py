"""The life of a turn in the database."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.db import DatabaseError
from pytest_django.fixtures import Settings

from chat import turn_prior, turns
from chat.contract import Answer
from chat.domain import Decision, Reason
from chat.models import Conversation, Feedback, Turn, TurnState
from chat.tasks import answer_turn, dispatch_turn
from chat.turns import (
    cancel_turn,
    conversations_of,
    delete_conversation,
    find_conversations,
    give_feedback,
    rename_conversation,
    run_turn,
    start_rerun,
    start_turn,
    turns_of,
)
from tests.sample_edition import publish_sample

pytestmark = pytest.mark.django_db
OWNER = "anon:me"


def _asked(question: str, **more: object) -> tuple[Turn, Answer]:
    turn = dispatch_turn(start_turn(owner=OWNER, question=question, **more))  # type: ignore[arg-type]
    return turn, Answer.model_validate(turn.contract)


@pytest.mark.parametrize(
    "question",
    [
        "Liều paracetamol cho người lớn đường uống?",
        "lieu paracetamol cho nguoi lon duong uong",
        "liều Panadol người lớn uống",
    ],
)
def test_the_first_question_of_a_pharmacist(question: str) -> None:
    publish_sample()
    turn, answer = _asked(question)
    assert turn.state == TurnState.DONE and turn.decision == Decision.ANSWERABLE
    (claim,) = answer.claims
    assert claim.citations[0].labels == ("Người lớn", "Đường uống")
    assert all(words in claim.claim for words in ("0,5 - 1 g/lần", "4 - 6 giờ", "tối đa 4 g/ngày"))
    assert [block.kind for block in answer.blocks] == ["dosage"]
    assert answer.edition is not None and answer.edition.is_sample and "mẫu" in answer.disclaimer
    assert answer.trace_id == str(turn.pk)


def test_personal_data_is_masked_before_it_is_stored() -> None:
    turn = start_turn(owner=OWNER, question="BN Nguyễn Văn An 0912345678 liều paracetamol")
    stored = Turn.objects.get(pk=turn.pk)
    assert "An" not in stored.question and "0912345678" not in stored.question
    assert "0912345678" not in stored.conversation.title


def test_without_an_edition_the_reason_is_said() -> None:
    turn, answer = _asked("liều paracetamol")
    assert turn.reason == Reason.NO_EDITION and answer.edition is None and answer.disclaimer


def test_a_conversation_belongs_to_its_owner() -> None:
    turn = start_turn(owner=OWNER, question="liều paracetamol")
    with pytest.raises(Conversation.DoesNotExist):
        start_turn(owner="anon:other", question="x", conversation_id=turn.conversation_id)
    with pytest.raises(Conversation.DoesNotExist):
        turns_of("anon:other", turn.conversation_id)
    with pytest.raises(Conversation.DoesNotExist):
        rename_conversation("anon:other", turn.conversation_id, "x")
    with pytest.raises(Conversation.DoesNotExist):
        delete_conversation("anon:other", turn.conversation_id)
    with pytest.raises(Turn.DoesNotExist):
        cancel_turn("anon:other", turn.pk)
    with pytest.raises(Turn.DoesNotExist):
        start_rerun("anon:other", turn.pk)
    with pytest.raises(Turn.DoesNotExist):
        give_feedback("anon:other", turn.pk, useful=True)
    assert not conversations_of("anon:other").exists()
    assert find_conversations("anon:other", "paracetamol") == []
    (kept,) = conversations_of(OWNER)
    assert (kept.title, turns_of(OWNER, kept.pk)) == ("liều paracetamol", [turn])
    assert not Feedback.objects.exists()


@pytest.mark.parametrize(("provider", "stage"), [("disabled", ""), ("a model", "compose")])
def test_stages_are_kept_where_there_is_time_to_read_them(settings: Settings, provider: str, stage: str) -> None:
    settings.ANSWER_PROVIDER = provider
    publish_sample()
    turn = dispatch_turn(start_turn(owner=OWNER, question="chống chỉ định ibuprofen"))
    turn.refresh_from_db()
    assert (turn.state, turn.stage) == (TurnState.DONE, stage)


def test_a_reply_to_a_question_back_goes_on_with_the_case() -> None:
    publish_sample()
    first, asked = _asked("liều paracetamol người lớn")
    assert first.decision == Decision.CLARIFY and "Đường trực tràng" in asked.quick_replies
    second, answer = _asked("Đường trực tràng", conversation_id=first.conversation_id)
    assert second.decision == Decision.ANSWERABLE
    assert {claim.citations[0].labels for claim in answer.claims} == {("Người lớn", "Đường trực tràng")}


def test_another_drug_inherits_nothing() -> None:
    publish_sample()
    first, _ = _asked("liều paracetamol người lớn đường uống")
    second, answer = _asked("còn warfarin?", conversation_id=first.conversation_id)
    assert {drug.drug_id for drug in answer.resolved_drugs} == {"warfarin"}
    assert second.reason == Reason.NEEDS_SECTION


def test_asking_back_again_and_again_is_broken_by_showing_everything() -> None:
    publish_sample()
    turn, _ = _asked("liều paracetamol")
    conversation = turn.conversation_id
    for _ in range(2):
        turn, _ = _asked("liều paracetamol", conversation_id=conversation)
        assert turn.decision == Decision.CLARIFY
    turn, answer = _asked("liều paracetamol", conversation_id=conversation)
    assert turn.decision == Decision.ANSWERABLE and len(answer.claims) > 5
    assert Conversation.objects.get(pk=conversation).clarify_streak == 0


def test_a_turn_is_answered_once_even_when_it_is_delivered_twice() -> None:
    publish_sample()
    turn = start_turn(owner=OWNER, question="chống chỉ định paracetamol")
    answer_turn(str(turn.pk))
    first = Turn.objects.get(pk=turn.pk)
    answer_turn(str(turn.pk))
    assert Turn.objects.get(pk=turn.pk).finished_at == first.finished_at
    answer_turn(str(uuid4()))


def test_a_cancelled_turn_stays_cancelled() -> None:
    turn = start_turn(owner=OWNER, question="liều paracetamol")
    cancel_turn(OWNER, turn.pk)
    assert run_turn(turn).state == TurnState.CANCELLED


def test_a_fault_of_the_history_never_loses_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    publish_sample()

    def broken(_values: dict[str, object]) -> None:
        raise DatabaseError("history")

    first, _ = _asked("liều paracetamol người lớn")
    monkeypatch.setattr(turn_prior, "load_frame", broken)
    second, _ = _asked("chống chỉ định paracetamol", conversation_id=first.conversation_id)
    assert second.decision == Decision.ANSWERABLE


def test_an_unforeseen_fault_is_told_and_the_question_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    publish_sample()

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr(turns, "answer_question", broken)
    turn, answer = _asked("liều paracetamol")
    assert turn.state == TurnState.FAILED and turn.question == "liều paracetamol"
    assert answer.reason is Reason.INTERNAL_ERROR and "boom" not in turn.contract["message"]
