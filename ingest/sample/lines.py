"""Breaks paragraphs into justified lines: no hyphenation, and nothing between a number and its unit."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from ingest.sample.ink import Ink, Measure, TextInk
from ingest.sample.source import Face, Run

SUPERSCRIPTS = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+−", strict=True))
SUBSCRIPTS = dict(zip("₀₁₂₃₄₅₆₇₈₉₊₋", "0123456789+−", strict=True))
MOST_STRETCH = 9.0
SCRIPT_SIZE, RAISE, LOWER = 0.65, 0.36, 0.14

NUMBER = r"[(\[]?[<>≤≥±~]?\d[\d,./×x⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻]*"
ENDS_IN_NUMBER = re.compile(rf"(?:^|/){NUMBER}(?<![.,])$")
GLUED_AFTER = re.compile(r"^[(\[]?[-–−<>≤≥±×x:/=+]$")
GLUED_BEFORE = re.compile(r"^([-–−<>≤≥±×x:/=+]|%\S*|°\S*|ADR)$")
UNITS_OF_TWO = {("đơn", "vị"), ("quốc", "tế"), ("năm", "tuổi")}


@dataclass(frozen=True, slots=True)
class Glyph:
    """A character as it is set: rise is -1, 0 or 1."""

    char: str
    face: Face
    rise: int = 0


@dataclass(frozen=True, slots=True)
class Word:
    """Characters without a space; glued forbids a break after it."""

    glyphs: tuple[Glyph, ...]
    glued: bool = False


@dataclass(frozen=True, slots=True)
class Setting:
    """Type size, line distance and column width in points."""

    size: float = 10.0
    leading: float = 11.4
    width: float = 247.6
    indent: float = 10.0


def glyphs_of(runs: Sequence[Run]) -> list[Glyph]:
    """Unicode scripts become small raised or lowered glyphs."""
    return [_glyph(char, run.face) for run in runs for char in run.text]


def _glyph(char: str, face: Face) -> Glyph:
    if char in SUPERSCRIPTS:
        return Glyph(SUPERSCRIPTS[char], face, 1)
    if char in SUBSCRIPTS:
        return Glyph(SUBSCRIPTS[char], face, -1)
    return Glyph(char, face)


def words_of(runs: Sequence[Run]) -> list[Word]:
    """Words with their glue decided."""
    texts = "".join(run.text for run in runs).split(" ")
    glyphs = glyphs_of(runs)
    words, at = [], 0
    for index, text in enumerate(texts):
        following = texts[index + 1] if index + 1 < len(texts) else ""
        words.append(Word(tuple(glyphs[at : at + len(text)]), glued=is_glued(text, following)))
        at += len(text) + 1
    return words


def is_glued(word: str, following: str) -> bool:
    """Whether no line may break between the two words."""
    if not following:
        return False
    if ENDS_IN_NUMBER.search(word) or (word, re.split(r"[/.,;:)]", following)[0]) in UNITS_OF_TWO:
        return True
    if GLUED_AFTER.match(word):
        return True
    return bool(GLUED_BEFORE.match(following) and not word.endswith((".", ";", ",")))


def break_lines(widths: Sequence[float], space: float, glued: Sequence[bool], limits: Sequence[float]) -> list[int]:
    """Ends (exclusive) of the lines with the least squared stretch; limits: widths of the first and later lines."""
    count = len(widths)
    best: list[float] = [0.0] + [float("inf")] * count
    came: list[int] = [0] * (count + 1)
    for end in range(1, count + 1):
        if end < count and glued[end - 1]:
            continue
        natural = -space
        for start in range(end - 1, -1, -1):
            natural += widths[start] + space
            limit = limits[0] if start == 0 else limits[1]
            if natural > limit + 0.01 and start < end - 1:
                break
            cost = best[start] + _badness(limit - natural, end - start - 1, last=end == count)
            if cost < best[end]:
                best[end], came[end] = cost, start
    ends = []
    while count:
        ends.append(count)
        count = came[count]
    return ends[::-1]


def _badness(slack: float, spaces: int, *, last: bool) -> float:
    if slack < -0.01:
        return 1e7
    return 1.0 if last else 1.0 + (slack / max(spaces, 0.3)) ** 2


class Composer:
    """Sets words as lines of ink with one measuring function."""

    def __init__(self, measure: Measure) -> None:
        self.measure = lru_cache(maxsize=None)(measure)

    def glyph_width(self, glyph: Glyph, size: float) -> float:
        return self.measure(glyph.char, glyph.face, size * (SCRIPT_SIZE if glyph.rise else 1))

    def word_width(self, word: Word, size: float) -> float:
        return sum(self.glyph_width(glyph, size) for glyph in word.glyphs)

    def width(self, runs: Sequence[Run], size: float) -> float:
        """Natural width of a text on one line."""
        return sum(self.glyph_width(glyph, size) for glyph in glyphs_of(runs))

    def lines(self, runs: Sequence[Run], setting: Setting, *, justify: bool = True) -> list[tuple[Ink, ...]]:
        """The paragraph's lines; y of every ink is the baseline below the line's top."""
        words = words_of(runs)
        space = self.measure(" ", Face.REGULAR, setting.size)
        widths = [self.word_width(word, setting.size) for word in words]
        limits = (setting.width - setting.indent, setting.width)
        ends = break_lines(widths, space, [word.glued for word in words], limits)
        made, start = [], 0
        for end in ends:
            limit, x = (limits[0], setting.indent) if start == 0 else (limits[1], 0.0)
            slack = limit - sum(widths[start:end]) - space * (end - start - 1)
            stretch = slack / (end - start - 1) if justify and end < len(words) and end - start > 1 else 0.0
            stretch = stretch if stretch <= MOST_STRETCH else 0.0
            made.append(self.line(words[start:end], x, setting, stretch))
            start = end
        return made

    def line(self, words: Sequence[Word], x: float, setting: Setting, stretch: float = 0.0) -> tuple[Ink, ...]:
        """One line from x; runs of one face and rise become one ink, spaces inside them included."""
        glyphs: list[Glyph] = []
        for index, word in enumerate(words):
            glyphs += word.glyphs
            if index + 1 < len(words):
                glyphs.append(Glyph(" ", _space_face(word, words[index + 1])))
        return self.place(glyphs, x, setting, stretch)

    def place(self, glyphs: Sequence[Glyph], x: float, setting: Setting, stretch: float = 0.0) -> tuple[Ink, ...]:
        ink: list[Ink] = []
        at = 0
        baseline = 0.78 * setting.leading
        while at < len(glyphs):
            first, end = glyphs[at], at
            while end < len(glyphs) and (glyphs[end].face, glyphs[end].rise) == (first.face, first.rise):
                end += 1
            text = "".join(glyph.char for glyph in glyphs[at:end])
            size = setting.size * (SCRIPT_SIZE if first.rise else 1)
            rise = setting.size * (RAISE if first.rise > 0 else -LOWER if first.rise < 0 else 0)
            ink.append(TextInk(round(x, 3), round(baseline - rise, 3), text, first.face, size, round(stretch, 4)))
            x += sum(self.glyph_width(g, setting.size) + (stretch if g.char == " " else 0) for g in glyphs[at:end])
            at = end
        return tuple(ink)


def _space_face(word: Word, following: Word) -> Face:
    left, right = word.glyphs[-1].face, following.glyphs[0].face
    return left if left is right else Face.REGULAR
