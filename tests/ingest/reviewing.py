"""Reviewers, and small parsed books whose passages lie where a test says."""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib.auth.models import Permission, User

from ingest.domain import Finding, FindingKind, ParsedBook, ParsedMonograph, ParsedPassage, ParsedSection
from ingest.publish import build_edition, publish_edition
from monographs.domain import Box, MonographKind, PassageKind, SectionKey
from monographs.models import Edition, Passage

PDF = "7c" * 32
PASSWORD = "mat-khau-thu-nghiem"


def make_reviewer(name: str = "lan", *, permission: str = "review_passages") -> User:
    """A member of staff with one permission of the ingest app; "" for none."""
    user = User.objects.create_user(name, password=PASSWORD, is_staff=True)
    if permission:
        user.user_permissions.add(Permission.objects.get(codename=permission, content_type__app_label="ingest"))
    return user


def doubtful(text: str, *, y: float = 100.0, page: int = 1, kind: PassageKind = PassageKind.TEXT) -> ParsedPassage:
    """A passage that the parser holds back."""
    box = Box(page, 50, y, 280, y + 12)
    doubt = Finding(FindingKind.SPLIT_NUMBER, page, box, text[:20])
    return ParsedPassage(text, kind, page, page + 100, (box,), findings=(doubt,))


def sure(text: str, *, y: float = 100.0, page: int = 1) -> ParsedPassage:
    """A passage that the parser serves."""
    return ParsedPassage(text, PassageKind.TEXT, page, page + 100, (Box(page, 50, y, 280, y + 12),))


def build(
    passages: Sequence[ParsedPassage],
    *,
    sha256: str = PDF,
    key: SectionKey = SectionKey.LIEU_DUNG,
    publish: bool = False,
    parser_version: str = "1",
) -> Edition:
    """An edition of one monograph with one section, built as every edition is."""
    section = ParsedSection(key, "Liều lượng và cách dùng", 1, 101, tuple(passages))
    monograph = ParsedMonograph("PARACETAMOL", MonographKind.DRUG, 1, 101, (section,))
    pages = range(1, 5)
    book = ParsedBook(
        monographs=(monograph,),
        page_map={page: page + 100 for page in pages},
        page_sizes=dict.fromkeys(pages, (595.0, 842.0)),
    )
    edition = Edition.objects.create(title="Dược thư thử", year=2026, sha256=sha256, parser_version=parser_version)
    build_edition(edition, book, on_progress=lambda _done, _total: None)
    if publish:
        publish_edition(edition)
    return edition


def passages_in(edition: Edition) -> list[Passage]:
    """The passages of an edition, in order."""
    return list(Passage.objects.filter(section__monograph__edition=edition).order_by("order"))


def only_passage(edition: Edition) -> Passage:
    """The one passage of an edition."""
    (passage,) = passages_in(edition)
    return passage
