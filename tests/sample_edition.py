"""The sample as a published edition, for tests about questions; places are tested on the real PDF."""

from __future__ import annotations

from ingest.publish import build_edition, publish_edition
from monographs.models import Edition
from tests.sample_book import FEW, sample_book


def publish_sample(titles: tuple[str, ...] = FEW) -> Edition:
    """Builds and publishes the sample edition: the few monographs most tests ask about, all of them for ()."""
    edition = Edition.objects.create(
        title="Dược thư mẫu", year=2026, is_sample=True, sha256="5a" * 32, parser_version="sources"
    )
    build_edition(edition, sample_book(titles=titles), on_progress=lambda _done, _total: None)
    publish_edition(edition)
    return edition
