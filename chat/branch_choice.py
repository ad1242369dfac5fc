"""Which branch of a dosage section a question selects, or what to ask back in the book's own labels."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from chat.bands import Band, BandKind, age_in_months, bands_of
from chat.branch_replies import named_by_reply, reply_labels
from chat.branches import (
    AGE_GROUPS,
    Branch,
    branches_of,
    facets,
    outermost,
    qualifiers_of,
)
from chat.closest_branches import (
    LEAST_WORDS,
    TALK,
    case_words,
    closest_branches,
    is_for_untold_newborn,
    is_of_manner,
    said_of_label,
)
from chat.denied import affirmed
from chat.domain import EvidenceBlock, Population, QueryFrame, Route
from chat.fitting import ELDERLY, fits, population_fits, route_fits, values_of
from chat.organs import adjusted, are_for_organs, as_dialysed, for_others_only, forbids
from chat.terms import AskedWords, is_name_like, stands_in, terms_of
from monographs.text import WordSet, fold

_LEAST_SHARE = 0.4
_ADULTS = frozenset({Population.NGUOI_LON, Population.NGUOI_CAO_TUOI})
_CHILDREN = frozenset({Population.TRE_EM, Population.TRE_SO_SINH})
_OF_CHILD = frozenset({BandKind.AGE, BandKind.WEIGHT})
_INTO_VEIN = (Route.TIEM_TINH_MACH, Route.TRUYEN_TINH_MACH)
_TAKEN_FOR = re.compile(r"\b(?:da|duoc)\s+(?:\S+\s+){0,2}(\d{1,3})\s+(ngay|tuan|thang|nam)\b(?!\s*tuoi)")


@dataclass(frozen=True, slots=True)
class Ask:
    """The question does not select one branch: the book's own labels to choose from."""

    replies: tuple[str, ...]


def select_branch(blocks: Sequence[EvidenceBlock], frame: QueryFrame, question: str) -> tuple[EvidenceBlock, ...] | Ask:
    """The passages of the branch that the question selects, with what belongs to it; or what to ask.

    A whole-section survey selects everything. "trẻ em" alone selects nothing among several branches for
    children; "người lớn" selects where one route applies or the route is given; a weight, an age or a clearance
    selects the band that holds it; words of a label (an indication, a member of the group) select it. An empty
    result means that no branch is for this patient or route.
    """
    frame = affirmed(frame)
    branches = as_dialysed(branches_of(blocks), frame)
    specific = [branch for branch in branches if not branch.is_general]
    if frame.section_overview or not specific or (len(specific) == 1 and not _states_patient(frame)):
        return tuple(blocks)
    # The numbers of a reply are the label's own, not the patient's.
    bare = replace(frame, weight_kg=None, age_months=None, clearance_ml_min=None, labs=())
    frame = _with_printed_route(frame, specific)
    replied = named_by_reply(question, [branch for branch in specific if fits(branch, bare)])
    frame = bare if replied else frame
    disagreeing = _disagreeing(specific, frame)
    if disagreeing:
        return Ask(reply_labels(outermost(disagreeing)))
    if for_others_only(specific, frame):
        return ()
    fitting = _fitting(replied or specific, frame, question, is_reply=bool(replied))
    words = _words_meant(frame, fitting, is_reply=bool(replied))
    candidates = closest_branches(fitting if replied else _named_in_words(fitting, words), frame, words)
    if not candidates:
        return ()
    chosen = _decided(candidates, frame, words)
    if not chosen or (not are_for_organs(chosen, frame) and _speaks_of_another(chosen, specific, frame, words)):
        nothing_told = candidates == fitting and not replied and not frame.populations
        asked = [branch for branch in specific if fits(branch, frame)] if nothing_told else candidates
        return Ask(reply_labels(outermost(asked)))
    beside = [branch for branch in specific if fits(branch, frame) and forbids(branch, frame)]
    paths = {
        branch.path for branch in (*chosen, *_for_elderly(fitting, frame), *beside, *adjusted(specific, chosen, frame))
    }
    shown = {branch.path for branch in branches if _belongs(branch, paths, frame)}
    shown -= of_other_band(shown, question)
    return tuple(block for block in blocks if block.labels in shown)


def _fitting(branches: list[Branch], frame: QueryFrame, question: str, *, is_reply: bool) -> list[Branch]:
    """The branches for this patient, route and condition; none where the doses go by a value and none is for it."""
    fitting = _of_condition([branch for branch in branches if fits(branch, frame)], frame)
    if is_reply:
        return fitting
    if _beyond_all_bands(branches, fitting, frame):
        return []
    if not frame.populations & AGE_GROUPS:
        # The elderly's dose is for no one of whom no age is told, but is among what is asked about.
        fitting = [branch for branch in fitting if branch.ages != ELDERLY] or fitting
    return _of_same_band(fitting, question)


