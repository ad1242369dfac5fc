"""Runs of characters cut at spaces and wide gaps into pieces, decoded; second printings dropped."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

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

    after_space: the file itself has a space before it; script: 1 raised, -1 lowered, 0 on the line;
    inner_gap: mean distance between its letters, in points (letter-spaced text); overprinted: printed twice.
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
    gaps: list[float] = field(default_factory=list)


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
    text, left, right = cutter.run.text, cutter.run.left, cutter.run.right
    widest = WORD_GAP * cutter.run.size
    solid = 0
    for index, code in enumerate(text):
        if code in SPACES:
            _finish(cutter, index)
            cutter.start, cutter.after_space = index + 1, True
        elif index > cutter.start and not is_mark(code):
            gap = left[index] - right[solid]
            if gap > widest or left[index] < left[index - 1] - widest:
                _finish(cutter, index)
                cutter.start = index
            else:
                cutter.gaps.append(gap)
        if not is_mark(code):
            solid = index
    _finish(cutter, len(text))
    if cutter.after_space and cutter.start == len(text):
        cutter.pieces.append(_space_mark(cutter.run))


def _finish(cutter: _Cutter, end: int) -> None:
    start, run = cutter.start, cutter.run
    if end <= start:
        return
    text, repairs = decode("".join(run.text[start:end]), cutter.decoder)
    solid = [index for index in range(start, end) if not is_mark(run.text[index])] or range(start, end)
    gaps = cutter.gaps
    cutter.pieces.append(
        Piece(
            text=text,
            x0=min(run.left[index] for index in solid),
            x1=max(run.right[index] for index in solid),
            top=run.top,
            bottom=run.bottom,
            baseline=run.baseline,
            size=run.size,
            bold=run.bold,
            italic=run.italic,
            after_space=cutter.after_space,
            inner_gap=sum(gaps) / len(gaps) if gaps else 0.0,
            doubtful=UNRESOLVED in text,
            repairs=repairs,
        )
    )
    cutter.after_space = False
    cutter.gaps = []


def _space_mark(run: Run) -> Piece:
    """A space at the end of a run: it belongs before whatever comes next on the line."""
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
