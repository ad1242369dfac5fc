"""Pieces gathered into rows of one baseline, raised and lowered ones attached; rows written out as text."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from statistics import median

from ingest.geometry import Rect
from ingest.normalise import Repair, compose, is_mojibake
from ingest.pieces import WORD_GAP, Piece, drop_second_printings, is_mark

SMALL = 0.8  # of the row's size: smaller pieces may be scripts
SAME_BASELINE = 0.18  # em
RAISED, LOWERED = 0.12, -0.05  # em above the baseline from which a small piece is a script
HIGHEST, LOWEST = 0.75, -0.5
TOUCHING = 0.35  # em between a script and what it belongs to
STUCK = 0.15  # em between a script and what it stands on
SURE_SPACE = 0.10  # em: a space of the file narrower than this is none, between letters
LETTER_SPACED = 4  # lone letters that make a letter-spaced line when most of its pieces are such
SPREAD = 0.13  # em above the line's own letter-spacing

SUPERSCRIPTS = str.maketrans("0123456789+-−–=()nio", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁼⁽⁾ⁿⁱ°")
SUBSCRIPTS = str.maketrans("0123456789+-−–=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₋₌₍₎")
RAISED_TEXT = re.compile(r"[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ°*†‡®™©ªº]+")
LOWERED_TEXT = re.compile(r"[₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎]+|[A-Za-zÀ-ỹα-ω]+")


@dataclass(slots=True)
class Row:
    """Pieces that share a baseline, sorted by x once complete."""

    baseline: float
    size: float
    pieces: list[Piece] = field(default_factory=list)

    @property
    def rect(self) -> Rect:
        """The box around its pieces."""
        return Rect(
            min(piece.x0 for piece in self.pieces),
            min(piece.top for piece in self.pieces),
            max(piece.x1 for piece in self.pieces),
            max(piece.bottom for piece in self.pieces),
        )


def part_of(row: Row, pieces: list[Piece]) -> Row:
    """Some of a row's pieces as a row with a baseline and size of its own: columns need not share a grid."""
    level = [piece for piece in pieces if piece.text and not piece.script]
    if not level:
        return Row(row.baseline, row.size, pieces)
    baselines = [piece.baseline for piece in level]
    return Row(max(set(baselines), key=baselines.count), max(piece.size for piece in level), pieces)


def partition(row: Row, belongs: Callable[[Piece], bool]) -> tuple[list[Piece], list[Piece]]:
    """The row's pieces that belong, and the others; a script goes with what it stands on."""
    chosen: list[Piece] = []
    others: list[Piece] = []
    last: Piece | None = None
    side = others
    for piece in row.pieces:
        if not (piece.script and last is not None and piece.x0 - last.x1 < STUCK * row.size):
            side = chosen if belongs(piece) else others
        side.append(piece)
        last = piece
    return chosen, others


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a line in one style."""

    text: str
    bold: bool
    italic: bool

    def __reduce__(self) -> tuple[type[Span], tuple[str, bool, bool]]:
        """Pickled by its fields, as a line is."""
        return Span, (self.text, self.bold, self.italic)


@dataclass(frozen=True, slots=True)
class Written:
    """A row as text: its spans, and what is doubtful about it."""

    spans: tuple[Span, ...]
    unresolved: bool = False
    flattened: bool = False
    unsure_gap: bool = False
    overlapping: bool = False
    repairs: tuple[Repair, ...] = ()

    @property
    def text(self) -> str:
        """The whole line."""
        return "".join(span.text for span in self.spans)


def build_rows(pieces: list[Piece]) -> list[Row]:
    """Rows from top to bottom; small print that belongs to no row makes rows of its own."""
    rows: list[Row] = []
    rest = pieces
    while rest:
        size = _usual_size(rest)
        main = [piece for piece in rest if piece.size >= SMALL * size]
        small = [piece for piece in rest if piece.size < SMALL * size]
        level = _rows_of_baselines(main)
        rest = _attach_scripts(level, small)
        rows += level
    rows.sort(key=lambda row: (row.baseline, row.pieces[0].x0))
    rows = _attach_shifted(rows)
    for row in rows:
        row.pieces.sort(key=lambda piece: (piece.x0, piece.x1))
        row.pieces = drop_second_printings(row.pieces)
    return rows


def _usual_size(pieces: list[Piece]) -> float:
    sizes: Counter[float] = Counter()
    for piece in pieces:
        sizes[round(piece.size, 1)] += len(piece.text) + 1
    return sizes.most_common(1)[0][0] or 1.0


def _rows_of_baselines(pieces: list[Piece]) -> list[Row]:
    rows: list[Row] = []
    for piece in sorted(pieces, key=lambda piece: (piece.baseline, piece.x0)):
        if rows and piece.baseline - rows[-1].baseline <= SAME_BASELINE * min(piece.size, rows[-1].size):
            rows[-1].pieces.append(piece)
            rows[-1].size = max(rows[-1].size, piece.size)
        else:
            rows.append(Row(piece.baseline, piece.size, [piece]))
    return rows


def _attach_scripts(rows: list[Row], small: list[Piece]) -> list[Piece]:
    """Put small pieces into the row they touch; returns those that touch none."""
    if not rows:
        return small
    baselines = [row.baseline for row in rows]
    tallest = max(row.size for row in rows)
    rest = []
    for piece in sorted(small, key=lambda piece: piece.x0):
        first = bisect_left(baselines, piece.baseline + LOWEST * tallest)
        last = bisect_left(baselines, piece.baseline + HIGHEST * tallest)
        home = min(
            (row for row in rows[first:last] if _touches(row, piece)),
            key=lambda row: abs(row.baseline - piece.baseline),
            default=None,
        )
        if home is None:
            rest.append(piece)
        else:
            piece.script = _script_of(home, piece)
            home.pieces.append(piece)
    return rest


def _script_of(row: Row, piece: Piece) -> int:
    rise = (row.baseline - piece.baseline) / row.size
    return 1 if rise >= RAISED else -1 if rise <= LOWERED else 0


def _touches(row: Row, piece: Piece) -> bool:
    """Whether a piece stands right after, or right before, one of the row's."""
    reach, overlap = TOUCHING * row.size, 0.2 * row.size
    for other in reversed(row.pieces):
        if not LOWEST <= (row.baseline - piece.baseline) / row.size <= HIGHEST:
            return False
        if -overlap <= piece.x0 - other.x1 <= reach or -overlap <= other.x0 - piece.x1 <= reach:
            return True
    return False


