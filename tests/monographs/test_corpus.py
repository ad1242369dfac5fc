"""What a process keeps of an edition over the reviews of its passages."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from monographs.corpus import corpus_of
from monographs.models import Edition
from tests.sample_edition import publish_sample

pytestmark = pytest.mark.django_db


def bumped(edition: Edition) -> Edition:
    """The edition after a review."""
    edition.revision += 1
    edition.save(update_fields=["revision"])
    return edition


def test_review_costs_no_reading_of_names_or_accents() -> None:
    edition = publish_sample(("PARACETAMOL",))
    before = corpus_of(edition)
    with CaptureQueriesContext(connection) as done:
        after = corpus_of(bumped(edition))
    assert [query["sql"].split()[0] for query in done] == ["UPDATE"]
    assert after.names is before.names and after.vocabulary is before.vocabulary and after.accents is before.accents


def test_version_follows_the_review() -> None:
    edition = publish_sample(("PARACETAMOL",))
    before = corpus_of(edition)
    assert before.version == f"{edition.pk}.0"
    assert corpus_of(bumped(edition)).version == f"{edition.pk}.1"
    assert before.version == f"{edition.pk}.0"


def test_another_edition_has_its_own_names() -> None:
    first, second = publish_sample(("PARACETAMOL",)), publish_sample(("WARFARIN",))
    assert set(corpus_of(first).drugs) == {"paracetamol"}
    assert set(corpus_of(second).drugs) == {"warfarin"}
    assert corpus_of(first).edition_id == first.pk
