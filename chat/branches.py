"""Dosage branches: which label path of the book a question selects, or what to ask back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from chat.cues import cue_table
from chat.domain import EvidenceBlock, Population, QueryFrame, Route
from monographs.text import fold

MAX_REPLIES, MAX_REPLY_LENGTH = 4, 40
_AGES = frozenset(
    {Population.TRE_SO_SINH, Population.TRE_EM, Population.NGUOI_LON, Population.NGUOI_CAO_TUOI, Population.MANG_THAI}
)


@dataclass(frozen=True, slots=True)
class Branch:
    """The passages under one label path; populations and routes are what the path names."""

    path: tuple[str, ...]
    blocks: tuple[EvidenceBlock, ...]
    populations: frozenset[Population]
    routes: frozenset[Route]

    @property
    def is_general(self) -> bool:
        """Whether it belongs to every branch: no label, or only labels such as "Cách dùng"."""
        return not (self.populations or self.routes) and all(_is_general_label(label) for label in self.path)


@dataclass(frozen=True, slots=True)
class Ask:
    """The question does not select one branch: the book's own labels to choose from."""

    replies: tuple[str, ...]


def branches_of(blocks: Iterable[EvidenceBlock]) -> tuple[Branch, ...]:
    """The branches of a section, in the book's order."""
    by_path: dict[tuple[str, ...], list[EvidenceBlock]] = {}
    for block in blocks:
        by_path.setdefault(block.labels, []).append(block)
    return tuple(Branch(path, tuple(found), *_facets(" ; ".join(path))) for path, found in by_path.items())


def select_branch(blocks: Sequence[EvidenceBlock], frame: QueryFrame, question: str) -> tuple[EvidenceBlock, ...] | Ask:
    """The passages of the branch that the question selects, with what belongs to it; or what to ask.

    A whole-section survey selects everything. "trẻ em" alone selects nothing among several branches for
    children; "người lớn" selects where one route applies or the route is given. An empty result means that no
    branch is for this patient or route.
    """
    branches = branches_of(blocks)
    specific = [branch for branch in branches if not branch.is_general]
    if frame.section_overview or len(specific) <= 1 and not _states_patient(frame):
        return tuple(blocks)
    named = _named_in(question, specific)
    candidates = named or [branch for branch in specific if _fits(branch, frame)]
    if not candidates:
        return ()
    if not named and not _decides(candidates, frame):
        return Ask(reply_labels(candidates))
    chosen = {branch.path for branch in candidates}
    return tuple(block for branch in branches if _belongs(branch, chosen, frame) for block in branch.blocks)


def reply_labels(branches: Sequence[Branch]) -> tuple[str, ...]:
    """At most four replies of at most forty characters, from the labels themselves: whole paths where they
    fit, else the first label at which the paths part."""
    whole = _distinct(" – ".join(branch.path) for branch in branches)
    if len(whole) <= MAX_REPLIES and all(len(reply) <= MAX_REPLY_LENGTH for reply in whole):
        return whole
    for depth in range(max(len(branch.path) for branch in branches)):
        heads = _distinct(branch.path[min(depth, len(branch.path) - 1)] for branch in branches)
        if len(heads) > 1:
            return tuple(head for head in heads if len(head) <= MAX_REPLY_LENGTH)[:MAX_REPLIES]
    return ()


def _distinct(replies: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(replies))


def _facets(text: str) -> tuple[frozenset[Population], frozenset[Route]]:
    populations = frozenset(Population(meaning) for meaning in cue_table("population").meanings(text))
    routes = frozenset(Route(meaning) for meaning in cue_table("route").meanings(text))
    return populations, routes


def _is_general_label(label: str) -> bool:
    return bool(cue_table("label").find(label))


def _states_patient(frame: QueryFrame) -> bool:
    return bool(frame.populations & _AGES) or frame.route is not None


def _named_in(question: str, branches: Sequence[Branch]) -> list[Branch]:
    """Branches whose every label stands in the question, the deepest only: how a quick reply selects."""
    folded = f" {fold(question)} "
    named = [branch for branch in branches if branch.path and all(fold(label) in folded for label in branch.path)]
    deepest = max((len(branch.path) for branch in named), default=0)
    return [branch for branch in named if len(branch.path) == deepest > 1]


def _fits(branch: Branch, frame: QueryFrame) -> bool:
    return _population_fits(branch.populations, frame) and _route_fits(branch.routes, frame)


def _population_fits(populations: frozenset[Population], frame: QueryFrame) -> bool:
    for group in (populations & _AGES, populations - _AGES):
        asked = frame.populations & _AGES if group & _AGES else frame.populations - _AGES
        if group and (asked or not group & _AGES) and group.isdisjoint(asked):
            return False
    return True


def _route_fits(routes: frozenset[Route], frame: QueryFrame) -> bool:
    return frame.route is None or not routes or frame.route in routes


def _decides(candidates: Sequence[Branch], frame: QueryFrame) -> bool:
    if len(candidates) == 1:
        return True
    ages = {branch.populations & _AGES for branch in candidates if branch.populations & _AGES}
    routes = {branch.routes for branch in candidates if branch.routes}
    if len(ages) > 1 and not frame.populations & _AGES:
        return False
    if len(routes) > 1 and frame.route is None:
        return False
    children = frame.populations & _AGES == {Population.TRE_EM}
    if children and frame.weight_kg is None and frame.age_text is None:
        return False
    return len({branch.path[: _common_depth(candidates)] for branch in candidates}) == 1 and _one_line(candidates)


def _common_depth(candidates: Sequence[Branch]) -> int:
    return min(len(branch.path) for branch in candidates)


def _one_line(candidates: Sequence[Branch]) -> bool:
    """Whether the paths lie one inside another, so that together they are one branch of the book."""
    longest = max((branch.path for branch in candidates), key=len)
    return all(longest[: len(branch.path)] == branch.path for branch in candidates)


def _belongs(branch: Branch, chosen: set[tuple[str, ...]], frame: QueryFrame) -> bool:
    if branch.path in chosen:
        return True
    if not _fits(branch, frame) or not _text_fits(branch, frame):
        return False
    above = any(path[: len(branch.path)] == branch.path for path in chosen)
    below = any(branch.path[: len(path)] == path for path in chosen)
    general = branch.is_general and any(branch.path[:-1] == path[: len(branch.path) - 1] for path in chosen)
    return above or below or general


def _text_fits(branch: Branch, frame: QueryFrame) -> bool:
    """A passage that belongs to every branch is left out where its own words speak of another patient or route."""
    populations, routes = _facets(" ; ".join(block.text for block in branch.blocks))
    asked = frame.populations & _AGES
    other_patient = bool(asked) and bool(populations & _AGES) and asked.isdisjoint(populations & _AGES)
    return not other_patient and _route_fits(routes, frame)
