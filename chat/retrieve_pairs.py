"""The evidence for drugs taken together: all that their monographs say."""

from __future__ import annotations

from chat.domain import EvidenceBlock, QueryFrame
from chat.interaction_route import is_too_many
from chat.retrieve_lists import retrieve_drugs
from monographs.domain import SectionKey
from monographs.names import Corpus


def retrieve_interaction(frame: QueryFrame, corpus: Corpus) -> tuple[EvidenceBlock, ...]:
    """Every passage of the drugs named, in their order; none where there are too many of them. One query."""
    return () if is_too_many(frame) else retrieve_drugs(frame.drugs, SectionKey, edition_id=corpus.edition_id)
