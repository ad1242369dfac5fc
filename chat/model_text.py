"""How text that a model wrote is told from the book's own: the words of the labels, and the summary as it is shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from chat.contract import Answer

VERBATIM_TAG: Final = "Nguyên văn"
MODEL_TAG: Final = "Mô hình diễn đạt, đã đối chiếu nguồn"
MIXED_TAG: Final = "Có ý do mô hình diễn đạt"
SUMMARY_TAG: Final = "Tóm tắt do mô hình viết lại, đã đối chiếu với nguồn"
SUMMARY_NOTE: Final = "Tóm tắt có thể lược bớt ý; đọc đủ ở phần bên dưới."

Source = TypeVar("Source")


@dataclass(frozen=True, slots=True)
class ShownSentence(Generic[Source]):
    """A sentence of a summary with its sources."""

    text: str
    sources: tuple[Source, ...]


def shown_summary(answer: Answer, sources: Mapping[str, Source]) -> tuple[ShownSentence[Source], ...]:
    """The summary that a model wrote, by sentences; none where the text derived from the claims was kept.

    sources: by chunk_id, all that the claims cite.
    """
    status = answer.summary_status
    if status is None or not status.used:
        return ()
    return tuple(ShownSentence(said.text, tuple(sources[key] for key in said.chunk_ids)) for said in status.sentences)


def block_tag(verbatim: tuple[bool, ...]) -> str:
    """What the head of a block says of its claims; verbatim: of each of them."""
    if all(verbatim):
        return VERBATIM_TAG
    return MIXED_TAG if any(verbatim) else MODEL_TAG
