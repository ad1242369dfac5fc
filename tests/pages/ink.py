"""Marked-up text for test pages: <b>, <i>, <sup>, <sub>; a tilde is a space that is never broken at."""

from __future__ import annotations

import re
from dataclasses import dataclass

TAG = re.compile(r"<(/?)(b|i|sup|sub)>")
SUPERSCRIPTS = str.maketrans("0123456789+-o", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻°")
SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


@dataclass(frozen=True, slots=True)
class Ink:
    """Text in one style."""

    text: str
    bold: bool = False
    italic: bool = False
    script: int = 0


Word = tuple[Ink, ...]


def parse(marked: str) -> list[Ink]:
    """Marked-up text as stretches of one style."""
    inks, bold, italic, script, at = [], False, False, 0, 0
    for tag in [*TAG.finditer(marked), None]:
        text = marked[at : tag.start() if tag else len(marked)]
        if text:
            inks.append(Ink(text, bold, italic, script))
        if tag:
            on = not tag.group(1)
            at = tag.end()
            match tag.group(2):
                case "b":
                    bold = on
                case "i":
                    italic = on
                case "sup":
                    script = 1 if on else 0
                case _:
                    script = -1 if on else 0
    return inks


def words(marked: str) -> list[Word]:
    """Split at spaces; a word may change style inside."""
    found: list[list[Ink]] = [[]]
    for ink in parse(marked):
        for index, part in enumerate(ink.text.split(" ")):
            if index:
                found.append([])
            if part:
                found[-1].append(Ink(part, ink.bold, ink.italic, ink.script))
    return [tuple(word) for word in found if word]


def plain(marked: str) -> str:
    """What a right parser reads: scripts as Unicode where digits or signs, spaces as spaces."""
    text = ""
    for ink in parse(marked):
        if ink.script > 0:
            text += ink.text.translate(SUPERSCRIPTS)
        elif ink.script < 0:
            text += ink.text.translate(SUBSCRIPTS)
        else:
            text += ink.text
    return text.replace("~", " ")