def _words_meant(frame: QueryFrame, fitting: list[Branch], *, is_reply: bool) -> AskedWords:
    """The words of the question, with those of the case before it for a reply, or where it says no label itself."""
    words = AskedWords(frame.question_words)
    if is_reply or not _says_label(fitting, words):
        return AskedWords(frame.question_words | frame.prior_words)
    return words


def _beyond_all_bands(branches: list[Branch], fitting: list[Branch], frame: QueryFrame) -> bool:
    """Whether the doses go by a laboratory value, and none of them is for the patient's."""
    kinds = {BandKind(kind) for kind, _ in frame.labs}
    by_lab = [branch for branch in branches if kinds & {band.kind for band in branch.bands}]
    return bool(by_lab) and not any(branch in by_lab for branch in fitting)


def _disagreeing(branches: list[Branch], frame: QueryFrame) -> list[Branch]:
    """The branches that a patient's age selects and the weight rules out, and the other way round, where there are both
    and they stand in each other's place."""
    if frame.weight_kg is None or frame.age_months is None:
        return []
    fitting = {_beside_measures(branch) for branch in branches if fits(branch, frame)}
    others = [branch for branch in branches if _beside_measures(branch) not in fitting]
    by_age = [branch for branch in others if fits(branch, replace(frame, weight_kg=None))]
    by_weight = [branch for branch in others if fits(branch, replace(frame, age_months=None))]
    alike = {_beside_measures(branch) for branch in by_age} & {_beside_measures(branch) for branch in by_weight}
    return [branch for branch in (*by_age, *by_weight) if _beside_measures(branch) in alike]


def disagreeing_labels(blocks: Sequence[EvidenceBlock], frame: QueryFrame) -> tuple[str, ...]:
    """The labels to choose from where a patient's age and weight select different branches; none where they agree."""
    specific = [branch for branch in as_dialysed(branches_of(blocks), frame) if not branch.is_general]
    disagreeing = _disagreeing(specific, _with_printed_route(frame, specific))
    return reply_labels(outermost(disagreeing)) if disagreeing else ()


def _with_printed_route(frame: QueryFrame, branches: list[Branch]) -> QueryFrame:
    """Into a vein is asked for as injection or infusion; where the book labels only the other, that is meant. A label
    of how fast it is given ("Tốc độ tiêm tĩnh mạch › Trẻ em") is none of a dose, where that is not asked."""
    words = AskedWords(frame.question_words)
    labelled = {r for branch in branches if not is_of_manner(branch, words) for r in branch.labelled_routes}
    if frame.route not in _INTO_VEIN or frame.route in labelled:
        return frame
    other = next((route for route in _INTO_VEIN if route in labelled), None)
    return replace(frame, route=other) if other else frame


def _named_in_words(branches: list[Branch], words: AskedWords) -> list[Branch]:
    """The branches of whose labels most is said whole in the question ("Phản vệ", "Atorvastatin"); else all."""
    said = [sum(said_of_label(label, words) for label in branch.path) for branch in branches]
    most = max(said, default=0)
    named = [branch for branch, count in zip(branches, said, strict=True) if count == most]
    return [branch for branch in named if not any(_says_less(other, branch, words) for other in named)]


def _says_less(one: Branch, other: Branch, words: AskedWords) -> bool:
    """Whether all that one label says is asked for and of what the other, under the same head, says beyond it nothing:
    "đang dậy thì" beside "Dậy thì" and "Trẻ em trước dậy thì"."""
    if not one.path or one.path[:-1] != other.path[:-1]:
        return False
    own, more = set(one.qualifiers(one.path[-1])), set(other.qualifiers(other.path[-1]))
    return bool(own) and own < more and {word for word in more if word in words} == own


def _says_label(branches: list[Branch], words: AskedWords) -> bool:
    return any(said_of_label(label, words) for branch in branches for label in branch.path)


def _states_patient(frame: QueryFrame) -> bool:
    return bool(frame.populations & AGE_GROUPS) or frame.route is not None or bool(values_of(frame))


def _of_condition(branches: list[Branch], frame: QueryFrame) -> list[Branch]:
    """Where the question states a condition (renal, hepatic) and branches name it, only those."""
    return [branch for branch in branches if branch.populations & (frame.populations - AGE_GROUPS)] or branches


def _of_same_band(branches: list[Branch], question: str) -> list[Branch]:
    """Where the question names a band just as labels do ("trẻ 6 - 13 tuổi"), only theirs; any other band selects
    none."""
    asked = set(bands_of(question))
    return [branch for branch in branches if asked.intersection(branch.bands)] or branches