def _attach_shifted(rows: list[Row]) -> list[Row]:
    """Scripts set by a rise alone, at full size: short pieces between two baselines that touch a row."""
    kept: list[Row] = []
    for index, row in enumerate(rows):
        homes = [other for other in rows[max(0, index - 2) : index + 3] if other is not row and _is_shifted(row, other)]
        if homes and len(row.pieces) <= 12 and all(any(_touches(home, p) for home in homes) for p in row.pieces):
            for piece in row.pieces:
                home = next(home for home in homes if _touches(home, piece))
                piece.script = _script_of(home, piece)
                home.pieces.append(piece)
        else:
            kept.append(row)
    return kept


def _is_shifted(row: Row, other: Row) -> bool:
    shift = abs(row.baseline - other.baseline) / other.size
    short = all(len(piece.text) <= 4 for piece in row.pieces)
    fewer = sum(len(piece.text) for piece in row.pieces) < sum(len(piece.text) for piece in other.pieces)
    return short and fewer and SAME_BASELINE < shift <= 0.6 and row.size <= 1.1 * other.size


@dataclass(slots=True)
class _Token:
    """Glued pieces of one style, with whether a space goes before them."""

    text: str
    bold: int = 0
    italic: int = 0
    space: bool = False

    def style(self) -> tuple[bool, bool]:
        letters = max(1, sum(1 for letter in self.text if letter.isalnum()))
        return (2 * self.bold > letters, 2 * self.italic > letters)


@dataclass(slots=True)
class _Doubts:
    unresolved: bool = False
    flattened: bool = False
    unsure_gap: bool = False
    overlapping: bool = False
    repairs: set[Repair] = field(default_factory=set)


def write_row(pieces: list[Piece]) -> Written:
    """Pieces of one line, sorted by x, as text in spans of one style."""
    doubts = _Doubts()
    tokens = list(_tokens(pieces, doubts))
    if tokens and tokens[-1].text.endswith("\u00ad"):
        tokens[-1].text = tokens[-1].text[:-1] + "-"  # at a line's end it is printed
    spans: list[Span] = []
    for token in tokens:
        text, repairs = compose(token.text)
        doubts.repairs.update(repairs)
        bold, italic = token.style()
        text = (" " if token.space and spans else "") + text
        if spans and (not any(map(str.isalnum, text)) or (spans[-1].bold, spans[-1].italic) == (bold, italic)):
            last = spans.pop()
            spans.append(Span(last.text + text, last.bold, last.italic))
        elif text:
            spans.append(Span(text, bold, italic))
    spans = _mend_borders(spans)
    text = "".join(span.text for span in spans)
    doubts.unresolved = doubts.unresolved or is_mojibake(text)
    return Written(
        tuple(spans),
        doubts.unresolved,
        doubts.flattened,
        doubts.unsure_gap,
        doubts.overlapping,
        tuple(sorted(doubts.repairs)),
    )


