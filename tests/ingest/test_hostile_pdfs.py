"""Files made to do harm: each ends with a typed refusal, and the edition served goes on answering.

A third of the files; all of them run in bench/hostile.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django.fixtures import Settings

from ingest.open_pdf import PdfRefused, Refusal
from ingest.sandbox import Limits, _unpacked, parse_in_child
from monographs.models import Edition
from tests.ingest.hostile_runs import a_third, answers, contained, every_file, ingest, resident_megabytes
from tests.pages.harm import Harm
from tests.pages.mutated import excerpt
from tests.sample_edition import publish_sample

FLAT_MEGABYTES = 150.0


@pytest.fixture
def scratch(tmp_path: Path, settings: Settings) -> Iterator[Path]:
    """The folder of temporary files, with short limits for the parser."""
    settings.DUOCTHU_DATA_DIR = tmp_path / "data"
    for folder in (tmp_path / "data", tmp_path / "tmp"):
        folder.mkdir()
    with contained(tmp_path / "tmp"):
        yield tmp_path / "tmp"


@pytest.fixture
def served(db: None) -> Edition:
    return publish_sample()


@pytest.mark.slow
@pytest.mark.parametrize("harm", Harm, ids=[harm.name.lower() for harm in Harm])
def test_a_hostile_file_ends_typed_and_harms_nothing(harm: Harm, served: Edition, scratch: Path) -> None:
    files = [hostile for hostile in a_third() if hostile.harm is harm]
    assert files
    before = resident_megabytes()
    wrong = {ended.hostile.name: ended.troubles for ended in (ingest(file, served, scratch) for file in files)}
    assert {name: troubles for name, troubles in wrong.items() if troubles} == {}
    assert resident_megabytes() - before < FLAT_MEGABYTES
    assert answers(served)


def test_there_are_more_than_three_hundred_files_and_they_are_always_the_same() -> None:
    files = every_file()
    assert len(files) >= 300
    assert len({(file.harm, file.name) for file in files}) == len(files)
    small = [file for file in files if file.harm in {Harm.XREF, Harm.FLIPPED, Harm.NOT_A_PDF}]
    assert all(file.make() == file.make() for file in small[::5])


def _global_frame(module: str, name: str) -> bytes:
    """A pickle that names something and hands it over."""
    parts = [value.encode() for value in (module, name)]
    return b"\x80\x04" + b"".join(b"\x8c" + bytes((len(part),)) + part for part in parts) + b"\x93."


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("os", "system"),
        ("builtins", "eval"),
        ("ingest.domain", "dataclass"),
        ("ingest.domain", "dataclass.__globals__"),
        ("ingest.domain", "Finding.__init__.__globals__"),
        ("ingest.domain", "StrEnum"),
        ("ingest.pipeline", "parse_book"),
    ],
)
def test_a_child_that_was_taken_over_names_nothing_but_the_books_own_types(module: str, name: str) -> None:
    with pytest.raises(PdfRefused) as refused:
        _unpacked(_global_frame(module, name))
    assert refused.value.refusal is Refusal.CRASHED


def test_a_book_of_more_than_the_caller_can_hold_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "sach.pdf"
    path.write_bytes(excerpt())
    with pytest.raises(PdfRefused) as refused:
        parse_in_child(path, limits=Limits(frame_bytes=10_000))
    assert refused.value.refusal is Refusal.OUT_OF_MEMORY
