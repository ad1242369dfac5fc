"""What keeps a built edition from being published by itself: a book that may have lost pages is looked at first."""

from __future__ import annotations

from ingest.domain import FindingKind
from ingest.models import Finding
from monographs.corpus import current_edition
from monographs.domain import MonographKind
from monographs.models import Edition, Monograph

# Of the drugs that are served: a new edition of the same book has more of them, hardly ever fewer.
LEAST_SHARE = 0.9


def why_look_first(edition: Edition) -> str:
    """Why an operator should see a built edition before readers do, as a sentence; "" where nothing speaks against it.

    The sample and the book are never measured by one another.
    """
    lost = Finding.objects.filter(edition=edition, kind=FindingKind.UNREADABLE_PAGE).count()
    if lost:
        return f"Tệp có {lost} trang không đọc được. Hãy xem các ghi nhận rồi hãy công bố."
    served = current_edition()
    if served is None or served.is_sample != edition.is_sample:
        return ""
    before, now = _drugs(served), _drugs(edition)
    if now < LEAST_SHARE * before:
        return f"Tệp chỉ có {now} chuyên luận thuốc, ấn bản đang phục vụ có {before}. Hãy so sánh rồi hãy công bố."
    return ""


def _drugs(edition: Edition) -> int:
    return Monograph.objects.filter(edition=edition, kind=MonographKind.DRUG).count()
