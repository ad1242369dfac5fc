"""Runs of characters cut at spaces and wide gaps into pieces, decoded; second printings dropped."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from ingest.characters import Run
from ingest.geometry import Rect
from ingest.normalise import PLAIN, UNRESOLVED, FontDecoder, Repair, choose_decoder

SPACES = frozenset(" \u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u3000\t\r\n")
WORD_GAP = 0.16  # em: a narrower gap never is a space by itself
STRANGE = re.compile("[\ue000-\uf8ff\ufb00-\ufb06\ufffd]")
SAME_PLACE = 0.5  # share of a glyph's width within which a second printing of it lies


def is_mark(code: str) -> bool:
    """A combining mark has no place of its own: it stands on the letter before it."""
    return "\u0300" <= code <= "\u036f"


@dataclass(slots=True)
class Piece:
    """Characters without a space between them, of one font, size and baseline.

    after_space, before_space: the file itself has a space before, or after it; script: 1 raised, -1 lowered, 0 on
    the line; inner_gap: mean distance between its letters, in points (letter-spaced text).
    """

    text: str
    x0: float
    x1: float
    top: float
    bottom: float
    baseline: float
    size: float
    bold: bool
    italic: bool
    after_space: bool = False
    before_space: bool = False
    script: int = 0
    inner_gap: float = 0.0
    doubtful: bool = False
    repairs: tuple[Repair, ...] = ()

    @property
    def rect(self) -> Rect:
        """Its box."""
        return Rect(self.x0, self.top, self.x1, self.bottom)


@dataclass(slots=True)
class _Cutter:
    """State while one run is cut."""

    run: Run
    decoder: FontDecoder
    pieces: list[Piece]
    start: int = 0
    after_space: bool = False
    gaps: float = 0.0


def cut_pieces(runs: list[Run]) -> list[Piece]:
    """All pieces of a page, in the file's order."""
    decoders = choose_decoders(runs)
    pieces: list[Piece] = []
    for run in runs:
        _cut_run(_Cutter(run, decoders[run.font], pieces))
    return pieces


def choose_decoders(runs: list[Run]) -> dict[str, FontDecoder]:
    """One decoder a font, from all of the font's codes on the page."""
    codes: dict[str, Counter[str]] = {}
    for run in runs:
        codes.setdefault(run.font, Counter()).update(run.text)
    return {font: choose_decoder(font, counted) for font, counted in codes.items()}


def _cut_run(cutter: _Cutter) -> None:
    run = cutter.run
    text, left, right = run.text, run.left, run.right
    widest = WORD_GAP * run.size
    solid = 0
    made = len(cutter.pieces)
    for index, code in enumerate(text):
        if code in SPACES:
            _finish(cutter, index)
            cutter.start, cutter.after_space = index + 1, True
        elif "\u0300" <= code <= "\u036f":
            continue
        elif index > cutter.start:
            gap = left[index] - right[solid]
            if gap > widest or left[index] < left[solid] - widest:
                _finish(cutter, index)
                cutter.start = index
            else:
                cutter.gaps += gap
        solid = index
    _finish(cutter, len(text))
    if cutter.after_space and len(cutter.pieces) > made:
        cutter.pieces[-1].before_space = True
    elif cutter.after_space:
        cutter.pieces.append(_space_mark(run))


def _finish(cutter: _Cutter, end: int) -> None:
    start, run = cutter.start, cutter.run
    if end <= start:
        return
    codes = "".join(run.text[start:end])
    text, repairs = decode(codes, cutter.decoder)
    x0, x1 = run.left[start], run.right[end - 1]
    if not codes.isascii():
        solid = [index for index in range(start, end) if not is_mark(run.text[index])] or range(start, end)
        x0, x1 = min(run.left[index] for index in solid), max(run.right[index] for index in solid)
    cutter.pieces.append(
        Piece(
            text=text,
            x0=x0,
            x1=x1,
            top=run.top,
            bottom=run.bottom,
            baseline=run.baseline,
            size=run.size,
            bold=run.bold,
            italic=run.italic,
            after_space=cutter.after_space,
            inner_gap=cutter.gaps / (end - start - 1) if end - start > 1 else 0.0,
            doubtful=UNRESOLVED in text,
            repairs=repairs,
        )
    )
    cutter.after_space = False
    cutter.gaps = 0.0


def _space_mark(run: Run) -> Piece:
    """A run of nothing but spaces: it belongs before whatever comes next on the line."""
    x = run.right[-1]
    return Piece("", run.left[-1], x, run.top, run.bottom, run.baseline, run.size, run.bold, run.italic)


def decode(codes: str, decoder: FontDecoder) -> tuple[str, tuple[Repair, ...]]:
    """Codes of one font to text, with the repairs made."""
    if decoder is PLAIN and not STRANGE.search(codes):
        return (codes, ())
    decoded = [decoder.decode(code) for code in codes]
    repairs = {repair for _, repair in decoded if repair is not None}
    return ("".join(text for text, _ in decoded), tuple(sorted(repairs)))


def drop_second_printings(pieces: list[Piece]) -> list[Piece]:
    """Pieces of one row, sorted by x: what is printed again at the same place goes, and makes the first bold."""
    kept: list[Piece] = []
    for piece in pieces:
        twin = next((other for other in reversed(kept[-3:]) if _printed_again(other, piece)), None)
        if twin is None:
            kept.append(piece)
        else:
            twin.bold = True
    return kept


def _printed_again(first: Piece, second: Piece) -> bool:
    if not second.text or first.text != second.text or abs(first.size - second.size) > 0.1 * first.size:
        return False
    glyph = (first.x1 - first.x0) / max(1, len(first.text))
    return abs(second.x0 - first.x0) < SAME_PLACE * glyph and abs(second.x1 - first.x1) < SAME_PLACE * glyph
