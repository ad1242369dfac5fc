"""Of passages side by side, those whose label the question says: what is done for one is not for the other."""

from __future__ import annotations

from collections.abc import Sequence

from chat.closest_branches import said_of_label
from chat.domain import EvidenceBlock
from chat.terms import AskedWords


def closest(
    blocks: Sequence[EvidenceBlock], words: AskedWords, *, of_one_head: bool = False
) -> tuple[EvidenceBlock, ...]:
    """Without the passages beside one whose label the question says more of: "xử trí, hôn mê" leaves out "xử trí, còn
    tỉnh". Those of which it says the same stay, and so does what stands beside nothing.

    of_one_head: only labels that begin alike before their comma are siblings, not all that stand under the same ones.
    """
    said = {block.labels: said_of_label(block.labels[-1], words) for block in blocks if block.labels}
    places = {labels: _place(labels, of_one_head=of_one_head) for labels in said}
    most: dict[tuple[str, ...], int] = {}
    for labels, count in said.items():
        most[places[labels]] = max(most.get(places[labels], 0), count)
    return tuple(block for block in blocks if not block.labels or said[block.labels] == most[places[block.labels]])


def _place(labels: tuple[str, ...], *, of_one_head: bool) -> tuple[str, ...]:
    head = labels[-1].partition(",")[0]
    # What stands under a label is beside nothing that stands above it.
    return (*labels[:-1], head, "") if of_one_head or len(labels) == 1 else labels[:-1]
