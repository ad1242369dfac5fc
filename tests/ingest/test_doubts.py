"""Which built editions wait for an operator: those of which pages or drugs may have been lost."""

from __future__ import annotations

import pytest

from ingest.domain import FindingKind
from ingest.doubts import why_look_first
from ingest.library import bundled_sample
from ingest.models import Finding, RunState
from ingest.runs import LOOK_FIRST, RunOptions, execute_run, request_run
from monographs.corpus import current_edition
from monographs.models import Edition, EditionState
from tests.factories import make_edition, make_monograph

pytestmark = pytest.mark.django_db(transaction=True)


def edition_of(drugs: int, *, state: str = EditionState.READY, is_sample: bool = False) -> Edition:
    edition = make_edition(state=state, is_sample=is_sample)
    for number in range(drugs):
        make_monograph(edition, f"Thuốc {number}", slug=f"thuoc_{number}")
    return edition


@pytest.mark.parametrize(
    ("served", "now", "waits"), [(10, 10, False), (10, 9, False), (10, 8, True), (10, 1, True), (10, 30, False)]
)
def test_a_book_with_fewer_drugs_than_is_served_waits(served: int, now: int, waits: bool) -> None:
    edition_of(served, state=EditionState.PUBLISHED)
    why = why_look_first(edition_of(now))
    assert (f"chỉ có {now} chuyên luận thuốc, ấn bản đang phục vụ có {served}" in why) == waits
    assert bool(why) == waits


@pytest.mark.parametrize(
    ("served", "now"), [(True, False), (False, True)], ids=["book after sample", "sample after book"]
)
def test_the_sample_and_the_book_are_not_measured_by_one_another(served: bool, now: bool) -> None:
    edition_of(10, state=EditionState.PUBLISHED, is_sample=served)
    assert why_look_first(edition_of(1, is_sample=now)) == ""


def test_the_first_edition_waits_for_nothing() -> None:
    assert why_look_first(edition_of(1)) == ""


@pytest.mark.parametrize(("kind", "waits"), [(FindingKind.UNREADABLE_PAGE, True), (FindingKind.TABLE, False)])
def test_a_page_that_could_not_be_read_makes_it_wait(kind: FindingKind, waits: bool) -> None:
    edition = edition_of(3)
    Finding.objects.create(edition=edition, kind=kind, quarantines=True, pdf_page=7)
    assert ("1 trang không đọc được" in why_look_first(edition)) == waits


def test_a_run_that_is_to_be_looked_at_first_ends_built_with_the_reason() -> None:
    served = edition_of(60, state=EditionState.PUBLISHED, is_sample=True)
    asked = request_run(bundled_sample(), RunOptions())
    assert asked.run is not None
    run = execute_run(asked.run.pk)
    assert (run.state, run.error_code) == (RunState.BUILT, LOOK_FIRST)
    assert "47 chuyên luận thuốc, ấn bản đang phục vụ có 60" in run.error
    assert run.edition is not None and run.edition.state == EditionState.READY
    assert current_edition() == served
