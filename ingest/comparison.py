"""Two editions compared section by section: what stands in only one, what changed, and in which words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby

from rapidfuzz.distance import Indel

# A space inside a number ("500 000") is part of it.
_NUMBER = r"\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?!\d)(?:,\d+)?|\d+(?:[.,]\d+)*"
_TOKEN = re.compile(rf"(?:{_NUMBER}|[^\W\d_]+|\S)\s*|\s+")
_DIGIT = re.compile(r"[\d²³¹⁰⁴-⁹]")
# Beside numbers, the words that make another dose of the same number, or the opposite of a sentence.
_DOSE_WORDS = frozenset(
    "mg g kg mcg microgam µg nanogam ng ml l lít lit ui iu đvqt mmol meq phút giờ ngày tuần tháng tuổi lần viên "  # noqa: SIM905
    "ống lọ giọt không".split()
)
# So many characters are shown before and after a change; a kept stretch is cut only where that saves something.
_CONTEXT, _WORTH_CUTTING = 160, 400
# Tokens as long as this between two changes keep them apart; fewer would make the text hard to read.
_SHORTEST_COMMON = 2


class Difference(StrEnum):
    """How a section of one edition stands to the other's."""

    ONLY_OLD = "only_old"
    ONLY_NEW = "only_new"
    CHANGED = "changed"


DIFFERENCE_TITLES: dict[Difference, str] = {
    Difference.ONLY_OLD: "Chỉ có ở ấn bản cũ",
    Difference.ONLY_NEW: "Chỉ có ở ấn bản mới",
    Difference.CHANGED: "Thay đổi",
}


@dataclass(frozen=True, slots=True, order=True)
class SectionPlace:
    """A section known again in another edition: the monograph's slug, the section's key or folded heading, and which
    of that name it is.
    """

    slug: str
    name: str
    number: int = 1


@dataclass(frozen=True, slots=True)
class SectionDigest:
    """A section without its words. digest: of its words and of what is held back; order: its place in the book."""

    section_id: int
    monograph: str
    heading: str
    digest: str
    order: int


# In the book's order.
Digests = Mapping[SectionPlace, SectionDigest]


@dataclass(frozen=True, slots=True)
class SectionChange:
    """A section that differs; old or new is None where it stands in one edition only. doses_differ: both have it,
    with other numbers, units or negations.
    """

    place: SectionPlace
    difference: Difference
    old: SectionDigest | None
    new: SectionDigest | None
    doses_differ: bool = False

    @property
    def shown(self) -> SectionDigest:
        """The newer edition's, or the older's where there is no newer."""
        found = self.new or self.old
        assert found is not None
        return found


@dataclass(frozen=True, slots=True)
class Comparison:
    """only_old, only_new: (slug, name) of the monographs of one edition; sections of these are not among changes."""

    only_old: tuple[tuple[str, str], ...]
    only_new: tuple[tuple[str, str], ...]
    changes: tuple[SectionChange, ...]
    unchanged: int

    def count(self, difference: Difference) -> int:
        """How many sections differ so."""
        return sum(change.difference is difference for change in self.changes)

    @property
    def doses_changed(self) -> int:
        """How many sections have other numbers, units or negations."""
        return sum(change.doses_differ for change in self.changes)


class Mark(StrEnum):
    """What happened to a stretch of words."""

    SAME = "same"
    REMOVED = "removed"
    ADDED = "added"
    LEFT_OUT = "left_out"


@dataclass(frozen=True, slots=True)
class Stretch:
    """Some words of a changed section. is_dose: a number or a unit is among what was removed or added there."""

    text: str
    mark: Mark
    is_dose: bool = False


def compare_editions(old: Digests, new: Digests) -> Comparison:
    """The sections of two editions against each other, in the newer one's order."""
    names_old, names_new = _monographs(old), _monographs(new)
    both = names_old.keys() & names_new.keys()
    changes = [
        change
        for place in old.keys() | new.keys()
        if place.slug in both and (change := _compare_section(place, old.get(place), new.get(place)))
    ]
    shared = sum(place.slug in both for place in old.keys() & new.keys())
    changed = sum(change.difference is Difference.CHANGED for change in changes)
    rank = {slug: number for number, slug in enumerate(names_new)}
    return Comparison(
        only_old=tuple((slug, name) for slug, name in names_old.items() if slug not in both),
        only_new=tuple((slug, name) for slug, name in names_new.items() if slug not in both),
        changes=tuple(sorted(changes, key=lambda change: (rank[change.place.slug], change.shown.order))),
        unchanged=shared - changed,
    )


