"""The passages of an edition to be reviewed: filtered, counted, in the book's order, and handed out one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from ingest.domain import FINDING_FACTS, FindingKind
from ingest.kept_reviews import Places, find_places, passages_of, standing_on_passage
from ingest.models import Finding
from ingest.review_claims import claim_first
from ingest.reviews import REVIEWABLE
from monographs.corpus import BULK
from monographs.domain import SECTION_FACTS, PassageKind, PassageState
from monographs.models import Alias, Edition, EditionState, Passage
from monographs.text import fold, slugify

NO_SECTION_KEY = "none"


class QueueState(StrEnum):
    """How far the review of a passage is."""

    WAITING = "waiting"
    CHANGED = "changed"
    HELD = "held"
    DECIDED = "decided"
    ALL = "all"


STATE_TITLES: dict[QueueState, str] = {
    QueueState.WAITING: "Chờ duyệt",
    QueueState.CHANGED: "Chữ đã đổi, duyệt lại",
    QueueState.HELD: "Đã giữ lại",
    QueueState.DECIDED: "Đã quyết định",
    QueueState.ALL: "Mọi đoạn",
}
KIND_TITLES: dict[PassageKind, str] = {
    PassageKind.TEXT: "Đoạn chữ",
    PassageKind.TABLE: "Bảng",
    PassageKind.FORMULA: "Công thức",
    PassageKind.FIGURE: "Hình",
}
SECTION_TITLES: dict[str, str] = {
    **{key.value: facts.title for key, facts in SECTION_FACTS.items()},
    NO_SECTION_KEY: "Mục khác (phần chung, phụ lục)",
}


@dataclass(frozen=True, slots=True)
class QueueFilter:
    """What is wanted of the queue; "" wants everything. section: a section key or NO_SECTION_KEY."""

    search: str = ""
    section: str = ""
    kind: str = ""
    finding: str = ""
    state: QueueState = QueueState.WAITING


@dataclass(frozen=True, slots=True)
class Option:
    """A value of a filter with how many passages it would leave."""

    value: str
    title: str
    count: int


@dataclass(frozen=True, slots=True)
class Facet:
    """A filter with its values; those that would leave nothing are left out, unless chosen."""

    name: str
    title: str
    chosen: str
    options: tuple[Option, ...]


class Queue:
    """The passages of one edition under one filter."""

    def __init__(self, edition: Edition, wanted: QueueFilter) -> None:
        self.edition, self.wanted = edition, wanted

    @cached_property
    def places(self) -> Places:
        """Where the decisions on words that changed belong."""
        return find_places(self.edition)

    def passages(self, wanted: QueueFilter | None = None) -> QuerySet[Passage]:
        """The passages wanted, in the book's order."""
        wanted = wanted or self.wanted
        found = passages_of(self.edition)
        for condition in self._conditions(wanted):
            found = found.filter(condition)
        return found.order_by("section__monograph__order", "section__order", "order")

    def count(self) -> int:
        """How many passages are wanted."""
        return self.passages().count()

    def facets(self) -> tuple[Facet, ...]:
        """Every filter with the counts of its values under the other filters. One query each."""
        return (
            self._states(),
            self._grouped("kind", "Loại đoạn", "kind", {kind.value: KIND_TITLES[kind] for kind in PassageKind}),
            self._grouped("section", "Mục", "section__key", SECTION_TITLES),
            self._findings(),
        )

    def claim_next(self, reviewer: User, *, beside: Passage | None = None, backwards: bool = False) -> int | None:
        """The next passage that nobody else holds, held for the reviewer; None where the queue has none.

        beside: where to go on from, in the book's order and round its end; backwards: the one before.
        """
        wanted = self.passages()
        ordered = wanted.reverse() if backwards else wanted
        if beside is None:
            return claim_first(ordered, reviewer)
        beyond = ordered.filter(_before(beside) if backwards else _after(beside))
        return claim_first(beyond, reviewer) or claim_first(ordered.exclude(pk=beside.pk), reviewer)

    def _conditions(self, wanted: QueueFilter) -> Iterable[Q]:
        if wanted.search:
            yield self._named(wanted.search)
        if wanted.section:
            yield Q(section__key="" if wanted.section == NO_SECTION_KEY else wanted.section)
        if wanted.kind:
            yield Q(kind=wanted.kind)
        if wanted.finding:
            yield Q(Exists(Finding.objects.filter(passage=OuterRef("pk"), kind=wanted.finding)))
        yield self._in_state(wanted.state)

    def _named(self, search: str) -> Q:
        """Monographs with a name that holds what was typed, accents aside."""
        aliases = Alias.objects.filter(edition=self.edition, folded__contains=fold(search))
        named = Q(section__monograph__in=aliases.values("monograph"))
        slug = slugify(search)
        return named | Q(section__monograph__slug__contains=slug) if slug else named

    def _in_state(self, state: QueueState) -> Q:
        standing = standing_on_passage(self.edition.sha256)
        conditions: dict[QueueState, Callable[[], Q]] = {
            QueueState.WAITING: lambda: Q(~Exists(standing), state=PassageState.QUARANTINED),
            QueueState.CHANGED: lambda: Q(pk__in=list(self.places.changed)),
            QueueState.HELD: lambda: Q(Exists(standing.filter(decision=PassageState.QUARANTINED))),
            QueueState.DECIDED: lambda: Q(Exists(standing)),
            QueueState.ALL: Q,
        }
        return conditions[state]()

    def _states(self) -> Facet:
        anything = self.passages(replace(self.wanted, state=QueueState.ALL)).order_by()
        counts = anything.aggregate(
            **{state.value: Count("pk", filter=self._in_state(state) or Q(pk__isnull=False)) for state in QueueState}
        )
        options = tuple(Option(state, STATE_TITLES[state], counts[state]) for state in QueueState)
        return Facet("state", "Tình trạng", self.wanted.state, options)

    def _grouped(self, name: str, title: str, column: str, titles: dict[str, str]) -> Facet:
        without: dict[str, Any] = {name: ""}
        passages = self.passages(replace(self.wanted, **without)).order_by()
        rows = passages.values_list(column).annotate(count=Count("pk"))
        counts = {value or NO_SECTION_KEY: count for value, count in rows}
        return _facet(name, title, str(getattr(self.wanted, name)), titles, counts)

    def _findings(self) -> Facet:
        passages = self.passages(replace(self.wanted, finding="")).order_by()
        rows = (
            Finding.objects.filter(edition=self.edition, passage__in=passages.values("pk"))
            .values_list("kind")
            .annotate(count=Count("passage", distinct=True))
        )
        titles = {kind.value: FINDING_FACTS[kind].title for kind in FindingKind}
        return _facet("finding", "Ghi nhận", self.wanted.finding, titles, dict(rows))


def reviewable_editions() -> list[Edition]:
    """The editions that can be reviewed, the one being served first, then the latest."""
    editions = Edition.objects.filter(state__in=REVIEWABLE).defer(*BULK).order_by("-pk")
    return sorted(editions, key=lambda edition: edition.state != EditionState.PUBLISHED)


def _facet(name: str, title: str, chosen: str, titles: dict[str, str], counts: dict[str, int]) -> Facet:
    options = (Option(value, text, counts.get(value, 0)) for value, text in titles.items())
    return Facet(name, title, chosen, tuple(o for o in options if o.count or o.value == chosen))


def _after(passage: Passage) -> Q:
    """What comes later in the book."""
    return _beyond(passage, "gt")


def _before(passage: Passage) -> Q:
    """What comes earlier in the book."""
    return _beyond(passage, "lt")


def _beyond(passage: Passage, way: str) -> Q:
    section = passage.section
    in_monograph = {"section__monograph": section.monograph_id}
    return (
        Q(**{f"section__monograph__order__{way}": section.monograph.order})
        | Q(**in_monograph, **{f"section__order__{way}": section.order})
        | Q(section=section.pk, **{f"order__{way}": passage.order})
    )
