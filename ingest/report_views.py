"""The staff pages that only tell: the dashboard, the coverage of an edition, two editions compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.db.models import Case, QuerySet, Value, When
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path
from django.utils.text import slugify
from django.views.decorators.http import require_safe

from ingest import dashboard as queries
from ingest.comparison import DIFFERENCE_TITLES, Difference, SectionChange, Stretch, compare_words, shorten
from ingest.coverage import COVER_FACTS, Cover, coverage_of, filter_rows, totals_of, write_csv
from ingest.edition_sections import compare, texts_of
from ingest.edition_views import COMPARABLE
from ingest.models import RunState
from ingest.run_progress import watch
from ingest.staff_pages import OPERATE, SEE_EDITIONS, SEE_RUNS, staff_page, staff_view
from monographs.corpus import BULK, current_edition
from monographs.domain import SECTION_FACTS, SectionKey
from monographs.models import Edition, EditionState
from monographs.text import fold

ROWS_A_PAGE = 60
CHANGES_A_PAGE = 20
MOST_SEARCHED = 100
Kind = TypeVar("Kind", Cover, Difference, SectionKey)


def report_urls() -> list[URLPattern]:
    """The addresses below /admin/ingest/."""
    return [
        path("dashboard/", staff_view(dashboard, SEE_RUNS, OPERATE), name="ingest_dashboard"),
        path("coverage/", staff_view(coverage, SEE_EDITIONS, OPERATE), name="ingest_coverage"),
        path("coverage.csv", staff_view(coverage_csv, SEE_EDITIONS, OPERATE), name="ingest_coverage_csv"),
        path("compare/", staff_view(comparison, SEE_EDITIONS, OPERATE), name="ingest_compare"),
    ]


@require_safe
def dashboard(request: HttpRequest) -> HttpResponse:
    """What is served and held back, the latest runs, what the parser doubted, who works, what is still to do."""
    edition = current_edition()
    context = {
        "edition": edition,
        "served": queries.served_facts(edition) if edition else None,
        "findings": queries.findings_by_kind(edition) if edition else (),
        "index": queries.index_progress(edition) if edition else None,
        "runs": [watch(run) for run in queries.last_runs()],
        "workers": queries.workers(),
        "waiting": Edition.objects.defer(*BULK).filter(state=EditionState.READY, runs__state=RunState.BUILT).distinct(),
    }
    return staff_page(request, "admin/ingest/dashboard.html", "Tổng quan nạp dược thư", context)


@dataclass(frozen=True, slots=True)
class CoverageFilter:
    """What is wanted of the matrix."""

    name: str
    key: SectionKey | None
    cover: Cover | None

    @property
    def query(self) -> str:
        """For addresses that carry it on."""
        return _query({"q": self.name, "key": self.key or "", "cover": self.cover or ""})


@require_safe
def coverage(request: HttpRequest) -> HttpResponse:
    """Monographs by sections."""
    edition, wanted = _edition(request, "edition"), _coverage_filter(request)
    rows = coverage_of(edition) if edition else ()
    found = filter_rows(rows, name=wanted.name, key=wanted.key, cover=wanted.cover)
    context = {
        "edition": edition,
        "editions": _comparable(),
        "wanted": wanted,
        "query": wanted.query,
        "address": _query({"edition": str(edition.pk) if edition else ""}, wanted.query),
        "totals": totals_of(rows),
        "drugs": len(rows),
        "listed": Paginator(found, ROWS_A_PAGE).get_page(request.GET.get("page")),
        "keys": [(key, SECTION_FACTS[key].title) for key in SectionKey],
        "covers": [(cover, facts) for cover, facts in COVER_FACTS.items()],
    }
    return staff_page(request, "admin/ingest/coverage.html", "Độ phủ các mục", context)


@require_safe
def coverage_csv(request: HttpRequest) -> HttpResponse:
    """The whole matrix, as filtered, for a spreadsheet."""
    edition, wanted = _edition(request, "edition"), _coverage_filter(request)
    rows = coverage_of(edition) if edition else ()
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    name = f"do-phu-{slugify(edition.title) if edition else 'trong'}-{edition.pk if edition else 0}.csv"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    # Without this mark a spreadsheet takes the accents for another encoding.
    response.write("\ufeff")
    write_csv(response, filter_rows(rows, name=wanted.name, key=wanted.key, cover=wanted.cover))
    return response


@dataclass(frozen=True, slots=True)
class ShownChange:
    """A section that differs, with its words; those of a section that only one edition has are all of one kind."""

    change: SectionChange
    words: tuple[Stretch, ...]

    @property
    def title(self) -> str:
        """How it differs."""
        return DIFFERENCE_TITLES[self.change.difference]


@dataclass(frozen=True, slots=True)
class ChangeFilter:
    """What is wanted of the changes; doses: only where numbers, units or negations changed."""

    name: str
    key: SectionKey | None
    difference: Difference | None
    doses: bool

    def fits(self, change: SectionChange) -> bool:
        """Whether a change is wanted."""
        return (
            fold(self.name) in fold(change.shown.monograph)
            and self.key in {None, change.place.name}
            and self.difference in {None, change.difference}
            and (change.doses_differ or not self.doses)
        )

    @property
    def query(self) -> str:
        """For addresses that carry it on."""
        doses = "1" if self.doses else ""
        return _query({"q": self.name, "key": self.key or "", "kind": self.difference or "", "doses": doses})


@require_safe
def comparison(request: HttpRequest) -> HttpResponse:
    """Two editions, section by section: ?old=&new=; by default the one before against the one being served."""
    old, new = _edition(request, "old"), _edition(request, "new")
    if "old" not in request.GET:
        old = _comparable().exclude(pk=new.pk).order_by("-published_at", "-created_at").first() if new else None
    wanted = _change_filter(request)
    context: dict[str, object] = {"old": old, "new": new, "editions": _comparable(), "wanted": wanted}
    if old and new and old != new:
        compared = compare(old, new)
        found = [change for change in compared.changes if wanted.fits(change)]
        listed = Paginator(found, CHANGES_A_PAGE).get_page(request.GET.get("page"))
        context |= {
            "compared": compared,
            "counts": [(kind, title, compared.count(kind)) for kind, title in DIFFERENCE_TITLES.items()],
            "listed": listed,
            "shown": _with_words(list(listed.object_list)),
            "address": _query({"old": str(old.pk), "new": str(new.pk)}, wanted.query),
            "keys": [(key, SECTION_FACTS[key].title) for key in SectionKey],
        }
    return staff_page(request, "admin/ingest/compare.html", "So sánh hai ấn bản", context)


def _with_words(changes: list[SectionChange]) -> list[ShownChange]:
    texts = texts_of(digest.section_id for change in changes for digest in (change.old, change.new) if digest)
    return [
        ShownChange(
            change,
            shorten(
                compare_words(
                    texts.get(change.old.section_id, "") if change.old else "",
                    texts.get(change.new.section_id, "") if change.new else "",
                )
            ),
        )
        for change in changes
    ]


def _comparable() -> QuerySet[Edition]:
    """Finished editions, the one being served first."""
    first = Case(When(state=EditionState.PUBLISHED, then=Value(0)), default=Value(1))
    return Edition.objects.defer(*BULK).filter(state__in=COMPARABLE).order_by(first, "-created_at")


def _edition(request: HttpRequest, name: str) -> Edition | None:
    """The finished edition asked for (404 where there is none such), or the one being served, or the newest."""
    asked = request.GET.get(name, "")
    if not asked:
        return _comparable().first()
    pk = int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 10 else 0
    return get_object_or_404(_comparable(), pk=pk)


def _coverage_filter(request: HttpRequest) -> CoverageFilter:
    return CoverageFilter(_searched(request), _key(request), _member(Cover, request.GET.get("cover", "")))


def _change_filter(request: HttpRequest) -> ChangeFilter:
    difference = _member(Difference, request.GET.get("kind", ""))
    return ChangeFilter(_searched(request), _key(request), difference, request.GET.get("doses") == "1")


def _key(request: HttpRequest) -> SectionKey | None:
    return _member(SectionKey, request.GET.get("key", ""))


def _searched(request: HttpRequest) -> str:
    return request.GET.get("q", "").replace("\0", "").strip()[:MOST_SEARCHED]


def _member(kind: type[Kind], value: str) -> Kind | None:
    return kind(value) if value in set(kind) else None


def _query(values: dict[str, str], more: str = "") -> str:
    said = urlencode({name: value for name, value in values.items() if value})
    return "&".join(part for part in (said, more) if part)
