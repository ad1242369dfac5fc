"""A prescription's clearance, and a drug that is there twice: what stands beside the pairs, on the whole sample."""

from __future__ import annotations

import pytest

from chat.beside_pairs import doses_at_clearance, on_doubling
from chat.domain import EvidenceBlock, PairStatus
from chat.interaction_route import decide_interaction
from chat.rewrites import rewrite_frame
from chat.selection import Selection
from chat.understand import understand
from tests.sample_corpus import sample_corpus
from tests.sample_evidence import sample_evidence


def _own(drug: str) -> list[EvidenceBlock]:
    return [block for block in sample_evidence() if block.drug.drug_id == drug]


def _decide(question: str) -> Selection:
    corpus = sample_corpus()
    frame = rewrite_frame(understand(question, corpus))
    evidence = [block for block in sample_evidence() if block.drug in frame.drugs]
    found = decide_interaction(frame, corpus, evidence)
    assert isinstance(found, Selection)
    return found


@pytest.mark.parametrize(
    ("drug", "clearance", "must", "must_not"),
    [
        ("morphin", "18", "tránh dạng phóng thích kéo dài khi Clcr dưới 30 ml/phút", "Clcr dưới 10"),
        ("vancomycin", "18", "dưới 20 ml/phút: 15 - 20 mg/kg một liều", "20 - 49 ml/phút"),
        ("vancomycin", "30", "20 - 49 ml/phút: 15 - 20 mg/kg/lần", "dưới 20 ml/phút"),
        ("losartan", "25", "Không dùng khi eGFR dưới 30 ml/phút", ""),
        ("spironolacton", "25", "dưới 30 ml/phút: Không dùng", ""),
    ],
)
def test_what_is_printed_for_the_clearance_told(drug: str, clearance: str, must: str, must_not: str) -> None:
    # The route told is the other drug's.
    frame = rewrite_frame(understand(f"{drug} uống, clcr {clearance} ml/phút", sample_corpus()))
    text = "\n".join(block.text for block in doses_at_clearance(_own(drug), frame))
    assert must in text
    assert not must_not or must_not not in text


@pytest.mark.parametrize("told", ["clcr 95 ml/phút", "suy thận", ""])
def test_nothing_is_shown_for_a_clearance_that_is_not_told_or_not_low(told: str) -> None:
    frame = rewrite_frame(understand(f"losartan {told}", sample_corpus()))
    assert not doses_at_clearance(_own("losartan"), frame)


@pytest.mark.parametrize(
    ("drug", "says"), [("sildenafil", "hai chế phẩm"), ("paracetamol", "mọi nguồn"), ("digoxin", "")]
)
def test_only_what_speaks_of_two_preparations_is_said_of_a_drug_twice(drug: str, says: str) -> None:
    found = on_doubling(_own(drug))
    assert bool(found) == bool(says)
    assert all(says in block.text for block in found)


@pytest.mark.parametrize(
    "question",
    ["acetylcystein với dextromethorphan", "acetylcystein uống chung siro ho", "acetylcystein uong chung voi codein"],
)
def test_a_cough_medicine_is_named_by_its_class(question: str) -> None:
    found = _decide(question)
    assert [pair.status for pair in found.pairs] == [PairStatus.NAMED]
    assert any("Không phối hợp với thuốc giảm ho" in block.text for block in found.evidence)


def test_a_prescription_shows_the_dose_at_its_clearance_beside_the_pairs() -> None:
    found = _decide("clcr 18 ml/ph: MST Continus 30mg; Gofen 400mg; Vancocin 1g truyền tĩnh mạch, tương tác")
    text = "\n".join(block.text for block in found.evidence)
    assert "tránh dạng phóng thích kéo dài khi Clcr dưới 30 ml/phút" in text
    assert "thuốc chống viêm không steroid làm tăng độc tính" in text
