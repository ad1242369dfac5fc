"""Claims written by someone who had not seen the gates (independent_claims.jsonl), with the passages they cite."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chat.domain import DraftClaim, EvidenceBlock
from tests.sample_evidence import sample_evidence

_FILE = Path(__file__).parent / "independent_claims.jsonl"


@dataclass(frozen=True, slots=True)
class IndependentClaim:
    """kind: of falsehood, or of truth; line: in the file."""

    line: int
    kind: str
    is_true: bool
    claim: DraftClaim
    evidence: tuple[EvidenceBlock, ...]


def independent_claims() -> Iterator[IndependentClaim]:
    """All of them, in the file's order. Raises LookupError where a cited passage is no longer in the sample."""
    for number, line in enumerate(_FILE.read_text("utf-8").splitlines(), start=1):
        row = json.loads(line)
        evidence = tuple(_passage(cite, number) for cite in row["cites"])
        claim = DraftClaim(row["claim"], tuple(range(len(evidence))), None)
        yield IndependentClaim(number, row["kind"], row["true"], claim, evidence)


def _passage(cite: dict[str, Any], number: int) -> EvidenceBlock:
    found = [
        block
        for block in sample_evidence()
        if block.drug.drug_id.startswith(cite["slug"].split("-")[0])
        and block.section == cite["section"]
        and block.text.startswith(cite["starts"])
    ]
    if not found:
        raise LookupError(f"line {number}: no passage of {cite['slug']} begins with {cite['starts']!r}")
    return found[0]
