"""The wording gates against false claims of every class, and against true ones."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest

from chat.domain import DraftClaim, EvidenceBlock, Reason, Stop
from chat.gates import EXTRACTIVE_GATES, GENERATED_GATES
from chat.verify import verify_claims
from monographs.domain import Box, DrugRef, PassageKind, PassageState, SectionKey
from tests.chat.mutations import MUTATIONS, false_claims
from tests.chat.true_claims import VARIATIONS, true_claims
from tests.sample_evidence import sample_evidence

PASSAGES = [b for b in sample_evidence() if b.kind is PassageKind.TEXT and not b.is_label and b.text]
# Sections that may lack a class (an invented indication needs an indication) still give this many false claims.
LEAST_FALSE, LEAST_TRUE = 600, 400


def test_every_passage_of_the_sample_passes_verbatim() -> None:
    refused = {
        b.text: outcome.reason.value
        for b in PASSAGES
        if isinstance(outcome := verify_claims([DraftClaim(b.text, (0,), b.drug.drug_id)], [b], EXTRACTIVE_GATES), Stop)
    }
    assert refused == {}


def test_no_false_claim_passes(capsys: pytest.CaptureFixture[str]) -> None:
    made: Counter[str] = Counter()
    reasons: defaultdict[str, Counter[str]] = defaultdict(Counter)
    passed = []
    for false in false_claims(PASSAGES, per_class=60):
        made[false.kind] += 1
        outcome = verify_claims([false.claim], false.evidence, GENERATED_GATES)
        if isinstance(outcome, Stop):
            reasons[false.kind][outcome.reason.value] += 1
        else:
            passed.append((false.kind, false.claim.text))
    with capsys.disabled():
        print("\nfalse claims stopped, by class:")
        for kind, count in made.items():
            print(f"  {kind:20} {sum(reasons[kind].values()):4}/{count:<4} {dict(reasons[kind].most_common())}")
    assert passed == []
    assert set(made) == set(MUTATIONS)
    assert made.total() >= LEAST_FALSE


def test_true_claims_are_rarely_refused(capsys: pytest.CaptureFixture[str]) -> None:
    made: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    for kind, claim, evidence in true_claims(PASSAGES, per_class=100):
        made[kind] += 1
        refused[kind] += isinstance(verify_claims([claim], evidence, GENERATED_GATES), Stop)
    with capsys.disabled():
        print(f"\ntrue claims refused: {refused.total()}/{made.total()} {dict(refused)}")
    assert set(made) == set(VARIATIONS)
    assert made.total() >= LEAST_TRUE
    assert refused.total() <= 0.03 * made.total()


def _block(text: str, *labels: str, section: SectionKey = SectionKey.LIEU_DUNG) -> EvidenceBlock:
    return EvidenceBlock(
        passage_id=1,
        passage_uid="u",
        edition_id=1,
        drug=DrugRef("thuoc_thu", "Thuốc thử", 1, 1, 1),
        section=section,
        section_heading="",
        section_anchor=section.value,
        labels=labels,
        text=text,
        kind=PassageKind.TEXT,
        state=PassageState.SERVED,
        order=0,
        pdf_page=1,
        printed_page=1,
        printed_page_last=1,
        boxes=(Box(1, 0, 0, 1, 1),),
    )


ADULT = _block("Đường uống: 0,5 - 1 g/lần, cách 4 - 6 giờ một lần; tối đa 4 g/ngày.", "Người lớn", "Đường uống")
CHILD = _block("Trẻ 3 - 11 tháng: 60 mg/lần; trẻ 1 - 4 tuổi: 125 mg/lần. Cách 6 giờ một lần.", "Trẻ em")
RENAL = _block("Clcr 10 - 30 ml/phút: 250 mg/lần; Clcr dưới 10 ml/phút: không dùng.", "Người suy thận")
WARNING = _block("Không dùng cùng aspirin vì tăng nguy cơ chảy máu.", section=SectionKey.TUONG_TAC)


@pytest.mark.parametrize(
    ("text", "block", "reason"),
    [
        ("Người lớn: 5 - 1 g/lần.", ADULT, Reason.UNGROUNDED_NUMBER),
        ("Người lớn: 0,5 g/lần.", ADULT, Reason.UNGROUNDED_NUMBER),
        ("Người lớn: 0.5 - 1 g/lần.", ADULT, Reason.UNGROUNDED_NUMBER),
        ("Người lớn: 0,5 - 1 mg/lần.", ADULT, Reason.UNIT_MISMATCH),
        ("Người lớn: 0,5 - 1 g/ngày.", ADULT, Reason.UNIT_MISMATCH),
        ("Người lớn: 0,5 - 1 g.", ADULT, Reason.UNIT_MISMATCH),
        ("Liều 4 g/ngày.", ADULT, Reason.LABEL_MISMATCH),
        ("Trẻ em: 0,5 - 1 g/lần.", ADULT, Reason.LABEL_MISMATCH),
        ("Người lớn và trẻ em: 0,5 - 1 g/lần.", ADULT, Reason.LABEL_MISMATCH),
        ("Tiêm tĩnh mạch 0,5 - 1 g/lần.", ADULT, Reason.LABEL_MISMATCH),
        ("0,5 - 1 g/lần, gấp đôi khi đau nặng.", ADULT, Reason.UNGROUNDED_NUMBER),
        ("0,5 - 1 g/lần để trị viêm khớp.", ADULT, Reason.UNSUPPORTED_CLAIM),
        ("Là thuốc hàng đầu: 0,5 - 1 g/lần.", ADULT, Reason.UNSUPPORTED_RANKING),
        ("Dùng an toàn 0,5 - 1 g/lần.", ADULT, Reason.ABSENCE_AS_SAFETY),
        ("Trẻ 3 - 11 tháng: 125 mg/lần.", CHILD, Reason.LABEL_MISMATCH),
        ("Trẻ 1 - 4 tuổi: 60 mg/lần.", CHILD, Reason.LABEL_MISMATCH),
        ("60 mg/lần, cách 6 giờ một lần.", CHILD, Reason.LABEL_MISMATCH),
        ("Clcr dưới 10 ml/phút: 250 mg/lần.", RENAL, Reason.LABEL_MISMATCH),
        ("Clcr dưới 10 ml/phút: dùng.", RENAL, Reason.POLARITY_MISMATCH),
        ("Dùng cùng aspirin vì tăng nguy cơ chảy máu.", WARNING, Reason.POLARITY_MISMATCH),
        ("Không tăng nguy cơ chảy máu.", WARNING, Reason.POLARITY_MISMATCH),
        ("Không dùng cùng warfarin vì tăng nguy cơ chảy máu.", WARNING, Reason.UNSUPPORTED_CLAIM),
        ("Không có tương tác.", WARNING, Reason.ABSENCE_AS_SAFETY),
    ],
)
def test_what_a_sceptic_would_try(text: str, block: EvidenceBlock, reason: Reason) -> None:
    outcome = verify_claims([DraftClaim(text, (0,))], [block], GENERATED_GATES)
    assert isinstance(outcome, Stop), "passed"
    assert outcome.reason is reason


@pytest.mark.parametrize(
    ("text", "block"),
    [
        (ADULT.text, ADULT),
        ("Người lớn, đường uống: 0,5 - 1 g/lần, cách 4 - 6 giờ một lần, tối đa 4 g/ngày.", ADULT),
        ("0,5 - 1 g/lần.", ADULT),
        ("Trẻ 1 - 4 tuổi: 125 mg/lần, cách 6 giờ một lần.", CHILD),
        ("Trẻ 3 - 11 tháng: 60 mg/lần.", CHILD),
        ("Clcr dưới 10 ml/phút: không dùng.", RENAL),
        ("Không dùng cùng aspirin.", WARNING),
    ],
)
def test_a_faithful_wording_passes(text: str, block: EvidenceBlock) -> None:
    assert not isinstance(verify_claims([DraftClaim(text, (0,))], [block], GENERATED_GATES), Stop)