def of_other_band(paths: set[tuple[str, ...]], question: str) -> set[tuple[str, ...]]:
    """Of labels side by side ("Dùng dưới 3 tuần", "Dùng trên 3 tuần") those whose band is not the one that the question
    names as another one's."""
    asked = set(bands_of(question))
    lasted = _lasted(question)
    named = [path for path in paths if path and _names_band(bands_of(path[-1]), asked, lasted)]
    return {
        path
        for path in paths
        if path and path not in named and bands_of(path[-1]) and any(path[:-1] == other[:-1] for other in named)
    }


def _names_band(bands: Sequence[Band], asked: set[Band], lasted: Decimal | None) -> bool:
    return bool(asked.intersection(bands)) or (lasted is not None and any(band.holds(lasted) for band in bands))


def _lasted(question: str) -> Decimal | None:
    """How long the drug was taken, in months as ages are: "đã uống 2 tháng", "dùng được 3 tuần"."""
    match = _TAKEN_FOR.search(fold(question))
    return age_in_months(match.group(1), match.group(2)) if match else None


def _for_elderly(branches: list[Branch], frame: QueryFrame) -> list[Branch]:
    """What is said for the elderly stands beside the dose that is chosen for one."""
    if Population.NGUOI_CAO_TUOI not in frame.populations:
        return []
    return [branch for branch in branches if Population.NGUOI_CAO_TUOI in branch.populations]


def _decided(candidates: list[Branch], frame: QueryFrame, words: AskedWords) -> list[Branch]:
    """The candidates that the question selects; none where it leaves a choice open."""
    roots = outermost(candidates)
    if _leaves_open(candidates, frame):
        return []
    if len(roots) == 1:
        return roots
    chosen = _chosen_of(roots, frame, words)
    # "Trẻ sơ sinh" has fewer words than any other child's label, and says no less.
    return [] if any(is_for_untold_newborn(branch, frame) for branch in chosen) else chosen


def _chosen_of(roots: list[Branch], frame: QueryFrame, words: AskedWords) -> list[Branch]:
    """Of several the one that the question's values, terms or words select."""
    if {BandKind.WEIGHT, BandKind.AGE} <= set(values_of(frame)) and len({_beside_measures(b) for b in roots}) == 1:
        # By weight and by age, side by side for the same child; but bands of both that disagree are asked about.
        return roots if not any(branch.bands for branch in roots) else []
    by_text = [branch for branch in roots if _text_holds(branch, frame)]
    if len(by_text) == 1:
        return by_text
    meant = _of_all_terms(roots, frame)
    if len(meant) == 1:
        return meant
    open_words = {branch.path: _open_words(branch, frame, words) for branch in roots}
    plain = [branch for branch in roots if not open_words[branch.path]]
    return _best_said(plain, words) if plain else _partly_said(roots, open_words, words)


def _speaks_of_another(chosen: list[Branch], branches: list[Branch], frame: QueryFrame, words: AskedWords) -> bool:
    """Whether the question speaks of what another branch is for, while the chosen one is for something that it does
    not say: "Giardia" is no anaerobic infection."""
    if not all(_open_words(branch, frame, words) for branch in chosen):
        return False
    ours = WordSet(" ".join(text for b in chosen for text in (*b.path, *(block.text for block in b.blocks))))
    others = [b for b in branches if b not in chosen and population_fits(b.populations & AGE_GROUPS, frame)]
    labels = WordSet(" ".join(label for branch in others for label in branch.path))
    texts = WordSet(" ".join(block.text for branch in others for block in branch.blocks))
    said = [term for term in terms_of(frame) if stands_in(term, ours)]
    terms = [term for term in terms_of(frame) if not term.is_talk and term not in said]
    if any(is_name_like(term) for term in terms) and not any(is_name_like(term) for term in said):
        return any(is_name_like(term) and stands_in(term, texts) for term in terms)
    return not said and any(stands_in(term, labels) for term in terms)


def _beside_measures(branch: Branch) -> tuple[tuple[str, ...], frozenset[Route]]:
    """What a branch goes by beside weights and ages: where two differ in nothing else, both hold the patient."""
    return case_words(branch), branch.labelled_routes


def _text_holds(branch: Branch, frame: QueryFrame) -> bool:
    """Whether the doses below a label are by weight, and one is for this patient's: "20 - 29 kg: 187,5 mg"."""
    bands = [band for block in branch.blocks for band in bands_of(block.text) if band.kind is BandKind.WEIGHT]
    return frame.weight_kg is not None and any(band.holds(frame.weight_kg) for band in bands)


