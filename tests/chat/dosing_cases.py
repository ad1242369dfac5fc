"""Passages, patients and frames for the tests of dose arithmetic: from the sample, or made for a test."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from chat.decide import decide_frame
from chat.domain import EvidenceBlock, Population, QueryFrame, Stop, TurnType
from chat.prior import merge_prior
from chat.rewrites import rewrite_frame
from chat.routes import Asking, path_of
from chat.selection import Selection
from chat.understand import understand
from monographs.domain import PassageKind, SectionKey
from tests.sample_corpus import sample_corpus
from tests.sample_evidence import sample_evidence


def dose_blocks() -> list[EvidenceBlock]:
    """Every dose passage of the sample that is text and no bare label."""
    return [
        block
        for block in sample_evidence()
        if block.section is SectionKey.LIEU_DUNG and block.kind is PassageKind.TEXT and not block.is_label
    ]


def block_of(text: str, labels: tuple[str, ...] = ("Trẻ em", "Đường uống")) -> EvidenceBlock:
    """A dose passage with this text, in a place of the sample's book."""
    return replace(dose_blocks()[0], text=text, labels=labels)


def frame_of(weight: str | None = None, **fields: object) -> QueryFrame:
    """A frame about a dose for a child."""
    values: dict[str, object] = {"populations": frozenset({Population.TRE_EM}), "attribute": SectionKey.LIEU_DUNG}
    frame = QueryFrame(TurnType.DOSING_CALC, drugs=(dose_blocks()[0].drug,))
    return replace(frame, weight_kg=Decimal(weight) if weight else None, **{**values, **fields})  # type: ignore[arg-type]


def asked(question: str, *before: str) -> Selection | Stop:
    """What a question comes to on the sample, after questions that each asked back; no database."""
    corpus, prior, found = sample_corpus(), None, None
    for text in (*before, question):
        frame = merge_prior(rewrite_frame(understand(text, corpus)), prior, after_clarify=prior is not None)
        found = _decided(frame, text)
        prior = frame
    assert found is not None
    return found


def _decided(frame: QueryFrame, question: str) -> Selection | Stop:
    corpus = sample_corpus()
    stop, path = decide_frame(frame, corpus), path_of(frame)
    if stop or path is None:
        return stop or Stop(frame.system_error)  # type: ignore[arg-type]
    evidence = tuple(block for block in sample_evidence() if block.drug.drug_id == frame.drugs[0].drug_id)
    return path.decide(Asking(frame, corpus, question), evidence)
