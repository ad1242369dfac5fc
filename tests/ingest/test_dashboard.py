"""What the dashboard counts."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from ingest.dashboard import findings_by_kind, index_progress, last_runs, served_facts, workers
from ingest.domain import FindingKind
from ingest.models import Finding, IngestRun, WorkerHeartbeat
from monographs.domain import MonographKind, PassageState, SectionKey
from monographs.models import Edition, Embedding
from tests.factories import make_edition, make_held_back, make_monograph, make_passage, make_section

pytestmark = pytest.mark.django_db


@pytest.fixture
def edition() -> Edition:
    edition = make_edition()
    section = make_section(make_monograph(edition), SectionKey.CHI_DINH, "Đau.", "Sốt.")
    make_passage(section, "Sửa.", state=PassageState.CORRECTED, corrected_text="Đã sửa.")
    make_passage(section, "Loại.", state=PassageState.REJECTED)
    make_held_back(section)
    make_monograph(edition, "Chương", kind=MonographKind.CHAPTER)
    make_section(make_monograph(make_edition(state="superseded"), "Khác"), SectionKey.CHI_DINH, "Không đếm.")
    return edition


def test_passages_are_counted_by_what_readers_get(edition: Edition) -> None:
    served = served_facts(edition)
    counted = (served.drugs, served.served, served.corrected, served.held_back, served.rejected, served.passages)
    assert counted == (1, 2, 1, 1, 1, 5)


def test_findings_that_hold_something_back_come_first(edition: Edition) -> None:
    section = edition.monographs.get(kind=MonographKind.DRUG).sections.get()
    table = section.passages.get(kind="table")
    for kind, passage in (
        (FindingKind.TABLE, table),
        (FindingKind.TABLE, table),
        (FindingKind.TEXT_REPAIRED, None),
        (FindingKind.TEXT_REPAIRED, None),
        (FindingKind.TEXT_REPAIRED, None),
    ):
        Finding.objects.create(edition=edition, passage=passage, kind=kind, quarantines=passage is not None, pdf_page=1)
    counts = findings_by_kind(edition)
    assert [(count.kind, count.found, count.held_back) for count in counts] == [
        (FindingKind.TABLE, 2, 1),
        (FindingKind.TEXT_REPAIRED, 3, 0),
    ]


def test_a_decided_passage_is_not_held_back_any_more(edition: Edition) -> None:
    table = edition.monographs.get(kind=MonographKind.DRUG).sections.get().passages.get(kind="table")
    Finding.objects.create(edition=edition, passage=table, kind=FindingKind.TABLE, quarantines=True, pdf_page=1)
    table.state = PassageState.CORRECTED
    table.save()
    assert findings_by_kind(edition)[0].held_back == 0


def test_a_worker_that_fell_silent_is_told_from_one_that_lives() -> None:
    now = timezone.now()
    for name, age in (("sống", 2), ("im", 300), ("hôm trước", 200_000)):
        WorkerHeartbeat.objects.create(name=name, seen_at=now - timedelta(seconds=age))
    assert [(worker.beat.name, worker.is_alive) for worker in workers()] == [("sống", True), ("im", False)]


def test_the_index_is_complete_once_every_text_has_a_vector(edition: Edition) -> None:
    passages = list(edition.monographs.get(kind=MonographKind.DRUG).sections.get().passages.filter(kind="text"))
    assert index_progress(edition).without_words == 5
    for passage in edition.monographs.get(kind=MonographKind.DRUG).sections.get().passages.all():
        passage.text_hash = passage.text
        passage.save()
    waiting = index_progress(edition)
    assert (waiting.texts, waiting.missing, waiting.is_complete) == (4, 4, False)
    Embedding.objects.bulk_create(
        [Embedding(text_hash=p.text, space=space, vector=[1.0]) for p in passages for space in ("một", "hai")]
    )
    assert index_progress(edition).is_complete


def test_the_latest_runs_come_first() -> None:
    for number in range(12):
        IngestRun.objects.create(file_name=f"{number}.pdf", sha256="0" * 64, title="x", year=2026)
    runs = last_runs()
    assert len(runs) == 8 and runs[0].file_name == "11.pdf"
