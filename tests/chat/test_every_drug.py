"""Every drug of the sample asked for patients of many kinds: no passage for another age or weight is ever shown."""

from __future__ import annotations

from decimal import Decimal

import pytest

from chat.bands import BandKind, bands_of
from chat.branches import AGE_GROUPS, facets
from chat.decide import decide, decide_frame
from chat.domain import EvidenceBlock, Population
from chat.selection import Selection
from chat.understand import understand
from monographs.domain import SectionKey
from tests.sample_corpus import sample_corpus
from tests.sample_evidence import sample_evidence

# The question, the ages whose doses may be shown, the patient's months and kilograms where they are said.
PATIENTS = [
    ("liều {} người lớn", {Population.NGUOI_LON}, None, None),
    ("lieu {} be 5 tuoi", {Population.TRE_EM}, 60, None),
    ("{} trẻ 8 tháng 8 kg", {Population.TRE_EM}, 8, 8),
    ("{} trẻ sơ sinh", {Population.TRE_SO_SINH}, None, None),
    ("{} cụ 80 tuổi uống", {Population.NGUOI_CAO_TUOI, Population.NGUOI_LON}, 960, None),
    ("{} bé 20kg tiêm", {Population.TRE_EM}, None, 20),
    ("liều {} trẻ 14 tuổi 50kg", {Population.TRE_EM}, 168, 50),
    ("{} bn 30 tuổi tiêm tĩnh mạch", {Population.NGUOI_LON}, 360, None),
    ("có dùng {} cho bé 3 tuổi đang sốt cao không, liều sao", {Population.TRE_EM}, 36, None),
    ("nguoi lon dung {} duoc khong lieu bao nhieu", {Population.NGUOI_LON}, None, None),
]
DRUGS = {block.drug.drug_id: block.drug for block in sample_evidence()}
_LEAST_SHOWN = 100  # of all these questions: the table above is not about answers that are never given


@pytest.mark.parametrize(("form", "ages", "months", "kilograms"), PATIENTS)
def test_no_dose_of_another_patient_is_shown(
    form: str, ages: set[Population], months: int | None, kilograms: int | None
) -> None:
    shown = {drug_id: _doses(form.format(drug.name), drug_id) for drug_id, drug in DRUGS.items()}
    values = {BandKind.AGE: months, BandKind.WEIGHT: kilograms}
    wrong = [
        (drug_id, block.labels)
        for drug_id, doses in shown.items()
        for block in doses
        if _of_another_age(block, ages) or any(_leaves_out(label, values) for label in block.labels)
    ]
    assert wrong == []


def test_many_of_them_are_answered() -> None:
    questions = [(form.format(drug.name), drug_id) for form, *_ in PATIENTS for drug_id, drug in DRUGS.items()]
    assert sum(bool(_doses(question, drug_id)) for question, drug_id in questions) >= _LEAST_SHOWN


def _doses(question: str, drug_id: str) -> list[EvidenceBlock]:
    frame = understand(question, sample_corpus())
    if decide_frame(frame, sample_corpus()) is not None:
        return []
    evidence = tuple(b for b in sample_evidence() if b.drug.drug_id == drug_id)
    outcome = decide(frame, evidence, question)
    shown = outcome.evidence if isinstance(outcome, Selection) else ()
    return [block for block in shown if block.section is SectionKey.LIEU_DUNG]


def _of_another_age(block: EvidenceBlock, ages: set[Population]) -> bool:
    named = facets(" ; ".join(block.labels))[0] & AGE_GROUPS
    return bool(named) and named.isdisjoint(ages)


def _leaves_out(label: str, values: dict[BandKind, int | None]) -> bool:
    """Whether a label's bands of some kind all leave the patient out."""
    bands = bands_of(label)
    return any(
        value is not None
        and any(band.kind is kind for band in bands)
        and not any(band.holds(Decimal(value)) for band in bands if band.kind is kind)
        for kind, value in values.items()
    )
