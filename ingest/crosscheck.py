"""The numbers of every line, read a second time by other code: where the two disagree, nothing is served."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace

from ingest.blocks import Item, Line, PageLayout
from ingest.domain import Finding, FindingKind
from ingest.normalise import Repair
from ingest.second_reader import UNKNOWN, Fragment

LATIN_1 = re.compile(r"[\x80-\xff]")
SCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉", "01234567890123456789")
COUNTED = re.compile(r"[^0-9,./%½¼¾⅓⅔]+")
HEIGHT = 0.8  # em from a line's baseline within which a fragment can belong to it
BEFORE = 1.2  # em left of a line at which a fragment that begins with spaces may start
SAME_PLACE = 0.15  # em


def counted(text: str) -> str:
    """The characters of which numbers are made, powers and indices as plain digits."""
    return COUNTED.sub("", text.translate(SCRIPTS))


def cross_check(layout: PageLayout, fragments: Sequence[Fragment]) -> PageLayout:
    """The layout, with a finding on every line whose numbers the second reader sees differently."""
    lines = [item for item in layout.items if isinstance(item, Line)]
    dealt = _deal(lines, fragments)
    items: list[Item] = []
    for item in layout.items:
        if isinstance(item, Line):
            ours, theirs = _both_readings(item, dealt.get(id(item), []))
            items.append(item if ours == theirs else _doubted(item, ours, theirs))
        else:
            items.append(item)
    return replace(layout, items=tuple(items))


def _both_readings(line: Line, fragments: list[Fragment]) -> tuple[str, str]:
    if not _is_legacy(line):
        return counted(line.text), _second_reading(fragments)
    theirs = _second_reading([replace(fragment, text=LATIN_1.sub("", fragment.text)) for fragment in fragments])
    ours = counted(LATIN_1.sub("", line.text))
    return (ours if ours == theirs else LATIN_1.sub("", counted(line.text))), theirs


def _is_legacy(line: Line) -> bool:
    """In a TCVN3 font the codes of ½ and ¹ are letters, which the second reader cannot know."""
    return any(f.kind is FindingKind.TEXT_REPAIRED and Repair.LEGACY in f.detail for f in line.findings)


def _doubted(line: Line, ours: str, theirs: str) -> Line:
    kind = FindingKind.NUMBER_DISAGREEMENT
    finding = Finding(kind, line.box.page, line.box, f"{ours[:60]} | {theirs[:60]}")
    return replace(line, findings=(*line.findings, finding))


def _deal(lines: Sequence[Line], fragments: Sequence[Fragment]) -> dict[int, list[Fragment]]:
    """Fragments that hold digits, or cannot be read, to the line each starts in."""
    ordered = sorted(lines, key=lambda line: line.baseline)
    baselines = [line.baseline for line in ordered]
    tallest = max((line.size for line in lines), default=0.0)
    dealt: dict[int, list[Fragment]] = {}
    for fragment in fragments:
        if counted(fragment.text) or UNKNOWN in fragment.text:
            first = bisect_left(baselines, fragment.y - HEIGHT * tallest)
            last = bisect_left(baselines, fragment.y + HEIGHT * tallest)
            near = [line for line in ordered[first:last] if _may_hold(line, fragment)]
            if near:
                home = min(near, key=lambda line: (abs(line.baseline - fragment.y), -line.box.x0))
                dealt.setdefault(id(home), []).append(fragment)
    return dealt


def _may_hold(line: Line, fragment: Fragment) -> bool:
    reach = BEFORE * line.size
    return line.box.x0 - reach <= fragment.x <= line.box.x1 and abs(line.baseline - fragment.y) <= HEIGHT * line.size


def _second_reading(fragments: list[Fragment]) -> str:
    """The line's numbers from left to right, second printings left out."""
    kept: list[Fragment] = []
    for fragment in sorted(fragments, key=lambda fragment: fragment.x):
        if not any(_printed_again(other, fragment) for other in kept[-3:]):
            kept.append(fragment)
    return "".join(UNKNOWN if UNKNOWN in fragment.text else counted(fragment.text) for fragment in kept)


def _printed_again(first: Fragment, second: Fragment) -> bool:
    reach = SAME_PLACE * first.size
    near = 0 < abs(first.x - second.x) + abs(first.y - second.y) <= reach
    return near and first.text == second.text
