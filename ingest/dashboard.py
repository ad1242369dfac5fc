"""What an operator sees at a glance: what is served and held back, runs, findings, workers, the search index."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db.models import Count
from django.utils import timezone

from ingest.domain import FINDING_FACTS, FindingKind
from ingest.models import Finding, IngestRun, WorkerHeartbeat
from monographs.domain import MonographKind, PassageKind, PassageState
from monographs.models import Edition, Embedding, Monograph, Passage
from monographs.passage_index import EMBEDDED_SECTIONS

LAST_RUNS = 8
_MISSED_BEATS = 4
_FORGET_WORKERS = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Served:
    """The edition that answers, and how its passages stand."""

    edition: Edition
    drugs: int
    states: Counter[str]

    @property
    def passages(self) -> int:
        """All of them."""
        return self.states.total()

    @property
    def served(self) -> int:
        """Whose text is quoted as extracted."""
        return self.states[PassageState.SERVED]

    @property
    def held_back(self) -> int:
        """Shown only as a picture until someone decides."""
        return self.states[PassageState.QUARANTINED]

    @property
    def corrected(self) -> int:
        """Whose text a reviewer put right."""
        return self.states[PassageState.CORRECTED]

    @property
    def rejected(self) -> int:
        """Never shown as text."""
        return self.states[PassageState.REJECTED]


@dataclass(frozen=True, slots=True)
class KindCount:
    """How often a doubt was recorded, and how many of the passages it touches are still held back."""

    kind: FindingKind
    found: int
    held_back: int

    @property
    def title(self) -> str:
        """Vietnamese."""
        return FINDING_FACTS[self.kind].title

    @property
    def quarantines(self) -> bool:
        """Whether it holds back what it touches."""
        return FINDING_FACTS[self.kind].quarantines


@dataclass(frozen=True, slots=True)
class Worker:
    """A worker process and whether it still shows that it lives."""

    beat: WorkerHeartbeat
    is_alive: bool


@dataclass(frozen=True, slots=True)
class IndexProgress:
    """without_words: passages not yet found by their words; texts, embedded: of what is compared by meaning, all and
    those that have a vector.
    """

    without_words: int
    texts: int
    embedded: int

    @property
    def missing(self) -> int:
        """Texts without a vector."""
        return self.texts - self.embedded

    @property
    def is_complete(self) -> bool:
        """Whether nothing is left to do."""
        return self.without_words == 0 and self.missing == 0


def served_facts(edition: Edition) -> Served:
    """How the edition's passages stand."""
    rows = Passage.objects.filter(section__monograph__edition=edition).values_list("state").annotate(Count("pk"))
    drugs = Monograph.objects.filter(edition=edition, kind=MonographKind.DRUG).count()
    return Served(edition, drugs, Counter(dict(rows.order_by("state"))))


def last_runs() -> list[IngestRun]:
    """The latest runs."""
    return list(IngestRun.objects.select_related("requested_by").order_by("-created_at")[:LAST_RUNS])


def findings_by_kind(edition: Edition) -> tuple[KindCount, ...]:
    """Every kind that was found, those that hold something back first, the most frequent before the others."""
    found = dict(Finding.objects.filter(edition=edition).order_by().values_list("kind").annotate(Count("pk")))
    held = dict(
        Finding.objects.filter(edition=edition, passage__state=PassageState.QUARANTINED)
        .order_by()
        .values_list("kind")
        .annotate(Count("passage", distinct=True))
    )
    kinds = [KindCount(kind, found[kind], held.get(kind, 0)) for kind in FindingKind if kind in found]
    return tuple(sorted(kinds, key=lambda count: (not count.quarantines, -count.found)))


def workers() -> list[Worker]:
    """The worker processes of the last day, the liveliest first."""
    now = timezone.now()
    oldest = now - timedelta(seconds=_MISSED_BEATS * settings.WORKER_HEARTBEAT_SECONDS)
    beats = WorkerHeartbeat.objects.filter(seen_at__gt=now - _FORGET_WORKERS).order_by("-seen_at")
    return [Worker(beat, beat.seen_at > oldest) for beat in beats]


def index_progress(edition: Edition) -> IndexProgress:
    """How far the search index of an edition is; a vector of any space counts."""
    passages = Passage.objects.filter(section__monograph__edition=edition)
    compared = passages.filter(section__key__in=EMBEDDED_SECTIONS, kind=PassageKind.TEXT).exclude(text_hash="")
    hashes = compared.values("text_hash").distinct()
    embedded = Embedding.objects.filter(text_hash__in=hashes).values("text_hash").distinct()
    return IndexProgress(passages.filter(text_hash="").count(), hashes.count(), embedded.count())
