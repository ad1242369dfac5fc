"""What the site keeps of its own: tokens of the API, how much of each limit is used up, what was deleted and why."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.timezone import localtime


class ApiToken(models.Model):
    """A token by which a program is taken for a user. The token itself is told once and not kept.

    digest: SHA-256 of it, in hexadecimal; hint: its beginning, by which people know it again.
    """

    name = models.CharField("tên", max_length=80, help_text="Chương trình nào dùng mã này.")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens", verbose_name="tài khoản"
    )
    digest = models.CharField(max_length=64, unique=True, editable=False)
    hint = models.CharField("bắt đầu bằng", max_length=12, editable=False)
    created_at = models.DateTimeField("tạo lúc", auto_now_add=True)
    last_used_at = models.DateTimeField("dùng gần nhất", null=True, editable=False)
    revoked_at = models.DateTimeField("thu hồi lúc", null=True, editable=False)

    class Meta:
        verbose_name = "mã truy cập API"
        verbose_name_plural = "mã truy cập API"
        ordering: ClassVar = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.name} ({self.hint}…)"


class UsedRate(models.Model):
    """How far a client has used up a rate: until then, at that rate. A crash of the server may lose it."""

    key = models.CharField(max_length=120, primary_key=True)
    used_until = models.DateTimeField()

    class Meta:
        verbose_name = "hạn mức đã dùng"
        verbose_name_plural = "hạn mức đã dùng"
        # No index on used_until: an update that changes none needs no new entry in any.

    def __str__(self) -> str:
        return self.key


class Removal(models.Model):
    """That data was deleted for good: when, by whom, by which rule, and how much of each kind; never what it said."""

    removed_at = models.DateTimeField("lúc", auto_now_add=True)
    removed_by = models.CharField("người hoặc lệnh", max_length=150)
    rule = models.JSONField("quy tắc")
    counts = models.JSONField("số lượng")

    class Meta:
        verbose_name = "lần xoá dữ liệu"
        verbose_name_plural = "lần xoá dữ liệu"
        ordering: ClassVar = ["-removed_at"]

    def __str__(self) -> str:
        return f"{localtime(self.removed_at):%Y-%m-%d %H:%M} – {self.removed_by}"
