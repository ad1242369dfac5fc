"""What a web worker reads before its first question."""

from __future__ import annotations

import gc

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from duocthu_site.warm_up import warm_up
from monographs.corpus import corpus_of, current_edition
from monographs.name_search import names_of
from tests.sample_edition import publish_sample

pytestmark = pytest.mark.django_db(transaction=True)


def test_after_warming_up_nothing_of_the_edition_is_read_again() -> None:
    edition = publish_sample()
    warm_up()
    with CaptureQueriesContext(connection) as queries:
        corpus_of(edition)
        names_of(edition)
    assert len(queries) == 0


def test_after_warming_up_the_collector_leaves_what_stays() -> None:
    publish_sample()
    gc.unfreeze()
    warm_up()
    try:
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()


def test_without_an_edition_it_does_nothing() -> None:
    assert current_edition() is None
    warm_up()
