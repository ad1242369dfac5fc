"""The evidence for drugs taken together: all that their monographs say."""

from __future__ import annotations

from chat.domain import EvidenceBlock, QueryFrame
from chat.interaction_route import is_too_many
from chat.pair_subjects import members_read
from chat.retrieve_lists import retrieve_drugs
from monographs.domain import SectionKey
from monographs.names import Corpus


def retrieve_interaction(frame: QueryFrame, corpus: Corpus) -> tuple[EvidenceBlock, ...]:
    """Every passage of the drugs named, in their order, then of those that belong to a class that is named; none where
    there are too many of them. One query."""
    if is_too_many(frame):
        return ()
    drugs = (*frame.drugs, *members_read(frame, corpus))
    return retrieve_drugs(drugs, SectionKey, edition_id=corpus.edition_id)
