"""A word of two meanings is asked about only where the answers differ: "2t nuốt 5 viên" needs no age."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from chat.decide import decide_frame
from chat.domain import QueryFrame, Reason, Stop
from chat.routes import Asking, path_of
from chat.selection import Selection
from monographs.names import Corpus


def settle_either_way(
    question: str, read: Callable[[str], QueryFrame], corpus: Corpus, *, streak: int
) -> tuple[QueryFrame, QueryFrame]:
    """The frame to decide on and the one to go on with.

    That of the question twice; or, where it would ask which meaning of a word is right and every meaning leads to the
    same evidence, that of the first, and that without what they differ in.

    read: from a question's text to its frame.
    """
    frame = read(question)
    typed = str(frame.raw.get("unclear", ""))
    if frame.needs_clarify is not Reason.AMBIGUOUS_TERM or not typed or typed not in question:
        return frame, frame
    frames = [read(question.replace(typed, meaning)) for meaning in frame.quick_replies]
    found = [_decided(question, meant, corpus, streak) for meant in frames]
    same = found[0] is not None and all(other is not None and other.evidence == found[0].evidence for other in found)
    return (frames[0], _without_differences(frames)) if same else (frame, frame)


def _decided(question: str, frame: QueryFrame, corpus: Corpus, streak: int) -> Selection | None:
    """A whole answer to one meaning; None where something is asked, missing or refused."""
    path = path_of(frame)
    if path is None or decide_frame(frame, corpus) is not None:
        return None
    found = path.decide(Asking(frame, corpus, question, streak), path.retrieve(frame, corpus))
    return None if isinstance(found, Stop) or found.ask or found.missing else found


def _without_differences(frames: list[QueryFrame]) -> QueryFrame:
    common = frozenset.intersection(*(frame.populations for frame in frames))
    return replace(frames[0], populations=common, age_text=None, age_months=None)
