"""What stands beside the pairs of a prescription: doses for the clearance told, and of a drug that is there twice."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from chat.bands import Band, BandKind, bands_of
from chat.branches import branches_of
from chat.domain import EvidenceBlock, QueryFrame
from chat.fitting import fits
from chat.organs import as_dialysed
from chat.topics import passages_on, topic_named
from monographs.domain import SectionKey

_SENTENCE = re.compile(r"(?<=[.;])\s+")
_KEPT_FROM = re.compile(r"\b(?:không (?:được )?dùng|tránh|không nên dùng)\b", re.IGNORECASE)
_DOUBLED = "same_substance"


def doses_at_clearance(own: Sequence[EvidenceBlock], frame: QueryFrame) -> list[EvidenceBlock]:
    """The doses of a drug that are labelled for the patient's clearance, and those that keep it from one so low. The
    route told may be another drug's."""
    if frame.clearance_ml_min is None:
        return []
    alone = replace(frame, route=None)
    doses = [block for block in own if block.section is SectionKey.LIEU_DUNG and not block.is_held]
    banded = [b for b in as_dialysed(branches_of(doses), alone) if _goes_by_clearance(b.bands) and fits(b, alone)]
    labelled = {block for branch in banded for block in branch.blocks}
    return [block for block in doses if block in labelled or (not block.is_label and _is_kept_from(block, alone))]


def on_doubling(own: Sequence[EvidenceBlock]) -> tuple[EvidenceBlock, ...]:
    """What is said of one substance in two preparations: "không dùng hai chế phẩm chứa …", "tổng liều từ mọi nguồn"."""
    topic = topic_named(_DOUBLED)
    return passages_on(topic, [block for block in own if not block.is_held]) if topic else ()


def _is_kept_from(block: EvidenceBlock, frame: QueryFrame) -> bool:
    """Whether a sentence under no band forbids what is given at this clearance: "Không dùng khi eGFR dưới 30"."""
    clearance = frame.clearance_ml_min
    if clearance is None or _goes_by_clearance(bands_of(" ; ".join(block.labels))):
        return False
    bands = [b for s in _SENTENCE.split(block.text) if _KEPT_FROM.search(s) for b in bands_of(s)]
    return any(band.kind is BandKind.CLEARANCE and band.holds(clearance) for band in bands)


def _goes_by_clearance(bands: Sequence[Band]) -> bool:
    return any(band.kind is BandKind.CLEARANCE for band in bands)
