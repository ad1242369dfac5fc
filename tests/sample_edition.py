"""The sample as a published edition, for tests about questions; places are tested on the real PDF."""

from __future__ import annotations

from ingest.domain import ParsedBook
from ingest.pipeline import parse_book
from ingest.publish import build_edition, publish_edition
from monographs.models import Edition
from tests.paths import ROOT
from tests.sample_book import FEW, sample_book

SAMPLE_PDF = ROOT / "ingest" / "sample" / "duoc-thu-mau.pdf"


def publish_sample(titles: tuple[str, ...] = FEW) -> Edition:
    """Builds and publishes the sample edition: the few monographs most tests ask about, all of them for ()."""
    edition = Edition.objects.create(
        title="Dược thư mẫu", year=2026, is_sample=True, sha256="5a" * 32, parser_version="sources"
    )
    return _published(edition, sample_book(titles=titles))


def publish_sample_pdf() -> Edition:
    """The whole sample as its own PDF is read, tables and places included."""
    edition = Edition.objects.create(
        title="Dược thư mẫu", year=2026, is_sample=True, sha256="5b" * 32, parser_version="pdf"
    )
    return _published(edition, parse_book(SAMPLE_PDF))


def _published(edition: Edition, book: ParsedBook) -> Edition:
    build_edition(edition, book, on_progress=lambda _done, _total: None)
    publish_edition(edition)
    return edition
