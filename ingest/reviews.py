"""What a reviewer decides on a passage, and its undoing: one transaction each, in force for the very next answer."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from ingest.kept_reviews import PROTECTIVE, SETTLED, find_places, settle, standing_reviews
from ingest.models import Review
from ingest.review_claims import holder_of, release_passage
from ingest.tasks import index_edition_task
from monographs.corpus import BULK
from monographs.domain import PassageKind, PassageState
from monographs.models import Edition, EditionState, Passage
from monographs.passage_index import EMBEDDED_SECTIONS

REVIEWABLE = (EditionState.READY, EditionState.PUBLISHED, EditionState.SUPERSEDED)
REPLACED = "Thay bằng quyết định sau."
LONGEST_TEXT, LONGEST_REASON = 20_000, 2_000
# What nobody types and nobody sees: controls, joiners and turns of direction, private and half characters.
_UNSEEN = frozenset({"Cc", "Cf", "Co", "Cs"})


class Refusal(StrEnum):
    """Why a decision was not taken."""

    GONE = "gone"
    NOT_READABLE = "not_readable"
    HELD = "held"
    CHANGED = "changed"
    SAME = "same"
    NO_TEXT = "no_text"
    NOTHING_READ = "nothing_read"
    UNCHANGED_TEXT = "unchanged_text"
    UNSEEN_CHARACTER = "unseen_character"
    UNSAVED = "unsaved"
    TOO_LONG = "too_long"
    NO_REASON = "no_reason"
    UNDONE = "undone"


REFUSALS: dict[Refusal, str] = {
    Refusal.GONE: "Đoạn này không còn nữa. Hãy về hàng chờ và mở đoạn khác.",
    Refusal.NOT_READABLE: "Ấn bản của đoạn này đang dựng dở hoặc đã bị huỷ nên không duyệt được.",
    Refusal.HELD: "{name} đang duyệt đoạn này đến {time}. Hãy chọn đoạn khác.",
    Refusal.CHANGED: "Đoạn này đã thay đổi từ lúc bạn mở. Hãy xem lại rồi mới quyết định.",
    Refusal.SAME: "Đoạn này đã có đúng quyết định đó.",
    Refusal.NO_TEXT: "Chưa có bản sửa. Hãy gõ nguyên văn như trang in.",
    Refusal.NOTHING_READ: "Không trích được chữ nào từ đoạn này nên không duyệt nguyên văn được; hãy sửa hoặc loại.",
    Refusal.UNCHANGED_TEXT: "Bản sửa giống hệt chữ đang có. Nếu chữ đã đúng, hãy chọn duyệt.",
    Refusal.UNSEEN_CHARACTER: "Bản sửa có ký tự ẩn ({code}, vị trí {place}). Hãy xoá rồi gõ lại chỗ đó.",
    Refusal.UNSAVED: "Bạn đã sửa chữ trong ô nhưng lại chọn duyệt nguyên văn. Hãy lưu bản sửa, hoặc xoá phần đã sửa.",
    Refusal.TOO_LONG: "Bản sửa hoặc lý do quá dài.",
    Refusal.NO_REASON: "Cần ghi lý do khi loại hoặc giữ lại một đoạn.",
    Refusal.UNDONE: "{name} đã hoàn tác hoặc thay quyết định này lúc {time}.",
}


class ReviewError(Exception):
    """A decision that was not taken; the message, in Vietnamese, says why and what to do."""

    def __init__(self, refusal: Refusal, **details: object) -> None:
        super().__init__(REFUSALS[refusal].format(**details))
        self.refusal = refusal


@dataclass(frozen=True, slots=True)
class _Copies:
    """A passage's words in every edition of one PDF, all of them locked."""

    sha256: str
    uid: str
    passages: Sequence[Passage]


def fingerprint(passage: Passage) -> str:
    """What a reviewer saw of a passage; another as soon as its state or its words are."""
    seen = "\x1f".join((passage.state, passage.text, passage.corrected_text))
    return hashlib.sha256(seen.encode()).hexdigest()[:16]


