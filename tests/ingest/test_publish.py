"""From a parsed book to the edition that answers."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.db import IntegrityError, transaction

from ingest.domain import ParsedBook, join_passages
from ingest.models import Finding
from ingest.publish import PublishError, build_edition, publish_edition
from monographs.corpus import current_edition
from monographs.domain import PassageState
from monographs.models import Alias, Edition, EditionState, Passage, Section
from tests.sample_book import FEW, sample_book
from tests.sample_edition import publish_sample

pytestmark = pytest.mark.django_db


def _building() -> Edition:
    return Edition.objects.create(title="Bản sau", year=2027, sha256="7b" * 32, parser_version="t")


def _build(edition: Edition, book: ParsedBook) -> dict[str, int]:
    return build_edition(edition, book, on_progress=lambda _done, _total: None)


def test_everything_parsed_is_stored_in_order() -> None:
    edition, book = publish_sample(()), sample_book()
    stored = list(edition.monographs.order_by("order").prefetch_related("sections__passages"))
    assert [m.title for m in stored] == [m.title for m in book.monographs]
    for mine, parsed in zip(stored, book.monographs, strict=True):
        sections = list(mine.sections.all())
        assert [(s.key, s.heading) for s in sections] == [(s.key or "", s.heading) for s in parsed.sections]
        for section, source in zip(sections, parsed.sections, strict=True):
            assert [p.text for p in section.passages.all()] == [p.text for p in source.passages]
            assert join_passages(source.passages) == source.text


def test_tables_and_formulas_are_held_back_with_their_findings() -> None:
    publish_sample()
    held = Passage.objects.exclude(state=PassageState.SERVED)
    assert held and all(p.kind in {"table", "formula"} and p.state == PassageState.QUARANTINED for p in held)
    assert Finding.objects.filter(passage__in=held, quarantines=True).count() >= held.count()


def test_keys_of_passages_are_stable_over_a_new_build() -> None:
    first = publish_sample()
    again = _building()
    _build(again, sample_book(titles=FEW))
    uids = [
        set(Passage.objects.filter(section__monograph__edition=e).values_list("uid", flat=True)) for e in (first, again)
    ]
    assert uids[0] == uids[1]


def test_readers_see_the_old_edition_until_the_switch_and_can_go_back() -> None:
    first = publish_sample()
    second = _building()
    assert current_edition() == first
    _build(second, sample_book(titles=FEW))
    assert current_edition() == first
    publish_edition(second)
    first.refresh_from_db()
    assert current_edition() == second and first.state == EditionState.SUPERSEDED and first.is_readable
    publish_edition(first)
    assert current_edition() == first


def test_an_unfinished_or_empty_edition_is_never_published() -> None:
    unfinished = _building()
    with pytest.raises(PublishError, match="chưa dựng xong"):
        publish_edition(unfinished)
    empty = _building()
    _build(empty, replace(sample_book(titles=FEW), monographs=()))
    with pytest.raises(PublishError, match="Không tìm thấy chuyên luận"):
        publish_edition(empty)
    assert current_edition() is None


def test_a_name_too_long_for_a_book_is_refused_in_a_sentence() -> None:
    edition, book = _building(), sample_book(titles=FEW)
    wild = replace(book.monographs[-1], title="A" * 301)
    with pytest.raises(PublishError, match=rf"trang PDF {wild.pdf_page} .*dài bất thường"):
        _build(edition, replace(book, monographs=(*book.monographs[:-1], wild)))
    edition.refresh_from_db()
    assert edition.state == EditionState.BUILDING


def test_the_database_itself_refuses_two_published_editions() -> None:
    publish_sample()
    with pytest.raises(IntegrityError), transaction.atomic():
        Edition.objects.create(title="x", year=1, sha256="0" * 64, parser_version="t", state=EditionState.PUBLISHED)


def test_a_build_that_is_stopped_leaves_nothing_visible() -> None:
    edition = _building()

    def stop(done: int, _total: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_edition(edition, sample_book(titles=FEW), on_progress=stop)
    edition.refresh_from_db()
    assert edition.state == EditionState.BUILDING and current_edition() is None


def test_section_anchors_and_aliases_are_unique() -> None:
    edition = publish_sample()
    anchors = list(Section.objects.filter(monograph__edition=edition).values_list("monograph", "anchor"))
    assert len(anchors) == len(set(anchors))
    assert Alias.objects.filter(edition=edition, folded="panadol").exists()
