"""Conversations and their turns, as they were answered."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models

from chat.domain import Decision
from monographs.models import Edition


class Conversation(models.Model):
    """A series of turns of one owner: a user, or an anonymous session."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.CharField("chủ", max_length=80)
    title = models.CharField("tiêu đề", max_length=200, blank=True)
    clarify_streak = models.PositiveSmallIntegerField("số lần hỏi lại liên tiếp", default=0)
    created_at = models.DateTimeField("tạo lúc", auto_now_add=True)
    updated_at = models.DateTimeField("cập nhật lúc", auto_now=True)

    class Meta:
        verbose_name = "cuộc hỏi"
        verbose_name_plural = "cuộc hỏi"
        ordering: ClassVar = ["-updated_at"]
        indexes: ClassVar = [models.Index(fields=["owner", "-updated_at"])]

    def __str__(self) -> str:
        return self.title or str(self.pk)


class TurnState(models.TextChoices):
    """The life of a turn; the last three are final."""

    PENDING = "pending", "đang chờ"
    RUNNING = "running", "đang trả lời"
    DONE = "done", "xong"
    CANCELLED = "cancelled", "đã huỷ"
    FAILED = "failed", "lỗi"


class Turn(models.Model):
    """One question, masked, and the contract it was answered with (schema_version 2, chat/contract.py).

    trace: what was considered and what the gates said (chat/trace.py), for audit only;
    rerun_of: the turn whose question this asks again; verbatim_drug, verbatim_section: the section that was chosen to
    be read, as drug_id and anchor, instead of a question.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="turns")
    question = models.TextField("câu hỏi (đã che dữ liệu cá nhân)")
    state = models.CharField("trạng thái", max_length=10, choices=TurnState, default=TurnState.PENDING)
    stage = models.CharField("bước", max_length=20, blank=True)
    decision = models.CharField("quyết định", max_length=12, choices=[(d, d) for d in Decision], blank=True)
    reason = models.CharField("lý do", max_length=60, blank=True)
    frame = models.JSONField("khung hiểu", default=dict, blank=True)
    contract = models.JSONField("câu trả lời", default=dict, blank=True)
    edition = models.ForeignKey(Edition, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    corpus_version = models.CharField("phiên bản dữ liệu", max_length=40, blank=True)
    timings = models.JSONField("thời gian (ms)", default=dict, blank=True)
    trace = models.JSONField("dấu vết", default=dict, blank=True)
    correlation_id = models.CharField(max_length=100, blank=True)
    lease_until = models.DateTimeField("giữ đến", null=True, blank=True)
    attempts = models.PositiveSmallIntegerField("số lần thử", default=0)
    rerun_of = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.SET_NULL, related_name="reruns", verbose_name="tra lại của"
    )
    verbatim_drug = models.CharField("đọc nguyên văn: thuốc", max_length=120, blank=True)
    verbatim_section = models.CharField("đọc nguyên văn: mục", max_length=60, blank=True)
    created_at = models.DateTimeField("hỏi lúc", auto_now_add=True)
    finished_at = models.DateTimeField("xong lúc", null=True, blank=True)

    class Meta:
        verbose_name = "lượt hỏi"
        verbose_name_plural = "lượt hỏi"
        ordering: ClassVar = ["created_at"]
        indexes: ClassVar = [
            models.Index(fields=["conversation", "created_at"]),
            models.Index(fields=["state", "created_at"]),
            models.Index(fields=["-created_at"]),
        ]

    def __str__(self) -> str:
        return self.question[:80]

    @property
    def is_final(self) -> bool:
        """Whether nothing will change any more."""
        return self.state in {TurnState.DONE, TurnState.CANCELLED, TurnState.FAILED}


class FeedbackReason(models.TextChoices):
    """What was wrong with an answer."""

    WRONG_DRUG = "wrong_drug", "Sai thuốc"
    WRONG_PATIENT = "wrong_patient", "Sai đối tượng hoặc liều"
    WRONG_SOURCE = "wrong_source", "Nguồn không nói như vậy"
    INCOMPLETE = "incomplete", "Thiếu nội dung sách có"
    REFUSED = "refused", "Sách có mà không trả lời"
    OTHER = "other", "Lý do khác"


class Feedback(models.Model):
    """What the asker thought of a turn; said again, it takes the place of what was said before, and is open again."""

    turn = models.OneToOneField(Turn, on_delete=models.CASCADE, related_name="feedback")
    useful = models.BooleanField("hữu ích")
    reason = models.CharField("lý do", max_length=20, choices=FeedbackReason, blank=True)
    comment = models.TextField("nhận xét", blank=True)
    created_at = models.DateTimeField("lúc", auto_now=True)
    handled_at = models.DateTimeField("xử lý lúc", null=True, blank=True)
    handled_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
        verbose_name="người xử lý",
    )
    handled_note = models.TextField("ghi chú xử lý", blank=True)

    class Meta:
        verbose_name = "phản hồi"
        verbose_name_plural = "phản hồi"
        ordering: ClassVar = ["-created_at"]
        permissions: ClassVar = [("handle_feedback", "Xử lý phản hồi")]
        indexes: ClassVar = [models.Index(fields=["-created_at"])]

    def __str__(self) -> str:
        return "hữu ích" if self.useful else "sai"


class ProviderBreaker(models.Model):
    """Whether a model is left alone for a while, for all processes (chat/llm/breaker.py).

    faults: of its provider in a row; opened_at: since when it is left alone; trial_until: whoever set this is trying
    it once more until then.
    """

    name = models.CharField("mô hình", max_length=200, primary_key=True)
    faults = models.PositiveIntegerField("số lỗi liên tiếp", default=0)
    opened_at = models.DateTimeField("ngắt từ", null=True, blank=True)
    trial_until = models.DateTimeField("đang thử lại đến", null=True, blank=True)

    class Meta:
        verbose_name = "cầu dao mô hình"
        verbose_name_plural = "cầu dao mô hình"

    def __str__(self) -> str:
        return self.name