def decide(
    passage_id: int,
    *,
    reviewer: User,
    decision: PassageState,
    corrected_text: str = "",
    reason: str = "",
    seen: str = "",
) -> Review:
    """Records a decision on a passage and puts it in force, in place of the one that stood.

    In force: in every edition of the same PDF that has the same words in the same section (a copy read by another
    version of the parser, published now, before or not yet), so that switching between them loses no decision. Another
    PDF is left alone. seen: fingerprint() of what the reviewer was shown; "" where it does not matter.
    Raises ReviewError.
    """
    with transaction.atomic():
        passage, copies = _lock_copies(passage_id)
        _refuse_held([passage], reviewer)
        if seen and seen != fingerprint(passage):
            raise ReviewError(Refusal.CHANGED)
        text = _checked_text(passage, decision, corrected_text)
        _check_reason(decision, reason)
        standing = standing_reviews(copies.sha256).filter(passage_uid=copies.uid)
        if standing.filter(decision=decision, corrected_text=text).exists():
            raise ReviewError(Refusal.SAME)
        now = timezone.now()
        standing.update(undone_at=now, undone_by=reviewer, undone_reason=REPLACED)
        review = _record(passage, copies.sha256, decision=decision, text=text)
        review.reviewer, review.reason, review.decided_at = reviewer, reason.strip(), now
        review.save()
        for copy in copies.passages:
            settle(copy, decision, text)
        _store(copies.passages)
        release_passage(passage.pk, reviewer)
    return review


def undo(review_id: int, *, reviewer: User, reason: str = "") -> Review:
    """Takes a standing decision back: the passage is again what it was before, and so is the decision it replaced.

    The decision stays in the history with who undid it, when and why. Raises ReviewError.
    """
    if len(reason) > LONGEST_REASON:
        raise ReviewError(Refusal.TOO_LONG)
    with transaction.atomic():
        known = Review.objects.filter(pk=review_id).values_list("sha256", "passage_uid").first()
        if known is None:
            raise ReviewError(Refusal.GONE)
        copies = _copies(*known)
        _refuse_held(copies.passages, reviewer)
        review = Review.objects.select_for_update(of=("self",)).select_related("undone_by").get(pk=review_id)
        if review.undone_at is not None:
            raise ReviewError(Refusal.UNDONE, name=review.undone_by, time=shown_time(review.undone_at))
        review.undone_at, review.undone_by, review.undone_reason = timezone.now(), reviewer, reason.strip()
        review.save(update_fields=["undone_at", "undone_by", "undone_reason"])
        before = _reinstate_replaced(review)
        for passage in copies.passages:
            if before is not None:
                settle(passage, PassageState(before.decision), before.corrected_text)
            else:
                settle(passage, _state_without_decision(passage, PassageState(review.state_before)))
        _store(copies.passages)
    return review


def shown_time(moment: datetime) -> str:
    """A moment as the staff pages write it."""
    return timezone.localtime(moment).strftime("%H:%M %d/%m/%Y")


def _lock_copies(passage_id: int) -> tuple[Passage, _Copies]:
    place = Passage.objects.filter(pk=passage_id).values_list("section__monograph__edition__sha256", "uid").first()
    if place is None:
        raise ReviewError(Refusal.GONE)
    copies = _copies(*place)
    passage = next((copy for copy in copies.passages if copy.pk == passage_id), None)
    if passage is None or passage.section.monograph.edition.state not in REVIEWABLE:
        raise ReviewError(Refusal.NOT_READABLE)
    return passage, copies


def _copies(sha256: str, uid: str) -> _Copies:
    """Editions before passages, each in one order: decisions on a PDF, and the end of its building, are one after
    another. An edition being built is among them, lest a decision fall between its passages and its end."""
    editions = Edition.objects.filter(sha256=sha256).exclude(state=EditionState.DISCARDED).order_by("pk")
    locked = list(editions.select_for_update(no_key=True).values_list("pk", flat=True))
    passages = (
        Passage.objects.filter(uid=uid, section__monograph__edition__in=locked)
        .select_related("section__monograph__edition")
        .select_for_update(of=("self",), no_key=True)
        .order_by("pk")
        .defer("tokens", *(f"section__monograph__edition__{name}" for name in BULK))
    )
    return _Copies(sha256, uid, list(passages))