def doses_of(text: str) -> list[str]:
    """The numbers, units and negations of a text, in order: where they differ, a dose may have changed."""
    return _doses(_TOKEN.findall(text))


def compare_words(old: str, new: str) -> tuple[Stretch, ...]:
    """Two texts as stretches of words kept, removed and added, in reading order.

    The kept and removed ones joined are the old text, the kept and added ones the new, but for white space.
    """
    before, after = _TOKEN.findall(old), _TOKEN.findall(new)
    steps = Indel.opcodes([token.strip() for token in before], [token.strip() for token in after])
    pieces = [
        (step.tag == "equal", before[step.src_start : step.src_end], after[step.dest_start : step.dest_end])
        for step in steps
    ]
    return tuple(_stretches(_join_neighbours(pieces)))


def shorten(stretches: Sequence[Stretch]) -> tuple[Stretch, ...]:
    """The stretches with long kept ones cut down to what stands next to a change."""
    last = len(stretches) - 1
    return tuple(
        piece
        for number, stretch in enumerate(stretches)
        for piece in _cut(stretch, before=0 if number == 0 else _CONTEXT, after=0 if number == last else _CONTEXT)
    )


def _cut(stretch: Stretch, *, before: int, after: int) -> Iterator[Stretch]:
    """The first characters (next to the change before) and the last ones of a kept stretch, whole words only."""
    text = stretch.text
    if stretch.mark is not Mark.SAME or len(text) <= _WORTH_CUTTING:
        yield stretch
        return
    head = text[:before].rpartition(" ")[0] if before else ""
    tail = text[-after:].partition(" ")[2] if after else ""
    yield from (Stretch(head, Mark.SAME),) if head else ()
    yield Stretch(" … ", Mark.LEFT_OUT)
    yield from (Stretch(tail, Mark.SAME),) if tail else ()


Piece = tuple[bool, list[str], list[str]]


def _join_neighbours(pieces: Sequence[Piece]) -> Iterator[Piece]:
    """Changes with next to nothing between them become one: "5 mg" → "0,5 g" rather than 5→0,5 and mg→g."""
    last = len(pieces) - 1
    keeps = [
        same and (number in {0, last} or len(before) >= _SHORTEST_COMMON)
        for number, (same, before, _) in enumerate(pieces)
    ]
    for kept, group in groupby(zip(keeps, pieces, strict=True), key=lambda pair: pair[0]):
        members = [piece for _, piece in group]
        yield (
            kept,
            [token for _, before, _ in members for token in before],
            [token for _, _, after in members for token in after],
        )


def _stretches(pieces: Iterator[Piece]) -> Iterator[Stretch]:
    for same, before, after in pieces:
        if same:
            yield Stretch("".join(after), Mark.SAME)
            continue
        is_dose = _doses(before) != _doses(after)
        if before:
            yield Stretch("".join(before), Mark.REMOVED, is_dose)
        if after:
            yield Stretch("".join(after), Mark.ADDED, is_dose)


def _doses(tokens: Sequence[str]) -> list[str]:
    bare = [token.strip() for token in tokens]
    return [token for token in bare if _DIGIT.search(token) or token.lower() in _DOSE_WORDS]


def _monographs(digests: Digests) -> dict[str, str]:
    return {place.slug: digest.monograph for place, digest in digests.items()}


def _compare_section(place: SectionPlace, old: SectionDigest | None, new: SectionDigest | None) -> SectionChange | None:
    if old is None or new is None:
        return SectionChange(place, Difference.ONLY_OLD if new is None else Difference.ONLY_NEW, old, new)
    return SectionChange(place, Difference.CHANGED, old, new) if old.digest != new.digest else None
