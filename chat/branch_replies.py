"""Quick replies from the book's own labels, and how a reply that comes back names its branches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from chat.branches import Branch
from monographs.text import fold

MAX_REPLIES, MAX_REPLY_LENGTH = 4, 40
_LEAST_SPACES = 2
_LEAST_CHOICE = 2
SHOW_ALL = "Tất cả các trường hợp"


def reply_labels(branches: Sequence[Branch]) -> tuple[str, ...]:
    """At most four replies of at most forty characters, from the labels at which the paths part.

    Labels that begin alike up to a comma are told apart by what follows it, or grouped under what precedes it
    where they are too long or too many; the last reply shows all where they still do not fit.
    """
    shared = _shared_depth(branches)
    replies = _short_forms(_distinct(" – ".join(branch.path[shared:]) for branch in branches))
    if len(replies) < len(branches) and len(replies) < _LEAST_CHOICE:
        # Cut alike: their last labels tell them apart.
        replies = _distinct(_cut(branch.path[-1]) for branch in branches)
    if len(replies) > MAX_REPLIES:
        replies = _short_forms(_distinct(branch.path[shared] for branch in branches))
    if len(replies) > MAX_REPLIES:
        replies = _distinct(_cut(_head(reply)) for reply in replies)
    return replies if len(replies) <= MAX_REPLIES else (*replies[: MAX_REPLIES - 1], SHOW_ALL)


def named_by_reply(question: str, branches: Sequence[Branch]) -> list[Branch]:
    """The branches with a label that has the form of what was typed, or begins with it: how a quick reply selects."""
    typed = fold(question)
    # A whole label goes before the end of another: "Đường tĩnh mạch", and "Dự phòng phẫu thuật, đường tĩnh mạch".
    whole = [branch for branch in branches if typed and typed in _reply_forms(branch, cut_before_comma=False)]
    exact = whole or [branch for branch in branches if typed and typed in _reply_forms(branch)]
    if exact or typed.count(" ") < _LEAST_SPACES:
        return exact
    return [branch for branch in branches if any(form.startswith(f"{typed} ") for form in _reply_forms(branch))]


def _short_forms(labels: tuple[str, ...]) -> tuple[str, ...]:
    heads = [_head(label) for label in labels]
    if len(labels) > 1 and len(set(heads)) == 1 and all("," in label for label in labels):
        return _distinct(_cut(_tail(label)) for label in labels)
    too_long = any(len(label) > MAX_REPLY_LENGTH for label in labels)
    grouped = (head if too_long and heads.count(head) > 1 else label for label, head in zip(labels, heads, strict=True))
    return _distinct(label if len(label) <= MAX_REPLY_LENGTH else _cut(_head(label)) for label in grouped)


def _head(label: str) -> str:
    return label.split(",", 1)[0].strip()


def _tail(label: str) -> str:
    return label.split(",", 1)[-1].strip()


def _cut(label: str) -> str:
    return label if len(label) <= MAX_REPLY_LENGTH else label[: MAX_REPLY_LENGTH - 1].rsplit(" ", 1)[0] + "…"


def _reply_forms(branch: Branch, *, cut_before_comma: bool = True) -> set[str]:
    joined = [" – ".join(branch.path[depth:]) for depth in range(len(branch.path))]
    forms = {form for text in (*joined, *branch.path) for form in (text, _head(text))}
    tails = {_tail(text) for text in (*joined, *branch.path)} if cut_before_comma else set()
    return {fold(_cut(form)) for form in forms | tails}


def _shared_depth(branches: Sequence[Branch]) -> int:
    """How many labels all the paths begin with alike; every path keeps at least its last label."""
    paths = [branch.path for branch in branches]
    depth = 0
    while all(len(path) > depth + 1 for path in paths) and len({path[depth] for path in paths}) == 1:
        depth += 1
    return depth


def _distinct(replies: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(replies))
