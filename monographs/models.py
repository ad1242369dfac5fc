"""The published book: edition, monograph, section, passage, alias."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models import Q
from pgvector.django import VectorField

from monographs.domain import AliasKind, Box, MonographKind, PassageKind, PassageState, SectionKey


class EditionState(models.TextChoices):
    """Only a published edition answers; a superseded one keeps its pages for old citations."""

    BUILDING = "building", "đang dựng"
    READY = "ready", "sẵn sàng"
    PUBLISHED = "published", "đang phục vụ"
    SUPERSEDED = "superseded", "đã thay thế"
    DISCARDED = "discarded", "đã huỷ"


class Edition(models.Model):
    """One PDF of the formulary, parsed once by one version of the parser."""

    title = models.CharField("tên", max_length=200)
    year = models.PositiveSmallIntegerField("năm")
    is_sample = models.BooleanField("bản mẫu", default=False)
    sha256 = models.CharField("SHA-256", max_length=64)
    parser_version = models.CharField("phiên bản bộ đọc", max_length=100)
    page_map = models.JSONField("trang PDF → trang in", default=dict)
    page_sizes = models.JSONField("cỡ trang", default=dict)
    vocabulary = models.TextField("từ vựng (bỏ dấu)", blank=True)
    accents = models.TextField("mô hình thêm dấu", blank=True)
    state = models.CharField("trạng thái", max_length=12, choices=EditionState, default=EditionState.BUILDING)
    revision = models.PositiveIntegerField("lần sửa", default=0)
    created_at = models.DateTimeField("tạo lúc", auto_now_add=True)
    published_at = models.DateTimeField("công bố lúc", null=True, blank=True)

    class Meta:
        verbose_name = "ấn bản"
        verbose_name_plural = "ấn bản"
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["state"], condition=Q(state=EditionState.PUBLISHED), name="one_published_edition"
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["sha256", "parser_version"])]

    def __str__(self) -> str:
        return self.title

    @property
    def corpus_version(self) -> str:
        """Changes whenever anything an answer could quote changes; indexes and caches are keyed by it."""
        return f"{self.pk}.{self.revision}"

    @property
    def is_readable(self) -> bool:
        """Whether its pages may be opened: published now, or published once and cited since."""
        return self.state in {EditionState.PUBLISHED, EditionState.SUPERSEDED}


class Monograph(models.Model):
    """A drug, or a general chapter or an appendix, of one edition."""

    edition = models.ForeignKey(Edition, on_delete=models.CASCADE, related_name="monographs")
    slug = models.CharField("mã", max_length=120)
    kind = models.CharField("loại", max_length=10, choices=[(k, k) for k in MonographKind], default=MonographKind.DRUG)
    title = models.CharField("tên in", max_length=300)
    name = models.CharField("tên", max_length=300)
    subtitle = models.CharField("phân biệt", max_length=300, blank=True)
    inn = models.CharField("tên chung quốc tế", max_length=500, blank=True)
    atc_codes = ArrayField(models.CharField(max_length=12), verbose_name="mã ATC", default=list, blank=True)
    drug_class = models.TextField("loại thuốc", blank=True)
    order = models.PositiveIntegerField("thứ tự")
    sort_key = models.CharField(max_length=620)
    pdf_page = models.PositiveIntegerField("trang PDF")
    printed_page = models.PositiveIntegerField("trang in", null=True)

    class Meta:
        verbose_name = "chuyên luận"
        verbose_name_plural = "chuyên luận"
        ordering: ClassVar = ["edition", "order"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["edition", "slug"], name="monograph_slug_once_per_edition"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["edition", "kind", "sort_key"]),
            GinIndex(fields=["atc_codes"], name="monograph_atc_gin"),
        ]

    def __str__(self) -> str:
        return self.display_name

    @property
    def display_name(self) -> str:
        """The name, with what tells it apart from its namesake."""
        return f"{self.name} ({self.subtitle})" if self.subtitle else self.name


class Section(models.Model):
    """A section under the heading the book prints."""

    monograph = models.ForeignKey(Monograph, on_delete=models.CASCADE, related_name="sections")
    key = models.CharField("mục", max_length=24, choices=[(k, k) for k in SectionKey], blank=True)
    heading = models.CharField("tiêu đề in", max_length=300)
    anchor = models.CharField("neo", max_length=60)
    order = models.PositiveIntegerField("thứ tự")
    pdf_page = models.PositiveIntegerField("trang PDF")
    printed_page = models.PositiveIntegerField("trang in", null=True)

    class Meta:
        verbose_name = "mục"
        verbose_name_plural = "mục"
        ordering: ClassVar = ["monograph", "order"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["monograph", "order"], name="section_order_once"),
            models.UniqueConstraint(fields=["monograph", "anchor"], name="section_anchor_once"),
        ]
        indexes: ClassVar = [models.Index(fields=["key"])]

    def __str__(self) -> str:
        return self.heading


class Passage(models.Model):
    """The smallest unit worth citing.

    uid: stable over a re-ingest of the same edition while content and place stay the same; boxes: a list of
    [pdf_page, x0, y0, x1, y1] in PDF points, origin top left; tokens, text_hash: what it is found by, "" where it is
    still to be indexed.
    """

    section = models.ForeignKey(Section, on_delete=models.CASCADE, related_name="passages")
    uid = models.CharField(max_length=64)
    order = models.PositiveIntegerField("thứ tự")
    kind = models.CharField("loại", max_length=10, choices=[(k, k) for k in PassageKind], default=PassageKind.TEXT)
    state = models.CharField(
        "trạng thái", max_length=12, choices=[(s, s) for s in PassageState], default=PassageState.SERVED
    )
    text = models.TextField("nguyên văn")
    corrected_text = models.TextField("bản sửa", blank=True)
    labels = ArrayField(models.TextField(), verbose_name="nhãn", default=list, blank=True)
    starts_paragraph = models.BooleanField(default=True)
    pdf_page = models.PositiveIntegerField("trang PDF")
    printed_page = models.PositiveIntegerField("trang in", null=True)
    printed_page_last = models.PositiveIntegerField("trang in cuối", null=True)
    boxes = models.JSONField("khung", default=list)
    tokens = SearchVectorField("từ để tìm", null=True, editable=False)
    text_hash = models.CharField(max_length=32, blank=True, editable=False)

    class Meta:
        verbose_name = "đoạn"
        verbose_name_plural = "đoạn"
        ordering: ClassVar = ["section", "order"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["section", "order"], name="passage_order_once"),
            models.UniqueConstraint(fields=["section", "uid"], name="passage_uid_once"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["uid"]),
            models.Index(fields=["state"]),
            models.Index(fields=["text_hash"], condition=Q(text_hash=""), name="passage_to_index"),
        ]

    def __str__(self) -> str:
        return self.text[:80]

    @property
    def shown_text(self) -> str:
        """What may be quoted: the extracted text, or the reviewer's correction of it."""
        return self.corrected_text if self.state == PassageState.CORRECTED else self.text

    @property
    def shows_text(self) -> bool:
        """Whether the text may be shown at all; otherwise only the crop."""
        return PassageState(self.state).shows_text

    @property
    def regions(self) -> list[Box]:
        """The boxes as values."""
        return [Box.from_list(values) for values in self.boxes]


