"""One passage as a reviewer needs it: picture, words, doubts, neighbours, and what was decided before."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.utils import timezone

from ingest.domain import FindingKind
from ingest.kept_reviews import Places, decided_elsewhere, passages_of
from ingest.models import Finding, Review, ReviewClaim
from ingest.review_claims import holder_of
from ingest.reviews import REVIEWABLE, fingerprint
from monographs.corpus import BULK
from monographs.crops import Region, edition_pdf, regions_of
from monographs.domain import PassageState
from monographs.models import Edition, Monograph, Passage, Section
from monographs.reading import is_picture

# A single digit would be marked wherever it stands.
SHORTEST_QUOTE = 2
# Words of a doubt that are the parser's own, and stand nowhere in the text.
_NOT_QUOTED = frozenset({FindingKind.TEXT_REPAIRED, FindingKind.HEADING_GUESSED})


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of the extracted text; doubted: a doubt is about these very words."""

    text: str
    doubted: bool


@dataclass(frozen=True, slots=True)
class Earlier:
    """A decision to start from. words_changed: it was made on other words at this place, else on these in another
    PDF."""

    review: Review
    words_changed: bool


@dataclass(frozen=True, slots=True)
class LastDecision:
    """The decision a reviewer took last, with its place in words."""

    review: Review
    place: str


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """A passage under review. before, after: its neighbours in the section; history: its decisions, latest first;
    earlier: a decision that is only a suggestion here; claim: of somebody else, who holds it."""

    passage: Passage
    regions: tuple[Region, ...]
    before: Passage | None
    after: Passage | None
    findings: tuple[Finding, ...]
    stretches: tuple[Stretch, ...]
    history: tuple[Review, ...]
    earlier: Earlier | None
    claim: ReviewClaim | None
    file_missing: bool

    @property
    def section(self) -> Section:
        """The section it stands in."""
        return self.passage.section

    @property
    def monograph(self) -> Monograph:
        """The monograph it stands in."""
        return self.section.monograph

    @property
    def edition(self) -> Edition:
        """The edition it belongs to."""
        return self.monograph.edition

    @property
    def seen(self) -> str:
        """What the reviewer is shown, to be sent back with the decision."""
        return fingerprint(self.passage)

    @property
    def is_picture(self) -> bool:
        """Whether readers see its picture now."""
        return is_picture(self.passage)

    @property
    def starting_text(self) -> str:
        """What the editing box begins with."""
        if self.passage.state == PassageState.CORRECTED:
            return self.passage.corrected_text
        corrected = self.earlier.review.corrected_text if self.earlier else ""
        return corrected or self.passage.text

    @property
    def starting_reason(self) -> str:
        """What the box of the reason begins with."""
        return self.earlier.review.reason if self.earlier else ""


def find_passage(passage_id: int) -> Passage | None:
    """A passage of an edition that can be reviewed, with its place, or None."""
    return (
        Passage.objects.select_related("section__monograph__edition")
        .defer("tokens", *(f"section__monograph__edition__{name}" for name in BULK if name != "page_sizes"))
        .filter(pk=passage_id, section__monograph__edition__state__in=REVIEWABLE)
        .first()
    )


def read_item(passage: Passage, places: Places, reviewer: User) -> ReviewItem:
    """Everything of a passage found by find_passage(). Six queries."""
    edition = passage.section.monograph.edition
    findings = tuple(passage.findings.order_by("-quarantines", "pk"))
    around = Passage.objects.filter(section=passage.section_id).defer("tokens")
    history = tuple(
        Review.objects.filter(sha256=edition.sha256, passage_uid=passage.uid)
        .select_related("reviewer", "undone_by")
        .order_by("-decided_at")
    )
    return ReviewItem(
        passage=passage,
        regions=regions_of(passage.regions, edition.page_sizes),
        before=around.filter(order__lt=passage.order).order_by("-order").first(),
        after=around.filter(order__gt=passage.order).order_by("order").first(),
        findings=findings,
        stretches=doubted_stretches(passage.text, findings),
        history=history,
        earlier=_earlier(passage, places, history),
        claim=holder_of(passage.pk, apart_from=reviewer),
        file_missing=not edition_pdf(edition.sha256).is_file(),
    )


def doubted_stretches(text: str, findings: Iterable[Finding]) -> tuple[Stretch, ...]:
    """The text cut at the words its findings quote. Joined, the stretches are the text."""
    quoted = {quote for finding in findings for quote in _quotes(finding) if quote in text}
    if not quoted:
        return (Stretch(text, doubted=False),) if text else ()
    longest_first = sorted(quoted, key=len, reverse=True)
    parts = re.split(f"({'|'.join(map(re.escape, longest_first))})", text)
    return tuple(Stretch(part, doubted=part in quoted) for part in parts if part)


def decisions_of_today(reviewer: User) -> QuerySet[Review]:
    """What a reviewer decided today and stands, the latest first."""
    midnight = timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)
    return Review.objects.filter(reviewer=reviewer, undone_at=None, decided_at__gte=midnight).order_by("-decided_at")


def last_decision(reviewer: User, edition: Edition) -> LastDecision | None:
    """What a reviewer decided last today on this PDF and may want to undo, or None. Two queries."""
    review = decisions_of_today(reviewer).filter(sha256=edition.sha256).first()
    if review is None:
        return None
    on_it = passages_of(edition).filter(uid=review.passage_uid).select_related("section__monograph").defer("tokens")
    passage = on_it.first()
    section = passage.section if passage else None
    place = f"{section.monograph.display_name}, {section.heading.rstrip(' :')}" if section else review.slug
    return LastDecision(review, f"{place}, trang PDF {review.pdf_page}")


def _earlier(passage: Passage, places: Places, history: Sequence[Review]) -> Earlier | None:
    """A suggestion, where nothing was ever decided on this very passage."""
    changed = places.changed.get(passage.pk)
    if changed is not None:
        return Earlier(changed, words_changed=True)
    if history:
        return None
    other = decided_elsewhere(passage, passage.section.monograph.edition.sha256)
    return Earlier(other, words_changed=False) if other else None


def _quotes(finding: Finding) -> Iterable[str]:
    """The words of the passage that a finding names: the second reading of a number stands after a bar."""
    if finding.kind in _NOT_QUOTED:
        return ()
    own = finding.detail.partition(" | ")[0].strip()
    return (own,) if len(own) >= SHORTEST_QUOTE else ()
