"""From a parsed book to an edition: built unseen, switched to in one transaction."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from django.db import DataError, transaction
from django.utils import timezone

from ingest.domain import Finding as ParsedFinding
from ingest.domain import ParsedBook, ParsedMonograph, ParsedPassage, ParsedSection
from ingest.kept_reviews import keep_reviews
from ingest.models import Finding
from ingest.naming import aliases_of, atc_codes, name_of, section_text, unique_slugs, vocabulary_of
from monographs.domain import MonographKind, PassageKind, PassageState, SectionKey
from monographs.models import Alias, Edition, EditionState, Monograph, Passage, Section
from monographs.passage_index import index_passage, refresh_statistics
from monographs.restoring import AccentModel
from monographs.text import fold, sort_key

BATCH = 2000


class PublishError(Exception):
    """The edition cannot be published; the message, in Vietnamese, says why and what to do."""


def build_edition(edition: Edition, book: ParsedBook, *, on_progress: Callable[[int, int], None]) -> dict[str, int]:
    """Fills an edition in state building with the book. Each monograph is its own transaction, none is visible.

    Returns the counts of what was stored. Raises PublishError where a name or heading cannot be stored, and whatever
    on_progress raises, to stop.
    """
    slugs = unique_slugs(book.monographs)
    for order, (parsed, slug) in enumerate(zip(book.monographs, slugs, strict=True)):
        on_progress(order, len(book.monographs))
        try:
            with transaction.atomic():
                _store_monograph(edition, parsed, book, order=order, slug=slug)
        except DataError as error:
            # Longer than any name, heading or code of a book is: the file is damaged, or no formulary.
            raise PublishError(
                f"Chuyên luận ở trang PDF {parsed.pdf_page} có tên, tiêu đề hoặc mã dài bất thường nên không lưu được. "
                "Kiểm tra lại tệp PDF."
            ) from error

    def still() -> None:
        on_progress(len(book.monographs), len(book.monographs))

    still()
    _store_loose_findings(edition, book)
    still()
    edition.page_map = {str(page): printed for page, printed in book.page_map.items()}
    edition.page_sizes = {str(page): list(size) for page, size in book.page_sizes.items()}
    edition.vocabulary = vocabulary_of(book)
    edition.accents = AccentModel.train(_texts(book, still)).dumps()
    still()
    with transaction.atomic():
        # Whoever decides on this PDF meanwhile waits here, or is waited for.
        Edition.objects.select_for_update(no_key=True).only("pk").get(pk=edition.pk)
        keep_reviews(edition)
        edition.state = EditionState.READY
        edition.save(update_fields=["page_map", "page_sizes", "vocabulary", "accents", "state"])
    still()
    refresh_statistics()
    still()
    return _counts(edition)


def publish_edition(edition: Edition) -> None:
    """Makes this the edition that answers; the one before stays readable for old citations.

    Raises PublishError where the edition is not ready or holds no drug.
    """
    with transaction.atomic():
        states = {e.pk: e for e in Edition.objects.select_for_update().order_by("pk").only("pk", "state")}
        if states[edition.pk].state not in {EditionState.READY, EditionState.SUPERSEDED, EditionState.PUBLISHED}:
            raise PublishError("Ấn bản chưa dựng xong nên chưa công bố được. Hãy nạp lại tệp.")
        if not Monograph.objects.filter(edition=edition, kind=MonographKind.DRUG).exists():
            raise PublishError(
                "Không tìm thấy chuyên luận thuốc nào trong tệp, nên không công bố. Kiểm tra lại tệp PDF."
            )
        Edition.objects.filter(state=EditionState.PUBLISHED).exclude(pk=edition.pk).update(
            state=EditionState.SUPERSEDED
        )
        Edition.objects.filter(pk=edition.pk).update(state=EditionState.PUBLISHED, published_at=timezone.now())
    edition.refresh_from_db(fields=["state", "published_at"])


def passage_uid(*parts: str) -> str:
    """A key of content and place: the same for the same words in the same section of the same drug."""
    return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:32]


def _store_monograph(edition: Edition, parsed: ParsedMonograph, book: ParsedBook, *, order: int, slug: str) -> None:
    name = name_of(parsed)
    monograph = Monograph.objects.create(
        edition=edition,
        slug=slug,
        kind=parsed.kind,
        title=parsed.title,
        name=name,
        subtitle=parsed.subtitle,
        inn=section_text(parsed, SectionKey.TEN_CHUNG_QUOC_TE).strip(" ."),
        atc_codes=atc_codes(parsed),
        drug_class=section_text(parsed, SectionKey.LOAI_THUOC).strip(),
        order=order,
        sort_key=sort_key(f"{name} {parsed.subtitle}".strip()),
        pdf_page=parsed.pdf_page,
        printed_page=parsed.printed_page,
    )
    sections = Section.objects.bulk_create(_sections(monograph, parsed))
    passages: list[Passage] = []
    findings: list[tuple[Passage, ParsedFinding]] = []
    for section, source in zip(sections, parsed.sections, strict=True):
        for passage, origin in _passages(section, source, slug, book):
            passages.append(passage)
            findings += [(passage, finding) for finding in origin.findings]
    for passage in passages:
        index_passage(passage)
    Passage.objects.bulk_create(passages, batch_size=BATCH)
    Finding.objects.bulk_create([_finding(edition, f, passage) for passage, f in findings], batch_size=BATCH)
    Alias.objects.bulk_create(
        Alias(
            edition=edition,
            monograph=monograph,
            text=alias.text,
            folded=fold(alias.text),
            kind=alias.kind,
            pdf_page=alias.pdf_page,
            printed_page=alias.printed_page,
        )
        for alias in aliases_of(parsed, name, book)
    )


def _sections(monograph: Monograph, parsed: ParsedMonograph) -> Iterator[Section]:
    used: Counter[str] = Counter()
    for order, section in enumerate(parsed.sections):
        base = section.key.value if section.key else f"muc-{order + 1}"
        used[base] += 1
        yield Section(
            monograph=monograph,
            key=section.key or "",
            heading=section.heading,
            anchor=base if used[base] == 1 else f"{base}-{used[base]}",
            order=order,
            pdf_page=section.pdf_page,
            printed_page=section.printed_page,
        )


def _passages(
    section: Section, parsed: ParsedSection, slug: str, book: ParsedBook
) -> Iterator[tuple[Passage, ParsedPassage]]:
    seen: Counter[str] = Counter()
    for order, passage in enumerate(parsed.passages):
        place = _place(passage)
        seen[place] += 1
        yield (
            Passage(
                section=section,
                uid=passage_uid(slug, section.anchor, str(seen[place]), place),
                order=order,
                kind=passage.kind,
                state=PassageState.QUARANTINED if _held(passage) else PassageState.SERVED,
                text=passage.text,
                labels=list(passage.labels),
                starts_paragraph=passage.starts_paragraph,
                pdf_page=passage.pdf_page,
                printed_page=passage.printed_page,
                printed_page_last=_last_printed(passage, book),
                boxes=[box.as_list() for box in passage.boxes],
            ),
            passage,
        )


def _all_passages(book: ParsedBook) -> Iterator[ParsedPassage]:
    for monograph in book.monographs:
        for section in monograph.sections:
            yield from section.passages


def _texts(book: ParsedBook, still: Callable[[], None]) -> Iterator[str]:
    """Every text of the book; still is told now and then that the work goes on."""
    for number, passage in enumerate(_all_passages(book)):
        if number % BATCH == 0:
            still()
        yield passage.text


def _place(passage: ParsedPassage) -> str:
    """What a passage is recognised by: its words, or where it lies when it has none that could be read."""
    return passage.text or f"{passage.kind}:{[box.as_list() for box in passage.boxes]}"


def _held(passage: ParsedPassage) -> bool:
    return passage.quarantined or passage.kind is not PassageKind.TEXT


def _last_printed(passage: ParsedPassage, book: ParsedBook) -> int | None:
    last = max((box.page for box in passage.boxes), default=passage.pdf_page)
    return passage.printed_page if last == passage.pdf_page else book.page_map.get(last)


def _store_loose_findings(edition: Edition, book: ParsedBook) -> None:
    regions: Iterable[ParsedFinding] = (finding for region in book.regions for finding in region.findings)
    Finding.objects.bulk_create(
        [_finding(edition, finding, None) for finding in (*book.findings, *regions)], batch_size=BATCH
    )


def _finding(edition: Edition, finding: ParsedFinding, passage: Passage | None) -> Finding:
    return Finding(
        edition=edition,
        passage=passage,
        kind=finding.kind,
        quarantines=finding.quarantines,
        pdf_page=finding.pdf_page,
        box=finding.box.as_list() if finding.box else None,
        detail=finding.detail[:2000],
    )


def _counts(edition: Edition) -> dict[str, int]:
    passages = Passage.objects.filter(section__monograph__edition=edition)
    return {
        "monographs": Monograph.objects.filter(edition=edition).count(),
        "sections": Section.objects.filter(monograph__edition=edition).count(),
        "passages": passages.count(),
        "quarantined": passages.filter(state=PassageState.QUARANTINED).count(),
        "aliases": Alias.objects.filter(edition=edition).count(),
        "findings": Finding.objects.filter(edition=edition).count(),
    }