def _mend_borders(spans: list[Span]) -> list[Span]:
    """º before C can lie across two tokens: the degree sign is decided on the whole line."""
    whole, _ = compose("".join(span.text for span in spans))
    mended, at = [], 0
    for span in spans:
        mended.append(Span(whole[at : at + len(span.text)], span.bold, span.italic))
        at += len(span.text)
    return mended if at == len(whole) else spans


def _tokens(pieces: list[Piece], doubts: _Doubts) -> Iterator[_Token]:
    gap_limit = _space_limit(pieces)
    size = max((piece.size for piece in pieces if not piece.script), default=0.0)
    token: _Token | None = None
    before: Piece | None = None
    spaced = False
    for piece, after in zip(pieces, [*pieces[1:], None], strict=True):
        if not piece.text:
            spaced = spaced or before is not None
            continue
        doubts.unresolved = doubts.unresolved or piece.doubtful
        doubts.repairs.update(piece.repairs)
        space = before is not None and _is_space(before, piece, gap_limit, doubts, in_file=spaced or piece.after_space)
        text = _script_text(piece, doubts)
        doubts.flattened = doubts.flattened or _is_stray_digit(piece, size) or _is_stray_script(before, piece, after)
        if token is not None and (space or _style_break(token, piece)):
            yield token
            token = None
        if token is None:
            token = _Token("", space=space)
        letters = sum(1 for letter in text if letter.isalnum())
        token.text += text
        token.bold += letters * piece.bold
        token.italic += letters * piece.italic
        before, spaced = piece, piece.before_space
    if token is not None:
        yield token


def _is_stray_digit(piece: Piece, size: float) -> bool:
    """A small digit on the line of larger letters: a power that has lost its height, or strayed from elsewhere."""
    return piece.script == 0 and piece.size < SMALL * size and any(letter.isdigit() for letter in piece.text)


def _is_stray_script(before: Piece | None, piece: Piece, after: Piece | None) -> bool:
    """A power or index that stands on nothing, or under other letters: it belongs to some other text."""
    if piece.script == 0 or not any(letter.isdigit() for letter in piece.text):
        return False
    size = (before or after or piece).size
    covered = after is not None and bool(after.text) and piece.x1 - after.x0 > 0.1 * size
    stands = before is not None and -0.12 * size <= piece.x0 - before.x1 <= 2 * STUCK * size
    leads = after is not None and -0.08 * size <= after.x0 - piece.x1 <= STUCK * size
    return covered or not (stands or leads)


def _style_break(token: _Token, piece: Piece) -> bool:
    """A change of style inside a word counts only after a stop: a heading glued to a sentence's end."""
    return token.text[-1:] in ".;:!?)" and token.style() != (piece.bold, piece.italic)


def _space_limit(pieces: list[Piece]) -> float:
    """The widest gap, in points, that is not a space on this line."""
    size = max((piece.size for piece in pieces if not piece.script), default=1.0)
    gaps: list[float] = []
    for piece in pieces:
        if len(piece.text) > 1:
            gaps += [piece.inner_gap] * (len(piece.text) - 1)
    words = [piece for piece in pieces if piece.text]
    lone = [piece for piece in words if len(piece.text) == 1 and piece.text.isalpha()]
    if len(lone) >= LETTER_SPACED and 2 * len(lone) > len(words):
        pairs = itertools.pairwise(words)
        gaps += [right.x0 - left.x1 for left, right in pairs if not (right.after_space or left.before_space)]
    return max(WORD_GAP * size, (median(gaps) if gaps else 0.0) + SPREAD * size)


def _is_space(before: Piece, piece: Piece, limit: float, doubts: _Doubts, *, in_file: bool) -> bool:
    gap, size = piece.x0 - before.x1, max(before.size, piece.size)
    if is_mark(piece.text[0]):
        return False
    digits = before.text[-1:].isdigit() or piece.text[:1].isdigit()
    if gap < -0.3 * size:
        doubts.overlapping = True
    if in_file:
        return gap >= SURE_SPACE * size or digits or not (before.text[-1:].isalpha() and piece.text[:1].isalpha())
    both = before.text[-1:].isdigit() and piece.text[:1].isdigit() and before.script == piece.script
    if both and abs(gap - limit) < 0.05 * size:
        doubts.unsure_gap = True
    return gap > limit


def _script_text(piece: Piece, doubts: _Doubts) -> str:
    if piece.script == 0:
        return piece.text
    table, allowed = (SUPERSCRIPTS, RAISED_TEXT) if piece.script > 0 else (SUBSCRIPTS, LOWERED_TEXT)
    text = piece.text.translate(table)
    if allowed.fullmatch(text):
        return text
    if all(letter.isalpha() or letter in ".,()*" for letter in piece.text):
        return piece.text
    doubts.flattened = True
    return piece.text
