"""Ingest runs, the doubts they raised and what reviewers decided."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from ingest.domain import FINDING_FACTS, FindingKind
from monographs.domain import PassageKind, PassageState
from monographs.models import Edition, Passage


class RunState(models.TextChoices):
    """The states of a run; the last four are final. A built one waits for someone to publish it or throw it away."""

    QUEUED = "queued", "đang chờ"
    RUNNING = "running", "đang chạy"
    BUILT = "built", "đã dựng, chờ công bố"
    PUBLISHING = "publishing", "đang công bố"
    PUBLISHED = "published", "đã công bố"
    FAILED = "failed", "thất bại"
    CANCELLED = "cancelled", "đã huỷ"
    DISCARDED = "discarded", "đã bỏ"


class IngestRun(models.Model):
    """One attempt to turn a PDF into an edition."""

    file_name = models.CharField("tệp", max_length=255)
    sha256 = models.CharField("SHA-256", max_length=64)
    parser_version = models.CharField("phiên bản bộ đọc", max_length=100, blank=True)
    title = models.CharField("tên ấn bản", max_length=200)
    year = models.PositiveSmallIntegerField("năm")
    is_sample = models.BooleanField("bản mẫu", default=False)
    auto_publish = models.BooleanField("công bố ngay khi dựng xong", default=True)
    state = models.CharField("trạng thái", max_length=12, choices=RunState, default=RunState.QUEUED)
    cancel_requested = models.BooleanField("đã yêu cầu huỷ", default=False)
    attempts = models.PositiveSmallIntegerField("số lần thử", default=0)
    lease_until = models.DateTimeField("giữ đến", null=True, blank=True)
    heartbeat_at = models.DateTimeField("nhịp gần nhất", null=True, blank=True)
    stage = models.CharField("giai đoạn", max_length=40, blank=True)
    progress = models.JSONField("tiến độ", default=dict, blank=True)
    timings = models.JSONField("thời gian", default=dict, blank=True)
    counts = models.JSONField("số lượng", default=dict, blank=True)
    error_code = models.CharField("mã lỗi", max_length=60, blank=True)
    error = models.TextField("lỗi", blank=True)
    edition = models.ForeignKey(Edition, null=True, blank=True, on_delete=models.SET_NULL, related_name="runs")
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField("tạo lúc", auto_now_add=True)
    finished_at = models.DateTimeField("xong lúc", null=True, blank=True)

    class Meta:
        verbose_name = "lượt nạp"
        verbose_name_plural = "lượt nạp"
        ordering: ClassVar = ["-created_at"]
        permissions: ClassVar = [("operate_runs", "Nạp, huỷ, công bố, chuyển và trả lại ấn bản")]

    def __str__(self) -> str:
        return f"{self.title} – {self.get_state_display()}"

    @property
    def is_final(self) -> bool:
        """Whether nothing will change any more."""
        return self.state in {RunState.PUBLISHED, RunState.FAILED, RunState.CANCELLED, RunState.DISCARDED}

    @property
    def is_settled(self) -> bool:
        """Whether no worker has anything more to do for it."""
        return self.is_final or self.state == RunState.BUILT


class Finding(models.Model):
    """A doubt of the parser, with its place; box is [pdf_page, x0, y0, x1, y1] or null."""

    edition = models.ForeignKey(Edition, on_delete=models.CASCADE, related_name="findings")
    passage = models.ForeignKey(Passage, null=True, blank=True, on_delete=models.CASCADE, related_name="findings")
    kind = models.CharField("loại", max_length=32, choices=[(k, FINDING_FACTS[k].title) for k in FindingKind])
    quarantines = models.BooleanField("cách ly")
    pdf_page = models.PositiveIntegerField("trang PDF")
    box = models.JSONField("khung", null=True, blank=True)
    detail = models.TextField("chi tiết", blank=True)

    class Meta:
        verbose_name = "ghi nhận"
        verbose_name_plural = "ghi nhận"
        indexes: ClassVar = [models.Index(fields=["edition", "kind"])]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} – tr. PDF {self.pdf_page}"


class Review(models.Model):
    """A reviewer's decision on a passage, keyed by content and place so that a re-ingest keeps it.

    slug, anchor, kind, pdf_page, boxes: where the passage stood, by which one whose words changed is known again;
    state_before: what undoing goes back to. Of a passage's decisions at most one is not undone.
    """

    sha256 = models.CharField("SHA-256 của PDF", max_length=64)
    passage_uid = models.CharField(max_length=64)
    slug = models.CharField("mã chuyên luận", max_length=120)
    anchor = models.CharField("neo của mục", max_length=60)
    kind = models.CharField("loại", max_length=10, choices=[(k, k) for k in PassageKind])
    pdf_page = models.PositiveIntegerField("trang PDF")
    boxes = models.JSONField("khung", default=list)
    original_text = models.TextField("nguyên văn lúc duyệt")
    state_before = models.CharField(
        "trạng thái trước", max_length=12, choices=[(s, s) for s in PassageState], default=PassageState.QUARANTINED
    )
    decision = models.CharField(
        "quyết định",
        max_length=12,
        choices=[
            (PassageState.SERVED, "duyệt"),
            (PassageState.CORRECTED, "sửa"),
            (PassageState.REJECTED, "loại"),
            (PassageState.QUARANTINED, "giữ lại"),
        ],
    )
    corrected_text = models.TextField("bản sửa", blank=True)
    reason = models.TextField("lý do", blank=True)
    reviewer = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    decided_at = models.DateTimeField("lúc", default=timezone.now)
    undone_at = models.DateTimeField("hoàn tác lúc", null=True, blank=True)
    undone_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    undone_reason = models.TextField("lý do hoàn tác", blank=True)

    class Meta:
        verbose_name = "duyệt"
        verbose_name_plural = "duyệt"
        ordering: ClassVar = ["-decided_at"]
        permissions: ClassVar = [("review_passages", "Duyệt, sửa, loại và giữ lại đoạn")]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["sha256", "passage_uid"], condition=Q(undone_at=None), name="one_decision_per_passage"
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["sha256", "slug", "anchor"])]

    def __str__(self) -> str:
        return f"{self.get_decision_display()} – {self.passage_uid[:12]}"


class ReviewClaim(models.Model):
    """Who is looking at a passage, and until when nobody else is given it."""

    passage = models.OneToOneField(Passage, on_delete=models.CASCADE, related_name="claim")
    reviewer = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    until = models.DateTimeField("giữ đến")

    class Meta:
        verbose_name = "đang duyệt"
        verbose_name_plural = "đang duyệt"

    def __str__(self) -> str:
        return f"{self.passage_id} – {self.reviewer}"


class WorkerHeartbeat(models.Model):
    """When each worker process was last alive: health is a row, since the queue cannot be asked."""

    name = models.CharField("tên", max_length=200, unique=True)
    seen_at = models.DateTimeField("thấy lúc", default=timezone.now)

    class Meta:
        verbose_name = "nhịp tiến trình"
        verbose_name_plural = "nhịp tiến trình"

    def __str__(self) -> str:
        return self.name
