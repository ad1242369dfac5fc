"""Branches: the passages of a section under one label path, and what the path names."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from chat.bands import Band, BandKind, bands_of
from chat.cues import cue_table
from chat.domain import EvidenceBlock, Population, Route
from monographs.names import tokenise
from monographs.text import fold, folded_words

# Populations that tell by whom a dose is taken; the others (renal, hepatic…) are conditions beside it.
AGE_GROUPS = frozenset(
    {Population.TRE_SO_SINH, Population.TRE_EM, Population.NGUOI_LON, Population.NGUOI_CAO_TUOI, Population.MANG_THAI}
)
# Conditions of the organs by which a drug leaves the body.
ORGANS = frozenset({Population.SUY_THAN, Population.SUY_GAN})
# Words of a label that say nothing beyond its population and route.
_FILLERS = frozenset(fold("đường người bệnh nhân cho dùng liều và hoặc thông thường dạng ở bị tiêm theo").split(" "))

_EXCEPT = re.compile(r"\s*\(trừ [^)]*\)")
_MEASURES = {BandKind.WEIGHT: "theo can nang", BandKind.AGE: "theo tuoi"}
_BAND_WORDS = frozenset(
    fold("cân nặng kg tuổi tháng tuần ngày dưới trên từ đến trở lên xuống ml phút clcr năm creatinin").split(" ")
)


@dataclass(frozen=True, slots=True)
class Branch:
    """The passages under one label path; populations and labelled_routes are what the path names, routes those or,
    where it names none, what the passages name."""

    path: tuple[str, ...]
    blocks: tuple[EvidenceBlock, ...]
    populations: frozenset[Population]
    routes: frozenset[Route]
    labelled_routes: frozenset[Route]

    @property
    def is_general(self) -> bool:
        """Whether it belongs to every branch: no label, or labels such as "Cách dùng" and "Cách truyền tĩnh mạch"."""
        return is_general_path(self.path) or (len(self.path) == 1 and is_manner_path(self.path))

    @property
    def ages(self) -> frozenset[Population]:
        """The age groups among its populations."""
        return self.populations & AGE_GROUPS

    @property
    def bands(self) -> tuple[Band, ...]:
        """The weights, ages and clearances that its labels name."""
        return tuple(band for label in self.path for band in bands_of(label))

    def qualifiers(self, label: str, *, settled: Collection[BandKind] = ()) -> tuple[str, ...]:
        """The words, in small letters, by which a label says more than a population and a route: an indication, a form,
        a member of the group; without those of its bands where their kinds are settled."""
        return qualifiers_of(label, settled=settled)


def qualifiers_of(label: str, *, settled: Collection[BandKind] = ()) -> tuple[str, ...]:
    """The words of a label as Branch.qualifiers gives them."""
    words = _qualifiers(label)
    if settled and measures_of(label) & set(settled):
        words = tuple(word for word in words if not (word[0].isdigit() or fold(word) in _BAND_WORDS))
    return words


def without_exception(label: str) -> str:
    """What a label is not for is no word of it: "Dùng trên 3 tuần (trừ cơn hen cấp)"."""
    return _EXCEPT.sub("", label)


def is_general_path(path: tuple[str, ...]) -> bool:
    """Whether a label path begins with such a label as "Cách dùng" and names neither patient nor route, or ends
    with one below a branch ("Người lớn › Pha truyền")."""
    if len(path) > 1 and _is_general_label(path[-1]) and not _is_watched_dose(path):
        return True
    return not any(facets(" ; ".join(path))) and (not path or bool(cue_table("label").find(path[0])))


def _is_general_label(label: str) -> bool:
    """ "Liều chung", but not "Chống viêm, ức chế miễn dịch, liều chung"."""
    return any(hit.first <= 1 or hit.last - hit.first > 1 for hit in cue_table("label").find(label))


def _is_watched_dose(path: tuple[str, ...]) -> bool:
    """Whether a label below a patient is a route, and only behind it says how that is watched: "Trẻ em › Truyền tĩnh
    mạch, theo dõi tại khoa hồi sức"."""
    head, _, more = path[-1].partition(", ")
    of_patient = bool(facets(path[0])[0])
    return of_patient and bool(more) and bool(facets(head)[1]) and not cue_table("label").find(head)


def is_manner_path(path: tuple[str, ...]) -> bool:
    """Whether a label path tells how it is given, for no patient in particular: "Cách truyền tĩnh mạch"."""
    names_patient = bool(facets(" ; ".join(path))[0])
    return is_general_path(path) or (not names_patient and any(cue_table("label").find(label) for label in path))


@lru_cache(maxsize=4096)
def measures_of(label: str) -> frozenset[BandKind]:
    """What a label goes by: the kinds of its bands, or what it names ("theo cân nặng", "theo tuổi")."""
    return goes_by(label) | {band.kind for band in bands_of(label)}


@lru_cache(maxsize=4096)
def goes_by(label: str) -> frozenset[BandKind]:
    """What a label says that its doses go by: "theo cân nặng", "theo tuổi"."""
    folded = f" {' '.join(folded_words(label))} "
    return frozenset(kind for kind, word in _MEASURES.items() if f" {word} " in folded)


def branches_of(blocks: Iterable[EvidenceBlock]) -> tuple[Branch, ...]:
    """The branches of a section, in the book's order; a passage that is only a label makes none."""
    by_path: dict[tuple[str, ...], list[EvidenceBlock]] = {}
    for block in blocks:
        if not block.is_label:
            by_path.setdefault(block.labels, []).append(block)
    return tuple(_branch(path, tuple(found)) for path, found in by_path.items())


def _branch(path: tuple[str, ...], blocks: tuple[EvidenceBlock, ...]) -> Branch:
    populations, labelled = facets(" ; ".join(path))
    routes = labelled or facets(" ; ".join(block.text for block in blocks))[1]
    return Branch(path, blocks, populations, routes, labelled)


@lru_cache(maxsize=4096)
def facets(text: str) -> tuple[frozenset[Population], frozenset[Route]]:
    """The populations and the routes that a text names."""
    populations = frozenset(Population(meaning) for meaning in cue_table("population").meanings(text, printed=True))
    routes = frozenset(Route(meaning) for meaning in cue_table("route").meanings(text, printed=True))
    return populations, routes


def outermost(branches: Sequence[Branch]) -> list[Branch]:
    """The branches whose path does not lie below another one's of the same list."""
    paths = {branch.path for branch in branches}
    return [b for b in branches if not any(b.path[:depth] in paths for depth in range(len(b.path)))]


@lru_cache(maxsize=4096)
def _qualifiers(label: str) -> tuple[str, ...]:
    hits = [hit for kind in ("population", "route") for hit in cue_table(kind).find(label, printed=True)]
    covered = {place for hit in hits for place in range(hit.first, hit.last)}
    return tuple(
        token.text.lower()
        for place, token in enumerate(tokenise(label))
        if place not in covered and token.folded not in _FILLERS
    )
