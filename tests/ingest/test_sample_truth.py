"""The bundled PDF scored against its sources by the very program that scores the real book's parse."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ingest.export import export_book
from ingest.pipeline import parse_book
from ingest.sample import source
from ingest.sample.build import Built, build
from ingest.sample.pdf import fonts_present
from monographs.domain import MonographKind
from tests.paths import SHARED, needs_shared

SCORER = SHARED / "corpus" / "score_parse.py"
EXACT = (
    "monographs recall",
    "monographs precision",
    "section heads F1",
    "section text exact",
    "printed pages right",
)
NONE = (
    "section text silently different",
    "served numbers not in the truth",
    "truth numbers neither served nor held back",
)


def _truth(edition: source.Edition, built: Built) -> dict[str, Any]:
    """The sources in the form of a truth file; where things stand is what the typesetter says."""
    drugs = [monograph for monograph in edition.monographs if monograph.kind is MonographKind.DRUG]
    shift = next(iter(built.starts.values()))
    front = shift[0] - shift[1]
    return {
        "monographs": [_monograph(monograph, built) for monograph in drugs],
        "tables": [],
        "formulas": [],
        "headings": [],
        "pages": [
            {"phys": page - 1, "printed": page - front, "kind": "body", "lines": []}
            for page in range(1, built.page_count + 1)
        ],
    }


def _monograph(monograph: source.Monograph, built: Built) -> dict[str, Any]:
    page = built.places[monograph.slug, "title"]
    return {
        "title": monograph.title,
        "title_frags": [{"phys": page - 1, "bbox": [0, 0, 0, 0]}],
        "sections": [
            {
                "key": str(section.key),
                "text": section.text,
                "head_phys": built.places[monograph.slug, str(section.key)] - 1,
                "head_box": [0, 0, 0, 0],
                "runin": True,
            }
            for section in monograph.sections
        ],
    }


@needs_shared
@pytest.mark.skipif(not fonts_present(), reason="the font Tinos is not installed")
@pytest.mark.parametrize("number", [2026, 2027])
def test_the_scorer_finds_the_export_exact(number: int, tmp_path: Path) -> None:
    edition = source.load_edition(number)
    built = build(edition)
    pdf, export, truth = tmp_path / "sample.pdf", tmp_path / "export.json", tmp_path / "truth.gt.json.gz"
    pdf.write_bytes(built.pdf)
    export.write_text(json.dumps(export_book(parse_book(pdf, workers=1))), "utf-8")
    truth.write_bytes(gzip.compress(json.dumps(_truth(edition, built)).encode()))
    scored = subprocess.run(
        [sys.executable, str(SCORER), str(export), str(truth)], capture_output=True, text=True, check=False
    )
    figures = scored.stdout.splitlines()
    assert scored.returncode == 0, scored.stdout + scored.stderr
    for name in EXACT:
        assert any(line.startswith(f"{name} 1.00000") for line in figures), scored.stdout
    for name in NONE:
        assert any(line.startswith(f"{name} 0.00000") for line in figures), scored.stdout