def _of_all_terms(roots: list[Branch], frame: QueryFrame) -> list[Branch]:
    """The branches whose labels say everything that the question speaks of."""
    terms = [term for term in terms_of(frame) if not term.is_talk]
    words = {branch.path: WordSet(" ".join(branch.path)) for branch in roots}
    said = [b for b in roots if terms and all(stands_in(term, words[b.path]) for term in terms)]
    if len(said) > 1:
        return _without_more(said, AskedWords(frame.question_words)) or said
    names = [term for term in terms if is_name_like(term)]
    texts = {branch.path: WordSet(" ".join(block.text for block in branch.blocks)) for branch in roots}
    return said or [b for b in roots if names and all(stands_in(term, texts[b.path]) for term in names)]


def _without_more(branches: list[Branch], words: AskedWords) -> list[Branch]:
    """The branch whose label is all in the others', which say more than the question: "giai đoạn cấp" beside "sau giai
    đoạn cấp"; none where no label is so."""
    said = [(branch, {word for label in branch.path for word in qualifiers_of(label)}) for branch in branches]
    least, its = min(said, key=lambda pair: len(pair[1]))
    more = [other - its for branch, other in said if branch is not least]
    alone = all(its < other for branch, other in said if branch is not least)
    return [least] if alone and not any(word in words for extra in more for word in extra) else []


def _open_words(branch: Branch, frame: QueryFrame, words: AskedWords) -> list[str]:
    """The words of the path that the question neither says nor settles by a value."""
    told = set(values_of(frame))
    return [
        word
        for label in branch.path
        for word in branch.qualifiers(label, settled=told | _settled_for_adult(label, frame))
        if word not in words
    ]


def _settled_for_adult(label: str, frame: QueryFrame) -> frozenset[BandKind]:
    """In "Người lớn và trẻ từ 40 kg" the weight is the child's: for an adult it leaves nothing open."""
    of_both = {Population.NGUOI_LON, Population.TRE_EM} <= facets(label)[0]
    return (
        _OF_CHILD
        if of_both and frame.populations & _ADULTS and Population.TRE_EM not in frame.populations
        else frozenset()
    )


def _said_words(branch: Branch, words: AskedWords, *, settled: Collection[BandKind] = ()) -> int:
    said = [{w for w in branch.qualifiers(label, settled=settled) if w in words} for label in branch.path]
    return len({word for found in said if not _is_one_of_talk(found) for word in found})


def _is_one_of_talk(found: set[str]) -> bool:
    """Whether only one word of a label is said, and it is everyday talk: the "co" of "co giật" for "Co cứng cơ"."""
    folded = set(map(fold, found))
    return len(folded) == 1 and folded <= TALK


def _best_said(branches: list[Branch], words: AskedWords) -> list[Branch]:
    """Of several that are wholly said, those that say most: "Đường uống, viêm tai giữa" before "Đường uống"."""
    most = max(_said_words(branch, words) for branch in branches)
    return [branch for branch in branches if _said_words(branch, words) == most]


def _partly_said(
    branches: list[Branch], open_words: dict[tuple[str, ...], list[str]], words: AskedWords
) -> list[Branch]:
    """The one branch of which the question says a good part, and more than of any other: of its case, for the "3 tuổi"
    of a patient says nothing of "Viêm khớp, trẻ từ 3 tháng tuổi"."""
    said = {branch.path: _said_words(branch, words, settled=_OF_CHILD) for branch in branches}
    ranked = sorted(branches, key=lambda branch: -said[branch.path])
    best, second = said[ranked[0].path], said[ranked[1].path]
    share = best / (best + len(open_words[ranked[0].path])) if best else 0.0
    return [ranked[0]] if best >= LEAST_WORDS and best > second and share >= _LEAST_SHARE else []


def _leaves_open(candidates: list[Branch], frame: QueryFrame) -> bool:
    if len(outermost(candidates)) == 1 and len({branch.routes for branch in candidates if branch.routes}) <= 1:
        return False
    asked = frame.populations & AGE_GROUPS
    ages_differ = len({branch.ages for branch in candidates}) > 1 and not asked
    routes_differ = len({branch.routes for branch in candidates if branch.routes}) > 1 and frame.route is None
    only_child = asked == {Population.TRE_EM} and frame.weight_kg is None and frame.age_months is None
    return ages_differ or routes_differ or only_child


def _belongs(branch: Branch, chosen: set[tuple[str, ...]], frame: QueryFrame) -> bool:
    """The chosen branches, what lies below them, and what is said above them or for all of them."""
    if branch.path in chosen:
        return True
    if not fits(branch, frame):
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
    return not other_patient and route_fits(routes, frame)
