"""The gates of the mode without a model, each with what it must stop."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chat.domain import DraftClaim, EvidenceBlock, Reason, Stop
from chat.verify import VerifiedClaim, verify_claims
from monographs.domain import Box, DrugRef, PassageKind, PassageState, SectionKey

PARACETAMOL = DrugRef("paracetamol", "Paracetamol", 1, 3, 1)
ADULT = EvidenceBlock(
    passage_id=1,
    passage_uid="a",
    edition_id=1,
    drug=PARACETAMOL,
    section=SectionKey.LIEU_DUNG,
    section_heading="Liều lượng và cách dùng",
    section_anchor="lieu_dung",
    labels=("Người lớn", "Đường uống"),
    text="Đường uống: 0,5 - 1 g/lần, cách 4 - 6 giờ một lần; tối đa 4 g/ngày.",
    kind=PassageKind.TEXT,
    state=PassageState.SERVED,
    order=0,
    pdf_page=3,
    printed_page=1,
    printed_page_last=1,
    boxes=(Box(3, 42, 100, 289, 112),),
)
CHILD = replace(ADULT, passage_id=2, passage_uid="b", labels=("Trẻ em",), text="Trẻ em: 10 - 15 mg/kg/lần.")
HELD = replace(ADULT, passage_id=3, passage_uid="c", state=PassageState.QUARANTINED)
TABLE = replace(ADULT, passage_id=4, passage_uid="d", kind=PassageKind.TABLE, state=PassageState.QUARANTINED)
UNPAGED = replace(ADULT, passage_id=5, passage_uid="e", printed_page=None)
OTHER = replace(ADULT, passage_id=6, passage_uid="f", drug=DrugRef("ibuprofen", "Ibuprofen", 2, 4, 2))
EVIDENCE = (ADULT, CHILD, HELD, TABLE, UNPAGED, OTHER)


@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        (DraftClaim(ADULT.text, ()), Reason.UNCITED_CLAIM),
        (DraftClaim(ADULT.text, (6,)), Reason.INVALID_CITATION),
        (DraftClaim(ADULT.text, (-1,)), Reason.INVALID_CITATION),
        (DraftClaim(ADULT.text, (0, 9)), Reason.INVALID_CITATION),
        (DraftClaim(UNPAGED.text, (4,)), Reason.MISSING_PRINTED_PAGE),
        (DraftClaim(HELD.text, (2,)), Reason.SOURCE_QUARANTINED),
        (DraftClaim(TABLE.text, (3,)), Reason.SOURCE_QUARANTINED),
        (DraftClaim(ADULT.text, (5,), "paracetamol"), Reason.UNSUPPORTED_DRUG),
        (DraftClaim(ADULT.text, (1,)), Reason.UNSUPPORTED_CLAIM),
        (DraftClaim(ADULT.text.replace("0,5", "5"), (0,)), Reason.UNSUPPORTED_CLAIM),
        (DraftClaim(ADULT.text.replace("4 g", "40 g"), (0,)), Reason.UNSUPPORTED_CLAIM),
        (DraftClaim(ADULT.text + " An toàn.", (0,)), Reason.UNSUPPORTED_CLAIM),
    ],
    ids=lambda value: value.value if isinstance(value, Reason) else "",
)
def test_a_claim_that_must_not_pass_is_stopped_with_its_reason(claim: DraftClaim, reason: Reason) -> None:
    outcome = verify_claims([claim], EVIDENCE)
    assert isinstance(outcome, Stop) and outcome.reason is reason


def test_one_bad_claim_rejects_the_whole_answer() -> None:
    good, bad = DraftClaim(ADULT.text, (0,)), DraftClaim("Bịa", (0,))
    assert isinstance(verify_claims([good, bad], EVIDENCE), Stop)


def test_nothing_to_say_is_no_answer() -> None:
    outcome = verify_claims([], EVIDENCE)
    assert isinstance(outcome, Stop) and outcome.reason is Reason.INSUFFICIENT_EVIDENCE


def test_a_verbatim_claim_passes() -> None:
    outcome = verify_claims([DraftClaim(ADULT.text, (0,), "paracetamol")], EVIDENCE)
    assert not isinstance(outcome, Stop) and outcome[0].text == ADULT.text


def test_nobody_but_the_verifier_makes_a_verified_claim() -> None:
    with pytest.raises(TypeError, match="verify_claims"):
        VerifiedClaim(DraftClaim("x", (0,)), key=object())
