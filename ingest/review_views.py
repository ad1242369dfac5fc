"""The staff pages of the quarantine review: the queue, one passage, and what is done to it. Reviewers only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import cast
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.models import User
from django.core.paginator import Paginator
from django.db.models import Prefetch
from django.http import HttpRequest, HttpResponse, HttpResponseBase, QueryDict, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.cache import patch_cache_control
from django.utils.dateparse import parse_datetime
from django.views.decorators.http import require_POST, require_safe

from ingest.domain import FINDING_FACTS, FindingKind
from ingest.kept_reviews import Places
from ingest.models import Finding, ReviewClaim
from ingest.review_claims import claim_passage, release_passage
from ingest.review_export import FORMATS, all_reviews
from ingest.review_items import decisions_of_today, find_passage, last_decision, read_item
from ingest.review_queue import SECTION_TITLES, Queue, QueueFilter, QueueState, reviewable_editions
from ingest.reviews import REFUSALS, Refusal, ReviewError, decide, undo
from ingest.staff_pages import staff_page, staff_view
from monographs.crops import CropError, Region, crop_png, regions_of, whole_page
from monographs.domain import PassageKind, PassageState
from monographs.htmx import NotShown
from monographs.models import Edition, Passage

PERMISSION = "ingest.review_passages"
QUEUE_PAGE, QUEUE_TITLE = "admin/ingest/review_queue.html", "Duyệt đoạn bị cách ly"
PER_PAGE = 50
MOST_SEARCHED = 100
NO_EDITION = "Chưa có ấn bản nào để duyệt. Hãy nạp một tệp PDF trước."
NO_PICTURE = "Không có ảnh cho trang được yêu cầu."
NOTHING_LEFT = "Không còn đoạn nào trống theo bộ lọc này."
CONTENT_TYPES = {"csv": "text/csv; charset=utf-8", "jsonl": "application/x-ndjson; charset=utf-8"}
_CONFLICTS = frozenset({Refusal.HELD, Refusal.CHANGED, Refusal.SAME, Refusal.UNDONE})


def review_urls() -> list[URLPattern]:
    """The addresses below /admin/ingest/review/; every one of them is for reviewers only."""
    pages: tuple[tuple[str, Callable[..., HttpResponseBase], str], ...] = (
        ("queue/", show_queue, "queue"),
        ("next/", open_next, "next"),
        ("passage/<int:passage_id>/", show_item, "item"),
        ("passage/<int:passage_id>/crop.png", show_crop, "crop"),
        ("passage/<int:passage_id>/decide/", decide_item, "decide"),
        ("passage/<int:passage_id>/claim/", claim_item, "claim"),
        ("passage/<int:passage_id>/release/", release_item, "release"),
        ("<int:review_id>/undo/", undo_review, "undo"),
        ("export.<str:form>", export_reviews, "export"),
    )
    return [path(route, staff_view(view, PERMISSION), name=f"ingest_review_{name}") for route, view, name in pages]


@require_safe
def show_queue(request: HttpRequest) -> HttpResponse:
    """The passages to review, with filters and counts."""
    editions = reviewable_editions()
    if not editions:
        return staff_page(request, QUEUE_PAGE, QUEUE_TITLE, {"empty": NO_EDITION})
    queue = _queue(request, editions)
    found = queue.passages().select_related("section__monograph", "claim__reviewer").defer("tokens")
    with_findings = found.prefetch_related(Prefetch("findings", Finding.objects.filter(quarantines=True)))
    listed = Paginator(with_findings, PER_PAGE).get_page(request.GET.get("page"))
    for passage in listed:
        passage.earlier = queue.places.changed.get(passage.pk)  # type: ignore[attr-defined]
    context = {
        "editions": editions,
        "queue": queue,
        "facets": queue.facets(),
        "listed": listed,
        "lost": queue.places.lost,
        "now": timezone.now(),
        "last": last_decision(_reviewer(request), queue.edition),
        "query": _query(queue),
    }
    return staff_page(request, QUEUE_PAGE, QUEUE_TITLE, context)


@require_POST
def open_next(request: HttpRequest) -> HttpResponse:
    """Takes the next passage of the queue that is free, from the one that is left on; back=1: the one before."""
    queue = _queue(request)
    left = _number(request.POST, "left")
    return _go_on(request, queue, left, backwards=bool(request.POST.get("back")))


@require_safe
def show_item(request: HttpRequest, passage_id: int) -> HttpResponse:
    """A passage with everything that is needed to decide on it; read only where somebody else holds it."""
    return _show(request, _passage(passage_id))


@require_safe
def show_crop(request: HttpRequest, passage_id: int) -> HttpResponse:
    """PNG of a region of the passage, or of its whole page; of editions that are not published yet, too."""
    passage = _passage(passage_id)
    edition = passage.section.monograph.edition
    region = _region(request, passage, edition)
    if region is None:
        raise NotShown(NO_PICTURE)
    try:
        response = HttpResponse(crop_png(edition.sha256, region), content_type="image/png")
    except CropError as error:
        raise NotShown(NO_PICTURE) from error
    patch_cache_control(response, private=True, max_age=3600)
    return response


@require_POST
def decide_item(request: HttpRequest, passage_id: int) -> HttpResponse:
    """Decides, and opens the next passage; a decision that is refused comes back with what was typed."""
    passage = _passage(passage_id)
    typed = {name: request.POST.get(name, "") for name in ("corrected_text", "reason", "begun")}
    decision = _decision(request)
    try:
        if decision is PassageState.SERVED and _lines(typed["corrected_text"]) != _lines(typed["begun"]):
            raise ReviewError(Refusal.UNSAVED)
        decide(
            passage_id,
            reviewer=_reviewer(request),
            decision=decision,
            corrected_text=typed["corrected_text"],
            reason=typed["reason"],
            seen=request.POST.get("seen", ""),
        )
    except ReviewError as refused:
        return _show(request, _passage(passage_id), refused=refused, typed=typed)
    return _go_on(request, _queue(request), passage.pk)


@require_POST
def undo_review(request: HttpRequest, review_id: int) -> HttpResponse:
    """Takes a decision back and opens its passage."""
    queue = _queue(request)
    try:
        review = undo(review_id, reviewer=_reviewer(request), reason=request.POST.get("reason", ""))
    except ReviewError as refused:
        messages.error(request, str(refused))
        back = _number(request.POST, "left")
        return redirect(_item_url(back, queue) if back else _queue_url(queue))
    messages.success(request, f"Đã hoàn tác: {review.get_decision_display()}.")
    passage = queue.passages(QueueFilter(state=QueueState.ALL)).filter(uid=review.passage_uid).first()
    return redirect(_item_url(passage.pk, queue) if passage else _queue_url(queue))


@require_POST
def claim_item(request: HttpRequest, passage_id: int) -> HttpResponse:
    """Takes or renews a passage, as its page does while it is open; a fragment that says who holds it."""
    claim = claim_passage(passage_id, _reviewer(request))
    if claim is None:
        raise NotShown(REFUSALS[Refusal.GONE])
    return render(request, "admin/ingest/_review_claim.html", {"claim": claim, "reviewer": request.user})


@require_POST
def release_item(request: HttpRequest, passage_id: int) -> HttpResponse:
    """Gives a passage up when its page is left; until: of the claim that the page had, lest a newer one be lost."""
    until = parse_datetime(request.POST.get("until", ""))
    if until is not None:
        release_passage(passage_id, _reviewer(request), until=until)
    return HttpResponse(status=204)


@require_safe
def export_reviews(request: HttpRequest, form: str) -> StreamingHttpResponse:
    """Every decision as a file."""
    if form not in FORMATS:
        raise NotShown("Không có dạng tệp này.")
    response = StreamingHttpResponse(FORMATS[form](all_reviews()), content_type=CONTENT_TYPES[form])
    response.headers["Content-Disposition"] = f'attachment; filename="duyet-{timezone.localdate()}.{form}"'
    return response


def _show(
    request: HttpRequest,
    passage: Passage,
    *,
    refused: ReviewError | None = None,
    typed: dict[str, str] | None = None,
) -> HttpResponse:
    queue = _queue(request, of=passage.section.monograph.edition)
    reviewer = _reviewer(request)
    places = queue.places if passage.state == PassageState.QUARANTINED else Places()
    item = read_item(passage, places, reviewer)
    findings = [(finding, FINDING_FACTS[FindingKind(finding.kind)]) for finding in item.findings]
    context = {
        "item": item,
        "findings": findings,
        "mine": ReviewClaim.objects.filter(passage=passage, reviewer=reviewer, until__gt=timezone.now()).first(),
        "typed": typed
        or {
            "corrected_text": item.starting_text,
            "begun": item.starting_text,
            "reason": item.starting_reason,
        },
        "refused": refused,
        "left": queue.count(),
        "done_today": decisions_of_today(reviewer).count(),
        "last": last_decision(reviewer, queue.edition),
        "queue": queue,
        "query": _query(queue),
    }
    status = 200 if refused is None else 409 if refused.refusal in _CONFLICTS else 422
    title = f"{item.monograph.display_name} – {item.section.heading.rstrip(' :')}"
    return staff_page(request, "admin/ingest/review_item.html", title, context, status)


def _go_on(request: HttpRequest, queue: Queue, left: int, *, backwards: bool = False) -> HttpResponse:
    """To the next free passage beside the one that is left, which is given up; else back to the queue."""
    reviewer = _reviewer(request)
    beside = find_passage(left) if left else None
    found = queue.claim_next(reviewer, beside=beside, backwards=backwards)
    if beside is not None and found != beside.pk:
        release_passage(beside.pk, reviewer)
    if found is None:
        messages.info(request, NOTHING_LEFT)
        return redirect(_queue_url(queue))
    return redirect(_item_url(found, queue))


def _queue(request: HttpRequest, editions: list[Edition] | None = None, *, of: Edition | None = None) -> Queue:
    """The queue that the address names: of an edition, else of the one being served; under the filters that exist."""
    edition = of or _edition(request, editions or reviewable_editions())
    asked = {name: request.GET.get(name, "").replace("\0", "") for name in ("section", "kind", "finding")}
    known = {"section": SECTION_TITLES, "kind": set(PassageKind), "finding": set(FindingKind)}
    state = request.GET.get("state", "")
    wanted = QueueFilter(
        search=request.GET.get("q", "").replace("\0", "").strip()[:MOST_SEARCHED],
        state=QueueState(state) if state in set(QueueState) else QueueState.WAITING,
        **{name: value for name, value in asked.items() if value in known[name]},
    )
    return Queue(edition, wanted)


def _edition(request: HttpRequest, editions: list[Edition]) -> Edition:
    if not editions:
        raise NotShown(NO_EDITION)
    asked = request.GET.get("edition", "")
    return next((edition for edition in editions if str(edition.pk) == asked), editions[0])


def _query(queue: Queue) -> str:
    """The filter as a query string that other addresses carry on."""
    values = {"edition": queue.edition.pk} | asdict(queue.wanted)
    values["q"] = values.pop("search")
    return urlencode({name: value for name, value in values.items() if value})


def _queue_url(queue: Queue) -> str:
    return f"{reverse('admin:ingest_review_queue')}?{_query(queue)}"


def _item_url(passage_id: int, queue: Queue) -> str:
    return f"{reverse('admin:ingest_review_item', args=[passage_id])}?{_query(queue)}"


def _passage(passage_id: int) -> Passage:
    passage = find_passage(passage_id)
    if passage is None:
        raise NotShown(REFUSALS[Refusal.GONE])
    return passage


def _region(request: HttpRequest, passage: Passage, edition: Edition) -> Region | None:
    page, part = _number(request.GET, "page"), _number(request.GET, "part")
    if request.GET.get("view") == "page":
        return whole_page(page, edition.page_sizes, passage.regions)
    on_page = [region for region in regions_of(passage.regions, edition.page_sizes) if region.page == page]
    return on_page[part] if part < len(on_page) else None


def _decision(request: HttpRequest) -> PassageState:
    asked = request.POST.get("decision", "")
    if asked not in set(PassageState):
        raise NotShown("Không có quyết định này.")
    return PassageState(asked)


def _lines(text: str) -> list[str]:
    """A text as a browser may send it back: other line ends, and none at its own ends."""
    return text.strip().splitlines()


def _number(values: QueryDict, name: str) -> int:
    value = values.get(name, "")
    return int(value) if value.isascii() and value.isdigit() and len(value) < 19 else 0


def _reviewer(request: HttpRequest) -> User:
    """admin_view lets nobody in who is not logged in."""
    return cast(User, request.user)