def _refuse_held(passages: Iterable[Passage], reviewer: User) -> None:
    for passage in passages:
        claim = holder_of(passage.pk, apart_from=reviewer)
        if claim is not None:
            raise ReviewError(Refusal.HELD, name=claim.reviewer, time=shown_time(claim.until))


def _checked_text(passage: Passage, decision: PassageState, typed: str) -> str:
    """The correction as it is kept: composed, lines ended alike, nothing else touched; "" where none is made."""
    if decision is PassageState.SERVED and passage.kind == PassageKind.TEXT and not passage.text.strip():
        raise ReviewError(Refusal.NOTHING_READ)
    if decision is not PassageState.CORRECTED:
        return ""
    text = unicodedata.normalize("NFC", typed.replace("\r\n", "\n"))
    if not text.strip():
        raise ReviewError(Refusal.NO_TEXT)
    if len(text) > LONGEST_TEXT:
        raise ReviewError(Refusal.TOO_LONG)
    for place, character in enumerate(text, start=1):
        if character != "\n" and unicodedata.category(character) in _UNSEEN:
            raise ReviewError(Refusal.UNSEEN_CHARACTER, code=f"U+{ord(character):04X}", place=place)
    if text.strip() == unicodedata.normalize("NFC", passage.text).strip():
        raise ReviewError(Refusal.UNCHANGED_TEXT)
    return text


def _check_reason(decision: PassageState, reason: str) -> None:
    if decision in PROTECTIVE and not reason.strip():
        raise ReviewError(Refusal.NO_REASON)
    if len(reason) > LONGEST_REASON:
        raise ReviewError(Refusal.TOO_LONG)


def _record(passage: Passage, sha256: str, *, decision: PassageState, text: str) -> Review:
    """An unsaved decision with its place."""
    section = passage.section
    return Review(
        sha256=sha256,
        passage_uid=passage.uid,
        slug=section.monograph.slug,
        anchor=section.anchor,
        kind=passage.kind,
        pdf_page=passage.pdf_page,
        boxes=passage.boxes,
        original_text=passage.text,
        state_before=passage.state,
        decision=decision,
        corrected_text=text,
    )


def _reinstate_replaced(review: Review) -> Review | None:
    """The decision that this one replaced, standing again. That it was replaced is told by this one's own record."""
    replaced = Review.objects.filter(
        sha256=review.sha256, passage_uid=review.passage_uid, undone_at=review.decided_at, undone_reason=REPLACED
    ).first()
    if replaced is not None:
        replaced.undone_at, replaced.undone_by, replaced.undone_reason = None, None, ""
        replaced.save(update_fields=["undone_at", "undone_by", "undone_reason"])
    return replaced


def _state_without_decision(passage: Passage, before: PassageState) -> PassageState:
    """What a passage was before any decision. A copy that its own parser held back is held back again, and so is one
    at the place of a decision on other words."""
    doubted = passage.kind != PassageKind.TEXT or passage.findings.filter(quarantines=True).exists()
    if doubted or passage.pk in find_places(passage.section.monograph.edition).changed:
        return PassageState.QUARANTINED
    return before


def _store(passages: Sequence[Passage]) -> None:
    """Saves settled passages, and has the very next answer see them; their vectors follow."""
    Passage.objects.bulk_update(passages, SETTLED)
    editions = {passage.section.monograph.edition_id for passage in passages}
    Edition.objects.filter(pk__in=editions).update(revision=F("revision") + 1)
    if any(map(_is_searched_by_meaning, passages)):
        # A queue that is down costs the vectors some time, not the reviewer the decision.
        transaction.on_commit(index_edition_task.delay, robust=True)


def _is_searched_by_meaning(passage: Passage) -> bool:
    section = passage.section
    served = section.monograph.edition.state == EditionState.PUBLISHED
    return served and section.key in EMBEDDED_SECTIONS and passage.kind == PassageKind.TEXT
