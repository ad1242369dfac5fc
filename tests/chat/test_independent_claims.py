"""Claims by someone who had not seen the gates: no false one passes, few true ones are refused."""

from __future__ import annotations

from collections import Counter

import pytest

from chat.domain import Stop
from chat.gates import GENERATED_GATES
from chat.verify import verify_claims
from tests.chat.independent import independent_claims

# What issue 4 counts as true; a light paraphrase is beyond it, and reported beside it.
COUNTED = {"verbatim", "trimmed", "reordered", "merged"}
MOST_REFUSED = 0.08


def test_no_independent_false_claim_passes(capsys: pytest.CaptureFixture[str]) -> None:
    made: Counter[str] = Counter()
    passed = []
    for case in (case for case in independent_claims() if not case.is_true):
        made[case.kind] += 1
        if not isinstance(verify_claims([case.claim], case.evidence, GENERATED_GATES), Stop):
            passed.append((case.line, case.kind, case.claim.text))
    with capsys.disabled():
        print(f"\nindependent false claims stopped: {made.total() - len(passed)}/{made.total()} {dict(made)}")
    assert passed == []
    assert made.total() >= 200


def test_independent_true_claims_are_rarely_refused(capsys: pytest.CaptureFixture[str]) -> None:
    made: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    for case in (case for case in independent_claims() if case.is_true):
        made[case.kind] += 1
        refused[case.kind] += isinstance(verify_claims([case.claim], case.evidence, GENERATED_GATES), Stop)
    with capsys.disabled():
        print(f"\nindependent true claims refused: {dict(refused)} of {dict(made)}")
    counted = sum(made[kind] for kind in COUNTED)
    assert counted >= 100
    assert sum(refused[kind] for kind in COUNTED) <= MOST_REFUSED * counted
