"""Which branch of a dosage section a question selects, or what to ask back in the book's own labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from chat.branches import AGE_GROUPS, Branch, branches_of, facets, outermost
from chat.domain import EvidenceBlock, Population, QueryFrame, Route
from monographs.text import fold

MAX_REPLIES, MAX_REPLY_LENGTH = 4, 40
SHOW_ALL = "Tất cả các trường hợp"


@dataclass(frozen=True, slots=True)
class Ask:
    """The question does not select one branch: the book's own labels to choose from."""

    replies: tuple[str, ...]


def select_branch(blocks: Sequence[EvidenceBlock], frame: QueryFrame, question: str) -> tuple[EvidenceBlock, ...] | Ask:
    """The passages of the branch that the question selects, with what belongs to it; or what to ask.

    A whole-section survey selects everything. "trẻ em" alone selects nothing among several branches for
    children; "người lớn" selects where one route applies or the route is given. An empty result means that no
    branch is for this patient or route.
    """
    branches = branches_of(blocks)
    specific = [branch for branch in branches if not branch.is_general]
    if frame.section_overview or not specific or (len(specific) == 1 and not _states_patient(frame)):
        return tuple(blocks)
    named = _named_by_reply(question, specific) or specific
    candidates = _closest([branch for branch in named if _fits(branch, frame)], frame)
    if not candidates:
        return ()
    chosen = _decided(candidates, frame)
    if not chosen:
        return Ask(reply_labels(outermost(candidates)))
    paths = {branch.path for branch in chosen}
    shown = {branch.path for branch in branches if _belongs(branch, paths, frame)}
    return tuple(block for block in blocks if block.labels in shown)


def reply_labels(branches: Sequence[Branch]) -> tuple[str, ...]:
    """At most four replies of at most forty characters, from the labels at which the paths part.

    Labels that begin alike up to a comma are told apart by what follows it, or grouped under what precedes it
    where they are too long or too many; the last reply shows all where they still do not fit.
    """
    shared = _shared_depth(branches)
    replies = _short_forms(_distinct(" – ".join(branch.path[shared:]) for branch in branches))
    if len(replies) > MAX_REPLIES:
        replies = _short_forms(_distinct(branch.path[shared] for branch in branches))
    if len(replies) > MAX_REPLIES:
        replies = _distinct(_cut(_head(reply)) for reply in replies)
    return replies if len(replies) <= MAX_REPLIES else (*replies[: MAX_REPLIES - 1], SHOW_ALL)


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


def _named_by_reply(question: str, branches: Sequence[Branch]) -> list[Branch]:
    """The branches with a label that has the form of what was typed: how a quick reply selects."""
    typed = fold(question)
    return [branch for branch in branches if typed and typed in _reply_forms(branch)]


def _reply_forms(branch: Branch) -> set[str]:
    joined = [" – ".join(branch.path[depth:]) for depth in range(len(branch.path))]
    return {fold(_cut(form)) for text in (*joined, *branch.path) for form in (text, _head(text), _tail(text))}


def _states_patient(frame: QueryFrame) -> bool:
    return bool(frame.populations & AGE_GROUPS) or frame.route is not None


def _fits(branch: Branch, frame: QueryFrame) -> bool:
    return _population_fits(branch.populations, frame) and _route_fits(branch.routes, frame)


def _population_fits(populations: frozenset[Population], frame: QueryFrame) -> bool:
    ages, asked_ages = populations & AGE_GROUPS, frame.populations & AGE_GROUPS
    conditions, asked_conditions = populations - AGE_GROUPS, frame.populations - AGE_GROUPS
    if ages and asked_ages and ages.isdisjoint(asked_ages):
        return False
    return not conditions or not conditions.isdisjoint(asked_conditions)


def _route_fits(routes: frozenset[Route], frame: QueryFrame) -> bool:
    return frame.route is None or not routes or frame.route in routes


def _closest(candidates: list[Branch], frame: QueryFrame) -> list[Branch]:
    """Where the question states a condition (renal, hepatic), an age or a route and branches name it, only those."""
    for stated in (frame.populations - AGE_GROUPS, frame.populations & AGE_GROUPS):
        candidates = [branch for branch in candidates if branch.populations & stated] or candidates
    return [branch for branch in candidates if frame.route in branch.routes] or candidates


def _decided(candidates: list[Branch], frame: QueryFrame) -> list[Branch]:
    """The candidates that the question selects; none where it leaves a choice open."""
    if _leaves_open(candidates, frame):
        return []
    roots = outermost(candidates)
    if len(roots) == 1:
        return roots
    return [branch for branch in roots if not branch.is_qualified]


def _leaves_open(candidates: list[Branch], frame: QueryFrame) -> bool:
    if len(outermost(candidates)) == 1 and len({branch.routes for branch in candidates if branch.routes}) <= 1:
        return False
    asked = frame.populations & AGE_GROUPS
    ages_differ = len({branch.ages for branch in candidates}) > 1 and not asked
    routes_differ = len({branch.routes for branch in candidates if branch.routes}) > 1 and frame.route is None
    only_child = asked == {Population.TRE_EM} and frame.weight_kg is None and frame.age_text is None
    return ages_differ or routes_differ or only_child


def _belongs(branch: Branch, chosen: set[tuple[str, ...]], frame: QueryFrame) -> bool:
    """The chosen branches, what lies below them, and what is said above them or for all of them."""
    if branch.path in chosen:
        return True
    if not _fits(branch, frame):
        return False
    if any(branch.path[: len(path)] == path for path in chosen):
        return True
    above = any(path[: len(branch.path)] == branch.path for path in chosen)
    beside = branch.is_general and any(path[: len(branch.path) - 1] == branch.path[:-1] for path in chosen)
    return (above or beside) and _text_fits(branch, frame)


def _text_fits(branch: Branch, frame: QueryFrame) -> bool:
    """What is said for all branches is left out where its own words speak of another patient or route."""
    populations, routes = facets(" ; ".join(block.text for block in branch.blocks))
    asked = frame.populations & AGE_GROUPS
    other_patient = bool(asked) and bool(populations & AGE_GROUPS) and asked.isdisjoint(populations)
    return not other_patient and _route_fits(routes, frame)


def _shared_depth(branches: Sequence[Branch]) -> int:
    """How many labels all the paths begin with alike; every path keeps at least its last label."""
    paths = [branch.path for branch in branches]
    depth = 0
    while all(len(path) > depth + 1 for path in paths) and len({path[depth] for path in paths}) == 1:
        depth += 1
    return depth


def _distinct(replies: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(replies))
