"""Decisions carried over to every edition of their PDF: applied to the same words, asked again where words changed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from django.db.models import Exists, OuterRef, QuerySet

from ingest.models import Review
from monographs.domain import Box, PassageState
from monographs.models import Edition, Passage
from monographs.passage_index import index_passage

SETTLED = ("state", "corrected_text", "tokens", "text_hash")
# Of the smaller of two places: a passage that was cut in three and one that grew are both known again.
SAME_PLACE = 0.5
PROTECTIVE = frozenset({PassageState.REJECTED, PassageState.QUARANTINED})


@dataclass(frozen=True, slots=True)
class Places:
    """Where the decisions on words that an edition no longer has belong in it.

    changed: undecided passage to the decision made on other words at its place; lost: decisions without a place.
    """

    changed: Mapping[int, Review] = field(default_factory=dict)
    lost: tuple[Review, ...] = ()


def standing_reviews(sha256: str) -> QuerySet[Review]:
    """The decisions on a PDF that are not undone."""
    return Review.objects.filter(sha256=sha256, undone_at=None)


def passages_of(edition: Edition) -> QuerySet[Passage]:
    """Every passage of an edition."""
    return Passage.objects.filter(section__monograph__edition=edition)


def standing_on_passage(sha256: str) -> QuerySet[Review]:
    """A subquery of passages: the decision that stands on the outer one."""
    return standing_reviews(sha256).filter(passage_uid=OuterRef("uid"))


def settle(passage: Passage, state: PassageState, corrected_text: str = "") -> None:
    """Gives a passage its state and what it is found by; the caller saves the fields SETTLED."""
    passage.state, passage.corrected_text = state, corrected_text
    index_passage(passage)


def keep_reviews(edition: Edition) -> None:
    """Applies the standing decisions on its PDF to an edition just built; the caller holds its row.

    A passage whose words changed at the place of a decision waits to be reviewed again, whatever the parser says.
    """
    reviews = {review.passage_uid: review for review in standing_reviews(edition.sha256)}
    if not reviews:
        return
    decided = list(passages_of(edition).filter(uid__in=reviews))
    for passage in decided:
        review = reviews[passage.uid]
        settle(passage, PassageState(review.decision), review.corrected_text)
    Passage.objects.bulk_update(decided, SETTLED, batch_size=500)
    changed = Passage.objects.filter(pk__in=find_places(edition).changed)
    changed.filter(state=PassageState.SERVED).update(state=PassageState.QUARANTINED)


def find_places(edition: Edition) -> Places:
    """The places of decisions on words that are gone. Two queries; one where no decision lacks its words."""
    same_words = passages_of(edition).filter(uid=OuterRef("passage_uid"))
    orphans = list(
        standing_reviews(edition.sha256).filter(~Exists(same_words)).select_related("reviewer").order_by("decided_at")
    )
    if not orphans:
        return Places()
    by_page = _passages_by_page(edition, orphans)
    best: dict[int, tuple[float, Review]] = {}
    lost = []
    for review in orphans:
        found = _at_place(review, by_page)
        if not found:
            lost.append(review)
        for passage, share in found:
            if not passage.decided and share >= best.get(passage.pk, (0.0, review))[0]:  # type: ignore[attr-defined]
                best[passage.pk] = (share, review)
    return Places({key: review for key, (_, review) in best.items()}, tuple(lost))


def decided_elsewhere(passage: Passage, sha256: str) -> Review | None:
    """The latest decision on the same words at the same section in another PDF: a suggestion, never more."""
    others = Review.objects.filter(passage_uid=passage.uid, undone_at=None).exclude(sha256=sha256)
    return others.select_related("reviewer").order_by("-decided_at").first()


def shared_area(one: Sequence[Box], other: Sequence[Box]) -> float:
    """The area two places have in common, as a share of the smaller of them."""
    smaller = min(_area(one), _area(other))
    common = sum(_common(a, b) for a in one for b in other if a.page == b.page)
    return common / smaller if smaller > 0 else 0.0


def _passages_by_page(edition: Edition, orphans: Sequence[Review]) -> dict[int, list[Passage]]:
    """The passages near the places of decisions, under every page they stand on."""
    pages = {box.page for review in orphans for box in _boxes(review.boxes)}
    near = (
        passages_of(edition)
        # One that begins on the page before may go on here.
        .filter(pdf_page__in=pages | {page - 1 for page in pages})
        .annotate(decided=Exists(standing_on_passage(edition.sha256)))
        .select_related("section__monograph")
        .only("uid", "boxes", "section__anchor", "section__monograph__slug")
    )
    by_page: dict[int, list[Passage]] = defaultdict(list)
    for passage in near:
        for page in {box.page for box in passage.regions}:
            by_page[page].append(passage)
    return by_page


def _at_place(review: Review, by_page: Mapping[int, list[Passage]]) -> list[tuple[Passage, float]]:
    """The passages where a decision was made: in its section, or for one that holds words back wherever they are."""
    boxes = _boxes(review.boxes)
    near = {passage.pk: passage for box in boxes for passage in by_page.get(box.page, ())}
    shares = [(passage, shared_area(boxes, passage.regions)) for passage in near.values()]
    return [(p, share) for p, share in shares if share > SAME_PLACE and (_in_section(review, p) or _protects(review))]


def _in_section(review: Review, passage: Passage) -> bool:
    section = passage.section
    return (review.slug, review.anchor) == (section.monograph.slug, section.anchor)


def _protects(review: Review) -> bool:
    return review.decision in PROTECTIVE


def _boxes(values: Iterable[list[float]]) -> list[Box]:
    return [Box.from_list(value) for value in values]


def _area(boxes: Iterable[Box]) -> float:
    return sum((box.x1 - box.x0) * (box.y1 - box.y0) for box in boxes)


def _common(a: Box, b: Box) -> float:
    width, height = min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0)
    return max(0.0, width) * max(0.0, height)
