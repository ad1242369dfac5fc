"""Fills pages with strips: two columns, bands between blocks that span both, running heads and footers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from ingest.sample.ink import Ink, RuleInk, Strip, TextInk, moved
from ingest.sample.lines import Composer
from ingest.sample.source import Face

WIDTH, HEIGHT = 595.276, 841.89
LEFT, RIGHT = 42.0, 553.3
SECOND_COLUMN = 305.7
TOP, BOTTOM = 64.0, 792.0
HEAD_BASELINE, HEAD_RULE, FOOT_BASELINE = 46.0, 51.5, 815.0

Group = list[Strip]


@dataclass(slots=True)
class Page:
    """Ink of one page, the monographs on it, in order, and the marks of its strips with their owners."""

    ink: list[Ink] = field(default_factory=list)
    owners: list[str] = field(default_factory=list)
    marks: list[tuple[str, str]] = field(default_factory=list)

    def put(self, strip: Strip, x: float, y: float) -> None:
        self.ink += [moved(ink, x, y) for ink in strip.ink]
        if strip.owner and strip.owner not in self.owners:
            self.owners.append(strip.owner)
        if strip.mark:
            self.marks.append((strip.owner, strip.mark))


def groups_of(strips: Sequence[Strip]) -> list[Group]:
    """Strips that must stay together."""
    groups: list[Group] = []
    open_group = False
    for strip in strips:
        if open_group:
            groups[-1].append(strip)
        else:
            groups.append([strip])
        open_group = strip.keep
    return groups


def fill(groups: Sequence[Group], height: float) -> int:
    """How many groups one column of that height takes."""
    y = 0.0
    for count, group in enumerate(groups):
        y += sum(strip.height + strip.gap for strip in group) - (group[0].gap if y == 0.0 else 0.0)
        if y > height + 0.01:
            return count
    return len(groups)


class Pager:
    """Fills pages from the top; y is how far the current page is filled over its whole width."""

    def __init__(self) -> None:
        self.pages: list[Page] = [Page()]
        self.y = TOP

    def new_page(self) -> None:
        self.pages.append(Page())
        self.y = TOP

    def lay(self, strips: Sequence[Strip]) -> None:
        """Text in bands of two columns, each ended by a strip that spans both."""
        for wide, part in groupby(groups_of(strips), key=lambda group: group[-1].wide):
            if wide:
                self.lay_wide(list(part))
            else:
                self.lay_columns(list(part))

    def lay_wide(self, groups: Sequence[Group]) -> None:
        for group in groups:
            height = sum(strip.height + strip.gap for strip in group)
            if self.y + height > BOTTOM:
                self.new_page()
            self.column(group, LEFT, self.y)
            self.y += height

    def lay_columns(self, groups: list[Group]) -> None:
        while groups:
            room = BOTTOM - self.y
            left = fill(groups, room)
            right = fill(groups[left:], room)
            if left + right == 0 and self.y == TOP:
                raise ValueError("một khối cao hơn cả cột: chia bảng thành hai bảng")
            if left + right < len(groups):
                self.place(groups[:left], groups[left : left + right])
                groups = groups[left + right :]
                self.new_page()
                continue
            self.balance(groups, room)
            return

    def balance(self, groups: list[Group], room: float) -> None:
        """The last band: both columns as short as they can be."""
        height = next(
            (h for h in _heights(room) if (left := fill(groups, h)) + fill(groups[left:], h) == len(groups)), room
        )
        left = fill(groups, height)
        self.y = max(self.place(groups[:left], groups[left:]), self.y)

    def place(self, left: Sequence[Group], right: Sequence[Group]) -> float:
        strips = ([s for group in left for s in group], [s for group in right for s in group])
        return max(self.column(strips[0], LEFT, self.y), self.column(strips[1], SECOND_COLUMN, self.y))

    def column(self, strips: Sequence[Strip], x: float, y: float) -> float:
        for index, strip in enumerate(strips):
            y += strip.gap if index else 0.0
            self.pages[-1].put(strip, x, y)
            y += strip.height
        return y


def _heights(room: float) -> list[float]:
    return [0.5 * step for step in range(1, int(room * 2) + 1)]


def furnish(page: Page, composer: Composer, *, running_head: str, names: str, printed: int | None, footer: str) -> None:
    """Running head (book, first and last drug, page number; mirrored on even pages) and the warning at the foot."""
    if printed is not None:
        outer = [Aligned(running_head, Face.REGULAR, 9.0), Aligned(str(printed), Face.REGULAR, 9.0)]
        first, last = outer if printed % 2 else outer[::-1]
        page.ink.append(first.at(LEFT))
        page.ink.append(last.ending_at(RIGHT, composer.measure))
        page.ink.append(Aligned(names, Face.BOLD, 9.0).centred(composer.measure))
        page.ink.append(RuleInk(LEFT, HEAD_RULE, RIGHT, HEAD_RULE, 0.8))
    page.ink.append(Aligned(footer, Face.BOLD, 8.0, FOOT_BASELINE).centred(composer.measure))


@dataclass(frozen=True, slots=True)
class Aligned:
    """A text on a fixed baseline of the page."""

    text: str
    face: Face
    size: float
    baseline: float = HEAD_BASELINE

    def at(self, x: float) -> TextInk:
        return TextInk(round(x, 3), self.baseline, self.text, self.face, self.size)

    def ending_at(self, x: float, measure: Callable[[str, Face, float], float]) -> TextInk:
        return self.at(x - measure(self.text, self.face, self.size))

    def centred(self, measure: Callable[[str, Face, float], float]) -> TextInk:
        return self.at((LEFT + RIGHT - measure(self.text, self.face, self.size)) / 2)