class Embedding(models.Model):
    """The vector of a text in one vector space; passages of equal text share it, in every edition.

    No dimension is fixed: spaces differ in theirs, and only vectors of one space are ever compared.
    """

    text_hash = models.CharField(max_length=32)
    space = models.CharField("không gian", max_length=80)
    vector = VectorField()

    class Meta:
        verbose_name = "vectơ"
        verbose_name_plural = "vectơ"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["text_hash", "space"], name="embedding_once_per_space"),
        ]

    def __str__(self) -> str:
        return f"{self.space}:{self.text_hash}"


class Alias(models.Model):
    """A name under which a monograph is asked for, with the page that prints it."""

    edition = models.ForeignKey(Edition, on_delete=models.CASCADE, related_name="aliases")
    monograph = models.ForeignKey(Monograph, on_delete=models.CASCADE, related_name="aliases")
    text = models.CharField("tên gọi", max_length=300)
    folded = models.CharField(max_length=300)
    kind = models.CharField("nguồn", max_length=12, choices=[(k, k) for k in AliasKind])
    pdf_page = models.PositiveIntegerField("trang PDF", null=True)
    printed_page = models.PositiveIntegerField("trang in", null=True)

    class Meta:
        verbose_name = "tên gọi"
        verbose_name_plural = "tên gọi"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["monograph", "text", "kind"], name="alias_once_per_source"),
        ]
        indexes: ClassVar = [models.Index(fields=["edition", "folded"])]

    def __str__(self) -> str:
        return self.text
