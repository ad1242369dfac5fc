"""The second edition of the sample takes over from the first: the switch, what stays the same, and the way back."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client
from pytest_django import DjangoDbBlocker

from ingest.models import IngestRun
from ingest.publish import publish_edition
from ingest.sample.source import SAMPLE_DIR, load_edition
from monographs.corpus import current_edition
from monographs.models import Alias, Edition, EditionState, Monograph, Passage
from tests.markup import open_page

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
CHANGED = ("losartan", "metformin", "omeprazol", "paracetamol")


@dataclass(frozen=True, slots=True)
class Switched:
    """Both editions, ingested one after the other: what was served in between, and how long it took."""

    first: Edition
    second: Edition
    served_between: Edition
    seconds: float


@pytest.fixture(scope="module")
def ingested(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Switched]:
    """Ingested once for the module and committed; each test's own changes are rolled back."""
    with django_db_blocker.unblock():
        begun = time.monotonic()
        _ingest(_pdf(2026))
        between = current_edition()
        _ingest(_pdf(2027))
        seconds = time.monotonic() - begun
        assert between is not None
        yield Switched(Edition.objects.get(year=2026), Edition.objects.get(year=2027), between, seconds)
        IngestRun.objects.all().delete()
        Edition.objects.all().delete()


def _pdf(number: int) -> Path:
    return SAMPLE_DIR / load_edition(number).pdf


def _ingest(path: Path) -> str:
    out = StringIO()
    call_command("ingest_pdf", str(path), stdout=out)
    return out.getvalue()


def _passages(edition: Edition, slug: str) -> list[tuple[str, str]]:
    of_drug = Passage.objects.filter(section__monograph__edition=edition, section__monograph__slug=slug)
    return list(of_drug.order_by("section__order", "order").values_list("uid", "text"))


def _slugs(edition: Edition) -> set[str]:
    return set(Monograph.objects.filter(edition=edition).values_list("slug", flat=True))


def test_both_editions_are_ingested_in_under_30_seconds_each(ingested: Switched) -> None:
    # 16 s for the two on a quiet machine of two processors; the bound leaves room for a busy one.
    assert ingested.seconds < 2 * 30


def test_the_newer_edition_takes_over(ingested: Switched) -> None:
    assert ingested.served_between == ingested.first
    assert current_edition() == ingested.second
    assert [e.state for e in (ingested.first, ingested.second)] == [EditionState.SUPERSEDED, EditionState.PUBLISHED]
    assert ingested.first.is_sample and ingested.second.is_sample


def test_one_monograph_is_new_and_one_is_gone(ingested: Switched) -> None:
    first, second = _slugs(ingested.first), _slugs(ingested.second)
    assert (second - first, first - second) == ({"cefalexin"}, {"nystatin"})
    served = Alias.objects.filter(edition=ingested.second)
    assert served.filter(folded="keflex").exists()
    assert not served.filter(folded="mycostatin").exists()


def test_an_unchanged_monograph_keeps_its_passages_and_their_keys(ingested: Switched) -> None:
    kept = (_slugs(ingested.first) & _slugs(ingested.second)) - set(CHANGED)
    assert len(kept) > 40
    for slug in kept:
        before, after = (_passages(edition, slug) for edition in (ingested.first, ingested.second))
        assert before and before == after, slug


@pytest.mark.parametrize("slug", CHANGED)
def test_a_changed_monograph_has_new_keys_only_where_its_words_changed(ingested: Switched, slug: str) -> None:
    before, after = (dict(_passages(edition, slug)) for edition in (ingested.first, ingested.second))
    shared = before.keys() & after.keys()
    assert all(before[uid] == after[uid] for uid in shared)
    assert 0 < len(after.keys() - shared) <= 8
    assert len(shared) > 30


def test_the_removed_monograph_is_not_served_but_can_still_be_read(client: Client, ingested: Switched) -> None:
    gone = open_page(client, "/monographs/nystatin/", status=404)
    assert "Không có chuyên luận này" in gone.text
    old = open_page(client, f"/monographs/nystatin/?edition={ingested.first.pk}")
    assert "Đang xem ấn bản cũ" in old.text and "Kháng sinh chống nấm nhóm polyen" in old.text
    assert "cephalosporin thế hệ 1" in open_page(client, "/monographs/cefalexin/").text


def test_a_changed_section_reads_as_its_edition_says(client: Client, ingested: Switched) -> None:
    added = "sốt sau tiêm chủng, trẻ 2 - 3 tháng"
    assert added in open_page(client, "/monographs/paracetamol/lieu_dung/").text
    old = open_page(client, f"/monographs/paracetamol/lieu_dung/?edition={ingested.first.pk}")
    assert added not in old.text and "Đường uống theo tuổi" in old.text


def test_going_back_serves_the_older_edition_again(client: Client, ingested: Switched) -> None:
    publish_edition(ingested.first)
    ingested.second.refresh_from_db()
    assert current_edition() == ingested.first and ingested.second.state == EditionState.SUPERSEDED
    assert "Đang xem ấn bản cũ" not in open_page(client, "/monographs/nystatin/").text
    open_page(client, "/monographs/cefalexin/", status=404)
    later = open_page(client, f"/monographs/cefalexin/?edition={ingested.second.pk}")
    assert "Đang xem ấn bản cũ" in later.text


def test_either_file_again_changes_nothing(ingested: Switched) -> None:
    for number in (2026, 2027):
        assert "Không có gì thay đổi" in _ingest(_pdf(number))
    assert current_edition() == ingested.second
    assert Edition.objects.count() == IngestRun.objects.count() == 2
