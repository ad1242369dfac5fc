"""How the review pages name what a passage is and what is doubted of it."""

from __future__ import annotations

from django import template

from ingest.domain import FINDING_FACTS, FindingKind
from ingest.review_queue import KIND_TITLES
from monographs.domain import PassageKind, PassageState
from monographs.models import Passage
from monographs.reading import is_picture

register = template.Library()

PASSAGE_STATE_TITLES: dict[PassageState, str] = {
    PassageState.SERVED: "Hiện nguyên văn",
    PassageState.QUARANTINED: "Cách ly",
    PassageState.CORRECTED: "Hiện bản sửa",
    PassageState.REJECTED: "Đã loại",
}


@register.filter
def kind_title(kind: str) -> str:
    """A kind of passage in words."""
    return KIND_TITLES[PassageKind(kind)]


@register.filter
def state_title(passage: Passage) -> str:
    """What readers see of a passage now: approving a table still shows its picture."""
    if passage.shows_text and is_picture(passage):
        return "Đã duyệt, hiện ảnh trang in"
    return PASSAGE_STATE_TITLES[PassageState(passage.state)]


@register.filter
def doubt_titles(passage: Passage) -> list[str]:
    """The doubts that hold a passage back, each once; not that a table is one."""
    kinds = dict.fromkeys(finding.kind for finding in passage.findings.all() if finding.quarantines)
    return [FINDING_FACTS[FindingKind(kind)].title for kind in kinds if kind != passage.kind]


@register.filter
def shown_as_picture(passage: Passage) -> bool:
    """Whether readers see its picture."""
    return is_picture(passage)
