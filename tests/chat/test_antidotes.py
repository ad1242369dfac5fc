"""An antidote in the overdose of another drug, on the sample: its own dose for that poisoning, labelled so."""

from __future__ import annotations

import pytest

from chat.antidotes import as_antidote, for_poisoning
from chat.domain import QueryFrame
from chat.understand import understand
from monographs.domain import DrugRef, SectionKey
from tests.sample_corpus import sample_corpus
from tests.sample_evidence import sample_evidence


def _frame_of(drug_id: str, question: str) -> QueryFrame:
    """How a question is asked of one of its drugs."""
    corpus = sample_corpus()
    frame = understand(question, corpus)
    assert drug_id in {drug.drug_id for drug in frame.drugs}
    own = tuple(block for block in sample_evidence() if block.drug.drug_id == drug_id)
    others = [(drug, _classes(drug)) for drug in frame.drugs if drug.drug_id != drug_id]
    return for_poisoning(as_antidote(frame, own, others), own)


def _classes(drug: DrugRef) -> frozenset[str]:
    return frozenset(["thuoc", "chen", "kenh", "calci"]) if drug.drug_id in {"nifedipin", "amlodipin"} else frozenset()


@pytest.mark.parametrize(
    ("drug_id", "question"),
    [
        ("acetylcystein", "ngo doc para, nam 125kg, tong lieu acetylcystein truyen tm bao nhieu"),
        ("acetylcystein", "ngộ độc para, NAC đường uống liều đầu cho người 60kg là bao nhiêu (acetylcystein)"),
        ("acetylcystein", "uống 20 viên para, acetylcystein truyền liều bao nhiêu"),
        ("acetylcystein", "acetylcystein giải độc paracetamol liều bao nhiêu"),
        ("acetylcystein", "ngộ độc paracetamol dùng acetylcystein thế nào"),
        ("calci_gluconat", "qua lieu nifedipin, calci gluconat tiem may ml nguoi lon"),
        ("calci_gluconat", "quá liều amlodipin calci gluconat bao nhiêu ml"),
        ("phytomenadion", "quá liều warfarin INR 9 không chảy máu, phytomenadion liều bao nhiêu"),
    ],
)
def test_of_the_antidote_the_dose_is_asked(drug_id: str, question: str) -> None:
    assert _frame_of(drug_id, question).attribute is SectionKey.LIEU_DUNG


@pytest.mark.parametrize(
    ("drug_id", "question"),
    [
        # Of the drug that was taken, and of both where both were.
        ("paracetamol", "ngo doc para, nam 125kg, tong lieu acetylcystein truyen tm bao nhieu"),
        ("acetylcystein", "quá liều acetylcystein và paracetamol xử trí"),
        ("acetylcystein", "qua lieu paracetamol va acetylcystein thi lam gi"),
        # No dose of it is labelled for that.
        ("kali_clorid", "ngộ độc digoxin cho kali clorid liều bao nhiêu"),
        ("calci_gluconat", "ngộ độc digoxin, calci gluconat bao nhiêu ml"),
    ],
)
def test_of_what_was_taken_the_handling_is_asked(drug_id: str, question: str) -> None:
    assert _frame_of(drug_id, question).attribute is SectionKey.QUA_LIEU


def test_the_way_of_the_antidote_is_none_of_the_drug_taken() -> None:
    question = "ngộ độc paracetamol, acetylcystein truyền tĩnh mạch liều bao nhiêu"
    assert _frame_of("paracetamol", question).route is None
    assert _frame_of("acetylcystein", question).route is not None
